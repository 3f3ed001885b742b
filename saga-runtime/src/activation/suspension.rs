//! A frame being written: what a function stores where it stops.

use std::{convert::Infallible, future::pending, sync::Arc};

use serde::Serialize;

use crate::{
    codec::{self, Sink, WriteError},
    engine::{continuation::Frame, scope::Scope},
    error::Error,
    persist::{stored::Stored, types::Types},
};

/// MessagePack's nil: each variable of a point has a value in its frames, so that they can be told apart by place.
pub(super) const NONE: [u8; 1] = [0xc0];

/// A frame being written.
pub struct Suspension {
    scope: Arc<Scope>,
    frame: Frame,
    names: &'static [&'static str],
    failure: Option<Error>,
    /// Those of the variables, and then that of what is waited for.
    types: Types,
    awaited: fn(Types) -> Types,
}

impl std::fmt::Debug for Suspension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.frame.fmt(f)
    }
}

impl Suspension {
    /// A frame without variables yet that waits for a `T`; `names` are those that it will have.
    pub(crate) fn new<T>(
        scope: &Arc<Scope>,
        frame: Frame,
        names: &'static [&'static str],
        generics: Types,
    ) -> Self {
        Self {
            scope: Arc::clone(scope),
            frame,
            names,
            failure: None,
            types: generics,
            awaited: Types::and::<T>,
        }
    }

    /// The next live variable has this type.
    pub(crate) fn writes<T>(&mut self) {
        self.types = self.types.and::<T>();
    }

    /// A value that is not there.
    pub fn none(&mut self) {
        self.frame.values.extend(NONE);
    }

    /// What stands before the next live variable.
    pub(crate) fn precede(&mut self, marker: u8) {
        self.frame.values.push(marker);
    }

    /// Stores the next live variable; `check` looks at what was written of it.
    pub(crate) fn store<T: Serialize>(
        &mut self,
        value: &T,
        check: impl FnOnce(&[u8]) -> Result<(), codec::Failure>,
    ) {
        self.write(|out| codec::encode(value, out), check);
    }

    /// The same of a type that a function is generic in.
    pub(crate) fn store_stored<T: Stored>(&mut self, value: &T) {
        self.write(
            |out| value.encode(out),
            |mut written| {
                let value = T::decode(&mut written)
                    .map_err(|detail| format!("it cannot be read back: {detail}"))?;
                let mut again = Vec::new();
                value.encode(&mut again)
            },
        );
    }

    /// A value that can be neither stored nor evaluated again: it was picked out of an answer.
    pub(crate) fn unstable(&mut self) {
        let detail = "its `Deserialize` gives another value each time (a random or counted default), and it cannot be stored: derive `serde::Serialize` for its type".to_owned();
        let variable = "what was picked out of an answer".to_owned();
        self.failure
            .get_or_insert(Error::Store { variable, detail });
    }

    /// An argument that can be neither stored nor made again.
    pub(crate) fn unstable_argument(&mut self) {
        let detail = "their `Deserialize` gives another value each time (a random or counted default), and they cannot be stored: derive `serde::Serialize` for their type".to_owned();
        let variable = "the arguments".to_owned();
        self.failure
            .get_or_insert(Error::Store { variable, detail });
    }

    /// Stores what an argument was when the call began, before all variables.
    pub(crate) fn store_argument(&mut self, value: Option<&serde_bytes::Bytes>) {
        let Some(value) = value else {
            // The one byte that says so is nobody's.
            return self.none();
        };
        let names = self.aside(&["the arguments"]);
        self.store(&value, |_| Ok(()));
        self.names = names;
    }

    /// Goes by other names; gives back those that were next.
    pub(crate) fn aside(&mut self, names: &'static [&'static str]) -> &'static [&'static str] {
        std::mem::replace(&mut self.names, names)
    }

    /// Passes over the next live variable: it comes back by another way.
    pub(crate) fn skip(&mut self) {
        self.none();
        self.names = self.names.split_first().map_or(&[], |(_, rest)| rest);
    }

    /// The next live variable has no value, which no function does.
    pub(crate) fn missing(&mut self) {
        self.write(|_| Err("it has no value".to_owned()), |_| Ok(()));
    }

    /// The same, in the form of a module of the author's choice.
    pub fn store_with<T>(
        &mut self,
        value: &T,
        write: impl FnOnce(&T, Sink<'_, '_>) -> Result<(), WriteError>,
    ) {
        self.write(
            |out| codec::encode_with(out, |sink| write(value, sink)),
            |_| Ok(()),
        );
    }

    /// The same of what `encode` writes.
    pub(crate) fn write(
        &mut self,
        encode: impl FnOnce(&mut Vec<u8>) -> Result<(), codec::Failure>,
        check: impl FnOnce(&[u8]) -> Result<(), codec::Failure>,
    ) {
        let start = self.frame.values.len();
        let (name, rest) = self.names.split_first().unwrap_or((&"a value", &[]));
        self.names = rest;
        let result = encode(&mut self.frame.values);
        let written = self.frame.values.get(start..).unwrap_or_default();
        let result = result.and_then(|()| check(written));
        let bytes = written.len();
        if let Err(detail) = result {
            let variable = (*name).to_owned();
            self.failure
                .get_or_insert(Error::Store { variable, detail });
        }
        let sizes = &mut self.scope.run.state().sizes;
        // All at once, and not in steps.
        sizes.reserve(1 + rest.len());
        sizes.push((name, bytes));
    }

    /// Hands the frame over and ends this activation.
    pub fn stop(mut self) {
        self.frame.types = (self.awaited)(self.types).folded();
        match self.failure {
            Some(error) => self.scope.run.fail(error),
            None => self.scope.slot().suspended = Some(self.frame),
        }
    }
}

/// The end of an activation: its future never resolves, and the engine drops it.
pub async fn ended() -> Infallible {
    pending().await
}
