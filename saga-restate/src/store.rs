//! Tasks in Restate, as a store.

use std::{
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use futures_util::future::{join_all, try_join};
use restate_sdk::prelude::Json;
use saga_runtime::CallId;
use saga_tasks::{
    Claim, Claimed, Created, Expect, Owner, Renewal, StoreError, Swap, TaskId, TaskRecord,
    TaskStore,
};
use tokio::{net::TcpListener, sync::Notify};

use crate::{
    client::{ANSWER, Http, Ingress, refused},
    endpoint,
    objects::{
        call::SagaCallIngressClient,
        key,
        owner::{Counts, SagaOwnerIngressClient},
        queue::{Entry, Put, SagaQueueIngressClient, Take},
        task::{Create, Given, Note, Renew, SagaTaskIngressClient, Write},
    },
    row::{Claims, Row, hex, millis, span, time},
};

/// The service that tasks are of, where none is named.
const SERVICE: &str = "saga";
/// Queues of a service, where no number is said: a look costs a call for each.
const QUEUES: u32 = 1;
/// Between two looks for a task that is being created.
const SHORT: Duration = Duration::from_millis(2);
/// Nobody knows of all timers when the next one is over: this soon, it is worth a look.
const LOOK: Duration = Duration::from_secs(60);

/// Tasks in Restate: each a virtual object, whose handlers any process of the deployment runs.
///
/// ```no_run
/// # #[derive(Clone)] struct Deployer;
/// # impl rmcp::ServerHandler for Deployer {}
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use saga_restate::RestateStore;
/// use saga_runtime::{SagaServer, Settings};
/// use saga_tasks::Tasks;
///
/// let restate = RestateStore::connect("http://127.0.0.1:8080")?;
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:9080").await?;
/// let handlers = restate.clone();
/// tokio::spawn(async move { handlers.serve(listener).await });
/// // Once for a deployment; under the address at which Restate reaches it.
/// restate.register("http://127.0.0.1:9070", "http://127.0.0.1:9080").await?;
///
/// let server = SagaServer::new(Deployer)
///     .with_settings(Settings::from_env()?)
///     .with_tasks(Tasks::new(restate).workers(4));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RestateStore {
    http: Http,
    ingress: Ingress,
    service: String,
    queues: u32,
    identity_keys: Vec<String>,
    /// The queue that is asked first next time.
    next: Arc<AtomicU32>,
    /// Something was put into a queue by a handler in this process.
    put: Arc<Notify>,
}

impl fmt::Debug for RestateStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RestateStore")
            .field("service", &self.service)
            .field("queues", &self.queues)
            .finish_non_exhaustive()
    }
}

impl RestateStore {
    /// A store behind the ingress of this address. Nothing is sent yet.
    ///
    /// # Errors
    /// Where it is no address.
    pub fn connect(ingress: &str) -> Result<Self, StoreError> {
        let bad = |error: &dyn fmt::Display| StoreError::new(format!("`{ingress}`: {error}"));
        let address = ingress.parse().map_err(|error| bad(&error))?;
        let http = Http::new()?;
        let ingress = Ingress::new(address, http.clone()).map_err(|error| bad(&error))?;
        Ok(Self {
            http,
            ingress,
            service: SERVICE.to_owned(),
            queues: QUEUES,
            identity_keys: Vec::new(),
            next: Arc::default(),
            put: Arc::default(),
        })
    }

    /// Names the service, where several share one Restate: each claims its own tasks.
    #[must_use]
    pub fn with_service(mut self, name: impl Into<String>) -> Self {
        self.service = name.into();
        self
    }

    /// How many queues what is due is spread over; one where nothing is said. All processes need the same number, and it
    /// only ever grows, those that run workers first: what is in a queue that nobody asks, stays there.
    #[must_use]
    pub fn with_queues(mut self, queues: u32) -> Self {
        self.queues = queues.max(1);
        self
    }

    /// Sends this token with every request, as Restate Cloud asks for.
    ///
    /// # Errors
    /// Where no header can have it.
    pub fn with_token(mut self, token: &str) -> Result<Self, StoreError> {
        let ingress = self.ingress.with_restate_auth_token(token);
        self.ingress = ingress.map_err(|error| StoreError::new(error.to_string()))?;
        Ok(self)
    }

    /// Lets the handlers take requests only that are signed by a Restate of this public key (`publickeyv1_…`).
    /// Without one, whoever reaches the endpoint can run them.
    #[must_use]
    pub fn with_identity_key(mut self, key: impl Into<String>) -> Self {
        self.identity_keys.push(key.into());
        self
    }

    /// Serves the handlers of tasks to Restate, by HTTP/2 without TLS, until the future is dropped. They are short, and know no tools:
    /// any process of the deployment may run those of any task.
    ///
    /// # Errors
    /// If an identity key is not valid.
    pub async fn serve(&self, listener: TcpListener) -> Result<(), StoreError> {
        let handlers = endpoint::handlers(&self.identity_keys, Arc::clone(&self.put))?;
        endpoint::serve(listener, handlers).await;
        Ok(())
    }

    /// Tells Restate, at its admin address, where the handlers are served. Once for a deployment is enough; once more does no harm.
    ///
    /// # Errors
    /// Where Restate is not to be reached, does not reach the endpoint, or knows others there.
    pub async fn register(&self, admin: &str, endpoint: &str) -> Result<(), StoreError> {
        self.http.register(admin, endpoint).await
    }

    fn task(&self, id: &TaskId) -> SagaTaskIngressClient<Http> {
        SagaTaskIngressClient::from_client(self.ingress.clone(), id.as_str())
    }

    fn owner(&self, owner: &str) -> SagaOwnerIngressClient<Http> {
        let owner = key(&self.service, owner);
        SagaOwnerIngressClient::from_client(self.ingress.clone(), owner)
    }

    fn queue(&self, number: u32) -> String {
        key(&self.service, number)
    }

    /// The queue of a task.
    fn queue_of(&self, id: &TaskId) -> String {
        let mut hasher = DefaultHasher::new();
        id.as_str().hash(&mut hasher);
        let number = hasher.finish() % u64::from(self.queues);
        self.queue(u32::try_from(number).unwrap_or(0))
    }

    /// Takes up to so many tasks out of the queues.
    async fn take(&self, limit: usize, claims: &Claims) -> Result<Vec<String>, StoreError> {
        let first = self.next.fetch_add(1, Ordering::Relaxed) % self.queues;
        let mut taken = Vec::new();
        for number in 0..self.queues {
            let left = limit.saturating_sub(taken.len());
            if left == 0 {
                break;
            }
            let queue = self.queue(first.wrapping_add(number) % self.queues);
            let queue = SagaQueueIngressClient::from_client(self.ingress.clone(), queue);
            let take = Take {
                limit: left,
                claims: claims.clone(),
            };
            let answer = queue.take(Json(take)).call().await;
            match answer.and_then(|answer| answer.into_body()) {
                Ok(Json(ids)) => taken.extend(ids),
                // What was taken before is claimed.
                Err(error) if taken.is_empty() => return Err(refused(error)),
                Err(error) => {
                    tracing::warn!(error = %refused(error), "a queue of tasks");
                    break;
                }
            }
        }
        Ok(taken)
    }

    /// Waits until a task is there that Restate has promised to create.
    async fn is_there(&self, id: &TaskId) -> Result<(), StoreError> {
        let begun = tokio::time::Instant::now();
        while self.get(id).await?.is_none() {
            if begun.elapsed() >= ANSWER {
                return Err(StoreError::new("Restate: the task is not there yet"));
            }
            tokio::time::sleep(SHORT).await;
        }
        Ok(())
    }

    /// Has a write seen at once, by who counts or claims. The task sees to it as well, later.
    async fn seen(&self, row: &Row, counts: bool, queue: Option<String>) -> Result<(), StoreError> {
        let counted = async {
            if counts {
                let counts = Json(Counts::of(row));
                let counted = self.owner(&row.owner).count(counts).call().await;
                counted
                    .and_then(|counted| counted.into_body())
                    .map_err(refused)?;
            }
            Ok(())
        };
        let put = async {
            if let Some(queue) = queue {
                let queue = SagaQueueIngressClient::from_client(self.ingress.clone(), queue);
                let entry = Entry::from(row);
                let put = queue.put(Json(Put { entry, back: false })).call().await;
                put.and_then(|put| put.into_body()).map_err(refused)?;
            }
            Ok(())
        };
        try_join(counted, put).await.map(drop)
    }

    /// Has a task that is removed counted no longer, at once.
    async fn forgotten(&self, row: &Row) -> Result<(), StoreError> {
        let forgotten = self.owner(&row.owner).forget(row.id.clone()).call().await;
        forgotten
            .and_then(|forgotten| forgotten.into_body())
            .map_err(refused)
    }

    async fn claim_one(&self, id: String, claims: Claims) -> Result<Option<Given>, StoreError> {
        let task = self.task(&TaskId::named(id));
        let answer = task.claim(Json(claims)).call().await.map_err(refused)?;
        let Json(given) = answer.into_body().map_err(refused)?;
        Ok(given)
    }

    async fn renew_one(&self, id: &TaskId, renew: Renew) -> Result<Renewal, StoreError> {
        let answer = self.task(id).renew(Json(renew)).call().await;
        let Json(renewed) = answer
            .and_then(|answer| answer.into_body())
            .map_err(refused)?;
        Ok(Renewal {
            id: id.clone(),
            held: renewed.held,
            cancel: renewed.cancel,
        })
    }
}

#[async_trait]
impl TaskStore for RestateStore {
    async fn now(&self) -> Result<SystemTime, StoreError> {
        Ok(time(millis(SystemTime::now())))
    }

    async fn create(&self, record: &TaskRecord) -> Result<Created, StoreError> {
        let now = millis(SystemTime::now());
        let row = Row::from(record);
        let create = Create {
            row: row.clone(),
            service: self.service.clone(),
            queue: self.queue_of(&record.id),
            now,
        };
        let queue = row.is_due(now).then(|| create.queue.clone());
        let call = key(&self.service, &row.call);
        let call = SagaCallIngressClient::from_client(self.ingress.clone(), call);
        let known = call.bind(Json(create)).call().await;
        let known = known.and_then(|known| known.into_body()).map_err(refused)?;
        let known = TaskId::named(known);
        self.is_there(&known).await?;
        if known != record.id {
            return Ok(Created::Exists(known));
        }
        self.seen(&row, true, queue).await?;
        Ok(Created::New)
    }

    async fn get(&self, id: &TaskId) -> Result<Option<TaskRecord>, StoreError> {
        let answer = self.task(id).get().call().await;
        let Json(row) = answer
            .and_then(|answer| answer.into_body())
            .map_err(refused)?;
        row.map(TaskRecord::try_from).transpose()
    }

    async fn find(&self, call: &CallId) -> Result<Option<TaskId>, StoreError> {
        let call = key(&self.service, hex(call));
        let call = SagaCallIngressClient::from_client(self.ingress.clone(), call);
        let answer = call.find().call().await;
        let Json(id) = answer
            .and_then(|answer| answer.into_body())
            .map_err(refused)?;
        let Some(id) = id.map(TaskId::named) else {
            return Ok(None);
        };
        self.is_there(&id).await?;
        Ok(Some(id))
    }

    async fn swap(&self, next: &TaskRecord, expect: Expect) -> Result<Swap, StoreError> {
        let mut row = Row::from(next);
        let write = Write {
            row: row.clone(),
            version: expect.version,
            fence: expect.fence,
            now: millis(SystemTime::now()),
        };
        let answer = self.task(&next.id).swap(Json(write)).call().await;
        let Json(written) = answer
            .and_then(|answer| answer.into_body())
            .map_err(refused)?;
        let Some(written) = written else {
            return Ok(Swap::Lost);
        };
        row.version = written.version;
        let seen = match written.removed {
            true => self.forgotten(&row).await,
            false => self.seen(&row, written.counts, written.queue).await,
        };
        // The write is made, and the task sees to the rest.
        if let Err(error) = seen {
            tracing::warn!(%error, task = %next.id, "a write is seen later");
        }
        Ok(Swap::Done(written.version))
    }

    async fn claim(&self, claim: Claim<'_>) -> Result<Claimed, StoreError> {
        let claims = Claims {
            worker: claim.worker.to_string(),
            lease: span(claim.lease),
            unknown: claim.unknown.iter().map(|code| code.0).collect(),
            stale_after: span(claim.stale_after),
            now: millis(SystemTime::now()),
        };
        let taken = self.take(claim.limit, &claims).await?;
        let claimed = taken
            .into_iter()
            .map(|id| self.claim_one(id, claims.clone()));
        let mut now = claims.now;
        let mut records = Vec::new();
        for given in join_all(claimed).await {
            // One that fails is put into its queue once more, by its timer.
            let given = given.and_then(|given| {
                let given = given.map(|given| (given.now, TaskRecord::try_from(given.row)));
                given.map(|(at, record)| Ok((at, record?))).transpose()
            });
            match given {
                Ok(Some((at, record))) => {
                    now = now.max(at);
                    records.push(record);
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "a task was not claimed"),
            }
        }
        let now = time(now);
        Ok(Claimed { now, records })
    }

    async fn renew(
        &self,
        held: &[(TaskId, u64)],
        lease: Duration,
    ) -> Result<Vec<Renewal>, StoreError> {
        let until = millis(SystemTime::now()).saturating_add(span(lease));
        let renewals = held.iter().map(|(id, fence)| {
            let fence = *fence;
            self.renew_one(id, Renew { fence, until })
        });
        // One task that does not answer costs the others nothing: it is renewed the next time, or is not.
        let (mut renewed, mut failed) = (Vec::new(), None);
        for renewal in join_all(renewals).await {
            match renewal {
                Ok(renewal) => renewed.push(renewal),
                Err(error) => failed = Some(error),
            }
        }
        match failed {
            Some(error) if renewed.is_empty() => Err(error),
            _ => Ok(renewed),
        }
    }

    async fn note(&self, id: &TaskId, fence: u64, message: &str) -> Result<(), StoreError> {
        let (message, now) = (message.to_owned(), millis(SystemTime::now()));
        let note = Note {
            fence,
            message,
            now,
        };
        let answer = self.task(id).note(Json(note)).call().await;
        answer
            .and_then(|answer| answer.into_body())
            .map_err(refused)
    }

    async fn next_due(&self) -> Result<Option<SystemTime>, StoreError> {
        Ok(Some(self.now().await? + LOOK))
    }

    async fn open(&self, owner: &Owner) -> Result<u64, StoreError> {
        let answer = self.owner(owner.as_str()).open().call().await;
        answer
            .and_then(|answer| answer.into_body())
            .map_err(refused)
    }

    async fn sweep(&self, _limit: usize) -> Result<u64, StoreError> {
        // A task's own timer removes it.
        Ok(0)
    }

    async fn changed(&self) {
        self.put.notified().await;
    }
}
