//! Tools that send notifications: log messages, progress, and changes of what the server offers.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    ErrorData, RoleServer,
    model::{
        LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProtocolVersion,
    },
    service::{RequestContext, SubscriptionContext, SubscriptionSendError},
    tool, tool_router,
};
use tokio::{
    sync::broadcast::{self, error::RecvError},
    time::sleep,
};

use crate::{answers::internal, server::Everything};

const PAUSE: Duration = Duration::from_millis(50);

#[tool_router(router = notifying_tools, vis = "pub(crate)")]
impl Everything {
    /// Logs three messages
    #[tool]
    async fn test_tool_with_logging(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        self.log(&context, "Tool execution started").await?;
        sleep(PAUSE).await;
        self.log(&context, "Tool processing data").await?;
        sleep(PAUSE).await;
        self.log(&context, "Tool execution completed").await?;
        Ok("Logged three messages".to_owned())
    }

    /// Logs a message where the request asks for log messages
    #[tool]
    async fn test_logging_tool(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        self.log(&context, "Log messages were asked for").await?;
        Ok("Logged what was asked for".to_owned())
    }

    /// Reports its progress
    #[tool]
    async fn test_tool_with_progress(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        for percent in [0.0, 50.0, 100.0] {
            if let Some(token) = context.meta.get_progress_token() {
                let progress = ProgressNotificationParam::new(token, percent).with_total(100.0);
                context
                    .peer
                    .notify_progress(progress)
                    .await
                    .map_err(internal)?;
            }
            sleep(PAUSE).await;
        }
        Ok("Reported its progress".to_owned())
    }

    /// Tells listeners that the tools have changed
    #[tool]
    async fn test_trigger_tool_change(&self) -> String {
        self.changes.announce(Change::Tools);
        "Told that the tools have changed".to_owned()
    }

    /// Tells listeners that the prompts have changed
    #[tool]
    async fn test_trigger_prompt_change(&self) -> String {
        self.changes.announce(Change::Prompts);
        "Told that the prompts have changed".to_owned()
    }

    async fn log(&self, context: &RequestContext<RoleServer>, text: &str) -> Result<(), ErrorData> {
        let level = LoggingLevel::Info;
        match self.level.least(context) {
            Some(least) if least as u8 <= level as u8 => {}
            _ => return Ok(()),
        }
        let message = LoggingMessageNotificationParam::new(level, text.into());
        context
            .peer
            .notify_logging_message(message)
            .await
            .map_err(internal)
    }
}

/// The least level of log messages that the client of a session wants.
pub(crate) struct Level(Mutex<LoggingLevel>);

impl Default for Level {
    fn default() -> Self {
        Self(Mutex::new(LoggingLevel::Debug))
    }
}

impl Level {
    pub(crate) fn set(&self, level: LoggingLevel) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = level;
    }

    /// Since 2026-07-28 each request says it, and no word means no messages.
    fn least(&self, context: &RequestContext<RoleServer>) -> Option<LoggingLevel> {
        let version = context.protocol_version();
        match version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
            true => context.meta.log_level(),
            false => Some(*self.0.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

/// What has changed.
#[derive(Clone, Copy)]
enum Change {
    Tools,
    Prompts,
}

/// What has changed, for every listener.
pub(crate) struct Changes {
    all: broadcast::Sender<Change>,
    /// Hears what changes between a listener's request and its first look.
    early: Mutex<Option<broadcast::Receiver<Change>>>,
}

impl Changes {
    pub(crate) fn new() -> Self {
        Self::of(broadcast::Sender::new(16))
    }

    /// The same changes for another client.
    pub(crate) fn of_new_session(&self) -> Self {
        Self::of(self.all.clone())
    }

    fn of(all: broadcast::Sender<Change>) -> Self {
        let early = Mutex::new(Some(all.subscribe()));
        Self { all, early }
    }

    fn announce(&self, change: Change) {
        // An error says that nobody listens.
        let _ = self.all.send(change);
    }

    /// Passes changes on until the client has had enough.
    pub(crate) async fn pass_on(&self, context: &SubscriptionContext) {
        let mut changes = self.listen();
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return,
                change = changes.recv() => change,
            };
            let sent = match change {
                Ok(change) => notify(context, change).await,
                // One notification is as good as several: the client lists again.
                Err(RecvError::Lagged(_)) => Ok(()),
                Err(RecvError::Closed) => return,
            };
            if sent.is_err() {
                return;
            }
        }
    }

    fn listen(&self) -> broadcast::Receiver<Change> {
        let early = self
            .early
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        early.unwrap_or_else(|| self.all.subscribe())
    }
}

async fn notify(
    context: &SubscriptionContext,
    change: Change,
) -> Result<(), SubscriptionSendError> {
    let sent = match change {
        Change::Tools => context.sink().notify_tool_list_changed().await,
        Change::Prompts => context.sink().notify_prompt_list_changed().await,
    };
    match sent {
        // This listener asked for other changes.
        Err(SubscriptionSendError::NotificationNotAccepted(_)) => Ok(()),
        sent => sent,
    }
}
