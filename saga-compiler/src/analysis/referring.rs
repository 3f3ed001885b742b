//! Variables that may refer to another one, as the text shows it: those that only may have been lent it are taken to, unless they
//! are used as numbers and texts are.
//!
//! Where one too many is found, a method that takes its receiver is not given it, and where one too few, one that only looks at
//! it takes it away from what refers to it: both are errors of the borrow checker.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use quote::ToTokens;
use syn::{Expr, Stmt};

use super::borrowers::{Lent, lent, may_move};

use crate::{
    ast::{
        owned::{Refers, refers},
        patterns::pattern_bindings,
        tokens::{Behind, uses_of_names},
    },
    cfg::{Facts, Flow, Step, VarId, copies},
};

/// What each variable may refer to.
pub(crate) struct Referring {
    /// What is mentioned where it is declared or assigned.
    to: BTreeMap<VarId, BTreeSet<VarId>>,
    /// What it is a clone of.
    like: BTreeMap<VarId, BTreeSet<VarId>>,
    /// Those that a function gave, and that nothing looks into.
    values: BTreeSet<VarId>,
    lent: Lent,
}

impl Referring {
    pub(crate) fn of(flow: &Flow) -> Self {
        let mut all = Self {
            to: BTreeMap::new(),
            like: BTreeMap::new(),
            values: BTreeSet::new(),
            lent: lent(flow),
        };
        let looked = looked_into_in(flow);
        let mut others = BTreeSet::new();
        for block in &flow.blocks {
            for step in &block.steps {
                let refers = match given(step) {
                    Some(copy) if copies::is_part(copy) => Refers::Behind,
                    Some(value) => refers(value),
                    None => Refers::There,
                };
                let facts = step.facts();
                let made = facts.made();
                all.note(flow, facts, &made, refers);
                let kind = match refers {
                    Refers::Perhaps => &mut all.values,
                    _ => &mut others,
                };
                kind.extend(made);
            }
            let made = block.terminator.made();
            if let Some(facts) = block.terminator.facts() {
                all.note(flow, facts, &made, Refers::There);
            }
            others.extend(made);
        }
        let is_value = |var: &VarId| {
            let name = flow.var(*var).ident.to_string();
            !others.contains(var) && !flow.var(*var).mutable && !looked.contains(&name)
        };
        all.values.retain(is_value);
        all
    }

    fn note(&mut self, flow: &Flow, facts: &Facts, made: &BTreeSet<VarId>, refers: Refers) {
        let known = match refers {
            Refers::Nowhere => return,
            Refers::Behind => &mut self.like,
            Refers::Perhaps | Refers::There => &mut self.to,
        };
        let mut of = BTreeSet::new();
        for var in facts.reads.iter().filter(|var| may_move(flow, **var)) {
            flow.closure(*var, &mut of);
        }
        for var in made {
            known.entry(*var).or_default().extend(&of);
        }
    }

    /// Whether `var` may refer to `other`.
    pub(crate) fn refers_to(&self, var: VarId, other: VarId) -> bool {
        let mut seen = BTreeSet::from([var, other]);
        let mut open = vec![var];
        open.retain(|var| *var != other);
        while let Some(next) = open.pop() {
            if self.values.contains(&next) {
                continue;
            }
            let to = || self.to.get(&next).into_iter().flatten();
            if to().any(|to| *to == other) || self.lent.may_have_taken(next, other) {
                return true;
            }
            let like = self.like.get(&next).into_iter().flatten();
            open.extend(to().chain(like).filter(|var| seen.insert(**var)));
        }
        false
    }
}

/// What a step gives the variables that it declares.
fn given(step: &Step) -> Option<&Expr> {
    match step {
        Step::Define(_, value, _) => Some(value),
        Step::Code(stmt, _) => match &**stmt {
            Stmt::Local(local) if pattern_bindings(&local.pat).all(|name| !name.by_ref) => {
                local.init.as_ref().map(|init| &*init.expr)
            }
            Stmt::Expr(Expr::Assign(assign), _) => Some(&assign.right),
            _ => None,
        },
    }
}

/// Methods that copy what they are called on.
const COPYING: &[&str] = &["clone", "to_owned", "to_string"];

/// The names in the function that are looked into: a part of it is named, or a method called on it, other than one that copies it.
///
/// ```text
/// best.name, best.print(), *best, best[0]
/// ```
fn looked_into_in(flow: &Flow) -> HashSet<String> {
    let mut looked = HashSet::new();
    let mut look = |tokens| {
        uses_of_names(tokens, &mut |name, star, behind| {
            let into = match behind {
                Behind::Method(method) => !COPYING.iter().any(|copying| method == copying),
                Behind::Field | Behind::Index => true,
                Behind::Nothing => false,
            };
            if star || into {
                looked.insert(name.to_string());
            }
        });
    };
    for block in &flow.blocks {
        for step in &block.steps {
            look(match step {
                Step::Define(_, value, _) => value.to_token_stream(),
                Step::Code(stmt, _) => stmt.to_token_stream(),
            });
        }
        for expr in block.terminator.exprs_and_guards() {
            look(expr.to_token_stream());
        }
    }
    looked
}
