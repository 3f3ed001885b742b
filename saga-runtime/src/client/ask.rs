//! A question of the server, and what the client's handler answers.

#![allow(
    deprecated,
    reason = "sampling and roots are deprecated by SEP-2577, and asked for all the same"
)]

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{InputRequest, NumberOrString},
    service::{RequestContext, RunningService},
};
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{CallError, protocol};

/// Lets the handler answer; `over` is cancelled where nobody waits for it any more.
pub(super) async fn answer<H: ClientHandler>(
    service: &RunningService<RoleClient, H>,
    key: &str,
    request: InputRequest,
    over: CancellationToken,
) -> Result<Result<Value, ErrorData>, CallError> {
    let handler = service.service();
    let id = NumberOrString::String(key.into());
    let mut context = RequestContext::new(id, service.peer().clone());
    context.ct = over;
    match request {
        InputRequest::Elicitation(asked) => {
            written(handler.create_elicitation(asked.params, context).await)
        }
        InputRequest::CreateMessage(asked) => {
            written(handler.create_message(asked.params, context).await)
        }
        InputRequest::ListRoots(_) => written(handler.list_roots(context).await),
        _ => Err(protocol("a question of no known kind")),
    }
}

/// The same, where the wire has no place for a refusal.
pub(super) async fn accepted<H: ClientHandler>(
    service: &RunningService<RoleClient, H>,
    key: &str,
    request: InputRequest,
) -> Result<Value, CallError> {
    let answered = answer(service, key, request, CancellationToken::new()).await?;
    answered.map_err(CallError::Refused)
}

fn written<T: Serialize>(
    answer: Result<T, ErrorData>,
) -> Result<Result<Value, ErrorData>, CallError> {
    match answer {
        Ok(result) => serde_json::to_value(result).map(Ok).map_err(protocol),
        Err(error) => Ok(Err(error)),
    }
}
