//! The connection to the server.

use std::{
    collections::VecDeque,
    io::{self, Write},
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
};

use examples::terminal::{Style, plain};
use rmcp::{
    RoleClient, ServiceError,
    model::ProtocolVersion,
    service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RunningService},
    transport::{
        StreamableHttpClientTransport, TokioChildProcess, Transport,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    process::Command,
};

use crate::{
    Result,
    calling::told,
    options::{Options, Wire},
    person::Person,
    watch::{Watch, Watched},
};

/// The server, and the person whom it asks.
pub(crate) type Server = RunningService<RoleClient, Person>;

/// How many lines of a server's log explain why it has failed.
const EXPLAINED: usize = 20;

/// A server that can be connected to.
pub(crate) enum Link {
    Url(String),
    Process(TokioChildProcess, ServerLog),
}

impl Link {
    pub(crate) fn new(options: &Options) -> Result<Self> {
        match (&options.place.url, &options.place.stdio) {
            (Some(url), _) => Ok(Self::Url(url.clone())),
            (None, Some(command)) => Self::start(command, options.raw),
            (None, None) => Err("neither --url nor --stdio".into()),
        }
    }

    fn start(command: &str, raw: bool) -> Result<Self> {
        let words = shlex::split(command).ok_or("a quote in --stdio is not closed")?;
        let (program, arguments) = words.split_first().ok_or("--stdio names no program")?;
        let mut child = Command::new(program);
        child.args(arguments);
        // Ctrl-C is for this program, which tells the server what it means.
        #[cfg(unix)]
        child.process_group(0);
        let stderr = if raw {
            Stdio::inherit()
        } else {
            Stdio::piped()
        };
        let child = TokioChildProcess::builder(child).stderr(stderr).spawn();
        let (process, stderr) = child.map_err(|error| format!("{program}: {error}"))?;
        let log = ServerLog::default();
        if let Some(stderr) = stderr {
            tokio::spawn(log.clone().keep(stderr));
        }
        Ok(Self::Process(process, log))
    }

    /// What the server logs.
    pub(crate) fn log(&self) -> ServerLog {
        match self {
            Self::Url(_) => ServerLog::default(),
            Self::Process(_, log) => log.clone(),
        }
    }

    pub(crate) async fn connect(self, person: Person, wire: Wire, watch: &Watch) -> Result<Server> {
        let watch = watch.clone();
        match self {
            Self::Url(url) => {
                let config = StreamableHttpClientTransportConfig::with_uri(url);
                let client = reqwest::Client::builder().no_proxy().build()?;
                let transport = StreamableHttpClientTransport::with_client(client, config);
                serve(person, wire, Watched::new(transport, watch)).await
            }
            Self::Process(process, _) => serve(person, wire, Watched::new(process, watch)).await,
        }
    }
}

async fn serve<T>(person: Person, wire: Wire, transport: T) -> Result<Server>
where
    T: Transport<RoleClient> + 'static,
{
    let lifecycle = match wire {
        Wire::Mrtr | Wire::Saga => ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        },
        Wire::Live => ClientLifecycleMode::Initialize,
    };
    let connected = person.serve_with_lifecycle(transport, lifecycle).await;
    connected.map_err(|error| match error {
        // Its own words name the types of this program.
        ClientInitializeError::TransportError { error, .. } => error.error,
        ClientInitializeError::ConnectionClosed(_) => "the server ended without an answer".into(),
        ClientInitializeError::JsonRpcError(error) => told(ServiceError::McpError(error)),
        error => error.into(),
    })
}

/// The last lines that a server process wrote to its standard error.
#[derive(Clone, Default)]
pub(crate) struct ServerLog(Arc<Mutex<VecDeque<String>>>);

impl ServerLog {
    async fn keep(self, stderr: impl AsyncRead + Unpin) {
        let mut lines = BufReader::new(stderr).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() == EXPLAINED {
                kept.pop_front();
            }
            kept.push_back(line);
        }
    }

    pub(crate) fn show(&self) {
        let style = Style::of_stderr();
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for line in kept.iter() {
            // The error itself is still to be told.
            let _ = writeln!(io::stderr(), "{} {}", style.dim("server:"), plain(line));
        }
    }
}
