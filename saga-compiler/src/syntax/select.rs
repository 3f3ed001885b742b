//! The branch of a `select!` that stands beside an ask.

use quote::format_ident;
use syn::{Expr, spanned::Spanned};

use crate::ast::{
    assigned_places::Assigned, calls::strip_parentheses, order::gives_what_it_makes, uses::Uses,
    vocabulary::SLEEP,
};

/// Whether it shows that an ask and what stands beside it are evaluated in the other order.
pub(super) fn is_reversed(ask: &Expr, other: &Expr, rests: bool) -> bool {
    let changes = |one: &Expr, read: &Expr| {
        let written = Assigned::in_all([one]);
        let mut reads = Uses::of_expr(read).reads.into_keys();
        reads.any(|name| written.may_change_in_place(&name))
    };
    let does = match rests {
        true => gives_what_it_makes(other),
        false => !only_waits(other),
    };
    does && gives_what_it_makes(ask) || changes(ask, other) || changes(other, ask)
}

/// Whether a future does nothing before it is polled, as far as its form says: a function that is not async may.
fn only_waits(future: &Expr) -> bool {
    const WAITING: &[&str] = &["cancelled", "changed", "closed", "notified", "recv", "tick"];
    match strip_parentheses(future) {
        Expr::Path(_) | Expr::Field(_) => true,
        Expr::Reference(lent) => only_waits(&lent.expr),
        Expr::MethodCall(call) => {
            WAITING.iter().any(|name| call.method == name) && !gives_what_it_makes(future)
        }
        _ => false,
    }
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
