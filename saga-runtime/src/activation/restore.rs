//! Reads the frame that an activation goes on from.

use serde::{Deserialize, de::DeserializeOwned};

use super::{
    Activation, Answered, Callee, Level, Stop,
    asking::{hear_cancellation, index_of},
    suspension::NONE,
};

use crate::{
    ask::{Ask, Judged, answer::Answer, client::Need},
    codec::{self, ReadError, Source},
    engine::{
        continuation::{Frame, Pending, Waiting},
        scope::RunState,
    },
    persist::{Arena, LOAD},
};

impl Activation {
    /// The point to go on from: 0 at the beginning, `u32::MAX` where the frame is another function's.
    pub fn point(&self) -> u32 {
        self.at
    }

    /// The frame's next variable has this type.
    pub(crate) fn reads<T>(&mut self) {
        self.read = self.read.and::<T>();
    }

    /// Passes over a value that is not there.
    pub fn pass_none(&mut self) {
        self.loading(Self::pass::<()>);
    }

    /// A part of what is read from the frame. Nothing more is read once there is a reason to stop.
    pub(crate) fn loading(&mut self, load: impl FnOnce(&mut Self) -> Result<(), Stop>) {
        if self.stop.is_none() {
            self.stop = load(self).err();
        }
    }

    /// Whether there was a reason to stop; then the activation is at its end.
    pub fn cannot_go_on(&mut self) -> bool {
        match self.stop.take() {
            Some(stop) => {
                self.abandon(stop);
                true
            }
            None => false,
        }
    }

    /// Reads the frame of a call.
    pub fn load_call(&mut self) {
        self.loading(Self::restored_call);
    }

    /// The frame waits at a point that is not there.
    pub fn load_nothing(&mut self) {
        self.loading(|_| Err(Stop::no_such_point()));
    }

    /// The next live variable of the frame.
    pub(crate) fn read_owned<T: DeserializeOwned>(&mut self) -> Result<T, Stop> {
        self.read(|input| codec::decode_next(input))
    }

    /// What an argument was when the call began, where it would be another one now.
    pub(crate) fn argument(&mut self) -> Option<Option<Vec<u8>>> {
        if !matches!(self.at, 1..LOAD) {
            return None;
        }
        if let Some((frame, read @ 0)) = &mut self.resume
            && frame.values.starts_with(&NONE)
        {
            *read = NONE.len();
            return Some(None);
        }
        let argument: Result<Option<serde_bytes::ByteBuf>, Stop> = self.read_owned();
        // What does not decode is found by the variables behind it.
        let argument = argument.ok()?;
        Some(argument.map(serde_bytes::ByteBuf::into_vec))
    }

    /// Passes over the next live variable of the frame.
    pub(crate) fn pass<T: DeserializeOwned>(&mut self) -> Result<(), Stop> {
        self.read_owned::<T>().map(drop)
    }

    /// The same, borrowing from the arena where it borrows.
    pub(crate) fn read_lent<'s, T: Deserialize<'s>>(
        &mut self,
        arena: &'s Arena<'s>,
    ) -> Result<T, Stop> {
        let Some((frame, read)) = &mut self.resume else {
            return Err(Stop::Stale("there is no frame".to_owned()));
        };
        let mut input = arena.frame(&frame.values).get(*read..).unwrap_or_default();
        let before = input.len();
        let value = codec::decode_next(&mut input).map_err(Stop::Stale)?;
        *read += before - input.len();
        Ok(value)
    }

    /// The next live variable, in the form of a module of the author's choice.
    ///
    /// # Errors
    /// [`Stop::Stale`] where it does not decode.
    pub fn restore_with<T>(
        &mut self,
        read: impl FnOnce(Source<'_, '_>) -> Result<T, ReadError>,
    ) -> Result<T, Stop> {
        self.read(|input| codec::decode_with(input, read))
    }

    pub(crate) fn read<T>(
        &mut self,
        decode: impl FnOnce(&mut &[u8]) -> Result<T, codec::Failure>,
    ) -> Result<T, Stop> {
        let Some((frame, read)) = &mut self.resume else {
            return Err(Stop::Stale("there is no frame".to_owned()));
        };
        let mut input = frame.values.get(*read..).unwrap_or_default();
        let before = input.len();
        let value = decode(&mut input).map_err(Stop::Stale)?;
        *read += before - input.len();
        Ok(value)
    }

    /// Checks that the whole frame was read and makes its callee's frame ready.
    ///
    /// # Errors
    /// [`Stop::Stale`] where the frame is not that of a call.
    fn restored_call(&mut self) -> Result<(), Stop> {
        match self.finish()?.on {
            Waiting::Call(frame) => {
                self.callee = Some(Callee::One(*frame));
                Ok(())
            }
            Waiting::Join(arms) => {
                self.callee = Some(Callee::Many(arms));
                Ok(())
            }
            Waiting::Ask(_) => Err(Stop::Stale("the frame waits on an ask".to_owned())),
        }
    }

    /// The answer that the frame waits for, or that came to the ask where it was put.
    ///
    /// # Errors
    /// [`Stop::Stale`] where the frame is not that of an ask; [`Stop::AskedAgain`] where the answer
    /// is missing or of another kind.
    pub fn answer<K: Ask>(&mut self) -> Result<Answered<K>, Stop> {
        if let Some(answer) = self.answered.take() {
            return Ok(Answered::new(answer));
        }
        let mut frame = self.finish()?;
        self.typed::<K>()?;
        let (Waiting::Ask(index), Level::Entered(scope)) = (&frame.on, &self.level) else {
            return Err(Stop::Stale("the frame waits on a call".to_owned()));
        };
        let run = &scope.run;
        let mut state = run.state();
        let Some(mut ask) = state.take_pending(*index) else {
            return Err(Stop::Stale(
                "the frame's ask is not in the token".to_owned(),
            ));
        };
        let answer = ask.answer.take();
        let mut is_same = true;
        if matches!(answer, Some(Answer::Cancelled(_))) && run.hooks.is_cancelled() {
            drop(state);
            if !hear_cancellation::<K>(scope) {
                return Err(Stop::Cancelled);
            }
            state = run.state();
        }
        let outcome = match ask.deadline {
            _ if ask.need == Need::Pause => {
                let passed = ask.is_over(run.now).then_some(Answer::Passed);
                answer.or(passed)
            }
            Some((_, timeout)) if answer.is_none() && ask.is_over(run.now) => {
                Some(Answer::Timeout(timeout))
            }
            // What this request's client does not declare, it is not asked, and its answer is none.
            _ if !run.client.declares(ask.need) => Some(K::undeclared(ask.need, &run.client)),
            _ => self.outcome::<K>(&mut state, &mut ask, answer, &mut is_same)?,
        };
        if let Some(outcome) = outcome {
            state.progress = true;
            state.at = Some((self.function.name, self.at));
            scope.settles();
            return Ok(Answered::new(outcome));
        }
        let request = match ask.need {
            Need::Pause => None,
            _ => {
                let memo = codec::decode(&ask.memo).map_err(Stop::Stale)?;
                let request = K::request(memo, &run.client);
                Some(request.map_err(|error| Stop::Stale(error.message.to_string()))?)
            }
        };
        if is_same && ask.need != Need::Pause {
            state.again.push(ask.key.clone());
        }
        frame.on = Waiting::Ask(index_of(&state.put));
        state.puts(ask, request);
        state.stands.get_or_insert((self.function.name, self.at));
        drop(state);
        scope.slot().suspended = Some(frame);
        Err(Stop::AskedAgain)
    }

    /// What the answer settles; nothing where the question is to be put again, or another in its place.
    fn outcome<K: Ask>(
        &self,
        state: &mut RunState,
        ask: &mut Pending,
        answer: Option<Answer>,
        is_same: &mut bool,
    ) -> Result<Option<Answer>, Stop> {
        let result = match answer {
            Some(Answer::Result(result)) if ask.need.accepts(&result) => result,
            None | Some(Answer::Result(_)) => return Ok(None),
            Some(answer) => return Ok(Some(answer)),
        };
        let memo = match judged::<K>(ask, result)? {
            Judged::Settled(result) => return Ok(Some(Answer::Result(result))),
            Judged::Again(memo) => memo,
        };
        // Another question, so that an answer to the first is none to it.
        ask.key = state.next_key(&ask.key);
        if let Some(scope) = self.level.scope() {
            scope.puts(&ask.key);
        }
        ask.memo = memo;
        *is_same = false;
        state.progress = true;
        Ok(None)
    }

    /// Takes the frame and checks that all of it was read.
    fn finish(&mut self) -> Result<Frame, Stop> {
        match self.resume.take() {
            Some((frame, read)) if read == frame.values.len() => Ok(frame),
            Some(_) => Err(Stop::Stale("the frame has more values".to_owned())),
            None => Err(Stop::Stale("there is no frame".to_owned())),
        }
    }
}

/// What becomes of a result; where another question is to be put in the place of this one, its run-time part, encoded.
fn judged<K: Ask>(ask: &Pending, result: serde_json::Value) -> Result<Judged<Vec<u8>>, Stop> {
    if !K::CHECKS {
        return Ok(Judged::Settled(result));
    }
    let memo = codec::decode(&ask.memo).map_err(Stop::Stale)?;
    let memo = match K::judge(memo, result) {
        Judged::Settled(result) => return Ok(Judged::Settled(result)),
        Judged::Again(memo) => memo,
    };
    let mut encoded = Vec::new();
    codec::encode(&memo, &mut encoded).map_err(Stop::Stale)?;
    Ok(Judged::Again(encoded))
}
