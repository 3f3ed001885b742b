//! What grows with every question: a token has a largest size.

mod body;
mod ends;
mod growth;

use std::ops::Range;

use crate::{
    graph::Graph,
    report::{Finding, Severity},
    source::Function,
};
use growth::{Growth, Loops};

pub(super) fn find(graph: &Graph<'_>) -> Vec<Finding> {
    graph.ids().flat_map(|id| of(graph.function(id))).collect()
}

fn of(function: &Function) -> Vec<Finding> {
    let (Some(described), Some(block)) = (function.described(), &function.block) else {
        return Vec::new();
    };
    let points = described.points.iter();
    let points: Vec<_> = points.map(|point| point.span.byte_range().start).collect();
    let grown = Loops::of(&function.sig, block, &points);
    let mut told = Vec::new();
    let mut findings = Vec::new();
    for variable in described.points.iter().flat_map(|point| &point.stored) {
        let declared = variable.span.byte_range();
        let mut grown = grown.iter().filter(|growth| growth.of == variable.name);
        // What a round makes anew does not grow with them.
        let growth = grown.find(|growth| growth.around > declared.start);
        if let Some(growth) = growth
            && !told.contains(&variable.name)
        {
            findings.push(finding(function, &variable.name, declared, growth));
            told.push(variable.name.clone());
        }
    }
    findings
}

fn finding(function: &Function, name: &str, declared: Range<usize>, growth: &Growth) -> Finding {
    let message = format!("`{name}` grows with every round of a loop without an end of its own");
    Finding::new(Severity::Note, "grows", message)
        .at(&function.file, declared, "stored at each question")
        .at(&function.file, growth.at.clone(), "grown here")
        .note("a token has at most 64 KiB (`Settings::with_max_token_bytes`); over that the call ends with an error, after the effects so far")
        .help("a limit on the rounds, or keep it in your store and its id in the variable")
}

#[cfg(test)]
mod tests;
