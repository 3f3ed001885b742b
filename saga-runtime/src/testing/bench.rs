//! What a kit says in a round and what it hears of it: the same code runs as on the wire, with this beside it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use rmcp::model::InputRequest;
use serde_json::Value;

use super::{Clock, Question, Script};
use crate::{
    ask::{answer::Answer, pause::Pause},
    identity::Place,
    observe::{Event, Observer, Record},
    token::{keyring::Keyring, settings::Settings},
};

/// One run of a call, in the extensions of each of its requests.
#[derive(Clone)]
pub(crate) struct Bench(Arc<Shared>);

struct Shared {
    keys: Arc<Keyring>,
    clock: Clock,
    /// On whose behalf the requests are, where the test says so.
    principal: Option<String>,
    script: Option<Arc<Script>>,
    /// The points that are passed without a suspension.
    in_place: BTreeSet<String>,
    names: Arc<Names>,
    heard: Mutex<Heard>,
}

/// What the questions of a call are called, by the places that ask them, and in which turn each was put: another run numbers them
/// in the order in which the arms of a join come to ask.
#[derive(Default)]
pub(super) struct Names {
    by_place: BTreeMap<Place, String>,
    turns: BTreeMap<String, usize>,
}

impl Names {
    pub(super) fn of(&self, place: &Place) -> Option<&str> {
        self.by_place.get(place).map(String::as_str)
    }
}

/// What was heard of a run.
#[derive(Default)]
pub(crate) struct Heard {
    /// The questions, in the order in which they were first put.
    pub(crate) asked: Vec<Question>,
    /// The places that ask, by the keys that they have in this run.
    places: BTreeMap<String, Place>,
    /// The places whose ask has its outcome.
    settled: BTreeSet<Place>,
    /// Those of the live wire that the client has not seen yet.
    live: Vec<(String, Value)>,
    /// The checkpoints and sleeps, by name.
    pub(crate) pauses: Vec<String>,
    /// The effects that were given a key, with it.
    pub(crate) keys: Vec<(String, String)>,
    /// Where the last suspension stands.
    pub(crate) at: Option<(&'static str, u32)>,
    /// Sizes of the variables in the last token, the largest first.
    pub(crate) sizes: Vec<(&'static str, usize)>,
    /// When the call goes on though nobody answers.
    pub(crate) due: Option<SystemTime>,
    /// Why a request was refused or failed, with what its client is not told.
    pub(crate) errors: Vec<String>,
}

impl fmt::Debug for Bench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bench").finish_non_exhaustive()
    }
}

impl Bench {
    pub(super) fn new(keys: Arc<Keyring>, clock: Clock, principal: Option<String>) -> Self {
        Self(Arc::new(Shared {
            keys,
            clock,
            principal,
            script: None,
            in_place: BTreeSet::new(),
            names: Arc::default(),
            heard: Mutex::default(),
        }))
    }

    /// The same, answering at the points of `in_place` without a suspension.
    pub(super) fn answering(
        keys: Arc<Keyring>,
        clock: Clock,
        principal: Option<String>,
        script: Arc<Script>,
        in_place: BTreeSet<String>,
        names: &Arc<Names>,
    ) -> Self {
        Self(Arc::new(Shared {
            keys,
            clock,
            principal,
            script: Some(script),
            in_place,
            names: Arc::clone(names),
            heard: Mutex::default(),
        }))
    }

    pub(crate) fn heard(&self) -> MutexGuard<'_, Heard> {
        self.0.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now(&self) -> SystemTime {
        self.0.clock.now()
    }

    pub(super) fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// The author's settings with the kit's keys and clock: each request goes to a server of its own, which must open
    /// what another one has sealed.
    pub(crate) fn configured(&self, settings: &Settings) -> Settings {
        let clock = self.0.clock.clone();
        let hears = Hears {
            bench: self.clone(),
            also: settings.config().observer.clone(),
        };
        let settings = settings
            .with_keys(&self.0.keys)
            .with_clock(move || clock.now())
            .with_observer(hears);
        match self.0.principal.clone() {
            Some(principal) => settings.with_principal(move |_| Some(principal.clone())),
            None => settings,
        }
    }

    /// The settings of a server that has none.
    pub(crate) fn settings(&self) -> Settings {
        self.configured(&Settings::shared(&self.0.keys))
    }

    /// An ask is put under this key.
    pub(crate) fn puts(&self, key: &str, place: Place) {
        let mut heard = self.heard();
        if heard
            .places
            .get(key)
            .is_some_and(|known| known.is_of_ask(&place))
        {
            return;
        }
        let before = heard.places.values();
        let before = before.filter(|known| known.is_of_ask(&place)).count();
        heard.places.insert(key.to_owned(), place.after(before));
    }

    /// The ask of this place has its outcome.
    pub(crate) fn settles(&self, place: Place) {
        self.heard().settled.insert(place);
    }

    /// What this run calls its questions.
    pub(super) fn names(&self) -> Arc<Names> {
        let heard = self.heard();
        let places = heard.places.iter();
        let asked = heard.asked.iter();
        Arc::new(Names {
            by_place: places
                .map(|(key, place)| (place.clone(), key.clone()))
                .collect(),
            turns: asked
                .map(|one| (one.key().to_owned(), one.turn()))
                .collect(),
        })
    }

    /// The arms that were given up while they asked: what stood beside them ended the join.
    pub(super) fn given_up(&self) -> BTreeSet<Place> {
        let heard = self.heard();
        let open = heard.places.values();
        let is_settled = |place: &&Place| heard.settled.iter().any(|one| one.is_of_ask(place));
        let open = open.filter(|place| place.is_in_arm() && !is_settled(place));
        open.cloned().collect()
    }

    /// What the question under this key is called.
    fn name<'k>(&'k self, heard: &Heard, key: &'k str) -> &'k str {
        let place = heard.places.get(key);
        place
            .and_then(|place| self.0.names.of(place))
            .unwrap_or(key)
    }

    /// The question under this key, known from now on.
    pub(super) fn meets(&self, key: &str, request: &Value) -> Question {
        let mut heard = self.heard();
        let name = self.name(&heard, key);
        if let Some(known) = heard.asked.iter().find(|known| known.key() == name) {
            return known.clone();
        }
        let turn = self.0.names.turns.get(name).copied();
        let turn = turn.unwrap_or(heard.asked.len());
        let question = Question::new(name, turn, request).put_under(key);
        heard.asked.push(question.clone());
        question
    }

    /// The answer to an ask that is to be answered in place.
    pub(crate) fn answer(&self, key: &str, request: &InputRequest) -> Option<Answer> {
        let script = self.0.script.as_ref()?;
        let answered = self.0.in_place.contains(self.name(&self.heard(), key));
        if !answered {
            return None;
        }
        let request = serde_json::to_value(request).ok()?;
        let question = self.meets(key, &request);
        let reply = script.reply(&question)?;
        Some(Answer::Result(reply.result(&question)))
    }

    /// Whether the response ends at a pause; `otherwise` says what the wire does by itself.
    pub(crate) fn suspends(&self, pause: &Pause, otherwise: bool) -> bool {
        let name = match pause {
            Pause::Sleep(_) => "sleep",
            Pause::Checkpoint => "checkpoint",
            _ => return otherwise,
        };
        let mut heard = self.heard();
        let name = format!("{name} {}", heard.pauses.len() + 1);
        let torn = !self.0.in_place.contains(&name);
        heard.pauses.push(name);
        torn
    }

    /// Passes a sleep in place: the clock moves.
    pub(crate) fn sleeps(&self, length: Duration) {
        self.0.clock.advance(length);
    }

    /// Notes a question that is about to go to the live peer.
    pub(crate) fn puts_live(&self, key: &str, request: &InputRequest) {
        if let Ok(request) = serde_json::to_value(request) {
            self.heard()
                .live
                .push((key.to_owned(), Question::plain(&request)));
        }
    }

    /// The question that reached the client over the live wire; one of plain code has no key of its own.
    pub(super) fn meets_live(&self, request: &Value) -> Question {
        let plain = Question::plain(request);
        let mut heard = self.heard();
        let place = heard.live.iter().position(|(_, put)| *put == plain);
        let key = match place {
            Some(place) => heard.live.remove(place).0,
            None => format!("question {}", heard.asked.len() + 1),
        };
        drop(heard);
        self.meets(&key, request)
    }

    /// Notes a suspension.
    pub(crate) fn suspended(
        &self,
        at: Option<(&'static str, u32)>,
        sizes: &[(&'static str, usize)],
        due: Option<SystemTime>,
    ) {
        let mut heard = self.heard();
        heard.at = at.or(heard.at);
        heard.sizes = sizes.to_vec();
        heard.due = due;
    }

    /// Notes the key that an effect was given.
    pub(crate) fn keyed(&self, effect: &str, key: &str) {
        self.heard().keys.push((effect.to_owned(), key.to_owned()));
    }
}

/// The author's observer, and the bench.
struct Hears {
    bench: Bench,
    also: Option<Arc<dyn Observer>>,
}

impl Observer for Hears {
    fn observe(&self, record: &Record<'_>) {
        if let Event::Refused { error } | Event::Failed { error } = &record.event {
            self.bench.heard().errors.push(error.to_string());
        }
        if let Some(also) = &self.also {
            also.observe(record);
        }
    }
}
