//! The saga that the current task is polling: how a function reaches the engine without a parameter.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::SystemTime,
};

use rmcp::model::InputRequest;

use crate::{
    ask::{answer::Answer, client::Client},
    engine::continuation::{Frame, Pending},
    error::Error,
    token,
};

tokio::task_local! {
    pub(crate) static CURRENT: Arc<Scope>;
}

/// Answers by key, as a wire received them.
pub type Answers = BTreeMap<String, Answer>;

/// How asks reach the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The call ends with a token and is continued.
    Stateless,
    /// The peer is asked while the call waits.
    Live,
}

/// One call level: the function that runs here, and what it leaves behind when it suspends.
pub(crate) struct Scope {
    pub(crate) run: Arc<Run>,
    slot: Mutex<Slot>,
}

/// The state of one call level.
#[derive(Default)]
pub(crate) struct Slot {
    /// The frame to go on from; taken by the function that enters.
    pub(crate) resume: Option<Frame>,
    /// A saga function runs at this level.
    pub(crate) entered: bool,
    /// The frame of that function, once it has suspended.
    pub(crate) suspended: Option<Frame>,
}

/// One round of one call, shared by all levels.
pub struct Run {
    pub(crate) mode: Mode,
    pub(crate) client: Client,
    pub(crate) now: SystemTime,
    pub(crate) idempotency: Idempotency,
    /// Answers an ask at once where it can.
    pub(crate) answering: Option<Box<Answering>>,
    state: Mutex<RunState>,
}

/// What names the work of a round; hashed or drawn only where a tool asks for it.
#[derive(Debug, Default)]
pub(crate) struct Idempotency {
    /// The token that the round goes on from.
    pub(crate) token: Option<String>,
    /// The key, once it is known.
    pub(crate) key: OnceLock<String>,
}

impl Idempotency {
    fn key(&self) -> String {
        let make = || match &self.token {
            Some(token) => token::idempotency_key(token),
            None => token::random_key(),
        };
        self.key.get_or_init(make).clone()
    }
}

/// Answers an ask by its key and request, or leaves it to the client.
pub(crate) type Answering = dyn Fn(&str, &InputRequest) -> Option<Answer> + Send + Sync;

/// What happens in a round.
#[derive(Default)]
pub(crate) struct RunState {
    /// The asks that the continuation waited on.
    pub(crate) pending: Vec<Option<Pending>>,
    /// Answers that came with the first call, for its first round only.
    pub(crate) early: Option<Answers>,
    /// How often each key was given out.
    pub(crate) asked: Vec<(u32, u32)>,
    /// The keys that authors chose in this round, each with the function that did.
    pub(crate) chosen: Vec<(String, &'static str)>,
    /// The asks of this round.
    pub(crate) put: Vec<(Pending, InputRequest)>,
    /// Encoded size of each variable that this round stored.
    pub(crate) sizes: Vec<(&'static str, usize)>,
    /// Why the call cannot go on.
    pub(crate) failure: Option<Error>,
}

impl Run {
    pub(crate) fn new(
        mode: Mode,
        client: Client,
        now: SystemTime,
        idempotency: Idempotency,
        answering: Option<Box<Answering>>,
        state: RunState,
    ) -> Self {
        Self {
            mode,
            client,
            now,
            idempotency,
            answering,
            state: Mutex::new(state),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn fail(&self, error: Error) {
        self.state().failure.get_or_insert(error);
    }
}

impl RunState {
    /// An ask that the continuation waited on, by its place; each is looked at by one frame.
    pub(crate) fn take_pending(&mut self, index: u32) -> Option<Pending> {
        self.pending.get_mut(index as usize).and_then(Option::take)
    }

    /// The author's key, which must be the only one of its name in a round.
    pub(crate) fn chosen_key(
        &mut self,
        base: &str,
        function: &'static str,
    ) -> Result<String, Error> {
        let chosen = self.chosen.iter().find(|(known, _)| known == base);
        let pending = || self.put.iter().any(|(ask, _)| ask.key == base);
        let first = match chosen {
            Some((_, first)) => first,
            None if pending() => "an ask that still waits",
            None => return Ok(self.unique_key(base)),
        };
        Err(Error::TwoOfOneKey {
            key: base.to_owned(),
            first,
            second: function,
        })
    }

    /// Notes that an ask with this key waits over the live wire.
    pub(crate) fn open(&mut self, key: &str, function: &'static str) -> Result<(), Error> {
        if let Some((_, first)) = self.chosen.iter().find(|(known, _)| known == key) {
            return Err(Error::TwoOfOneKey {
                key: key.to_owned(),
                first,
                second: function,
            });
        }
        self.chosen.push((key.to_owned(), function));
        Ok(())
    }

    /// The ask has its answer.
    pub(crate) fn close(&mut self, key: &str) {
        self.chosen.retain(|(known, _)| known != key);
    }

    /// A key for a question that is asked in place of the one with this key.
    pub(crate) fn next_key(&mut self, key: &str) -> String {
        let knows = |base: &str| {
            let hash = fnv1a(base.as_bytes());
            self.asked.iter().any(|(known, _)| *known == hash)
        };
        let numbered = key.rsplit_once('-').filter(|(base, number)| {
            number.bytes().all(|digit| digit.is_ascii_digit()) && knows(base)
        });
        let base = numbered.map_or(key, |(base, _)| base);
        if !knows(base) {
            self.asked.push((fnv1a(base.as_bytes()), 1));
        }
        self.unique_key(base)
    }

    /// A key that was not given out before: `base`, then `base-2`, `base-3`, … in order of asking.
    pub(crate) fn unique_key(&mut self, base: &str) -> String {
        let hash = fnv1a(base.as_bytes());
        let index = match self.asked.iter().position(|(known, _)| *known == hash) {
            Some(index) => index,
            None => {
                self.asked.push((hash, 0));
                self.asked.len() - 1
            }
        };
        loop {
            let count = match self.asked.get_mut(index) {
                Some((_, count)) => {
                    *count += 1;
                    *count
                }
                None => 1,
            };
            let key = match count {
                1 => base.to_owned(),
                count => format!("{base}-{count}"),
            };
            if self.put.iter().all(|(ask, _)| ask.key != key) {
                return key;
            }
        }
    }
}

impl Scope {
    pub(crate) fn new(run: Arc<Run>, resume: Option<Frame>) -> Arc<Self> {
        let slot = Slot {
            resume,
            ..Slot::default()
        };
        Arc::new(Self {
            run,
            slot: Mutex::new(slot),
        })
    }

    pub(crate) fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Arc::clone).ok()
    }
}

/// A small hash that is the same in every process and version.
fn fnv1a(bytes: &[u8]) -> u32 {
    let step = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    bytes.iter().fold(0x811c_9dc5, step)
}

/// A name that is the same whenever the code after an ask runs again from the same token: pass it
/// on to whatever must not be done twice.
///
/// A token can be presented twice, and then the tool goes on twice from that point; both runs see
/// the same key. `None` outside of a saga call.
pub fn idempotency_key() -> Option<String> {
    Scope::current().map(|scope| scope.run.idempotency.key())
}
