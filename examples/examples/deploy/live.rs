//! The live wire (MCP 2025-11-25): the server asks on the open response of the call, and waits.

use serde_json::{Value, json};

use crate::{
    Result,
    http::{Http, Reply},
    person::Person,
    replica::{Replica, Replicas},
    request::{Ask, Request, call, client_capabilities, client_info, tool_call},
    transcript,
};

const VERSION: &str = "2025-11-25";
const SESSION: &str = "Mcp-Session-Id";

pub(crate) async fn run(http: &Http, person: &mut Person, replicas: &mut Replicas) -> Result<()> {
    replicas.start(1).await?;
    let mut session = Session {
        http,
        server: replicas.first()?,
        headers: Vec::new(),
    };
    session.open().await?;
    transcript::note("no server is killed here: before 2026-07-28 it asks in mid-call, and waits")?;
    session.call(person).await?;
    http.delete(&session.server.url, &session.headers).await
}

struct Session<'a> {
    http: &'a Http,
    server: &'a Replica,
    headers: Vec<(&'static str, String)>,
}

impl Session<'_> {
    async fn open(&mut self) -> Result<()> {
        let params = json!({
            "protocolVersion": VERSION,
            "clientInfo": client_info(),
            "capabilities": client_capabilities(),
        });
        let mut reply = self.send(call(1, "initialize", params)).await?;
        let session = reply
            .header(SESSION)
            .ok_or("the server opened no session")?;
        self.receive(&mut reply).await?;
        self.headers = vec![
            ("MCP-Protocol-Version", VERSION.to_owned()),
            (SESSION, session),
        ];
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        self.send(initialized).await?;
        Ok(())
    }

    async fn call(&self, person: &mut Person) -> Result<()> {
        let mut reply = self.send(call(2, "tools/call", tool_call())).await?;
        loop {
            let message = self.receive(&mut reply).await?;
            match (message.get("method"), message.get("id")) {
                (Some(method), Some(id)) => {
                    let ask = Ask::new(&id.to_string(), method, &message)?;
                    let answer = person.answer(&ask).await?;
                    self.send(json!({ "jsonrpc": "2.0", "id": id, "result": answer }))
                        .await?;
                }
                // A notification needs no answer.
                (Some(_), None) => {}
                (None, _) if message.get("error").is_some() => {
                    return Err("the server answered with an error".into());
                }
                (None, _) => return Ok(()),
            }
        }
    }

    async fn send(&self, body: Value) -> Result<Reply> {
        let headers = self.headers.clone();
        let request = Request { headers, body };
        transcript::sent(&self.server.name, &request)?;
        self.http.post(&self.server.url, &request).await
    }

    async fn receive(&self, reply: &mut Reply) -> Result<Value> {
        let message = reply
            .message()
            .await?
            .ok_or("the server ended the call without a result")?;
        transcript::received(&self.server.name, &message)?;
        Ok(message)
    }
}
