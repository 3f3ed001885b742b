//! A client of Multi Round-Trip Requests that costs as little as it can: it has one core, and the server has another.

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    Result,
    tools::{TOOL, call_arguments},
};

/// A connection.
pub(crate) struct Plain {
    stream: TcpStream,
    host: String,
    path: String,
    received: Vec<u8>,
}

impl Plain {
    pub(crate) async fn connect(url: &str) -> Result<Self> {
        let address = url.strip_prefix("http://").ok_or("not a URL of HTTP")?;
        let (host, path) = address.split_once('/').ok_or("a URL without a path")?;
        let stream = TcpStream::connect(host).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            host: host.to_owned(),
            path: format!("/{path}"),
            received: Vec::new(),
        })
    }

    /// Makes a call up to its first question; the result.
    pub(crate) async fn start(&mut self) -> Result<Value> {
        self.send(&params()).await
    }

    /// Makes a whole call; the tool's result.
    pub(crate) async fn call(&mut self, answer: &Value) -> Result<Value> {
        let mut result = self.start().await?;
        while asks(&result) {
            result = self.send(&resumed(&result, answer)?).await?;
        }
        Ok(result)
    }

    /// Makes a whole call; the result of each request.
    pub(crate) async fn record(&mut self, answer: &Value) -> Result<Vec<Value>> {
        let mut results = vec![self.start().await?];
        while let Some(last) = results.last().filter(|last| asks(last)) {
            let params = resumed(last, answer)?;
            results.push(self.send(&params).await?);
        }
        Ok(results)
    }

    async fn send(&mut self, params: &Value) -> Result<Value> {
        let body = json!({ "jsonrpc": "2.0", "id": "1", "method": "tools/call", "params": params });
        let body = body.to_string();
        let request = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nAccept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: tools/call\r\nMcp-Name: {TOOL}\r\nContent-Length: {}\r\n\r\n{body}",
            self.path,
            self.host,
            body.len(),
        );
        self.stream.write_all(request.as_bytes()).await?;
        self.received.clear();
        let (head, length) = loop {
            if let Some(head) = self
                .received
                .windows(4)
                .position(|four| four == b"\r\n\r\n")
            {
                let text = String::from_utf8_lossy(&self.received[..head]).to_ascii_lowercase();
                if !text.starts_with("http/1.1 200") {
                    return Err(format!("the server answered {text}").into());
                }
                let length = text
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: "));
                break (
                    head + 4,
                    length
                        .ok_or("an answer without a length")?
                        .parse::<usize>()?,
                );
            }
            self.read().await?;
        };
        while self.received.len() < head + length {
            self.read().await?;
        }
        let mut message: Value = serde_json::from_slice(&self.received[head..head + length])?;
        match message.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => Err(format!("the server answered {message}").into()),
        }
    }

    async fn read(&mut self) -> Result<()> {
        match self.stream.read_buf(&mut self.received).await? {
            0 => Err("the server closed the connection".into()),
            _ => Ok(()),
        }
    }
}

fn asks(result: &Value) -> bool {
    result["resultType"] == "input_required"
}

/// The request that goes on, with this answer to each question.
fn resumed(result: &Value, answer: &Value) -> Result<Value> {
    let questions = result["inputRequests"].as_object().ok_or("no questions")?;
    let answers = questions.keys().map(|key| (key.clone(), answer.clone()));
    let mut params = params();
    params["inputResponses"] = Value::Object(answers.collect());
    params["requestState"] = result["requestState"].clone();
    Ok(params)
}

fn params() -> Value {
    json!({
        "name": TOOL,
        "arguments": call_arguments(),
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "saga-example", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": {}, "sampling": {} },
        },
    })
}
