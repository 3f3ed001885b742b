//! Closures that are made again where what they look at is another value by then.
//!
//! ```text
//! let label = || node.name.len(); node = &node.next; ask; label()
//! ```
//!
//! The borrow checker lets a reference have another value while what it referred to is looked at, and a variable that was moved.

use std::collections::BTreeSet;

use syn::Expr;

use super::{liveness::Liveness, states::Plan};

use crate::{
    ast::{
        assigned_places::{Assigned, LookedAt, Replaced},
        calls::strip_parentheses,
    },
    cfg::{BlockId, Facts, Flow, Steady, Step, VarId, persistence::Persistence},
    errors::Errors,
};

/// A closure in a variable.
struct Closure<'f> {
    made: &'f Expr,
    deps: &'f [VarId],
    looked_at: LookedAt,
}

/// # Errors
/// One of them would look at the new value.
pub(crate) fn check(flow: &Flow, live: &Liveness, plan: &Plan) -> Result<Steady, Errors> {
    let mut errors = Errors::default();
    let mut steady = Steady::new();
    let mut refused = BTreeSet::new();
    let closures: Vec<_> = closures(flow, plan).collect();
    if closures.is_empty() {
        return Ok(steady);
    }
    let mut look = |assigned: &Assigned, facts: &Facts, live: &dyn Fn() -> BTreeSet<VarId>| {
        for (var, closure) in &closures {
            // Its own code does not run where it is made.
            if refused.contains(var) || facts.defs.contains(var) {
                continue;
            }
            // Another variable may have that name.
            let meant = |replaced: &Replaced<'_>| {
                let mut deps = closure.deps.iter().copied();
                deps.find(|var| {
                    flow.goes_by(*var, replaced.root())
                        && (facts.assigns.contains(var) || facts.reads.contains(var))
                })
            };
            let found = |replaced: Option<Replaced<'_>>| {
                let replaced = replaced?;
                let ways = closure.looked_at.ways(&replaced);
                Some((meant(&replaced)?, ways))
            };
            let replaced = found(assigned.replaces(&closure.looked_at));
            let may_be = || found(assigned.may_replace(&closure.looked_at));
            let is_assigned = replaced.is_some();
            let Some((other, ways)) = replaced.or_else(may_be) else {
                continue;
            };
            if !is_assigned && !flow.var(other).mutable || !live().contains(var) {
                continue;
            }
            if !is_assigned {
                let of_closure = steady.entry(*var).or_default();
                of_closure.entry(other).or_default().extend(ways);
                continue;
            }
            let name = &flow.var(other).ident;
            refused.insert(*var);
            errors.refuse(
                closure.made,
                &format!("a closure that looks at `{name}`, which has another value before the closure is used for the last time"),
                "behind an ask the closure is made again, and would look at the new value",
                "another name for what it looks at (`let node = current;` before the closure, and `node` in it), or for the new value",
            );
        }
    };
    each_piece(flow, live, plan, &mut look);
    errors.finish().map(|()| steady)
}

/// What looks at a piece of code: what it gives other values, what it mentions, and what is there behind it.
pub(super) type Look<'l> = dyn FnMut(&Assigned, &Facts, &dyn Fn() -> BTreeSet<VarId>) + 'l;

/// Looks at what each piece of code gives other values, with what is there behind it and is made again somewhere.
pub(super) fn each_piece(flow: &Flow, live: &Liveness, plan: &Plan, look: &mut Look<'_>) {
    let within = live.within(flow);
    for (index, block) in flow.blocks.iter().enumerate() {
        // Where it is not made again, it is the one that was made.
        let lasting = |now: &mut dyn Iterator<Item = VarId>| {
            let heads = plan.behind(flow, BlockId(index));
            let again = used_by(flow, heads.flat_map(|head| live.at(head).iter().copied()));
            &again & &used_by(flow, now)
        };
        if let Some(facts) = block.terminator.facts() {
            let assigned = Assigned::in_all(block.terminator.exprs_and_guards());
            look(&assigned, facts, &|| {
                let next = block.terminator.successors().into_iter();
                lasting(&mut next.flat_map(|next| live.at(next).iter().copied()))
            });
        }
        within.behind_each(block, |index, now| {
            let (assigned, facts) = match block.steps.get(index) {
                Some(Step::Code(stmt, facts)) => (Assigned::in_stmt(stmt), facts),
                Some(Step::Define(_, value, facts)) => (Assigned::in_all([&**value]), facts),
                None => return,
            };
            look(&assigned, facts, &|| lasting(&mut now.iter()));
        });
    }
}

/// These variables, and what they are made of.
fn used_by(flow: &Flow, vars: impl Iterator<Item = VarId>) -> BTreeSet<VarId> {
    let mut used = BTreeSet::new();
    vars.for_each(|var| flow.closure(var, &mut used));
    used
}

/// Those that some block makes again.
fn closures<'f>(flow: &'f Flow, plan: &'f Plan) -> impl Iterator<Item = (VarId, Closure<'f>)> {
    let again: BTreeSet<_> = plan.reborrows().collect();
    let vars = flow.vars.iter().enumerate();
    vars.filter_map(move |(index, var)| {
        let Persistence::Reborrowed(id) = var.persistence else {
            return None;
        };
        let made = &flow.reborrow(id).init;
        let is_closure = matches!(strip_parentheses(made), Expr::Closure(_));
        (is_closure && again.contains(&id)).then(|| {
            let looked_at = LookedAt::in_expr(made);
            let deps = &flow.reborrow(id).deps;
            (
                VarId(index),
                Closure {
                    made,
                    deps,
                    looked_at,
                },
            )
        })
    })
}
