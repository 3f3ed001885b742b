//! What is found, for people in rustc's style and for machines as a line of JSON each.

use std::{io::Write, ops::Range, path::Path, rc::Rc};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::Serialize;

use crate::{error::Error, source::File, workspace::Workspace};

/// For whom it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Format {
    /// As rustc writes it
    #[default]
    Human,
    /// A JSON object a line
    Json,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    Error,
    Warning,
    Note,
}

/// Something that was found, at a place in the source.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    /// What it is called: in JSON, and where it is silenced.
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) labels: Vec<Label>,
    pub(crate) notes: Vec<String>,
    /// What to write instead.
    pub(crate) help: Option<String>,
}

/// A place in a file, and what is to be said of it. The first of a finding is where it is.
#[derive(Debug, Clone)]
pub(crate) struct Label {
    pub(crate) file: Rc<File>,
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

impl Finding {
    /// One without a place.
    pub(crate) fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity,
            code,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// A place of it; the first one is where it is.
    pub(crate) fn at(
        mut self,
        file: &Rc<File>,
        range: Range<usize>,
        text: impl Into<String>,
    ) -> Self {
        self.labels.push(Label {
            file: Rc::clone(file),
            range,
            text: text.into(),
        });
        self
    }

    /// Why it matters.
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// What to write instead.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    fn human(&self, renderer: &Renderer) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let mut group = Group::with_title(level.primary_title(&self.message).id(self.code));
        let mut files: Vec<&Rc<File>> = Vec::new();
        for label in &self.labels {
            if !files.iter().any(|file| file.path == label.file.path) {
                files.push(&label.file);
            }
        }
        for file in files {
            let path = Workspace::shown(&file.path).to_string_lossy();
            let snippet = Snippet::source(&*file.text).path(path.into_owned());
            group = group.element(snippet.annotations(self.annotations(file)));
        }
        for note in &self.notes {
            group = group.element(Level::NOTE.message(note));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help));
        }
        renderer.render(&[group])
    }

    /// What is said of places in `file`.
    fn annotations(&self, file: &Rc<File>) -> Vec<annotate_snippets::Annotation<'_>> {
        let labels = self.labels.iter().enumerate();
        let here = labels.filter(|(_, label)| label.file.path == file.path);
        let annotation = |(place, label): (usize, &'_ Label)| {
            let kind = match place {
                0 => AnnotationKind::Primary,
                _ => AnnotationKind::Context,
            };
            let annotation = kind.span(label.range.clone());
            match label.text.is_empty() {
                true => annotation,
                false => annotation.label(label.text.clone()),
            }
        };
        here.map(annotation).collect()
    }
}

/// A finding as machines read it.
#[derive(Serialize)]
struct Record<'a> {
    severity: Severity,
    code: &'a str,
    message: &'a str,
    places: Vec<Place<'a>>,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a Path,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    label: &'a str,
}

impl<'a> From<&'a Label> for Place<'a> {
    fn from(label: &'a Label) -> Self {
        let (line, column) = label.file.position(label.range.start);
        let (end_line, end_column) = label.file.position(label.range.end);
        Self {
            file: Workspace::shown(&label.file.path),
            line,
            column,
            end_line,
            end_column,
            label: &label.text,
        }
    }
}

/// `1 error`, `2 errors`
pub(crate) fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// Writes findings to standard output.
pub(crate) fn print(findings: &[Finding], format: Format) -> Result<(), Error> {
    write(findings, format, anstream::stdout().lock())
}

/// Writes them to standard error, beside what a command is asked for.
pub(crate) fn print_aside(findings: &[Finding], format: Format) -> Result<(), Error> {
    write(findings, format, anstream::stderr().lock())
}

fn write(findings: &[Finding], format: Format, mut out: impl Write) -> Result<(), Error> {
    for finding in findings {
        match format {
            Format::Human => writeln!(out, "{}\n", finding.human(&Renderer::styled()))?,
            Format::Json => {
                let record = Record {
                    severity: finding.severity,
                    code: finding.code,
                    message: &finding.message,
                    places: finding.labels.iter().map(Place::from).collect(),
                    notes: &finding.notes,
                    help: finding.help.as_deref(),
                };
                let line = serde_json::to_string(&record).map_err(std::io::Error::from)?;
                writeln!(out, "{line}")?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding() -> Finding {
        let text = "fn a() {}\nfn größe() {}\n";
        let file = Rc::new(File::of("src/lib.rs", text).expect("it parses"));
        Finding::new(Severity::Warning, "sample", "a name")
            .at(&file, 13..20, "this one")
            .note("why it matters")
            .help("another one")
    }

    #[test]
    fn people_see_the_line() {
        let text = finding().human(&Renderer::plain());
        for part in [
            "warning[sample]: a name",
            "src/lib.rs:2:4",
            "^^^^^ this one",
            "help: another one",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }

    #[test]
    fn columns_count_characters() {
        let finding = finding();
        let place = Place::from(&finding.labels[0]);
        assert_eq!(
            (place.line, place.column, place.end_line, place.end_column),
            (2, 4, 2, 9)
        );
    }
}
