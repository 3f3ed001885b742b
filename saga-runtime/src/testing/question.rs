//! Questions as a test looks at them.

use std::fmt;

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value};

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum QuestionKind {
    /// A form for the user.
    Form,
    /// A page that the user visits.
    Url,
    /// The model.
    Sampling,
    /// The roots.
    Roots,
}

/// A question as the client has it. There is nothing random in it, so that its `Debug` and `Serialize` can be compared with a
/// snapshot.
#[derive(Clone)]
pub struct Question {
    key: String,
    /// The key under which this run's client answers it, where that is another one.
    under: Option<String>,
    turn: usize,
    method: String,
    params: Value,
}

impl Question {
    #[doc(hidden)]
    pub fn new(key: &str, turn: usize, request: &Value) -> Self {
        let plain = Self::plain(request);
        let method = plain.get("method").and_then(Value::as_str);
        Self {
            key: key.to_owned(),
            under: None,
            turn,
            method: method.unwrap_or_default().to_owned(),
            params: plain.get("params").cloned().unwrap_or_default(),
        }
    }

    /// The same, answered under this key.
    pub(super) fn put_under(self, key: &str) -> Self {
        let under = (self.key != key).then(|| key.to_owned());
        Self { under, ..self }
    }

    /// The key under which the client answers it.
    pub(super) fn under(&self) -> &str {
        self.under.as_deref().unwrap_or(&self.key)
    }

    /// Whether a request of the server asks something: a `ping` does not.
    pub(super) fn is_one(request: &Value) -> bool {
        let method = request.get("method").and_then(Value::as_str);
        matches!(
            method,
            Some("elicitation/create" | "sampling/createMessage" | "roots/list")
        )
    }

    /// A request without what belongs to its wire.
    pub(super) fn plain(request: &Value) -> Value {
        let mut params = request.get("params").cloned().unwrap_or(Value::Null);
        if let Some(params) = params.as_object_mut() {
            params.remove("_meta");
        }
        if params.as_object().is_some_and(Map::is_empty) {
            params = Value::Null;
        }
        let mut plain = Map::new();
        let method = request.get("method").cloned().unwrap_or_default();
        plain.insert("method".to_owned(), method);
        plain.insert("params".to_owned(), params);
        Value::Object(plain)
    }

    /// Its key: the author's, or that of the binding or the answer's type.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// How many questions the call put before it.
    pub fn turn(&self) -> usize {
        self.turn
    }

    /// What is asked.
    pub fn kind(&self) -> QuestionKind {
        let mode = self.params.get("mode").and_then(Value::as_str);
        match (self.method.as_str(), mode) {
            ("sampling/createMessage", _) => QuestionKind::Sampling,
            ("roots/list", _) => QuestionKind::Roots,
            (_, Some("url")) => QuestionKind::Url,
            _ => QuestionKind::Form,
        }
    }

    /// What the user reads, or the last message that the model is given.
    pub fn message(&self) -> &str {
        let of_user = self.params.get("message").and_then(Value::as_str);
        of_user
            .or_else(|| {
                text(
                    self.params
                        .get("messages")?
                        .as_array()?
                        .last()?
                        .get("content")?,
                )
            })
            .unwrap_or_default()
    }

    /// The page that the user is to visit.
    pub fn url(&self) -> Option<&str> {
        self.params.get("url").and_then(Value::as_str)
    }

    /// The schema of the form.
    pub fn schema(&self) -> Option<&Value> {
        self.params.get("requestedSchema")
    }

    /// The names of the form's fields, sorted.
    pub fn fields(&self) -> Vec<&str> {
        let properties = self.schema().and_then(|schema| schema.get("properties"));
        let fields = properties.and_then(Value::as_object).into_iter().flatten();
        let mut names: Vec<_> = fields.map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }

    /// Everything that the client is sent.
    pub fn params(&self) -> &Value {
        &self.params
    }

    /// What of it is the same however the call runs.
    #[doc(hidden)]
    pub fn essence(&self) -> Value {
        let mut essence = Map::new();
        essence.insert("method".to_owned(), Value::String(self.method.clone()));
        essence.insert("params".to_owned(), self.params.clone());
        Value::Object(essence)
    }
}

/// The text of a message's content: of one block, or of the first in a list.
fn text(content: &Value) -> Option<&str> {
    match content {
        Value::Array(blocks) => blocks.iter().find_map(text),
        block => block.get("text").and_then(Value::as_str),
    }
}

impl PartialEq for Question {
    fn eq(&self, other: &Self) -> bool {
        (&self.key, &self.method, &self.params) == (&other.key, &other.method, &other.params)
    }
}

impl Serialize for Question {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("key", &self.key)?;
        map.serialize_entry("method", &self.method)?;
        map.serialize_entry("params", &sorted(&self.params))?;
        map.end()
    }
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question")
            .field("key", &self.key)
            .field("method", &self.method)
            .field("params", &sorted(&self.params))
            .finish()
    }
}

/// The same with its members sorted, whatever the features of `serde_json`.
pub(super) fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(sorted).collect(),
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let members = members.into_iter();
            members
                .map(|(name, value)| (name.clone(), sorted(value)))
                .collect()
        }
        other => other.clone(),
    }
}
