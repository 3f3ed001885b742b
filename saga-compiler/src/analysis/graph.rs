//! What the runtime, and tools that read functions, know of one: its suspension points and what is stored at each.

use std::collections::BTreeMap;

use syn::spanned::Spanned;

use super::{fingerprint, successors};

use crate::{
    analysis::{accepts::Accepted, states::Plan},
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
    /// What a frame has there, value by value.
    pub(crate) layout: Vec<String>,
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
            PointFacts {
                label,
                key: point.key.clone(),
                awaits: point.awaits.clone(),
                stored: stored.collect(),
                layout: layout(flow, &kept),
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

/// Each value of a frame by name; the arguments come first.
fn layout(flow: &Flow, kept: &[VarId]) -> Vec<String> {
    let is_root = |access: Access| matches!(access, Access::Parsed | Access::Rooted);
    let roots = flow.params.iter().filter(|param| is_root(param.access));
    let roots = roots.map(|_| "(arguments)".to_owned());
    let written = kept.iter().filter(|var| {
        let mut picks = picks_of(flow, **var);
        is_stored(flow, **var) || picks.any(|pick| kept.contains(&pick))
    });
    roots
        .chain(written.map(|var| flow.author_name(*var)))
        .collect()
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
    let is_here = |point: &PointId| point.0 as usize == index + 1;
    let mut spans = flow
        .blocks
        .iter()
        .filter_map(|block| match &block.terminator {
            Terminator::Ask { point, ask, .. } if is_here(point) => Some(ask.handle.span()),
            Terminator::Call { point, callee, .. } if is_here(point) => Some(match callee {
                Callee::One(call) => call.span(),
                Callee::Each { items, .. } => items.span(),
                Callee::Join { arms, .. } => {
                    arms.first()
                        .map_or_else(proc_macro2::Span::call_site, |arm| match arm {
                            Arm::Ask(ask, _) => ask.handle.span(),
                            Arm::Other(future) => future.span(),
                        })
                }
            }),
            _ => None,
        });
    spans.next().unwrap_or_else(proc_macro2::Span::call_site)
}
