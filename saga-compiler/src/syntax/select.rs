//! The branch of a `select!` that stands beside an ask.

use quote::format_ident;
use syn::{Expr, spanned::Spanned, visit::Visit};

use crate::ast::{
    calls::{is_constructor, strip_parentheses},
    macros::arguments,
    uses::{binary_assigns, is_by_reference},
    vocabulary::SLEEP,
};

/// Whether a future does nothing before it is polled, as far as its form says: a function that is not async may.
pub(super) fn only_waits(future: &Expr) -> bool {
    const WAITING: &[&str] = &["cancelled", "changed", "closed", "notified", "recv", "tick"];
    match strip_parentheses(future) {
        Expr::Path(_) | Expr::Field(_) => true,
        Expr::Reference(lent) => only_waits(&lent.expr),
        Expr::MethodCall(call) => {
            WAITING.iter().any(|name| call.method == name) && !given_calls(future)
        }
        _ => false,
    }
}

/// Whether something is done on the way to a future: for what it is given, or is called on.
pub(super) fn given_calls(future: &Expr) -> bool {
    struct Calls(bool);
    impl<'ast> Visit<'ast> for Calls {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            self.0 |= match expr {
                Expr::Call(call) => !is_constructor(&call.func),
                Expr::MethodCall(call) => !call.args.is_empty() || !is_by_reference(&call.method),
                Expr::Assign(_) => true,
                Expr::Binary(binary) => binary_assigns(&binary.op),
                _ => false,
            };
            syn::visit::visit_expr(self, expr);
        }

        fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
            let arguments = arguments(invocation).into_iter().flatten();
            arguments.for_each(|argument| self.visit_expr(&argument.value));
        }
    }
    let mut calls = Calls(false);
    match strip_parentheses(future) {
        Expr::Call(call) => call.args.iter().for_each(|one| calls.visit_expr(one)),
        Expr::MethodCall(call) => {
            calls.visit_expr(&call.receiver);
            call.args.iter().for_each(|one| calls.visit_expr(one));
        }
        _ => {}
    }
    calls.0
}

/// `tokio::time::sleep(length)`, as the runtime's.
pub(super) fn tokio_sleep(future: &Expr) -> Option<Expr> {
    let Expr::Call(call) = strip_parentheses(future) else {
        return None;
    };
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    let mut segments = path.path.segments.iter().rev();
    let names = ["sleep", "time", "tokio"];
    let is_sleep = names
        .iter()
        .all(|name| segments.next().is_some_and(|one| one.ident == name));
    if !is_sleep || call.args.len() != 1 {
        return None;
    }
    let (sleep, length) = (format_ident!("{SLEEP}", span = path.span()), &call.args);
    Some(syn::parse_quote!(::saga_runtime::__private::Nobody.#sleep(#length)))
}
