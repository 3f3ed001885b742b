//! A task that this process runs: leg after leg, until it waits, sleeps or is over.

pub(crate) mod history;
mod news;
mod write;

use std::{
    future::pending,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime},
};

use rmcp::{ErrorData, model::Extensions};
use saga_runtime::{
    Continuation, Error, Pause, Reason, Settings, Suspended,
    background::{Begun, Leg, LegEnd, News, Refusal, Runner},
};
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc, oneshot, watch},
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use self::news::{cut, said};
use crate::{
    body::{Body, BodyError, End, Shown, Stale, is_same},
    record::{CodeId, KEPT, State, TaskId, TaskRecord, millis, time, whole},
    tasks::Inner,
    wire::internal,
};

/// A shorter sleep is not worth a write.
const SHORT: Duration = Duration::from_secs(1);
/// How many codes that it does not have a worker remembers.
const UNKNOWN: usize = 256;
/// How long a question is the leg's own, before it is shown though the leg still runs.
const SHOWN_AFTER: Duration = Duration::from_millis(200);
/// How often progress is written at most.
const NOTED_EVERY: Duration = Duration::from_secs(1);

/// No task waits longer: the year 9999.
pub(crate) fn forever() -> SystemTime {
    time(253_402_300_799_000)
}

/// What a leg that runs is told from outside.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signal {
    /// Its client does not want it any more.
    pub(crate) cancel: CancellationToken,
    /// Its lease is lost.
    pub(crate) lost: CancellationToken,
    /// Set where it is in the store.
    pub(crate) stored: Arc<AtomicBool>,
}

/// A call that is not a task yet.
pub(crate) struct First {
    pub(crate) until: Instant,
    pub(crate) told: oneshot::Sender<Result<Begun, ErrorData>>,
}

/// A task that is run here.
pub(crate) struct LegRun {
    pub(crate) tasks: Arc<Inner>,
    pub(crate) settings: Settings,
    pub(crate) runner: Runner,
    pub(crate) record: TaskRecord,
    pub(crate) body: Body,
    /// The store's time when it was claimed, and ours.
    pub(crate) now: SystemTime,
    pub(crate) at: Instant,
    pub(crate) signal: Signal,
    /// Set until it is in the store.
    pub(crate) first: Option<First>,
    pub(crate) permit: OwnedSemaphorePermit,
}

/// How a leg ended, for its task.
enum Ending {
    Leg(LegEnd),
    /// It was dropped: its task is cancelled, and it went on.
    Dropped,
    /// It is another worker's.
    Lost,
}

/// Whether there is more to do.
enum Next {
    Again,
    Over,
}

/// The task is another worker's.
struct Gone;

impl LegRun {
    /// Runs it, and lets others know that it is run here.
    pub(crate) fn spawn(self) {
        let (id, fence) = (self.record.id.clone(), self.record.fence);
        let signal = self.signal.clone();
        signal.stored.store(self.first.is_none(), Ordering::Relaxed);
        let tasks = Arc::clone(&self.tasks);
        if let Some((_, before)) = tasks.running().insert(id.clone(), (fence, signal)) {
            // It had the lease before this one.
            before.lost.cancel();
        }
        tokio::spawn(async move {
            let held = Held { tasks, id, fence };
            self.run().await;
            drop(held);
        });
    }

    async fn run(mut self) {
        while let Next::Again = self.leg().await {}
        drop(self.permit);
    }

    /// The time, by the store's clock.
    fn time(&self) -> SystemTime {
        whole(self.now + self.at.elapsed())
    }

    async fn leg(&mut self) -> Next {
        let config = &self.tasks.config;
        if self.record.expires.is_some_and(|at| at <= self.time()) {
            return self
                .fail(internal("the task's time is over", "expired"))
                .await;
        }
        if self.record.attempts > config.attempts {
            let why = format!("a leg was begun {} times and did not end", config.attempts);
            return self.fail(internal(why, "attempts")).await;
        }
        if self.record.cancel {
            if self.body.continuation.is_none() && self.record.attempts <= 1 {
                // Nothing of it has begun.
                return self.end(State::Cancelled, None).await;
            }
            self.signal.cancel.cancel();
        }
        let mut continuation = match self.body.continuation() {
            Ok(continuation) => continuation,
            Err(error) => return self.fail(corrupt(&error)).await,
        };
        let mut consumed = Vec::new();
        if let Some(continuation) = &mut continuation {
            for (key, given) in &self.body.answers {
                // Whether it came in time was judged when it came.
                if continuation.deliver(key, &given.answer, SystemTime::UNIX_EPOCH) {
                    consumed.push(key.clone());
                }
            }
        }
        match self.supervised(continuation).await {
            Ending::Lost => Next::Over,
            Ending::Dropped => self.end(State::Cancelled, None).await,
            Ending::Leg(LegEnd::Completed(result)) => {
                self.end(State::Completed, Some(End::Result(result))).await
            }
            Ending::Leg(LegEnd::Missing(error)) => {
                let error = internal(error.message.to_string(), "stale");
                self.left_to_others(error, true).await
            }
            Ending::Leg(LegEnd::Unreached(error)) => self.left_to_others(error, false).await,
            Ending::Leg(LegEnd::Failed(error)) => self.fail(error).await,
            Ending::Leg(LegEnd::Refused(refusal)) => self.refused(refusal).await,
            Ending::Leg(LegEnd::Suspended(_)) if self.signal.cancel.is_cancelled() => {
                self.end(State::Cancelled, None).await
            }
            Ending::Leg(LegEnd::Suspended(suspended)) => {
                self.suspended(*suspended, &consumed).await
            }
            Ending::Leg(_) => {
                self.fail(internal("the leg ended in no known way", "leg"))
                    .await
            }
        }
    }

    /// Runs one leg, and does beside it what cannot wait for its end.
    async fn supervised(&mut self, continuation: Option<Continuation>) -> Ending {
        let (ask, mut asks) = mpsc::unbounded_channel();
        // Of what it says the newest counts: a tool may say more than anybody writes.
        let (say, mut says) = watch::channel(String::new());
        let stored = Arc::clone(&self.signal.stored);
        let until = self.first.as_ref().map(|first| first.until);
        let tasks = Arc::clone(&self.tasks);
        let mut leg = Leg::new(self.body.call.clone(), continuation, self.time())
            .suspending(move |pause| {
                let is_task = stored.load(Ordering::Relaxed);
                match pause {
                    // A call that is no task yet is not to be one for a checkpoint, nor for a sleep that its request has the time for.
                    Pause::Checkpoint => is_task,
                    Pause::Sleep(length) => *length > SHORT && (is_task || !fits(*length, until)),
                    _ => false,
                }
            })
            .telling(move |news| match news {
                News::Entered(function) => tasks.enter(function),
                News::Asked(key, question, over) => {
                    let over = over.map(millis);
                    // Nobody hears of a leg that is lost.
                    let _ = ask.send((key, Shown { question, over }));
                }
                news => {
                    if let Some(message) = said(news) {
                        say.send_replace(message);
                    }
                }
            });
        leg.cancelled = self.signal.cancel.clone();
        leg.extensions = self.extensions();
        let (runner, signal) = (self.runner.clone(), self.signal.clone());
        let mut run = pin!(runner.run(leg));
        let mut grace = None;
        let mut asked = Vec::new();
        let mut shown_at = None;
        let mut is_news = false;
        let mut noted = Instant::now();
        loop {
            let first = self.first.as_ref().map(|first| first.until);
            tokio::select! {
                biased;
                end = &mut run => {
                    // It is written with the leg's end.
                    let newest = says.borrow_and_update();
                    if is_news || newest.has_changed() {
                        self.record.status_message = Some(cut(newest.clone()));
                    }
                    return Ending::Leg(end);
                }
                () = signal.lost.cancelled() => return Ending::Lost,
                () = signal.cancel.cancelled(), if grace.is_none() => {
                    grace = Some(Instant::now() + self.tasks.config.grace);
                }
                () = at(grace) => return Ending::Dropped,
                // Its time for the request is over: it becomes a task while it runs.
                () = at(first) => if self.write(|_, _| {}).await.is_err() {
                    return Ending::Lost;
                },
                Some(shown) = asks.recv() => {
                    asked.push(shown);
                    shown_at.get_or_insert(Instant::now() + SHOWN_AFTER);
                }
                Ok(()) = says.changed(), if !is_news => is_news = true,
                () = at(shown_at) => {
                    shown_at = None;
                    let asked = std::mem::take(&mut asked);
                    let shown = self.write(|record, body| {
                        // Who has cancelled it is asked nothing more.
                        if record.cancel {
                            return;
                        }
                        for (key, shown) in &asked {
                            let known = body.shown.get(key);
                            // Who knows another question by this key is asked when the leg is over.
                            let same = known.is_none_or(|known| is_same(&known.question, &shown.question));
                            if same && !body.answers.contains_key(key) {
                                body.open.insert(key.clone(), shown.question.clone());
                                body.shown.insert(key.clone(), shown.clone());
                            }
                        }
                    });
                    if shown.await.is_err() {
                        return Ending::Lost;
                    }
                }
                () = at(is_news.then_some(noted)) => {
                    noted = Instant::now() + NOTED_EVERY;
                    is_news = false;
                    let message = says.borrow_and_update().clone();
                    self.note(message);
                }
            }
        }
    }

    /// What the application kept of the request.
    fn extensions(&self) -> Extensions {
        let mut extensions = Extensions::default();
        extensions.insert(self.settings.clone());
        if let Some((_, restore)) = &self.tasks.config.caller {
            restore(&self.body.call.caller, &mut extensions);
        }
        extensions
    }

    fn note(&mut self, message: String) {
        let message = cut(message);
        self.record.status_message = Some(message.clone());
        if self.first.is_some() {
            return;
        }
        let (id, fence) = (self.record.id.clone(), self.record.fence);
        let tasks = Arc::clone(&self.tasks);
        // The leg does not wait for it.
        tokio::spawn(async move {
            match tasks.store.note(&id, fence, &message).await {
                Ok(()) => tasks.tell_written(&id),
                Err(error) => tracing::warn!(task = %id, %error, "progress was not written"),
            }
        });
    }

    /// The tool waits, sleeps, or goes on from a checkpoint.
    async fn suspended(&mut self, mut suspended: Suspended, consumed: &[String]) -> Next {
        for (key, question) in &mut suspended.asks {
            // Shown by an attempt that did not come so far: whoever saw that saw another question.
            let shown = self.body.shown.get(key);
            if shown.is_some_and(|shown| !is_same(&shown.question, question))
                && let Some(renewed) = suspended.continuation.renew_key(key)
            {
                *key = renewed;
            }
        }
        let encoded = match suspended.continuation.encode() {
            Ok(encoded) => encoded,
            Err(error) => return self.fail(error.into()).await,
        };
        let code = CodeId(suspended.continuation.code());
        let now = self.time();
        let stopping = self.tasks.stopping.is_cancelled();
        let mut goes_on = false;
        let written = self.write(|record, body| {
            body.continuation = Some(encoded.clone());
            body.stale = None;
            body.shown.clear();
            // What came while the leg ran, and is an answer to what is asked now.
            body.answers.retain(|key, given| {
                let mut asks = suspended.asks.iter().filter(|(asked, _)| asked == key);
                let same = asks.any(|(_, question)| is_same(question, &given.question));
                same && !consumed.contains(key)
            });
            let open = suspended.asks.iter();
            body.open = open
                .filter(|(key, _)| !record.cancel && !body.answers.contains_key(key))
                .cloned()
                .collect();
            record.code = code;
            record.attempts = 0;
            let ready = !body.answers.is_empty() || record.cancel;
            let due = match ready {
                true => now,
                false => suspended.due.unwrap_or_else(forever),
            };
            goes_on = due <= now && !stopping;
            if goes_on {
                record.attempts = 1;
                return;
            }
            record.release();
            record.due = Some(record.expires.map_or(due, |expires| expires.min(due)));
            record.state = match (due <= now, body.open.is_empty()) {
                (true, _) => State::Ready,
                (false, true) => State::Sleeping,
                (false, false) => State::Waiting,
            };
        });
        match written.await {
            Ok(()) if goes_on => Next::Again,
            Ok(()) => {
                self.tasks.wake.notify_one();
                Next::Over
            }
            Err(Gone) => Next::Over,
        }
    }

    /// The tool cannot go on from here, in this process.
    async fn refused(&mut self, refusal: Refusal) -> Next {
        let Refusal { error, .. } = refusal;
        match error.reason() {
            Some(Reason::Stale) if !refusal.went_on => match self.body.continuation() {
                Ok(Some(stands))
                    if refusal.restarts && self.waited_for_code() && !self.record.cancel =>
                {
                    let shown = self.body.shown.keys().map(String::as_str);
                    let start = stands.from_start(shown);
                    self.restart(start, &error).await
                }
                _ => self.left_to_others(error.into(), true).await,
            },
            _ if matches!(error, Error::Cancelled) => self.end(State::Cancelled, None).await,
            // Its store may be there again in a moment; nothing of the leg ran.
            _ if matches!(error, Error::Guard(_)) && !refusal.went_on => {
                self.left_to_others(error.into(), false).await
            }
            _ => self.fail(error.into()).await,
        }
    }

    /// Whether it has waited for a worker with its code for as long as it may.
    fn waited_for_code(&self) -> bool {
        let waited = self.stale_since().map(|since| {
            let waited = self.time().duration_since(time(since));
            waited.unwrap_or_default()
        });
        waited.is_some_and(|waited| waited >= self.tasks.config.stale_after)
    }

    /// Since when nobody has claimed it who has its code.
    fn stale_since(&self) -> Option<i64> {
        let stale = self.body.stale.as_ref();
        // One that has it may have been killed while it ran, and has written nothing.
        let stale = stale.filter(|stale| stale.fence + 1 == self.record.fence);
        stale.map(|stale| stale.since)
    }

    /// Its author has it begin again with the code that there is now.
    async fn restart(&mut self, start: Continuation, error: &Error) -> Next {
        tracing::warn!(task = %self.record.id, %error, "begun again");
        let encoded = match start.encode() {
            Ok(encoded) => encoded,
            Err(error) => return self.fail(error.into()).await,
        };
        let written = self.write(|record, body| {
            body.continuation = Some(encoded.clone());
            body.open.clear();
            body.answers.clear();
            body.shown.clear();
            body.stale = None;
            record.code = CodeId::of_tool(&record.tool);
            record.attempts = 1;
        });
        match written.await {
            Ok(()) => Next::Again,
            Err(Gone) => Next::Over,
        }
    }

    /// A worker that has its code is to run it, if there is one.
    async fn left_to_others(&mut self, error: ErrorData, lacks_code: bool) -> Next {
        if self.waited_for_code() || self.first.is_some() {
            return self.fail(error).await;
        }
        let code = self.record.code;
        let why = error.message;
        tracing::info!(task = %self.record.id, %why, "left to a worker that has its code");
        if lacks_code {
            let mut unknown = self.tasks.unknown();
            if !unknown.contains(&code) {
                // A client may name what there never was.
                if unknown.len() >= UNKNOWN {
                    unknown.remove(0);
                }
                unknown.push(code);
            }
        }
        // What stands before the tool may let it through in a moment.
        let later = if lacks_code { Duration::ZERO } else { SHORT };
        let (now, updated) = (self.time(), self.record.updated);
        let since = self.stale_since();
        let released = self.write(|record, body| {
            record.release();
            record.attempts = record.attempts.saturating_sub(1);
            record.state = State::Ready;
            record.due = Some(now + later);
            // It may have slept for long: the first who cannot go on with it begins the time that it waits.
            if since.is_some() {
                record.updated = updated;
            }
            body.stale = Some(Stale {
                since: since.unwrap_or(millis(now)),
                fence: record.fence,
            });
        });
        // Another worker has it already, or will.
        let _ = released.await;
        Next::Over
    }

    async fn fail(&mut self, error: ErrorData) -> Next {
        self.end(State::Failed, Some(End::Error(error))).await
    }

    /// The task is over; with an error or without a result it is cancelled, where its client does not want it any more.
    async fn end(&mut self, state: State, end: Option<End>) -> Next {
        if let Some(first) = self.first.take() {
            // It never was a task.
            let ended = match end {
                Some(End::Result(result)) => Ok(result),
                Some(End::Error(error)) => Err(error),
                None => Err(internal("cancelled", "cancelled")),
            };
            let _ = first.told.send(Ok(Begun::Ended(ended)));
            return Next::Over;
        }
        let said = self.record.status_message.clone();
        let now = self.time();
        let window = self.tasks.config.ttl;
        let ended = self.write(|record, body| {
            let (failed, expired) = match &end {
                Some(End::Result(result)) => (result.is_error == Some(true), false),
                Some(End::Error(error)) => {
                    let expired = reason(error) == Some("expired");
                    (!expired, expired)
                }
                None => (true, false),
            };
            let cancelled = record.cancel && failed;
            record.close(if cancelled { State::Cancelled } else { state });
            record.attempts = 0;
            record.status_message = match &end {
                Some(End::Error(error)) if !cancelled => Some(cut(error.message.to_string())),
                _ => said.clone(),
            };
            let window = window.filter(|_| expired).unwrap_or(KEPT);
            write::keep(record, body, window, now);
            body.close(end.clone().filter(|_| !cancelled));
        });
        // Who has it now ends it.
        let _ = ended.await;
        Next::Over
    }
}

/// Lets others know that a task is not run here any more, also where its leg panicked.
struct Held {
    tasks: Arc<Inner>,
    id: TaskId,
    fence: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut running = self.tasks.running();
        if running
            .get(&self.id)
            .is_some_and(|(fence, _)| *fence == self.fence)
        {
            running.remove(&self.id);
        }
        drop(running);
        self.tasks.ended.notify_waiters();
        self.tasks.wake.notify_one();
    }
}

/// What a task says that nobody can read.
pub(crate) const CORRUPT: &str = "the task cannot be read";

pub(crate) fn corrupt(error: &BodyError) -> ErrorData {
    tracing::error!(%error, "a task cannot be read");
    internal(CORRUPT, "corrupt")
}

fn reason(error: &ErrorData) -> Option<&str> {
    error.data.as_ref()?.get("reason")?.as_str()
}

/// Whether a sleep is over before this time.
fn fits(length: Duration, until: Option<Instant>) -> bool {
    let over = Instant::now().checked_add(length);
    over.zip(until).is_some_and(|(over, until)| over < until)
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => pending().await,
    }
}
