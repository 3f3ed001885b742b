//! A server of tasks with its console, and some tasks to look at.
//!
//! The console is at `/console` and the server at `/mcp`, both on the loopback interface. Whoever reaches the console may
//! answer and cancel every task: a service of one's own puts its authentication in front of it.

mod desk;

use std::{
    error::Error,
    io::{self, Write},
    net::Ipv4Addr,
    time::Duration,
};

use axum::Router;
use clap::Parser;
use examples::stopped;
use saga_runtime::{Keyring, Settings, serve::Http};
use saga_tasks::{MemoryStore, Tasks, console::Console};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::desk::Desk;

type Result<T, E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

/// How long legs go on once the server is to stop.
const GRACE: Duration = Duration::from_secs(1);
const VERSION: &str = "2026-07-28";
/// The tasks to look at: tools with their arguments.
const CALLS: [(&str, u32); 5] = [
    ("fax", 0),
    ("archive", 0),
    ("sign", 0),
    ("summarize", 0),
    ("publish", 3),
];

/// Serves tasks and their console.
#[derive(Parser)]
struct Options {
    /// The port; 0 takes any free one
    #[arg(long, default_value_t = 8080)]
    port: u16,
}

#[tokio::main]
async fn main() -> Result<()> {
    let options = Options::parse();
    let tasks = Tasks::new(MemoryStore::new());
    let settings = Settings::new(Keyring::random()?);
    let console = Console::new(&tasks)
        .flow(Desk::publish_flow())
        .flow(Desk::proofread_flow())
        .flow(Desk::sign_flow())
        .flow(Desk::summarize_flow())
        .flow(Desk::archive_flow());
    let server = Http::new(|| Desk, settings).tasks(tasks.clone()).service();
    let app = Router::new()
        .nest_service("/mcp", server)
        .nest("/console", console.router());
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
    let url = format!("http://{}", listener.local_addr()?);
    writeln!(io::stdout(), "listening on {url}/console")?;
    tokio::spawn(async move {
        for (tool, pages) in CALLS {
            if let Err(error) = begin(&url, tool, pages).await {
                eprintln!("{tool}: {error}");
            }
        }
    });
    let stop = async move {
        stopped().await;
        // Ends the streams of events, too.
        tasks.stop(GRACE).await;
    };
    axum::serve(listener, app)
        .with_graceful_shutdown(stop)
        .await?;
    Ok(())
}

/// A call of a client that knows tasks.
async fn begin(url: &str, tool: &str, pages: u32) -> Result<()> {
    let params = json!({ "name": tool, "arguments": { "pages": pages }, "_meta": {
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientInfo": { "name": "console", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {
            "elicitation": { "form": {}, "url": {} },
            "sampling": {},
            "extensions": { "io.modelcontextprotocol/tasks": {} },
        },
    } });
    let client = reqwest::Client::builder().no_proxy().build()?;
    let sent = client
        .post(format!("{url}/mcp"))
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", VERSION)
        .header("Mcp-Method", "tools/call")
        .header("Mcp-Name", tool)
        .json(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }));
    let reply: Value = sent.send().await?.json().await?;
    match reply.get("result") {
        Some(_) => Ok(()),
        None => Err(reply.to_string().into()),
    }
}
