//! Who answers: the user, and the model on the user's machine.

use std::io::{self, IsTerminal};

use saga_client::terminal::{Answer, Style, Terminal};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::BufReader;

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
    Terminal(Box<Terminal>),
}

impl Person {
    pub(crate) fn new(interactive: bool) -> Self {
        match interactive {
            true => Self::Terminal(Box::new(Terminal::new(
                BufReader::new(tokio::io::stdin()),
                io::stdout(),
                !io::stdin().is_terminal(),
                Style::of_stdout(),
            ))),
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
        let Self::Terminal(terminal) = self else {
            return Ok(json!({ "action": "accept", "content": { "target": "production" } }));
        };
        let message: String = member(params, "message")?;
        let schema = member(params, "requestedSchema")?;
        Ok(match terminal.fill_in(&message, &schema).await? {
            Answer::Accept(content) => json!({ "action": "accept", "content": content }),
            Answer::Decline => json!({ "action": "decline" }),
            Answer::Cancel => json!({ "action": "cancel" }),
        })
    }

    async fn sampled(&mut self, params: &Value) -> Result<String> {
        let Self::Terminal(terminal) = self else {
            return Ok(YES.to_owned());
        };
        let params = serde_json::from_value(params.clone())?;
        terminal.say("(y and n stand for an answer in words)")?;
        let reply = terminal.reply(&params, None).await?;
        let reply = reply.ok_or("the model was not asked")?;
        Ok(match reply.as_str() {
            "y" => YES.to_owned(),
            "n" => NO.to_owned(),
            _ => reply,
        })
    }
}

fn member<T: DeserializeOwned>(params: &Value, name: &str) -> Result<T> {
    let value = params.get(name).cloned().unwrap_or_default();
    Ok(serde_json::from_value(value)?)
}
