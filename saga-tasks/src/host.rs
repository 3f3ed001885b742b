//! What the server asks of its tasks.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    time::{Duration, SystemTime},
};

use rmcp::{
    ErrorData, RoleServer,
    model::{GetTaskResult, InputResponses},
    service::RequestContext,
};
use saga_runtime::{
    CallId, Event, Settings,
    background::{self, Begun, Changed, Host, Hosting, NewTask, Runner},
};
use serde_json::Value;
use tokio::{sync::oneshot, time::Instant};

use crate::{
    body::{Body, BodyError, Given, is_tampered},
    leg::{CORRUPT, First, LegRun, Signal, corrupt, forever},
    record::{CodeId, Owner, State, TaskId, TaskRecord, millis, time},
    store::{Created, Expect, StoreError, Swap},
    tasks::{Inner, Tasks},
    wire::{created, internal, not_found, shown, unreadable, whole_millis},
    worker,
};

impl Host for Tasks {
    fn bind(&self, runner: Runner) {
        match self.0.runner.set(runner) {
            Ok(()) => worker::start(&self.0),
            Err(_) => tracing::error!(
                "these tasks run the tools of another server already: each has its own"
            ),
        }
    }

    fn configure(&self, settings: &Settings) {
        *self.0.settings_mut() = Some(settings.clone());
    }

    fn settings(&self) -> Option<Settings> {
        self.0.settings()
    }

    fn caller(&self, context: &RequestContext<RoleServer>) -> Value {
        let caller = self.0.config.caller.as_ref();
        caller.map_or(Value::Null, |(capture, _)| capture(context))
    }

    fn create(&self, task: NewTask) -> Hosting<'_, Begun> {
        Box::pin(async move { self.0.create(task).await })
    }

    fn get(&self, id: String, principal: Option<String>) -> Hosting<'_, GetTaskResult> {
        Box::pin(async move {
            let record = self
                .0
                .record(&id, By::Principal(principal.as_deref()))
                .await?;
            let poll = self.0.config.poll;
            match self.0.open(&record)? {
                Ok(body) => Ok(shown(&record, body, poll)),
                Err(error) => {
                    tracing::error!(task = %record.id, %error, "a task cannot be read");
                    Ok(unreadable(&record, poll))
                }
            }
        })
    }

    fn update(
        &self,
        id: String,
        principal: Option<String>,
        responses: InputResponses,
    ) -> Hosting<'_, ()> {
        Box::pin(async move {
            let by = By::Principal(principal.as_deref());
            self.0.update(&id, by, responses).await.map(drop)
        })
    }

    fn keep(
        &self,
        id: String,
        principal: Option<String>,
        keep: Option<Duration>,
    ) -> Hosting<'_, Duration> {
        Box::pin(async move { self.0.keep(&id, principal.as_deref(), keep).await })
    }

    fn max_keep_alive(&self) -> Duration {
        self.0.config.max_keep_alive
    }

    fn changed(&self, id: &str) -> Changed<'_> {
        let id = TaskId::named(id);
        // From now on, and not only once it is awaited.
        let mut written = self.0.written.subscribe();
        Box::pin(async move {
            while let Ok(other) = written.recv().await
                && other != id
            {}
        })
    }

    fn stop(&self, at_most: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.stop(at_most))
    }

    fn cancel(&self, id: String, principal: Option<String>) -> Hosting<'_, ()> {
        Box::pin(async move {
            let by = By::Principal(principal.as_deref());
            self.0.cancel(&id, by).await
        })
    }
}

/// On whose behalf a task is changed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum By<'a> {
    /// Its owner, if it is this one.
    Principal(Option<&'a str>),
    /// Whoever operates the service: each task is theirs.
    #[cfg(feature = "console")]
    Operator,
}

impl<'a> By<'a> {
    /// As observers are told who it is: whoever operates the service has no name here.
    fn principal(self) -> Option<&'a str> {
        match self {
            Self::Principal(principal) => principal,
            #[cfg(feature = "console")]
            Self::Operator => None,
        }
    }

    fn may_see(self, record: &TaskRecord) -> bool {
        match self {
            Self::Principal(principal) => record.owner == Owner::of(principal),
            #[cfg(feature = "console")]
            Self::Operator => true,
        }
    }
}

/// Whether a task has failed because nobody could read it.
pub(crate) fn is_given_up(record: &TaskRecord) -> bool {
    record.state == State::Failed && record.status_message.as_deref() == Some(CORRUPT)
}

/// The answer where the store is down.
fn down(error: StoreError) -> ErrorData {
    tracing::error!(%error, "the store of tasks");
    internal("tasks cannot be reached now", "store")
}

impl Inner {
    /// The settings by which rows are sealed.
    pub(crate) fn sealing(&self) -> Result<Settings, ErrorData> {
        if let Some(settings) = self.settings() {
            return Ok(settings);
        }
        let settings = Settings::from_env().map_err(|error| {
            tracing::error!(%error, "the keys of tasks");
            internal("tasks cannot be sealed", "keys")
        })?;
        Ok(self.settings_mut().get_or_insert(settings).clone())
    }

    /// The body of a record: an error of the request where another process can read it, of the task where nobody can.
    fn open(&self, record: &TaskRecord) -> Result<Result<Body, BodyError>, ErrorData> {
        match Body::open(&self.sealing()?, record) {
            // Nobody could, for as long as it was left to others.
            Err(BodyError::Key(error)) if is_tampered(&error) && is_given_up(record) => {
                Ok(Err(BodyError::Corrupt(error.to_string())))
            }
            Err(BodyError::Key(error)) => {
                tracing::error!(task = %record.id, %error, "a task of another key");
                Err(internal("the task cannot be read here", "keys"))
            }
            opened => Ok(opened),
        }
    }

    async fn now(&self) -> Result<SystemTime, ErrorData> {
        self.store.now().await.map_err(down)
    }

    /// The task of an id, where they may see it.
    async fn record(&self, id: &str, by: By<'_>) -> Result<TaskRecord, ErrorData> {
        let id = TaskId::sent(id).ok_or_else(not_found)?;
        let record = self.store.get(&id).await;
        let record = record.map_err(down)?;
        let record = record.filter(|record| by.may_see(record));
        let record = record.ok_or_else(not_found)?;
        // The store's clock is asked only where it counts.
        let may_be_over = record.state.is_final() && record.expires.is_some();
        match may_be_over && record.is_over(self.now().await?) {
            true => Err(not_found()),
            false => Ok(record),
        }
    }

    /// A new task as it is stored first.
    fn written(
        &self,
        task: NewTask,
        owner: Owner,
        now: SystemTime,
    ) -> Result<(TaskRecord, Body), ErrorData> {
        let id = TaskId::random().map_err(down)?;
        let mut record = TaskRecord::new(id, task.call.id, owner, task.call.tool.clone(), now);
        let ttl = self.config.ttl;
        record.expires =
            ttl.and_then(|ttl| record.created.checked_add(ttl).map(|at| at.min(forever())));
        record.code = CodeId::of_tool(&record.tool);
        let mut body = Body::of(task.call);
        body.keep = task.keep.map(whole_millis);
        if let Some(begun) = task.begun {
            let encoded = begun.continuation.encode().map_err(ErrorData::from)?;
            record.code = CodeId(begun.continuation.code());
            body.continuation = Some(encoded);
            body.open = begun.asks.into_iter().collect();
            let due = begun.due.unwrap_or_else(forever);
            record.due = Some(record.expires.map_or(due, |expires| expires.min(due)));
            if due > now {
                record.state = State::Waiting;
            }
            body.note_asked(now);
        }
        Ok((record, body))
    }

    async fn create(self: &Arc<Self>, task: NewTask) -> Result<Begun, ErrorData> {
        let settings = self.sealing()?;
        let runner = self.runner.get().cloned();
        let runner = runner.ok_or_else(|| internal("no server runs these tasks", "unbound"))?;
        let at = Instant::now();
        let now = self.now().await?;
        let owner = Owner::of(task.call.principal.as_deref());
        let find = async || self.there(&task.call.id, now).await;
        if !task.first.is_zero()
            && let Some(id) = find().await?
        {
            return self.begun(&id, task.call.principal.as_deref()).await;
        }
        let open = self.store.open(&owner).await.map_err(down)?;
        if open >= self.config.max_open {
            // The same call, sent again, is no other task.
            if let Some(id) = find().await? {
                return self.begun(&id, task.call.principal.as_deref()).await;
            }
            return Err(internal("too many tasks are open", "capacity"));
        }
        let first = task.first;
        let (mut record, mut body) = self.written(task, owner, now)?;
        let stopping = self.stopping.is_cancelled();
        let due = record.due.is_some_and(|due| due <= now);
        let permit = Arc::clone(&self.permits).try_acquire_owned().ok();
        let permit = permit.filter(|_| due && !stopping);
        let is_leased = permit.is_some();
        if is_leased {
            record.state = State::Leased;
            record.fence = 1;
            record.attempts = 1;
            record.worker = Some(worker::worker(self).clone());
            record.lease_until = Some(now + self.config.lease);
            record.due = record.lease_until;
        }
        let poll = self.config.poll;
        let run = |record: TaskRecord, body: Body, first| {
            permit.map(|permit| LegRun {
                tasks: Arc::clone(self),
                settings: settings.clone(),
                runner,
                record,
                body,
                now,
                at,
                signal: Signal::default(),
                first,
                permit,
            })
        };
        if is_leased && !first.is_zero() {
            let (told, tells) = oneshot::channel();
            let until = Instant::now() + first;
            if let Some(run) = run(record, body, Some(First { until, told })) {
                run.spawn();
            }
            let unstored = || internal("the call could not become a task", "store");
            return tells.await.unwrap_or_else(|_| Err(unstored()));
        }
        if is_leased {
            body.history.begin(&record, now);
        }
        let sealed = body.seal(&settings, &record, self.config.max_bytes);
        record.sealed = sealed.map_err(|error| internal(error.to_string(), "too_large"))?;
        let mut stored = self.stored(&record).await?;
        if let Created::Exists(id) = &stored
            && self.is_over(id, now).await?
        {
            worker::sweep(self).await;
            stored = self.stored(&record).await?;
        }
        match stored {
            Created::New => {
                let task = created(&record, &body, poll);
                let asked: Vec<_> = body.asked.keys().cloned().collect();
                if !asked.is_empty() {
                    let call = &body.call;
                    let event = Event::Asked {
                        keys: &asked,
                        token_bytes: 0,
                    };
                    call.tell(&settings, call.principal.as_deref(), body.leg(false), event);
                }
                match run(record, body, None) {
                    Some(run) => run.spawn(),
                    None => self.wake.notify_one(),
                }
                Ok(Begun::Task(Box::new(task)))
            }
            // The same call, sent again.
            Created::Exists(id) => self.begun(&id, body.call.principal.as_deref()).await,
        }
    }

    async fn stored(&self, record: &TaskRecord) -> Result<Created, ErrorData> {
        match self.store.create(record).await {
            // It may be there, and its answer lost.
            Err(error) => match self.store.get(&record.id).await {
                Ok(Some(_)) => Ok(Created::New),
                _ => Err(down(error)),
            },
            Ok(stored) => Ok(stored),
        }
    }

    /// The task of a call, unless nobody can have it any more.
    async fn there(&self, call: &CallId, now: SystemTime) -> Result<Option<TaskId>, ErrorData> {
        let found = self.store.find(call).await.map_err(down)?;
        match found {
            Some(id) if self.is_over(&id, now).await? => Ok(None),
            found => Ok(found),
        }
    }

    /// Whether a task has ended, and the time for which it was kept is over.
    async fn is_over(&self, id: &TaskId, now: SystemTime) -> Result<bool, ErrorData> {
        let record = self.store.get(id).await.map_err(down)?;
        Ok(record.is_some_and(|record| record.is_over(now)))
    }

    /// A task that is there, as the answer to its call.
    async fn begun(&self, id: &TaskId, principal: Option<&str>) -> Result<Begun, ErrorData> {
        let record = self.record(id.as_str(), By::Principal(principal)).await?;
        let body = self.open(&record)?;
        let body = body.map_err(|error| corrupt(&error))?;
        let task = created(&record, &body, self.config.poll);
        Ok(Begun::Task(Box::new(task)))
    }

    /// Whether an answer was taken.
    pub(crate) async fn update(
        &self,
        id: &str,
        by: By<'_>,
        responses: InputResponses,
    ) -> Result<bool, ErrorData> {
        loop {
            let mut record = self.record(id, by).await?;
            // Once it is cancelled, nothing is asked.
            if record.state.is_final() || record.cancel {
                return Ok(false);
            }
            let Ok(mut body) = self.open(&record)? else {
                return Ok(false);
            };
            // What was not asked is no answer, whatever it is.
            let mut given: Vec<_> = responses
                .iter()
                .filter_map(|(key, value)| Some((key, value, body.open.get(key)?.clone())))
                .collect();
            let malformed = given
                .iter()
                .find(|(_, value, question)| !background::answers(question, value));
            if let Some((key, ..)) = malformed {
                let message = format!("the answer `{key}` is not of the form that was asked for");
                let data = serde_json::json!({ "reason": "answers" });
                return Err(ErrorData::invalid_params(message, Some(data)));
            }
            let now = self.now().await?;
            let mut continuation = body.continuation().ok().flatten();
            given.retain(|(key, value, _)| match &mut continuation {
                Some(continuation) if continuation.keys().any(|asked| asked == *key) => {
                    continuation.deliver(key, value, now)
                }
                // The leg that asks it has not ended yet.
                _ => {
                    let over = body.shown.get(*key).and_then(|shown| shown.over);
                    over.is_none_or(|over| millis(now) < over)
                }
            });
            if given.is_empty() {
                return Ok(false);
            }
            let taken: Vec<_> = given.iter().map(|(key, ..)| (*key).clone()).collect();
            let stands = body.continuation().ok().flatten();
            let is_of_leg = |key: &String| {
                stands
                    .iter()
                    .any(|stands| stands.keys().any(|asked| asked == key))
            };
            let leg = body.leg(!taken.iter().all(is_of_leg));
            let since = taken.iter().filter_map(|key| body.asked.remove(key)).min();
            for (key, value, question) in given {
                body.open.remove(key);
                let answer = value.clone();
                body.answers.insert(key.clone(), Given { question, answer });
            }
            make_due(&mut record, now);
            if self.write(&mut record, &body).await? {
                let waited = since.and_then(|since| now.duration_since(time(since)).ok());
                let event = Event::Answered {
                    keys: &taken,
                    waited: waited.unwrap_or_default(),
                };
                body.call.tell(&self.sealing()?, by.principal(), leg, event);
                return Ok(true);
            }
        }
    }

    /// A client wants a task: it is kept for longer.
    async fn keep(
        &self,
        id: &str,
        principal: Option<&str>,
        longer: Option<Duration>,
    ) -> Result<Duration, ErrorData> {
        loop {
            let mut record = self.record(id, By::Principal(principal)).await?;
            let Ok(mut body) = self.open(&record)? else {
                return Err(not_found());
            };
            let Some(millis) = body.keep else {
                // It did not begin as an async call: it is kept by its age.
                let now = self.now().await?;
                let left = record
                    .expires
                    .map(|at| at.duration_since(now).unwrap_or_default());
                let most = self.config.max_keep_alive;
                return Ok(left.map_or(most, |left| left.min(most)));
            };
            let known = Duration::from_millis(millis);
            let keep = longer
                .map_or(known, |longer| longer.max(known))
                .max(Duration::from_secs(1));
            let now = self.now().await?;
            let before = record.expires;
            if record.state.is_final() {
                record.keep_until(now + keep);
            }
            let later = record.expires.zip(before);
            let later = later.and_then(|(new, old)| new.duration_since(old).ok());
            // A look each moment is not worth a write.
            if keep == known && later.unwrap_or_default() * 10 <= keep {
                return Ok(keep);
            }
            body.keep = Some(whole_millis(keep));
            if self.write(&mut record, &body).await? {
                return Ok(keep);
            }
        }
    }

    pub(crate) async fn cancel(&self, id: &str, by: By<'_>) -> Result<(), ErrorData> {
        loop {
            let mut record = self.record(id, by).await?;
            if record.state.is_final() || record.cancel {
                return Ok(());
            }
            let Ok(mut body) = self.open(&record)? else {
                return Ok(());
            };
            let now = self.now().await?;
            body.open.clear();
            if record.state != State::Leased && record.attempts == 0 {
                // Nobody has gone on by them, and nobody is to any more.
                body.answers.clear();
            }
            record.cancel = true;
            make_due(&mut record, now);
            if self.write(&mut record, &body).await? {
                let running = self.running();
                if let Some((_, signal)) = running.get(&record.id) {
                    signal.cancel.cancel();
                }
                return Ok(());
            }
        }
    }

    /// Writes what a client changed; `false` where somebody else was first.
    async fn write(&self, record: &mut TaskRecord, body: &Body) -> Result<bool, ErrorData> {
        let expect = Expect {
            version: record.version,
            fence: None,
        };
        let sealed = body.seal(&self.sealing()?, record, self.config.max_bytes);
        record.sealed = sealed.map_err(|error| match error {
            BodyError::TooLarge(..) => {
                let data = serde_json::json!({ "reason": "too_large" });
                ErrorData::invalid_params(error.to_string(), Some(data))
            }
            other => internal(other.to_string(), "keys"),
        })?;
        let swapped = self.store.swap(record, expect).await;
        let swapped = swapped.map_err(down)?;
        if swapped == Swap::Lost {
            return Ok(false);
        }
        self.wake.notify_one();
        self.tell_written(&record.id);
        Ok(true)
    }
}

/// A task that nobody runs is to be run now.
fn make_due(record: &mut TaskRecord, now: SystemTime) {
    record.updated = now;
    if record.state != State::Leased {
        record.state = State::Ready;
        record.due = Some(now);
    }
}
