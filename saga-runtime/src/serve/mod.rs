//! Serves a handler over stdio or Streamable HTTP, with the limits and checks that a server on a network needs. Needs the
//! feature `serve`.
//!
//! ```no_run
//! # #[derive(Clone)] struct Deployer;
//! # impl rmcp::ServerHandler for Deployer {}
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use saga_runtime::serve::{Http, stopped};
//!
//! let server = Http::from_env(|| Deployer)?.bind("127.0.0.1:8080").await?;
//! println!("listening on {}", server.url()?);
//! server.run(stopped()).await?;
//! # Ok(())
//! # }
//! ```

mod http;
mod limits;
mod names;
mod reading;
mod sessions;
mod stdio;
mod writing;

use std::future::pending;

pub use self::{
    http::{Bound, Http, HttpService},
    limits::Limits,
    names::ServeError,
    stdio::{stdio, stdio_of},
};

/// Ready when the process is asked to end: by Ctrl-C, or by a termination signal where there is one.
pub async fn stopped() {
    // Where a signal cannot be listened to, it keeps its default effect: it ends the process.
    #[cfg(unix)]
    let terminated = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => signal.recv().await,
            Err(_) => pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = pending::<Option<()>>();
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            pending::<()>().await;
        }
    };
    tokio::select! {
        _ = terminated => {}
        () = interrupted => {}
    }
}
