//! `match` and `if let` that only pick a value out of another: what their arms give is what their
//! patterns bind.

use syn::{Expr, Pat, Stmt};

use crate::ast::{
    calls::strip_parentheses,
    exits::diverges,
    patterns::{is_picked_by_guard, pattern_bindings, without_guard},
};

/// A value picked by pattern.
pub(crate) struct Choice<'e> {
    pub(crate) scrutinee: &'e Expr,
    /// Patterns in their order, each with what it gives; after the others the function does not go on.
    pub(crate) arms: Vec<(Pat, Option<&'e Expr>)>,
}

/// ```text
/// match answer { Ok(Some(form)) => form, _ => return … }   →   Ok(Some(form)) gives form
/// ```
pub(crate) fn choice(expr: &Expr) -> Option<Choice<'_>> {
    let (scrutinee, arms) = arms_of(expr)?;
    let mut picked = Vec::new();
    for (pat, body) in arms {
        let value = match diverges(body) {
            true => None,
            false => Some(value_of(body)?),
        };
        if value.is_some_and(|value| !gives_bindings(&pat, value)) {
            return None;
        }
        picked.push((pat, value));
    }
    let gives = |(_, value): &&(Pat, Option<&Expr>)| value.is_some();
    let mut giving = picked.iter().filter(gives);
    match (giving.next(), giving.next()) {
        // Where the function goes on, this pattern has matched, and it does again.
        (Some((pat, value)), None) if !is_picked_by_guard(pat) => {
            picked = vec![(without_guard(pat).clone(), *value)];
        }
        (Some(_), Some(_)) if picked.iter().all(|(pat, _)| !matches!(pat, Pat::Guard(_))) => {}
        _ => return None,
    }
    // Other values are stored for what they are.
    let binds = |(pat, value): &(Pat, Option<&Expr>)| {
        value.is_some_and(|value| {
            pattern_bindings(pat).any(|binding| mentions(value, &binding.ident))
        })
    };
    let binds = picked.iter().any(binds);
    binds.then_some(Choice {
        scrutinee,
        arms: picked,
    })
}

fn arms_of(expr: &Expr) -> Option<(&Expr, Vec<(Pat, &Expr)>)> {
    match expr {
        Expr::Match(matched) => {
            let arms = matched.arms.iter();
            let arms = arms.map(|arm| (arm.pat.clone(), &*arm.body)).collect();
            Some((&matched.expr, arms))
        }
        Expr::If(conditional) => {
            let Expr::Let(binding) = strip_parentheses(&conditional.cond) else {
                return None;
            };
            let then = match conditional.then_branch.stmts.as_slice() {
                [Stmt::Expr(tail, None)] => tail,
                _ => return None,
            };
            let (_, otherwise) = conditional.else_branch.as_ref()?;
            let arms = vec![
                ((*binding.pat).clone(), then),
                (syn::parse_quote!(_), &**otherwise),
            ];
            Some((&binding.expr, arms))
        }
        _ => None,
    }
}

/// What a body gives, after statements that declare nothing.
fn value_of(body: &Expr) -> Option<&Expr> {
    let Expr::Block(block) = strip_parentheses(body) else {
        return Some(strip_parentheses(body));
    };
    let (last, before) = block.block.stmts.split_last()?;
    let declares = |stmt: &Stmt| matches!(stmt, Stmt::Local(_) | Stmt::Item(_));
    match last {
        Stmt::Expr(tail, None) if block.label.is_none() && !before.iter().any(declares) => {
            value_of(tail)
        }
        _ => None,
    }
}

/// Whether a value is what the pattern binds, `Some` or `Ok` of it, or `None`.
fn gives_bindings(pat: &Pat, value: &Expr) -> bool {
    let plain = pattern_bindings(pat).all(|binding| !binding.mutable && !binding.by_ref);
    plain
        && match strip_parentheses(value) {
            Expr::Path(path) if path.path.is_ident("None") => true,
            Expr::Path(path) => {
                pattern_bindings(pat).any(|binding| path.path.is_ident(&binding.ident))
            }
            Expr::Call(call) => {
                matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Some") || path.path.is_ident("Ok"))
                    && call.args.iter().all(|value| gives_bindings(pat, value))
            }
            _ => false,
        }
}

fn mentions(value: &Expr, name: &syn::Ident) -> bool {
    match strip_parentheses(value) {
        Expr::Path(path) => path.path.is_ident(name),
        Expr::Call(call) => call.args.iter().any(|value| mentions(value, name)),
        _ => false,
    }
}
