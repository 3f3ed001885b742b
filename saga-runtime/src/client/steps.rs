//! One step of a suspended call: what the client's handler is asked, and what it answered.

#![allow(
    deprecated,
    reason = "sampling and roots are deprecated by SEP-2577, and asked for all the same"
)]

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::NumberOrString,
    service::{RequestContext, RunningService},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{CallError, protocol};

/// A question of the server.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Step {
    #[serde(rename = "type")]
    kind: String,
    step_id: String,
    #[serde(default)]
    params: Value,
}

/// A step with its answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Completed {
    step_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorData>,
}

impl Step {
    /// Lets the handler answer.
    pub(super) async fn answer<H: ClientHandler>(
        self,
        service: &RunningService<RoleClient, H>,
    ) -> Result<Completed, CallError> {
        let handler = service.service();
        let id = NumberOrString::String(self.step_id.as_str().into());
        let context = RequestContext::new(id, service.peer().clone());
        let answer = match self.kind.as_str() {
            "elicitation" => {
                let params = read(with_mode(self.params))?;
                written(handler.create_elicitation(params, context).await)
            }
            "sampling" => written(handler.create_message(read(self.params)?, context).await),
            "roots" => written(handler.list_roots(context).await),
            other => return Err(CallError::Protocol(format!("a step of kind `{other}`"))),
        };
        let (result, error) = match answer? {
            Ok(result) => (Some(result), None),
            Err(error) => (None, Some(error)),
        };
        Ok(Completed {
            step_id: self.step_id,
            result,
            error,
        })
    }
}

/// The proposal's elicitation has no modes: one with a url is of that mode, any other a form.
fn with_mode(mut params: Value) -> Value {
    let mode = if params.get("url").is_some() {
        "url"
    } else {
        "form"
    };
    if let Some(params) = params.as_object_mut() {
        params.entry("mode").or_insert_with(|| json!(mode));
    }
    params
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, CallError> {
    serde_json::from_value(params).map_err(protocol)
}

fn written<T: Serialize>(
    answer: Result<T, ErrorData>,
) -> Result<Result<Value, ErrorData>, CallError> {
    match answer {
        Ok(result) => serde_json::to_value(result).map(Ok).map_err(protocol),
        Err(error) => Ok(Err(error)),
    }
}
