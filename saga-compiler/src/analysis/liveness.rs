//! Which variables are live where each block begins: some path from there reads them before it
//! writes them.

use std::collections::BTreeSet;

use super::{unassigned::unassigned, var_set::VarSet};

use crate::cfg::{Block, BlockId, Facts, Flow, Terminator, VarId};

/// Live variables by block, at its beginning.
pub(crate) struct Liveness(Vec<BTreeSet<VarId>>);

impl Liveness {
    /// The variables that are live where `block` begins.
    pub(crate) fn at(&self, block: BlockId) -> &BTreeSet<VarId> {
        &self.0[block.0]
    }

    /// The same, to be followed through the steps of blocks.
    pub(super) fn within(&self, flow: &Flow) -> Live {
        let sets = self.0.iter().map(|live| {
            let mut set = VarSet::of(flow.vars.len());
            set.extend(live);
            set
        });
        Live(sets.collect())
    }
}

/// Solves liveness backwards over the blocks.
pub(crate) fn compute(flow: &Flow) -> Liveness {
    let mut live = Live(vec![VarSet::of(flow.vars.len()); flow.blocks.len()]);
    loop {
        let mut changed = false;
        for index in (0..flow.blocks.len()).rev() {
            let before = live.at_start(&flow.blocks[index]);
            if before != live.0[index] {
                live.0[index] = before;
                changed = true;
            }
        }
        if !changed {
            let mut live = live.0;
            for (live, without) in live.iter_mut().zip(unassigned(flow)) {
                without.iter().for_each(|var| live.remove(var));
            }
            return Liveness(live.iter().map(|set| set.iter().collect()).collect());
        }
    }
}

/// What is known so far.
pub(super) struct Live(Vec<VarSet>);

impl Live {
    fn at(&self, block: BlockId) -> &VarSet {
        &self.0[block.0]
    }

    fn at_start(&self, block: &Block) -> VarSet {
        self.behind_each(block, |_, _| {})
    }

    /// Shows the variables that are live behind each step, from the last one on; gives those that are live where the block begins.
    pub(super) fn behind_each(
        &self,
        block: &Block,
        mut seen: impl FnMut(usize, &VarSet),
    ) -> VarSet {
        let mut now = self.at_end(&block.terminator);
        for (index, step) in block.steps.iter().enumerate().rev() {
            seen(index, &now);
            self.through(step.facts(), &mut now);
        }
        now
    }

    fn at_end(&self, terminator: &Terminator) -> VarSet {
        match terminator {
            Terminator::Match { arms, facts, .. } => {
                let mut now = self.none();
                for (_, bound, body) in arms {
                    let mut arm = self.at(*body).clone();
                    // A guard reads what its pattern has just bound.
                    bound.reads.iter().for_each(|var| arm.insert(*var));
                    bound.defs.iter().for_each(|var| arm.remove(*var));
                    now.unite(&arm);
                }
                self.through(facts, &mut now);
                now
            }
            Terminator::If {
                facts,
                then,
                otherwise,
                ..
            } => {
                let mut now = self.at(*then).clone();
                facts.defs.iter().for_each(|var| now.remove(*var));
                now.unite(self.at(*otherwise));
                let rest = Facts {
                    defs: BTreeSet::new(),
                    ..facts.clone()
                };
                self.through(&rest, &mut now);
                now
            }
            Terminator::Ask {
                facts,
                answer,
                resume,
                ..
            } => {
                let mut now = self.at(*resume).clone();
                now.remove(*answer);
                self.through(facts, &mut now);
                now
            }
            Terminator::Call {
                facts,
                results,
                next,
                ..
            } => {
                let mut now = self.at(*next).clone();
                results.iter().for_each(|var| now.remove(*var));
                self.through(facts, &mut now);
                now
            }
            Terminator::Goto(next) => self.at(*next).clone(),
            Terminator::End => self.none(),
        }
    }

    fn none(&self) -> VarSet {
        let mut none = self.0.first().cloned().unwrap_or_default();
        none.clear();
        none
    }

    /// Backwards over one piece of code.
    fn through(&self, facts: &Facts, now: &mut VarSet) {
        for var in facts.defs.iter().chain(&facts.kills) {
            now.remove(*var);
        }
        for target in &facts.jumps {
            let mut there = self.at(target.block).clone();
            target.result.iter().for_each(|var| there.remove(*var));
            // What the same code declares is not live before it.
            now.unite(&there);
            facts.defs.iter().for_each(|var| now.remove(*var));
        }
        facts.reads.iter().for_each(|var| now.insert(*var));
    }
}
