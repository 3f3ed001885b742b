//! rmcp's own client, with a handler that answers.

use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::{
    ClientHandler, ErrorData, RoleClient, RoleServer, Service, ServiceExt,
    model::{
        ClientCapabilities, ElicitRequestParams, ElicitResult, ElicitationAction, Implementation,
        InitializeRequestParams, ProgressNotificationParam, ProtocolVersion,
    },
    service::{
        ClientLifecycleMode, ClientServiceExt, NotificationContext, RequestContext, RunningService,
    },
};
use serde_json::json;
use tokio::sync::Notify;

/// What it does where it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Fills in every form.
    Answers,
    /// Waits until nobody waits for its answer.
    Hesitates,
    Refuses,
}

/// A client of this version of the protocol.
pub(crate) struct Answering {
    version: ProtocolVersion,
    manner: Manner,
    pub(crate) asked: AtomicUsize,
    pub(crate) called_off: AtomicUsize,
    /// It is told of progress.
    pub(crate) progress: Notify,
    /// It is asked.
    pub(crate) asking: Notify,
}

pub(crate) type Client = RunningService<RoleClient, Answering>;

impl Answering {
    pub(crate) async fn connect(
        server: impl Service<RoleServer>,
        version: ProtocolVersion,
        manner: Manner,
    ) -> Client {
        let (near, far) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move {
            if let Ok(server) = server.serve(near).await {
                let _ = server.waiting().await;
            }
        });
        let client = Self {
            version: version.clone(),
            manner,
            asked: AtomicUsize::new(0),
            called_off: AtomicUsize::new(0),
            progress: Notify::new(),
            asking: Notify::new(),
        };
        let lifecycle = match version >= ProtocolVersion::V_2026_07_28 {
            true => ClientLifecycleMode::Discover {
                preferred_versions: vec![version],
            },
            false => ClientLifecycleMode::Initialize,
        };
        client.serve_with_lifecycle(far, lifecycle).await.unwrap()
    }
}

impl ClientHandler for Answering {
    fn get_info(&self) -> InitializeRequestParams {
        let mut capabilities = ClientCapabilities::builder().enable_tasks().build();
        capabilities.elicitation = tests::live::capable().elicitation;
        InitializeRequestParams::new(capabilities, Implementation::new("answering", "1"))
            .with_protocol_version(self.version.clone())
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.asking.notify_one();
        match self.manner {
            Manner::Refuses => return Err(ErrorData::invalid_request("not today", None)),
            Manner::Hesitates => {
                context.ct.cancelled().await;
                self.called_off.fetch_add(1, Ordering::SeqCst);
                return Ok(ElicitResult::new(ElicitationAction::Cancel));
            }
            Manner::Answers => {}
        }
        let ElicitRequestParams::FormElicitationParams {
            requested_schema, ..
        } = params
        else {
            return Err(ErrorData::invalid_params("not a form", None));
        };
        let content = match requested_schema.properties.contains_key("n") {
            true => json!({ "n": 3 }),
            false => json!({ "ok": true }),
        };
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(content))
    }

    async fn on_progress(&self, _: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progress.notify_one();
    }
}
