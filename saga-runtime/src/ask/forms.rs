//! The forms of `peer.elicit::<T>`, looked at when a server starts: whether MCP allows one is known only when its schema is
//! made, and a user should not be the first to see it.

use std::{
    any::Any,
    collections::BTreeSet,
    marker::PhantomData,
    sync::{Arc, Mutex, PoisonError},
};

use rmcp::{
    handler::server::common::{schema_for_empty_input, schema_for_input},
    model::JsonObject,
    service::ElicitationSafe,
};
use schemars::JsonSchema;

use crate::{ask::Elicit, observe::unheard};

/// The form for a `T`, if it is one.
#[derive(Debug)]
pub struct FormOf<T>(PhantomData<fn() -> T>);

impl<T> FormOf<T> {
    /// It.
    #[allow(clippy::new_without_default, reason = "generated code makes it")]
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: ElicitationSafe> FormOf<T> {
    /// Why MCP does not allow it.
    pub fn problem(&self) -> Option<String> {
        Elicit::<T>::problem()
    }
}

/// What is no form is the compiler's business, where it is asked.
pub trait AnyForm {
    /// Nothing is known of it.
    fn problem(&self) -> Option<String> {
        None
    }
}

impl<T> AnyForm for FormOf<T> {}

/// What was found, by tool: each is told once, though a router may be made for each request.
static FOUND: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// The schema of a tool's arguments, once its forms were looked at.
pub fn with_forms(
    schema: Arc<JsonObject>,
    tool: &str,
    problems: impl IntoIterator<Item = Option<String>>,
) -> Arc<JsonObject> {
    for problem in problems.into_iter().flatten() {
        let problem = format!("`{tool}` asks with a form that MCP does not allow: {problem}");
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        if found.insert(problem.clone()) {
            tracing::error!("{problem}");
            unheard(&format!("saga: {problem}"));
        }
    }
    schema
}

/// All that was found so far, in this process.
#[cfg(feature = "testing")]
pub(crate) fn found() -> Vec<String> {
    let found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    found.iter().cloned().collect()
}

/// The schema of a tool's arguments, as rmcp makes it.
///
/// # Panics
/// Where its root is no object: as rmcp does, when the server starts.
#[allow(
    clippy::panic,
    reason = "as without `#[saga]`: a server that starts is told"
)]
pub fn input_schema<T: JsonSchema + Any>() -> Arc<JsonObject> {
    schema_for_input::<T>().unwrap_or_else(|error| {
        let name = std::any::type_name::<T>();
        panic!("Invalid input schema for `{name}`: {error}")
    })
}

/// That of a tool without arguments.
pub fn empty_input_schema() -> Arc<JsonObject> {
    schema_for_empty_input()
}
