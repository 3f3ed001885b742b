//! Which calls under way go on in the code as it is.

use super::{
    difference,
    file::{Lock, Locked, Point},
};
use crate::{
    flows::Flow,
    report::{Finding, Severity},
};

/// A point at which calls wait that nothing continues.
pub(super) struct Stranded<'a> {
    pub(super) function: &'a Locked,
    pub(super) point: &'a Point,
    /// What is in its place, if anything.
    pub(super) now: Option<Now<'a>>,
}

/// A point of the present code.
#[derive(Clone, Copy)]
pub(super) struct Now<'a> {
    pub(super) flow: &'a Flow,
    /// Its place; `None` where there is no such point any more.
    pub(super) point: Option<usize>,
}

/// The points of `before`, in packages that were looked at, that no point of `after` continues.
pub(super) fn stranded<'a>(
    before: &'a Lock,
    after: &'a [Flow],
    packages: &[String],
) -> Vec<Stranded<'a>> {
    let functions = before.functions.iter();
    let looked_at = functions.filter(|function| packages.contains(&function.package));
    let mut stranded = Vec::new();
    for function in looked_at {
        let flow = successor(function, before, after);
        for point in &function.points {
            let continued = flow.is_some_and(|flow| continues(flow, point));
            if !continued {
                let now = flow.map(|flow| Now {
                    flow,
                    point: counterpart(flow, function, point),
                });
                stranded.push(Stranded {
                    function,
                    point,
                    now,
                });
            }
        }
    }
    stranded
}

/// Points of code older still that were accepted, and are no longer.
pub(super) fn forgotten<'a>(
    before: &'a Lock,
    after: &'a [Flow],
    packages: &[String],
) -> Vec<(&'a Locked, &'a Point, u64)> {
    let functions = before.functions.iter();
    let looked_at = functions.filter(|function| packages.contains(&function.package));
    let mut forgotten = Vec::new();
    for function in looked_at {
        let flow = successor(function, before, after);
        let known = |print: u64| {
            let mut points = flow.into_iter().flat_map(|flow| &flow.function.points);
            points.any(|point| point.fingerprint == print || point.accepts.contains(&print))
        };
        for point in &function.points {
            let lost = point.accepts.iter().filter(|print| !known(**print));
            forgotten.extend(lost.map(|print| (function, point, *print)));
        }
    }
    forgotten
}

/// The function that is called now where that one was.
fn successor<'a>(function: &Locked, before: &Lock, after: &'a [Flow]) -> Option<&'a Flow> {
    let same = |flow: &&Flow| flow.path == function.path && flow.package == function.package;
    after
        .iter()
        .find(same)
        .or_else(|| renamed(function, before, after))
}

/// One that was not there, and looks like it: moved, or renamed.
fn renamed<'a>(function: &Locked, before: &Lock, after: &'a [Flow]) -> Option<&'a Flow> {
    let is_new = |flow: &&Flow| {
        let mut known = before.functions.iter();
        !known.any(|known| known.path == flow.path && known.package == flow.package)
    };
    let likeness = |flow: &Flow| {
        let own = flow.function.points.iter();
        let shared = own.filter(|point| {
            let mut points = function.points.iter();
            points.any(|other| other.fingerprint == point.fingerprint || other.label == point.label)
        });
        let shared = shared.count();
        let moved = usize::from(flow.name() == function.name());
        // A point of one label alone is no likeness: many functions ask for a confirmation.
        let total = flow.function.points.len().max(function.points.len());
        (shared * 2 > total || moved > 0).then_some((moved, shared))
    };
    let new = after.iter().filter(is_new);
    let alike = new.filter_map(|flow| Some((likeness(flow)?, flow)));
    // Of several the first.
    let best = alike.rev().max_by_key(|(likeness, _)| *likeness);
    best.map(|(_, flow)| flow)
}

fn continues(flow: &Flow, point: &Point) -> bool {
    let mut points = flow.function.points.iter();
    points.any(|now| {
        now.accepts.contains(&point.fingerprint)
            || now.fingerprint == point.fingerprint
                && difference::types(flow, now, point).is_empty()
    })
}

/// The point of the present code where such a call would go on.
fn counterpart(flow: &Flow, function: &Locked, point: &Point) -> Option<usize> {
    let points = &flow.function.points;
    let same = |now: &saga_compiler::Point| now.fingerprint == point.fingerprint;
    let labelled = |now: &saga_compiler::Point| now.label == point.label;
    // What was taken by another point of the former code is none of this one's.
    let others: Vec<_> = function
        .points
        .iter()
        .map(|other| other.label.as_str())
        .collect();
    let alike = |now: &saga_compiler::Point| {
        now.awaits == point.awaits && !others.contains(&now.label.as_str())
    };
    let by = |is: &dyn Fn(&saga_compiler::Point) -> bool| points.iter().position(is);
    by(&same).or_else(|| by(&labelled)).or_else(|| by(&alike))
}

impl Stranded<'_> {
    /// What is said of it.
    pub(super) fn finding(&self, severity: Severity) -> Finding {
        let Self {
            function,
            point,
            now,
        } = self;
        let message = format!(
            "calls that wait at `{}` of `{}` would be stranded",
            point.label, function.path
        );
        let mut finding = Finding::new(severity, "stranded", message);
        let Some(now) = now else {
            return finding
                .note("the function is gone")
                .help("keep it until its calls have ended, or say that this is meant: `--allow` with its name");
        };
        finding = now.flow.locate(finding, now.point);
        for difference in difference::all(function, point, *now) {
            finding = finding.note(difference);
        }
        match difference::line(point, *now) {
            Ok(line) => {
                let finding = finding.help(format!(
                    "if what they have stored fits the new code, let them go on: {line} above `{}`",
                    now.flow.name()
                ));
                let cautions = difference::cautions(point, *now);
                cautions.into_iter().fold(finding, Finding::note)
            }
            Err(why) => finding.note(why).help(
                "let the old code stay beside the new one until its calls have ended, or say that this is meant: `--allow` with the function's name",
            ),
        }
    }
}
