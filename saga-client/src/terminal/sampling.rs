//! Prompts that a person answers as the model.

#![allow(
    deprecated,
    reason = "sampling is deprecated by SEP-2577, and asked for all the same"
)]

use std::io;

use rmcp::model::{CreateMessageRequestParams, Role, SamplingMessageContentBlock};

use super::{Line, Terminal, plain};

impl Terminal {
    /// What the model says: `canned` where there is such a text. Nothing where it is refused.
    ///
    /// # Errors
    /// Where nothing can be read or written.
    pub async fn reply(
        &mut self,
        params: &CreateMessageRequestParams,
        canned: Option<&str>,
    ) -> io::Result<Option<String>> {
        self.prompt(params)?;
        if let Some(canned) = canned {
            self.say(&format!("  model > {canned}"))?;
            return Ok(Some(canned.to_owned()));
        }
        self.say(&self.style.dim("  you are the model; !decline refuses"))?;
        match self.line("  model > ").await? {
            Line::Text(text) => Ok(Some(text)),
            Line::Decline | Line::Cancel => Ok(None),
        }
    }

    fn prompt(&mut self, params: &CreateMessageRequestParams) -> io::Result<()> {
        let [message] = params.messages.as_slice() else {
            self.ask("The server asks the model", "")?;
            return self.conversation(params);
        };
        let text: Vec<_> = message.content.iter().map(shown).collect();
        self.ask("The server asks the model", &text.join("\n"))?;
        self.system_prompt(params)
    }

    fn conversation(&mut self, params: &CreateMessageRequestParams) -> io::Result<()> {
        self.system_prompt(params)?;
        for message in &params.messages {
            let who = match message.role {
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            let who = self.style.dim(who);
            for block in message.content.iter() {
                self.say(&format!("  {who}: {}", plain(&shown(block))))?;
            }
        }
        Ok(())
    }

    fn system_prompt(&mut self, params: &CreateMessageRequestParams) -> io::Result<()> {
        match &params.system_prompt {
            Some(prompt) => {
                let who = self.style.dim("system");
                self.say(&format!("  {who}: {}", plain(prompt)))
            }
            None => Ok(()),
        }
    }
}

fn shown(block: &SamplingMessageContentBlock) -> String {
    match block {
        SamplingMessageContentBlock::Text(text) => text.text.clone(),
        SamplingMessageContentBlock::Image(image) => format!("[{}]", image.mime_type),
        SamplingMessageContentBlock::Audio(audio) => format!("[{}]", audio.mime_type),
        SamplingMessageContentBlock::ToolUse(tool) => format!("[calls {}]", tool.name),
        _ => "[content of another kind]".to_owned(),
    }
}
