//! What the runtime, and tools that read functions, know of one: its suspension points and what is stored at each.

use std::collections::BTreeMap;

use syn::spanned::Spanned;

use super::{fingerprint, successors};

use crate::{
    analysis::{accepts::Accepted, states::Plan},
    ast::calls::shown_call,
    cfg::{Access, Arm, Callee, Flow, PointId, Terminator, VarId, persistence::Form},
};

/// A suspension point.
pub(crate) struct PointFacts {
    /// What tells it from the other points of its function, for people: its key or what is called, and a number where
    /// that is there twice.
    pub(crate) label: String,
    pub(crate) key: String,
    pub(crate) awaits: String,
    /// The author's variables that are stored there, in order.
    pub(crate) stored: Vec<VarId>,
    /// The variables that a frame has there, behind what the arguments were.
    pub(crate) written: Vec<VarId>,
    /// What a frame has there, value by value.
    pub(crate) layout: Vec<String>,
    /// The functions that are called there.
    pub(crate) calls: Vec<String>,
    /// The variables that take what is awaited.
    pub(crate) awaited: Vec<VarId>,
    pub(crate) next: Vec<u32>,
    pub(crate) fingerprint: u64,
    /// Points of earlier code whose calls go on here.
    pub(crate) accepts: Vec<Accepted>,
    pub(crate) span: proc_macro2::Span,
}

/// All points, in order.
pub(crate) fn points(signature: &syn::Signature, flow: &Flow, plan: &Plan) -> Vec<PointFacts> {
    let prints = fingerprint::points(signature, flow, plan);
    let answers = flow.answers();
    let labels = labels(flow);
    let points = flow.points.iter().enumerate().zip(prints).zip(labels);
    points
        .map(|(((index, point), fingerprint), label)| {
            let carried = plan.state(point.block).map(|(_, state)| &state.carried);
            let answer = answers.get(&point.block);
            let carried = carried.into_iter().flatten().copied();
            let kept = flow.in_frame_order(carried.filter(|var| Some(var) != answer));
            let stored = kept.iter().copied().filter(|var| is_stored(flow, *var));
            let written = written(flow, &kept);
            let (calls, awaited) = awaited(flow, index);
            PointFacts {
                label,
                key: point.key.clone(),
                awaits: point.awaits.clone(),
                stored: stored.collect(),
                layout: layout(flow, &written),
                written,
                calls,
                awaited,
                next: successors::after(flow, index).into_iter().collect(),
                fingerprint,
                accepts: Vec::new(),
                span: span_of(flow, index),
            }
        })
        .collect()
}

/// Whether a variable of a frame is one that people are told of.
fn is_stored(flow: &Flow, var: VarId) -> bool {
    matches!(
        flow.var(var).persistence.form(),
        Some(Form::ByType(_) | Form::Number | Form::Untouched | Form::Static | Form::With(_))
    )
}

/// The variables of a frame: a record of answers only where something may be picked out of it once more.
fn written(flow: &Flow, kept: &[VarId]) -> Vec<VarId> {
    let written = kept.iter().copied().filter(|var| {
        let mut picks = picks_of(flow, *var);
        is_stored(flow, *var) || picks.any(|pick| kept.contains(&pick))
    });
    written.collect()
}

/// Each value of a frame by name; the arguments come first.
fn layout(flow: &Flow, written: &[VarId]) -> Vec<String> {
    let is_root = |access: Access| matches!(access, Access::Parsed | Access::Rooted);
    let roots = flow.params.iter().filter(|param| is_root(param.access));
    let roots = roots.map(|_| "(arguments)".to_owned());
    roots
        .chain(written.iter().map(|var| flow.author_name(*var)))
        .collect()
}

/// The functions that a point calls, and the variables that take what it awaits.
fn awaited(flow: &Flow, index: usize) -> (Vec<String>, Vec<VarId>) {
    let other = |arm: &Arm| match arm {
        Arm::Ask(..) => None,
        Arm::Other(future) | Arm::Plain(future) => Some(shown_call(future)),
    };
    match terminator(flow, index) {
        Some(Terminator::Ask { answer, .. }) => (Vec::new(), vec![*answer]),
        Some(Terminator::Call {
            callee, results, ..
        }) => {
            let mut calls = match callee {
                Callee::One(call) => vec![shown_call(call)],
                Callee::Each { arm, .. } => other(arm).into_iter().collect(),
                Callee::Join { arms, .. } => arms.iter().filter_map(other).collect(),
            };
            calls.retain(|name| !name.is_empty());
            (calls, results.clone())
        }
        _ => (Vec::new(), Vec::new()),
    }
}

/// How the block ends that suspends at a point.
fn terminator(flow: &Flow, index: usize) -> Option<&Terminator> {
    let is_here = |point: &PointId| point.0 as usize == index + 1;
    let mut terminators = flow.blocks.iter().map(|block| &block.terminator);
    terminators.find(|terminator| match terminator {
        Terminator::Ask { point, .. } | Terminator::Call { point, .. } => is_here(point),
        _ => false,
    })
}

/// The variables that may be picked out of a record of answers once more.
pub(crate) fn picks_of(flow: &Flow, record: VarId) -> impl Iterator<Item = VarId> {
    let picks = flow.vars.iter().enumerate().filter(move |(_, var)| {
        let again = var.persistence.rematerialized();
        again.is_some_and(|again| again.records.contains(&record))
    });
    picks.map(|(index, _)| VarId(index))
}

fn labels(flow: &Flow) -> Vec<String> {
    let name = |point: &crate::cfg::Point| match point.key.is_empty() {
        true => point.awaits.clone(),
        false => point.key.clone(),
    };
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let names = flow.points.iter().map(|point| {
        let name = name(point);
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        match count {
            1 => name,
            count => format!("{name}#{count}"),
        }
    });
    names.collect()
}

/// Where the author wrote what is awaited.
fn span_of(flow: &Flow, index: usize) -> proc_macro2::Span {
    let elsewhere = proc_macro2::Span::call_site;
    match terminator(flow, index) {
        Some(Terminator::Ask { ask, .. }) => ask.handle.span(),
        Some(Terminator::Call { callee, .. }) => match callee {
            Callee::One(call) => call.span(),
            Callee::Each { items, .. } => items.span(),
            Callee::Join { arms, .. } => arms.first().map_or_else(elsewhere, |arm| match arm {
                Arm::Ask(ask, _) => ask.handle.span(),
                Arm::Other(future) | Arm::Plain(future) => future.span(),
            }),
        },
        _ => elsewhere(),
    }
}
