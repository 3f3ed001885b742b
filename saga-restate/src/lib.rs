//! Durable tasks beyond one database: [Restate](https://restate.dev) keeps them, wakes them, and has them on several machines.
//!
//! [`RestateStore`] is a store of tasks like those in [`saga_tasks`], with the same guarantees by the same code: each task is a virtual object
//! whose handlers are the store's steps. Restate runs the handlers of one task one after the other, and each to its end, whatever is
//! killed; its timers say when a task is due. The legs run in the workers, as with every store.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use saga_restate::RestateStore;
//! use saga_tasks::Tasks;
//!
//! let restate = RestateStore::connect("http://127.0.0.1:8080")?;
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:9080").await?;
//! let handlers = restate.clone();
//! tokio::spawn(async move { handlers.serve(listener).await });
//! restate.register("http://127.0.0.1:9070", "http://127.0.0.1:9080").await?;
//! let tasks = Tasks::new(restate).workers(4);
//! # Ok(())
//! # }
//! ```
//!
//! Handlers know no clock: times are those of the processes, and Restate's where a timer has come. A clock that is ahead ends another
//! process's lease earlier by as much; a leg may run twice then, and has one outcome nevertheless.
//!
//! Whoever reaches the ingress, the admin address, or an endpoint without [an identity key](RestateStore::with_identity_key) can
//! change tasks: bind them to a network of their own. What is sealed stays so.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod client;
mod endpoint;
mod objects;
mod row;
mod store;

pub use store::RestateStore;
