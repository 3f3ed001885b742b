//! What a closure gives, as far as its type is one that no other place has.

use syn::{Expr, Stmt};

use super::calls::{is_box_pin, strip_parentheses};

/// What is the same of what two copies of a closure give.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gives {
    /// All of it.
    Value,
    /// What its future gives.
    Future,
    /// Its items: it calls closures of its own.
    Items,
    /// Nothing that can be named: it is a closure.
    Closure,
}

/// Methods whose result holds the closure that they are given, in an iterator; an option of them does not, and has items, too.
const LAZY: &[&str] = &[
    "map",
    "filter",
    "filter_map",
    "flat_map",
    "take_while",
    "skip_while",
    "map_while",
    "inspect",
    "scan",
];

pub(crate) fn given_by(body: &Expr) -> Gives {
    match tail(body) {
        Expr::Closure(_) => Gives::Closure,
        given if is_future(given) => Gives::Future,
        given if holds_closure(given) => Gives::Items,
        _ => Gives::Value,
    }
}

/// An async block, in a box perhaps.
fn is_future(given: &Expr) -> bool {
    match strip_parentheses(given) {
        Expr::Async(_) => true,
        Expr::Call(call) if is_box_pin(&call.func) => call.args.first().is_some_and(is_future),
        Expr::MethodCall(call) => {
            let name = call.method.to_string();
            ["boxed", "boxed_local", "instrument"].contains(&name.as_str())
                && is_future(&call.receiver)
        }
        _ => false,
    }
}

fn tail(body: &Expr) -> &Expr {
    match strip_parentheses(body) {
        Expr::Block(block) => match block.block.stmts.last() {
            Some(Stmt::Expr(given, None)) => tail(given),
            _ => body,
        },
        other => other,
    }
}

/// Whether a chain of methods ends in an iterator with a closure in it.
fn holds_closure(given: &Expr) -> bool {
    let Expr::MethodCall(call) = given else {
        return false;
    };
    let name = call.method.to_string();
    let lazy = LAZY.contains(&name.as_str());
    let closure = call
        .args
        .iter()
        .any(|argument| matches!(strip_parentheses(argument), Expr::Closure(_)));
    lazy && closure || (is_adapter(&name) && holds_closure(strip_parentheses(&call.receiver)))
}

fn is_adapter(name: &str) -> bool {
    LAZY.contains(&name)
        || [
            "rev",
            "enumerate",
            "skip",
            "take",
            "step_by",
            "chain",
            "zip",
            "cloned",
            "copied",
            "peekable",
            "fuse",
            "flatten",
            "cycle",
        ]
        .contains(&name)
}
