//! Who answers: the user, and the model on the user's machine.

use std::io::{self, Write};

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};

use crate::{
    Result,
    request::{Ask, Kind},
};

const YES: &str = "Yes, all systems are green.";
const NO: &str = "No, an incident is open.";

pub(crate) enum Person {
    /// Gives the answers of the proposal.
    Scripted,
    /// Reads them from the terminal.
    Terminal(Lines<BufReader<Stdin>>),
}

impl Person {
    pub(crate) fn new(interactive: bool) -> Self {
        match interactive {
            true => Self::Terminal(BufReader::new(tokio::io::stdin()).lines()),
            false => Self::Scripted,
        }
    }

    /// The result that answers `ask`.
    pub(crate) async fn answer(&mut self, ask: &Ask) -> Result<Value> {
        match ask.kind {
            Kind::Elicitation => self.elicited(&ask.params).await,
            Kind::Sampling => {
                let text = self.sampled(&ask.params).await?;
                Ok(json!({
                    "role": "assistant",
                    "content": { "type": "text", "text": text },
                    "model": "client-side-llm-v2",
                }))
            }
        }
    }

    async fn elicited(&mut self, params: &Value) -> Result<Value> {
        let Self::Terminal(lines) = self else {
            return Ok(json!({ "action": "accept", "content": { "target": "production" } }));
        };
        writeln!(
            io::stdout(),
            "{} (an empty line declines)",
            text(params, "/message")
        )?;
        let fields = params
            .pointer("/requestedSchema/properties")
            .and_then(Value::as_object);
        let mut content = Map::new();
        for field in fields.into_iter().flat_map(Map::keys) {
            match prompt(lines, field).await? {
                None => return Ok(json!({ "action": "cancel" })),
                Some(line) if line.is_empty() => return Ok(json!({ "action": "decline" })),
                Some(line) => content.insert(field.clone(), Value::String(line)),
            };
        }
        Ok(json!({ "action": "accept", "content": content }))
    }

    async fn sampled(&mut self, params: &Value) -> Result<String> {
        let Self::Terminal(lines) = self else {
            return Ok(YES.to_owned());
        };
        let question = text(params, "/messages/0/content/text");
        writeln!(
            io::stdout(),
            "{question} (y, n or the model's words; you are the model)"
        )?;
        let line = prompt(lines, "reply")
            .await?
            .ok_or("the terminal was closed")?;
        Ok(match line.as_str() {
            "y" => YES.to_owned(),
            "n" => NO.to_owned(),
            _ => line,
        })
    }
}

/// A trimmed line; `None` at the end of the input.
async fn prompt(lines: &mut Lines<BufReader<Stdin>>, name: &str) -> Result<Option<String>> {
    let mut out = io::stdout();
    write!(out, "{name}> ")?;
    out.flush()?;
    Ok(lines.next_line().await?.map(|line| line.trim().to_owned()))
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}
