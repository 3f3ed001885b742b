//! Multi Round-Trip Requests (MCP 2026-07-28, basic/patterns/mrtr): the same request is sent again
//! with `inputResponses` and `requestState`.

use std::future::Future;

use rmcp::{
    ErrorData,
    model::{InputResponses, JsonObject},
};
use serde_json::Value;

use crate::{
    answer::Answer,
    call::Call,
    client::Client,
    continuation::{self, Continuation},
    error::Error,
    round::{self, Envelope, Round},
    scope::Answers,
    settings::Settings,
    token::{Binding, digest_json},
};

/// Runs one round.
pub(crate) async fn serve<F: Future>(
    settings: &Settings,
    client: Client,
    mut call: Call,
    body: F,
) -> Result<Round<F::Output>, ErrorData> {
    let principal = settings.principal(&call.context);
    let envelope = Repeated {
        binding: binding(call.kind, &call.name, principal, call.arguments.as_ref()),
    };
    let answers = answers(call.input_responses.take());
    round::run(settings, &envelope, client, call, answers, body).await
}

/// The client repeats the call, so the token only has to be bound to it.
struct Repeated {
    binding: Binding,
}

fn binding(
    kind: &str,
    name: &str,
    principal: Option<String>,
    arguments: Option<&JsonObject>,
) -> Binding {
    // An absent `arguments` is an empty one, as it is for rmcp.
    let arguments = Value::Object(arguments.cloned().unwrap_or_default());
    let principal = principal.map_or(Vec::new(), |name| [b"p", name.as_bytes()].concat());
    Binding::new(&[
        kind.as_bytes(),
        name.as_bytes(),
        &principal,
        &digest_json(&arguments),
    ])
}

impl Envelope for Repeated {
    fn binding(&self) -> Binding {
        self.binding.clone()
    }

    fn wrap(&self, continuation: Continuation) -> Result<Vec<u8>, Error> {
        continuation::encode(&continuation)
    }

    fn unwrap(&self, body: &[u8]) -> Result<Continuation, Error> {
        continuation::decode(body)
    }
}

fn answers(responses: Option<InputResponses>) -> Answers {
    let responses = responses.unwrap_or_default().into_iter();
    responses
        .map(|(key, result)| (key, Answer::Result(result)))
        .collect()
}
