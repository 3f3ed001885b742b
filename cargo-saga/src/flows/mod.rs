//! Every saga function of the selected packages, with the types of what it stores.
//!
//! What is there, once macros and conditions are resolved, and which types variables have only rustc knows: it is asked by a
//! compilation that is made to fail (`compile`). Where there is none, the text of the source has to do.

mod compile;
mod features;
mod source;
mod types;

pub(crate) use features::Features;
pub(crate) use types::{is_known, short};

use std::{collections::BTreeMap, ops::Range, path::PathBuf, rc::Rc};

use crate::{
    error::Error,
    report::{Finding, Severity},
    source::{CrateId, File, Index},
    workspace::{Kind, Selection, Workspace},
};

/// Which functions a command is about, and how they are read.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Reading {
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) features: Features,
    /// Examples, tests and benches as well
    #[arg(long)]
    pub(crate) all_targets: bool,
    /// Read the source only: types are those that are written down, and code under `#[cfg]` or made by macros is not seen
    #[arg(long)]
    pub(crate) no_compile: bool,
}

/// A saga function.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    pub(crate) package: String,
    /// `crate::module::Type::function`; with `#2` behind where that is there twice.
    pub(crate) path: String,
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    pub(crate) function: saga_compiler::Function,
    /// Where its text is; `None` where a macro has made it.
    pub(crate) text: Option<Text>,
    /// By slot.
    pub(crate) types: BTreeMap<usize, String>,
}

/// Where a function is in the text.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub(crate) file: Rc<File>,
    pub(crate) name: Range<usize>,
    /// Those of its points.
    pub(crate) points: Vec<Range<usize>>,
}

/// All of them, and what could not be read.
#[derive(Default)]
pub(crate) struct Flows {
    /// By package and path.
    pub(crate) functions: Vec<Flow>,
    pub(crate) problems: Vec<Finding>,
}

impl Flow {
    /// Its name, without a path.
    pub(crate) fn name(&self) -> &str {
        &self.function.name
    }

    /// The type of a variable, without paths; `?` where nobody knows it.
    pub(crate) fn type_of(&self, variable: &saga_compiler::Variable) -> String {
        let known = variable.slot.and_then(|slot| self.types.get(&slot));
        let known = known.or(variable.ty.as_ref());
        known.map_or_else(|| "?".to_owned(), |ty| short(ty))
    }

    /// What is awaited at a point, by its types; empty where they are not known.
    pub(crate) fn awaited(&self, point: &saga_compiler::Point) -> Vec<String> {
        let types = point.awaited.iter().filter_map(|slot| self.types.get(slot));
        types.map(|ty| short(ty)).collect()
    }

    /// Where it is, as people read it.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", Workspace::shown(&self.file).display(), self.line)
    }

    /// The line of a point; that of the function where it is not known.
    pub(crate) fn line_of(&self, point: usize) -> usize {
        let text = self.text.as_ref();
        let range = text.and_then(|text| Some((text, text.points.get(point)?)));
        range.map_or(self.line, |(text, range)| text.file.position(range.start).0)
    }

    /// A finding, where the function is, or one of its points.
    pub(crate) fn locate(&self, finding: Finding, point: Option<usize>) -> Finding {
        match &self.text {
            None => finding.note(format!("a macro has made it, at {}", self.place())),
            Some(text) => {
                let range = point.and_then(|point| text.points.get(point));
                finding.at(&text.file, range.unwrap_or(&text.name).clone(), "")
            }
        }
    }

    /// Whether `wanted` is its name, or the end of its path.
    pub(crate) fn is_called(&self, wanted: &str) -> bool {
        let rest = self.path.strip_suffix(wanted);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with("::")) || self.name() == wanted
    }
}

/// Reads them.
pub(crate) fn read(workspace: &Workspace, reading: &Reading) -> Result<Flows, Error> {
    let index = Index::of(&workspace.selected);
    let mut flows = Flows {
        functions: Vec::new(),
        problems: index.problems.clone(),
    };
    let crates: Vec<_> = (0..index.crates.len())
        .map(CrateId)
        .filter(|id| {
            let kind = index.crates[id.0].kind;
            reading.all_targets || matches!(kind, Kind::Library | Kind::Program)
        })
        .collect();
    let compiled = match reading.no_compile {
        true => None,
        false => Some(compile::Compiler::new(workspace, reading)?),
    };
    for id in crates {
        let seen = source::Seen::of(&index, id);
        let told = match &compiled {
            Some(compiler) if compiler.is_wanted(&index, id, &seen) => {
                Some(compiler.told(&index, id)?)
            }
            Some(_) => continue,
            None => None,
        };
        flows.join(&index, id, seen, told);
    }
    flows.name_apart();
    Ok(flows)
}

impl Flows {
    /// Those of a crate, from its text and from what rustc has told of it.
    fn join(
        &mut self,
        index: &Index,
        id: CrateId,
        seen: source::Seen<'_>,
        told: Option<compile::Compilation>,
    ) {
        let of_crate = &index.crates[id.0];
        let Some(mut told) = told else {
            seen.hidden(&mut self.problems);
            for one in seen.functions {
                self.described(&of_crate.package, &one, one.describe(), BTreeMap::new());
            }
            return;
        };
        self.problems.append(&mut told.problems);
        let is_expected = seen.functions.iter().any(|one| !one.is_for_tests());
        if told.rows.is_empty() && !told.broken && is_expected {
            told.broken = true;
            let name = &of_crate.package;
            let message = format!("rustc told nothing of the saga functions in `{name}`");
            self.problems.push(
                Finding::new(Severity::Warning, "untold", message)
                    .note("they are not in this build, or the crate's `saga-runtime` is of another release; they are read from the source")
                    .help("choose features with `--features`, or install the `cargo-saga` of that release"),
            );
        }
        for one in seen.functions {
            let row = told.take(&one.function.file.path, one.line());
            match row {
                Some(row) => {
                    // Places are in the text; what is there is rustc's to say.
                    let described = match one.describe() {
                        Ok(function) if row.is(&function) => Ok(function),
                        _ => row.function,
                    };
                    self.described(&of_crate.package, &one, described, row.types);
                }
                None if told.broken => {
                    self.described(&of_crate.package, &one, one.describe(), BTreeMap::new());
                }
                None => self.problems.push(one.problem(
                    Severity::Note,
                    "left-out",
                    "a saga function that is not in this build",
                    "a condition (`#[cfg]`) leaves it out: choose features with `--features`",
                )),
            }
        }
        for row in told.rows {
            let path = format!("{}::{}", row.module, row.name());
            match row.function {
                Ok(function) => self.functions.push(Flow {
                    package: of_crate.package.clone(),
                    path,
                    file: row.file,
                    line: row.line,
                    function,
                    text: None,
                    types: row.types,
                }),
                Err(error) => self.problems.push(
                    Finding::new(
                        Severity::Warning,
                        "undescribed",
                        format!("`{path}` cannot be described: {error}"),
                    )
                    .note(format!(
                        "a macro has made it, at {}:{}",
                        Workspace::shown(&row.file).display(),
                        row.line
                    )),
                ),
            }
        }
    }

    fn described(
        &mut self,
        package: &str,
        one: &source::Marked<'_>,
        described: Result<saga_compiler::Function, syn::Error>,
        types: BTreeMap<usize, String>,
    ) {
        match described {
            Ok(function) => self.functions.push(one.flow(package, function, types)),
            Err(error) => self.problems.push(one.problem(
                Severity::Warning,
                "undescribed",
                "a saga function that cannot be described",
                &error.to_string(),
            )),
        }
    }

    /// Orders them, and numbers those of one path: of several `impl`s, or of programs that share a file.
    fn name_apart(&mut self) {
        self.functions.sort_by(|one, other| {
            let order = |flow: &Flow| (flow.package.clone(), flow.path.clone(), flow.line);
            order(one).cmp(&order(other))
        });
        let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
        for flow in &mut self.functions {
            let count = seen
                .entry((flow.package.clone(), flow.path.clone()))
                .or_default();
            *count += 1;
            if *count > 1 {
                flow.path = format!("{}#{count}", flow.path);
            }
        }
    }
}
