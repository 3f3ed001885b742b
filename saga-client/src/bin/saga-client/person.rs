//! Who answers the server: a person, who also stands for the model.

use std::{
    io::{self, IsTerminal},
    path::Path,
    sync::OnceLock,
};

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult,
        ElicitRequestParams, ElicitResult, ElicitationAction, ErrorCode, Implementation,
        ListRootsResult, LoggingMessageNotificationParam, ProgressNotificationParam,
        ProtocolVersion, Root, SamplingMessage,
    },
    service::{NotificationContext, RequestContext},
};
use saga_client::terminal::{Answer, Style, Terminal, plain};
use serde_json::json;
use tokio::{
    io::BufReader,
    sync::{Mutex, watch},
};
use url::Url;

use crate::{
    Result,
    options::{Command, Options, Wire},
    progress, say,
};

/// What the specification has for a user who refuses a request to the model.
const REJECTED: ErrorCode = ErrorCode(-1);

pub(crate) struct Person {
    /// One question at a time: a round can have several.
    terminal: Mutex<Terminal>,
    model: Option<String>,
    roots: Vec<Root>,
    config: ClientConfig,
    style: Style,
    leaving: watch::Sender<bool>,
    /// The id of what goes on without this program.
    followed: OnceLock<String>,
}

impl Person {
    pub(crate) async fn new(options: &Options) -> Result<Self> {
        let mut capabilities: ClientCapabilities = serde_json::from_value(json!({
            "elicitation": { "form": {}, "url": {} },
            "sampling": {},
            "roots": {},
        }))?;
        let follows = matches!(
            options.command,
            Some(Command::Follow { .. } | Command::Cancel { .. })
        );
        if options.wire == Wire::Task || (follows && options.wire != Wire::Async) {
            capabilities.extensions = ClientCapabilities::builder()
                .enable_tasks()
                .build()
                .extensions;
        }
        let myself = Implementation::new("saga-client", env!("CARGO_PKG_VERSION"));
        let version = match options.wire {
            Wire::Live => ProtocolVersion::V_2025_11_25,
            _ => ProtocolVersion::V_2026_07_28,
        };
        let roots = options.roots.iter().map(|root| self::root(root));
        Ok(Self {
            terminal: Mutex::new(terminal(options.answers.as_deref()).await?),
            model: options.model.clone(),
            roots: roots.collect::<Result<_>>()?,
            config: ClientConfig::new(capabilities, myself).with_protocol_version(version),
            style: Style::of_stdout(),
            leaving: watch::Sender::new(false),
            followed: OnceLock::new(),
        })
    }

    /// Notes that the call goes on without this program, and under which id.
    pub(crate) fn follow(&self, kind: &str, id: &str) -> Result<()> {
        self.followed.get_or_init(|| plain(id));
        say(&self.style.dim(&format!("{kind} {}", plain(id))))
    }

    /// The id of what goes on without this program.
    pub(crate) fn followed(&self) -> Option<&str> {
        self.followed.get().map(String::as_str)
    }

    /// Whether a question waits for its answer.
    pub(crate) fn is_asking(&self) -> bool {
        self.terminal.try_lock().is_err()
    }

    /// Calls off all questions.
    pub(crate) fn leave(&self) {
        self.leaving.send_replace(true);
    }

    /// The answer; nothing where the question does not wait for it any more.
    async fn answer<T>(
        &self,
        context: &RequestContext<RoleClient>,
        answer: impl Future<Output = io::Result<T>>,
    ) -> Result<Option<T>, ErrorData> {
        let mut leaving = self.leaving.subscribe();
        tokio::select! {
            biased;
            _ = leaving.wait_for(|leaving| *leaving) => Ok(None),
            answer = answer => answer.map(Some).map_err(internal),
            () = context.ct.cancelled() => {
                self.note("\n(the server does not wait for this answer any more)");
                Ok(None)
            }
        }
    }

    fn note(&self, text: &str) {
        // A notification that cannot be shown is no reason to end the call.
        let _ = say(&self.style.dim(&plain(text)));
    }
}

async fn terminal(answers: Option<&Path>) -> Result<Terminal> {
    let (screen, style) = (io::stdout(), Style::of_stdout());
    match answers.filter(|path| *path != Path::new("-")) {
        Some(path) => {
            let file = tokio::fs::File::open(path).await;
            let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
            Ok(Terminal::new(BufReader::new(file), screen, true, style))
        }
        None => {
            let echo = !io::stdin().is_terminal();
            let lines = BufReader::new(tokio::io::stdin());
            Ok(Terminal::new(lines, screen, echo, style))
        }
    }
}

fn root(path: &Path) -> Result<Root> {
    if let Some(uri) = path.to_str().filter(|path| path.contains("://")) {
        return Ok(Root::new(uri));
    }
    let absolute = std::path::absolute(path)?;
    let uri = Url::from_file_path(&absolute)
        .map_err(|()| format!("{} has no URI", absolute.display()))?;
    let root = Root::new(uri);
    Ok(match absolute.file_name() {
        Some(name) => root.with_name(name.to_string_lossy()),
        None => root,
    })
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let asked = async {
            let mut terminal = self.terminal.lock().await;
            match &params {
                ElicitRequestParams::FormElicitationParams {
                    message,
                    requested_schema,
                    ..
                } => terminal.fill_in(message, requested_schema).await,
                ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
                    terminal.visit(message, url).await
                }
                _ => Err(io::Error::other("neither a form nor a page")),
            }
        };
        let answer = self.answer(&context, asked).await?;
        Ok(match answer.unwrap_or(Answer::Cancel) {
            Answer::Accept(content) => {
                let result = ElicitResult::new(ElicitationAction::Accept);
                match params {
                    ElicitRequestParams::FormElicitationParams { .. } => {
                        result.with_content(content.into())
                    }
                    // What was entered there is between the person and the page.
                    _ => result,
                }
            }
            Answer::Decline => ElicitResult::new(ElicitationAction::Decline),
            Answer::Cancel => ElicitResult::new(ElicitationAction::Cancel),
        })
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let asked = async {
            let mut terminal = self.terminal.lock().await;
            terminal.reply(&params, self.model.as_deref()).await
        };
        match self.answer(&context, asked).await?.flatten() {
            Some(text) => {
                let message = SamplingMessage::assistant_text(text);
                let result = CreateMessageResult::new(message, "a person".to_owned());
                Ok(result.with_stop_reason(CreateMessageResult::STOP_REASON_END_TURN))
            }
            None => {
                let text = "User rejected sampling request";
                Err(ErrorData::new(REJECTED, text, None))
            }
        }
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        // Held, so that the note does not come in the middle of a question.
        let _terminal = self.terminal.lock().await;
        let roots: Vec<_> = self.roots.iter().map(|root| root.uri.as_str()).collect();
        self.note(&match roots.as_slice() {
            [] => "\nThe server asks for the roots: there are none (--root PATH)".to_owned(),
            roots => format!("\nThe server asks for the roots: {}", roots.join(", ")),
        });
        Ok(ListRootsResult::new(self.roots.clone()))
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let message = params.message.unwrap_or_default();
        progress::show(params.progress, params.total, &message);
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let level = json!(params.level);
        let level = level.as_str().unwrap_or_default();
        let text = params.data.as_str().map(str::to_owned);
        let text = text.unwrap_or_else(|| params.data.to_string());
        self.note(&format!("log {level}: {text}"));
    }
}

fn internal(error: io::Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
