//! A server process for each contender, all served in the same way.

use std::{
    io::{self, Write},
    net::Ipv4Addr,
    sync::Arc,
};

use axum::serve::ListenerExt;
use clap::ValueEnum;
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use saga_runtime::{KEY_LEN, Keyring, SagaServer, Settings};
use tokio::{net::TcpListener, process::Command};

use crate::{
    Result,
    process::{Process, orphaned},
    tools::{ByHand, Live, UnderSaga},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Contender {
    /// `#[saga]`
    Saga,
    /// A state machine with rmcp's `RequestStateCodec`
    ByHand,
    /// rmcp in a session of 2025-11-25
    Live,
}

impl Contender {
    pub(crate) const ALL: [Self; 3] = [Self::Saga, Self::ByHand, Self::Live];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Saga => "saga",
            Self::ByHand => "by hand",
            Self::Live => "live",
        }
    }

    /// As the hidden subcommands take it.
    pub(crate) fn argument(self) -> &'static str {
        match self {
            Self::Saga => "saga",
            Self::ByHand => "by-hand",
            Self::Live => "live",
        }
    }

    pub(crate) async fn start(self) -> Result<Process> {
        Process::start(this_program(&["serve", self.argument()])?).await
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
    match contender {
        Contender::Saga => {
            let settings = Settings::new(Keyring::new("load", key)?);
            serve(move || SagaServer::new(UnderSaga).with_settings(settings.clone())).await
        }
        Contender::ByHand => {
            let handler = ByHand::new(key.to_vec())?;
            serve(move || handler.clone()).await
        }
        Contender::Live => serve(|| Live).await,
    }
}

async fn serve<S: ServerHandler>(service: impl Fn() -> S + Send + Sync + 'static) -> Result<()> {
    let service = StreamableHttpService::new(
        move || Ok(service()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default().with_json_response(true),
    );
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    // An event stream is written in small pieces, which would wait for each other's acknowledgement.
    let listener = listener.tap_io(|connection| {
        let _ = connection.set_nodelay(true);
    });
    writeln!(io::stdout(), "listening on http://{address}/mcp")?;
    let router = axum::Router::new().nest_service("/mcp", service);
    tokio::select! {
        outcome = axum::serve(listener, router) => Ok(outcome?),
        () = orphaned() => Ok(()),
    }
}
