//! An MCP server with one tool, which asks a question in the middle of its work.

use rmcp::{handler::server::wrapper::Parameters, tool};
use saga_runtime::{
    AskError, Cx, Elicit, Settings, Toolbox, ToolboxError, saga,
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

/// What the user is asked.
#[derive(Deserialize, Elicit)]
struct Choice {
    language: Language,
}

#[derive(Deserialize, Elicit)]
enum Language {
    English,
    French,
}

/// Greets a guest in a language of the user's choice.
#[saga]
#[tool]
async fn greet(cx: Cx, Parameters(guest): Parameters<Guest>) -> Result<String, AskError> {
    eprintln!("greeting {}", guest.name); // once, wherever the call goes on
    let choice = cx
        .elicit::<Choice>("In which language?")
        .key("language")
        .await?;
    let hello = match choice.language {
        Language::English => "Hello",
        Language::French => "Bonjour",
    };
    Ok(format!("{hello}, {}!", guest.name))
}

fn server() -> Result<Toolbox, ToolboxError> {
    Ok(toolbox![greet]?.named(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = server()?;
    let settings = Settings::from_env()?; // the keys in SAGA_KEYS
    let argument = std::env::args().nth(1);
    if argument.as_deref() == Some("--stdio") {
        return Ok(stdio(server, settings).await?);
    }
    let address = argument.unwrap_or("127.0.0.1:8080".to_owned());
    let bound = Http::new(move || server.clone(), settings)
        .bind(address)
        .await?;
    eprintln!("listening on {}", bound.url()?);
    Ok(bound.run(stopped()).await?)
}
