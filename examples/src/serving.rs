//! Serves a handler.

use std::{
    future::Future,
    io::{self, Write},
    net::Ipv4Addr,
    sync::Arc,
    time::Duration,
};

use rmcp::{
    ServerHandler, ServiceExt,
    transport::{
        stdio,
        streamable_http_server::{
            StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
        },
    },
};
use saga_runtime::{SagaServer, Settings};
use tokio::net::TcpListener;

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
/// requests are accepted. Requests of 2026-07-28 are served without a session, older clients get one.
///
/// # Errors
/// Where the port is taken or the connection fails.
pub async fn serve<H: ServerHandler>(
    handler: impl Fn() -> H + Send + Sync + 'static,
    settings: Settings,
    transport: Transport,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let server = move || SagaServer::new(handler()).with_settings(settings.clone());
    match transport {
        Transport::Stdio => serve_stdio(server()).await,
        Transport::Http { port, json } => serve_http(server, port, json, stop).await,
    }
}

/// Ready when the process is asked to end: by Ctrl-C, or by a termination signal where there is one.
pub async fn stopped() {
    // Where a signal cannot be listened to, it keeps its default effect: it ends the process.
    #[cfg(unix)]
    let terminated = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => signal.recv().await,
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<Option<()>>();
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        _ = terminated => {}
        () = interrupted => {}
    }
}

async fn serve_stdio<H: ServerHandler>(server: SagaServer<H>) -> io::Result<()> {
    let service = server.serve(stdio()).await.map_err(io::Error::other)?;
    service.waiting().await.map_err(io::Error::other)?;
    Ok(())
}

async fn serve_http<H: ServerHandler>(
    server: impl Fn() -> SagaServer<H> + Send + Sync + 'static,
    port: u16,
    json: bool,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let config = StreamableHttpServerConfig::default()
        .with_json_response(json)
        .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*"]);
    let streams = config.cancellation_token.clone();
    let service = StreamableHttpService::new(
        move || Ok(server()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let address = listener.local_addr()?;
    writeln!(io::stdout(), "listening on http://{address}/mcp")?;
    let router = axum::Router::new().nest_service("/mcp", service);
    axum::serve(listener, router)
        .with_graceful_shutdown(async move {
            stop.await;
            // An open event stream would keep the server from ending; but a request whose stream is
            // cancelled gets an error instead of the result that it may be about to have.
            tokio::spawn(async move {
                tokio::time::sleep(GRACE).await;
                streams.cancel();
            });
        })
        .await
}
