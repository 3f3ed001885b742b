//! Serves a handler as the example programs are told.

use std::{
    future::Future,
    io::{self, Write},
    net::Ipv4Addr,
    time::Duration,
};

use rmcp::ServerHandler;
use saga_runtime::{
    SagaServer, Settings,
    serve::{Http, Limits, stdio, stdio_of},
};
use saga_tasks::Tasks;

pub use saga_runtime::serve::stopped;

/// How long requests go on once a server is to stop.
const GRACE: Duration = Duration::from_secs(2);

/// How a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// Standard input and output.
    Stdio,
    /// Streamable HTTP on the loopback interface, at `/mcp`.
    Http {
        /// The port; 0 takes any free one.
        port: u16,
        /// Answer with a JSON document instead of an event stream where the result is all there is
        /// to send.
        json: bool,
    },
}

/// Serves what `handler` makes, for each session or request without one, until its client is gone
/// (stdio) or `stop` is ready (HTTP).
///
/// Over HTTP, the line `listening on http://127.0.0.1:PORT/mcp` goes to standard output as soon as
/// requests are accepted.
///
/// # Errors
/// Where the port is taken or the connection fails.
pub async fn serve<H: ServerHandler>(
    handler: impl Fn() -> H + Send + Sync + 'static,
    settings: Settings,
    transport: Transport,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    serve_with(handler, settings, None::<Tasks>, transport, stop).await
}

/// [`serve`] with tasks.
///
/// # Errors
/// Where the port is taken or the connection fails.
pub async fn serve_with<H: ServerHandler>(
    handler: impl Fn() -> H + Send + Sync + 'static,
    settings: Settings,
    tasks: Option<Tasks>,
    transport: Transport,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let (port, json) = match (transport, &tasks) {
        (Transport::Stdio, None) => return stdio(handler(), settings).await,
        (Transport::Stdio, Some(tasks)) => {
            let server = SagaServer::new(handler()).with_settings(settings);
            return stdio_of(server.with_tasks(tasks.clone())).await;
        }
        (Transport::Http { port, json }, _) => (port, json),
    };
    let mut server = Http::new(handler, settings).limits(Limits::default().grace(GRACE));
    if let Some(tasks) = tasks {
        server = server.tasks(tasks);
    }
    let server = if json { server } else { server.streaming() };
    let server = server.bind((Ipv4Addr::LOCALHOST, port)).await?;
    writeln!(io::stdout(), "listening on {}", server.url()?)?;
    server.run(stop).await
}
