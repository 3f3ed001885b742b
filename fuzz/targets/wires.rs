//! The decoders of the wires: any parameters get a response, and the server lives on.
#![no_main]

use std::{cell::RefCell, sync::OnceLock, time::Duration};

use libfuzzer_sys::fuzz_target;
use rmcp::{ServiceExt, tool};
use saga_runtime::{AskError, Cx, Elicit, Keyring, SagaServer, Settings, saga, toolbox};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

mod edits;

#[derive(Debug, Deserialize, Elicit)]
struct Count {
    n: i64,
}

/// Asks twice.
#[saga]
#[tool]
async fn twice(cx: Cx) -> Result<String, AskError> {
    let first = cx.elicit::<Count>("first").await?;
    let second = cx.elicit::<Count>("second").await?;
    Ok(format!("{}", first.n.wrapping_add(second.n)))
}

struct Wire {
    runtime: tokio::runtime::Runtime,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    id: u64,
}

impl Wire {
    fn open() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let far = runtime.block_on(async {
            let (near, far) = tokio::io::duplex(1 << 20);
            let settings = Settings::new(Keyring::new("k", [7; 32]).unwrap());
            let server = SagaServer::new(toolbox![twice].unwrap()).with_settings(settings);
            tokio::spawn(async move {
                if let Ok(running) = server.serve(near).await {
                    let _ = running.waiting().await;
                }
            });
            far
        });
        let (reader, writer) = tokio::io::split(far);
        let lines = BufReader::new(reader).lines();
        Self {
            runtime,
            lines,
            writer,
            id: 0,
        }
    }

    fn request(&mut self, method: &str, mut params: Value) -> Value {
        self.id += 1;
        if let Some(params) = params.as_object_mut() {
            params.insert("_meta".into(), meta());
        }
        let request = json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params });
        let (lines, writer) = (&mut self.lines, &mut self.writer);
        self.runtime.block_on(async {
            writer.write_all(format!("{request}\n").as_bytes()).await.unwrap();
            let line = tokio::time::timeout(Duration::from_secs(20), lines.next_line());
            let line = line.await.expect("an answer").unwrap().expect("a server");
            let response: Value = serde_json::from_str(&line).unwrap();
            assert!(response.get("result").is_some() || response.get("error").is_some());
            response
        })
    }
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "fuzz", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    })
}

thread_local! {
    static WIRE: RefCell<Option<Wire>> = const { RefCell::new(None) };
}

/// Parameters that are right, for each method; with a token of the first round.
fn valid(wire: &mut Wire) -> &'static [(&'static str, Vec<u8>)] {
    static VALID: OnceLock<Vec<(&str, Vec<u8>)>> = OnceLock::new();
    VALID.get_or_init(|| {
        let call = json!({ "name": "twice", "arguments": {} });
        let suspended = wire.request("tools/call", call.clone());
        let state = suspended["result"]["requestState"].clone();
        let answer = json!({ "action": "accept", "content": { "n": 1 } });
        let saga = wire.request("tools/callSaga", call.clone());
        let token = saga["result"]["sagaToken"].clone();
        assert!(state.is_string() && token.is_string(), "{suspended} {saga}");
        let retry = json!({ "name": "twice", "arguments": {}, "requestState": state, "inputResponses": { "first": answer } });
        let step = json!({ "stepId": "first", "result": answer });
        let error = json!({ "stepId": "other", "error": { "code": -1, "message": "no" } });
        let resume = json!({ "sagaToken": token, "completedSteps": [step, error] });
        [
            ("tools/call", call.clone()),
            ("tools/call", retry),
            ("tools/callSaga", call),
            ("tools/resumeSaga", resume),
        ]
        .map(|(method, params)| (method, params.to_string().into_bytes()))
        .to_vec()
    })
}

fuzz_target!(|data: &[u8]| {
    let Some((kind, data)) = data.split_first() else {
        return;
    };
    WIRE.with_borrow_mut(|wire| {
        let wire = wire.get_or_insert_with(Wire::open);
        let valid = valid(wire);
        let (method, params) = &valid[usize::from(*kind) % valid.len()];
        let text = match kind / 128 {
            0 => edits::edited(params, data),
            _ => data.to_vec(),
        };
        if let Ok(params) = serde_json::from_slice::<Value>(&text) {
            wire.request(method, params);
        }
    });
});
