//! A store in a file: for one machine, and any number of processes on it.

use std::{
    fmt,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params, types::Value};
use saga_runtime::CallId;

use super::{
    COLUMNS, Claim, Claimed, Created, Expect, LISTED, Page, Renewal, StoreError, Swap, TaskStore,
};
use crate::{
    guard,
    record::{
        CodeId, Owner, State, TaskId, TaskRecord, WorkerId, millis, signed, time, unsigned, whole,
    },
};

type Clock = dyn Fn() -> SystemTime + Send + Sync;

/// Tasks in a SQLite file (WAL, written through to the disk at every step). Several processes of one machine may share it;
/// its clock is the machine's.
#[derive(Clone)]
pub struct SqliteStore {
    connection: Arc<Mutex<Connection>>,
    clock: Arc<Clock>,
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}

/// The form of the file; raised by every change of it.
const FORM: i64 = 2;

/// How long a process waits for another that writes.
const BUSY: Duration = Duration::from_secs(10);

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS saga_task (
    id TEXT PRIMARY KEY NOT NULL,
    call BLOB NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    owner TEXT NOT NULL,
    tool TEXT NOT NULL,
    code INTEGER NOT NULL,
    state TEXT NOT NULL,
    due INTEGER,
    fence INTEGER NOT NULL,
    worker TEXT,
    lease_until INTEGER,
    attempts INTEGER NOT NULL,
    cancel INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    expires INTEGER,
    status_message TEXT,
    sealed BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS saga_task_due ON saga_task (due) WHERE due IS NOT NULL;
CREATE INDEX IF NOT EXISTS saga_task_expires ON saga_task (expires) WHERE due IS NULL;
CREATE INDEX IF NOT EXISTS saga_task_owner ON saga_task (owner) WHERE due IS NOT NULL;
CREATE INDEX IF NOT EXISTS saga_task_created ON saga_task (created, id);
CREATE INDEX IF NOT EXISTS saga_task_state ON saga_task (state, created, id);
";

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::new(format!("SQLite: {error}"))
    }
}

impl SqliteStore {
    /// Opens a file, or makes it.
    ///
    /// # Errors
    /// Where it is no file of tasks, is of a newer version, or cannot be written.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::of(Connection::open(path)?)
    }

    /// A file in memory, which ends with this process.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::of(Connection::open_in_memory()?)
    }

    fn of(mut connection: Connection) -> Result<Self, StoreError> {
        connection.busy_timeout(BUSY)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // A task that the client was told of is there after a power cut.
        connection.pragma_update(None, "synchronous", "FULL")?;
        let migration = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let form: i64 = migration.pragma_query_value(None, "user_version", |row| row.get(0))?;
        match form {
            // What is there already stays as it is; the second form has two more indexes.
            0 | 1 => {
                migration.execute_batch(TABLES)?;
                migration.pragma_update(None, "user_version", FORM)?;
            }
            FORM => {}
            newer => {
                return Err(StoreError::new(format!(
                    "the file is of version {newer}, and this program knows {FORM}"
                )));
            }
        }
        migration.execute_batch(guard::sqlite::TABLE)?;
        migration.commit()?;
        Ok(Self {
            connection: Arc::new(Mutex::new(connection)),
            clock: Arc::new(SystemTime::now),
        })
    }

    /// Goes by another clock, for tests.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Does it where it may take its time.
    pub(crate) async fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection, i64) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (connection, clock) = (Arc::clone(&self.connection), Arc::clone(&self.clock));
        let work = tokio::task::spawn_blocking(move || {
            let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            work(&mut connection, millis(clock()))
        });
        work.await
            .map_err(|error| StoreError::new(format!("SQLite: {error}")))?
    }
}

/// The task of a call.
fn known(connection: &Connection, call: &CallId) -> Result<Option<TaskId>, StoreError> {
    let mut known = connection.prepare_cached("SELECT id FROM saga_task WHERE call = ?")?;
    let known: Option<String> = known
        .query_row(params![call.as_bytes()], |row| row.get(0))
        .optional()?;
    Ok(known.map(TaskId::named))
}

/// A record, as far as it can be read. Of one that is damaged nothing is sealed: its task fails, and no other.
fn record(row: &Row<'_>) -> TaskRecord {
    let text = |name: &str| row.get::<_, String>(name).unwrap_or_default();
    let number = |name: &str| row.get::<_, i64>(name).unwrap_or_default();
    let maybe = |name: &str| {
        row.get::<_, Option<i64>>(name)
            .unwrap_or_default()
            .map(time)
    };
    let call = row.get::<_, Vec<u8>>("call").unwrap_or_default();
    let (id, owner) = (TaskId::named(text("id")), Owner::written(text("owner")));
    let known = <[u8; 16]>::try_from(call);
    let sealed = row
        .get::<_, Vec<u8>>("sealed")
        .ok()
        .filter(|_| known.is_ok());
    let call = CallId::from_bytes(known.unwrap_or_default());
    let mut record = TaskRecord::new(id, call, owner, text("tool"), time(number("created")));
    record.version = unsigned(number("version"));
    record.code = CodeId(unsigned(number("code")));
    record.due = maybe("due");
    let state = State::named(&text("state")).ok();
    record.state = state.unwrap_or(match record.due {
        Some(_) => State::Ready,
        None => State::Failed,
    });
    record.fence = unsigned(number("fence"));
    let worker = row.get::<_, Option<String>>("worker").unwrap_or_default();
    record.worker = worker.map(WorkerId::named);
    record.lease_until = maybe("lease_until");
    record.attempts = u32::try_from(number("attempts")).unwrap_or_default();
    record.cancel = number("cancel") != 0;
    record.updated = time(number("updated"));
    record.expires = maybe("expires");
    record.status_message = row.get("status_message").unwrap_or_default();
    record.sealed = sealed.unwrap_or_default();
    record
}

/// A record's columns, in the order of [`COLUMNS`].
fn values(record: &TaskRecord) -> Vec<Value> {
    let maybe = |at: Option<SystemTime>| at.map(millis).map_or(Value::Null, Value::Integer);
    let text = |text: Option<&str>| text.map_or(Value::Null, |text| Value::Text(text.to_owned()));
    vec![
        Value::Text(record.id.as_str().to_owned()),
        Value::Blob(record.call.as_bytes().to_vec()),
        Value::Integer(signed(record.version)),
        Value::Text(record.owner.as_str().to_owned()),
        Value::Text(record.tool.clone()),
        Value::Integer(signed(record.code.0)),
        Value::Text(record.state.name().to_owned()),
        maybe(record.due),
        Value::Integer(signed(record.fence)),
        text(record.worker.as_ref().map(WorkerId::as_str)),
        maybe(record.lease_until),
        Value::Integer(i64::from(record.attempts)),
        Value::Integer(i64::from(record.cancel)),
        Value::Integer(millis(record.created)),
        Value::Integer(millis(record.updated)),
        maybe(record.expires),
        text(record.status_message.as_deref()),
        Value::Blob(record.sealed.clone()),
    ]
}

#[async_trait]
impl TaskStore for SqliteStore {
    async fn now(&self) -> Result<SystemTime, StoreError> {
        Ok(whole((self.clock)()))
    }

    async fn create(&self, record: &TaskRecord) -> Result<Created, StoreError> {
        let (id, call, values) = (record.id.clone(), record.call, values(record));
        self.on_disk(move |connection, _| {
            let marks = vec!["?"; values.len()].join(", ");
            let insert = format!(
                "INSERT INTO saga_task ({COLUMNS}) VALUES ({marks}) ON CONFLICT (call) DO NOTHING"
            );
            let mut insert = connection.prepare_cached(&insert)?;
            if insert.execute(rusqlite::params_from_iter(values))? == 1 {
                return Ok(Created::New);
            }
            match known(connection, &call)? {
                Some(known) => Ok(Created::Exists(known)),
                None => Err(StoreError::new(format!("{id} was there and is gone"))),
            }
        })
        .await
    }

    async fn get(&self, id: &TaskId) -> Result<Option<TaskRecord>, StoreError> {
        let id = id.as_str().to_owned();
        self.on_disk(move |connection, _| {
            let select = format!("SELECT {COLUMNS} FROM saga_task WHERE id = ?");
            let mut select = connection.prepare_cached(&select)?;
            let mut rows = select.query(params![id])?;
            Ok(rows.next()?.map(record))
        })
        .await
    }

    async fn find(&self, call: &CallId) -> Result<Option<TaskId>, StoreError> {
        let call = *call;
        self.on_disk(move |connection, _| known(connection, &call))
            .await
    }

    async fn swap(&self, next: &TaskRecord, expect: Expect) -> Result<Swap, StoreError> {
        let version = expect.version + 1;
        let next = TaskRecord {
            version,
            ..next.clone()
        };
        self.on_disk(move |connection, _| {
            // A renewal has no version, and is not taken back: its columns are the eighth and eleventh.
            let lease = "max(coalesce(lease_until, 0), ?11)";
            let marks: Vec<_> = (1..=18)
                .map(|column| match column {
                    8 => format!("CASE WHEN ?7 = 'leased' THEN {lease} ELSE ?8 END"),
                    11 => format!("CASE WHEN ?7 = 'leased' THEN {lease} ELSE ?11 END"),
                    column => format!("?{column}"),
                })
                .collect();
            let marks = marks.join(", ");
            let update = format!(
                "UPDATE saga_task SET ({COLUMNS}) = ({marks}) WHERE id = ?19 AND version = ?20 AND (?21 IS NULL OR (fence = ?22 AND state = 'leased'))"
            );
            let mut update = connection.prepare_cached(&update)?;
            let fence = expect.fence.map_or(Value::Null, |fence| Value::Integer(signed(fence)));
            let mut values = values(&next);
            values.extend([
                Value::Text(next.id.as_str().to_owned()),
                Value::Integer(signed(expect.version)),
                fence.clone(),
                fence,
            ]);
            match update.execute(rusqlite::params_from_iter(values))? {
                1 => Ok(Swap::Done(version)),
                _ => Ok(Swap::Lost),
            }
        })
        .await
    }

    async fn claim(&self, claim: Claim<'_>) -> Result<Claimed, StoreError> {
        let worker = claim.worker.as_str().to_owned();
        let limit = i64::try_from(claim.limit).unwrap_or(i64::MAX);
        let lease = i64::try_from(claim.lease.as_millis()).unwrap_or(i64::MAX);
        let stale = i64::try_from(claim.stale_after.as_millis()).unwrap_or(i64::MAX);
        let unknown: Vec<_> = claim.unknown.iter().map(|code| signed(code.0)).collect();
        self.on_disk(move |connection, now| {
            // Numbers of ours, and none of anybody else's.
            let unknown: Vec<_> = unknown.iter().map(i64::to_string).collect();
            let unknown = unknown.join(", ");
            let claim = format!(
                "UPDATE saga_task SET state = 'leased', fence = fence + 1, attempts = attempts + 1, version = version + 1, worker = ?1, lease_until = ?2, due = ?2
                 WHERE id IN (SELECT id FROM saga_task WHERE due <= ?3 AND (code NOT IN ({unknown}) OR updated <= ?4) ORDER BY due LIMIT ?5)
                 RETURNING {COLUMNS}"
            );
            let until = now.saturating_add(lease);
            let unwritten = now.saturating_sub(stale);
            let claimed = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut records = Vec::new();
            {
                let mut claim = claimed.prepare_cached(&claim)?;
                let mut rows = claim.query(params![worker, until, now, unwritten, limit])?;
                while let Some(row) = rows.next()? {
                    records.push(record(row));
                }
            }
            claimed.commit()?;
            Ok(Claimed {
                now: time(now),
                records,
            })
        })
        .await
    }

    async fn renew(
        &self,
        held: &[(TaskId, u64)],
        lease: Duration,
    ) -> Result<Vec<Renewal>, StoreError> {
        let held = held.to_vec();
        let lease = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX);
        self.on_disk(move |connection, now| {
            let renewed = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut renewals = Vec::new();
            {
                let mut renew = renewed.prepare_cached(
                    "UPDATE saga_task SET lease_until = ?1, due = ?1 WHERE id = ?2 AND fence = ?3 AND state = 'leased' RETURNING cancel",
                )?;
                for (id, fence) in held {
                    let until = now.saturating_add(lease);
                    let cancel: Option<bool> = renew
                        .query_row(params![until, id.as_str(), signed(fence)], |row| row.get(0))
                        .optional()?;
                    renewals.push(Renewal {
                        id,
                        held: cancel.is_some(),
                        cancel: cancel.unwrap_or(false),
                    });
                }
            }
            renewed.commit()?;
            Ok(renewals)
        })
        .await
    }

    async fn note(&self, id: &TaskId, fence: u64, message: &str) -> Result<(), StoreError> {
        let (id, message) = (id.as_str().to_owned(), message.to_owned());
        self.on_disk(move |connection, now| {
            let mut note = connection.prepare_cached(
                "UPDATE saga_task SET status_message = ?, updated = ? WHERE id = ? AND fence = ? AND state = 'leased'",
            )?;
            note.execute(params![message, now, id, signed(fence)])?;
            Ok(())
        })
        .await
    }

    async fn next_due(&self) -> Result<Option<SystemTime>, StoreError> {
        self.on_disk(|connection, _| {
            let mut next = connection
                .prepare_cached("SELECT min(due) FROM saga_task WHERE due IS NOT NULL")?;
            let due: Option<i64> = next.query_row([], |row| row.get(0))?;
            Ok(due.map(time))
        })
        .await
    }

    async fn open(&self, owner: &Owner) -> Result<u64, StoreError> {
        let owner = owner.as_str().to_owned();
        self.on_disk(move |connection, _| {
            let mut open = connection.prepare_cached(
                "SELECT count(*) FROM saga_task WHERE owner = ? AND due IS NOT NULL",
            )?;
            Ok(unsigned(open.query_row(params![owner], |row| row.get(0))?))
        })
        .await
    }

    async fn list(&self, page: Page<'_>) -> Result<Vec<TaskRecord>, StoreError> {
        let limit = i64::try_from(page.limit).unwrap_or(i64::MAX);
        let state = page.state.map(State::name);
        // Later than any task.
        let after = page
            .after
            .map_or((i64::MAX, String::new()), |(created, id)| {
                (millis(created), id.as_str().to_owned())
            });
        self.on_disk(move |connection, _| {
            // Of one state by that state's index: others may be many.
            let of_state = if state.is_some() { "state = ?3 AND" } else { "?3 IS NULL AND" };
            let list = format!(
                "SELECT {LISTED}, x'' AS sealed FROM saga_task WHERE {of_state} (created, id) < (?1, ?2) ORDER BY created DESC, id DESC LIMIT ?4"
            );
            let mut list = connection.prepare_cached(&list)?;
            let mut rows = list.query(params![after.0, after.1, state, limit])?;
            let mut listed = Vec::new();
            while let Some(row) = rows.next()? {
                listed.push(record(row));
            }
            Ok(listed)
        })
        .await
    }

    async fn sweep(&self, limit: usize) -> Result<u64, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.on_disk(move |connection, now| {
            let mut sweep = connection.prepare_cached(
                "DELETE FROM saga_task WHERE id IN (SELECT id FROM saga_task WHERE due IS NULL AND expires <= ? LIMIT ?)",
            )?;
            Ok(sweep.execute(params![now, limit])? as u64)
        })
        .await
    }
}
