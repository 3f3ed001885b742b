//! What the compiler says, and of which program.

use serde::Deserialize;

use crate::{project::Result, verdict::Verdict};

/// An error of the compiler.
pub(crate) struct Complaint {
    pub(crate) program: String,
    pub(crate) line: usize,
    /// As the compiler shows it.
    pub(crate) text: String,
    message: String,
    code: Option<String>,
}

impl Complaint {
    /// What it means where only the half with `#[saga]` has it.
    pub(crate) fn verdict(self) -> Verdict {
        if self.message.contains("= why:") {
            let first = self.message.lines().next().unwrap_or_default().to_owned();
            return Verdict::Refused(first, self.text);
        }
        let stored = self
            .message
            .contains("is held across an ask and cannot be stored");
        if stored {
            return Verdict::Refused(self.message, self.text);
        }
        Verdict::SagaError(self.code.unwrap_or(self.message), self.text)
    }
}

#[derive(Deserialize)]
struct Line {
    reason: String,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    level: String,
    message: String,
    rendered: Option<String>,
    code: Option<Code>,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: usize,
    is_primary: bool,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

/// The errors in cargo's output.
pub(crate) fn read(output: &str) -> Result<Vec<Complaint>> {
    let mut complaints = Vec::new();
    for line in output.lines().filter(|line| line.starts_with('{')) {
        let line: Line = serde_json::from_str(line)?;
        let Some(message) = line.message.filter(|_| line.reason == "compiler-message") else {
            continue;
        };
        if !message.level.starts_with("error") || message.spans.is_empty() {
            continue;
        }
        // The lint that ends a check.
        if message
            .code
            .as_ref()
            .is_some_and(|code| code.code == "dead_code")
        {
            continue;
        }
        let text = message.rendered.unwrap_or_default();
        let mut spans: Vec<&Span> = message.spans.iter().collect();
        spans.sort_by_key(|span| !span.is_primary);
        let place = spans.into_iter().find_map(place);
        let (program, line) = place.ok_or_else(|| format!("an error in no program: {text}"))?;
        complaints.push(Complaint {
            program,
            line,
            text,
            message: message.message,
            code: message.code.map(|code| code.code),
        });
    }
    Ok(complaints)
}

/// The program that a span is in, or that what it is in was expanded for.
fn place(span: &Span) -> Option<(String, usize)> {
    let file = std::path::Path::new(&span.file_name);
    let in_batch = file.starts_with("src/bin");
    let name = file.file_stem()?.to_str()?;
    if in_batch && name != "main" && name != "prelude" {
        return Some((name.to_owned(), span.line_start));
    }
    place(&span.expansion.as_ref()?.span)
}
