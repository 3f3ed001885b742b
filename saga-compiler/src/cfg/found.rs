//! Searches: expressions that look for something in a place, as far as their text shows.

use quote::ToTokens;
use syn::{Expr, Pat, Stmt};

use super::{evaluation::takes_value_out, lookup::value_of, place::is_one_of};
use crate::ast::{
    calls::{is_some, strip_parentheses},
    exits::{block_diverges, diverges, returns},
    patterns::pattern_bindings,
};

/// Methods of std's collections and iterators on the way to an item.
const STEPS: &[&str] = &[
    "iter",
    "values",
    "filter",
    "rev",
    "skip",
    "take",
    "skip_while",
    "take_while",
    "step_by",
    "inspect",
    "enumerate",
    "as_slice",
];

/// Methods that give an item.
const ENDS: &[&str] = &[
    "as_ref",
    "find",
    "rfind",
    "max_by_key",
    "min_by_key",
    "max_by",
    "min_by",
    "next",
    "next_back",
    "last",
    "nth",
    "get",
    "first",
    "front",
    "back",
    "get_key_value",
];

/// Methods that give something else where nothing is found.
const ELSE: &[&str] = &["unwrap_or", "unwrap_or_else", "or", "or_else"];

/// Methods of an argument that give a number, a text or a reference.
const QUIET: &[&str] = &[
    "as_str",
    "as_ref",
    "as_bytes",
    "as_slice",
    "clone",
    "len",
    "min",
    "max",
    "saturating_sub",
    "to_lowercase",
    "to_owned",
    "to_string",
    "to_uppercase",
    "trim",
];

/// A search.
pub(crate) struct Search<'e> {
    /// All of it.
    pub(crate) expr: &'e mut Expr,
    /// What it may give a part of, in the order of the text.
    pub(crate) sources: Vec<Source>,
}

/// What something is found in.
pub(crate) enum Source {
    /// One of the items of a place.
    Items(Expr),
    /// A place itself: what stands in where nothing is found.
    Item(Expr),
}

impl Source {
    fn is(&self, other: &Self) -> bool {
        let text = |place: &Expr| place.to_token_stream().to_string();
        match (self, other) {
            (Self::Items(one), Self::Items(other)) | (Self::Item(one), Self::Item(other)) => {
                text(one) == text(other)
            }
            _ => false,
        }
    }

    pub(crate) fn place(&self) -> &Expr {
        match self {
            Self::Items(place) | Self::Item(place) => place,
        }
    }

    pub(crate) fn place_mut(&mut self) -> &mut Expr {
        match self {
            Self::Items(place) | Self::Item(place) => place,
        }
    }
}

/// The search that a value is taken out of.
///
/// ```text
/// self.plans.iter().find(|plan| plan.name == name).ok_or("no such plan")?
/// match PLANS.get(n) { Some(plan) => plan, None => &OTHER }
/// ```
pub(crate) fn search(init: &mut Expr) -> Option<Search<'_>> {
    let expr = value_of(init);
    let mut sources = Vec::new();
    leads(expr, &mut Vec::new(), &mut sources).then_some(())?;
    let searches = sources
        .iter()
        .any(|source| matches!(source, Source::Items(_)));
    searches.then_some(Search { expr, sources })
}

/// Whether whatever an expression gives is found in a place, or nothing. `bound`: names of what was found on the way.
fn leads(found: &Expr, bound: &mut Vec<String>, sources: &mut Vec<Source>) -> bool {
    let found = strip_parentheses(found);
    if diverges(found) {
        return true;
    }
    match found {
        Expr::MethodCall(call) if takes_value_out(call) => leads(&call.receiver, bound, sources),
        Expr::MethodCall(call) if is_one_of(call, ELSE) && call.args.len() == 1 => {
            let otherwise = call.args.first().and_then(given_without);
            leads(&call.receiver, bound, sources)
                && otherwise.is_some_and(|otherwise| leads(otherwise, bound, sources))
        }
        Expr::MethodCall(_) => match place(found) {
            Some(place) => add(Source::Items(place.clone()), sources),
            None => false,
        },
        Expr::Reference(lent) if lent.mutability.is_none() => match strip_parentheses(&lent.expr) {
            Expr::Index(index) if is_place(&index.expr) && is_quiet(&index.index) => {
                add(Source::Items((*index.expr).clone()), sources)
            }
            place if is_place(place) => add(Source::Item(place.clone()), sources),
            _ => false,
        },
        Expr::Path(path) => {
            path.path.is_ident("None")
                || path
                    .path
                    .get_ident()
                    .is_some_and(|name| bound.contains(&name.to_string()))
        }
        Expr::Call(call) if is_some(&call.func) => call
            .args
            .first()
            .is_some_and(|value| leads(value, bound, sources)),
        // The number of an item, and itself.
        Expr::Tuple(pair) if pair.elems.len() == 2 => {
            is_quiet(&pair.elems[0]) && leads(&pair.elems[1], bound, sources)
        }
        Expr::Block(block) if block.label.is_none() => only(&block.block, bound, sources),
        Expr::Match(matched) => {
            let through = may_lead(&matched.expr, bound, sources);
            matched.arms.iter().all(|arm| {
                let through = through && !matches!(arm.pat, Pat::Guard(_));
                let mut bound = bound_behind(&arm.pat, through, bound);
                leads(&arm.body, &mut bound, sources)
            })
        }
        Expr::If(chosen) => {
            let then = match &*chosen.cond {
                Expr::Let(binding) => {
                    let through = may_lead(&binding.expr, bound, sources);
                    let mut bound = bound_behind(&binding.pat, through, bound);
                    only(&chosen.then_branch, &mut bound, sources)
                }
                _ => only(&chosen.then_branch, bound, sources),
            };
            let otherwise = chosen.else_branch.as_ref();
            then && otherwise.is_some_and(|(_, otherwise)| leads(otherwise, bound, sources))
        }
        _ => false,
    }
}

/// The names of what was found behind a pattern: what it binds itself is that only where it is `through` what was.
fn bound_behind(pat: &Pat, through: bool, bound: &[String]) -> Vec<String> {
    let hidden: Vec<_> = pattern_bindings(pat).map(|binding| binding.ident).collect();
    let kept = bound
        .iter()
        .filter(|name| !hidden.iter().any(|hidden| hidden == name));
    kept.cloned()
        .chain(through.then(|| names(pat)).flatten())
        .collect()
}

/// The same of what a pattern takes apart; where it is another value, what it binds is none that was found.
fn may_lead(scrutinee: &Expr, bound: &mut Vec<String>, sources: &mut Vec<Source>) -> bool {
    let known = sources.len();
    let through = leads(scrutinee, bound, sources);
    if !through {
        sources.truncate(known);
    }
    through
}

fn only(block: &syn::Block, bound: &mut Vec<String>, sources: &mut Vec<Source>) -> bool {
    // What a `let` declares is not there where something is found again.
    let declares = |stmt: &Stmt| !matches!(stmt, Stmt::Expr(..));
    match &block.stmts[..] {
        _ if block_diverges(block) => true,
        [before @ .., Stmt::Expr(value, None)] if !before.iter().any(declares) => {
            leads(value, bound, sources)
        }
        _ => false,
    }
}

fn add(source: Source, sources: &mut Vec<Source>) -> bool {
    if !sources.iter().any(|known| known.is(&source)) {
        sources.push(source);
    }
    true
}

/// What `Some(plan)` and `plan` bind: all of what was found.
fn names(pat: &Pat) -> Option<String> {
    match pat {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
            Some(name.ident.to_string())
        }
        Pat::TupleStruct(some) if some.path.is_ident("Some") && some.elems.len() == 1 => {
            names(&some.elems[0])
        }
        _ => None,
    }
}

/// What a closure without arguments gives at its end alone, or what is given as it is.
fn given_without(argument: &Expr) -> Option<&Expr> {
    match strip_parentheses(argument) {
        Expr::Closure(closure)
            if closure
                .inputs
                .iter()
                .all(|input| matches!(input, Pat::Wild(_)))
                && closure.asyncness.is_none() =>
        {
            (!returns(&closure.body)).then_some(&closure.body)
        }
        other => Some(other),
    }
}

/// A variable, a constant, a part or an item of one.
fn is_place(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::Path(_) => true,
        Expr::Field(field) => is_place(&field.base),
        Expr::Index(index) => is_place(&index.expr) && is_quiet(&index.index),
        _ => false,
    }
}

/// What a chain of them begins with, which ends with what gives an item or several.
fn place(found: &Expr) -> Option<&Expr> {
    let Expr::MethodCall(call) = strip_parentheses(found) else {
        return None;
    };
    // Of an option.
    if call.method == "filter" {
        return place(&call.receiver);
    }
    let collects = call.method == "collect" && call.turbofish.is_some();
    let ends = collects || is_one_of(call, ENDS);
    (ends && call.args.iter().all(is_quiet)).then(|| start(&call.receiver))?
}

/// Whether an argument leaves nothing behind: what it makes would be dropped with the search, and not with its statement.
fn is_quiet(argument: &Expr) -> bool {
    match strip_parentheses(argument) {
        Expr::Closure(_) | Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Reference(lent) => is_quiet(&lent.expr),
        Expr::Unary(unary) => is_quiet(&unary.expr),
        // A number; of what it was made, nothing is held that anybody would see.
        Expr::Cast(_) => true,
        Expr::Field(field) => is_quiet(&field.base),
        Expr::Binary(binary) => is_quiet(&binary.left) && is_quiet(&binary.right),
        Expr::Index(index) => is_quiet(&index.expr) && is_quiet(&index.index),
        Expr::MethodCall(call) => {
            is_one_of(call, QUIET) && is_quiet(&call.receiver) && call.args.iter().all(is_quiet)
        }
        _ => false,
    }
}

fn start(items: &Expr) -> Option<&Expr> {
    match strip_parentheses(items) {
        Expr::MethodCall(call) if is_one_of(call, STEPS) && call.args.iter().all(is_quiet) => {
            start(&call.receiver)
        }
        place => is_place(place).then_some(place),
    }
}
