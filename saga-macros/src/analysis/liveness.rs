//! Which variables are live where each block begins: some path from there reads them before it
//! writes them.

use std::collections::BTreeSet;

use crate::cfg::{Block, BlockId, Facts, Flow, Terminator, VarId};

/// Live variables by block, at its beginning.
pub(crate) struct Liveness(Vec<BTreeSet<VarId>>);

impl Liveness {
    /// The variables that are live where `block` begins.
    pub(crate) fn at(&self, block: BlockId) -> &BTreeSet<VarId> {
        &self.0[block.0]
    }
}

/// Solves liveness backwards over the blocks.
pub(crate) fn compute(flow: &Flow) -> Liveness {
    let mut live = Liveness(vec![BTreeSet::new(); flow.blocks.len()]);
    loop {
        let mut changed = false;
        for index in (0..flow.blocks.len()).rev() {
            let before = at_start(&flow.blocks[index], &live);
            if before != live.0[index] {
                live.0[index] = before;
                changed = true;
            }
        }
        if !changed {
            return live;
        }
    }
}

fn at_start(block: &Block, live: &Liveness) -> BTreeSet<VarId> {
    let mut now = at_end(&block.terminator, live);
    for step in block.steps.iter().rev() {
        through(step.facts(), live, &mut now);
    }
    now
}

fn at_end(terminator: &Terminator, live: &Liveness) -> BTreeSet<VarId> {
    let mut now = BTreeSet::new();
    match terminator {
        Terminator::Match { arms, facts, .. } => {
            for (_, bound, body) in arms {
                let mut arm = live.at(*body).clone();
                // A guard reads what its pattern has just bound.
                arm.extend(&bound.reads);
                arm.retain(|var| !bound.defs.contains(var));
                now.extend(arm);
            }
            through(facts, live, &mut now);
        }
        Terminator::If {
            facts,
            then,
            otherwise,
            ..
        } => {
            now.extend(live.at(*then));
            for def in &facts.defs {
                now.remove(def);
            }
            now.extend(live.at(*otherwise));
            let rest = Facts {
                defs: BTreeSet::new(),
                ..facts.clone()
            };
            through(&rest, live, &mut now);
        }
        Terminator::Ask {
            facts,
            answer,
            resume,
            ..
        } => {
            now.extend(live.at(*resume));
            now.remove(answer);
            through(facts, live, &mut now);
        }
        Terminator::Call {
            facts,
            results,
            next,
            ..
        } => {
            now.extend(live.at(*next));
            now.retain(|var| !results.contains(var));
            through(facts, live, &mut now);
        }
        Terminator::Goto(next) => now.extend(live.at(*next)),
        Terminator::End => {}
    }
    now
}

/// Backwards over one piece of code.
fn through(facts: &Facts, live: &Liveness, now: &mut BTreeSet<VarId>) {
    for var in facts.defs.iter().chain(&facts.kills) {
        now.remove(var);
    }
    for target in &facts.jumps {
        let result = target.result;
        now.extend(
            live.at(target.block)
                .iter()
                .filter(|var| Some(**var) != result),
        );
        // What the same code declares is not live before it.
        for var in &facts.defs {
            now.remove(var);
        }
    }
    now.extend(&facts.reads);
}
