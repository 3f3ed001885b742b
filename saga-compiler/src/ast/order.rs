//! What may be evaluated before what stands in front of it.

use syn::Expr;

use super::calls::strip_parentheses;

/// Methods that make an iterator, or put one around it, and call nothing where they do; and those that show a part.
const MAKING: &[&str] = &[
    "as_bytes",
    "as_deref",
    "as_mut",
    "as_ref",
    "as_slice",
    "as_str",
    "by_ref",
    "bytes",
    "chain",
    "char_indices",
    "chars",
    "chunks",
    "chunks_exact",
    "chunks_mut",
    "cloned",
    "copied",
    "cycle",
    "enumerate",
    "filter",
    "filter_map",
    "flat_map",
    "flatten",
    "fuse",
    "inspect",
    "into_iter",
    "into_keys",
    "into_values",
    "iter",
    "iter_mut",
    "keys",
    "lines",
    "map",
    "map_while",
    "peekable",
    "range",
    "range_mut",
    "rchunks",
    "rev",
    "rsplit",
    "scan",
    "skip",
    "skip_while",
    "split",
    "split_ascii_whitespace",
    "split_whitespace",
    "splitn",
    "step_by",
    "take",
    "take_while",
    "trim",
    "trim_end",
    "trim_start",
    "values",
    "values_mut",
    "windows",
    "zip",
];

/// Whether nothing is done where an iterator is made, as far as std's names say: its adapters run when they are stepped.
pub(crate) fn only_makes(items: &Expr) -> bool {
    match strip_parentheses(items) {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Field(field) => only_makes(&field.base),
        Expr::Reference(lent) => only_makes(&lent.expr),
        Expr::Unary(unary) => only_makes(&unary.expr),
        Expr::Index(index) => only_makes(&index.expr) && only_makes(&index.index),
        Expr::Array(list) => list.elems.iter().all(only_makes),
        Expr::Range(range) => {
            let mut ends = range.start.iter().chain(&range.end);
            ends.all(|end| only_makes(end))
        }
        Expr::MethodCall(call) => {
            let quiet = |one: &Expr| matches!(one, Expr::Closure(_)) || only_makes(one);
            MAKING.iter().any(|name| call.method == name)
                && only_makes(&call.receiver)
                && call.args.iter().all(quiet)
        }
        _ => false,
    }
}

/// Whether a value is the same whenever it is evaluated: made of literals and of variables that nothing changes.
pub(crate) fn is_settled(value: &Expr, is_changeable: &dyn Fn(&str) -> bool) -> bool {
    let settled = |value: &Expr| is_settled(value, is_changeable);
    match strip_parentheses(value) {
        Expr::Lit(_) => true,
        Expr::Path(path) => {
            let name = path.path.get_ident().map(ToString::to_string);
            name.is_none_or(|name| !is_changeable(&name))
        }
        Expr::Unary(unary) => !matches!(unary.op, syn::UnOp::Deref(_)) && settled(&unary.expr),
        Expr::Binary(binary) => settled(&binary.left) && settled(&binary.right),
        Expr::Cast(cast) => settled(&cast.expr),
        Expr::Range(range) => {
            let mut ends = range.start.iter().chain(&range.end);
            ends.all(|end| settled(end))
        }
        _ => false,
    }
}
