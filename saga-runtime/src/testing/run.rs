//! One run of a script.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
    time::SystemTime,
};

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value, json};

use super::{
    Ended, Failure, Question, Request, Script,
    bench::Names,
    scripted,
    session::{Round, Session},
    wire::response,
};
use crate::identity::Place;

/// More rounds than a call has that ends, in a test.
const ENDLESS: usize = 2_000;

/// A run of a script: what it asked, and how it ended.
///
/// Its `Debug` and `Serialize` are the questions in their order and the end, for a snapshot.
pub struct Ran<W = ()> {
    pub(super) name: String,
    pub(super) asked: Vec<Question>,
    pub(super) ended: Ended,
    pub(super) tokens: Vec<usize>,
    pub(super) keys: Vec<(String, String)>,
    pub(super) effects: Option<String>,
    pub(super) pauses: Vec<String>,
    /// Whether questions were open side by side.
    pub(super) joined: bool,
    /// Where it was torn down, by point.
    pub(super) stood: BTreeMap<String, (&'static str, u32)>,
    pub(super) reasons: String,
    /// What its questions are called, by the places that ask them.
    pub(super) names: Arc<Names>,
    /// The arms of joins that were given up while they asked.
    pub(super) given_up: BTreeSet<Place>,
    world: Arc<W>,
}

impl<W> Ran<W> {
    /// The questions, in the order in which they were put.
    pub fn asked(&self) -> &[Question] {
        &self.asked
    }

    /// The messages of the questions, in their order.
    pub fn messages(&self) -> Vec<&str> {
        self.asked.iter().map(Question::message).collect()
    }

    /// How it ended.
    pub fn result(&self) -> &Ended {
        &self.ended
    }

    /// The sizes of its tokens, in bytes, in their order; none over the live wire.
    pub fn token_bytes(&self) -> &[usize] {
        &self.tokens
    }

    /// The size of its largest token, in bytes.
    pub fn largest_token(&self) -> usize {
        self.tokens.iter().copied().max().unwrap_or_default()
    }

    /// The idempotency keys that were given out, each with the effect that it is for.
    pub fn idempotency_keys(&self) -> &[(String, String)] {
        &self.keys
    }

    /// What the servers acted on.
    pub fn world(&self) -> &W {
        &self.world
    }

    /// Refuses a script with answers that were not asked for.
    pub(super) fn used(self, script: &Script) -> Result<Self, Failure> {
        let unused = script.unused(&self.asked);
        if unused.is_empty() {
            return Ok(self);
        }
        let asked: Vec<_> = self
            .asked
            .iter()
            .map(|it| format!("`{}`", it.key()))
            .collect();
        let (name, reasons) = (&self.name, &self.reasons);
        let text = format!(
            "{name} did not ask for the answer {}: it asked {asked:?} and ended with {:?}{reasons}",
            unused.join(", "),
            self.ended,
        );
        Err(Failure::script(text))
    }

    /// What runs of one script agree on. An arm that another one ended may have asked already, or not yet.
    pub(super) fn essence(&self) -> Value {
        let of_given_up = |question: &&Question| {
            let mut names = self.given_up.iter().map(|place| self.names.of(place));
            names.any(|name| name.is_some_and(|name| name == question.under()))
        };
        let asked = self.asked.iter().filter(|question| !of_given_up(question));
        let asked: Map<_, _> = asked
            .map(|question| (question.key().to_owned(), question.essence()))
            .collect();
        let mut keys = self.keys.clone();
        keys.sort();
        json!({
            "end": self.ended.essence(),
            "questions": asked,
            "idempotency keys": keys,
        })
    }
}

impl<W> fmt::Debug for Ran<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ran")
            .field("asked", &self.asked)
            .field("ended", &self.ended)
            .finish()
    }
}

impl<W> Serialize for Ran<W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("asked", &self.asked)?;
        map.serialize_entry("ended", &self.ended)?;
        map.end()
    }
}

/// What is noted on the way.
#[derive(Default)]
struct Way {
    tokens: Vec<usize>,
    joined: bool,
    stood: BTreeMap<String, (&'static str, u32)>,
    /// When each open question is answered, by key.
    answered_at: BTreeMap<String, SystemTime>,
}

/// Runs it with a fresh server after every point that is not `in_place`.
pub(super) async fn torn<W: Send + Sync + 'static>(
    request: &Request<W>,
    script: &Arc<Script>,
    in_place: BTreeSet<String>,
    names: &Arc<Names>,
) -> Result<Ran<W>, Failure> {
    let kit = request.kit.afresh();
    let bench = scripted::bench(&kit, script, in_place, names)?;
    let session = request.session(&kit, bench);
    let mut way = Way::default();
    let mut round = session.round(session.params(None)).await?;
    for _ in 0..ENDLESS {
        let (questions, token) = match round {
            Round::Over(ended) => return Ok(over(&session, ended, way)),
            Round::Asks(questions, token) => (questions, token),
        };
        way.tokens.push(token.len());
        way.joined |= questions.len() > 1;
        let answers = match questions.is_empty() {
            true => {
                let heard = session.bench.heard();
                let (due, at) = (heard.due, heard.at);
                if let (Some(pause), Some(at)) = (heard.pauses.last(), at) {
                    way.stood.insert(pause.clone(), at);
                }
                drop(heard);
                if let Some(due) = due {
                    session.bench.clock().reach(due);
                }
                Value::Object(Map::new())
            }
            false => due(&session, script, &questions, &mut way)?,
        };
        round = session
            .round(session.params(Some((&token, answers))))
            .await?;
    }
    Err(endless(&session))
}

fn endless<W: Send + Sync + 'static>(session: &Session<W>) -> Failure {
    let name = session.name();
    let text =
        format!("{name} has no end after {ENDLESS} rounds: with these answers it asks for ever");
    Failure::script(text)
}

/// The answers that are next: all that come at the earliest time.
fn due<W: Send + Sync + 'static>(
    session: &Session<W>,
    script: &Script,
    questions: &[Question],
    way: &mut Way,
) -> Result<Value, Failure> {
    let now = session.bench.now();
    let mut replies = Vec::new();
    for question in questions {
        let Some(reply) = script.reply(question) else {
            return Err(unanswered(session, question));
        };
        let times = &mut way.answered_at;
        let known = times.get(question.key()).copied();
        if known.is_some_and(|at| at <= now) {
            return Err(refused(session, question, &reply.result(question)));
        }
        let at = known.unwrap_or_else(|| now + reply.delay());
        times.insert(question.key().to_owned(), at);
        if let Some(stands) = session.bench.heard().at {
            way.stood.entry(question.key().to_owned()).or_insert(stands);
        }
        replies.push((at, question, reply));
    }
    let first = replies.iter().map(|(at, ..)| *at).min().unwrap_or(now);
    session.bench.clock().reach(first);
    let due = replies.iter().filter(|(at, ..)| *at == first);
    let mut answers = Map::new();
    for (_, question, reply) in due {
        answers.insert(question.under().to_owned(), reply.fitting(question)?);
    }
    Ok(Value::Object(answers))
}

/// Runs it over the live wire.
pub(super) async fn live<W: Send + Sync + 'static>(
    request: &Request<W>,
    script: &Arc<Script>,
    names: &Arc<Names>,
) -> Result<Ran<W>, Failure> {
    let kit = request.kit.afresh();
    let bench = scripted::bench(&kit, script, BTreeSet::new(), names)?;
    let session = request.session(&kit, bench);
    let (mut wire, id) = session.live().await?;
    let mut asked = 0;
    while asked < ENDLESS {
        let mut message = wire.receive().await?;
        let method = message.get("method").is_some();
        let number = message.get("id").cloned();
        match (method, number) {
            (false, Some(number)) if number == json!(id) => {
                let response = response(&mut message);
                session.check(&response).await?;
                let ended = Ended::new(response);
                return Ok(over(&session, ended, Way::default()));
            }
            (true, Some(number)) if !Question::is_one(&message) => {
                let nothing = json!({});
                wire.send(json!({ "jsonrpc": "2.0", "id": number, "result": nothing }))
                    .await?;
            }
            (true, Some(number)) => {
                asked += 1;
                let question = session.bench.meets_live(&message);
                let Some(reply) = script.reply(&question) else {
                    return Err(unanswered(&session, &question));
                };
                session.bench.clock().advance(reply.delay());
                let result = reply.fitting(&question)?;
                wire.send(json!({ "jsonrpc": "2.0", "id": number, "result": result }))
                    .await?;
            }
            // Progress, logs, and the end of a request that was given up.
            _ => {}
        }
    }
    Err(endless(&session))
}

fn over<W: Send + Sync + 'static>(session: &Session<W>, ended: Ended, way: Way) -> Ran<W> {
    let heard = session.bench.heard();
    let (asked, keys, pauses) = (
        heard.asked.clone(),
        heard.keys.clone(),
        heard.pauses.clone(),
    );
    drop(heard);
    Ran {
        name: session.name(),
        asked,
        ended,
        tokens: way.tokens,
        keys,
        effects: session.effects(),
        pauses,
        joined: way.joined,
        stood: way.stood,
        reasons: session.reasons(),
        names: session.bench.names(),
        given_up: session.bench.given_up(),
        world: Arc::clone(&session.kit.world),
    }
}

fn unanswered<W: Send + Sync + 'static>(session: &Session<W>, question: &Question) -> Failure {
    let (key, message) = (question.key(), question.message());
    let text = format!(
        "{} asks `{key}` ({message:?}), and the test has no answer to it: say `.answer({key:?}, ..)`",
        session.name()
    );
    Failure::script(text)
}

fn refused<W: Send + Sync + 'static>(
    session: &Session<W>,
    question: &Question,
    result: &Value,
) -> Failure {
    let (name, key) = (session.name(), question.key());
    let text = format!(
        "{name} asks `{key}` again: {result} is not an answer to a question of kind {:?}{}",
        question.kind(),
        session.reasons()
    );
    Failure::script(text)
}
