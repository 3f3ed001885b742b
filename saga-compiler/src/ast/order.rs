//! What may be evaluated before what stands in front of it.

use syn::{Expr, ExprMethodCall};

use super::{assigned_places::Assigned, calls::strip_parentheses, uses::Uses};

/// Methods that make an iterator of a collection or a text, and how many arguments std's have.
const MAKING: &[(&str, usize)] = &[
    ("bytes", 0),
    ("char_indices", 0),
    ("chars", 0),
    ("chunks", 1),
    ("chunks_exact", 1),
    ("chunks_mut", 1),
    ("into_iter", 0),
    ("into_keys", 0),
    ("into_values", 0),
    ("iter", 0),
    ("iter_mut", 0),
    ("keys", 0),
    ("lines", 0),
    ("range", 1),
    ("range_mut", 1),
    ("rchunks", 1),
    ("rsplit", 1),
    ("split", 1),
    ("split_ascii_whitespace", 0),
    ("split_whitespace", 0),
    ("splitn", 2),
    ("values", 0),
    ("values_mut", 0),
    ("windows", 1),
];

/// Methods that show a part of something.
const SHOWING: &[&str] = &[
    "as_bytes",
    "as_deref",
    "as_mut",
    "as_ref",
    "as_slice",
    "as_str",
    "trim",
    "trim_end",
    "trim_start",
];

/// Those that put one around another. On an option, a result or an array, those of their names run at once.
const AROUND: &[&str] = &[
    "by_ref",
    "chain",
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
    "map",
    "map_while",
    "peekable",
    "rev",
    "scan",
    "skip",
    "skip_while",
    "step_by",
    "take",
    "take_while",
    "zip",
];

/// Whether a value may be evaluated before the iterator that stands in front of it, as far as their forms say: it is the same
/// whenever that is, or the iterator does nothing where it is made, and has nothing that the value changes.
pub(crate) fn in_any_order(
    items: &Expr,
    value: &Expr,
    is_changeable: &dyn Fn(&str) -> bool,
) -> bool {
    is_settled(value, is_changeable) || {
        let written = Assigned::in_all([value]);
        let reads = Uses::of_expr(items).reads;
        let changed = |name: &String| written.may_write(name) && is_changeable(name);
        only_makes(items) && !reads.keys().any(changed)
    }
}

/// Whether nothing is done where an iterator is made: its adapters run when they are stepped.
fn only_makes(items: &Expr) -> bool {
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
            let shows = call.args.is_empty() && SHOWING.iter().any(|name| call.method == name);
            (shows || makes(call) || is_around(call))
                && only_makes(&call.receiver)
                && call.args.iter().all(quiet)
        }
        _ => false,
    }
}

fn makes(call: &ExprMethodCall) -> bool {
    let mut making = MAKING.iter();
    making.any(|(name, arguments)| call.method == name && call.args.len() == *arguments)
}

/// Whether it is an adapter, and on an iterator.
fn is_around(call: &ExprMethodCall) -> bool {
    let on_iterator = match strip_parentheses(&call.receiver) {
        Expr::MethodCall(inner) => makes(inner) || is_around(inner),
        Expr::Range(_) => true,
        _ => false,
    };
    on_iterator && AROUND.iter().any(|name| call.method == name)
}

/// Whether a value is the same whenever it is evaluated: made of literals and of variables that nothing changes.
fn is_settled(value: &Expr, is_changeable: &dyn Fn(&str) -> bool) -> bool {
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
