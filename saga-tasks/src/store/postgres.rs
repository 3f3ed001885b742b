//! A store for replicas: a table in PostgreSQL is the queue.

use std::{
    fmt,
    future::poll_fn,
    str::FromStr,
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod,
};
use saga_runtime::CallId;
use tokio::sync::Notify;
use tokio_postgres::{AsyncMessage, Config, NoTls, Row, types::ToSql};

use super::{
    COLUMNS, Claim, Claimed, Created, Expect, LISTED, Page, Renewal, StoreError, Swap, TaskStore,
};
use crate::{
    guard,
    record::{CodeId, Owner, State, TaskId, TaskRecord, WorkerId, millis, signed, time, unsigned},
};

/// Tasks in a table of PostgreSQL, from version 12 on. The database's clock is the clock, so replicas may have their own.
/// The table `saga_task` is made, or migrated, by the first process that opens it.
#[derive(Clone)]
pub struct PostgresStore {
    pool: Pool,
    hint: Arc<Hint>,
}

/// Tells of what other processes have made due.
#[derive(Default)]
struct Hint {
    notify: Arc<Notify>,
    /// Ends the listening with the store.
    listening: RwLock<Option<tokio::task::AbortHandle>>,
}

impl Drop for Hint {
    fn drop(&mut self) {
        let listening = self.listening.get_mut();
        if let Some(listening) = listening.unwrap_or_else(PoisonError::into_inner).take() {
            listening.abort();
        }
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}

/// How many connections a process has.
const CONNECTIONS: usize = 8;
/// How long one is waited for.
const WAIT: Duration = Duration::from_secs(10);
/// The channel of the hints.
const CHANNEL: &str = "saga_task";
/// Only one process makes the table at a time: a number of ours.
const LOCK: i64 = 0x5a6a_7461_736b_0001;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS saga_task (
    id text PRIMARY KEY,
    call bytea NOT NULL UNIQUE,
    version bigint NOT NULL,
    owner text NOT NULL,
    tool text NOT NULL,
    code bigint NOT NULL,
    state text NOT NULL,
    due bigint,
    fence bigint NOT NULL,
    worker text,
    lease_until bigint,
    attempts bigint NOT NULL,
    cancel boolean NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    expires bigint,
    status_message text,
    sealed bytea NOT NULL
);
CREATE INDEX IF NOT EXISTS saga_task_due ON saga_task (due) WHERE due IS NOT NULL;
CREATE INDEX IF NOT EXISTS saga_task_expires ON saga_task (expires) WHERE due IS NULL;
CREATE INDEX IF NOT EXISTS saga_task_owner ON saga_task (owner) WHERE due IS NOT NULL;
CREATE INDEX IF NOT EXISTS saga_task_created ON saga_task (created, id);
CREATE INDEX IF NOT EXISTS saga_task_state ON saga_task (state, created, id);
";

/// The database's time in milliseconds, at this statement and not at its transaction.
pub(crate) const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        let detail = error.as_db_error().map(ToString::to_string);
        Self::new(format!(
            "PostgreSQL: {}",
            detail.unwrap_or_else(|| error.to_string())
        ))
    }
}

impl From<PoolError> for StoreError {
    fn from(error: PoolError) -> Self {
        Self::new(format!("PostgreSQL: {error}"))
    }
}

impl PostgresStore {
    /// Connects to a database, as `DATABASE_URL` names one: `postgres://user:password@host/database`, without TLS. For TLS,
    /// and for settings of one's own, [`with_pool`](Self::with_pool).
    ///
    /// # Errors
    /// Where it is not to be reached, or the table cannot be made.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        let config = Config::from_str(url)?;
        let manager = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_config(config.clone(), NoTls, manager);
        let pool = Pool::builder(manager)
            .max_size(CONNECTIONS)
            .wait_timeout(Some(WAIT))
            .create_timeout(Some(WAIT))
            .runtime(deadpool_postgres::Runtime::Tokio1)
            // A task that a client was told of is there after a power cut of the database.
            .post_create(Hook::async_fn(
                |client: &mut deadpool_postgres::ClientWrapper, _| {
                    Box::pin(async move {
                        // And a plan that was made when the table was small is not to read all of it when it is large. That counts as so
                        // expensive that PostgreSQL would compile each short statement, for more than a second.
                        let session = "SET synchronous_commit TO on; SET enable_seqscan TO off; SET jit TO off";
                        client
                            .batch_execute(session)
                            .await
                            .map_err(HookError::Backend)
                    })
                },
            ))
            .build()
            .map_err(|error| StoreError::new(format!("PostgreSQL: {error}")))?;
        let store = Self::with_pool(pool).await?;
        let hint = Arc::clone(&store.hint.notify);
        let listening = tokio::spawn(async move {
            // Without it what others make due is found a little later.
            loop {
                if let Err(error) = listen(&config, &hint).await {
                    tracing::debug!(%error, "no hints from PostgreSQL");
                }
                tokio::time::sleep(WAIT).await;
            }
        });
        let mut known = store
            .hint
            .listening
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *known = Some(listening.abort_handle());
        drop(known);
        Ok(store)
    }

    /// The same over connections of one's own making.
    ///
    /// # Errors
    /// Where the table cannot be made.
    pub async fn with_pool(pool: Pool) -> Result<Self, StoreError> {
        let store = Self {
            pool,
            hint: Arc::default(),
        };
        let mut client = store.client().await?;
        let migration = client.transaction().await?;
        migration
            .execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])
            .await?;
        migration.batch_execute(TABLES).await?;
        migration.batch_execute(guard::postgres::TABLE).await?;
        migration.commit().await?;
        Ok(store)
    }

    pub(crate) async fn client(&self) -> Result<Object, StoreError> {
        Ok(self.pool.get().await?)
    }
}

/// Passes on what the database says on our channel, until the connection ends.
async fn listen(config: &Config, hint: &Notify) -> Result<(), StoreError> {
    let (client, mut connection) = config.connect(NoTls).await?;
    let heard = async {
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(_) = message? {
                hint.notify_waiters();
            }
        }
        Ok::<(), StoreError>(())
    };
    let listening = async {
        client.batch_execute(&format!("LISTEN {CHANNEL}")).await?;
        // The connection lives as long as its client.
        std::future::pending::<Result<(), StoreError>>().await
    };
    tokio::select! {
        heard = heard => heard,
        listening = listening => listening,
    }
}

fn whole_millis(time: Duration) -> i64 {
    // Sums with the time of day are not to overflow.
    i64::try_from(time.as_millis())
        .unwrap_or(i64::MAX / 4)
        .min(i64::MAX / 4)
}

/// A record, as far as it can be read. Of one that is damaged nothing is sealed: its task fails, and no other.
fn record(row: &Row) -> Result<TaskRecord, StoreError> {
    let known = <[u8; 16]>::try_from(row.try_get::<_, &[u8]>("call")?);
    let (is_known, call) = (known.is_ok(), known.unwrap_or_default());
    let at = |name: &str| row.try_get::<_, i64>(name).map(time);
    let maybe = |name: &str| row.try_get::<_, Option<i64>>(name).map(|at| at.map(time));
    let id = TaskId::named(row.try_get::<_, String>("id")?);
    let owner = Owner::written(row.try_get::<_, String>("owner")?);
    let (call, created) = (CallId::from_bytes(call), at("created")?);
    let mut record = TaskRecord::new(id, call, owner, row.try_get("tool")?, created);
    record.version = unsigned(row.try_get("version")?);
    record.code = CodeId(unsigned(row.try_get("code")?));
    record.due = maybe("due")?;
    let state = State::named(row.try_get("state")?);
    record.state = state.unwrap_or(match record.due {
        Some(_) => State::Ready,
        None => State::Failed,
    });
    record.fence = unsigned(row.try_get("fence")?);
    record.worker = row
        .try_get::<_, Option<String>>("worker")?
        .map(WorkerId::named);
    record.lease_until = maybe("lease_until")?;
    record.attempts = u32::try_from(row.try_get::<_, i64>("attempts")?).unwrap_or(u32::MAX);
    record.cancel = row.try_get("cancel")?;
    record.updated = at("updated")?;
    record.expires = maybe("expires")?;
    record.status_message = row.try_get("status_message")?;
    if is_known {
        record.sealed = row.try_get("sealed")?;
    }
    Ok(record)
}

/// A record's columns as PostgreSQL has them.
struct Columns<'r> {
    id: &'r str,
    call: &'r [u8],
    version: i64,
    owner: &'r str,
    tool: &'r str,
    code: i64,
    state: &'static str,
    due: Option<i64>,
    fence: i64,
    worker: Option<&'r str>,
    lease_until: Option<i64>,
    attempts: i64,
    cancel: bool,
    created: i64,
    updated: i64,
    expires: Option<i64>,
    status_message: Option<String>,
    sealed: &'r [u8],
}

impl<'r> Columns<'r> {
    fn of(record: &'r TaskRecord, version: u64) -> Self {
        Self {
            id: record.id.as_str(),
            call: record.call.as_bytes(),
            version: signed(version),
            owner: record.owner.as_str(),
            tool: &record.tool,
            code: signed(record.code.0),
            state: record.state.name(),
            due: record.due.map(millis),
            fence: signed(record.fence),
            worker: record.worker.as_ref().map(WorkerId::as_str),
            lease_until: record.lease_until.map(millis),
            attempts: i64::from(record.attempts),
            cancel: record.cancel,
            created: millis(record.created),
            updated: millis(record.updated),
            expires: record.expires.map(millis),
            status_message: record.status_message.as_deref().map(without_nul),
            sealed: &record.sealed,
        }
    }

    /// In the order of [`COLUMNS`].
    fn values(&self) -> [&(dyn ToSql + Sync); 18] {
        [
            &self.id,
            &self.call,
            &self.version,
            &self.owner,
            &self.tool,
            &self.code,
            &self.state,
            &self.due,
            &self.fence,
            &self.worker,
            &self.lease_until,
            &self.attempts,
            &self.cancel,
            &self.created,
            &self.updated,
            &self.expires,
            &self.status_message,
            &self.sealed,
        ]
    }
}

/// PostgreSQL's texts have no NUL.
fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

#[async_trait]
impl TaskStore for PostgresStore {
    async fn now(&self) -> Result<SystemTime, StoreError> {
        let client = self.client().await?;
        let now = client.prepare_cached(&format!("SELECT {NOW}")).await?;
        Ok(time(client.query_one(&now, &[]).await?.try_get(0)?))
    }

    async fn create(&self, record: &TaskRecord) -> Result<Created, StoreError> {
        let client = self.client().await?;
        let insert = format!(
            "INSERT INTO saga_task ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) ON CONFLICT (call) DO NOTHING"
        );
        let insert = client.prepare_cached(&insert).await?;
        let columns = Columns::of(record, record.version);
        if client.execute(&insert, &columns.values()).await? == 1 {
            hint(&client, record).await;
            return Ok(Created::New);
        }
        match known(&client, &record.call).await? {
            Some(id) => Ok(Created::Exists(id)),
            None => Err(StoreError::new(format!(
                "{} was there and is gone",
                record.id
            ))),
        }
    }

    async fn get(&self, id: &TaskId) -> Result<Option<TaskRecord>, StoreError> {
        if id.as_str().contains('\0') {
            return Ok(None);
        }
        let client = self.client().await?;
        let select = format!("SELECT {COLUMNS} FROM saga_task WHERE id = $1");
        let select = client.prepare_cached(&select).await?;
        let row = client.query_opt(&select, &[&id.as_str()]).await?;
        row.as_ref().map(self::record).transpose()
    }

    async fn find(&self, call: &CallId) -> Result<Option<TaskId>, StoreError> {
        known(&self.client().await?, call).await
    }

    async fn swap(&self, next: &TaskRecord, expect: Expect) -> Result<Swap, StoreError> {
        let client = self.client().await?;
        let update = format!(
            "UPDATE saga_task SET ({COLUMNS}) = ($1, $2, $3, $4, $5, $6, $7, CASE WHEN $7 = 'leased' THEN greatest(lease_until, $11) ELSE $8 END, $9, $10, CASE WHEN $7 = 'leased' THEN greatest(lease_until, $11) ELSE $11 END, $12, $13, $14, $15, $16, $17, $18) WHERE id = $1 AND version = $19 AND ($20::bigint IS NULL OR (fence = $20 AND state = 'leased'))"
        );
        let update = client.prepare_cached(&update).await?;
        let version = expect.version + 1;
        let columns = Columns::of(next, version);
        let (expected, fence) = (signed(expect.version), expect.fence.map(signed));
        let mut values = columns.values().to_vec();
        values.extend([&expected as &(dyn ToSql + Sync), &fence]);
        match client.execute(&update, &values).await? {
            1 => {
                hint(&client, next).await;
                Ok(Swap::Done(version))
            }
            _ => Ok(Swap::Lost),
        }
    }

    async fn claim(&self, claim: Claim<'_>) -> Result<Claimed, StoreError> {
        let client = self.client().await?;
        let limit = claim.limit.min(1000);
        let statement = format!(
            // The time and the ids as values, and the limit as a number: so the indexes are gone by, however many tasks
            // there are.
            "WITH clock AS MATERIALIZED (SELECT {NOW} AS now),
             due AS MATERIALIZED (SELECT id FROM saga_task
                     WHERE due <= (SELECT now FROM clock) AND (code <> ALL($1) OR updated <= (SELECT now FROM clock) - $2)
                     ORDER BY due LIMIT {limit} FOR UPDATE SKIP LOCKED)
             UPDATE saga_task SET state = 'leased', fence = fence + 1, attempts = attempts + 1, version = version + 1, worker = $3,
                    lease_until = (SELECT now FROM clock) + $4, due = (SELECT now FROM clock) + $4
             WHERE id = ANY(ARRAY(SELECT id FROM due))
             RETURNING {COLUMNS}, (SELECT now FROM clock) AS now"
        );
        let statement = client.prepare_cached(&statement).await?;
        let unknown: Vec<_> = claim.unknown.iter().map(|code| signed(code.0)).collect();
        let (lease, stale) = (whole_millis(claim.lease), whole_millis(claim.stale_after));
        let values: [&(dyn ToSql + Sync); 4] = [&unknown, &stale, &claim.worker.as_str(), &lease];
        let rows = client.query(&statement, &values).await?;
        let now = match rows.first() {
            Some(row) => time(row.try_get("now")?),
            None => self.now().await?,
        };
        let records = rows.iter().map(self::record).collect::<Result<_, _>>()?;
        Ok(Claimed { now, records })
    }

    async fn renew(
        &self,
        held: &[(TaskId, u64)],
        lease: Duration,
    ) -> Result<Vec<Renewal>, StoreError> {
        let client = self.client().await?;
        let statement = format!(
            "UPDATE saga_task SET lease_until = {NOW} + $3, due = {NOW} + $3
             FROM unnest($1::text[], $2::bigint[]) AS held (id, fence)
             WHERE saga_task.id = held.id AND saga_task.fence = held.fence AND state = 'leased' RETURNING saga_task.id, saga_task.fence, cancel"
        );
        let statement = client.prepare_cached(&statement).await?;
        let ids: Vec<_> = held.iter().map(|(id, _)| id.as_str()).collect();
        let fences: Vec<_> = held.iter().map(|(_, fence)| signed(*fence)).collect();
        let rows = client
            .query(&statement, &[&ids, &fences, &whole_millis(lease)])
            .await?;
        let mut renewed = Vec::new();
        for row in &rows {
            let (id, fence): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
            renewed.push((id, unsigned(fence), row.try_get::<_, bool>(2)?));
        }
        let renewals = held.iter().map(|(id, fence)| {
            let found = renewed
                .iter()
                .find(|(known, held, _)| known == id.as_str() && held == fence);
            Renewal {
                id: id.clone(),
                held: found.is_some(),
                cancel: found.is_some_and(|(.., cancel)| *cancel),
            }
        });
        Ok(renewals.collect())
    }

    async fn note(&self, id: &TaskId, fence: u64, message: &str) -> Result<(), StoreError> {
        let client = self.client().await?;
        let note = format!(
            "UPDATE saga_task SET status_message = $1, updated = {NOW} WHERE id = $2 AND fence = $3 AND state = 'leased'"
        );
        let note = client.prepare_cached(&note).await?;
        client
            .execute(
                &note,
                &[&without_nul(message), &id.as_str(), &signed(fence)],
            )
            .await?;
        Ok(())
    }

    async fn next_due(&self) -> Result<Option<SystemTime>, StoreError> {
        let client = self.client().await?;
        let next = "SELECT min(due) FROM saga_task WHERE due IS NOT NULL";
        let next = client.prepare_cached(next).await?;
        let due: Option<i64> = client.query_one(&next, &[]).await?.try_get(0)?;
        Ok(due.map(time))
    }

    async fn open(&self, owner: &Owner) -> Result<u64, StoreError> {
        let client = self.client().await?;
        let open = "SELECT count(*) FROM saga_task WHERE owner = $1 AND due IS NOT NULL";
        let open = client.prepare_cached(open).await?;
        let row = client.query_one(&open, &[&owner.as_str()]).await?;
        Ok(unsigned(row.try_get(0)?))
    }

    async fn list(&self, page: Page<'_>) -> Result<Vec<TaskRecord>, StoreError> {
        let client = self.client().await?;
        // Of one state by that state's index: others may be many.
        let of_state = match page.state {
            Some(_) => "state = $3 AND",
            None => "$3::text IS NULL AND",
        };
        let list = format!(
            "SELECT {LISTED}, ''::bytea AS sealed FROM saga_task WHERE {of_state} (created, id) < ($1, $2) ORDER BY created DESC, id DESC LIMIT $4"
        );
        let list = client.prepare_cached(&list).await?;
        let limit = i64::try_from(page.limit).unwrap_or(i64::MAX);
        let state = page.state.map(State::name);
        // Later than any task.
        let (created, id) = page
            .after
            .map_or((i64::MAX, String::new()), |(created, id)| {
                (millis(created), without_nul(id.as_str()))
            });
        let rows = client
            .query(&list, &[&created, &id, &state, &limit])
            .await?;
        rows.iter().map(self::record).collect()
    }

    async fn sweep(&self, limit: usize) -> Result<u64, StoreError> {
        let client = self.client().await?;
        let sweep = format!(
            "DELETE FROM saga_task WHERE id IN (SELECT id FROM saga_task WHERE due IS NULL AND expires <= {NOW} LIMIT $1)"
        );
        let sweep = client.prepare_cached(&sweep).await?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        Ok(client.execute(&sweep, &[&limit]).await?)
    }

    async fn changed(&self) {
        self.hint.notify.notified().await;
    }
}

/// The task of a call.
async fn known(client: &Object, call: &CallId) -> Result<Option<TaskId>, StoreError> {
    let known = "SELECT id FROM saga_task WHERE call = $1";
    let known = client.prepare_cached(known).await?;
    let row = client
        .query_opt(&known, &[&call.as_bytes().as_slice()])
        .await?;
    let id = row.map(|row| row.try_get::<_, String>(0)).transpose()?;
    Ok(id.map(TaskId::named))
}

/// Tells the other processes that there is something to run.
async fn hint(client: &Object, record: &TaskRecord) {
    if record.state != State::Ready {
        return;
    }
    // They find it without, a little later.
    let told = client.batch_execute(&format!("NOTIFY {CHANNEL}")).await;
    if let Err(error) = told {
        tracing::debug!(%error, "no hint to other processes");
    }
}
