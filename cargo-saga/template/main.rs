//! An MCP server with one tool, which asks a question in the middle of its work.

use saga_runtime::{
    AskError, Cx, Elicit, Settings, Toolbox, ToolboxError,
    rmcp::{self, handler::server::wrapper::Parameters, tool},
    saga,
    serve::{Http, stdio, stopped},
    toolbox,
};
use serde::Deserialize;

#[cfg(test)]
mod tests;

/// What the tool is called with.
#[derive(Deserialize, Elicit)]
struct Guest {
    /// Who is greeted.
    name: String,
}

/// Greets a guest in a language of the user's choice.
#[saga]
#[tool]
async fn greet(cx: Cx, Parameters(guest): Parameters<Guest>) -> Result<String, AskError> {
    eprintln!("greeting {}", guest.name); // once, wherever the call goes on
    let words = ["Hello", "Bonjour", "Moin"].map(str::to_owned);
    let hello = cx
        .choose("In which language?", words)
        .key("language")
        .await?;
    Ok(format!("{hello}, {}!", guest.name))
}

fn server() -> Result<Toolbox, ToolboxError> {
    Ok(toolbox![greet]?.named(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = server()?;
    let argument = std::env::args().nth(1);
    if argument.as_deref() == Some("--stdio") {
        return Ok(stdio(server, Settings::from_env()?).await?);
    }
    let address = argument.unwrap_or("127.0.0.1:8080".to_owned());
    let bound = Http::from_env(move || server.clone())? // SAGA_KEYS, SAGA_HOSTS, SAGA_ORIGINS
        .bind(address)
        .await?;
    println!("listening on {}", bound.url()?);
    Ok(bound.run(stopped()).await?)
}
