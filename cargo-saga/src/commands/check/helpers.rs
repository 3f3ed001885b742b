//! A function that asks without `#[saga]`: with rmcp's handle it compiles, and its first stateless call fails.

use crate::{
    graph::{Entry, Graph},
    report::{Finding, Severity},
};

pub(super) fn find(graph: &Graph<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut on_the_way: Vec<_> = graph.on_the_way().into_iter().collect();
    on_the_way.sort();
    for id in on_the_way {
        let function = graph.function(id);
        let facts = graph.facts(id);
        let ask = facts.asks.iter().find(|ask| ask.place.is_followed());
        let call = facts
            .calls
            .iter()
            .find(|call| call.is_followed() && !graph.asked_by(call).is_empty());
        if function.attribute("saga").is_none() {
            let what = match graph.entry(id) {
                Some(Entry::Tool) => "a tool that asks",
                Some(Entry::Prompt) => "a prompt that asks",
                Some(Entry::Resource) => "a resource that asks",
                Some(Entry::Handler) => "a handler that asks",
                None => "a function that asks for a tool",
            };
            let finding = Finding::new(Severity::Error, "no-saga", format!("{what} without `#[saga]`"))
                .at(&function.file, function.name_range(), graph.index.path_of(function))
                .note("a client of 2026-07-28 gets an error from the ask: nothing can be sent to it while its request waits")
                .help("`#[saga]` above it; `cargo saga port` writes it");
            let range = ask
                .map(|ask| ask.range.clone())
                .or(call.map(|call| call.range.clone()));
            findings.push(match range {
                Some(range) => finding.at(&function.file, range, "it asks here"),
                None => finding,
            });
            continue;
        }
        findings.extend(unnamed(graph, id));
    }
    findings
}

/// Calls that ask without being given the handle, in a function that does not say so.
fn unnamed(graph: &Graph<'_>, id: crate::graph::FunctionId) -> Vec<Finding> {
    let function = graph.function(id);
    let calls = graph.facts(id).calls.iter();
    let unseen = calls.filter(|call| call.is_followed() && call.is_certain && !call.gives_handle);
    let asking =
        unseen.filter(|call| !graph.asked_by(call).is_empty() && !function.says(&call.name));
    let finding = |call: &crate::graph::Call| {
        let name = &call.name;
        Finding::new(
            Severity::Error,
            "no-asks",
            format!("`{name}` asks, and is not given the handle"),
        )
        .at(&function.file, call.range.clone(), "")
        .note("that it asks cannot be seen here: the call ends with an error at its first question")
        .help(format!(
            "`#[saga(asks({name}))]` above this function, or the handle as an argument"
        ))
    };
    asking.map(finding).collect()
}
