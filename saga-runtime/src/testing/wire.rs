//! A connection to a server in this process: JSON lines, as over stdio.

use std::{borrow::Cow, future::Future, time::Duration};

use rmcp::{
    ErrorData, RoleServer, Service, ServiceExt,
    model::{
        ClientNotification, ClientRequest, Extensions, ProtocolVersion, ServerConfig, ServerResult,
    },
    service::{DynService, NotificationContext, RequestContext},
};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

use super::{Failure, bench::Bench};

/// The author's server, whose requests have the bench with them.
pub(super) struct OnBench {
    pub(super) server: Box<dyn DynService<RoleServer>>,
    pub(super) bench: Bench,
    pub(super) extensions: Extensions,
}

impl Service<RoleServer> for OnBench {
    fn handle_request(
        &self,
        request: ClientRequest,
        mut context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ServerResult, ErrorData>> + Send + '_ {
        context.extensions.extend(self.extensions.clone());
        context.extensions.insert(self.bench.clone());
        DynService::handle_request(&*self.server, request, context)
    }

    fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + Send + '_ {
        DynService::handle_notification(&*self.server, notification, context)
    }

    fn get_info(&self) -> ServerConfig {
        DynService::get_info(&*self.server)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        DynService::supported_protocol_versions(&*self.server)
    }
}

pub(super) struct Wire {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    id: u64,
    patience: Duration,
}

/// A message that ends a request: its result or its error.
pub(super) type Response = Result<Value, Value>;

impl Wire {
    pub(super) fn open(server: OnBench, patience: Duration) -> Self {
        let (near, far) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move {
            // A server that does not start gives no answer, and that is what is told.
            if let Ok(running) = server.serve(near).await {
                let _ = running.waiting().await;
            }
        });
        let (reader, writer) = tokio::io::split(far);
        Self {
            lines: BufReader::new(reader).lines(),
            writer,
            id: 0,
            patience,
        }
    }

    /// The handshake of a client from before 2026-07-28.
    pub(super) async fn greet(&mut self, capabilities: &Value) -> Result<(), Failure> {
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" },
        });
        let id = self.put("initialize", hello).await?;
        let greeted = self.receive().await?;
        if greeted.get("id") != Some(&json!(id)) || greeted.get("error").is_some() {
            let text = format!("the server refuses the handshake of 2025-11-25: {greeted}");
            return Err(Failure::server(text));
        }
        self.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await
    }

    pub(super) async fn send(&mut self, message: Value) -> Result<(), Failure> {
        let line = format!("{message}\n");
        let written = self.writer.write_all(line.as_bytes()).await;
        written.map_err(|error| Failure::server(format!("the server is gone: {error}")))
    }

    /// Sends a request and returns its id.
    pub(super) async fn put(&mut self, method: &str, params: Value) -> Result<u64, Failure> {
        self.id += 1;
        let id = self.id;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await?;
        Ok(id)
    }

    pub(super) async fn receive(&mut self) -> Result<Value, Failure> {
        let line = tokio::time::timeout(self.patience, self.lines.next_line()).await;
        let Ok(line) = line else {
            let text = format!(
                "no answer within {:?}: the tool waits for something else than its client",
                self.patience
            );
            return Err(Failure::server(text));
        };
        let gone = "the server ended without an answer";
        let line = line.ok().flatten().ok_or_else(|| Failure::server(gone))?;
        serde_json::from_str(&line).map_err(|error| Failure::server(format!("{error}: {line}")))
    }

    /// Sends a request and waits for its response; notifications on the way are passed over.
    pub(super) async fn request(
        &mut self,
        method: &str,
        params: Value,
    ) -> Result<Response, Failure> {
        let id = self.put(method, params).await?;
        loop {
            let mut message = self.receive().await?;
            if message.get("id") == Some(&json!(id)) && message.get("method").is_none() {
                return Ok(response(&mut message));
            }
            if message.get("method").is_some() && message.get("id").is_some() {
                let text = format!(
                    "the server asks while a request of 2026-07-28 waits, which no client answers: {message}"
                );
                return Err(Failure::server(text));
            }
        }
    }
}

pub(super) fn response(message: &mut Value) -> Response {
    match message.get_mut("error") {
        Some(error) => Err(error.take()),
        None => Ok(message
            .get_mut("result")
            .map(Value::take)
            .unwrap_or_default()),
    }
}
