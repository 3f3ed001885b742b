//! Tasks in Restate: the suite of every store, and tools whose server and processes are killed. `.ci/restate` has a Restate for them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may end here")]

mod client;
mod killed;
mod objects;
mod process;
mod server;
mod studio;

use saga_tasks::suite;
use tokio::net::TcpListener;

use crate::server::Restate;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Restate: .ci/restate"]
async fn restate_of_two_replicas() {
    let restate = Restate::start();
    let (one, other) = (restate.store(), restate.store());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let handlers = one.clone();
    tokio::spawn(async move { handlers.serve(listener).await });
    restate.register(port).await;
    suite::run(&one, &other).await;
}
