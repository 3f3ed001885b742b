//! `cargo saga lock`: what calls under way have stored, in a file that is committed; and what a change does to them.

mod compare;
mod difference;
pub(crate) mod file;

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    cli::Outcome,
    error::Error,
    flows::{self, Flows, Reading},
    report::{self, Finding, Format, Severity, counted},
    workspace::Workspace,
};
use file::{Lock, Locked};

/// The file, beside the workspace's `Cargo.lock`.
pub(crate) const FILE: &str = "saga.lock";

/// Writes `saga.lock`: each function's suspension points, with what is stored there; or compares the code to it.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    reading: Reading,
    /// Write nothing; tell which calls under way the code as it is would strand, and fail if there are any
    #[arg(long)]
    check: bool,
    /// Compare to the file of that commit, branch or tag: of what is deployed
    #[arg(long, value_name = "REV", requires = "check")]
    against: Option<String>,
    /// Strand what is stranded: it is meant
    #[arg(long, requires = "check")]
    allow_stranded: bool,
    /// The same for one function, by its name or the end of its path
    #[arg(long, value_name = "FUNCTION", requires = "check")]
    allow: Vec<String>,
    /// How findings are written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    // A call that waits in a helper of another package waits there.
    let workspace = Workspace::load(&arguments.reading.selection)?.with_dependencies();
    let path = workspace.root.join(FILE);
    // Before anything is compiled.
    let before = match &arguments.against {
        Some(revision) => Some(at(&workspace.root, revision)?),
        None => match read(&path) {
            Err(error @ Error::Refused { .. }) if !arguments.check => anew(&workspace, &error)?,
            known => known?,
        },
    };
    if arguments.check && before.is_none() {
        return Err(Error::Refused {
            what: format!("there is no `{FILE}` to compare to"),
            instead: "`cargo saga lock`, and commit what it writes".to_owned(),
        });
    }
    if arguments.reading.no_compile {
        return Err(Error::Refused {
            what: "a lock has the types of what is stored, which rustc alone knows".to_owned(),
            instead: "leave out `--no-compile`".to_owned(),
        });
    }
    let flows = flows::read(&workspace, &arguments.reading)?;
    report::print_aside(&flows.problems, arguments.format)?;
    refuse_unknown(&flows)?;
    let packages = workspace.selected.iter();
    let mut packages: Vec<_> = packages.map(|package| package.name.clone()).collect();
    let known: Vec<_> = workspace
        .members
        .iter()
        .map(|package| package.name.clone())
        .collect();
    let before = before.unwrap_or_default();
    // Those of a package that is gone are nobody's.
    let functions = before.functions.iter();
    let gone = functions.filter(|function| !known.contains(&function.package));
    packages.extend(gone.map(|function| function.package.clone()));
    let after = joined(&before, &flows, &packages);
    match arguments.check {
        true => check(arguments, &before, &after, &flows, &packages),
        false => write(&path, &before, &after, &flows, &packages, arguments.format),
    }
}

/// Only rustc knows the types of what is stored: in their place nothing is written, and of nothing it is said that it goes on.
fn refuse_unknown(flows: &Flows) -> Result<(), Error> {
    let is_told = |code| flows.problems.iter().any(|problem| problem.code == code);
    let (what, instead) = match () {
        () if is_told("broken") => (
            "what does not compile cannot be locked, nor compared",
            "code that compiles",
        ),
        () if is_told("untold") => (
            "what rustc tells nothing of cannot be locked, nor compared",
            "the features that are deployed, by `--features`, so that it is in the build; or the `cargo-saga` of that `saga-runtime`",
        ),
        () => return Ok(()),
    };
    Err(Error::Refused {
        what: what.to_owned(),
        instead: instead.to_owned(),
    })
}

/// A file that cannot be read is written anew, where nothing of it is to stay.
fn anew(workspace: &Workspace, unreadable: &Error) -> Result<Option<Lock>, Error> {
    if workspace.selected.len() < workspace.members.len() {
        return Err(Error::Refused {
            what: "`saga.lock` cannot be read, and has the functions of other packages, too"
                .to_owned(),
            instead: "`cargo saga lock --workspace`, which writes all of it anew".to_owned(),
        });
    }
    let why = unreadable.to_string();
    let why = why.lines().next().unwrap_or_default();
    anstream::eprintln!("   Writing it anew: {why}");
    Ok(None)
}

/// The functions of the packages that were looked at as they are, and the others as they were.
fn joined(before: &Lock, flows: &Flows, packages: &[String]) -> Lock {
    let others = before.functions.iter();
    let others = others.filter(|function| !packages.contains(&function.package));
    let own = flows.functions.iter().map(Locked::of);
    let mut functions: Vec<_> = others.cloned().chain(own).collect();
    functions.sort_by(|one, other| (&one.package, &one.path).cmp(&(&other.package, &other.path)));
    Lock { functions }
}

fn write(
    path: &Path,
    before: &Lock,
    after: &Lock,
    flows: &Flows,
    packages: &[String],
    format: Format,
) -> Result<Outcome, Error> {
    let stranded = compare::stranded(before, &flows.functions, packages);
    let findings: Vec<_> = stranded
        .iter()
        .map(|stranded| stranded.finding(Severity::Warning))
        .collect();
    report::print(&findings, format)?;
    let text = after.written();
    let functions = after.functions.len();
    let points: usize = after.functions.iter().map(|one| one.points.len()).sum();
    let changed = fs::read_to_string(path).ok().as_ref() != Some(&text);
    if changed {
        // All of it or nothing.
        let beside = path.with_extension("lock.new");
        fs::write(&beside, text).map_err(Error::file(&beside))?;
        fs::rename(&beside, path).map_err(Error::file(path))?;
    }
    anstream::eprintln!(
        "{} {}: {}, {}",
        if changed { "wrote" } else { "nothing new in" },
        Workspace::shown(path).display(),
        counted(functions, "function"),
        counted(points, "suspension point")
    );
    Ok(Outcome::Clean)
}

fn check(
    arguments: &Arguments,
    before: &Lock,
    after: &Lock,
    flows: &Flows,
    packages: &[String],
) -> Result<Outcome, Error> {
    let all = || before.functions.iter().chain(&after.functions);
    for name in &arguments.allow {
        if !all().any(|function| is_called(&function.path, name)) {
            let known: BTreeSet<_> = all().map(|function| function.path.clone()).collect();
            return Err(Error::NoSuchFunction {
                name: name.clone(),
                elsewhere: None,
                known: known.into_iter().collect(),
            });
        }
    }
    let allowed = |path: &str| {
        let mut names = arguments.allow.iter();
        arguments.allow_stranded || names.any(|name| is_called(path, name))
    };
    let stranded = compare::stranded(before, &flows.functions, packages);
    let mut findings: Vec<_> = stranded
        .iter()
        .map(|stranded| {
            let severity = match allowed(&stranded.function.path) {
                true => Severity::Warning,
                false => Severity::Error,
            };
            stranded.finding(severity)
        })
        .collect();
    findings.extend(forgotten(before, flows, packages));
    findings.extend(aside(before, packages));
    if arguments.against.is_none() && before != after {
        let stranded = stranded.iter().map(|stranded| &*stranded.function.path);
        findings.push(outdated(before, after, &stranded.collect::<Vec<_>>()));
    }
    report::print(&findings, arguments.format)?;
    let failed = findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    if failed {
        return Ok(Outcome::Findings);
    }
    let looked_at = before.functions.iter();
    let looked_at = looked_at.filter(|function| packages.contains(&function.package));
    let points: usize = looked_at.map(|one| one.points.len()).sum();
    if stranded.is_empty() {
        anstream::eprintln!(
            "no call under way is stranded ({})",
            counted(points, "suspension point")
        );
    }
    Ok(Outcome::Clean)
}

/// The packages in the file of which nothing is said.
fn aside(before: &Lock, packages: &[String]) -> Option<Finding> {
    let functions = before.functions.iter();
    let others = functions.filter(|function| !packages.contains(&function.package));
    let others: BTreeSet<_> = others.map(|function| &*function.package).collect();
    let names: Vec<_> = others.iter().map(|name| format!("`{name}`")).collect();
    let message = format!("not looked at: {}", names.join(", "));
    let finding = Finding::new(Severity::Note, "aside", message)
        .note(format!("`{FILE}` has functions of theirs, too"))
        .help("`--workspace`, which looks at all packages");
    (!others.is_empty()).then_some(finding)
}

/// What was accepted, and is so no more.
fn forgotten(before: &Lock, flows: &Flows, packages: &[String]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (function, point, print) in compare::forgotten(before, &flows.functions, packages) {
        let message = format!(
            "calls of code that is older still, which went on at `{}` of `{}`, do so no more",
            point.label, function.path
        );
        findings.push(
            Finding::new(Severity::Warning, "forgotten", message)
                .note(format!("`accepts` named the point {print:016x} there"))
                .note("right once the last of their tokens has expired"),
        );
    }
    findings
}

/// Whether `name` is the function's, or the end of its path.
fn is_called(path: &str, name: &str) -> bool {
    let rest = path.strip_suffix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
}

/// The file does not say what the code is; of functions whose calls are stranded worse was said.
fn outdated(before: &Lock, after: &Lock, stranded: &[&str]) -> Finding {
    let changed = after
        .functions
        .iter()
        .filter(|function| !before.functions.contains(function));
    let gone = before.functions.iter().filter(|function| {
        let mut now = after.functions.iter();
        !now.any(|other| other.path == function.path && other.package == function.package)
    });
    let paths: Vec<_> = changed
        .chain(gone)
        .map(|function| &*function.path)
        .collect();
    let is_told = !stranded.is_empty() && paths.iter().all(|path| stranded.contains(path));
    let severity = match is_told {
        true => Severity::Warning,
        false => Severity::Error,
    };
    let names: Vec<_> = paths.iter().map(|path| format!("`{path}`")).collect();
    Finding::new(
        severity,
        "outdated",
        format!("`{FILE}` does not say what the code is"),
    )
    .note(format!("of {}", names.join(", ")))
    .help("`cargo saga lock`, and commit what it writes")
}

/// The file as it is; `None` where there is none.
pub(crate) fn read(path: &Path) -> Result<Option<Lock>, Error> {
    match fs::read_to_string(path) {
        Ok(text) => Lock::read(&text).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file(path)(error)),
    }
}

/// The file of a commit.
fn at(root: &PathBuf, revision: &str) -> Result<Lock, Error> {
    let refused = |why: &str| Error::Refused {
        what: format!("there is no `{FILE}` at `{revision}`: {why}"),
        instead: "a commit, a branch or a tag that has one; in CI, fetch it first".to_owned(),
    };
    if revision.starts_with('-') {
        return Err(refused("that is no revision"));
    }
    let output = Command::new("git")
        .current_dir(root)
        .args(["show", &format!("{revision}:./{FILE}")])
        .output()
        .map_err(|source| Error::NoProgram {
            program: "git".to_owned(),
            source,
        })?;
    if !output.status.success() {
        return Err(refused(String::from_utf8_lossy(&output.stderr).trim()));
    }
    Lock::read(&String::from_utf8_lossy(&output.stdout))
}
