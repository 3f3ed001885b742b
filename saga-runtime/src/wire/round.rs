//! One stateless round, shared by the wires that suspend: token in, engine, token out.

use std::{future::Future, time::SystemTime};

use rmcp::{
    ErrorData,
    model::{InputRequests, InputRequiredResult},
};

use crate::{
    engine::{Engine, Outcome, Suspended, continuation::Continuation, scope::Answers},
    error::{Error, Reason},
    token::{self, Binding, settings::Settings},
    wire::call::Call,
};

/// How a round ended.
pub(crate) enum Round<T> {
    /// The function completed.
    Done(T),
    /// The client is asked; the token is in `requestState`.
    InputRequired(InputRequiredResult),
}

/// How a wire puts a continuation in a token and finds it there again.
pub(crate) trait Envelope {
    /// What the wire's tokens are bound to.
    fn binding(&self) -> Binding;
    /// The token's body.
    fn wrap(&self, continuation: Continuation) -> Result<Vec<u8>, Error>;
    /// The continuation in a body.
    fn unwrap(&self, body: &[u8]) -> Result<Continuation, Error>;
}

/// A principal as a part of a binding; none is a principal of its own.
pub(crate) fn principal(name: Option<&str>) -> Vec<u8> {
    name.map_or(Vec::new(), |name| [b"p", name.as_bytes()].concat())
}

/// Runs one round of `function`.
pub(crate) async fn run<F: Future>(
    call: Call,
    envelope: &impl Envelope,
    answers: Answers,
    function: F,
) -> Result<Round<F::Output>, ErrorData> {
    let settings = call.settings?;
    let engine = Engine::new(call.client);
    let outcome = match call.request_state {
        None => engine.start_with(answers, function).await,
        Some(state) => {
            let body = open_body(&settings, envelope, &state)?;
            let continuation = envelope.unwrap(&body)?;
            let engine = engine.with_idempotency_key_of(state);
            engine.resume(continuation, answers, function).await
        }
    };
    match outcome {
        Outcome::Done(value) => Ok(Round::Done(value)),
        Outcome::Refused(error) => Err(error.into()),
        Outcome::Suspended(suspended) => {
            Ok(Round::InputRequired(close(&settings, envelope, suspended)?))
        }
    }
}

/// The body of a token, as it stands.
pub(crate) fn open_body(
    settings: &Settings,
    envelope: &impl Envelope,
    token: &str,
) -> Result<Vec<u8>, Error> {
    if token.len() > settings.max_token_bytes {
        let detail = format!(
            "{} bytes are more than {}",
            token.len(),
            settings.max_token_bytes
        );
        return Err(Error::token(Reason::TooLarge, detail));
    }
    token::open(
        &settings.keys,
        &envelope.binding(),
        token,
        SystemTime::now(),
    )
}

/// How many variables an error about size names.
const NAMED: usize = 3;

fn close(
    settings: &Settings,
    envelope: &impl Envelope,
    suspended: Suspended,
) -> Result<InputRequiredResult, Error> {
    let body = envelope.wrap(suspended.continuation)?;
    let bytes = ((body.len() + token::OVERHEAD) * 4).div_ceil(3);
    if bytes > settings.max_token_bytes {
        let largest = suspended.sizes.into_iter().take(NAMED);
        return Err(Error::TooLarge {
            bytes,
            limit: settings.max_token_bytes,
            largest: largest
                .map(|(name, bytes)| (name.to_owned(), bytes))
                .collect(),
        });
    }
    let token = token::seal(
        &settings.keys,
        &envelope.binding(),
        &body,
        SystemTime::now(),
        settings.ttl,
    )?;
    let asks: InputRequests = suspended.asks.into_iter().collect();
    Ok(InputRequiredResult::new(Some(asks), Some(token)))
}
