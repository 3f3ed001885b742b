//! What a test answers.

use std::{collections::BTreeMap, fmt, time::Duration};

use serde_json::{Value, json};

use super::{Failure, Question, QuestionKind, question::sorted, schemas};

/// The answer to a question.
///
/// A plain JSON value answers any: the content of an accepted form, the text of the model, the URIs of the roots. So
/// `json!({ "copy": "paper" })` does for a form, and `"low"` for a question to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    says: Says,
    after: Duration,
}

#[derive(Debug, Clone, PartialEq)]
enum Says {
    /// What this means depends on the question.
    Plain(Value),
    /// The client's result.
    Result(Value),
}

impl Reply {
    fn new(says: Says) -> Self {
        let after = Duration::ZERO;
        Self { says, after }
    }

    /// The user fills the form in.
    pub fn accept(content: Value) -> Self {
        Self::result_of(json!({ "action": "accept", "content": content }))
    }

    /// The user says no.
    pub fn decline() -> Self {
        Self::result_of(json!({ "action": "decline" }))
    }

    /// The user closes the form.
    pub fn cancel() -> Self {
        Self::result_of(json!({ "action": "cancel" }))
    }

    /// The user has visited the page.
    pub fn visit() -> Self {
        Self::result_of(json!({ "action": "accept" }))
    }

    /// The client's result as it is: `ElicitResult`, `CreateMessageResult` or `ListRootsResult`.
    pub fn result_of(result: Value) -> Self {
        Self::new(Says::Result(result))
    }

    /// The same so much later, by the kit's clock. A question that has less time is over by then.
    #[must_use]
    pub fn after(mut self, time: Duration) -> Self {
        self.after = time;
        self
    }

    #[doc(hidden)]
    pub fn delay(&self) -> Duration {
        self.after
    }

    /// The client's result for this question; what a person fills in has to fit the form.
    ///
    /// # Errors
    /// Where it does not.
    #[doc(hidden)]
    pub fn fitting(&self, question: &Question) -> Result<Value, Failure> {
        if let Says::Plain(content) = &self.says {
            schemas::check_content(question, content)?;
        }
        Ok(self.result(question))
    }

    /// The same, fitting or not.
    pub(super) fn result(&self, question: &Question) -> Value {
        let value = match &self.says {
            Says::Result(result) => return result.clone(),
            Says::Plain(value) => value,
        };
        match (question.kind(), value) {
            (QuestionKind::Sampling, Value::String(text)) => json!({
                "role": "assistant",
                "content": { "type": "text", "text": text },
                "model": "test",
                "stopReason": "endTurn",
            }),
            (QuestionKind::Roots, Value::Array(uris)) => {
                let root = |uri: &Value| match uri {
                    Value::String(uri) => json!({ "uri": uri }),
                    root => root.clone(),
                };
                json!({ "roots": uris.iter().map(root).collect::<Vec<_>>() })
            }
            (QuestionKind::Sampling | QuestionKind::Roots, result) => result.clone(),
            (_, content) => json!({ "action": "accept", "content": content }),
        }
    }
}

/// As the test says it: content as JSON, what the user does by its name.
impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let action = match &self.says {
            Says::Result(Value::Object(result)) if result.len() == 1 => result.get("action"),
            _ => None,
        };
        match (action.and_then(Value::as_str), &self.says) {
            (Some(action), _) => f.write_str(action)?,
            (None, Says::Plain(value) | Says::Result(value)) => write!(f, "{}", sorted(value))?,
        }
        match self.after {
            Duration::ZERO => Ok(()),
            after => write!(f, " after {after:?}"),
        }
    }
}

impl From<Value> for Reply {
    fn from(value: Value) -> Self {
        Self::new(Says::Plain(value))
    }
}

impl From<&str> for Reply {
    fn from(text: &str) -> Self {
        Self::new(Says::Plain(Value::String(text.to_owned())))
    }
}

impl From<String> for Reply {
    fn from(text: String) -> Self {
        Self::new(Says::Plain(Value::String(text)))
    }
}

type Answering = dyn Fn(&Question) -> Option<Reply> + Send + Sync;

/// All answers of a run.
#[derive(Default)]
#[doc(hidden)]
pub struct Script {
    by_key: BTreeMap<String, Reply>,
    in_turn: Vec<Reply>,
    otherwise: Option<Box<Answering>>,
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script")
            .field("by_key", &self.by_key)
            .field("in_turn", &self.in_turn)
            .field("otherwise", &self.otherwise.is_some())
            .finish()
    }
}

impl Script {
    pub fn insert(&mut self, key: String, reply: Reply) {
        self.by_key.insert(key, reply);
    }

    pub fn push(&mut self, reply: Reply) {
        self.in_turn.push(reply);
    }

    pub fn otherwise(&mut self, answering: Box<Answering>) {
        self.otherwise = Some(answering);
    }

    pub fn reply(&self, question: &Question) -> Option<Reply> {
        let known = self.by_key.get(question.key()).cloned();
        known
            .or_else(|| self.in_turn.get(question.turn()).cloned())
            .or_else(|| self.otherwise.as_ref()?(question))
    }

    /// What of it no question of a run has used.
    pub fn unused(&self, asked: &[Question]) -> Vec<String> {
        let was_asked = |key: &&String| asked.iter().any(|question| question.key() == *key);
        let keys = self.by_key.keys().filter(|key| !was_asked(key));
        let mut unused: Vec<_> = keys.map(|key| format!("`{key}`")).collect();
        unused.extend((asked.len()..self.in_turn.len()).map(|turn| format!("number {}", turn + 1)));
        unused
    }
}
