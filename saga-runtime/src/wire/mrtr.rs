//! Multi Round-Trip Requests (MCP 2026-07-28, basic/patterns/mrtr): the same request is sent again
//! with `inputResponses` and `requestState`.

use std::future::Future;

use rmcp::{ErrorData, model::InputResponses};

use crate::{
    ask::answer::Answer,
    engine::answers::Answers,
    token::Binding,
    wire::{
        Response, Served,
        call::Call,
        round::{self, Envelope},
    },
};

/// Runs one round.
pub(crate) async fn serve<F, T>(call: &mut Call, function: F) -> Served<T>
where
    F: Future<Output = Result<T, ErrorData>>,
    T: Response,
{
    let envelope = Repeated {
        binding: call.binding().clone(),
    };
    let answers = answers(call.input_responses.take());
    round::run(call, &envelope, answers, function).await
}

/// The client repeats the call, so the token only has to be bound to it.
struct Repeated {
    binding: Binding,
}

impl Envelope for Repeated {
    fn binding(&self) -> Binding {
        self.binding.clone()
    }
}

fn answers(responses: Option<InputResponses>) -> Answers {
    let answers = responses.unwrap_or_default().into_iter();
    answers
        .map(|(key, result)| (key, Answer::Result(result)))
        .collect()
}
