//! What came of a request.

use rmcp::model::{
    CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult, ResourceContents,
};
use saga_client::{
    Message,
    terminal::{Style, plain},
};
use saga_runtime::client::Part;
use serde_json::json;

use crate::{Outcome, Result, say};

/// Shows a part of a result, and how the rest can be had where this program ends before.
pub(crate) fn part(part: &Part) {
    let style = Style::of_stdout();
    let shown = say(&format!("\n{}", style.good("A part of the answer:")))
        .and_then(|()| part.result.content.iter().try_for_each(content))
        .and_then(|()| match &part.token {
            Some(token) => say(&style.dim(&format!("(the rest: --resume {})", plain(token)))),
            None => Ok(()),
        });
    // A part that cannot be shown is no reason to end the call.
    let _ = shown;
}

/// Shows the result of a tool.
pub(crate) fn tool(result: &CallToolResult) -> Result<Outcome> {
    let style = Style::of_stdout();
    let failed = result.is_error == Some(true);
    let head = match failed {
        true => style.bad("The tool answers with an error:"),
        false => style.good("The tool answers:"),
    };
    say(&format!("\n{head}"))?;
    for block in &result.content {
        content(block)?;
    }
    if let Some(structured) = &result.structured_content {
        // By the specification, the text beside it may be the same once more.
        let said = result.content.iter().filter_map(ContentBlock::as_text);
        let again = said.filter_map(|text| serde_json::from_str(&text.text).ok());
        if !again
            .into_iter()
            .any(|text: serde_json::Value| text == *structured)
        {
            say(&plain(&Message::whole(structured).indented()?))?;
        }
    }
    Ok(match failed {
        true => Outcome::ToolError,
        false => Outcome::Done,
    })
}

/// Shows a prompt.
pub(crate) fn prompt(prompt: &GetPromptResult) -> Result<()> {
    let style = Style::of_stdout();
    if let Some(description) = &prompt.description {
        say(&style.dim(&plain(description)))?;
    }
    for message in &prompt.messages {
        let role = json!(message.role);
        say(&style.bold(role.as_str().unwrap_or_default()))?;
        content(&message.content)?;
    }
    Ok(())
}

/// Shows a resource.
pub(crate) fn resource(resource: &ReadResourceResult) -> Result<()> {
    resource.contents.iter().try_for_each(contents)
}

fn content(block: &ContentBlock) -> Result<()> {
    match block {
        ContentBlock::Text(text) => say(&plain(&text.text)),
        ContentBlock::Image(image) => attached(&image.mime_type, &image.data),
        ContentBlock::Audio(audio) => attached(&audio.mime_type, &audio.data),
        ContentBlock::Resource(embedded) => contents(&embedded.resource),
        ContentBlock::ResourceLink(link) => say(&plain(&format!("[{}: {}]", link.name, link.uri))),
        _ => say("[content of another kind]"),
    }
}

fn contents(contents: &ResourceContents) -> Result<()> {
    match contents {
        ResourceContents::TextResourceContents { text, .. } => say(&plain(text)),
        ResourceContents::BlobResourceContents {
            mime_type, blob, ..
        } => attached(mime_type.as_deref().unwrap_or("bytes"), blob),
        _ => say("[contents of another kind]"),
    }
}

/// What a terminal cannot show.
fn attached(mime_type: &str, base64: &str) -> Result<()> {
    let bytes = base64.trim_end_matches('=').len() * 3 / 4;
    say(&format!("[{}, {bytes} bytes]", plain(mime_type)))
}
