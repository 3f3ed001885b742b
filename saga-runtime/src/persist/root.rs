//! Arguments of a call: they come with every request, and are made again from its JSON.
//!
//! `Deserialize` need not give the same twice (`#[serde(default = "Uuid::new_v4")]`). Where the type is
//! `Serialize`, too, that is seen when the call begins, and what it was then goes with the continuation.

use std::{fmt::Debug, sync::Arc};

use rmcp::{handler::server::wrapper::Parameters, model::JsonObject};
use serde::{Serialize, de::DeserializeOwned};
use serde_bytes::Bytes;
use serde_json::Value;

use crate::{
    activation::{Activation, suspension::Suspension},
    codec,
    persist::{self, forms::shown_unordered, in_scope::Witness},
    wire::{arguments, call::Call},
};

/// An argument: as it was extracted the first time, made again after that.
#[derive(Debug)]
pub struct Root<T> {
    extracted: Option<T>,
    arguments: Arc<JsonObject>,
    /// What it was, where it cannot be made again.
    stored: Option<Vec<u8>>,
    parse: fn(&JsonObject) -> Option<T>,
    decode: fn(&[u8]) -> Option<T>,
    /// It would be another one, and cannot be stored.
    unstable: bool,
}

impl<T> Root<T> {
    /// One that is always made again by `parse`.
    fn of(extracted: T, call: &Call, parse: fn(&JsonObject) -> Option<T>) -> Self {
        Self {
            extracted: Some(extracted),
            arguments: Arc::clone(&call.arguments),
            stored: None,
            parse,
            decode: |_| None,
            unstable: false,
        }
    }

    /// The argument by value.
    pub fn take(&mut self) -> Option<T> {
        self.extracted.take().or_else(|| match &self.stored {
            Some(stored) => (self.decode)(stored),
            None if self.unstable => None,
            None => (self.parse)(&self.arguments),
        })
    }

    /// Looks in the frame for what it was when the call began.
    pub fn resume(&mut self, activation: &mut Activation) {
        if let Some(stored) = activation.argument() {
            self.extracted = self.extracted.take().filter(|_| stored.is_none());
            self.stored = stored;
        }
    }

    /// Puts in the frame what cannot be made again.
    pub fn save(&self, suspension: &mut Suspension) {
        if self.unstable {
            suspension.unstable_argument();
        }
        suspension.store_argument(self.stored.as_deref().map(Bytes::new));
    }
}

fn parse<T: DeserializeOwned>(arguments: &JsonObject) -> Option<Parameters<T>> {
    arguments::read(arguments).ok().map(Parameters)
}

/// Found first: arguments that can be compared with what is made again of them.
pub trait RootChecked<T> {
    /// An argument of `call`.
    fn saga_root(&self, extracted: Parameters<T>, call: &Call) -> Root<Parameters<T>>;
}

impl<T: Serialize + DeserializeOwned> RootChecked<T> for &&Witness<Parameters<T>> {
    fn saga_root(&self, extracted: Parameters<T>, call: &Call) -> Root<Parameters<T>> {
        let arguments = &call.arguments;
        // Most arguments are what the client sent, and nothing more.
        let whole = || {
            let sent = serde_json::to_value(&extracted.0);
            matches!(&sent, Ok(Value::Object(sent)) if *sent == **arguments)
        };
        let stored = match call.is_first() && !whole() {
            true => differing(&extracted.0, arguments),
            false => None,
        };
        Root {
            stored,
            decode: |stored| codec::decode(stored).ok().map(Parameters),
            ..Root::of(extracted, call, parse::<T>)
        }
    }
}

/// What the argument is, encoded, where it would be another one if it were made again.
fn differing<T: Serialize + DeserializeOwned>(
    extracted: &T,
    arguments: &JsonObject,
) -> Option<Vec<u8>> {
    let Parameters(again) = parse::<T>(arguments)?;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    codec::encode(extracted, &mut before).ok()?;
    codec::encode(&again, &mut after).ok()?;
    persist::differ(&before, &after).then_some(before)
}

/// Found next: arguments that cannot be stored, but whose text shows whether they would be others.
pub trait RootShown<T> {
    /// An argument of `call`.
    fn saga_root(&self, extracted: Parameters<T>, call: &Call) -> Root<Parameters<T>>;
}

impl<T: Debug + DeserializeOwned> RootShown<T> for &Witness<Parameters<T>> {
    fn saga_root(&self, extracted: Parameters<T>, call: &Call) -> Root<Parameters<T>> {
        let again = call
            .is_first()
            .then(|| parse::<T>(&call.arguments))
            .flatten();
        let unstable =
            again.is_some_and(|again| shown_unordered(&again.0) != shown_unordered(&extracted.0));
        Root {
            unstable,
            ..Root::of(extracted, call, parse::<T>)
        }
    }
}

/// Found for what is only `Deserialize`.
pub trait RootUnchecked<T> {
    /// An argument of `call`.
    fn saga_root(&self, extracted: T, call: &Call) -> Root<T>;
}

impl<T: DeserializeOwned> RootUnchecked<Parameters<T>> for Witness<Parameters<T>> {
    fn saga_root(&self, extracted: Parameters<T>, call: &Call) -> Root<Parameters<T>> {
        Root::of(extracted, call, parse::<T>)
    }
}

impl RootUnchecked<JsonObject> for Witness<JsonObject> {
    fn saga_root(&self, extracted: JsonObject, call: &Call) -> Root<JsonObject> {
        Root::of(extracted, call, |arguments| Some(arguments.clone()))
    }
}
