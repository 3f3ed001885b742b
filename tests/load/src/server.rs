//! A server process for each contender, all served in the same way.

use std::{
    io::{self, Write},
    net::Ipv4Addr,
    sync::Arc,
};

use axum::{Router, serve::ListenerExt};
use clap::ValueEnum;
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use saga_runtime::{KEY_LEN, Keyring, SagaServer, Settings, http::StreamableHttp};
use tokio::{net::TcpListener, process::Command};

use crate::{
    Result, bare,
    cores::Cores,
    floor,
    tools::{ByHand, Kept, Live, UnderSaga},
    unchecked,
};
use examples::{Process, orphaned};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Contender {
    /// The bytes of `saga`, sent by axum
    Floor,
    /// A state machine on axum, with no SDK around it
    Bare,
    /// `#[saga]` behind a service that checks nothing, with a router that is kept
    Unchecked,
    /// `#[saga]`, with a router that is kept
    Saga,
    /// `#[saga]`, with `server_handler`
    SagaHandler,
    /// `saga` on rmcp's own service
    SagaOnRmcp,
    /// `saga-handler` on rmcp's own service
    SagaHandlerOnRmcp,
    /// A state machine with rmcp's `RequestStateCodec`, with a router that is kept
    ByHand,
    /// The same with `server_handler`
    ByHandHandler,
    /// rmcp in a session of 2025-11-25
    Live,
}

impl Contender {
    pub(crate) const ALL: [Self; 10] = [
        Self::Floor,
        Self::Bare,
        Self::Unchecked,
        Self::Saga,
        Self::SagaHandler,
        Self::SagaOnRmcp,
        Self::SagaHandlerOnRmcp,
        Self::ByHand,
        Self::ByHandHandler,
        Self::Live,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor: axum, the same bytes",
            Self::Bare => "by hand on axum, no SDK",
            Self::Unchecked => "saga behind a service without checks",
            Self::Saga => "saga, router kept",
            Self::SagaHandler => "saga, `server_handler`",
            Self::SagaOnRmcp => "saga on rmcp's service, router kept",
            Self::SagaHandlerOnRmcp => "saga on rmcp's service, `server_handler`",
            Self::ByHand => "by hand, router kept",
            Self::ByHandHandler => "by hand, `server_handler`",
            Self::Live => "live",
        }
    }

    /// The share of the suspended calls with which its memory is looked at.
    pub(crate) fn keeps(self) -> Option<usize> {
        match self {
            Self::Saga | Self::ByHand => Some(1),
            // Each of them has a session, and a connection.
            Self::Live => Some(20),
            _ => None,
        }
    }

    /// As the hidden subcommands take it.
    pub(crate) fn argument(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    pub(crate) async fn start(self, cores: &Cores) -> Result<Process> {
        let cores = cores.argument();
        Process::start(this_program(&["serve", &self.argument(), &cores])?).await
    }
}

/// This program, with as many open files as the system allows: in a session each suspended call has
/// a connection.
pub(crate) fn this_program(arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new("sh");
    command
        .args([
            "-c",
            "ulimit -n \"$(ulimit -Hn)\" || true; exec \"$0\" \"$@\"",
        ])
        .arg(std::env::current_exe()?)
        .args(arguments);
    Ok(command)
}

/// Serves until the program that started this one is gone.
pub(crate) async fn run(contender: Contender) -> Result<()> {
    let key = [7; KEY_LEN];
    let settings = Settings::new(Keyring::new("load", key)?);
    let handler = move || SagaServer::new(UnderSaga).with_settings(settings.clone());
    let kept = handler().with_router(UnderSaga::tool_router());
    match contender {
        Contender::Floor => {
            let (listener, url) = listen().await?;
            let recorded = tokio::spawn(serve(listener, saga(move || kept.clone())));
            let floor = floor::record(&url).await?;
            recorded.abort();
            announce(floor).await
        }
        Contender::Bare => announce(bare::router(ByHand::new(key.to_vec())?)).await,
        Contender::Unchecked => announce(unchecked::router(kept)).await,
        Contender::Saga => announce(saga(move || kept.clone())).await,
        Contender::SagaHandler => announce(saga(handler)).await,
        Contender::SagaOnRmcp => announce(rmcp(move || kept.clone())).await,
        Contender::SagaHandlerOnRmcp => announce(rmcp(handler)).await,
        Contender::ByHand => {
            let handler = Kept::new(ByHand::new(key.to_vec())?, ByHand::tool_router());
            announce(rmcp(move || handler.clone())).await
        }
        Contender::ByHandHandler => {
            let handler = ByHand::new(key.to_vec())?;
            announce(rmcp(move || handler.clone())).await
        }
        Contender::Live => announce(rmcp(|| Live)).await,
    }
}

fn config() -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default().with_json_response(true)
}

fn rmcp<S: ServerHandler>(service: impl Fn() -> S + Send + Sync + 'static) -> Router {
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(service()), sessions, config());
    Router::new().nest_service("/mcp", service)
}

fn saga<S: ServerHandler>(service: impl Fn() -> S + Send + Sync + 'static) -> Router {
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttp::new(move || Ok(service()), sessions, config());
    Router::new().nest_service("/mcp", service)
}

async fn listen() -> Result<(TcpListener, String)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    Ok((listener, url))
}

async fn serve(listener: TcpListener, router: Router) -> io::Result<()> {
    // An event stream is written in small pieces, which would wait for each other's acknowledgement.
    let listener = listener.tap_io(|connection| {
        let _ = connection.set_nodelay(true);
    });
    axum::serve(listener, router).await
}

/// Serves, and says where.
async fn announce(router: Router) -> Result<()> {
    let (listener, url) = listen().await?;
    writeln!(io::stdout(), "listening on {url}")?;
    tokio::select! {
        outcome = serve(listener, router) => Ok(outcome?),
        () = orphaned() => Ok(()),
    }
}
