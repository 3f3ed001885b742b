//! What may still be held where the function stops though nothing uses it any more: plain Rust drops it
//! at the end of its scope, a continuation at the ask.

use std::collections::BTreeSet;

use super::var_set::VarSet;

use crate::{
    analysis::states::Plan,
    cfg::{Block, Facts, Flow, Terminator, VarId},
};

/// Variables whose types have to be looked at.
#[derive(Default)]
pub(crate) struct Held {
    /// Not used after an ask that they may be held at. A lock among them is refused.
    pub(crate) left: BTreeSet<VarId>,
    /// Those of them that no method can have taken: a `Drop` among them is warned of.
    pub(crate) whole: BTreeSet<VarId>,
    /// All that is declared.
    pub(crate) declared: BTreeSet<VarId>,
}

/// Follows what is declared and moved away, forwards over the blocks.
pub(crate) fn held(flow: &Flow, plan: &Plan) -> Held {
    let mut at = vec![VarSet::of(flow.vars.len()); flow.blocks.len()];
    let mut work = BTreeSet::from([Flow::ENTRY]);
    let mut seen = work.clone();
    let mut left = BTreeSet::new();
    while let Some(id) = work.pop_first() {
        let block = flow.block(id);
        let mut now = at[id.0].clone();
        let mut next = Vec::new();
        for step in &block.steps {
            through(flow, step.facts(), &mut now);
            next.extend(
                step.facts()
                    .jumps
                    .iter()
                    .map(|jump| (jump.block, now.clone())),
            );
        }
        next.extend(terminated(flow, block, &mut now));
        if let Some(point) = suspends(&block.terminator) {
            let kept = plan.state(point).map(|(_, state)| state.carried.as_slice());
            let kept = kept.unwrap_or_default();
            let visible = &flow.block(point).visible;
            let idle = now.iter().filter(|var| {
                flow.may_be_dropped(*var) && visible.contains(var) && !kept.contains(var)
            });
            left.extend(idle);
        }
        for (block, held) in next {
            if at[block.0].unite(&held) | seen.insert(block) {
                work.insert(block);
            }
        }
    }
    let declared = declared(flow);
    left.retain(|var| declared.contains(var));
    let whole = left.difference(&flow.moved).copied().collect();
    Held {
        left,
        whole,
        declared,
    }
}

/// What is declared.
fn declared(flow: &Flow) -> BTreeSet<VarId> {
    let mut all = BTreeSet::new();
    for block in &flow.blocks {
        let steps = block.steps.iter().map(crate::cfg::Step::facts);
        for facts in steps.chain(block.terminator.facts()) {
            all.extend(&facts.defs);
        }
        if let Terminator::Match { arms, .. } = &block.terminator {
            for (_, bound, _) in arms {
                all.extend(&bound.defs);
            }
        }
    }
    all
}

/// The block that goes on after a suspension.
fn suspends(terminator: &Terminator) -> Option<crate::cfg::BlockId> {
    match terminator {
        Terminator::Ask { resume, .. } => Some(*resume),
        Terminator::Call { next, .. } => Some(*next),
        _ => None,
    }
}

fn through(flow: &Flow, facts: &Facts, now: &mut VarSet) {
    facts.moves.iter().for_each(|var| now.remove(*var));
    for var in &facts.defs {
        // Without a value there is nothing to drop. (In a loop the last round's is gone.)
        match flow.var(*var).late {
            true => now.remove(*var),
            false => now.insert(*var),
        };
    }
    now.extend(&facts.assigns);
}

/// Where control goes, with what is held there; `now` becomes what is held at the end.
fn terminated(flow: &Flow, block: &Block, now: &mut VarSet) -> Vec<(crate::cfg::BlockId, VarSet)> {
    match &block.terminator {
        Terminator::If {
            facts,
            then,
            otherwise,
            ..
        } => {
            let defs = facts.defs.clone();
            let mut rest = facts.clone();
            rest.defs.clear();
            through(flow, &rest, now);
            let mut inside = now.clone();
            inside.extend(&defs);
            let mut next = vec![(*then, inside), (*otherwise, now.clone())];
            next.extend(facts.jumps.iter().map(|jump| (jump.block, now.clone())));
            next
        }
        Terminator::Match { facts, arms, .. } => {
            through(flow, facts, now);
            let arms = arms.iter().map(|(_, bound, body)| {
                let mut inside = now.clone();
                inside.extend(&bound.defs);
                (*body, inside)
            });
            let mut next: Vec<_> = arms.collect();
            next.extend(facts.jumps.iter().map(|jump| (jump.block, now.clone())));
            next
        }
        Terminator::Ask { facts, resume, .. } => {
            through(flow, facts, now);
            vec![(*resume, now.clone())]
        }
        Terminator::Call {
            facts,
            next,
            results,
            ..
        } => {
            through(flow, facts, now);
            let mut after = now.clone();
            after.extend(results);
            vec![(*next, after)]
        }
        Terminator::Goto(next) => vec![(*next, now.clone())],
        Terminator::End => Vec::new(),
    }
}
