//! Searches: expressions that look for something in a place, as far as their text shows.

use syn::Expr;

use super::{lookup::value_of, place::is_one_of};
use crate::ast::calls::strip_parentheses;

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
    "get_key_value",
];

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
    /// In what.
    pub(crate) place: Expr,
    /// What stands in where nothing is found.
    pub(crate) spare: Option<Expr>,
}

/// The search that a value is taken out of.
///
/// ```text
/// self.plans.iter().find(|plan| plan.name == name).ok_or("no such plan")?
/// ```
pub(crate) fn search(init: &mut Expr) -> Option<Search<'_>> {
    let expr = value_of(init);
    let (found, spare) = match &*expr {
        Expr::MethodCall(call) if call.method == "unwrap_or" => {
            let spare = strip_parentheses(call.args.first()?);
            let Expr::Reference(lent) = spare else {
                return None;
            };
            (&*call.receiver, Some((*lent.expr).clone()))
        }
        found => (found, None),
    };
    let place = place(found)?.clone();
    Some(Search { expr, place, spare })
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
        Expr::Cast(cast) => is_quiet(&cast.expr),
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
        place @ (Expr::Path(_) | Expr::Field(_) | Expr::Index(_)) => Some(place),
        _ => None,
    }
}
