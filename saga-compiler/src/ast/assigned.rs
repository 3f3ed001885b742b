//! What holds on every path through a piece of code: what it assigns, moves, and reads first.

use std::collections::HashSet;

use syn::{Expr, Stmt};

use crate::ast::{
    calls::conjuncts,
    definitely_assigned::both,
    exits::{block_diverges, diverges, macro_diverges},
    patterns::{names_bound_in, pattern_bindings},
    uses::Uses,
};

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

/// The same of what a condition binds: `if let Some(x) = found { x = 1 }`.
fn less_conditions(mut names: HashSet<String>, cond: &Expr) -> HashSet<String> {
    let bound = names_bound_in(cond);
    names.retain(|name| !bound.contains(name));
    names
}

/// The names whose values a statement certainly takes on every path that goes on: in a call's
/// arguments, a `let`, a literal, …, but not as a method's receiver, which may only be borrowed.
pub(crate) fn definitely_moved(stmt: &Stmt) -> HashSet<String> {
    match stmt {
        Stmt::Local(local) => {
            let init = local.init.as_ref();
            let lent = pattern_bindings(&local.pat).any(|binding| binding.by_ref);
            let taken = !lent && !matches!(local.pat, syn::Pat::Wild(_));
            init.and_then(|init| moved_by(&init.expr, taken))
                .unwrap_or_default()
        }
        Stmt::Expr(expr, _) => moved_by(expr, true).unwrap_or_default(),
        _ => HashSet::new(),
    }
}

/// `None` where the expression never goes on. `taken`: whether its value is.
fn moved_by(expr: &Expr, taken: bool) -> Option<HashSet<String>> {
    let all = |parts: &mut dyn Iterator<Item = &Expr>| {
        let mut all = HashSet::new();
        for part in parts {
            all.extend(moved_by(part, true)?);
        }
        Some(all)
    };
    match expr {
        Expr::Path(path) => {
            let name = path.path.get_ident().filter(|_| taken);
            Some(name.map(ToString::to_string).into_iter().collect())
        }
        Expr::Paren(paren) => moved_by(&paren.expr, taken),
        Expr::Group(group) => moved_by(&group.expr, taken),
        Expr::Call(call) => all(&mut call.args.iter()),
        Expr::MethodCall(call) => {
            let mut moved = moved_by(&call.receiver, false)?;
            moved.extend(all(&mut call.args.iter())?);
            Some(moved)
        }
        Expr::Tuple(tuple) => all(&mut tuple.elems.iter()),
        Expr::Array(array) => all(&mut array.elems.iter()),
        Expr::Struct(literal) => all(&mut literal.fields.iter().map(|field| &field.expr)),
        Expr::Assign(assign) => moved_by(&assign.right, true),
        Expr::Await(awaited) => moved_by(&awaited.base, taken),
        Expr::Try(tried) => moved_by(&tried.expr, taken),
        Expr::Block(block) if block.label.is_none() => moved_in(&block.block),
        Expr::If(conditional) => {
            let mut moved = moved_by(&conditional.cond, true)?;
            let otherwise = match &conditional.else_branch {
                Some((_, otherwise)) => moved_by(otherwise, true),
                None => Some(HashSet::new()),
            };
            let then = moved_in(&conditional.then_branch);
            let then = then.map(|moved| less_conditions(moved, &conditional.cond));
            moved.extend(both(then, otherwise)?);
            Some(moved)
        }
        Expr::Match(matched) => {
            let mut moved = moved_by(&matched.expr, false)?;
            let arms = matched.arms.iter().map(|arm| {
                let moved = moved_by(&arm.body, true)?;
                Some(less_bound(moved, [&arm.pat]))
            });
            moved.extend(arms.reduce(both).flatten()?);
            Some(moved)
        }
        other => (!diverges(other)).then(HashSet::new),
    }
}

fn moved_in(block: &syn::Block) -> Option<HashSet<String>> {
    let mut all = HashSet::new();
    let mut bound = Vec::new();
    for stmt in &block.stmts {
        if let Stmt::Expr(expr, _) = stmt
            && diverges(expr)
        {
            return None;
        }
        all.extend(less_bound(definitely_moved(stmt), bound.clone()));
        match stmt {
            Stmt::Local(local) => bound.push(&local.pat),
            Stmt::Macro(stmt) if macro_diverges(&stmt.mac) => return None,
            _ => {}
        }
    }
    Some(all)
}

/// Whether a statement may read a variable of this name before it assigns it.
pub(crate) fn reads_before_assigning(stmt: &Stmt, name: &str) -> bool {
    matches!(first_use_in(stmt, name), FirstUse::Read)
}

/// What a piece of code does first with a variable that is there before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstUse {
    /// Reads it, on some path.
    Read,
    /// Assigns it, on every path that goes on.
    Assigned,
    /// None of either, or assigns it on some paths only.
    Nothing,
    /// Hides it: what follows means another variable.
    Hidden,
}

fn first_use_in(stmt: &Stmt, name: &str) -> FirstUse {
    match stmt {
        Stmt::Local(local) => {
            let first = match &local.init {
                Some(init) => {
                    let diverge = init.diverge.as_ref().map(|(_, expr)| first_use(expr, name));
                    match first_use(&init.expr, name) {
                        FirstUse::Nothing if diverge == Some(FirstUse::Read) => FirstUse::Read,
                        first => first,
                    }
                }
                None => FirstUse::Nothing,
            };
            match first {
                FirstUse::Nothing if binds(&local.pat, name) => FirstUse::Hidden,
                first => first,
            }
        }
        Stmt::Expr(expr, _) => first_use(expr, name),
        Stmt::Macro(_) => leaf(Uses::of_stmt(stmt), name),
        Stmt::Item(_) => FirstUse::Nothing,
    }
}

fn first_use(expr: &Expr, name: &str) -> FirstUse {
    match expr {
        Expr::Assign(assign) if matches!(&*assign.left, Expr::Path(path) if path.path.is_ident(name)) => {
            match first_use(&assign.right, name) {
                FirstUse::Read => FirstUse::Read,
                _ => FirstUse::Assigned,
            }
        }
        Expr::Paren(paren) => first_use(&paren.expr, name),
        Expr::Block(block) => {
            let first = first_use_of_block(&block.block, name);
            // A `break` out of it may skip the assignment.
            match (first, &block.label) {
                (FirstUse::Assigned, Some(_)) => FirstUse::Nothing,
                (first, _) => first,
            }
        }
        Expr::If(conditional) => {
            let head = first_use(&conditional.cond, name);
            if head != FirstUse::Nothing {
                return head;
            }
            let hidden = binds_in_condition(&conditional.cond, name);
            let then = if hidden {
                FirstUse::Nothing
            } else {
                unless_diverging(
                    first_use_of_block(&conditional.then_branch, name),
                    block_diverges(&conditional.then_branch),
                )
            };
            let otherwise = match &conditional.else_branch {
                Some((_, otherwise)) => {
                    unless_diverging(first_use(otherwise, name), diverges(otherwise))
                }
                None => FirstUse::Nothing,
            };
            either(then, otherwise)
        }
        Expr::Match(matched) => {
            let head = first_use(&matched.expr, name);
            if head != FirstUse::Nothing {
                return head;
            }
            let arms = matched.arms.iter().map(|arm| {
                if binds(&arm.pat, name) {
                    return FirstUse::Nothing;
                }
                if let syn::Pat::Guard(guarded) = &arm.pat
                    && first_use(&guarded.guard, name) == FirstUse::Read
                {
                    return FirstUse::Read;
                }
                unless_diverging(first_use(&arm.body, name), diverges(&arm.body))
            });
            arms.reduce(either).unwrap_or(FirstUse::Nothing)
        }
        Expr::Loop(looped) => in_a_loop(first_use_of_block(&looped.body, name)),
        Expr::While(looped) => match first_use(&looped.cond, name) {
            FirstUse::Nothing if !binds_in_condition(&looped.cond, name) => {
                in_a_loop(first_use_of_block(&looped.body, name))
            }
            first => in_a_loop(first),
        },
        Expr::ForLoop(looped) => match first_use(&looped.expr, name) {
            FirstUse::Nothing if !binds(&looped.pat, name) => {
                in_a_loop(first_use_of_block(&looped.body, name))
            }
            first => first,
        },
        other => leaf(Uses::of_expr(other), name),
    }
}

fn first_use_of_block(block: &syn::Block, name: &str) -> FirstUse {
    for stmt in &block.stmts {
        match first_use_in(stmt, name) {
            FirstUse::Nothing => {}
            FirstUse::Hidden => return FirstUse::Nothing,
            first => return first,
        }
    }
    FirstUse::Nothing
}

/// The body may not run at all.
fn in_a_loop(body: FirstUse) -> FirstUse {
    match body {
        FirstUse::Read => FirstUse::Read,
        _ => FirstUse::Nothing,
    }
}

/// A branch that does not go on has no say in what comes after.
fn unless_diverging(first: FirstUse, diverges: bool) -> FirstUse {
    match first {
        FirstUse::Nothing if diverges => FirstUse::Assigned,
        first => first,
    }
}

fn either(a: FirstUse, b: FirstUse) -> FirstUse {
    match (a, b) {
        (FirstUse::Read, _) | (_, FirstUse::Read) => FirstUse::Read,
        (FirstUse::Assigned, FirstUse::Assigned) => FirstUse::Assigned,
        _ => FirstUse::Nothing,
    }
}

fn leaf(uses: Uses, name: &str) -> FirstUse {
    if uses.reads.contains_key(name) {
        FirstUse::Read
    } else {
        FirstUse::Nothing
    }
}

fn binds(pat: &syn::Pat, name: &str) -> bool {
    pattern_bindings(pat).any(|binding| binding.ident == name)
}

/// Whether a condition binds the name for its branch: the parameter of a closure in it does not.
fn binds_in_condition(cond: &Expr, name: &str) -> bool {
    conjuncts(cond)
        .into_iter()
        .any(|cond| matches!(cond, Expr::Let(binding) if binds(&binding.pat, name)))
}
