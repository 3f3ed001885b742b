//! What the compiler says of the copy.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
    io::BufReader,
    path::Path,
    process::{Command, Stdio},
};

use cargo_metadata::{
    Message,
    diagnostic::{Diagnostic, DiagnosticLevel, DiagnosticSpan},
};

use crate::error::Error;

/// What is compiled of a workspace.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) packages: Vec<String>,
    /// `--lib`, `--bins`, `--tests`, …
    pub(super) targets: Vec<&'static str>,
    pub(super) features: Vec<String>,
    /// All packages of the workspace, where it is the copy that is compiled.
    pub(super) copied: Vec<String>,
}

/// What the compiler said.
pub(super) struct Compiled {
    pub(super) succeeded: bool,
    pub(super) messages: Vec<Diagnostic>,
}

impl Compiled {
    pub(super) fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.messages
            .iter()
            .filter(|message| message.level == DiagnosticLevel::Error)
    }

    pub(super) fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.messages
            .iter()
            .filter(|message| message.level == DiagnosticLevel::Warning)
    }
}

/// `cargo check` in `directory`.
pub(super) fn check(directory: &Path, target: &Path, scope: &Scope) -> Result<Compiled, Error> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command
        .args(["check", "--message-format=json", "--quiet"])
        .args(&scope.targets)
        .args(&scope.features);
    // Cargo takes a package in another directory for the same one: a setting that does nothing to a check tells them apart.
    let mut hasher = DefaultHasher::new();
    directory.hash(&mut hasher);
    let number = hasher.finish() as u16;
    for package in &scope.copied {
        let setting = format!(
            "profile.dev.package.{package:?}.codegen-units={}",
            u32::from(number) + 1000
        );
        command.args(["--config", &setting]);
    }
    for package in &scope.packages {
        command.args(["-p", package]);
    }
    command
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", target)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let output = command.output().map_err(|source| Error::NoProgram {
        program: cargo.to_string_lossy().into_owned(),
        source,
    })?;
    let mut messages: Vec<Diagnostic> = Vec::new();
    for message in Message::parse_stream(BufReader::new(&output.stdout[..])) {
        if let Message::CompilerMessage(said) = message? {
            // A library is compiled for itself and for its tests.
            if !messages.contains(&said.message) {
                messages.push(said.message);
            }
        }
    }
    let compiled = Compiled {
        succeeded: output.status.success(),
        messages,
    };
    match compiled.succeeded || compiled.errors().next().is_some() {
        true => Ok(compiled),
        false => Err(Error::Cargo(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )),
    }
}

/// The place of a message in a file for which `is_known`: where a macro's own text is shown, where it was called.
pub(super) fn place(
    message: &Diagnostic,
    is_known: impl Fn(&Path) -> bool,
) -> Option<&DiagnosticSpan> {
    let spans = message.spans.iter().filter(|span| span.is_primary);
    spans
        .into_iter()
        .find_map(|span| called_at(span, &is_known))
}

fn called_at<'m>(
    span: &'m DiagnosticSpan,
    is_known: &impl Fn(&Path) -> bool,
) -> Option<&'m DiagnosticSpan> {
    match is_known(Path::new(&span.file_name)) {
        true => Some(span),
        false => called_at(&span.expansion.as_ref()?.span, is_known),
    }
}

/// Whether a span is of the text that a macro whose name contains `name` has made.
pub(super) fn is_made_by(message: &Diagnostic, name: &str) -> bool {
    let made = |mut span: &DiagnosticSpan| {
        let mut names = Vec::new();
        while let Some(expansion) = &span.expansion {
            names.push(expansion.macro_decl_name.as_str());
            span = &expansion.span;
        }
        names.iter().any(|made| made.contains(name))
    };
    message
        .spans
        .iter()
        .filter(|span| span.is_primary)
        .any(made)
}

/// The trait that is lacking, and the type that lacks it.
pub(super) fn lacking(message: &Diagnostic) -> Option<(String, String)> {
    let texts = std::iter::once(message)
        .chain(&message.children)
        .map(|part| &part.message);
    texts.into_iter().find_map(|text| {
        let bound = text
            .strip_prefix("the trait bound `")
            .and_then(|rest| rest.split_once('`'));
        if let Some((bound, _)) = bound {
            let (ty, lacks) = bound.rsplit_once(": ")?;
            return Some((lacks.to_owned(), ty.to_owned()));
        }
        let (_, rest) = text.split_once("the trait `")?;
        let (lacks, rest) = rest.split_once("` is not implemented for `")?;
        let (ty, _) = rest.split_once('`')?;
        Some((lacks.to_owned(), ty.to_owned()))
    })
}
