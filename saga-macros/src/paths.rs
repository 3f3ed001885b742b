//! What holds on every path through a piece of code: what it assigns, and whether it ends.

use std::collections::HashSet;

use syn::{Expr, Stmt};

use crate::resolve::{pattern_bindings, root_name};

/// The names that a statement certainly assigns on every path that goes on.
pub(crate) fn definitely_assigned(stmt: &Stmt) -> HashSet<String> {
    match stmt {
        Stmt::Expr(expr, _) => assigned_by(expr).unwrap_or_default(),
        _ => HashSet::new(),
    }
}

/// `None` where the expression never goes on.
fn assigned_by(expr: &Expr) -> Option<HashSet<String>> {
    match expr {
        Expr::Assign(assign) => {
            let plain =
                matches!(&*assign.left, Expr::Path(path) if path.path.get_ident().is_some());
            let name = plain.then(|| root_name(&assign.left)).flatten();
            Some(name.into_iter().collect())
        }
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => None,
        Expr::Block(block) => assigned_in(&block.block),
        Expr::If(conditional) => {
            let Some((_, otherwise)) = &conditional.else_branch else {
                return Some(HashSet::new());
            };
            both(
                assigned_in(&conditional.then_branch),
                assigned_by(otherwise),
            )
        }
        Expr::Match(matched) => {
            let arms = matched.arms.iter().map(|arm| {
                let assigned = assigned_by(&arm.body)?;
                Some(less_bound(assigned, [&arm.pat]))
            });
            arms.reduce(both).flatten()
        }
        other => (!diverges(other)).then(HashSet::new),
    }
}

fn both(a: Option<HashSet<String>>, b: Option<HashSet<String>>) -> Option<HashSet<String>> {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(a), Some(b)) => Some(a.intersection(&b).cloned().collect()),
    }
}

/// Less the names that mean other variables there.
fn less_bound<'p>(
    mut names: HashSet<String>,
    pats: impl IntoIterator<Item = &'p syn::Pat>,
) -> HashSet<String> {
    for binding in pats.into_iter().flat_map(pattern_bindings) {
        names.remove(&binding.ident.to_string());
    }
    names
}

fn assigned_in(block: &syn::Block) -> Option<HashSet<String>> {
    let mut all = HashSet::new();
    let mut bound = Vec::new();
    for stmt in &block.stmts {
        match stmt {
            Stmt::Local(local) => {
                bound.push(&local.pat);
            }
            Stmt::Expr(expr, _) => all.extend(less_bound(assigned_by(expr)?, bound.clone())),
            Stmt::Macro(stmt) if macro_diverges(&stmt.mac) => return None,
            _ => {}
        }
    }
    Some(all)
}

/// Whether an expression never gives a value, as far as its text shows.
pub(crate) fn diverges(expr: &Expr) -> bool {
    match expr {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => true,
        Expr::Macro(invocation) => macro_diverges(&invocation.mac),
        Expr::Block(block) if block.label.is_none() => block_diverges(&block.block),
        Expr::Unsafe(block) => block_diverges(&block.block),
        Expr::If(conditional) => conditional
            .else_branch
            .as_ref()
            .is_some_and(|(_, otherwise)| {
                block_diverges(&conditional.then_branch) && diverges(otherwise)
            }),
        Expr::Match(matched) => matched.arms.iter().all(|arm| diverges(&arm.body)),
        Expr::Paren(paren) => diverges(&paren.expr),
        Expr::Group(group) => diverges(&group.expr),
        _ => false,
    }
}

/// Whether a block never ends.
pub(crate) fn block_diverges(block: &syn::Block) -> bool {
    block.stmts.iter().any(|stmt| match stmt {
        Stmt::Expr(expr, _) => diverges(expr),
        Stmt::Macro(stmt) => macro_diverges(&stmt.mac),
        _ => false,
    })
}

fn macro_diverges(invocation: &syn::Macro) -> bool {
    invocation.path.segments.last().is_some_and(|last| {
        matches!(
            last.ident.to_string().as_str(),
            "panic" | "unreachable" | "todo" | "unimplemented" | "bail"
        )
    })
}
