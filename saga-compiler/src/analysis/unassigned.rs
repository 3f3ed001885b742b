//! Variables of a `let x;` that have no value yet where a block begins. Backwards, such a variable seems to be live before a
//! statement that gives it one only where it jumps out:
//!
//! ```text
//! let x; loop { … if found { x = 1; break; } }
//! ```

use std::collections::BTreeSet;

use super::var_set::VarSet;

use crate::cfg::{BlockId, Facts, Flow, Step, VarId};

/// Forwards over the blocks, for each. What plain Rust lets be read has a value on every path, so a statement that gives one
/// on some path, and goes on, has given it.
pub(crate) fn unassigned(flow: &Flow) -> Vec<VarSet> {
    let mut at = vec![VarSet::of(flow.vars.len()); flow.blocks.len()];
    let late = late(flow);
    if late.is_empty() {
        return at;
    }
    at[Flow::ENTRY.0].extend(&late);
    let mut work = BTreeSet::from([Flow::ENTRY]);
    let mut seen = work.clone();
    while let Some(id) = work.pop_first() {
        let block = flow.block(id);
        let mut now = at[id.0].clone();
        let mut next: Vec<(BlockId, VarSet)> = Vec::new();
        let steps = block.steps.iter().map(Step::facts);
        for facts in steps.chain(block.terminator.facts()) {
            through(facts, &mut now, &mut next);
        }
        let successors = block.terminator.successors().into_iter();
        next.extend(successors.map(|block| (block, now.clone())));
        for (block, without) in next {
            if at[block.0].unite(&without) | seen.insert(block) {
                work.insert(block);
            }
        }
    }
    at
}

fn through(facts: &Facts, now: &mut VarSet, next: &mut Vec<(BlockId, VarSet)>) {
    let mut given = now.clone();
    // What is read has a value, and a macro that mentions it may give it one.
    let all = facts.assigns.iter().chain(&facts.reads);
    all.for_each(|var| given.remove(*var));
    match facts.jumps.is_empty() {
        true => *now = given,
        false => {
            let targets = facts.jumps.iter();
            next.extend(targets.map(|target| (target.block, given.clone())));
            facts.kills.iter().for_each(|var| now.remove(*var));
        }
    }
}

/// Variables that get their first value after their `let`.
fn late(flow: &Flow) -> BTreeSet<VarId> {
    let all = (0..flow.vars.len()).map(VarId);
    all.filter(|id| {
        let own = flow.var(*id);
        own.late && own.persistence.is_spilled()
    })
    .collect()
}
