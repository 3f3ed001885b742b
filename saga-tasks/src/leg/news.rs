//! What a client is told while a leg runs: a line of text.

use rmcp::model::{CallToolResult, ContentBlock};
use saga_runtime::background::News;

/// What a client is told of it.
pub(super) fn said(news: News) -> Option<String> {
    match news {
        News::Progress(done, total, message) => Some(progress(done, total, message)),
        News::Partial(content) => text(&content),
        _ => None,
    }
}

/// What a client is told is short.
pub(super) fn cut(mut message: String) -> String {
    const LONGEST: usize = 1000;
    if message.len() > LONGEST {
        let end = (0..=LONGEST)
            .rev()
            .find(|end| message.is_char_boundary(*end));
        message.truncate(end.unwrap_or(0));
    }
    message
}

/// Progress in words: `rendering (3/10)`.
fn progress(done: f64, total: Option<f64>, message: String) -> String {
    let amount = match total {
        Some(total) => format!("{done}/{total}"),
        None => done.to_string(),
    };
    match message.is_empty() {
        true => amount,
        false => format!("{message} ({amount})"),
    }
}

/// The text of a part of a result.
fn text(content: &CallToolResult) -> Option<String> {
    let texts = content.content.iter().filter_map(ContentBlock::as_text);
    let texts: Vec<_> = texts.map(|text| text.text.clone()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
