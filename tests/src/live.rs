//! A connected pair of peers in this process, for runs over the live wire.

use std::sync::{Arc, Mutex};

use rmcp::{
    ClientHandler, ErrorData, Peer, RoleClient, RoleServer, ServerHandler, ServiceExt,
    model::{
        ClientCapabilities, CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult,
        ElicitRequest, ElicitRequestParams, ElicitResult, Implementation, InitializeRequestParams,
        InputRequest, ListRootsRequest, ListRootsResult, ProtocolVersion,
    },
    service::{RequestContext, RunningService},
};

use crate::answers;

/// Capabilities with everything that can be asked.
pub fn capable() -> ClientCapabilities {
    serde_json::from_value(serde_json::json!({
        "elicitation": { "form": {}, "url": {} },
        "sampling": { "tools": {} },
        "roots": {},
    }))
    .unwrap()
}

/// Answers by script and keeps what it was asked.
#[derive(Debug, Clone)]
pub struct Scripted {
    script: usize,
    asked: Arc<Mutex<Vec<String>>>,
    version: ProtocolVersion,
}

impl Scripted {
    /// A client of this version that follows `script`; it knows tasks.
    pub fn new(script: usize, version: ProtocolVersion) -> Self {
        Self {
            script,
            asked: Arc::default(),
            version,
        }
    }

    /// What it was asked so far.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    fn answer<T: serde::de::DeserializeOwned>(
        &self,
        request: InputRequest,
    ) -> Result<T, ErrorData> {
        let mut asked = self.asked.lock().unwrap();
        let result = answers::result(self.script, asked.len(), &request);
        asked.push(answers::shown(&request));
        serde_json::from_value(result).map_err(|e| ErrorData::internal_error(e.to_string(), None))
    }
}

impl ClientHandler for Scripted {
    fn get_info(&self) -> InitializeRequestParams {
        let mut able = capable();
        able.extensions = ClientCapabilities::builder()
            .enable_tasks()
            .build()
            .extensions;
        InitializeRequestParams::new(able, Implementation::new("scripted", "1"))
            .with_protocol_version(self.version.clone())
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.answer(InputRequest::Elicitation(ElicitRequest::new(params)))
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.answer(InputRequest::CreateMessage(CreateMessageRequest::new(
            params,
        )))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        self.answer(InputRequest::ListRoots(ListRootsRequest {
            method: Default::default(),
            extensions: Default::default(),
        }))
    }
}

struct Nothing;

impl ServerHandler for Nothing {}

/// A connection to a scripted client.
pub struct Connection {
    server: RunningService<RoleServer, Nothing>,
    client: RunningService<RoleClient, Scripted>,
}

impl Connection {
    /// Connects to a client that follows `script`.
    pub async fn open(script: usize) -> Self {
        let client = Scripted::new(script, ProtocolVersion::V_2025_11_25);
        let (near, far) = tokio::io::duplex(1 << 16);
        let (server, client) = tokio::join!(Nothing.serve(near), client.serve(far));
        Self {
            server: server.unwrap(),
            client: client.unwrap(),
        }
    }

    /// The server's side of it.
    pub fn peer(&self) -> Peer<RoleServer> {
        self.server.peer().clone()
    }

    /// A request as a tool gets it.
    pub fn context(&self) -> RequestContext<RoleServer> {
        RequestContext::new(rmcp::model::NumberOrString::Number(1), self.peer())
    }

    /// What the client was asked so far.
    pub fn asked(&self) -> Vec<String> {
        self.client.service().asked()
    }
}
