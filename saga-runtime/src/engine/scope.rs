//! The saga that the current task is polling: how a function reaches the engine without a parameter.

use std::{
    fmt::Write as _,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use rmcp::{
    Peer, RoleServer,
    model::{CallToolResult, InputRequest},
    service::RequestContext,
};
use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod tests;

use crate::{
    activation::TimeLimit,
    ask::{Ask, answer::Answer, client::Client, pause::Pause},
    engine::{
        answers::Answers,
        continuation::{Frame, GivenOut, Pending},
        function::Function,
        named::Expected,
    },
    error::Error,
    hash::fnv1a,
    identity::{Branch, CallId, Caller},
    observe::{Event, Teller},
    wire::live,
};

tokio::task_local! {
    pub(crate) static CURRENT: Arc<Scope>;
}

/// How asks reach the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The call ends with a token and is continued.
    Stateless,
    /// The peer is asked while the call waits.
    Live,
}

/// One call level: the function that runs here, and what it leaves behind when it suspends.
pub(crate) struct Scope {
    pub(crate) run: Arc<Run>,
    /// None where it is the call's own.
    branch: Option<Arc<Branch>>,
    /// When somebody up the stack does not wait for it any more.
    pub(crate) limit: Option<TimeLimit>,
    slot: Mutex<Slot>,
}

/// The state of one call level.
#[derive(Default)]
pub(crate) struct Slot {
    /// The frame to go on from; taken by the function that enters.
    pub(crate) resume: Option<Frame>,
    /// A saga function runs at this level.
    pub(crate) entered: bool,
    /// The function that may; none where it is whichever the wire calls.
    pub(crate) expected: Option<Expected>,
    /// The frame of that function, once it has suspended.
    pub(crate) suspended: Option<Frame>,
}

/// One round of one call, shared by all levels.
pub(crate) struct Run {
    pub(crate) mode: Mode,
    pub(crate) client: Client,
    /// When the round began, by the wire's clock.
    pub(crate) now: SystemTime,
    began: Instant,
    /// Where nothing runs beside it.
    root: Branch,
    pub(crate) caller: Caller,
    pub(crate) hooks: Hooks,
    /// The request, once a function was given it: others of the call may have it in a field alone.
    pub(crate) request: OnceLock<Arc<RequestContext<RoleServer>>>,
    state: Mutex<RunState>,
}

/// What a wire has to say in a round, and what it wants to hear.
#[derive(Default)]
pub(crate) struct Hooks {
    pub(crate) teller: Option<Arc<Teller>>,
    /// Answers an ask at once where it can.
    pub(crate) answering: Option<Box<Answering>>,
    /// Whether the call is to end its response at a pause; without it every pause is waited for in place.
    pub(crate) suspending: Option<Box<Suspending>>,
    /// Hears of what is new before the round is over.
    pub(crate) noticing: Option<Box<Noticing>>,
    /// Whoever called does not want the call any more.
    pub(crate) cancelled: Option<CancellationToken>,
    /// A test that says where the call is torn down.
    #[cfg(feature = "testing")]
    pub(crate) bench: Option<crate::testing::Bench>,
}

/// Whether a pause ends the round.
pub(crate) type Suspending = dyn Fn(&Pause) -> bool + Send + Sync;

/// Hears of something in a round that still runs.
pub(crate) type Noticing = dyn Fn(Notice<'_>) + Send + Sync;

/// What happened in a round that still runs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Notice<'a> {
    /// A question was put, with the time at which it is over.
    Asked(&'a str, &'a InputRequest, Option<SystemTime>),
    /// A part of the result is there.
    Partial(&'a CallToolResult),
    /// A function was entered.
    Entered(&'static Function),
}

/// Answers an ask by its key and request, or leaves it to the client.
pub(crate) type Answering = dyn Fn(&str, &InputRequest) -> Option<Answer> + Send + Sync;

/// Bytes of a dash and a number behind a key.
const LONGEST: usize = 11;

/// What happens in a round.
#[derive(Default)]
pub(crate) struct RunState {
    /// The asks that the continuation waited on.
    pub(crate) pending: Vec<Option<Pending>>,
    /// Answers that came with the first call, for its first round only.
    pub(crate) early: Option<Answers>,
    /// How often each key was given out.
    pub(crate) asked: GivenOut,
    /// The keys that authors chose in this round, each with the function that did.
    pub(crate) chosen: Vec<(String, &'static str)>,
    /// An ask that the continuation waited on has its outcome: the call went on.
    pub(crate) progress: bool,
    /// The keys of questions among the asks that were put before.
    pub(crate) again: Vec<String>,
    /// The asks of this round.
    pub(crate) put: Vec<Pending>,
    /// The requests of those that the client is to answer, by their keys.
    pub(crate) requests: Vec<(String, InputRequest)>,
    /// The part of the result that it ends with.
    pub(crate) partial: Option<Box<CallToolResult>>,
    /// It goes on in the background.
    pub(crate) background: bool,
    /// The function has heard that nobody wants the call any more.
    pub(crate) heard: bool,
    /// Encoded size of each variable that this round stored.
    pub(crate) sizes: Vec<(&'static str, usize)>,
    /// The function and suspension point whose ask had its outcome last.
    pub(crate) at: Option<(&'static str, u32)>,
    /// The function and suspension point of the first ask of this round.
    pub(crate) stands: Option<(&'static str, u32)>,
    /// Why the call cannot go on.
    pub(crate) failure: Option<Error>,
}

impl Hooks {
    /// Whether nobody wants the call any more.
    pub(crate) fn is_cancelled(&self) -> bool {
        let token = self.cancelled.as_ref();
        token.is_some_and(CancellationToken::is_cancelled)
    }
}

impl Run {
    pub(crate) fn new(
        mode: Mode,
        client: Client,
        now: SystemTime,
        caller: Caller,
        passed: u32,
        hooks: Hooks,
        state: RunState,
    ) -> Self {
        Self {
            mode,
            client,
            now,
            began: Instant::now(),
            root: Branch::root(passed),
            caller,
            hooks,
            request: OnceLock::new(),
            state: Mutex::new(state),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells of an ask over the live wire, by its key.
    pub(crate) fn tell(&self, leg: u32, event: Event<'_>) {
        if let Some(teller) = &self.hooks.teller {
            teller.tell(self.caller.id(), leg, event);
        }
    }

    /// How long the round has run.
    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Whether a pause ends the round.
    pub(crate) fn suspends(&self, pause: &Pause) -> bool {
        let suspending = self.hooks.suspending.as_ref();
        let suspends = suspending.is_some_and(|suspending| suspending(pause));
        #[cfg(feature = "testing")]
        if let (Some(bench), Mode::Stateless) = (&self.hooks.bench, self.mode) {
            return bench.suspends(pause, suspends);
        }
        suspends
    }

    /// Waits for the end of a pause, in this process.
    pub(crate) async fn wait(&self, pause: &Pause, cancelled: Option<&CancellationToken>) {
        #[cfg(feature = "testing")]
        if let Some(bench) = &self.hooks.bench {
            bench.sleeps(pause.length());
            // Else nobody could end one that pauses for ever.
            tokio::task::yield_now().await;
            return;
        }
        pause.wait(cancelled).await;
    }

    /// Tells what happened while the round runs.
    pub(crate) fn notice(&self, notice: Notice<'_>) {
        if let Some(noticing) = &self.hooks.noticing {
            noticing(notice);
        }
    }

    pub(crate) fn fail(&self, error: Error) {
        self.state().failure.get_or_insert(error);
    }
}

impl RunState {
    /// An ask that the continuation waited on, by its place; each is looked at by one frame.
    pub(crate) fn take_pending(&mut self, index: u32) -> Option<Pending> {
        self.pending.get_mut(index as usize).and_then(Option::take)
    }

    /// The author's key, which must be the only one of its name in a round.
    pub(crate) fn chosen_key(
        &mut self,
        base: &str,
        function: &'static str,
    ) -> Result<String, Error> {
        let chosen = self.chosen.iter().find(|(known, _)| known == base);
        let waits = |ask: &Pending| ask.key == base && ask.answer.is_none();
        let pending = || self.put.iter().any(waits);
        let first = match chosen {
            Some((_, first)) => first,
            None if pending() => "an ask that still waits",
            None => return Ok(self.unique_key(base)),
        };
        Err(Error::TwoOfOneKey {
            key: base.to_owned(),
            first,
            second: function,
        })
    }

    /// Notes that an ask with this key waits over the live wire.
    pub(crate) fn open(&mut self, key: &str, function: &'static str) -> Result<(), Error> {
        if let Some((_, first)) = self.chosen.iter().find(|(known, _)| known == key) {
            return Err(Error::TwoOfOneKey {
                key: key.to_owned(),
                first,
                second: function,
            });
        }
        self.chosen.push((key.to_owned(), function));
        Ok(())
    }

    /// Puts an ask, with its request where it has one.
    pub(crate) fn puts(&mut self, ask: Pending, request: Option<InputRequest>) {
        if self.put.is_empty() {
            // A place for four of them would be 2 kB, and most calls put one.
            self.put.reserve_exact(1);
            self.requests.reserve_exact(1);
        }
        if let (None, Some(request)) = (&ask.answer, request) {
            self.requests.push((ask.key.clone(), request));
        }
        self.put.push(ask);
    }

    /// The ask has its answer.
    pub(crate) fn close(&mut self, key: &str) {
        self.chosen.retain(|(known, _)| known != key);
    }

    /// Takes back an ask of this round that nobody waits for any more.
    pub(crate) fn withdraw(&mut self, index: usize) {
        if let Some(ask) = self.put.get_mut(index) {
            ask.answer = Some(Answer::Abandoned);
            self.requests.retain(|(key, _)| *key != ask.key);
            self.chosen.retain(|(key, _)| *key != ask.key);
        }
    }

    /// A key for a question that is asked in place of the one with this key.
    pub(crate) fn next_key(&mut self, key: &str) -> String {
        let base = self.put_before(key);
        self.unique_key(base)
    }

    /// Notes that a key was given out, in a leg of which nothing else is known. Gives what it was numbered from.
    pub(crate) fn put_before<'k>(&mut self, key: &'k str) -> &'k str {
        let place = |base: &str| {
            let hash = fnv1a(base.as_bytes());
            self.asked.iter().position(|(known, _)| *known == hash)
        };
        let numbered = key.rsplit_once('-').and_then(|(base, number)| {
            let number: u32 = number.parse().ok()?;
            Some((base, number, place(base)?))
        });
        let (base, number, known) = match numbered {
            Some((base, number, known)) => (base, number, Some(known)),
            None => (key, 1, place(key)),
        };
        match known.and_then(|known| self.asked.get_mut(known)) {
            Some((_, count)) => *count = number.max(*count),
            None => self.asked.push((fnv1a(base.as_bytes()), number)),
        }
        base
    }

    /// A key that was not given out before: `base`, then `base-2`, `base-3`, … in order of asking.
    pub(crate) fn unique_key(&mut self, base: &str) -> String {
        let hash = fnv1a(base.as_bytes());
        let index = match self.asked.iter().position(|(known, _)| *known == hash) {
            Some(index) => index,
            None => {
                self.asked.push((hash, 0));
                self.asked.len() - 1
            }
        };
        loop {
            let count = match self.asked.get_mut(index) {
                Some((_, count)) => {
                    *count += 1;
                    *count
                }
                None => 1,
            };
            let mut key = String::with_capacity(base.len() + LONGEST);
            key.push_str(base);
            if count > 1 {
                // It is memory, which takes all.
                let _ = write!(key, "-{count}");
            }
            if self.put.iter().all(|ask| ask.key != key) {
                return key;
            }
        }
    }
}

impl Scope {
    pub(crate) fn new(
        run: Arc<Run>,
        branch: Option<Arc<Branch>>,
        limit: Option<TimeLimit>,
        resume: Option<Frame>,
        expected: Option<Expected>,
    ) -> Arc<Self> {
        let slot = Slot {
            resume,
            expected,
            ..Slot::default()
        };
        Arc::new(Self {
            run,
            branch,
            limit,
            slot: Mutex::new(slot),
        })
    }

    /// The branch that it is in.
    pub(crate) fn branch(&self) -> &Branch {
        self.branch.as_deref().unwrap_or(&self.run.root)
    }

    /// The same call, one level down.
    pub(crate) fn below(
        &self,
        resume: Option<Frame>,
        expected: Expected,
        limit: Option<TimeLimit>,
    ) -> Arc<Self> {
        let (run, branch) = (Arc::clone(&self.run), self.branch.clone());
        let limit = TimeLimit::earlier(self.limit, limit);
        Self::new(run, branch, limit, resume, Some(expected))
    }

    /// When an ask that is put here is over, by its own time limit or that of a caller.
    pub(crate) fn deadline(&self, own: Option<TimeLimit>) -> Option<(u64, u64)> {
        TimeLimit::earlier(own, self.limit).map(TimeLimit::deadline)
    }

    pub(crate) fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the live peer, under a key that is counted from `base`.
    pub(crate) async fn ask_live<K: Ask>(
        &self,
        peer: &Peer<RoleServer>,
        base: &str,
        ask: K,
    ) -> Answer {
        #[cfg(feature = "testing")]
        if let Some(bench) = &self.run.hooks.bench {
            let base = ask.key().unwrap_or(base).to_owned();
            let watched = crate::testing::Watched::new(self, bench, base);
            return live::ask_watched(peer, &self.run.client, ask, &watched).await;
        }
        let _ = base;
        live::ask(peer, &self.run.client, ask).await
    }

    /// An ask was put under this key.
    pub(crate) fn puts(&self, key: &str) {
        #[cfg(feature = "testing")]
        if let Some(bench) = &self.run.hooks.bench {
            bench.puts(key, self.branch().place());
        }
        let _ = key;
    }

    /// The ask at which this branch stands has its outcome.
    pub(crate) fn settles(&self) {
        #[cfg(feature = "testing")]
        if let Some(bench) = &self.run.hooks.bench {
            bench.settles(self.branch().place());
        }
        self.branch().pass();
    }

    pub(crate) fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Arc::clone).ok()
    }
}

/// A name for what the tool does between two asks: pass it on to whatever must not be done twice.
///
/// It is made of the call's identity and of the place in the call, so it is the same wherever the same
/// piece of the call runs again: after a crash, from a token that is presented twice, on another replica, after
/// the question was put again. Every other piece, of this call or another, has another name. Before the first
/// ask it is the same in a repeated request only where the client names the request itself
/// ([`REQUEST_KEY`](crate::REQUEST_KEY)).
///
/// `None` outside of a saga call.
///
/// ```
/// assert_eq!(saga_runtime::idempotency_key(), None);
/// ```
pub fn idempotency_key() -> Option<String> {
    idempotency_key_for("")
}

/// [`idempotency_key`] for one of several effects between the same two asks: each is to have a name of its own, also in
/// a loop, where the name says which item it is for.
///
/// ```
/// # struct Billing;
/// # impl Billing { async fn charge(&self, key: Option<String>) {} async fn mail(&self, key: Option<String>) {} }
/// # async fn example(billing: Billing) {
/// use saga_runtime::idempotency_key_for;
///
/// billing.charge(idempotency_key_for("charge")).await;
/// for line in 0..3 {
///     billing.mail(idempotency_key_for(&format!("invoice {line}"))).await;
/// }
/// # }
/// ```
pub fn idempotency_key_for(effect: &str) -> Option<String> {
    let scope = Scope::current()?;
    let id = scope.run.caller.id()?;
    let key = scope.branch().key(id, effect);
    #[cfg(feature = "testing")]
    if let Some(bench) = &scope.run.hooks.bench {
        bench.keyed(effect, &key);
    }
    Some(key)
}

/// The identity of the call that runs; `None` outside of a saga call.
pub fn call_id() -> Option<CallId> {
    Scope::current()?.run.caller.id()
}
