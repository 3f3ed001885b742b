//! Completes a message behind rmcp, whose types have no member for what the proposals add.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use hyper::{Response, header::CONTENT_TYPE};
use serde_json::Value;

use crate::{
    server::extended::{PREFER_ASYNC, complete},
    wire::{async_call, resume::NEXT},
};

/// Without one of these there is nothing to add.
const ADDED: [&str; 3] = [NEXT, async_call::EXTENSION, PREFER_ASYNC];

/// Puts members where the proposals have them.
pub(super) async fn with_additions(
    response: Response<BoxBody<Bytes, Infallible>>,
) -> Response<BoxBody<Bytes, Infallible>> {
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().to_owned();
    let (head, body) = response.into_parts();
    let body = match kind.as_str() {
        // It is there as a whole, and its length is told.
        "application/json" => match body.collect().await {
            Ok(body) => Full::new(document(body.to_bytes())).boxed(),
            Err(never) => match never {},
        },
        "text/event-stream" => body
            .map_frame(|frame| frame.map_data(|data| in_text(data, completed_events)))
            .boxed(),
        _ => body,
    };
    Response::from_parts(head, body)
}

/// The same where a document is complete.
pub(super) async fn with_added_events(
    response: Response<BoxBody<Bytes, Infallible>>,
) -> Response<BoxBody<Bytes, Infallible>> {
    let kind = response.headers().get(CONTENT_TYPE);
    match kind.is_some_and(|kind| kind == "text/event-stream") {
        true => with_additions(response).await,
        false => response,
    }
}

/// The same for a message by itself.
pub(super) fn document(message: Bytes) -> Bytes {
    in_text(message, completed)
}

fn in_text(data: Bytes, complete: fn(&str) -> Option<String>) -> Bytes {
    let text = std::str::from_utf8(&data).ok();
    let text = text.filter(|text| ADDED.iter().any(|added| text.contains(added)));
    match text.and_then(complete) {
        Some(text) => text.into(),
        None => data,
    }
}

/// The events of a frame: rmcp sends each whole.
fn completed_events(text: &str) -> Option<String> {
    let lines = text.split_inclusive('\n').map(|line| {
        let data = line.strip_prefix("data:").map(str::trim);
        match data.and_then(completed) {
            Some(data) => format!("data: {data}\n"),
            None => line.to_owned(),
        }
    });
    Some(lines.collect())
}

fn completed(text: &str) -> Option<String> {
    let mut message: Value = serde_json::from_str(text).ok()?;
    let result = message.get_mut("result")?.as_object_mut()?;
    complete(result).then(|| message.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_a_member_of_its_result() {
        let json = r#"{"id":1,"result":{"content":[],"_meta":{"nextResumeToken":"t"}}}"#;
        let done = completed(json).unwrap_or_default();
        let value: Value = serde_json::from_str(&done).unwrap_or_default();
        assert_eq!(value["result"]["nextResumeToken"], "t");
        let events = format!("event: message\ndata: {json}\n\ndata: {{}}\n\n");
        let done = completed_events(&events).unwrap_or_default();
        assert!(done.starts_with("event: message\ndata: {") && done.ends_with("\n\ndata: {}\n\n"));
        assert_eq!(done.matches("nextResumeToken").count(), 2);
        for other in [
            r#"{"result":{"nextResumeToken":"x"}}"#,
            "nextResumeToken",
            "{}",
        ] {
            assert_eq!(completed(other), None);
        }
    }
}
