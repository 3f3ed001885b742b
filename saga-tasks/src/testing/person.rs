//! The client of a script.

#![allow(
    deprecated,
    reason = "sampling and roots are deprecated by SEP-2577, and asked for all the same"
)]

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        ClientCapabilities, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
        ElicitResult, Implementation, InitializeRequestParams, ListRootsResult, NumberOrString,
        ProtocolVersion,
    },
    service::RequestContext,
};
use saga_runtime::testing::{Failure, FailureKind, Question, Script};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::Clock;

/// Answers by script, and keeps what it was asked.
#[derive(Debug, Clone)]
pub(super) struct Person {
    script: Arc<Script>,
    clock: Clock,
    capabilities: ClientCapabilities,
    met: Arc<Mutex<Met>>,
}

#[derive(Debug, Default)]
struct Met {
    asked: Vec<Question>,
    failure: Option<Failure>,
}

impl Person {
    pub(super) fn new(script: Arc<Script>, clock: Clock) -> Self {
        let able = json!({
            "elicitation": { "form": {}, "url": {} },
            "sampling": { "tools": {} },
            "roots": {},
        });
        let mut capabilities: ClientCapabilities = serde_json::from_value(able).unwrap_or_default();
        let tasks = ClientCapabilities::builder().enable_tasks().build();
        capabilities.extensions = tasks.extensions;
        Self {
            script,
            clock,
            capabilities,
            met: Arc::default(),
        }
    }

    fn met(&self) -> MutexGuard<'_, Met> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn asked(&self) -> Vec<Question> {
        self.met().asked.clone()
    }

    /// What the script could not answer.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.met().failure.clone()
    }

    fn answer<T: DeserializeOwned>(
        &self,
        method: &str,
        params: impl Serialize,
        context: &RequestContext<RoleClient>,
    ) -> Result<T, ErrorData> {
        let params = serde_json::to_value(params).unwrap_or_default();
        let request = json!({ "method": method, "params": params });
        let answered = self.reply(&request, &context.id);
        let result = answered.map_err(|failure| {
            let error = ErrorData::internal_error(failure.to_string(), None);
            self.met().failure.get_or_insert(failure);
            error
        })?;
        serde_json::from_value(result)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    fn reply(&self, request: &Value, id: &NumberOrString) -> Result<Value, Failure> {
        let key = match id {
            NumberOrString::String(key) => key.to_string(),
            NumberOrString::Number(number) => number.to_string(),
        };
        let mut met = self.met();
        let known = met.asked.iter().find(|known| known.key() == key).cloned();
        let question = known.unwrap_or_else(|| {
            let question = Question::new(&key, met.asked.len(), request);
            met.asked.push(question.clone());
            question
        });
        drop(met);
        let Some(reply) = self.script.reply(&question) else {
            let text = format!(
                "the task asks `{key}` ({:?}), and the test has no answer to it: say `.answer({key:?}, ..)`",
                question.message()
            );
            return Err(Failure::new(FailureKind::Script, text));
        };
        self.clock.turn(reply.delay());
        reply.fitting(&question)
    }
}

impl ClientHandler for Person {
    fn get_info(&self) -> InitializeRequestParams {
        let name = Implementation::new("test", "1");
        InitializeRequestParams::new(self.capabilities.clone(), name)
            .with_protocol_version(ProtocolVersion::V_2026_07_28)
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.answer("elicitation/create", params, &context)
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.answer("sampling/createMessage", params, &context)
    }

    async fn list_roots(
        &self,
        context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        self.answer("roots/list", Value::Null, &context)
    }
}
