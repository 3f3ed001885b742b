//! Variables that may borrow from others, which move from block to block.
//!
//! By what stands beside them: no type is known here. One too many costs time, where its type is the
//! author's own; one too few is an error of the borrow checker.

use std::collections::{BTreeMap, BTreeSet};

use crate::cfg::{Access, Facts, Flow, VarId, persistence::Persistence};

/// What each variable may borrow from.
#[derive(Default)]
pub(crate) struct Lent {
    /// What is mentioned where it is declared or assigned.
    made_of: BTreeMap<VarId, BTreeSet<VarId>>,
    /// What is mentioned where it may be changed.
    changed_by: BTreeMap<VarId, BTreeSet<VarId>>,
    /// What may borrow from a `&mut self` that is changed.
    of_self: BTreeSet<VarId>,
}

impl Lent {
    /// A variable borrows from none of them.
    pub(crate) fn remove(&mut self, var: VarId) {
        self.made_of.remove(&var);
        self.changed_by.remove(&var);
        self.of_self.remove(&var);
    }

    pub(crate) fn contains(&self, var: VarId) -> bool {
        self.made_of.contains_key(&var)
            || self.changed_by.contains_key(&var)
            || self.of_self.contains(&var)
    }

    /// The variables, those that borrow before those that they may borrow from: these move.
    ///
    /// What is made of another always goes before it. What may have been changed with another goes before
    /// it where these do not contradict each other.
    pub(crate) fn borrowers_first(&self, vars: &BTreeSet<VarId>) -> Vec<VarId> {
        let mut rest: Vec<VarId> = vars.iter().rev().copied().collect();
        let mut order = Vec::with_capacity(rest.len());
        while !rest.is_empty() {
            let free = |of: &dyn Fn(VarId, VarId) -> bool| {
                let is_lender = |lender: &VarId| rest.iter().any(|var| of(*var, *lender));
                rest.iter().position(|lender| !is_lender(lender))
            };
            let next = free(&|var, lender| self.borrows(var, lender))
                .or_else(|| free(&|var, lender| is_in(&self.made_of, var, lender)));
            order.push(rest.remove(next.unwrap_or(0)));
        }
        order
    }

    /// Whether `var` may hold what it was lent of `lender` where it was changed.
    pub(crate) fn may_have_taken(&self, var: VarId, lender: VarId) -> bool {
        is_in(&self.changed_by, var, lender)
    }

    /// Whether `var` may borrow from `lender`. What is made of a variable is not what changes it: while it
    /// lives, nothing can.
    fn borrows(&self, var: VarId, lender: VarId) -> bool {
        is_in(&self.made_of, var, lender)
            || (is_in(&self.changed_by, var, lender) && !is_in(&self.made_of, lender, var))
    }
}

fn is_in(of: &BTreeMap<VarId, BTreeSet<VarId>>, var: VarId, lender: VarId) -> bool {
    let lenders = of.get(&var);
    var != lender && lenders.is_some_and(|lenders| lenders.contains(&lender))
}

pub(crate) fn lent(flow: &Flow) -> Lent {
    let mut lent = Lent::default();
    for block in &flow.blocks {
        for step in &block.steps {
            let facts = step.facts();
            through(flow, facts, facts.made(), &mut lent);
        }
        if let Some(facts) = block.terminator.facts() {
            through(flow, facts, block.terminator.made(), &mut lent);
        }
    }
    lent.made_of = all_of(&lent.made_of);
    lent
}

/// What is made of what is made of another may borrow from that.
///
/// ```text
/// let best = list.first(); let Some(one) = best else { .. }
/// ```
fn all_of(made_of: &BTreeMap<VarId, BTreeSet<VarId>>) -> BTreeMap<VarId, BTreeSet<VarId>> {
    let behind = |var: &VarId| {
        let mut found = BTreeSet::new();
        let mut open = vec![*var];
        while let Some(next) = open.pop() {
            let lenders = made_of.get(&next).into_iter().flatten();
            open.extend(lenders.filter(|lender| found.insert(**lender)));
        }
        (*var, found)
    };
    made_of.keys().map(behind).collect()
}

fn through(flow: &Flow, facts: &Facts, made: BTreeSet<VarId>, lent: &mut Lent) {
    // `for one in &mut all { ask; one.title = &title; }`
    let mut changed = BTreeSet::new();
    for var in &facts.reads {
        flow.closure(*var, &mut changed);
    }
    changed.retain(|var| flow.var(*var).mutable);
    let mut lenders = BTreeSet::new();
    for var in &facts.reads {
        if may_move(flow, *var) {
            flow.closure(*var, &mut lenders);
        }
    }
    if facts.of_self && flow.changes_self {
        lent.of_self.extend(made.iter().chain(&changed));
    }
    for (touched, of) in [(made, &mut lent.made_of), (changed, &mut lent.changed_by)] {
        for var in touched {
            let others = lenders.iter().copied().filter(|other| *other != var);
            let others: Vec<_> = others.collect();
            if !others.is_empty() {
                of.entry(var).or_default().extend(others);
            }
        }
    }
}

/// Whether a variable is one that a block has for itself, or one behind which something changes: what is held from block to
/// block would keep it from that.
///
/// ```text
/// if let Some(file) = &desk.file { ask; show(file) } else { desk.file = None; }
/// ```
pub(super) fn may_move(flow: &Flow, var: VarId) -> bool {
    match flow.var(var).persistence {
        Persistence::Param(id) => {
            let param = flow.param(id);
            let stays = matches!(
                param.access,
                Access::Direct | Access::Rooted | Access::Copied | Access::Reborrowed
            );
            param.changes || !stays
        }
        Persistence::Spilled(_) | Persistence::Reborrowed(_) => true,
    }
}
