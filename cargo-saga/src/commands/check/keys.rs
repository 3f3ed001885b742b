//! Two questions of one key in a function.

use crate::{
    graph::Graph,
    report::{Finding, Severity},
};

pub(super) fn find(graph: &Graph<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for id in graph.ids() {
        let function = graph.function(id);
        let asks = &graph.facts(id).asks;
        for (place, ask) in asks.iter().enumerate() {
            let Some((key, range)) = &ask.key else {
                continue;
            };
            let earlier = asks.iter().take(place).find_map(|earlier| {
                let (other, first) = earlier.key.as_ref()?;
                (other == key && !earlier.excludes(ask)).then_some(first)
            });
            if let Some(first) = earlier {
                let finding = Finding::new(
                    Severity::Warning,
                    "same-key",
                    format!("two questions of the key `{key}`"),
                )
                .at(&function.file, range.clone(), "")
                .at(&function.file, first.clone(), "the other one")
                .note("which of them an answer belongs to depends on how many were put before")
                .help("another key for one of them");
                findings.push(finding);
            }
        }
    }
    findings
}
