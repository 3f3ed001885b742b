//! Single use of a leg: taking it from the guard, and keeping what came of it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use rmcp::{ErrorData, model::InputRequiredResult};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    error::{Error, Reason},
    guard::{Consumed, Guard, Leg},
    identity::CallId,
    token::{self, Binding, Domain, Times, settings::Settings},
    wire::{Response, Served, call::Call, response::Parts, watched},
};

/// A guard that this call goes by.
pub(crate) struct Once {
    guard: Arc<dyn Guard>,
    settings: Settings,
}

/// Whose a leg is.
pub(crate) enum Taken<T> {
    /// Nobody's: it is not taken.
    Free,
    /// This request's.
    Here(Box<Leased>),
    /// Another's, which had this outcome.
    Kept(Result<T, ErrorData>),
}

impl<T> Taken<T> {
    /// What this request has of it; an error is the outcome that another request had.
    pub(crate) fn lease(self) -> Result<Option<Box<Leased>>, Result<T, ErrorData>> {
        match self {
            Self::Free => Ok(None),
            Self::Here(leased) => Ok(Some(leased)),
            Self::Kept(outcome) => Err(outcome),
        }
    }
}

/// A leg that is this request's.
pub(crate) struct Leased {
    guard: Arc<dyn Guard>,
    leg: Leg,
    /// Those of its token: the outcome is needed for no longer.
    times: Times,
    settings: Settings,
    binding: Binding,
}

/// An outcome as a guard keeps it.
#[derive(Serialize, Deserialize)]
enum Outcome {
    #[serde(rename = "d")]
    Done(Value),
    #[serde(rename = "a")]
    Asked(Value),
    #[serde(rename = "t")]
    Task(Value),
    #[serde(rename = "e")]
    Error(ErrorData),
}

impl Once {
    /// The guard of these settings, where the call is to have one.
    pub(crate) fn of(settings: &Settings, marked: bool) -> Result<Option<Self>, Error> {
        match &settings.config().guarded {
            None if marked => Err(Error::Unguarded),
            None => Ok(None),
            Some(guarded) if guarded.marked_only && !marked => Ok(None),
            Some(guarded) => Ok(Some(Self {
                guard: Arc::clone(&guarded.guard),
                settings: settings.clone(),
            })),
        }
    }

    /// Takes the beginning of a call that the client has named: repeated, it would have other tokens of the
    /// same legs.
    pub(crate) async fn begin<T: Response>(
        self,
        call: &Call,
        wire: &Binding,
    ) -> Result<Taken<T>, Error> {
        let Some(id) = call.id.filter(|_| call.is_named()) else {
            return Ok(Taken::Free);
        };
        let times = Times::new(self.settings.now(), self.settings.config().max_call_age);
        self.take(id, 0, times, wire).await
    }

    /// Takes a leg of `call`, whose token counts for these times and is bound to `wire`.
    pub(crate) async fn take<T: Response>(
        self,
        call: CallId,
        number: u32,
        times: Times,
        wire: &Binding,
    ) -> Result<Taken<T>, Error> {
        let leg = Leg {
            call,
            number,
            until: times.until(),
            now: self.settings.now(),
        };
        let parts: &[&[u8]] = &[wire.bytes(), leg.call.as_bytes(), &leg.number.to_le_bytes()];
        let leased = Box::new(Leased {
            guard: self.guard,
            leg,
            times,
            settings: self.settings,
            binding: Binding::new(Domain::Outcome, parts),
        });
        match leased.guard.consume(&leg).await? {
            Consumed::First => Ok(Taken::Here(leased)),
            Consumed::Again => Err(used()),
            Consumed::Kept(kept) => leased.open(&kept).map(Taken::Kept).ok_or_else(used),
        }
    }
}

/// Of a leg that has run.
pub(crate) fn used() -> Error {
    Error::token(Reason::Used, "its leg was consumed before")
}

impl Leased {
    /// Keeps what came of the leg, where the guard does.
    pub(crate) async fn keep<T: Response>(&self, outcome: &Served<T>) {
        if !self.guard.keeps() {
            return;
        }
        let Some(sealed) = self.seal(outcome) else {
            return;
        };
        let kept = async {
            let kept = self.guard.keep(&self.leg, sealed).await;
            kept.map_err(|error| Error::Guard(error).into())
        };
        // A panic in it does not cost the client its answer, either.
        if let Err(error) = watched::caught("keep", kept).await {
            tracing::warn!(call = %self.leg.call, leg = self.leg.number, %error, "the outcome of a leg was not kept");
        }
    }

    /// What becomes of it behind its outcome, where it is known whether anything of it ran.
    pub(crate) async fn settle<T: Response>(
        &self,
        went_on: Option<Arc<AtomicBool>>,
        outcome: &Served<T>,
    ) {
        let stale = |error: &Error| error.reason() == Some(Reason::Stale);
        let waits = went_on.is_some_and(|went_on| !went_on.load(Ordering::Relaxed));
        if waits && outcome.as_ref().is_err_and(stale) {
            // Another replica may still have the code that the token is of.
            self.release().await;
        } else {
            self.keep(outcome).await;
        }
    }

    /// Gives the leg back: nothing of it ran.
    pub(crate) async fn release(&self) {
        if let Err(error) = self.guard.release(&self.leg).await {
            tracing::warn!(call = %self.leg.call, leg = self.leg.number, %error, "a leg was not given back");
        }
    }

    fn seal<T: Response>(&self, outcome: &Served<T>) -> Option<Vec<u8>> {
        let outcome = match outcome {
            Ok(Ok(response)) => match response.parts()? {
                Parts::Done(value) => Outcome::Done(value),
                Parts::Asked(value) => Outcome::Asked(value),
                Parts::Task(value) => Outcome::Task(value),
            },
            Ok(Err(error)) => Outcome::Error(error.clone()),
            Err(error) => Outcome::Error(error.clone().into()),
        };
        let json = serde_json::to_vec(&outcome).ok()?;
        let keys = self.settings.keys().ok()?;
        let sealed = token::seal(&keys, &self.binding, json, self.times).ok()?;
        Some(sealed.into_bytes())
    }

    fn open<T: Response>(&self, kept: &[u8]) -> Option<Result<T, ErrorData>> {
        let text = std::str::from_utf8(kept).ok()?;
        let now = self.settings.now();
        let opened = token::open(&*self.settings.keys().ok()?, &self.binding, text, now).ok()?;
        Some(match serde_json::from_slice(&opened.body).ok()? {
            Outcome::Done(value) => Ok(T::complete(value)?),
            Outcome::Asked(value) => {
                let asked: InputRequiredResult = serde_json::from_value(value).ok()?;
                Ok(asked.into())
            }
            Outcome::Task(value) => Ok(T::task(serde_json::from_value(value).ok()?)?),
            Outcome::Error(error) => Err(error),
        })
    }
}
