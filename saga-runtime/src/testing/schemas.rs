//! What a server says of what it lists, and whether what it returns is that.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::Future,
};

use jsonschema::Validator;
use serde_json::{Value, json};

use super::{Failure, FailureKind, Kit, Question, QuestionKind};
use crate::ask::forms;

/// More pages than any list has.
const ENDLESS: usize = 1_000;
/// JSON-RPC's code for a method that the server does not have.
const METHOD_NOT_FOUND: i64 = -32601;

/// A list that a server has.
#[doc(hidden)]
#[derive(Debug)]
pub struct List {
    /// The request for it.
    pub method: &'static str,
    /// The member of the result that it is.
    pub member: &'static str,
    /// The attribute of the functions that are in it.
    pub attribute: &'static str,
    /// What is wrong with an entry.
    pub problems: fn(&Value) -> Vec<String>,
}

/// All of them.
#[doc(hidden)]
pub const LISTS: [List; 4] = [
    List {
        method: "tools/list",
        member: "tools",
        attribute: "tool",
        problems: of_tool,
    },
    List {
        method: "prompts/list",
        member: "prompts",
        attribute: "prompt",
        problems: of_prompt,
    },
    List {
        method: "resources/list",
        member: "resources",
        attribute: "resource",
        problems: of_resource,
    },
    List {
        method: "resources/templates/list",
        member: "resourceTemplates",
        attribute: "resource",
        problems: of_resource,
    },
];

/// The schemas of results, by tool.
pub(super) type Outputs = BTreeMap<String, Value>;

impl<W: Send + Sync + 'static> Kit<W> {
    /// Checks what the server lists: that the schema of every tool's arguments and of its structured result is a JSON Schema whose
    /// references lead somewhere, that arguments are an object whose required members it describes, that MCP allows the forms which a
    /// tool, a prompt or a resource asks with itself, and that the arguments of a prompt have names of their own.
    ///
    /// # Errors
    /// All that is wrong, each with tool, schema and path.
    #[track_caller]
    pub fn check_schemas(&self) -> impl Future<Output = Result<(), Failure>> + Send {
        let at = std::panic::Location::caller();
        async move {
            let found = self.found().await.map_err(|failure| failure.at(at))?;
            if found.is_empty() {
                return Ok(());
            }
            let text = format!("the server's schemas:\n  {}", found.join("\n  "));
            Err(Failure::new(FailureKind::Schema, text).at(at))
        }
    }

    async fn found(&self) -> Result<Vec<String>, Failure> {
        let mut found = Vec::new();
        for list in &LISTS {
            let listed = self.listed(list.method, list.member).await?;
            found.extend(listed.iter().flat_map(list.problems));
        }
        Ok(found)
    }

    /// All pages of a list; nothing where the server does not have it.
    pub(super) async fn listed(&self, method: &str, member: &str) -> Result<Vec<Value>, Failure> {
        let mut all = Vec::new();
        let mut params = json!({});
        for _ in 0..ENDLESS {
            let mut page = match self.asks(method, params).await? {
                Ok(page) => page,
                Err(error) if error.get("code") == Some(&json!(METHOD_NOT_FOUND)) => {
                    return Ok(all);
                }
                Err(error) => return Err(Failure::server(format!("`{method}`: {error}"))),
            };
            if let Some(Value::Array(entries)) = page.get_mut(member) {
                all.append(entries);
            }
            match page.get("nextCursor").filter(|cursor| !cursor.is_null()) {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return Ok(all),
            }
        }
        Err(Failure::server(format!(
            "`{method}` has no end after {ENDLESS} pages"
        )))
    }

    /// The schemas of the tools' results.
    pub(super) async fn outputs(&self) -> Result<&Outputs, Failure> {
        let listed = async {
            let tools = self.listed("tools/list", "tools").await?;
            let output = |tool: &Value| {
                let name = tool.get("name")?.as_str()?.to_owned();
                Some((name, tool.get("outputSchema")?.clone()))
            };
            Ok(tools.iter().filter_map(output).collect())
        };
        self.outputs.get_or_try_init(|| listed).await
    }
}

pub(super) fn name_of(listed: &Value) -> &str {
    let name = listed.get("name").and_then(Value::as_str);
    name.unwrap_or_default()
}

fn of_tool(tool: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut wrong = |schema: &str, problems: Vec<String>| {
        let name = name_of(tool);
        let told = problems.iter();
        found.extend(told.map(|problem| format!("tool `{name}`, `{schema}`: {problem}")));
    };
    let input = tool.get("inputSchema");
    match input {
        Some(input) => wrong("inputSchema", arguments(input)),
        None => wrong("inputSchema", vec!["there is none".to_owned()]),
    }
    wrong("elicit", input.map(of_forms).unwrap_or_default());
    if let Some(output) = tool.get("outputSchema") {
        wrong("outputSchema", schema(output));
    }
    found
}

/// What a schema or a `_meta` tells of forms.
fn of_forms(teller: &Value) -> Vec<String> {
    let forms = teller.get(forms::PROBLEMS).and_then(Value::as_array);
    let forms = forms.into_iter().flatten().filter_map(Value::as_str);
    forms.map(of_form).collect()
}

fn of_form(problem: &str) -> String {
    format!("it asks with a form that MCP does not allow: {problem}")
}

fn of_prompt(prompt: &Value) -> Vec<String> {
    let name = name_of(prompt);
    let arguments = prompt.get("arguments").and_then(Value::as_array);
    let mut names = BTreeSet::new();
    let wrong = arguments.into_iter().flatten().flat_map(|argument| {
        let description = argument.get("description").and_then(Value::as_str);
        let argument = name_of(argument);
        if argument == forms::PROBLEMS {
            let forms = description.into_iter().flat_map(str::lines).map(of_form);
            return forms
                .map(|problem| format!("prompt `{name}`, `elicit`: {problem}"))
                .collect();
        }
        if argument.is_empty() {
            return vec![format!("prompt `{name}`: an argument without a name")];
        }
        match names.insert(argument) {
            true => Vec::new(),
            false => vec![format!("prompt `{name}`: two arguments `{argument}`")],
        }
    });
    wrong.collect()
}

fn of_resource(resource: &Value) -> Vec<String> {
    let name = name_of(resource);
    let forms = resource.get("_meta").map(of_forms).unwrap_or_default();
    forms
        .iter()
        .map(|problem| format!("resource `{name}`, `elicit`: {problem}"))
        .collect()
}

/// What is wrong with a schema.
fn schema(schema: &Value) -> Vec<String> {
    // `{}` and `true` allow everything.
    let errors = match jsonschema::validator_for(&with_dialect(schema)) {
        Ok(_) => return Vec::new(),
        Err(error) => error,
    };
    vec![told(&errors)]
}

/// What is wrong with the schema of a tool's arguments.
fn arguments(input: &Value) -> Vec<String> {
    let mut wrong = schema(input);
    if input.get("type") != Some(&json!("object")) {
        wrong.push("its `type` is not `object`".to_owned());
    }
    let properties = input.get("properties").and_then(Value::as_object);
    let required = input.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if properties.is_none_or(|properties| !properties.contains_key(name)) {
            wrong.push(format!(
                "`{name}` is required, and is not among its `properties`"
            ));
        }
    }
    wrong
}

/// MCP's dialect, where the schema names none.
fn with_dialect(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(members) = &mut schema {
        let dialect = json!("https://json-schema.org/draft/2020-12/schema");
        members.entry("$schema").or_insert(dialect);
    }
    schema
}

fn told(error: &jsonschema::ValidationError<'_>) -> String {
    let path = error.instance_path().to_string();
    match path.is_empty() {
        true => error.to_string(),
        false => format!("at `{path}`: {error}"),
    }
}

/// What of a value does not fit a schema.
fn unfit(schema: &Value, value: &Value) -> Vec<String> {
    match jsonschema::validator_for(&with_dialect(schema)) {
        Ok(validator) => unfit_of(&validator, value),
        Err(error) => vec![format!("this is not a schema: {}", told(&error))],
    }
}

fn unfit_of(validator: &Validator, value: &Value) -> Vec<String> {
    validator
        .iter_errors(value)
        .map(|error| told(&error))
        .collect()
}

/// Refuses a result that is not of the tool's schema.
pub(super) fn check_result(name: &str, schema: &Value, result: &Value) -> Result<(), Failure> {
    if result.get("isError") == Some(&Value::Bool(true)) {
        return Ok(());
    }
    let wrong = match result.get("structuredContent") {
        None => vec!["there is no `structuredContent`".to_owned()],
        Some(content) => unfit(schema, content),
    };
    if wrong.is_empty() {
        return Ok(());
    }
    let text = format!(
        "the result of `{name}` is not of its `outputSchema`:\n  {}",
        wrong.join("\n  ")
    );
    Err(Failure::new(FailureKind::Schema, text))
}

/// Refuses an answer that no client would send for a form.
pub(super) fn check_content(question: &Question, content: &Value) -> Result<(), Failure> {
    if question.kind() == QuestionKind::Url {
        let key = question.key();
        return Err(Failure::script(format!(
            "`{key}` is a page to visit, which has no content: `Reply::visit()`, not {content}"
        )));
    }
    let (QuestionKind::Form, Some(schema)) = (question.kind(), question.schema()) else {
        return Ok(());
    };
    let wrong = unfit(schema, content);
    if wrong.is_empty() {
        return Ok(());
    }
    let key = question.key();
    let text = format!(
        "{content} does not fit the form of `{key}`:\n  {}\nit has the fields {:?}; `Reply::accept` sends what does not fit",
        wrong.join("\n  "),
        question.fields(),
    );
    Err(Failure::new(FailureKind::Schema, text))
}
