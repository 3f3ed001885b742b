//! Values that refer to nothing, as far as the form of an expression says. Types say it in the end: one too many here is an error
//! of the borrow checker, and one too few as well.

use syn::{Expr, ExprMethodCall, UnOp};

use crate::ast::{
    calls::{closure_in, is_constructor, is_hidden_name, strip_parentheses},
    uses::binary_assigns,
};

/// What the value of an expression may refer to.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Refers {
    /// To nothing.
    Nowhere,
    /// To what the variables in it refer to, and not to these: it is taken out of one, a copy or a clone.
    Behind,
    /// What it is called with is lent to a function that is not known, which may give anything.
    Perhaps,
    /// To the variables in it.
    There,
}

/// What a value may refer to.
///
/// ```text
/// lines.first().map(|line| line.len()); order.clone(); order.total(); &order.lines
/// ```
pub(crate) fn refers(expr: &Expr) -> Refers {
    let expr = strip_parentheses(expr);
    match expr {
        expr if gives_owned(expr) => Refers::Nowhere,
        Expr::MethodCall(call) if call.method == "clone" && is_place(&call.receiver) => {
            Refers::Behind
        }
        expr if may_be_owned(expr) => Refers::Perhaps,
        Expr::Index(_) => Refers::Behind,
        expr if is_place(expr) => Refers::Behind,
        _ => Refers::There,
    }
}

/// Whether it is what a function gives that is none of std's, as far as its name says.
fn may_be_owned(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::Try(tried) => may_be_owned(&tried.expr),
        // A number, or a text.
        Expr::Binary(binary) if !binary_assigns(&binary.op) => {
            let mut parts = [&binary.left, &binary.right].into_iter();
            parts.all(|part| gives_owned(part) || may_be_owned(part))
        }
        Expr::Call(call) => !is_constructor(&call.func),
        Expr::Path(path) => path
            .path
            .get_ident()
            .is_some_and(|name| is_hidden_name(&name.to_string())),
        Expr::MethodCall(call) => {
            let name = call.method.to_string();
            match PASSING_ON.contains(&name.as_str()) {
                true => may_be_owned(&call.receiver),
                false => is_place(&call.receiver) && !is_borrowing(&name) && name != "into_iter",
            }
        }
        _ => false,
    }
}

pub(crate) fn is_place(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::Path(_) => true,
        Expr::Field(field) => is_place(&field.base),
        _ => false,
    }
}

fn gives_owned(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::Lit(_) | Expr::Cast(_) => true,
        Expr::Unary(unary) => !matches!(unary.op, UnOp::Deref(_)) && gives_owned(&unary.expr),
        Expr::Binary(binary) => {
            use syn::BinOp::*;
            match binary.op {
                And(_) | Or(_) | Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_) => true,
                _ => {
                    !binary_assigns(&binary.op)
                        && gives_owned(&binary.left)
                        && gives_owned(&binary.right)
                }
            }
        }
        Expr::Macro(made) => ["format", "matches"]
            .iter()
            .any(|name| made.mac.path.is_ident(name)),
        Expr::Try(tried) => gives_owned(&tried.expr),
        Expr::Tuple(tuple) => tuple.elems.iter().all(gives_owned),
        Expr::Call(call) => is_constructor(&call.func) && call.args.iter().all(gives_owned),
        Expr::MethodCall(call) => gives_value(call),
        _ => false,
    }
}

fn gives_value(call: &ExprMethodCall) -> bool {
    let name = call.method.to_string();
    let is_among = |names: &[&str]| names.contains(&name.as_str());
    let given = |argument: &Expr| match closure_in(argument) {
        Some(closure) => gives_owned(&closure.body),
        None => gives_owned(argument),
    };
    is_among(OWNED)
        || is_among(MAPPED) && call.args.iter().all(given)
        || is_among(PASSING_ON) && gives_owned(&call.receiver) && call.args.iter().all(given)
}

/// Whether a method of std's of this name lends a part of what it is called on.
pub(crate) fn is_borrowing(method: &str) -> bool {
    let prefixes = ["as_", "trim"];
    BORROWING.contains(&method) || prefixes.iter().any(|prefix| method.starts_with(prefix))
}

/// Methods that give what borrows from what they are called on. One too few is an error of the borrow checker, and one too
/// many costs nothing but a variable.
const BORROWING: &[&str] = &[
    "as_bytes",
    "as_slice",
    "as_str",
    "bytes",
    "char_indices",
    "chars",
    "chunks",
    "drain",
    "first",
    "get",
    "iter",
    "iter_mut",
    "keys",
    "last",
    "lines",
    "rsplit",
    "rsplit_once",
    "split",
    "split_first",
    "split_last",
    "split_once",
    "split_whitespace",
    "strip_prefix",
    "strip_suffix",
    "values",
    "values_mut",
    "windows",
];

/// What they give is that of their closures.
const MAPPED: &[&str] = &["map", "map_or", "map_or_else", "and_then"];

/// What they give is in what they are called on, or given.
const PASSING_ON: &[&str] = &[
    "expect",
    "ok",
    "ok_or",
    "ok_or_else",
    "unwrap",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
];

/// Methods of std's that give numbers, texts of their own, or whether something is so.
const OWNED: &[&str] = &[
    "all",
    "any",
    "cloned",
    "contains",
    "contains_key",
    "copied",
    "count",
    "ends_with",
    "into_owned",
    "is_empty",
    "is_err",
    "is_none",
    "is_none_or",
    "is_ok",
    "is_some",
    "is_some_and",
    "len",
    "parse",
    "position",
    "repeat",
    "replace",
    "starts_with",
    "sum",
    "to_lowercase",
    "to_owned",
    "to_string",
    "to_uppercase",
    "to_vec",
];
