//! The connection to the server.

use std::{
    collections::VecDeque,
    io::{self, Write},
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    RoleClient, ServiceError,
    model::ProtocolVersion,
    service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RunningService},
    transport::{
        StreamableHttpClientTransport, TokioChildProcess, Transport,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use saga_client::terminal::{Style, plain};
use saga_runtime::client::SagaHttp;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{ChildStderr, Command},
    task::JoinHandle,
    time::timeout,
};

use crate::{
    Result,
    calling::told,
    options::{Options, Wire},
    person::Person,
    reach::Persistence,
    retry::Retrying,
    watch::{Watch, Watched},
};

/// The server, and the person whom it asks.
pub(crate) type Server = RunningService<RoleClient, Person>;

/// How many lines of a server's log explain why it has failed.
const EXPLAINED: usize = 20;
/// How long the log of a process that has ended is waited for.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A server that can be connected to.
pub(crate) enum Link {
    Url(String),
    Process(TokioChildProcess),
}

impl Link {
    /// The server that the options name, and what it logs where it is a process.
    pub(crate) fn new(options: &Options) -> Result<(Self, ServerLog)> {
        match (&options.place.url, &options.place.stdio) {
            (Some(url), _) => Ok((Self::Url(url.clone()), ServerLog::default())),
            (None, Some(command)) => Self::start(command, options.raw),
            (None, None) => Err("where is the server? say --url URL or --stdio COMMAND".into()),
        }
    }

    fn start(command: &str, raw: bool) -> Result<(Self, ServerLog)> {
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
        let log = stderr.map(ServerLog::of).unwrap_or_default();
        Ok((Self::Process(process), log))
    }

    pub(crate) async fn connect(self, person: Person, wire: Wire, watch: &Watch) -> Result<Server> {
        let watch = watch.clone();
        match self {
            Self::Url(url) => {
                // A session that the server does not know any more is not replaced: the call is in it.
                let mut config = StreamableHttpClientTransportConfig::with_uri(url)
                    .reinit_on_expired_session(false);
                config.retry_config = Arc::new(Persistence::new(watch.clone()));
                let client = reqwest::Client::builder().no_proxy().build()?;
                let client = Retrying::new(SagaHttp(client), watch.clone());
                let transport = StreamableHttpClientTransport::with_client(client, config);
                serve(person, wire, Watched::new(transport, watch)).await
            }
            Self::Process(process) => serve(person, wire, Watched::new(process, watch)).await,
        }
    }
}

async fn serve<T>(person: Person, wire: Wire, transport: T) -> Result<Server>
where
    T: Transport<RoleClient> + 'static,
{
    let lifecycle = match wire {
        Wire::Live => ClientLifecycleMode::Initialize,
        _ => ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        },
    };
    let connected = person.serve_with_lifecycle(transport, lifecycle).await;
    connected.map_err(|error| match error {
        // Its own words name the types of this program.
        ClientInitializeError::TransportError { error, .. } if !is_pipe(&*error.error) => {
            error.error
        }
        ClientInitializeError::TransportError { .. }
        | ClientInitializeError::ConnectionClosed(_) => "the server ended without an answer".into(),
        ClientInitializeError::JsonRpcError(error) => told(ServiceError::McpError(error)),
        error => error.into(),
    })
}

/// Whether nobody reads what was sent: a process can end before it is asked anything.
fn is_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// The last lines that a server process wrote to its standard error.
#[derive(Default)]
pub(crate) struct ServerLog {
    lines: Arc<Mutex<VecDeque<String>>>,
    reading: Option<JoinHandle<()>>,
}

impl ServerLog {
    fn of(stderr: ChildStderr) -> Self {
        let lines = Arc::default();
        let reading = tokio::spawn(keep(Arc::clone(&lines), stderr));
        let reading = Some(reading);
        Self { lines, reading }
    }

    /// Shows them, of a process that has ended.
    pub(crate) async fn show(self) {
        if let Some(reading) = self.reading {
            // Its children may have standard error open for much longer.
            let _ = timeout(LAST_WORDS, reading).await;
        }
        let style = Style::of_stderr();
        let kept = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        for line in kept.iter() {
            // The error itself is still to be told.
            let _ = writeln!(io::stderr(), "{} {}", style.dim("server:"), plain(line));
        }
    }
}

async fn keep(kept: Arc<Mutex<VecDeque<String>>>, stderr: ChildStderr) {
    let mut lines = BufReader::new(stderr).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == EXPLAINED {
            kept.pop_front();
        }
        kept.push_back(line);
    }
}
