//! One of the clients: it makes whole calls, and repeats only what was lost on the way.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use serde_json::{Map, Value, json};
use tokio::time::sleep;

use crate::{
    Result,
    balancer::Balancer,
    mrtr::{self, Call, Failure, Resume, Round},
    progress::Progress,
    tool::{Outcome, TOOL},
};

/// For how long a request is repeated, and the pause in between.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(40);
/// Milliseconds that an answer takes.
const THINKING: std::ops::Range<u64> = 5..60;
/// Of 256 requests, so many are sent twice, and so many only have the question put again.
const DUPLICATED: u8 = 26;
const RENEWED: u8 = 51;
/// So much of a token shows which key sealed it.
const KEY_HINT: usize = 6;

pub(crate) struct Client<'a> {
    pub(crate) http: &'a reqwest::Client,
    pub(crate) balancer: &'a Balancer,
    pub(crate) progress: &'a Progress,
    /// The user of a client's first call thinks until the keys are changed.
    pub(crate) patient: AtomicBool,
}

/// What a call is, by the seed.
pub(crate) struct Script {
    pub(crate) call: usize,
    pub(crate) hosts: usize,
    region: String,
    healthy: Vec<bool>,
    hour: u8,
    sure: bool,
    random: fastrand::Rng,
}

/// How one request went.
pub(crate) struct Attempt {
    pub(crate) id: String,
    pub(crate) answered: bool,
}

/// A request with its repetitions: the same token, or none in a call's first one.
pub(crate) struct Step {
    /// The effects that lie between the asks before and after.
    pub(crate) effects: Vec<String>,
    pub(crate) attempts: Vec<Attempt>,
}

/// A completed call.
pub(crate) struct Report {
    pub(crate) script: Script,
    pub(crate) steps: Vec<Step>,
    /// What of its tokens tells their keys apart.
    pub(crate) keys: BTreeSet<String>,
    pub(crate) outcome: Outcome,
}

impl Script {
    pub(crate) fn new(seed: u64, call: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        // Calls of neighbouring numbers have nothing in common.
        let seed = random.u64(..) ^ fastrand::Rng::with_seed(call as u64).u64(..);
        random.seed(seed);
        let hosts = random.usize(1..=4);
        Self {
            call,
            hosts,
            region: format!("region-{}", random.u16(..)),
            healthy: std::iter::repeat_with(|| random.bool())
                .take(hosts)
                .collect(),
            hour: random.u8(..24),
            sure: random.bool(),
            random,
        }
    }

    /// The effects up to the first ask, from each ask to the next, and after the last.
    fn effects(&self) -> Vec<Vec<String>> {
        let mut steps = vec![vec!["build".to_owned(), "publish".to_owned()]];
        let shifts = (0..self.hosts).map(|host| vec![format!("shift {host}")]);
        steps.extend(shifts);
        if let Some(first) = steps.get_mut(1) {
            first.insert(0, "reserve".to_owned());
        }
        steps.extend([vec!["verify".to_owned()], vec!["finish".to_owned()]]);
        steps
    }

    /// The answer to the question under `key`.
    fn answer(&self, step: usize, key: &str, question: &Value) -> Result<Value> {
        let accepted = |content| Ok(json!({ "action": "accept", "content": content }));
        let said = |yes: bool| {
            Ok(json!({
                "role": "assistant",
                "content": { "type": "text", "text": if yes { "yes" } else { "no" } },
                "model": "scripted",
            }))
        };
        let text = question.pointer("/params/message").and_then(Value::as_str);
        match text {
            Some("Which region?") => accepted(json!({ "region": self.region })),
            Some("At which hour?") => accepted(json!({ "hour": self.hour })),
            Some(_) => Err(format!("an unknown question: {question}").into()),
            None => {
                let text = question.pointer("/params/messages/0/content/text");
                let text = text.and_then(Value::as_str).unwrap_or_default();
                let asked = step.checked_sub(1).filter(|host| *host < self.hosts);
                match asked {
                    Some(host) if text == format!("Is host {host} in {} healthy?", self.region) => {
                        said(self.healthy.get(host).copied().unwrap_or_default())
                    }
                    None if text == "Is that sure?" => said(self.sure),
                    _ => Err(format!("asked out of turn, under {key}: {question}").into()),
                }
            }
        }
    }

    /// What the tool has to say in the end, but for the requests of its effects.
    pub(crate) fn agrees(&self, outcome: &Outcome) -> bool {
        (
            &outcome.region,
            &outcome.healthy,
            outcome.hour,
            outcome.sure,
        ) == (&self.region, &self.healthy, self.hour, self.sure)
    }
}

impl Client<'_> {
    /// Makes a whole call.
    pub(crate) async fn call(&self, mut script: Script) -> Result<Report> {
        let call = Call {
            tool: TOOL,
            arguments: json!({ "call": script.call, "hosts": script.hosts }),
            name: Some(format!("{:032x}", script.random.u128(..))),
        };
        let mut effects = script.effects().into_iter();
        let mut steps: Vec<Step> = Vec::new();
        let mut keys = BTreeSet::new();
        let mut resume: Option<Resume> = None;
        // Without the rounds in which a question was left open.
        let mut turn = 0;
        let mut partial = false;
        loop {
            let expected = match partial {
                true => Vec::new(),
                false => effects
                    .next()
                    .ok_or("the call goes on after its last ask")?,
            };
            let name = format!("{}.{}", script.call, steps.len());
            let (mut attempts, round) = self.request(&name, &call, resume.as_ref()).await?;
            if script.random.u8(..) < DUPLICATED {
                // A proxy or a client in doubt sends it once more; nobody waits for what comes of it.
                let id = format!("{name}.{}", attempts.len());
                let url = self.balancer.url()?;
                let _ = mrtr::send(self.http, url, &id, &call, resume.as_ref()).await;
                let answered = false;
                attempts.push(Attempt { id, answered });
            }
            steps.push(Step {
                effects: expected,
                attempts,
            });
            let (questions, state) = match round {
                Round::Asks { questions, state } => (questions, state),
                Round::Done(result) => {
                    let text = mrtr::text(&result).unwrap_or_default();
                    let outcome = serde_json::from_str(text)
                        .map_err(|_| format!("call {} ended with {result}", script.call))?;
                    self.progress.completed.fetch_add(1, Ordering::Relaxed);
                    return Ok(Report {
                        script,
                        steps,
                        keys,
                        outcome,
                    });
                }
            };
            keys.extend(state.get(..KEY_HINT).map(str::to_owned));
            let mut answers = Map::new();
            for (key, question) in &questions {
                answers.insert(key.clone(), script.answer(turn, key, question)?);
            }
            // A client that has lost a question may have it put again; and of two answers one may come later.
            let renewed = script.random.u8(..) < RENEWED;
            partial = renewed || answers.len() > 1 && script.random.bool();
            if renewed {
                answers.clear();
            } else if partial {
                let left_out = script.random.usize(..answers.len());
                let key = answers.keys().nth(left_out).cloned().unwrap_or_default();
                answers.remove(&key);
            } else {
                turn += 1;
            }
            self.think(&mut script.random).await;
            resume = Some(Resume { state, answers });
        }
    }

    /// Nobody but this client knows of the call now.
    async fn think(&self, random: &mut fastrand::Rng) {
        self.progress.suspended.fetch_add(1, Ordering::Relaxed);
        if self.patient.swap(false, Ordering::Relaxed) {
            self.progress.rotated().await;
        }
        sleep(Duration::from_millis(random.u64(THINKING))).await;
        self.progress.suspended.fetch_sub(1, Ordering::Relaxed);
    }

    /// Sends a request until it is answered. Each time it has another id, so that the effects tell
    /// which one they belong to.
    async fn request(
        &self,
        name: &str,
        call: &Call,
        resume: Option<&Resume>,
    ) -> Result<(Vec<Attempt>, Round)> {
        let started = Instant::now();
        let mut attempts = Vec::new();
        loop {
            let id = format!("{name}.{}", attempts.len());
            let url = self.balancer.url()?;
            let outcome = mrtr::send(self.http, url, &id, call, resume).await;
            let answered = outcome.is_ok();
            attempts.push(Attempt { id, answered });
            match outcome {
                Ok(round) => return Ok((attempts, round)),
                Err(Failure::Lost(_)) if started.elapsed() < PATIENCE => sleep(PAUSE).await,
                Err(error) => return Err(format!("request {name}: {error}").into()),
            }
        }
    }
}
