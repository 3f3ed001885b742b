//! What may be evaluated before what stands in front of it.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{
    Block, Expr, ExprMethodCall, Pat, Stmt,
    visit::{self, Visit},
};

use super::{
    assigned_places::Assigned,
    calls::{callee, is_constructor, strip_parentheses},
    macros::{arguments, is_known},
    uses::{Uses, binary_assigns, is_by_reference, takes_more},
};

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

/// Whether the arguments of an arm, which are evaluated where the arm is made, may do something: they are more than what is there.
pub(crate) fn gives_what_it_makes(arm: &Expr) -> bool {
    match callee(arm) {
        Expr::Call(call) => !call.args.iter().all(is_there),
        Expr::MethodCall(call) => !is_there(&call.receiver) || !call.args.iter().all(is_there),
        // These are made together with all others.
        _ => false,
    }
}

/// Whether nothing is called on the way to the call that an arm is, of those that it chooses from.
pub(crate) fn is_made_quietly(arm: &Expr) -> bool {
    let in_block = |block: &Block| {
        let mut stmts = block.stmts.iter();
        let last = stmts.next_back();
        let quiet = stmts.all(|stmt| match stmt {
            Stmt::Local(local) => local
                .init
                .as_ref()
                .is_none_or(|init| is_there(&init.expr) && init.diverge.is_none()),
            Stmt::Item(_) => true,
            _ => false,
        });
        quiet && matches!(last, Some(Stmt::Expr(last, None)) if is_made_quietly(last))
    };
    match callee(arm) {
        Expr::Call(_) | Expr::MethodCall(_) => !gives_what_it_makes(arm),
        Expr::Async(_) | Expr::Path(_) => true,
        Expr::Block(block) => in_block(&block.block),
        Expr::If(chosen) => {
            let otherwise = chosen.else_branch.as_ref();
            is_there(&chosen.cond)
                && in_block(&chosen.then_branch)
                && otherwise.is_none_or(|(_, otherwise)| is_made_quietly(otherwise))
        }
        Expr::Match(chosen) => {
            let mut arms = chosen.arms.iter();
            is_there(&chosen.expr)
                && arms.all(|arm| {
                    let quiet = match &arm.pat {
                        Pat::Guard(guarded) => is_there(&guarded.guard),
                        _ => true,
                    };
                    quiet && is_made_quietly(&arm.body)
                })
        }
        _ => false,
    }
}

/// Whether a method only looks, where it is std's.
fn looks(call: &ExprMethodCall) -> bool {
    let changes = ["as_mut", "extend", "insert", "iter_mut", "push", "push_str"];
    let is_closure = |given: &Expr| matches!(strip_parentheses(given), Expr::Closure(_));
    let does = takes_more(call)
        // It is called there and then.
        || call.args.iter().any(is_closure)
        || changes.iter().any(|name| call.method == name)
        // Of a cell it is what that has by now.
        || call.method == "get" && call.args.is_empty();
    is_by_reference(&call.method) && !does
}

/// Whether a macro makes a value of what it is given, and does nothing else.
fn makes_value(invocation: &syn::Macro) -> bool {
    let makes = ["format", "json", "matches", "vec"];
    let name = invocation.path.segments.last();
    is_known(invocation) && name.is_some_and(|name| makes.iter().any(|made| name.ident == made))
}

/// Whether a value is there, or is put together of what is: nothing is called for it.
fn is_there(value: &Expr) -> bool {
    struct Calls(bool);
    impl<'ast> Visit<'ast> for Calls {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            match expr {
                Expr::Closure(_) => {}
                Expr::Call(call) if is_constructor(&call.func) || is_length(&call.func) => {
                    call.args.iter().for_each(|part| self.visit_expr(part));
                }
                Expr::MethodCall(call) if looks(call) => visit::visit_expr(self, expr),
                Expr::Call(_)
                | Expr::MethodCall(_)
                | Expr::Assign(_)
                | Expr::Await(_)
                | Expr::Try(_)
                | Expr::Break(_)
                | Expr::Continue(_)
                | Expr::Return(_)
                | Expr::Async(_) => self.0 = true,
                Expr::Binary(binary) if binary_assigns(&binary.op) => self.0 = true,
                _ => visit::visit_expr(self, expr),
            }
        }

        fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
            if !makes_value(invocation) {
                self.0 = true;
                return;
            }
            match arguments(invocation) {
                Some(arguments) => {
                    let values = arguments.iter();
                    values.for_each(|argument| self.visit_expr(&argument.value));
                }
                None => self.0 |= calls_in(invocation.tokens.clone()),
            }
        }
    }
    let mut calls = Calls(false);
    calls.visit_expr(value);
    !calls.0
}

/// `Duration::from_secs`
fn is_length(func: &Expr) -> bool {
    let Expr::Path(path) = func else {
        return false;
    };
    let type_of = path.path.segments.iter().nth_back(1);
    type_of.is_some_and(|name| name.ident == "Duration")
}

/// Whether something is called in what a macro is given, whose form may be one of its own: a name, or a macro's, before parentheses.
fn calls_in(tokens: TokenStream) -> bool {
    let mut before = None;
    tokens.into_iter().any(|token| {
        let calls = match &token {
            TokenTree::Group(group) => {
                let in_parentheses = group.delimiter() == Delimiter::Parenthesis;
                let called = match &before {
                    Some(TokenTree::Ident(name)) => {
                        in_parentheses && !name.to_string().starts_with(char::is_uppercase)
                    }
                    Some(TokenTree::Punct(mark)) => {
                        mark.as_char() == '!' || in_parentheses && mark.as_char() == '>'
                    }
                    Some(TokenTree::Group(_)) => in_parentheses,
                    _ => false,
                };
                called || calls_in(group.stream())
            }
            TokenTree::Punct(mark) => mark.as_char() == '?',
            _ => false,
        };
        before = Some(token);
        calls
    })
}
