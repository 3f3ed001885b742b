//! A session of 2025-11-25: the server's questions come on the open response of the call.

use reqwest::{Client, RequestBuilder, Response, header};
use serde_json::{Value, json};

use crate::{Result, tools::TOOL};

const VERSION: &str = "2025-11-25";
const SESSION: &str = "Mcp-Session-Id";

pub(crate) struct Session {
    client: Client,
    url: String,
    id: String,
    sent: usize,
}

impl Session {
    pub(crate) async fn open(client: &Client, url: &str) -> Result<Self> {
        let mut session = Self {
            client: client.clone(),
            url: url.to_owned(),
            id: String::new(),
            sent: 0,
        };
        let response = session
            .post(&json!({
                "jsonrpc": "2.0", "id": 0, "method": "initialize",
                "params": {
                    "protocolVersion": VERSION,
                    "clientInfo": { "name": "saga-example", "version": "1" },
                    "capabilities": { "elicitation": {} },
                },
            }))
            .send()
            .await?
            .error_for_status()?;
        let id = response.headers().get(SESSION);
        let id = id.ok_or("the server opened no session")?;
        session.id = id.to_str()?.to_owned();
        Messages::new(response).next().await?;
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        session.tell(&initialized).await?;
        Ok(session)
    }

    fn post(&self, message: &Value) -> RequestBuilder {
        let post = self
            .client
            .post(&self.url)
            .header(header::ACCEPT, "application/json, text/event-stream")
            .header("MCP-Protocol-Version", VERSION)
            .json(message);
        match self.id.is_empty() {
            true => post,
            false => post.header(SESSION, &self.id),
        }
    }

    /// Sends what has no result.
    async fn tell(&self, message: &Value) -> Result<()> {
        let response = self.post(message).send().await?.error_for_status()?;
        // A response that is not read to its end costs its connection.
        response.bytes().await?;
        Ok(())
    }

    /// Calls the tool; its messages follow.
    pub(crate) async fn start(&mut self, arguments: &Value) -> Result<Messages> {
        self.sent += 1;
        let call = json!({
            "jsonrpc": "2.0", "id": self.sent, "method": "tools/call",
            "params": { "name": TOOL, "arguments": arguments },
        });
        let response = self.post(&call).send().await?.error_for_status()?;
        Ok(Messages::new(response))
    }

    /// Makes a whole call; the tool's result.
    pub(crate) async fn call(&mut self, arguments: &Value, answer: &Value) -> Result<Value> {
        let mut messages = self.start(arguments).await?;
        loop {
            let mut message = messages.next().await?;
            if let Some(result) = message.get_mut("result") {
                let result = result.take();
                messages.finish().await?;
                return Ok(result);
            }
            let id = message.get("id").ok_or("the call was given up")?;
            let reply = json!({ "jsonrpc": "2.0", "id": id, "result": answer });
            self.tell(&reply).await?;
        }
    }
}

/// The messages of one response: an event stream, or a JSON document.
pub(crate) struct Messages {
    response: Response,
    stream: bool,
    received: Vec<u8>,
}

impl Messages {
    fn new(response: Response) -> Self {
        let kind = response.headers().get(header::CONTENT_TYPE);
        let stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        Self {
            response,
            stream,
            received: Vec::new(),
        }
    }

    pub(crate) async fn next(&mut self) -> Result<Value> {
        loop {
            while self.stream
                && let Some(event) = self.take_event()
            {
                let data = event.lines().find_map(|line| line.strip_prefix("data:"));
                let data = data.unwrap_or_default().trim();
                if !data.is_empty() {
                    return Ok(serde_json::from_str(data)?);
                }
            }
            match self.response.chunk().await? {
                Some(bytes) => self.received.extend(bytes),
                None if self.stream => return Err("the server ended the stream".into()),
                None => return Ok(serde_json::from_slice(&self.received)?),
            }
        }
    }

    /// Reads to the end, so that the connection can be used again.
    async fn finish(mut self) -> Result<()> {
        while self.response.chunk().await?.is_some() {}
        Ok(())
    }

    /// The text before the next empty line.
    fn take_event(&mut self) -> Option<String> {
        let end = self.received.windows(2).position(|pair| pair == b"\n\n")?;
        let event: Vec<u8> = self.received.drain(..end + 2).collect();
        Some(String::from_utf8_lossy(&event).into_owned())
    }
}
