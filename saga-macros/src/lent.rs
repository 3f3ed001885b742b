//! Variables that may borrow from others, which move from block to block.
//!
//! By what stands beside them: no type is known here. One too many costs time, where its type is the
//! author's own; one too few is an error of the borrow checker.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Access, Facts, Flow, Origin, Terminator, VarId};

/// What each variable may borrow from: what is mentioned where it is declared, assigned or changed.
#[derive(Default)]
pub(crate) struct Lent(BTreeMap<VarId, BTreeSet<VarId>>);

impl Lent {
    pub(crate) fn contains(&self, var: VarId) -> bool {
        self.0.contains_key(&var)
    }

    /// The variables, those that borrow before those that they may borrow from: these move.
    pub(crate) fn borrowers_first(&self, vars: &BTreeSet<VarId>) -> Vec<VarId> {
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        for var in vars.iter().rev() {
            self.visit(*var, vars, &mut seen, &mut order);
        }
        order
    }

    fn visit(
        &self,
        var: VarId,
        vars: &BTreeSet<VarId>,
        seen: &mut BTreeSet<VarId>,
        order: &mut Vec<VarId>,
    ) {
        if !seen.insert(var) {
            return;
        }
        for borrower in vars.iter().rev() {
            let lenders = self.0.get(borrower);
            if lenders.is_some_and(|lenders| lenders.contains(&var)) {
                self.visit(*borrower, vars, seen, order);
            }
        }
        order.push(var);
    }
}

pub(crate) fn lent(flow: &Flow) -> Lent {
    let mut lent = Lent::default();
    for block in &flow.blocks {
        for step in &block.steps {
            through(flow, step.facts(), BTreeSet::new(), &mut lent);
        }
        let Some(facts) = block.terminator.facts() else {
            continue;
        };
        let defined = match &block.terminator {
            Terminator::Match { arms, .. } => {
                let bound = arms.iter().flat_map(|(_, bound, _)| &bound.defs);
                bound.copied().collect()
            }
            Terminator::Call { results, .. } => results.iter().copied().collect(),
            _ => BTreeSet::new(),
        };
        through(flow, facts, defined, &mut lent);
    }
    lent
}

fn through(flow: &Flow, facts: &Facts, mut touched: BTreeSet<VarId>, lent: &mut Lent) {
    touched.extend(facts.defs.iter().chain(&facts.assigns));
    touched.extend(facts.reads.iter().filter(|var| flow.var(**var).mutable));
    touched.extend(facts.jumps.iter().filter_map(|target| target.result));
    let mut lenders = BTreeSet::new();
    for var in &facts.reads {
        if may_move(flow, *var) {
            flow.closure(*var, &mut lenders);
        }
    }
    for var in touched {
        let others: Vec<_> = lenders
            .iter()
            .copied()
            .filter(|other| *other != var)
            .collect();
        if !others.is_empty() {
            lent.0.entry(var).or_default().extend(others);
        }
    }
}

/// Whether a variable is one that a block has for itself.
fn may_move(flow: &Flow, var: VarId) -> bool {
    match flow.var(var).origin {
        Origin::Param(id) => !matches!(
            flow.param(id).access,
            Access::Direct | Access::Rooted | Access::Copied | Access::Reborrowed
        ),
        Origin::Stored | Origin::Remade(_) => true,
    }
}
