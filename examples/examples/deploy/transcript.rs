//! What the program prints.

use std::io::{self, Write};

use saga_client::Message;
use serde_json::Value;

use crate::{Result, request::Request};

/// What happens between the messages.
pub(crate) fn note(text: &str) -> Result<()> {
    Ok(writeln!(io::stdout(), "---- {text}\n")?)
}

/// A message to a server.
pub(crate) fn sent(server: &str, request: &Request) -> Result<()> {
    let mut out = io::stdout();
    writeln!(out, "client \u{2192} {server}")?;
    for (name, value) in &request.headers {
        writeln!(out, "    {name}: {value}")?;
    }
    print(&request.body)
}

/// A message from a server.
pub(crate) fn received(server: &str, message: &Value) -> Result<()> {
    writeln!(io::stdout(), "client \u{2190} {server}")?;
    print(message)
}

/// How the side effects went.
pub(crate) fn build_log(log: &str, builds: usize) -> Result<()> {
    let mut out = io::stdout();
    writeln!(out, "The servers' build log:")?;
    for line in log.lines() {
        writeln!(out, "    {line}")?;
    }
    match builds {
        1 => writeln!(
            out,
            "The side effect before the first question happened once."
        )?,
        _ => writeln!(
            out,
            "The side effect before the first question happened {builds} times!"
        )?,
    }
    Ok(())
}

fn print(message: &Value) -> Result<()> {
    let text = Message::shortened(message).indented()?;
    Ok(writeln!(io::stdout(), "{text}\n")?)
}
