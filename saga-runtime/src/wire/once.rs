//! Single use of a leg: taking it from the guard, and keeping what came of it.

use std::sync::Arc;

use rmcp::{ErrorData, model::InputRequiredResult};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    error::{Error, Reason},
    guard::{Consumed, Guard, Leg},
    token::{self, Binding, Domain, Times, settings::Settings},
    wire::Response,
};

/// A guard that this call goes by.
pub(crate) struct Once(Arc<dyn Guard>);

/// Whose a leg is.
pub(crate) enum Taken<T> {
    /// This request's.
    Here(Leased),
    /// Another's, which had this outcome.
    Kept(Result<T, ErrorData>),
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
            Some(guarded) => Ok(Some(Self(Arc::clone(&guarded.guard)))),
        }
    }

    /// Takes the leg, whose tokens are bound to `wire`.
    pub(crate) async fn take<T: Response>(
        self,
        leg: Leg,
        times: Times,
        settings: &Settings,
        wire: &Binding,
    ) -> Result<Taken<T>, Error> {
        let parts: &[&[u8]] = &[wire.bytes(), leg.call.as_bytes(), &leg.number.to_le_bytes()];
        let leased = Leased {
            guard: self.0,
            leg,
            times,
            settings: settings.clone(),
            binding: Binding::new(Domain::Outcome, parts),
        };
        let used = || Error::token(Reason::Used, "its leg was consumed before");
        match leased.guard.consume(&leg).await? {
            Consumed::First => Ok(Taken::Here(leased)),
            Consumed::Again => Err(used()),
            Consumed::Kept(kept) => leased.open(&kept).map(Taken::Kept).ok_or_else(used),
        }
    }
}

impl Leased {
    /// Keeps what came of the leg, where the guard does.
    pub(crate) async fn keep<T: Response>(&self, outcome: &Result<Result<T, ErrorData>, Error>) {
        if !self.guard.keeps() {
            return;
        }
        let Some(sealed) = self.seal(outcome) else {
            return;
        };
        if let Err(error) = self.guard.keep(&self.leg, sealed).await {
            tracing::warn!(call = %self.leg.call, leg = self.leg.number, %error, "the outcome of a leg was not kept");
        }
    }

    fn seal<T: Response>(&self, outcome: &Result<Result<T, ErrorData>, Error>) -> Option<Vec<u8>> {
        let outcome = match outcome {
            Ok(Ok(response)) => match response.parts()? {
                (value, false) => Outcome::Done(value),
                (value, true) => Outcome::Asked(value),
            },
            Ok(Err(error)) => Outcome::Error(error.clone()),
            Err(error) => Outcome::Error(error.clone().into()),
        };
        let json = serde_json::to_vec(&outcome).ok()?;
        let keys = self.settings.keys().ok()?;
        let sealed = token::seal(&keys, &self.binding, &json, self.times).ok()?;
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
            Outcome::Error(error) => Err(error),
        })
    }
}
