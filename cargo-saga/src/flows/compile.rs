//! What rustc knows, by a compilation that is made to fail: see `saga_compiler::told`.
//!
//! `--cfg saga_types` goes to the crate in question alone and makes it another one for cargo, so that the user's own builds stay
//! fresh and share what is compiled of other crates.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Command,
};

use cargo_metadata::{
    Message, MetadataCommand, TargetKind,
    diagnostic::{Diagnostic, DiagnosticLevel},
};
use saga_compiler::told::{self, Told};

use super::{Features, Reading, source::Seen};
use crate::{
    error::Error,
    report::{Finding, Severity},
    source::{CrateId, Index, direct},
    workspace::Workspace,
};

/// Compiles crates of a workspace.
pub(super) struct Compiler<'a> {
    workspace: &'a Workspace,
    features: &'a Features,
    /// By the package's name and the target's file.
    targets: BTreeMap<(String, PathBuf), Vec<String>>,
    /// By the package's name, what is named of them.
    named: BTreeMap<String, BTreeSet<String>>,
}

/// What a compilation told.
#[derive(Default)]
pub(super) struct Compilation {
    pub(super) rows: Vec<Row>,
    /// Whether not all was told: there were errors besides.
    pub(super) broken: bool,
    pub(super) problems: Vec<Finding>,
}

/// A function as rustc sees it.
pub(super) struct Row {
    number: u64,
    pub(super) module: String,
    pub(super) file: PathBuf,
    pub(super) line: usize,
    pub(super) function: Result<saga_compiler::Function, syn::Error>,
    pub(super) types: BTreeMap<usize, String>,
}

impl Row {
    /// Whether that is the function, by all of its prints: those that rustc has told count.
    pub(super) fn is(&self, function: &saga_compiler::Function) -> bool {
        let prints = |function: &saga_compiler::Function| {
            let points = function.points.iter().map(|point| point.fingerprint);
            points.collect::<Vec<_>>()
        };
        self.function
            .as_ref()
            .is_ok_and(|own| prints(own) == prints(function))
    }

    pub(super) fn name(&self) -> &str {
        let function = self.function.as_ref();
        function.map_or("?", |function| &function.name)
    }
}

impl<'a> Compiler<'a> {
    pub(super) fn new(workspace: &'a Workspace, reading: &'a Reading) -> Result<Self, Error> {
        let mut command = MetadataCommand::new();
        command.no_deps();
        command.manifest_path(workspace.root.join("Cargo.toml"));
        let metadata = command
            .exec()
            .map_err(|error| Error::Metadata(error.to_string()))?;
        let (mut targets, mut named) = (BTreeMap::new(), BTreeMap::new());
        let packages = metadata.workspace_packages().into_iter();
        let build: Vec<_> = packages
            .filter(|package| {
                let mut selected = workspace.selected.iter();
                selected.any(|selected| package.name.as_str() == selected.name)
            })
            .collect();
        for package in &build {
            let features = reading.features.of(package, &build);
            named.insert(package.name.to_string(), features);
            for target in &package.targets {
                let Some(words) = words(target) else { continue };
                let file = PathBuf::from(&target.src_path);
                targets.insert((package.name.to_string(), file), words);
            }
        }
        Ok(Self {
            workspace,
            features: &reading.features,
            targets,
            named,
        })
    }

    /// Whether there may be saga functions in a crate: its text shows some, or could not be read, or its package uses the
    /// runtime, so that a macro may make some.
    pub(super) fn is_wanted(&self, index: &Index, id: CrateId, seen: &Seen<'_>) -> bool {
        let of_crate = &index.crates[id.0];
        let mut packages = self.workspace.members.iter();
        let package = packages.find(|package| package.name == of_crate.package);
        let is_open = !seen.is_empty() || index.has_unread(id);
        is_open || package.is_some_and(|package| package.name_of("saga-runtime").is_some())
    }

    /// Compiles a crate.
    pub(super) fn told(&self, index: &Index, id: CrateId) -> Result<Compilation, Error> {
        let of_crate = &index.crates[id.0];
        let target = (of_crate.package.clone(), of_crate.path.clone());
        let Some(target) = self.targets.get(&target) else {
            return Ok(Compilation {
                broken: true,
                ..Compilation::default()
            });
        };
        anstream::eprintln!(
            "\u{1b}[1;32m    Checking\u{1b}[0m {} ({}), for its types",
            of_crate.package,
            target.join(" ").trim_start_matches("--")
        );
        let output = self
            .command(&of_crate.package, target)
            .output()
            .map_err(|source| Error::NoProgram {
                program: "cargo".to_owned(),
                source,
            })?;
        let mut messages = Messages::new(&self.workspace.root);
        for message in Message::parse_stream(&output.stdout[..]).flatten() {
            if let Message::CompilerMessage(message) = message {
                messages.take(&message.message);
            }
        }
        let stopped = !output.status.success() && messages.is_silent();
        if stopped {
            messages.first = Some(String::from_utf8_lossy(&output.stderr).trim().to_owned());
        }
        Ok(messages.compilation(&of_crate.package))
    }

    fn command(&self, package: &str, target: &[String]) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command
            .current_dir(&self.workspace.root)
            .args(["rustc", "--quiet", "--profile", "check"])
            .args(["--message-format", "json", "--package", package])
            .args(target);
        for feature in self.named.get(package).into_iter().flatten() {
            command.args(["--features", feature]);
        }
        if self.features.all_features {
            command.arg("--all-features");
        }
        if self.features.no_default_features {
            command.arg("--no-default-features");
        }
        // Without the last word long types are cut, and written to a file.
        command.args(["--", "--cfg", "saga_types", "--verbose"]);
        command
    }
}

/// How cargo is told to compile a target.
fn words(target: &cargo_metadata::Target) -> Option<Vec<String>> {
    let named = |option: &str| vec![option.to_owned(), target.name.clone()];
    target.kind.iter().find_map(|kind| match kind {
        TargetKind::Bin => Some(named("--bin")),
        TargetKind::Example => Some(named("--example")),
        TargetKind::Test => Some(named("--test")),
        TargetKind::Bench => Some(named("--bench")),
        TargetKind::Lib
        | TargetKind::RLib
        | TargetKind::DyLib
        | TargetKind::CDyLib
        | TargetKind::StaticLib => Some(vec!["--lib".to_owned()]),
        _ => None,
    })
}

/// The messages of a compilation.
struct Messages<'a> {
    root: &'a Path,
    rows: Vec<Row>,
    types: Vec<(u64, usize, String)>,
    /// The first error that is none of ours.
    first: Option<String>,
}

impl<'a> Messages<'a> {
    fn new(root: &'a Path) -> Self {
        Self {
            root,
            rows: Vec::new(),
            types: Vec::new(),
            first: None,
        }
    }

    fn is_silent(&self) -> bool {
        self.rows.is_empty() && self.types.is_empty() && self.first.is_none()
    }

    fn take(&mut self, message: &Diagnostic) {
        if message.level != DiagnosticLevel::Error {
            return;
        }
        match told::read(&message.message) {
            Some(Told::Type { function, slot, ty }) => self.types.push((function, slot, ty)),
            Some(Told::Function(function)) => {
                let span = message.spans.iter().find(|span| span.is_primary);
                let place = span.map(|span| {
                    let file = direct(&self.root.join(&span.file_name));
                    (file, span.line_start)
                });
                let (file, line) = place.unwrap_or_default();
                self.rows.push(Row {
                    number: function.number,
                    module: function.module.clone(),
                    file,
                    line,
                    function: function.describe(),
                    types: BTreeMap::new(),
                });
            }
            _ => {
                let rendered = message.rendered.as_ref().unwrap_or(&message.message);
                self.first.get_or_insert_with(|| rendered.trim().to_owned());
            }
        }
    }

    fn compilation(mut self, package: &str) -> Compilation {
        for (function, slot, ty) in self.types {
            let mut rows = self.rows.iter_mut();
            if let Some(row) = rows.find(|row| row.number == function) {
                row.types.insert(slot, ty);
            }
        }
        let problems = self.first.iter().map(|first| {
            Finding::new(
                Severity::Warning,
                "broken",
                format!("`{package}` does not compile"),
            )
            .note("types may be missing, and functions under conditions or in macros")
            .note(first.clone())
        });
        Compilation {
            problems: problems.collect(),
            broken: self.first.is_some(),
            rows: self.rows,
        }
    }
}

impl Compilation {
    /// The function whose name is in that line.
    pub(super) fn take(&mut self, file: &Path, line: usize) -> Option<Row> {
        let mut rows = self.rows.iter();
        let found = rows.position(|row| row.file == file && row.line == line)?;
        Some(self.rows.remove(found))
    }
}
