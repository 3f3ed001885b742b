//! Durable tasks: a `#[saga]` call as one row in a store, run leg by leg, by whichever process has time for it.
//!
//! Everything before the last suspension happened once. The piece being run may run again after a crash, under the
//! same idempotency key. An answer, once taken, stands. One outcome is stored.
//!
//! ```no_run
//! # #[derive(Clone)] struct Deployer;
//! # impl rmcp::ServerHandler for Deployer {}
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use saga_runtime::{SagaServer, Settings};
//! use saga_tasks::{SqliteStore, Tasks};
//!
//! let tasks = Tasks::new(SqliteStore::open("tasks.db")?).workers(4);
//! let server = SagaServer::new(Deployer)
//!     .with_settings(Settings::from_env()?)
//!     .with_tasks(tasks);
//! # Ok(())
//! # }
//! ```
//!
//! A tool says when its calls become tasks: `#[saga(task)]`, `#[saga(task = required)]`, `#[saga(task(after = "2s"))]`, or
//! `cx.background().await` in its body. What it did up to a question, a `saga_runtime::sleep` or a `cx.checkpoint()` is kept.
//!
//! The feature `testing` kills the process of a task at every call of its store: `testing::TaskKit`. The feature `console` has pages for those who operate the service: `console::Console`.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod body;
#[cfg(feature = "console")]
pub mod console;
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "redis"))]
mod guard;
mod host;
mod leg;
mod record;
mod reseal;
mod store;
#[cfg(feature = "suite")]
pub mod suite;
mod tasks;
#[cfg(feature = "testing")]
pub mod testing;
mod wire;
mod worker;

pub use record::{CodeId, Owner, State, TaskId, TaskRecord, WorkerId};
pub use reseal::Resealed;
pub use store::memory::MemoryStore;
#[cfg(feature = "postgres")]
pub use store::postgres::PostgresStore;
#[cfg(feature = "redis")]
pub use store::redis::RedisStore;
#[cfg(feature = "sqlite")]
pub use store::sqlite::SqliteStore;
pub use store::{Claim, Claimed, Created, Expect, Page, Renewal, StoreError, Swap, TaskStore};
pub use tasks::Tasks;
