//! The live wire (2025-11-25 and before): the peer is asked while the call waits.

use rmcp::{
    Peer, RoleServer, ServiceError,
    model::{ClientResult, InputRequest, ServerRequest},
    service::PeerRequestOptions,
};
use serde_json::Value;

use crate::{
    ask::{Ask, Judged, answer::Answer, client::Client},
    clock::millis,
};

/// Asks the peer and waits.
pub(crate) async fn ask<K: Ask>(peer: &Peer<RoleServer>, client: &Client, ask: K) -> Answer {
    ask_watched(peer, client, ask, &Unwatched).await
}

/// Watches a question over the live wire: for tests.
pub(crate) trait Watching {
    /// It is about to be sent.
    fn puts(&self, request: &InputRequest);
    /// Whether its time was over before its answer came, by a clock that is not tokio's.
    fn is_late(&self, timeout: std::time::Duration) -> bool;
}

/// Nobody does.
pub(crate) struct Unwatched;

impl Watching for Unwatched {
    fn puts(&self, _: &InputRequest) {}

    fn is_late(&self, _: std::time::Duration) -> bool {
        false
    }
}

/// The same, watched.
pub(crate) async fn ask_watched<K: Ask>(
    peer: &Peer<RoleServer>,
    client: &Client,
    mut ask: K,
    watching: &(impl Watching + Sync),
) -> Answer {
    if let Some(refusal) = ask.refusal(client) {
        return refusal;
    }
    let need = ask.need();
    let mut memo = ask.memo();
    let started = tokio::time::Instant::now();
    loop {
        // All tries together have the time of one ask.
        let left = |timeout: std::time::Duration| timeout.saturating_sub(started.elapsed());
        let timeout = ask.timeout().map(left);
        let request = match K::request(memo.clone(), client) {
            Ok(request) => request,
            Err(error) => return Answer::error(&error),
        };
        watching.puts(&request);
        let sent = send(peer, request, timeout).await;
        if let Some(limit) = ask.timeout().filter(|limit| watching.is_late(*limit)) {
            return Answer::Timeout(millis(limit));
        }
        return match sent {
            Ok(result) if need.accepts(&result) => match K::judge(memo.clone(), result) {
                Judged::Again(anew) => {
                    memo = anew;
                    continue;
                }
                Judged::Settled(result) => Answer::Result(result),
            },
            Ok(_) => Answer::Unexpected,
            // rmcp was given what was left of it.
            Err(error) => match (&error, ask.timeout()) {
                (ServiceError::Timeout { .. }, Some(limit)) => Answer::Timeout(millis(limit)),
                _ => Answer::failure(&error),
            },
        };
    }
}

pub(crate) async fn send(
    peer: &Peer<RoleServer>,
    request: InputRequest,
    timeout: Option<std::time::Duration>,
) -> Result<Value, ServiceError> {
    let request = match request {
        InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
        InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
        InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
        _ => return Err(ServiceError::UnexpectedResponse),
    };
    let mut options = PeerRequestOptions::no_options();
    options.timeout = timeout;
    let handle = peer.send_request_with_option(request, options).await?;
    let result = match handle.await_response().await? {
        ClientResult::CreateMessageResult(result) => serde_json::to_value(result),
        ClientResult::ElicitResult(result) => serde_json::to_value(result),
        ClientResult::ListRootsResult(result) => serde_json::to_value(result),
        _ => return Err(ServiceError::UnexpectedResponse),
    };
    result.map_err(|_| ServiceError::UnexpectedResponse)
}
