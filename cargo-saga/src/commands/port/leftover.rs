//! What needs a person: what is still refused, and what cannot be followed.

use std::{collections::BTreeSet, ops::Range, rc::Rc};

use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel};

use super::{
    compile::{self, Compiled},
    plan::{Plan, spot},
    remedies::{Located, Remedies, last},
};
use crate::{
    graph::{self, Entry, FunctionId, Graph},
    report::{Finding, Severity},
    source::File,
};

/// Notes in which rustc tells how it found out, and not what to do.
const ASIDE: &[&str] = &[
    "the trait `",
    "required ",
    "the full name for the type",
    "consider using `--verbose`",
    "this error originates",
    "the following other types",
    "`#[warn(",
];

/// What the compiler still refuses, and its warnings where it refuses nothing.
pub(super) fn refused(
    remedies: &Remedies<'_>,
    compiled: &Compiled,
    before: &Compiled,
    plan: &Plan,
) -> Vec<Finding> {
    let errors: Vec<_> = compiled.errors().collect();
    let known: BTreeSet<_> = before.warnings().map(|warning| &warning.message).collect();
    let warnings = compiled
        .warnings()
        .filter(|warning| errors.is_empty() && !known.contains(&warning.message));
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for message in errors.iter().copied().chain(warnings) {
        match remedies.locate(message) {
            Some(located) => {
                // The same of two paths is one thing to do.
                if seen.insert((located.file.clone(), located.start, message.message.clone())) {
                    findings.push(finding(remedies, &located, plan));
                }
            }
            None if message.message.starts_with("aborting due to") => {}
            None => findings.push(elsewhere(message)),
        }
    }
    findings
}

/// In code that is generated, or of another package: it is shown and not edited.
fn elsewhere(message: &Diagnostic) -> Finding {
    let finding = Finding::new(severity(message.level), "refused", &message.message);
    match message.spans.iter().find(|span| span.is_primary) {
        Some(span) => finding.note(format!(
            "in `{}`, line {}, which is not edited",
            span.file_name, span.line_start
        )),
        None => finding,
    }
}

fn severity(level: DiagnosticLevel) -> Severity {
    match level {
        DiagnosticLevel::Error => Severity::Error,
        _ => Severity::Warning,
    }
}

fn finding(remedies: &Remedies<'_>, located: &Located<'_>, plan: &Plan) -> Finding {
    let message = located.message;
    let mut lines = message.message.lines();
    let title = lines.next().unwrap_or_default();
    let primary = message.spans.iter().find(|span| span.is_primary);
    let label = primary
        .and_then(|span| span.label.clone())
        .unwrap_or_default();
    let mut finding = Finding::new(severity(message.level), "refused", title);
    let file = remedies
        .graph
        .index
        .files()
        .into_iter()
        .find(|file| file.path == located.file);
    if let Some(file) = file {
        // On an attribute that is only about to be written it is on the function.
        let function = remedies
            .function(located, plan)
            .filter(|_| located.start == located.end);
        let name = function.map(|id| remedies.graph.function(id).name_range());
        finding = finding.at(file, name.unwrap_or(located.start..located.end), label);
    }
    for line in lines {
        let line = line.trim().trim_start_matches("= ");
        finding = match line.strip_prefix("instead: ") {
            Some(instead) => finding.help(instead),
            None => finding.note(line.trim_start_matches("why: ")),
        };
    }
    let notes = message.children.iter().map(|child| child.message.as_str());
    for note in notes.filter(|note| !ASIDE.iter().any(|aside| note.starts_with(aside))) {
        finding = finding.note(note);
    }
    match first_ask(remedies, located, plan) {
        Some((file, range)) => {
            let name = file.at(located.start..located.end).to_owned();
            let help = format!(
                "take out of `{name}` what is needed later, drop it before the ask, and take the lock again after the answer: what it protects may have changed by then"
            );
            finding
                .at(&file, range, format!("`drop({name});` before this"))
                .help(help)
        }
        None => finding,
    }
}

/// Before what a guard could be dropped: only a person knows whether what it protects may change while the user thinks.
fn first_ask(
    remedies: &Remedies<'_>,
    located: &Located<'_>,
    plan: &Plan,
) -> Option<(Rc<File>, Range<usize>)> {
    let (lacks, _) = compile::lacking(located.message)?;
    if last(&lacks) != "HeldAcrossAnAsk" {
        return None;
    }
    let id = remedies.function(located, plan)?;
    let function = remedies.graph.function(id);
    let facts = remedies.graph.facts(id);
    let asks = facts.asks.iter().map(|ask| ask.range.clone());
    let calls = facts
        .calls
        .iter()
        .filter(|call| !remedies.graph.asked_by(call).is_empty());
    let later = asks
        .chain(calls.map(|call| call.range.clone()))
        .filter(|range| range.start > located.start);
    let first = later.min_by_key(|range| range.start)?;
    Some((Rc::clone(&function.file), first))
}

/// What no attribute can change: asks that are not followed, code that is not in a file, asks that nothing leads to.
pub(super) fn unfollowed(graph: &Graph<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let on_the_way = graph.on_the_way().into_iter().map(|id| graph.function(id));
    // A file that two targets share may be led to in one of them.
    let on_the_way: BTreeSet<_> = on_the_way
        .map(|function| spot(&function.file, &function.range))
        .collect();
    for id in graph.ids() {
        let function = graph.function(id);
        if graph.asks(id) && !on_the_way.contains(&spot(&function.file, &function.range)) {
            findings.extend(unreached(graph, id));
        }
        if graph.entry(id) == Some(Entry::Prompt) && graph.asks(id) {
            let finding = Finding::new(
                Severity::Note,
                "prompt",
                "a prompt that asks needs `SagaServer` around its handler",
            )
            .at(&function.file, function.name_range(), "")
            .note("rmcp's router of prompts drops the token of a retry")
            .help("`SagaServer::from_env(handler)?` where the handler is served");
            findings.push(finding);
        }
    }
    findings.extend(graph::unfollowed(graph));
    findings
}

fn unreached(graph: &Graph<'_>, id: FunctionId) -> Option<Finding> {
    let function = graph.function(id);
    let asks_itself = |id: FunctionId| {
        let asks = &graph.facts(id).asks;
        asks.iter().any(|ask| ask.place.is_followed())
            && graph.function(id).attribute("saga").is_none()
    };
    // Who calls it is told of.
    let is_called = graph.ids().any(|caller| {
        let calls = &graph.facts(caller).calls;
        caller != id && asks_itself(caller) && calls.iter().any(|call| call.targets.contains(&id))
    });
    let finding = Finding::new(
        Severity::Note,
        "unreached",
        "it asks, and no tool, prompt, resource or handler was found that leads to it",
    )
    .at(&function.file, function.name_range(), "left as it is")
    .note("it may be called by code that a macro makes, or by a type that is not known here")
    .help("`#[saga]` above it where a tool calls it, and above what is between them");
    (asks_itself(id) && !is_called).then_some(finding)
}
