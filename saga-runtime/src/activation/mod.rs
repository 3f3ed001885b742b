//! A running saga function: what the code that `#[saga]` generates talks to.

mod asking;
mod entry;
mod handle;
pub(crate) mod join;
mod outcome;
mod restore;
pub(crate) mod suspension;
pub(crate) mod within;

use std::{
    future::{Future, pending, poll_fn},
    pin::pin,
    sync::Arc,
    task::Poll,
};

use rmcp::{Peer, RoleServer, service::RequestContext};

use crate::{
    activation::{entry::Entry, suspension::Suspension},
    ask::{answer::Answer, client::Client},
    engine::{
        continuation::{ArmState, Frame, Waiting},
        function::Function,
        named::{Expected, Named},
        scope::{CURRENT, Notice, Scope},
    },
    error::{Error, Reason},
    persist::{LOAD, RequestPart, types::Types},
};

pub use self::{
    asking::Asking,
    handle::{AsPeer, IsHandle, Nobody, cx, handle},
    outcome::{Answered, Asked, Called},
    within::TimeLimit,
};

/// One activation of a saga function.
#[derive(Debug)]
pub struct Activation {
    function: &'static Function,
    pub(crate) level: Level,
    /// The frame that this activation goes on from, and how much of it was read.
    resume: Option<(Frame, usize)>,
    /// The point to go on from: 0 at the beginning, `u32::MAX` where the frame does not fit.
    at: u32,
    /// The types that the function is generic in.
    generics: Types,
    /// These, and the types that were read from the frame so far.
    read: Types,
    /// What the frame's types must come to, until that is known to be so.
    expected: Option<u32>,
    /// Why the frame does not fit, where that is known.
    unfit: Option<String>,
    /// The callee's frame, until its call is made again.
    pub(crate) callee: Option<Callee>,
    /// The frame that is written where the function stops.
    suspension: Option<Suspension>,
    /// The answer that the function goes on with where it is.
    answered: Option<Answer>,
    /// Why it cannot go on from its frame, once that is known.
    stop: Option<Stop>,
    /// The request's handle, as the function was given it.
    request: Option<RequestHandles>,
}

/// The client's handle as a parameter of the function has it.
#[derive(Clone)]
struct RequestHandles {
    peer: Option<Peer<RoleServer>>,
    context: Option<Arc<RequestContext<RoleServer>>>,
}

impl std::fmt::Debug for RequestHandles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RequestHandles").finish_non_exhaustive()
    }
}

/// Who the frame's function waited for.
#[derive(Debug)]
pub(crate) enum Callee {
    /// One call.
    One(Frame),
    /// The arms of a join.
    Many(Vec<ArmState>),
}

/// Where this activation stands.
pub(crate) enum Level {
    /// No saga runs: asks go to the peer.
    Detached,
    /// The function of its scope.
    Entered(Arc<Scope>),
    /// Called by a saga function that does not know of it, so it cannot be suspended.
    Untracked(Arc<Scope>),
}

impl Level {
    /// The scope of the saga that runs, if one does.
    fn scope(&self) -> Option<&Arc<Scope>> {
        match self {
            Self::Detached => None,
            Self::Entered(scope) | Self::Untracked(scope) => Some(scope),
        }
    }
}

impl std::fmt::Debug for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Detached => "Detached",
            Self::Entered(_) => "Entered",
            Self::Untracked(_) => "Untracked",
        })
    }
}

/// Why a function cannot go on from its frame.
#[derive(Debug)]
pub enum Stop {
    /// The frame does not fit the function.
    Stale(String),
    /// An answer is missing; the ask was put again.
    AskedAgain,
    /// Nobody wants the call any more.
    Cancelled,
}

impl Stop {
    /// The frame waits at a point that the function does not have.
    pub(crate) fn no_such_point() -> Self {
        Self::Stale("its fingerprint differs".to_owned())
    }
}

impl Activation {
    /// Enters the function: takes the frame to go on from, where there is one. `here` is the path of its body.
    pub fn enter(function: &'static Function, here: &str) -> Self {
        let mut resume = None;
        let level = match Scope::current() {
            None => Level::Detached,
            Some(scope) => {
                let mut slot = scope.slot();
                let is_called = slot.expected.is_none_or(|called| called.is_body_of(here));
                if slot.entered || !is_called {
                    drop(slot);
                    Level::Untracked(scope)
                } else {
                    slot.entered = true;
                    resume = slot.resume.take();
                    drop(slot);
                    scope.run.notice(Notice::Entered(function));
                    Level::Entered(scope)
                }
            }
        };
        let entry = Entry::at(function, resume);
        Self {
            function,
            level,
            resume: entry.frame.map(|frame| (frame, 0)),
            at: entry.point,
            generics: Types::default(),
            read: Types::default(),
            expected: entry.types,
            unfit: entry.unfit,
            callee: None,
            suspension: None,
            answered: None,
            stop: None,
            request: None,
        }
    }

    /// The state to begin in: 0 at the beginning, else that in which the frame is read.
    pub fn state(&self) -> u32 {
        match self.at {
            0 => 0,
            point => LOAD | point.min(LOAD - 1),
        }
    }

    /// The function is generic in this type.
    pub fn generic_in<T: ?Sized>(&mut self) {
        self.generics = self.generics.and::<T>();
        self.read = self.generics;
    }

    /// Notes the request's handle, for variables that had it.
    pub fn request(&mut self, handle: &impl RequestPart) {
        let (peer, context) = (handle.peer(), handle.context().map(Arc::new));
        if let (Some(scope), Some(context)) = (self.level.scope(), &context) {
            // All functions of a call have the same.
            scope.run.request.get_or_init(|| Arc::clone(context));
        }
        self.request = Some(RequestHandles { peer, context });
    }

    pub(crate) fn request_peer(&self) -> Option<Peer<RoleServer>> {
        let given = self
            .request
            .as_ref()
            .and_then(|request| request.peer.clone());
        given.or_else(|| {
            let run = &self.level.scope()?.run;
            let of_call = || run.request.get().map(|context| context.peer.clone());
            run.client.peer().or_else(of_call)
        })
    }

    pub(crate) fn request_context(&self) -> Option<RequestContext<RoleServer>> {
        let given = self.request.as_ref();
        let given = given.and_then(|request| request.context.as_deref());
        let of_call = || {
            self.level
                .scope()?
                .run
                .request
                .get()
                .map(|of_call| &**of_call)
        };
        given.or_else(of_call).cloned()
    }

    /// Keeps the frame that is to be written.
    pub fn suspend(&mut self, suspension: Suspension) {
        self.suspension = Some(suspension);
    }

    /// The frame that is to be written.
    pub fn stopped(&mut self) -> Option<Suspension> {
        self.suspension.take()
    }

    /// Ends this call: a value cannot go on in this process.
    ///
    /// # Panics
    /// Where plain code called the function, which nobody but it could tell.
    #[allow(
        clippy::panic,
        reason = "the type's own serde is at fault, and no caller waits for an error"
    )]
    pub(crate) fn not_rehomed(&self, name: &str, detail: String) {
        let variable = name.to_owned();
        match self.level.scope() {
            Some(scope) => scope.run.fail(Error::Store { variable, detail }),
            None => panic!("{variable} in `{}`: {detail}", self.function.name),
        }
    }

    /// Ends this activation: what it awaits next is [`ended`].
    pub fn abandon(&self, stop: Stop) {
        if let (Stop::Stale(detail), Some(scope)) = (stop, self.level.scope()) {
            let detail = self.unfit.clone().unwrap_or(detail);
            let detail = format!("`{}` has changed since: {detail}", self.function.name);
            scope.run.fail(Error::token(Reason::Stale, detail));
        }
    }

    /// Ends this activation: a value cannot be made again from what came back.
    pub fn gone(&self) {
        self.abandon(Stop::Stale("a value is not there any more".to_owned()));
    }

    /// What comes next is another piece of the call.
    pub(crate) fn advance(&self) {
        if let Some(scope) = self.level.scope() {
            scope.branch().pass();
        }
    }

    /// A frame that waits for a `T`.
    pub(crate) fn suspension<T>(&self, scope: &Arc<Scope>, point: u32, on: Waiting) -> Suspension {
        let facts = self.function.point(point);
        let names = facts.map_or(&[][..], |point| point.stored);
        let frame = Frame {
            point: facts.map_or(u64::MAX, |point| point.fingerprint),
            types: 0,
            // Most variables are short.
            values: Vec::with_capacity(8 + 16 * names.len()),
            on,
        };
        Suspension::new::<T>(scope, frame, names, self.generics)
    }

    /// Checks that the frame was written by code with the same types; it waits for a `T`.
    pub(crate) fn typed<T>(&mut self) -> Result<(), Stop> {
        match self.expected.take() {
            Some(expected) if expected != self.read.and::<T>().folded() => Err(Stop::Stale(
                "the type of a variable, or of what is awaited, is another one".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// The scope of this function, where it can be suspended.
    fn entered(&self) -> Option<Arc<Scope>> {
        match &self.level {
            Level::Entered(scope) => Some(Arc::clone(scope)),
            Level::Detached | Level::Untracked(_) => None,
        }
    }

    /// Awaits another function that may suspend, one level down.
    pub async fn call<F: Future>(
        &mut self,
        point: u32,
        named: Named,
        callee: F,
    ) -> Called<F::Output> {
        self.call_limited(point, named, None, callee).await
    }

    async fn call_limited<F: Future>(
        &mut self,
        point: u32,
        named: Named,
        limit: Option<TimeLimit>,
        callee: F,
    ) -> Called<F::Output> {
        let Some(scope) = self.entered() else {
            return Called::Done(callee.await);
        };
        if let Err(stop) = self.typed::<F::Output>() {
            self.abandon(stop);
            return pending().await;
        }
        let frame = match self.callee.take() {
            None => None,
            Some(Callee::One(frame)) => Some(frame),
            Some(Callee::Many(_)) => {
                let stop = Stop::Stale("the frame waits on several calls".to_owned());
                self.abandon(stop);
                return pending().await;
            }
        };
        let level = scope.below(frame, Expected::of::<F>(named), limit);
        let mut callee = pin!(CURRENT.scope(Arc::clone(&level), callee));
        let mut over = false;
        // No value is in scope at an await here: it need not be `Send`, as it need not where no saga runs.
        poll_fn(|context| {
            if over {
                return Poll::Pending;
            }
            let Poll::Ready(value) = callee.as_mut().poll(context) else {
                return match level.slot().suspended.take() {
                    None => Poll::Pending,
                    Some(frame) => {
                        let on = Waiting::Call(Box::new(frame));
                        let suspension = self.suspension::<F::Output>(&scope, point, on);
                        Poll::Ready(Called::Suspend(suspension))
                    }
                };
            };
            if level.slot().resume.is_none() {
                return Poll::Ready(Called::Done(value));
            }
            // The token says that the callee asked, and it did not even look: it ran.
            over = true;
            scope.run.state().progress = true;
            let detail = format!("a call in `{}` no longer asks", self.function.name);
            scope.run.fail(Error::token(Reason::Stale, detail));
            Poll::Pending
        })
        .await
    }

    /// The client's facts: the request's, or what the peer knows where no saga runs.
    pub(crate) fn client(&self, peer: &impl AsPeer) -> Client {
        let running = self.level.scope().map(|scope| scope.run.client.clone());
        running.unwrap_or_else(|| peer.as_peer().map(Client::of_peer).unwrap_or_default())
    }
}
