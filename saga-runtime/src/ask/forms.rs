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
    model::{ElicitationSchema, JsonObject, PromptArgument},
    service::ElicitationSafe,
};
use schemars::JsonSchema;
use serde_json::{Value, json};

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

/// The fields of a schema that no form may have.
pub(super) fn not_allowed(schema: &Value) -> Vec<String> {
    let fields = schema.get("properties").and_then(Value::as_object);
    let alone = |name: &String, field: &Value| {
        let form = json!({ "type": "object", "properties": { name: field } });
        match form {
            Value::Object(form) => ElicitationSchema::from_json_schema(form).is_ok(),
            _ => true,
        }
    };
    let fields = fields.into_iter().flatten();
    fields
        .filter(|(name, field)| !alone(name, field))
        .map(|(name, _)| format!("`{name}`"))
        .collect()
}

/// What was found, by function: each is told once, though a router may be made for each request.
static FOUND: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Where a test is told what is wrong with the forms of what is listed; `cargo saga check`, too, of a server that it starts. A
/// member of a tool's `inputSchema` and of a resource's `_meta`, and a prompt's argument.
pub(crate) const PROBLEMS: &str = "io.github.saga-rs/forms";

/// The variable by which `cargo saga check` asks for it.
#[doc(hidden)]
pub const CHECKED: &str = "SAGA_CHECKED";

/// Tells what is wrong with the forms of a function, and gives it where the list is to have it.
pub fn report_forms(
    function: &str,
    problems: impl IntoIterator<Item = Option<String>>,
) -> Vec<String> {
    let mut problems: Vec<_> = problems.into_iter().flatten().collect();
    for problem in &problems {
        let problem = format!("`{function}` asks with a form that MCP does not allow: {problem}");
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        if found.insert(problem.clone()) {
            tracing::error!("{problem}");
            unheard(&format!("saga: {problem}"));
        }
    }
    // A router may be made for each call, and nearly all of them have nothing to tell.
    let checked = || cfg!(feature = "testing") || std::env::var_os(CHECKED).is_some();
    if !problems.is_empty() && !checked() {
        problems.clear();
    }
    problems
}

/// The schema of a tool's arguments, once its forms were looked at.
pub fn with_forms(
    schema: Arc<JsonObject>,
    tool: &str,
    problems: impl IntoIterator<Item = Option<String>>,
) -> Arc<JsonObject> {
    let problems = report_forms(tool, problems);
    if problems.is_empty() {
        return schema;
    }
    let mut listed = (*schema).clone();
    listed.insert(PROBLEMS.to_owned(), problems.into());
    Arc::new(listed)
}

/// The arguments of a prompt, once its forms were looked at.
pub fn arguments_with_forms(
    arguments: Option<Vec<PromptArgument>>,
    prompt: &str,
    problems: impl IntoIterator<Item = Option<String>>,
) -> Option<Vec<PromptArgument>> {
    let problems = report_forms(prompt, problems);
    if problems.is_empty() {
        return arguments;
    }
    // `_meta` would be there without a problem, too: `#[prompt]` has it of every prompt or of none.
    let listed = PromptArgument::new(PROBLEMS).with_description(problems.join("\n"));
    let arguments = arguments.into_iter().flatten();
    Some(arguments.chain([listed]).collect())
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
