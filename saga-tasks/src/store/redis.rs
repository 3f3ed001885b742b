//! A store where Redis is there already: each step is one script.

use std::{
    collections::HashMap,
    fmt::{self, Write as _},
    sync::LazyLock,
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use redis::{
    AsyncCommands, Client, FromRedisValue, RedisError, Script, ScriptInvocation, Value,
    aio::{ConnectionManager, ConnectionManagerConfig},
};
use saga_runtime::CallId;

use super::{Claim, Claimed, Created, Expect, Page, Renewal, StoreError, Swap, TaskStore};
use crate::record::{CodeId, Owner, State, TaskId, TaskRecord, WorkerId, millis, time};

/// Tasks in one Redis server, from version 7 on; not in a cluster, whose nodes would have to be told which keys a step is for. Its clock
/// is the clock.
///
/// What is promised of a task that a client was told of, holds as far as Redis keeps what it has acknowledged: `appendonly yes` with
/// `appendfsync always`. With `everysec`, a power cut takes the last second back; without an append-only file, everything.
#[derive(Clone)]
pub struct RedisStore {
    connection: ConnectionManager,
    prefix: String,
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// The keys' prefix, where none is said. Stores have tasks under it: the braces stay.
const PREFIX: &str = "{saga}";

static STEPS: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("redis.lua")));

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

impl From<RedisError> for StoreError {
    fn from(error: RedisError) -> Self {
        Self::new(format!("Redis: {error}"))
    }
}

impl RedisStore {
    /// Connects to a server, as `REDIS_URL` names one: `redis://host:port/0`.
    ///
    /// # Errors
    /// Where it is not to be reached.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        let client = Client::open(url)?;
        // A step whose answer is not waited for may have been taken all the same.
        let config = ConnectionManagerConfig::new().set_response_timeout(Some(PATIENCE));
        Ok(Self {
            connection: ConnectionManager::new_with_config(client, config).await?,
            prefix: PREFIX.to_owned(),
        })
    }

    /// Names the keys otherwise, for several services in one server.
    #[must_use]
    pub fn with_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    pub(crate) async fn step<T: FromRedisValue>(
        &self,
        step: &str,
        given: impl FnOnce(&mut ScriptInvocation<'_>),
    ) -> Result<T, StoreError> {
        let mut call = STEPS.prepare_invoke();
        call.arg(step).arg(&self.prefix);
        given(&mut call);
        let mut connection = self.connection.clone();
        Ok(call.invoke_async(&mut connection).await?)
    }

    fn key(&self, kind: &str, name: &str) -> String {
        format!("{}:{kind}:{name}", self.prefix)
    }
}

pub(crate) fn hex(call: &CallId) -> String {
    let mut hex = String::new();
    for byte in call.as_bytes() {
        // A text takes everything.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

fn call_of(hex: &str) -> Option<CallId> {
    let mut bytes = [0; 16];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    (hex.len() == 32).then_some(CallId::from_bytes(bytes))
}

/// The columns of a record, as names and values. What may be missing is an empty text; a message begins with `=`.
fn columns(record: &TaskRecord, version: u64, call: &mut ScriptInvocation<'_>) {
    let at = |time: Option<SystemTime>| {
        time.map(|time| millis(time).to_string())
            .unwrap_or_default()
    };
    let message = record.status_message.as_ref();
    for (name, value) in [
        ("id", record.id.as_str().to_owned()),
        ("call", hex(&record.call)),
        ("version", version.to_string()),
        ("owner", record.owner.as_str().to_owned()),
        ("tool", record.tool.clone()),
        ("code", record.code.0.to_string()),
        ("state", record.state.name().to_owned()),
        ("due", at(record.due)),
        ("fence", record.fence.to_string()),
        (
            "worker",
            record
                .worker
                .as_ref()
                .map_or("", WorkerId::as_str)
                .to_owned(),
        ),
        ("lease_until", at(record.lease_until)),
        ("attempts", record.attempts.to_string()),
        ("cancel", u8::from(record.cancel).to_string()),
        ("created", millis(record.created).to_string()),
        ("updated", millis(record.updated).to_string()),
        ("expires", at(record.expires)),
        (
            "status_message",
            message
                .map(|message| format!("={message}"))
                .unwrap_or_default(),
        ),
    ] {
        call.arg(name).arg(value);
    }
    call.arg("sealed").arg(record.sealed.as_slice());
}

/// A record, as far as it can be read. Of one that is damaged nothing is sealed: its task fails, and no other.
fn record(mut columns: HashMap<String, Vec<u8>>) -> TaskRecord {
    let sealed = columns.remove("sealed").unwrap_or_default();
    let text = |name: &str| {
        let bytes = columns.get(name).map(Vec::as_slice).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    };
    let at = |name: &str| text(name).parse().ok().map(time);
    let number = |name: &str| text(name).parse::<u64>().unwrap_or_default();
    let call = call_of(&text("call"));
    let (id, owner) = (TaskId::named(text("id")), Owner::written(text("owner")));
    let created = at("created").unwrap_or(SystemTime::UNIX_EPOCH);
    let known = call.unwrap_or_else(|| CallId::from_bytes([0; 16]));
    let mut record = TaskRecord::new(id, known, owner, text("tool"), created);
    record.version = number("version");
    record.code = CodeId(number("code"));
    record.due = at("due");
    record.state = State::named(&text("state")).unwrap_or(match record.due {
        Some(_) => State::Ready,
        None => State::Failed,
    });
    record.fence = number("fence");
    record.worker = Some(text("worker"))
        .filter(|worker| !worker.is_empty())
        .map(WorkerId::named);
    record.lease_until = at("lease_until");
    record.attempts = u32::try_from(number("attempts")).unwrap_or(u32::MAX);
    record.cancel = text("cancel") == "1";
    record.updated = at("updated").unwrap_or(created);
    record.expires = at("expires");
    record.status_message = text("status_message").strip_prefix('=').map(str::to_owned);
    record.sealed = if call.is_some() { sealed } else { Vec::new() };
    record
}

/// A number as a step gives one.
fn number(value: Option<Value>) -> Result<i64, StoreError> {
    let wrong = || StoreError::new("Redis: an answer that is none");
    let text: String =
        redis::from_redis_value(value.ok_or_else(wrong)?).map_err(RedisError::from)?;
    text.parse().map_err(|_| wrong())
}

fn whole_millis(time: Duration) -> u64 {
    // Lua's numbers are exact up to here.
    u64::try_from(time.as_millis())
        .unwrap_or(u64::MAX)
        .min(1 << 50)
}

#[async_trait]
impl TaskStore for RedisStore {
    async fn now(&self) -> Result<SystemTime, StoreError> {
        Ok(time(self.step("now", |_| {}).await?))
    }

    async fn create(&self, record: &TaskRecord) -> Result<Created, StoreError> {
        let known: Option<String> = self
            .step("create", |call| {
                call.arg(record.id.as_str()).arg(hex(&record.call));
                columns(record, record.version, call);
            })
            .await?;
        Ok(known.map_or(Created::New, |id| Created::Exists(TaskId::named(id))))
    }

    async fn get(&self, id: &TaskId) -> Result<Option<TaskRecord>, StoreError> {
        let mut connection = self.connection.clone();
        let key = self.key("task", id.as_str());
        let columns: HashMap<String, Vec<u8>> = connection.hgetall(key).await?;
        Ok((!columns.is_empty()).then(|| record(columns)))
    }

    async fn find(&self, call: &CallId) -> Result<Option<TaskId>, StoreError> {
        let mut connection = self.connection.clone();
        let known: Option<String> = connection.get(self.key("call", &hex(call))).await?;
        Ok(known.map(TaskId::named))
    }

    async fn swap(&self, next: &TaskRecord, expect: Expect) -> Result<Swap, StoreError> {
        let version = expect.version + 1;
        let fence = expect.fence.map(|fence| fence.to_string());
        let done: bool = self
            .step("swap", |call| {
                call.arg(next.id.as_str()).arg(expect.version.to_string());
                call.arg(fence.unwrap_or_default());
                columns(next, version, call);
            })
            .await?;
        Ok(if done {
            Swap::Done(version)
        } else {
            Swap::Lost
        })
    }

    async fn claim(&self, claim: Claim<'_>) -> Result<Claimed, StoreError> {
        let mut records = Vec::new();
        let (mut now, mut behind) = (0, 0);
        loop {
            // Redis does nothing else meanwhile, so it looks at few of those that are left to others at a time.
            let limit = claim.limit.saturating_sub(records.len());
            let claimed: Result<Vec<Value>, _> = self
                .step("claim", |call| {
                    call.arg(claim.worker.as_str()).arg(limit);
                    call.arg(whole_millis(claim.lease))
                        .arg(whole_millis(claim.stale_after));
                    call.arg(behind);
                    for code in claim.unknown {
                        call.arg(code.0.to_string());
                    }
                })
                .await;
            let claimed = match claimed {
                Ok(claimed) => claimed,
                Err(error) if records.is_empty() => return Err(error),
                // What was claimed before is ours.
                Err(_) => break,
            };
            let mut claimed = claimed.into_iter();
            now = number(claimed.next())?;
            behind = number(claimed.next())?;
            for columns in claimed {
                let columns = redis::from_redis_value(columns).map_err(RedisError::from)?;
                records.push(record(columns));
            }
            if behind < 0 || records.len() >= claim.limit {
                break;
            }
        }
        Ok(Claimed {
            now: time(now),
            records,
        })
    }

    async fn renew(
        &self,
        held: &[(TaskId, u64)],
        lease: Duration,
    ) -> Result<Vec<Renewal>, StoreError> {
        let renewed: Vec<u8> = self
            .step::<Vec<i64>>("renew", |call| {
                call.arg(whole_millis(lease));
                for (id, fence) in held {
                    call.arg(id.as_str()).arg(fence.to_string());
                }
            })
            .await?
            .into_iter()
            .map(|state| u8::try_from(state).unwrap_or(0))
            .collect();
        let renewals = held.iter().zip(renewed).map(|((id, _), state)| Renewal {
            id: id.clone(),
            held: state > 0,
            cancel: state == 2,
        });
        Ok(renewals.collect())
    }

    async fn note(&self, id: &TaskId, fence: u64, message: &str) -> Result<(), StoreError> {
        self.step("note", |call| {
            call.arg(id.as_str()).arg(fence.to_string()).arg(message);
        })
        .await
    }

    async fn next_due(&self) -> Result<Option<SystemTime>, StoreError> {
        let mut connection = self.connection.clone();
        let due = format!("{}:due", self.prefix);
        let first: Vec<(String, f64)> = connection.zrange_withscores(due, 0, 0).await?;
        #[allow(clippy::cast_possible_truncation, reason = "milliseconds are small")]
        Ok(first.first().map(|(_, due)| time(*due as i64)))
    }

    async fn open(&self, owner: &Owner) -> Result<u64, StoreError> {
        let mut connection = self.connection.clone();
        Ok(connection.scard(self.key("open", owner.as_str())).await?)
    }

    async fn list(&self, page: Page<'_>) -> Result<Vec<TaskRecord>, StoreError> {
        let state = page.state.map_or("", State::name);
        // Later than any task.
        let (mut created, mut id) = page.after.map_or_else(
            || ("+inf".to_owned(), String::new()),
            |(created, id)| (millis(created).to_string(), id.as_str().to_owned()),
        );
        let mut listed = Vec::new();
        loop {
            // Redis does nothing else meanwhile, so it looks at few at a time.
            let (last, found): (Vec<String>, Vec<HashMap<String, Vec<u8>>>) = self
                .step("list", |call| {
                    call.arg(&created).arg(&id).arg(state);
                    call.arg(page.limit.saturating_sub(listed.len()));
                })
                .await?;
            listed.extend(found.into_iter().map(record));
            let [next, after] = <[String; 2]>::try_from(last).unwrap_or_default();
            if listed.len() >= page.limit || next.is_empty() {
                return Ok(listed);
            }
            (created, id) = (next, after);
        }
    }

    async fn sweep(&self, limit: usize) -> Result<u64, StoreError> {
        self.step("sweep", |call| {
            call.arg(limit);
        })
        .await
    }
}
