//! `cargo saga port`: from a server that awaits its client to one that can be continued.

mod compile;
mod derives;
mod git;
mod leftover;
mod lock;
mod manifest;
mod overlay;
mod plan;
mod remedies;
mod text;
mod write;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write,
    path::{Path, PathBuf},
    rc::Rc,
};

use self::{
    compile::{Compiled, Scope},
    lock::Lock,
    overlay::Overlay,
    plan::Plan,
    remedies::Remedies,
    text::{Edit, Edited},
    write::{Change, Earlier},
};
use crate::{
    cli::Outcome,
    error::Error,
    graph::{FunctionId, Graph},
    report::{self, Finding, Format, Severity, counted},
    source::{File, Index},
    workspace::{Features, Kind, Selection, Workspace},
};

/// The version of rmcp that saga-runtime is compiled with.
pub(crate) const RMCP: &str = "3.9";

/// More than a minor version of it has.
const PATCHES: u32 = 100;

/// In how many rounds the compiler is asked at most.
const ROUNDS: usize = 40;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    features: Features,
    /// Show the edits, and make none
    #[arg(long)]
    dry_run: bool,
    /// Edit files whose changes are not committed
    #[arg(long)]
    allow_dirty: bool,
    /// Edit files that are not under version control
    #[arg(long)]
    allow_no_vcs: bool,
    /// How findings are written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What a port comes to.
struct Port {
    changes: Vec<Change>,
    findings: Vec<Finding>,
    counts: Counts,
}

/// How much was done.
#[derive(Default)]
struct Counts {
    functions: usize,
    types: usize,
    rounds: usize,
}

pub(crate) fn run(arguments: Arguments) -> Result<Outcome, Error> {
    let workspace = Workspace::load(&arguments.selection)?.with_dependencies();
    let lock = Lock::of(&workspace)?;
    if !arguments.dry_run {
        tell(&write::finish(&workspace)?);
        git::refuse_dirty(
            &workspace.root,
            arguments.allow_dirty,
            arguments.allow_no_vcs,
        )?;
    }
    let index = Index::of(&workspace.selected);
    let graph = Graph::of(&index);
    let port = port(&workspace, &graph, &lock, &arguments)?;
    if !arguments.dry_run {
        let files = port.changes.iter().map(|change| change.path.as_path());
        git::refuse_ignored(files, arguments.allow_no_vcs)?;
        write::all(&workspace, &port.changes)?;
    }
    drop(lock);
    show(&port, &arguments)?;
    let for_a_person = |finding: &Finding| finding.severity != Severity::Note;
    Ok(match port.findings.iter().any(for_a_person) {
        true => Outcome::Findings,
        false => Outcome::Clean,
    })
}

/// Says what became of an earlier run that was ended while it wrote.
fn tell(earlier: &Earlier) {
    match earlier {
        Earlier::None => {}
        Earlier::Finished => {
            anstream::eprintln!("   Finished what an earlier run was writing when it was ended");
        }
        Earlier::GivenUp { changed, written } => {
            anstream::eprintln!(
                "   Gave up what an earlier run was writing when it was ended: `{}` has changed since",
                Workspace::shown(changed).display()
            );
            for path in written {
                let path = Workspace::shown(path).display();
                anstream::eprintln!("   `{path}` is as that run has written it");
            }
        }
    }
}

/// Decides, compiles, and decides again until nothing more is mechanical.
fn port<'a>(
    workspace: &'a Workspace,
    graph: &'a Graph<'a>,
    lock: &Lock,
    arguments: &Arguments,
) -> Result<Port, Error> {
    let mut findings = graph.index.problems.clone();
    let mut plan = Plan::of(graph);
    let mut counts = Counts::default();
    if plan.functions.is_empty() {
        findings.extend(leftover::unfollowed(graph));
        return Ok(Port {
            changes: Vec::new(),
            findings,
            counts,
        });
    }
    refuse_other_rmcp(workspace)?;
    let overlay = Overlay::of(workspace, lock, arguments.dry_run)?;
    let scope = scope(workspace, graph, &plan, arguments);
    let target = &workspace.target_directory;
    anstream::eprintln!("   Checking as it is");
    let before = compile::check(&overlay.root, target, &scope)?;
    if !before.succeeded {
        return Err(does_not_compile(workspace, &scope, &before)?);
    }
    let mut previous: Vec<Change> = Vec::new();
    let made = loop {
        counts.rounds += 1;
        let made = edits(workspace, graph, &plan)?;
        put(&overlay, &previous, &made.changes)?;
        anstream::eprintln!("   Checking round {}", counts.rounds);
        let compiled = compile::check(&overlay.root, target, &scope)?;
        let remedies = Remedies {
            graph,
            overlay: &overlay,
            edited: &made.edited,
        };
        if counts.rounds >= ROUNDS || !remedies.decide(&compiled, &mut plan) {
            findings.extend(leftover::refused(&remedies, &compiled, &before, &plan));
            break made;
        }
        previous = made.changes;
    };
    findings.extend(leftover::unfollowed(graph));
    if !arguments.dry_run {
        show_in_edited(&mut findings, &made.edited);
    }
    let is_new = |id: &FunctionId| {
        let function = graph.function(*id);
        plan.words(function).is_some() && function.attribute("saga").is_none()
    };
    counts.functions = graph.ids().filter(is_new).count();
    counts.types = plan.types.len();
    Ok(Port {
        changes: made.changes,
        findings,
        counts,
    })
}

/// Makes the changes in the copy; a file whose edits were all taken back is as it was.
fn put(overlay: &Overlay, previous: &[Change], changes: &[Change]) -> Result<(), Error> {
    let is_changed = |known: &&Change| changes.iter().any(|change| change.path == known.path);
    for change in previous.iter().filter(|known| !is_changed(known)) {
        overlay.write(&change.path, &change.old)?;
    }
    for change in changes {
        overlay.write(&change.path, &change.new)?;
    }
    Ok(())
}

/// Two versions of rmcp have two types of handles.
fn refuse_other_rmcp(workspace: &Workspace) -> Result<(), Error> {
    let of = |patch| cargo_metadata::semver::Version::parse(&format!("{RMCP}.{patch}"));
    // One patch alone may be meant: `=3.9.2`.
    let versions: Vec<_> = (0..PATCHES).filter_map(|patch| of(patch).ok()).collect();
    for package in &workspace.selected {
        for rmcp in package
            .dependencies
            .iter()
            .filter(|dependency| dependency.name == "rmcp")
        {
            let fits = versions
                .iter()
                .any(|version| rmcp.requirement.matches(version));
            if !fits {
                return Err(Error::OtherRmcp {
                    package: package.name.clone(),
                    requirement: rmcp.requirement.to_string(),
                });
            }
        }
    }
    Ok(())
}

/// Findings where they are in the files as they are about to be.
fn show_in_edited(findings: &mut [Finding], edited: &BTreeMap<PathBuf, Edited>) {
    for label in findings.iter_mut().flat_map(|finding| &mut finding.labels) {
        if let Some(edited) = edited.get(&label.file.path) {
            label.range = edited.now(label.range.start)..edited.now(label.range.end);
            let (file, _) = File::read(label.file.path.clone(), edited.text.clone());
            label.file = Rc::new(file);
        }
    }
}

/// The files that a plan changes.
struct Made {
    changes: Vec<Change>,
    edited: BTreeMap<PathBuf, Edited>,
}

fn edits<'a>(workspace: &'a Workspace, graph: &'a Graph<'a>, plan: &Plan) -> Result<Made, Error> {
    let edits = plan.edits(workspace, graph);
    let mut changes = Vec::new();
    let mut edited = BTreeMap::new();
    for file in graph.index.files() {
        let own: Vec<&Edit> = edits
            .edits
            .iter()
            .filter(|edit| edit.file == file.path)
            .collect();
        if own.is_empty() {
            continue;
        }
        if !is_of(&workspace.root, &file.path)? {
            let path = Workspace::shown(&file.path).to_owned();
            return Err(Error::NotOfWorkspace { path });
        }
        let made = Edited::of(&file.text, own);
        changes.push(Change {
            path: file.path.clone(),
            old: file.text.clone(),
            new: made.text.clone(),
        });
        edited.insert(file.path.clone(), made);
    }
    for (path, (old, new)) in manifest::with(&workspace.root, &edits.needed)? {
        changes.push(Change { path, old, new });
    }
    Ok(Made { changes, edited })
}

/// Whether a file is where its path says, below the workspace's root, and no link leads elsewhere on the way.
fn is_of(root: &Path, path: &Path) -> Result<bool, Error> {
    let real = |path: &Path| fs::canonicalize(path).map_err(Error::file(path));
    let Ok(inner) = path.strip_prefix(root) else {
        return Ok(false);
    };
    Ok(real(path)? == real(root)?.join(inner))
}

/// What is compiled: the targets that have edits in them.
fn scope(workspace: &Workspace, graph: &Graph<'_>, plan: &Plan, arguments: &Arguments) -> Scope {
    let mut targets = BTreeSet::new();
    for id in graph.ids() {
        let function = graph.function(id);
        if plan.words(function).is_some() {
            let of_crate = graph.index.module(function.module).of_crate;
            targets.insert(match graph.index.crates[of_crate.0].kind {
                Kind::Example => "--examples",
                Kind::Test => "--tests",
                Kind::Bench => "--benches",
                Kind::Program => "--bins",
                Kind::Library | Kind::Build => "--lib",
            });
        }
    }
    // What uses the library is to compile with it.
    let programs = workspace
        .selected
        .iter()
        .flat_map(|package| &package.targets);
    if programs
        .into_iter()
        .any(|target| target.kind == Kind::Program)
    {
        targets.insert("--bins");
    }
    Scope {
        packages: workspace
            .selected
            .iter()
            .map(|package| package.name.clone())
            .collect(),
        targets: targets.into_iter().collect(),
        features: arguments.features.arguments(),
        copied: workspace
            .members
            .iter()
            .map(|member| member.name.clone())
            .collect(),
    }
}

/// With the compiler's own words; where only the copy does not compile, it says that.
fn does_not_compile(
    workspace: &Workspace,
    scope: &Scope,
    before: &Compiled,
) -> Result<Error, Error> {
    let rendered = |compiled: &Compiled| {
        compiled
            .errors()
            .filter_map(|error| error.rendered.clone())
            .collect::<String>()
    };
    let scope = Scope {
        copied: Vec::new(),
        ..scope.clone()
    };
    let here = compile::check(&workspace.root, &workspace.target_directory, &scope)?;
    Ok(match here.succeeded {
        true => Error::OnlyInACopy {
            errors: rendered(before),
        },
        false => Error::DoesNotCompile {
            errors: rendered(&here),
        },
    })
}

fn unified(change: &Change) -> String {
    let path = Workspace::shown(&change.path).display().to_string();
    let diff = similar::TextDiff::from_lines(&change.old, &change.new);
    let mut unified = diff.unified_diff();
    unified.context_radius(3).header(&path, &path).to_string()
}

/// What would be edited, in the form of a finding with the diff beside it.
fn planned(change: &Change) -> serde_json::Value {
    let path = Workspace::shown(&change.path);
    serde_json::json!({
        "severity": Severity::Note,
        "code": "edit",
        "message": format!("`{}` would be edited", path.display()),
        "places": [],
        "notes": [],
        "file": path,
        "diff": unified(change),
    })
}

/// The diff, what is left, and a line of what was done.
fn show(port: &Port, arguments: &Arguments) -> Result<(), Error> {
    if arguments.format == Format::Human {
        let mut out = anstream::stdout().lock();
        for change in &port.changes {
            for line in unified(change).split_inclusive('\n') {
                let color = match line.as_bytes().first() {
                    Some(b'+') => "\u{1b}[32m",
                    Some(b'-') => "\u{1b}[31m",
                    _ => "",
                };
                let end = if color.is_empty() { "" } else { "\u{1b}[0m" };
                write!(
                    out,
                    "{color}{}{end}{}",
                    line.trim_end_matches('\n'),
                    if line.ends_with('\n') { "\n" } else { "" }
                )?;
            }
        }
        writeln!(out)?;
    }
    if arguments.dry_run && arguments.format == Format::Json {
        let mut out = anstream::stdout().lock();
        for change in &port.changes {
            writeln!(out, "{}", planned(change))?;
        }
    }
    report::print(&port.findings, arguments.format)?;
    let Counts {
        functions,
        types,
        rounds,
    } = port.counts;
    let done = match (port.changes.is_empty(), arguments.dry_run) {
        (true, _) => "nothing to edit".to_owned(),
        (false, dry_run) => format!(
            "{} {} in {}: {}, {}",
            if dry_run { "would edit" } else { "edited" },
            counted(port.changes.len(), "file"),
            counted(rounds, "round"),
            counted(functions, "function"),
            counted(types, "type"),
        ),
    };
    let left = port
        .findings
        .iter()
        .filter(|finding| finding.severity != Severity::Note)
        .count();
    let left = match left {
        0 => "nothing is left for a person".to_owned(),
        1 => "1 place needs a person".to_owned(),
        left => format!("{left} places need a person"),
    };
    anstream::eprintln!("   {done}; {left}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::{Dependency, Package, Reach};

    #[test]
    fn any_patch_of_the_runtime_s_rmcp_fits() {
        for (requirement, fits) in [
            ("3.9", true),
            ("=3.9.2", true),
            (">=3.9.1, <3.9.4", true),
            ("3", true),
            ("=3.8.2", false),
            ("^3.10", false),
            ("0.8", false),
        ] {
            let package = Package {
                name: "server".to_owned(),
                manifest: PathBuf::new(),
                targets: Vec::new(),
                dependencies: vec![Dependency {
                    name: "rmcp".to_owned(),
                    rename: None,
                    reach: Reach::All,
                    requirement: requirement.parse().expect("a requirement"),
                }],
            };
            let workspace = Workspace {
                root: PathBuf::new(),
                target_directory: PathBuf::new(),
                selected: vec![package],
                members: Vec::new(),
            };
            let refused = refuse_other_rmcp(&workspace);
            assert_eq!(refused.is_ok(), fits, "{requirement}");
        }
    }
}
