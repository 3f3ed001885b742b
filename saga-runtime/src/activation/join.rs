//! Several futures that are awaited together and suspend together: `join!`, `try_join!`, `join_all`.

use std::{
    future::{Future, pending, poll_fn},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use crate::{
    activation::{Activation, Answered, AsPeer, Called, Callee, Stop},
    ask::Ask,
    engine::{
        answers::Answers,
        continuation::{ArmState, Frame, Waiting},
        function::Function,
        named::{Expected, Named, here},
        scope::{CURRENT, RunState, Scope},
    },
    error::{Error, Reason},
    persist::{
        arms::{Check, HasValue},
        stored::Stored,
    },
};

mod tried;

pub use tried::{TryArm, all_taken, all_tried, taken_error, taken_value, tried_error, tried_value};

/// One of the futures.
pub struct Arm<F: Future> {
    /// None of what is done: it was made in an earlier round.
    future: Option<Pin<Box<F>>>,
    expected: Expected,
    check: Option<Check<F::Output>>,
    level: Option<Arc<Scope>>,
    done: Option<F::Output>,
    stopped: Option<Frame>,
}

impl<F: Future> std::fmt::Debug for Arm<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Arm")
            .field("done", &self.done.is_some())
            .field("stopped", &self.stopped)
            .finish_non_exhaustive()
    }
}

/// How far an arm is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It has its value.
    Done,
    /// It has an error, and no other arm is waited for.
    Failed,
    /// It waits for the client.
    Stopped,
    /// It waits for something else.
    Pending,
}

/// What [`Activation::join`] needs of an arm, whatever its type.
#[doc(hidden)]
#[allow(private_interfaces, reason = "only the runtime calls it")]
pub trait AnyArm {
    fn begin(&mut self, scope: &Scope, index: u32, state: Option<ArmState>) -> Result<(), Stop>;
    fn poll(&mut self, context: &mut Context<'_>) -> Progress;
    fn save(&mut self) -> Result<ArmState, String>;
    fn stopped(&self) -> Option<&Frame>;
}

/// The arms of one suspension point.
pub trait Arms {
    /// Their values.
    type Output;
    #[doc(hidden)]
    fn for_each(&mut self, visit: &mut dyn FnMut(&mut dyn AnyArm));
    #[doc(hidden)]
    fn output(self) -> Option<Self::Output>;
}

impl<F: Future> Arm<F> {
    /// An arm that awaits `future`, of what is `named`.
    pub fn new(named: Named, future: F) -> Self {
        Self {
            future: Some(Box::pin(future)),
            expected: Expected::of::<F>(named),
            ..Self::over()
        }
    }

    /// An arm that has its value: what gives the future is not called again.
    pub fn over() -> Self {
        Self {
            future: None,
            expected: Expected::of::<F>(Named::Other),
            check: None,
            level: None,
            done: None,
            stopped: None,
        }
    }

    fn poll_future(&mut self, context: &mut Context<'_>) -> Poll<F::Output> {
        match &mut self.future {
            Some(future) => future.as_mut().poll(context),
            None => Poll::Pending,
        }
    }

    /// Goes on from its frame, or begins.
    fn enter(&mut self, scope: &Scope, index: u32, (passed, frame): (u32, Option<Frame>)) {
        let branch = Arc::new(scope.branch().arm(index, passed));
        let run = Arc::clone(&scope.run);
        self.level = Some(Scope::new(
            run,
            Some(branch),
            scope.limit,
            frame,
            Some(self.expected),
        ));
    }

    fn go_on(&mut self, context: &mut Context<'_>) -> Progress {
        if self.done.is_some() {
            return Progress::Done;
        }
        if self.stopped.is_some() {
            return Progress::Stopped;
        }
        let polled = match self.level.clone() {
            Some(level) => CURRENT.sync_scope(level, || self.poll_future(context)),
            None => self.poll_future(context),
        };
        match polled {
            Poll::Ready(value) => {
                self.done = Some(value);
                if let Some(level) = &self.level
                    && level.slot().resume.is_some()
                {
                    let error = Error::token(Reason::Stale, "an arm of a join no longer asks");
                    level.run.state().progress = true;
                    level.run.fail(error);
                    return Progress::Pending;
                }
                Progress::Done
            }
            Poll::Pending => {
                let suspended = self
                    .level
                    .as_ref()
                    .map(|level| level.slot().suspended.take());
                self.stopped = suspended.flatten();
                match self.stopped {
                    Some(_) => Progress::Stopped,
                    None => Progress::Pending,
                }
            }
        }
    }

    /// Its state, where it waits for the client.
    fn waits(&mut self) -> Option<ArmState> {
        let frame = self.stopped.take()?;
        let branch = self.level.as_ref().map(|level| level.branch().passed());
        Some(ArmState::Waits(branch.unwrap_or(0), Box::new(frame)))
    }
}

/// What of an arm's state is its value, and where it goes on otherwise.
fn read<T: Stored>(state: Option<ArmState>) -> Result<Result<T, (u32, Option<Frame>)>, Stop> {
    match state {
        Some(ArmState::Done(bytes)) => {
            let value = T::decode(&mut bytes.as_slice()).map_err(Stop::Stale)?;
            Ok(Ok(value))
        }
        Some(ArmState::Waits(passed, frame)) => Ok(Err((passed, Some(*frame)))),
        None => Ok(Err((0, None))),
    }
}

/// The state of an arm that is done.
fn written<T: Stored>(value: Option<&T>, check: Option<Check<T>>) -> Result<ArmState, String> {
    let mut bytes = Vec::new();
    if let Some(value) = value {
        value.encode(&mut bytes)?;
        check.map_or(Ok(()), |check| check(value, &bytes))?;
    }
    Ok(ArmState::Done(bytes))
}

impl<F: Future> HasValue for Arm<F> {
    type Value = F::Output;

    fn check_by(&mut self, check: Check<F::Output>) {
        self.check = Some(check);
    }
}

#[allow(private_interfaces, reason = "only the runtime calls it")]
impl<F: Future<Output: Stored>> AnyArm for Arm<F> {
    fn begin(&mut self, scope: &Scope, index: u32, state: Option<ArmState>) -> Result<(), Stop> {
        let going_on = match read(state)? {
            Ok(value) => {
                self.done = Some(value);
                (0, None)
            }
            Err(going_on) => going_on,
        };
        self.enter(scope, index, going_on);
        Ok(())
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Progress {
        self.go_on(context)
    }

    fn save(&mut self) -> Result<ArmState, String> {
        match self.waits() {
            Some(state) => Ok(state),
            None => written(self.done.as_ref(), self.check),
        }
    }

    fn stopped(&self) -> Option<&Frame> {
        self.stopped.as_ref()
    }
}

/// What an arm gives to the code after it.
#[doc(hidden)]
pub trait Gives {
    type Output;
    fn give(self) -> Option<Self::Output>;
}

impl<F: Future> Gives for Arm<F> {
    type Output = F::Output;

    fn give(self) -> Option<F::Output> {
        self.done
    }
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => {
        $(impl<$($name: AnyArm + Gives),*> Arms for ($($name,)*) {
            type Output = ($($name::Output,)*);

            #[allow(non_snake_case, reason = "named after their types")]
            fn for_each(&mut self, visit: &mut dyn FnMut(&mut dyn AnyArm)) {
                let ($($name,)*) = self;
                $(visit($name);)*
            }

            #[allow(non_snake_case, reason = "named after their types")]
            fn output(self) -> Option<Self::Output> {
                let ($($name,)*) = self;
                Some(($($name.give()?,)*))
            }
        })*
    };
}

tuples! {
    (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H)
    (A B C D E F G H I) (A B C D E F G H I J) (A B C D E F G H I J K) (A B C D E F G H I J K L)
    (A B C D E F G H I J K L M) (A B C D E F G H I J K L M N) (A B C D E F G H I J K L M N O) (A B C D E F G H I J K L M N O P)
}

impl<A: AnyArm + Gives> Arms for Vec<A> {
    type Output = Vec<A::Output>;

    fn for_each(&mut self, visit: &mut dyn FnMut(&mut dyn AnyArm)) {
        self.iter_mut().for_each(|arm| visit(arm));
    }

    fn output(self) -> Option<Self::Output> {
        self.into_iter().map(Gives::give).collect()
    }
}

/// An arm that is one ask: a function of a single point.
pub async fn ask_arm<K: Ask>(
    function: &'static Function,
    peer: &(impl AsPeer + ?Sized),
    ask: K,
) -> Answered<K> {
    let mut activation = Activation::enter(function, here(&|| ()));
    if activation.point() == 0 {
        let asked = activation.ask(1, peer, ask).await;
        activation.asked(asked);
    }
    match (activation.stopped(), activation.point()) {
        (Some(suspension), _) => suspension.stop(),
        (None, 0 | 1) => match activation.answer() {
            Ok(answer) => return answer,
            Err(stop) => activation.abandon(stop),
        },
        _ => activation.abandon(Stop::no_such_point()),
    }
    pending().await
}

impl Activation {
    /// Whether this arm of the join at which the frame waits has its value.
    pub fn is_over(&self, index: usize) -> bool {
        match &self.callee {
            Some(Callee::Many(states)) => matches!(states.get(index), Some(ArmState::Done(_))),
            _ => false,
        }
    }

    /// Awaits all `arms`. Where every one that is not done waits for the client, so does this call:
    /// each round carries the question of every arm.
    pub async fn join<A: Arms>(&mut self, point: u32, mut arms: A) -> Called<A::Output> {
        let scope = self.entered();
        let mut early = None;
        if let Some(scope) = &scope {
            let begun = self.typed::<A::Output>();
            let begun = begun.and_then(|()| begin(&mut arms, scope, self.callee.take()));
            if let Err(stop) = begun {
                self.abandon(stop);
                return pending().await;
            }
            early = scope.run.state().early.take();
        }
        let mut early = Early::new(early);
        let done = poll_fn(|context| poll(&mut arms, scope.as_deref(), &mut early, context));
        let done = done.await;
        let Some(scope) = scope.filter(|_| !done) else {
            self.advance();
            return match arms.output() {
                Some(output) => Called::Done(output),
                None => pending().await,
            };
        };
        let mut states = Ok(Vec::new());
        arms.for_each(&mut |arm| {
            if let Ok(saved) = &mut states {
                match arm.save() {
                    Ok(state) => saved.push(state),
                    Err(detail) => states = Err(detail),
                }
            }
        });
        match states {
            Ok(states) => {
                let on = Waiting::Join(states);
                Called::Suspend(self.suspension::<A::Output>(&scope, point, on))
            }
            Err(detail) => {
                let variable = "the value of an arm".to_owned();
                scope.run.fail(Error::Store { variable, detail });
                pending().await
            }
        }
    }
}

/// Gives each arm its state from the frame.
fn begin(arms: &mut impl Arms, scope: &Scope, callee: Option<Callee>) -> Result<(), Stop> {
    let resumed = callee.is_some();
    let mut states = match callee {
        None => Vec::new().into_iter(),
        Some(Callee::Many(states)) => states.into_iter(),
        Some(Callee::One(_)) => {
            return Err(Stop::Stale("the frame waits on one call".to_owned()));
        }
    };
    let mut result = Ok(());
    let mut index = 0;
    arms.for_each(&mut |arm| {
        let state = states.next();
        if resumed && state.is_none() {
            result = Err(Stop::Stale("a join has more arms".to_owned()));
        }
        if result.is_ok() {
            result = arm.begin(scope, index, state);
        }
        index += 1;
    });
    if states.next().is_some() {
        return Err(Stop::Stale("a join has fewer arms".to_owned()));
    }
    result
}

/// What came with the call: it counts for the first ask of each arm, which may come after other work.
struct Early {
    all: Option<Answers>,
    left: Vec<Option<Answers>>,
}

impl Early {
    fn new(all: Option<Answers>) -> Self {
        let left = Vec::new();
        Self { all, left }
    }

    /// What is left of it for an arm.
    fn take(&mut self, arm: usize) -> Option<Answers> {
        if self.left.len() <= arm {
            self.left.resize(arm + 1, self.all.clone());
        }
        self.left.get_mut(arm).and_then(Option::take)
    }

    fn give_back(&mut self, arm: usize, left: Option<Answers>) {
        if let Some(place) = self.left.get_mut(arm) {
            *place = left;
        }
    }
}

/// Ready with whether all is done; with `false` where the rest waits for the client.
fn poll(
    arms: &mut impl Arms,
    scope: Option<&Scope>,
    early: &mut Early,
    context: &mut Context<'_>,
) -> Poll<bool> {
    let (mut pending, mut stopped, mut failed) = (false, false, false);
    let mut ended = false;
    let mut index = 0;
    arms.for_each(&mut |arm| {
        // Where one cannot go on, the call has ended: nothing more of the others runs.
        if failed || ended {
            return;
        }
        let giving = scope.filter(|_| early.all.is_some());
        if let Some(scope) = giving {
            scope.run.state().early = early.take(index);
        }
        match arm.poll(context) {
            Progress::Done => {}
            Progress::Failed => failed = true,
            Progress::Stopped => stopped = true,
            Progress::Pending => pending = true,
        }
        if let Some(scope) = giving {
            let left = scope.run.state().early.take();
            early.give_back(index, left);
        }
        ended = scope.is_some_and(|scope| scope.run.state().failure.is_some());
        index += 1;
    });
    if let Some(scope) = scope.filter(|_| failed) {
        let mut state = scope.run.state();
        arms.for_each(&mut |arm| withdraw(arm.stopped(), &mut state));
    }
    match (failed, pending || ended) {
        (true, _) => Poll::Ready(true),
        (false, true) => Poll::Pending,
        (false, false) => Poll::Ready(!stopped),
    }
}

/// Takes back the asks of an arm that is not waited for any more.
fn withdraw(frame: Option<&Frame>, state: &mut RunState) {
    match frame.map(|frame| &frame.on) {
        None => {}
        Some(Waiting::Ask(index)) => state.withdraw(*index as usize),
        Some(Waiting::Call(frame)) => withdraw(Some(frame), state),
        Some(Waiting::Join(arms)) => {
            for arm in arms {
                if let ArmState::Waits(_, frame) = arm {
                    withdraw(Some(frame), state);
                }
            }
        }
    }
}

/// The values of asks that were joined.
pub fn outputs<K: Ask>(records: &[Answered<K>]) -> Vec<K::Output> {
    records.iter().map(Answered::saga_output).collect()
}
