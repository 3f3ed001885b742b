//! `cargo saga check`: what no macro can see, because it sees one function.

mod helpers;
mod kept;
mod keys;
mod limits;
mod listed;
mod named;
mod secrets;
mod served;
mod silenced;
mod unlisted;

use std::ffi::OsString;

use crate::{
    cli::Outcome,
    error::Error,
    graph::{self, Graph},
    report::{self, Finding, Format, Severity},
    source::Index,
    workspace::{Selection, Workspace},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// How findings are written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The command that starts the server on stdio: what it lists is checked, too
    #[arg(last = true, value_name = "SERVER")]
    server: Vec<OsString>,
}

pub(crate) fn run(arguments: Arguments) -> Result<Outcome, Error> {
    let workspace = Workspace::load(&arguments.selection)?.with_dependencies();
    let index = Index::of(&workspace.selected);
    let graph = Graph::of(&index);
    let mut findings = findings(&graph);
    let listed = listed::find(&arguments.server, &graph);
    if let Ok(listed) = &listed {
        let is_meant = |finding: &&Finding| silenced::is_silenced(&index, finding);
        findings.extend(listed.iter().filter(|finding| !is_meant(finding)).cloned());
    }
    report::print(&findings, arguments.format)?;
    // What the source shows is shown in any case.
    listed?;
    let count = |severity| {
        findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    anstream::eprintln!(
        "   {}, {}",
        report::counted(errors, "error"),
        report::counted(warnings, "warning")
    );
    Ok(match errors + warnings {
        0 => Outcome::Clean,
        _ => Outcome::Findings,
    })
}

/// Everything that was found and not silenced, in the order of files.
fn findings(graph: &Graph<'_>) -> Vec<Finding> {
    let mut findings = graph.index.problems.clone();
    findings.extend(helpers::find(graph));
    findings.extend(graph::unfollowed(graph).into_iter().map(softened));
    findings.extend(keys::find(graph));
    findings.extend(kept::find(graph));
    findings.extend(limits::find(graph));
    findings.extend(secrets::find(graph));
    findings.extend(served::find(graph));
    findings.extend(unlisted::find(graph));
    findings.retain(|finding| !silenced::is_silenced(graph.index, finding));
    findings.sort_by(|one, other| place(one).cmp(&place(other)));
    // A file that two targets share has its findings once.
    findings.dedup_by(|one, other| {
        one.code == other.code
            && one.message == other.message
            && !one.labels.is_empty()
            && place(one) == place(other)
    });
    findings
}

/// What may be in a macro is no reason to fail.
fn softened(finding: Finding) -> Finding {
    let severity = match finding.code {
        "hidden" => Severity::Note,
        _ => finding.severity,
    };
    Finding {
        severity,
        ..finding
    }
}

fn place(finding: &Finding) -> Option<(&std::path::Path, usize)> {
    let first = finding.labels.first()?;
    Some((&first.file.path, first.range.start))
}

#[cfg(test)]
mod tests;
