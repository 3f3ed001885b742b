//! Streamable HTTP from the client's side.

use std::time::Duration;

use reqwest::{Client, Response, header};
use serde_json::Value;

use crate::{
    Result,
    request::{ACCEPTED, Request},
};

const CONNECTING: Duration = Duration::from_secs(5);
/// Longer than the pause between two keep-alive comments of the server.
const SILENCE: Duration = Duration::from_secs(60);

pub(crate) struct Http(Client);

impl Http {
    pub(crate) fn new() -> Result<Self> {
        let client = Client::builder()
            .no_proxy()
            .connect_timeout(CONNECTING)
            .read_timeout(SILENCE)
            .build()?;
        Ok(Self(client))
    }

    /// Posts one message. An HTTP error without a JSON-RPC message in it is an error here.
    pub(crate) async fn post(&self, url: &str, request: &Request) -> Result<Reply> {
        let mut post = self
            .0
            .post(url)
            .header(header::ACCEPT, ACCEPTED)
            .json(&request.body);
        for (name, value) in &request.headers {
            post = post.header(*name, value);
        }
        Reply::new(post.send().await?).await
    }

    /// Ends a session.
    pub(crate) async fn delete(&self, url: &str, headers: &[(&'static str, String)]) -> Result<()> {
        let mut delete = self.0.delete(url);
        for (name, value) in headers {
            delete = delete.header(*name, value);
        }
        delete.send().await?.error_for_status()?;
        Ok(())
    }
}

/// The messages of one HTTP response: one in JSON, or any number in an event stream.
pub(crate) struct Reply {
    response: Response,
    stream: bool,
    received: Vec<u8>,
}

impl Reply {
    async fn new(response: Response) -> Result<Self> {
        let kind = response.headers().get(header::CONTENT_TYPE);
        let kind = kind
            .and_then(|kind| kind.to_str().ok())
            .unwrap_or_default()
            .to_owned();
        let status = response.status();
        if !status.is_success() && !kind.starts_with("application/json") {
            let text = response.text().await?;
            return Err(format!("the server answered {status}: {text}").into());
        }
        Ok(Self {
            response,
            stream: kind.starts_with("text/event-stream"),
            received: Vec::new(),
        })
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let value = self.response.headers().get(name)?;
        value.to_str().ok().map(str::to_owned)
    }

    /// The next message; `None` at the end.
    pub(crate) async fn message(&mut self) -> Result<Option<Value>> {
        loop {
            if self.stream {
                while let Some(event) = self.take_event() {
                    let data = data(&event);
                    if !data.is_empty() {
                        return Ok(Some(serde_json::from_str(&data)?));
                    }
                }
            }
            match self.response.chunk().await? {
                Some(bytes) => self.received.extend(bytes),
                None if self.stream || self.received.is_empty() => return Ok(None),
                None => {
                    let body = std::mem::take(&mut self.received);
                    return Ok(Some(serde_json::from_slice(&body)?));
                }
            }
        }
    }

    /// The text before the next empty line.
    fn take_event(&mut self) -> Option<String> {
        let end = self.received.windows(2).position(|pair| pair == b"\n\n")?;
        let event: Vec<u8> = self.received.drain(..end + 2).collect();
        Some(String::from_utf8_lossy(&event).into_owned())
    }
}

fn data(event: &str) -> String {
    let lines = event.lines().filter_map(|line| line.strip_prefix("data:"));
    lines.map(str::trim_start).collect::<Vec<_>>().join("\n")
}
