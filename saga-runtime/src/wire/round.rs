//! One stateless round, shared by the wires that suspend: token in, engine, token out.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, SystemTime},
};

use rmcp::{
    ErrorData,
    model::{InputRequests, InputRequiredResult},
};
use serde_json::Value;

use crate::{
    ask::{answer::Answer, pause::Pause},
    clock::seconds_of,
    engine::{
        Outcome, Suspended,
        answers::Answers,
        continuation::{self, Continuation},
        scope::Suspending,
    },
    error::{Error, Reason},
    identity::Identity,
    observe::Event,
    token::{self, Binding, Opened, Times, settings::Settings},
    wire::{
        Response, Served,
        call::Call,
        once::{Leased, Once, Taken},
        resume, task,
    },
};

/// How a wire puts a continuation in a token and finds it there again.
pub(crate) trait Envelope: Sync {
    /// What the wire's tokens are bound to.
    fn binding(&self) -> Binding;
    /// What a token with questions is bound to, where that is another wire's.
    fn asking(&self) -> Binding {
        self.binding()
    }
    /// The token's body.
    fn wrap(&self, continuation: Continuation) -> Result<Vec<u8>, Error> {
        continuation::encode(&continuation)
    }
    /// The continuation in a body.
    fn unwrap(&self, body: &[u8]) -> Result<Continuation, Error> {
        continuation::decode(body)
    }
    /// Whether the response ends at a pause.
    fn suspends(&self, call: &Call) -> Box<Suspending> {
        let hosted = call.hosted.is_some();
        match (hosted, resume::suspending(call)) {
            // Nearly all calls: what has nothing to remember takes no memory.
            (false, None) => Box::new(is_long),
            (hosted, resuming) => Box::new(move |pause| match pause {
                Pause::Background => hosted,
                pause if resuming.as_ref().is_some_and(|resuming| resuming(pause)) => true,
                pause => is_long(pause),
            }),
        }
    }
}

/// How long a request waits for the end of a sleep.
pub(crate) const IN_PLACE: Duration = Duration::from_secs(20);

/// Whether a pause is longer than a request waits for its end.
fn is_long(pause: &Pause) -> bool {
    pause.length() > IN_PLACE
}

/// A token that was presented, and what of it the next one may need.
struct Before {
    token: String,
    times: Times,
    /// Bytes of the answers that came along, in a token.
    answers: usize,
}

impl Before {
    fn of(token: String, presented: &Presented, answers: &Answers) -> Self {
        Self {
            token,
            times: presented.times,
            answers: size(&presented.continuation, answers),
        }
    }
}

/// Runs one round of `function`. What few calls need is in boxes: all of them would be as large.
pub(crate) async fn run<F, T>(
    call: &mut Call,
    envelope: &impl Envelope,
    answers: Answers,
    function: F,
) -> Served<T>
where
    F: Future<Output = Result<T, ErrorData>>,
    T: Response,
{
    let settings = call.settings.clone()?;
    // What it goes on from is not held while it runs.
    let (begun, round) = {
        let once = Once::of(&settings, call.once)?;
        let mut engine = call.engine().suspending_by(envelope.suspends(call));
        let mut now = settings.now();
        let from = match call.request_state.take() {
            None => {
                engine = call.named(engine)?;
                None
            }
            Some(token) => {
                let presented = present(call, &settings, envelope, &token, now)?;
                Some((token, presented))
            }
        };
        let rests = from
            .as_ref()
            .and_then(|(_, from)| from.continuation.rests(now));
        if let Some(left) = rests {
            Box::pin(call.rest(left.min(IN_PLACE))).await;
            now = settings.now().max(now);
        }
        let only_asked = settings.config().only_asked_answers || once.is_some();
        let taken = match once {
            None => Taken::Free,
            Some(once) => {
                let from = from.as_ref().map(|(_, from)| from);
                Box::pin(take(once, call, envelope, from, &answers, now)).await?
            }
        };
        let leased = match taken.lease() {
            Ok(leased) => leased,
            Err(outcome) => return Ok(outcome),
        };
        let went_on = leased.as_ref().filter(|_| from.is_some());
        let went_on = went_on.map(|_| Arc::<AtomicBool>::default());
        let mut engine = engine.at(now);
        if let Some(went_on) = &went_on {
            engine = engine.witnessed(went_on);
        }
        let (before, round) = match from {
            None => {
                // What was not asked cannot be taken once.
                let early = if only_asked { Answers::new() } else { answers };
                (None, engine.start_with(early, function))
            }
            Some((token, presented)) => {
                let before = Before::of(token, &presented, &answers);
                let waited = seconds_of(now).saturating_sub(before.times.issued);
                tell_answers(call, &presented.continuation, &answers, now, waited);
                let round = engine.resume(presented.continuation, answers, function);
                (Some(before), round)
            }
        };
        let begun = Begun {
            before,
            leased,
            went_on,
        };
        (begun, round)
    };
    match begun.end(call, &settings, envelope, round.await) {
        Ended::Now(outcome) => outcome,
        Ended::Later(outcome) => outcome.await,
    }
}

/// A round that runs.
struct Begun {
    before: Option<Before>,
    leased: Option<Box<Leased>>,
    went_on: Option<Arc<AtomicBool>>,
}

/// What a round came to, mostly at once.
enum Ended<'a, T> {
    Now(Served<T>),
    Later(Pin<Box<dyn Future<Output = Served<T>> + Send + 'a>>),
}

impl Begun {
    fn end<'a, T: Response + 'a>(
        self,
        call: &'a mut Call,
        settings: &'a Settings,
        envelope: &'a impl Envelope,
        outcome: Outcome<Result<T, ErrorData>>,
    ) -> Ended<'a, T> {
        let Self {
            before,
            leased,
            went_on,
        } = self;
        let outcome = match outcome {
            Outcome::Suspended(suspended) if suspended.background => Err(suspended),
            outcome => Ok(outcome),
        };
        match (outcome, leased) {
            (Ok(outcome), None) => Ended::Now(close(call, settings, envelope, before, outcome)),
            (outcome, leased) => Ended::Later(Box::pin(async move {
                let outcome = match outcome {
                    Ok(outcome) => close(call, settings, envelope, before, outcome),
                    Err(suspended) => task::create(call, Some(suspended), Duration::ZERO).await,
                };
                if let Some(leased) = leased {
                    leased.settle(went_on, &outcome).await;
                }
                outcome
            })),
        }
    }
}

/// Takes the leg that a call is at, where its guard says so.
async fn take<T: Response>(
    once: Once,
    call: &Call,
    envelope: &impl Envelope,
    from: Option<&Presented>,
    answers: &Answers,
    now: SystemTime,
) -> Result<Taken<T>, Error> {
    let wire = envelope.binding();
    match from {
        None => once.begin(call, &wire).await,
        Some(from) if from.continuation.goes_on(answers, &call.client, now) => {
            let Identity { id, leg, .. } = from.continuation.identity;
            once.take(id, leg, from.times, &wire).await
        }
        Some(_) => Ok(Taken::Free),
    }
}

/// What a token goes on from.
pub(crate) struct Presented {
    pub(crate) continuation: Continuation,
    pub(crate) times: Times,
}

/// Opens the token that a call came with.
pub(crate) fn present(
    call: &mut Call,
    settings: &Settings,
    envelope: &impl Envelope,
    token: &str,
    now: SystemTime,
) -> Result<Presented, Error> {
    let Opened { body, times } = open(settings, envelope, token, now)?;
    let continuation = envelope.unwrap(&body).map_err(unreadable)?;
    let identity = continuation.identity;
    call.is(Some(identity.id), identity.leg);
    check_age(settings, identity.begun, now)?;
    Ok(Presented {
        continuation,
        times,
    })
}

/// A token, opened.
pub(crate) fn open(
    settings: &Settings,
    envelope: &impl Envelope,
    token: &str,
    now: SystemTime,
) -> Result<Opened, Error> {
    if token.len() > settings.config().max_token_bytes {
        let detail = format!(
            "{} bytes are more than {}",
            token.len(),
            settings.config().max_token_bytes
        );
        return Err(Error::token(Reason::TooLarge, detail));
    }
    token::open(&*settings.keys()?, &envelope.binding(), token, now)
}

/// We sealed it, so whoever did had another form for what is in it.
pub(crate) fn unreadable(error: Error) -> Error {
    match error {
        Error::Token {
            reason: Reason::Malformed,
            detail,
        } => Error::token(Reason::Stale, detail),
        other => other,
    }
}

/// Tells of the answers that came along, where there are any that count.
fn tell_answers(
    call: &Call,
    continuation: &Continuation,
    answers: &Answers,
    now: SystemTime,
    waited: u32,
) {
    let mut keys = continuation.answered(answers, &call.client, now).peekable();
    if keys.peek().is_some() {
        let keys = &call.told(keys);
        let waited = Duration::from_secs(u64::from(waited));
        call.tell(Event::Answered { keys, waited });
    }
}

fn check_age(settings: &Settings, begun: u32, now: SystemTime) -> Result<(), Error> {
    let age = seconds_of(now).saturating_sub(begun);
    if u64::from(age) < settings.config().max_call_age.as_secs() {
        return Ok(());
    }
    let detail = format!("its call is {age} s old");
    Err(Error::token(Reason::Expired, detail))
}

/// Bytes that the answers to what a continuation waits on may take in a token.
fn size(continuation: &Continuation, answers: &Answers) -> usize {
    let bytes = |key: &str| match answers.get(key) {
        Some(Answer::Result(result)) => length(result),
        _ => 0,
    };
    continuation.keys().map(bytes).sum()
}

/// About so many bytes are the value's: each request is counted, and hardly any comes near its limit.
fn length(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 1,
        Value::Number(_) => 9,
        Value::String(text) => text.len() + 5,
        Value::Array(items) => items.iter().map(length).sum::<usize>() + 5,
        Value::Object(members) => {
            let members = members.iter();
            let members = members.map(|(name, member)| name.len() + 5 + length(member));
            members.sum::<usize>() + 5
        }
    }
}

/// How many variables an error about size names.
const NAMED: usize = 3;

fn close<T: Response>(
    call: &mut Call,
    settings: &Settings,
    envelope: &impl Envelope,
    before: Option<Before>,
    outcome: Outcome<Result<T, ErrorData>>,
) -> Served<T> {
    let suspended = match outcome {
        Outcome::Done(value) => return Ok(value),
        Outcome::Refused(error) => return Err(error),
        // Nobody is asked: it gives what it has, to a client that knows of resume tokens, or where the author gives a part.
        Outcome::Suspended(suspended)
            if suspended.asks.is_empty() && resume::gives_part(call, &suspended) =>
        {
            return resume::part(call, settings, suspended);
        }
        Outcome::Suspended(suspended) => suspended,
    };
    #[cfg(feature = "testing")]
    if let Some(bench) = &call.bench {
        bench.suspended(suspended.at, &suspended.sizes, suspended.due);
    }
    let Suspended {
        asks,
        continuation,
        sizes,
        progress,
        again,
        at,
        due,
        ..
    } = suspended;
    // Nearly always one: to collect it would be to sort a list of large requests.
    let mut requests = InputRequests::new();
    requests.extend(asks);
    let asks = requests;
    if let Some(before) = &before
        && !progress
    {
        // Nothing ran, so nothing is new: neither its age nor its name. Nor was its leg taken, if there is a guard.
        let token = before.token.clone();
        return Ok(Ok(InputRequiredResult::new(Some(asks), Some(token)).into()));
    }
    call.is(Some(continuation.identity.id), continuation.identity.leg);
    let body = envelope.wrap(continuation)?;
    let answers = before.as_ref().map_or(0, |before| before.answers);
    check_size(settings, &body, answers, sizes)?;
    let times = match before {
        // A question that is put again has the time that it had, and so has what is put beside it.
        Some(before) if again => before.times,
        // Nobody is asked while it sleeps.
        _ => times(settings, due.filter(|_| asks.is_empty())),
    };
    let token = token::seal(&*settings.keys()?, &envelope.asking(), body, times)?;
    let keys = call.told(asks.keys().map(String::as_str));
    call.span.asks(at, &keys, token.len());
    call.tell(Event::Asked {
        keys: &keys,
        token_bytes: token.len(),
    });
    Ok(Ok(InputRequiredResult::new(Some(asks), Some(token)).into()))
}

/// The times of a token of this moment, whose call rests until then.
pub(crate) fn times(settings: &Settings, rests: Option<SystemTime>) -> Times {
    let now = settings.now();
    let rests = rests.and_then(|rests| rests.duration_since(now).ok());
    let ttl = settings.config().ttl;
    Times::new(now, ttl.saturating_add(rests.unwrap_or_default()))
}

/// Refuses what makes no token that its client could send back: `sizes` are those of the variables in it, and so many bytes
/// of it are the client's own answers.
pub(crate) fn check_size(
    settings: &Settings,
    body: &[u8],
    answers: usize,
    sizes: Vec<(&'static str, usize)>,
) -> Result<(), Error> {
    let (bytes, limit) = (token_bytes(body.len()), settings.config().max_token_bytes);
    if bytes <= limit {
        return Ok(());
    }
    if token_bytes(body.len().saturating_sub(answers)) <= limit {
        return Err(Error::AnswersTooLarge { bytes, limit });
    }
    let largest = sizes.into_iter().take(NAMED);
    let largest = largest.map(|(name, bytes)| (name.to_owned(), bytes));
    Err(Error::TooLarge {
        bytes,
        limit,
        largest: largest.collect(),
    })
}

/// Length of the token with such a body.
fn token_bytes(body: usize) -> usize {
    ((body + token::OVERHEAD) * 4).div_ceil(3)
}
