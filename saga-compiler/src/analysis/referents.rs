//! Places of a block's own that a variable may refer to something in: where both are carried on, what it refers to is found there
//! again, as far as types say that it can be.
//!
//! ```text
//! let best = hosts.iter().max_by_key(..); ask; …      let host = pick(&hosts, &spare); ask; …
//! ```
//!
//! Whether a value is one of its own is told by its text only to spare rustc the question.

use std::collections::{BTreeMap, BTreeSet};

use quote::ToTokens;
use syn::{Expr, Type};

use super::{
    borrowers::Lent,
    named::{Base, Beside, Named},
};
use crate::cfg::{Block, Flow, VarId, persistence::Persistence};

/// A place in a variable.
pub(crate) struct Referent {
    pub(crate) base: VarId,
    pub(crate) place: Expr,
}

/// How many are tried for one variable: more are named where a value is made of much.
const MOST: usize = 4;

/// The places of each variable that may refer to something in one.
pub(crate) fn referents(
    flow: &Flow,
    named: &Named,
    lent: &Lent,
    moving: &BTreeSet<VarId>,
) -> BTreeMap<VarId, Vec<Referent>> {
    let order = lent.borrowers_first(&involved(lent, moving, named));
    let at = |var: VarId| order.iter().position(|known| *known == var);
    let is_before = |var: VarId, base: VarId| at(var) < at(base);
    // While another value is in it, what it had may still be referred to: `list = &other;`
    let replaced = replaced(flow);
    let is_base =
        |var: VarId| moving.contains(&var) && is_by_type(flow, var) && !replaced.contains(&var);
    let refers = moving
        .iter()
        .copied()
        .filter(|var| lent.contains(*var) && may_refer(flow, *var));
    let all = refers.map(|var| {
        let mut places: Vec<Referent> = Vec::new();
        for Beside { base, place, .. } in named.all_beside(var) {
            let Base::Var(base) = *base else { continue };
            let is_new = !places.iter().any(|known| is_same(&known.place, place));
            if is_before(var, base) && is_new && is_base(base) && places.len() < MOST {
                let place = place.clone();
                places.push(Referent { base, place });
            }
        }
        (var, places)
    });
    all.filter(|(_, places)| !places.is_empty()).collect()
}

/// The variables that are assigned as a whole somewhere.
fn replaced(flow: &Flow) -> BTreeSet<VarId> {
    let of_block = |block: &Block| {
        let steps = block.steps.iter().map(|step| step.facts());
        let all = steps.chain(block.terminator.facts());
        let assigned = all.flat_map(|facts| facts.assigns.iter().copied());
        assigned.collect::<Vec<_>>()
    };
    let assigned = flow.blocks.iter().flat_map(of_block);
    assigned.filter(|var| flow.var(*var).mutable).collect()
}

/// Those that may refer to others, and those that are referred to.
fn involved(lent: &Lent, moving: &BTreeSet<VarId>, named: &Named) -> BTreeSet<VarId> {
    let bases: BTreeSet<VarId> = named.bases().collect();
    let moving = moving.iter().copied();
    moving
        .filter(|var| lent.contains(*var) || bases.contains(var))
        .collect()
}

pub(super) fn is_same(one: &Expr, other: &Expr) -> bool {
    one.to_token_stream().to_string() == other.to_token_stream().to_string()
}

fn is_by_type(flow: &Flow, var: VarId) -> bool {
    if flow.var(var).hidden {
        return false;
    }
    let persistence = &flow.var(var).persistence;
    let hints = persistence.hints();
    matches!(persistence, Persistence::Spilled(_)) && hints.is_some_and(|hints| !hints.given)
}

/// Whether nothing but its type says how a variable comes back, and that may be a reference.
pub(super) fn may_refer(flow: &Flow, var: VarId) -> bool {
    let hints = flow.var(var).persistence.hints();
    let is_open = hints.is_some_and(|hints| !hints.given && hints.rematerialized.is_none());
    is_open && !is_owned(flow.var(var).ty.as_ref())
}

/// A type without references, as it is written.
fn is_owned(ty: Option<&Type>) -> bool {
    ty.is_some_and(|ty| {
        let text = ty.to_token_stream().to_string();
        !text.contains(['&', '\'']) && !text.contains('_')
    })
}
