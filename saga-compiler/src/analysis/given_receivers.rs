//! Methods that may take their receiver, called on a variable that is not used any more: only its type says whether they do.
//!
//! ```text
//! let order = pick(..)?;
//! order.place(&cx).await     →   copy(order).place(&cx)
//! ```
//!
//! What the variable is stays there until the call returns, as with an argument by value: the call may have to be made again.
//! One that is `mut` may be lent to be changed: there the method is looked for by type first, and is lent the variable itself
//! where it does not take it.

use std::cell::LazyCell;

use syn::{Expr, ExprMethodCall};

use crate::{
    analysis::{liveness::Liveness, referring::Referring},
    ast::{
        calls::{callee, callee_mut, is_literal, strip_parentheses},
        uses::Uses,
    },
    cfg::{Callee, Facts, Flow, Terminator, VarId, copies},
};

/// Gives copies.
pub(crate) fn give(flow: &mut Flow, live: &Liveness) {
    let given: Vec<_> = {
        let referring = LazyCell::new(|| Referring::of(flow));
        let blocks = 0..flow.blocks.len();
        blocks
            .filter_map(|at| Some((at, given_at(flow, live, &referring, at)?)))
            .collect()
    };
    for (at, var) in given {
        if let Terminator::Call {
            callee: Callee::One(base),
            copies: copied,
            ..
        } = &mut flow.blocks[at].terminator
            && let Expr::MethodCall(call) = callee_mut(base)
        {
            if !flow.vars[var.0].mutable {
                *call.receiver = copies::of_receiver(&call.receiver);
            }
            copied.push((0, var));
        }
    }
}

/// The variable that may be given away by the call at the end of a block.
fn given_at(
    flow: &Flow,
    live: &Liveness,
    referring: &LazyCell<Referring, impl FnOnce() -> Referring>,
    at: usize,
) -> Option<VarId> {
    let Terminator::Call {
        callee: Callee::One(base),
        copies,
        facts,
        results,
        next,
        ..
    } = &flow.blocks[at].terminator
    else {
        return None;
    };
    let Expr::MethodCall(call) = callee(base) else {
        return None;
    };
    let var = receiver(flow, call, facts)?;
    if live.at(*next).contains(&var) {
        return None;
    }
    // What refers to it may be looked at meanwhile, or behind the call.
    let behind = live.at(*next).iter();
    let behind = behind.filter(|other| !results.contains(other));
    let mut others = facts.reads.iter().chain(behind);
    if others.any(|other| referring.refers_to(*other, var)) {
        return None;
    }
    if !flow.var(var).mutable {
        return Some(var);
    }
    let is_copied = |index: usize| copies.iter().any(|(copied, _)| *copied == index);
    let mut arguments = (1..).zip(&call.args);
    let have_types = call.turbofish.is_none()
        && arguments.all(|(index, argument)| is_copied(index) || has_type(argument));
    have_types.then_some(var)
}

/// A variable of the author's that no argument mentions.
fn receiver(flow: &Flow, call: &ExprMethodCall, facts: &Facts) -> Option<VarId> {
    let Expr::Path(path) = strip_parentheses(&call.receiver) else {
        return None;
    };
    let name = path.path.get_ident()?;
    let mut read = facts.reads.iter();
    let name = name.to_string();
    let var = *read.find(|var| flow.goes_by(**var, &name))?;
    let variable = flow.var(var);
    let is_stored = variable.persistence.hints().is_some() && !variable.hidden;
    let mentioned = |argument| Uses::of_expr(argument).reads.contains_key(&name);
    (is_stored && !call.args.iter().any(mentioned)).then_some(var)
}

/// Whether the type of an argument is known without what it is given to.
fn has_type(argument: &Expr) -> bool {
    match strip_parentheses(argument) {
        Expr::Path(_) => true,
        Expr::Field(field) => has_type(&field.base),
        Expr::Index(index) => has_type(&index.expr) && has_type(&index.index),
        Expr::Reference(lent) => has_type(&lent.expr),
        other => is_literal(other),
    }
}
