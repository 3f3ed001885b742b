//! A suspended call as data: frames of live variables and the asks they wait on.

use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};
use smallvec::SmallVec;

use crate::{
    ask::{
        answer::Answer,
        client::{Client, Need},
    },
    clock::{millis_of, time_of},
    engine::{answers::Answers, scope::RunState},
    error::{Error, Reason},
    identity::{CallId, Identity},
};

mod bytes;
#[cfg(test)]
mod tests;

use bytes::Body;

/// The point before all suspension points.
const START: u64 = 0;

/// One function at one suspension point.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Fingerprint of the suspension point.
    pub(crate) point: u64,
    /// A hash of the types of the live variables and of what is waited for: rustc alone knows them.
    pub(crate) types: u32,
    /// The live variables, one MessagePack value after the other.
    pub(crate) values: Vec<u8>,
    /// What the function waits on.
    pub(crate) on: Waiting,
}

impl Frame {
    fn visit(&self, depth: usize, visit: &mut impl FnMut(&Self, usize)) {
        visit(self, depth);
        match &self.on {
            Waiting::Ask(_) => {}
            Waiting::Call(frame) => frame.visit(depth + 1, visit),
            Waiting::Join(arms) => arms.iter().for_each(|arm| {
                if let ArmState::Waits(_, frame) = arm {
                    frame.visit(depth + 1, visit);
                }
            }),
        }
    }
}

/// What a frame waits on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Waiting {
    /// An ask, by its place in [`Continuation::pending`].
    Ask(u32),
    /// A call of another saga function.
    Call(Box<Frame>),
    /// Several, each on its own.
    Join(Vec<ArmState>),
}

/// One arm of a join.
#[derive(Debug, Clone, PartialEq)]
pub enum ArmState {
    /// It is done, with this value.
    Done(Vec<u8>),
    /// It waits; so many of its asks have their outcome.
    Waits(u32, Box<Frame>),
}

/// An ask that was put to the client.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pending {
    /// The name under which the client answers.
    pub(crate) key: String,
    /// What the client must declare to be asked.
    pub(crate) need: Need,
    /// The run-time part of the request, to put it again.
    pub(crate) memo: Vec<u8>,
    /// When the ask times out, in milliseconds since 1970, and the timeout in milliseconds.
    pub(crate) deadline: Option<(u64, u64)>,
    /// The answer, once it was taken.
    pub(crate) answer: Option<Answer>,
}

impl Pending {
    /// Whether its time is over.
    pub(crate) fn is_over(&self, now: SystemTime) -> bool {
        self.deadline
            .is_some_and(|(deadline, _)| millis_of(now) >= deadline)
    }

    /// Whether there is an answer to it, of its kind.
    fn is_answered(&self, answers: &Answers) -> bool {
        match answers.get(&self.key) {
            _ if self.need == Need::Pause => false,
            None => false,
            Some(Answer::Result(result)) => self.need.accepts(result),
            Some(_) => true,
        }
    }
}

/// A function on the stack of a suspended call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Standing {
    /// [`Point::fingerprint`](crate::flow::Point::fingerprint) of the suspension point where it stands, in the code that wrote it.
    pub point: u64,
    /// How many functions called it.
    pub depth: usize,
}

/// How often each key was given out, by a hash of the key. Most calls number one key or two.
pub(crate) type GivenOut = SmallVec<[(u32, u32); 2]>;

/// All that is needed to go on with a suspended call, in any process.
///
/// Opaque: seal it in a token, or keep it, and hand it to [`Engine::resume`](crate::Engine::resume).
#[derive(Debug, Clone, PartialEq)]
pub struct Continuation {
    pub(crate) identity: Identity,
    pub(crate) frame: Frame,
    pub(crate) pending: Vec<Pending>,
    /// How often each key was given out so far, by a hash of the key.
    pub(crate) asked: GivenOut,
}

impl Continuation {
    /// The call that it continues.
    pub fn call_id(&self) -> CallId {
        self.identity.id
    }

    /// How many suspensions the call has passed: 1 at its first questions. Putting a question again
    /// does not count.
    pub fn leg(&self) -> u32 {
        self.identity.leg
    }

    /// Whether the call goes on if it is presented with these answers.
    pub(crate) fn goes_on(&self, answers: &Answers, client: &Client, now: SystemTime) -> bool {
        let mut open = self.pending.iter().filter(|ask| ask.answer.is_none());
        open.any(|ask| ask.is_answered(answers) || ask.is_over(now) || !client.declares(ask.need))
    }

    /// The keys of the asks to which there is an answer among these that counts for this client, and comes in time.
    pub(crate) fn answered(
        &self,
        answers: &Answers,
        client: &Client,
        now: SystemTime,
    ) -> impl Iterator<Item = &str> {
        let open = self.pending.iter().filter(|ask| ask.answer.is_none());
        let open = open.filter(move |ask| !ask.is_over(now));
        open.filter(|ask| ask.is_answered(answers) && client.declares(ask.need))
            .map(|ask| ask.key.as_str())
    }

    /// How long it rests from `now` on, where nobody is asked.
    pub(crate) fn rests(&self, now: SystemTime) -> Option<Duration> {
        let open = self.pending.iter().filter(|ask| ask.answer.is_none());
        let mut left = None;
        for ask in open {
            let (due, _) = ask.deadline.filter(|_| ask.need == Need::Pause)?;
            let from = millis_of(now);
            left = left.into_iter().chain([due.saturating_sub(from)]).min();
        }
        left.filter(|left| *left > 0).map(Duration::from_millis)
    }

    /// Keeps the answer to an open question, for the leg that is run next: judged by the time at which it came,
    /// not by that at which the leg is run. `false` where there is no such question, its time is over, or this
    /// is no answer to it; then nothing is kept.
    pub fn deliver(&mut self, key: &str, result: &Value, now: SystemTime) -> bool {
        let mut open = self.pending.iter_mut().filter(|ask| ask.answer.is_none());
        let asked = open.find(|ask| ask.key == key && ask.need != Need::Pause);
        let taken = asked.filter(|ask| !ask.is_over(now) && ask.need.accepts(result));
        match taken {
            None => false,
            Some(ask) => {
                ask.answer = Some(Answer::Result(result.clone()));
                true
            }
        }
    }

    /// Gives an open question another key, which was not given out before: whoever knows the first one knows another
    /// question by it.
    pub fn renew_key(&mut self, key: &str) -> Option<String> {
        let mut state = RunState {
            asked: std::mem::take(&mut self.asked),
            ..RunState::default()
        };
        let next = state.next_key(key);
        self.asked = state.asked;
        let mut open = self.pending.iter_mut().filter(|ask| ask.answer.is_none());
        let ask = open.find(|ask| ask.key == key && ask.need != Need::Pause)?;
        ask.key.clone_from(&next);
        Some(next)
    }

    /// The same call from its beginning, for code that cannot go on from where it stood: what it did may be done again, under
    /// the same idempotency keys. It puts no question under a key that it has given out before, or under one of `put`: those of a
    /// leg that did not end.
    #[must_use]
    pub fn from_start<'k>(self, put: impl IntoIterator<Item = &'k str>) -> Self {
        let mut state = RunState {
            asked: self.asked,
            ..RunState::default()
        };
        for key in put {
            state.put_before(key);
        }
        Self {
            identity: Identity {
                passed: 0,
                ..self.identity
            },
            frame: Frame {
                point: START,
                types: 0,
                values: Vec::new(),
                on: Waiting::Join(Vec::new()),
            },
            pending: Vec::new(),
            asked: state.asked,
        }
    }

    /// Whether it is a call at its beginning.
    pub(crate) fn is_at_start(&self) -> bool {
        self.frame.point == START
    }

    /// When it goes on though nobody answers; `None` where it waits for an answer for ever.
    pub fn due(&self) -> Option<SystemTime> {
        let open = self.pending.iter().filter(|ask| ask.answer.is_none());
        let due = open.filter_map(|ask| ask.deadline).map(|(at, _)| at).min();
        due.map(time_of)
    }

    /// Which code can go on with it: a hash over the points on its stack, as they were when it suspended.
    pub fn code(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        self.frame.visit(0, &mut |frame, _| {
            hash = (hash ^ frame.point).wrapping_mul(0x0000_0100_0000_01b3);
        });
        hash
    }

    /// The functions on its stack, each with the point where it stands: a caller before what it calls, the arms of a join
    /// one behind the other.
    pub fn stack(&self) -> Vec<Standing> {
        let mut stack = Vec::new();
        self.frame.visit(0, &mut |frame, depth| {
            stack.push(Standing {
                point: frame.point,
                depth,
            });
        });
        stack
    }

    /// The keys of the asks that wait for an answer.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let open = self.pending.iter().filter(|ask| ask.answer.is_none());
        open.filter(|ask| ask.need != Need::Pause)
            .map(|ask| ask.key.as_str())
    }

    /// The encoded form, for a store of one's own: neither encrypted nor authenticated.
    ///
    /// # Errors
    /// [`Error::Store`] where the stack is nested deeper than can be read back.
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        encode(self)
    }

    /// Reads what [`Continuation::encode`] wrote.
    ///
    /// # Errors
    /// [`Reason::Malformed`] for anything else.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        decode(bytes)
    }
}

/// A continuation with the call it belongs to, for wires that do not repeat the call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Carried {
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) continuation: Continuation,
}

pub(crate) fn encode(body: &impl Body) -> Result<Vec<u8>, Error> {
    bytes::written(body).map_err(|detail| Error::Store {
        variable: "the continuation".to_owned(),
        detail,
    })
}

pub(crate) fn decode<T: Body>(bytes: &[u8]) -> Result<T, Error> {
    bytes::read(bytes).map_err(|detail| Error::token(Reason::Malformed, detail))
}
