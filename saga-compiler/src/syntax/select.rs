//! The branch of a `select!` that stands beside an ask.

use quote::format_ident;
use syn::{
    Expr,
    spanned::Spanned,
    visit::{self, Visit},
};

use crate::{
    ast::{
        assigned_places::Assigned,
        calls::{called, strip_parentheses},
        order::gives_what_it_makes,
        uses::{Uses, root_name},
        vocabulary::SLEEP,
    },
    syntax::asks::sleeps,
};

/// A sleep, by its name: its type has the last word.
pub(crate) fn rests(future: &Expr) -> bool {
    sleeps(future).is_some() || ["sleep", "sleep_until"].contains(&called(future).as_str())
}

/// What the calls in the arguments of a future are given by name, or to be changed: a `&mut` has no other sign.
fn given_inside(future: &Expr) -> Vec<String> {
    struct Given(usize, Vec<String>);
    impl<'ast> Visit<'ast> for Given {
        fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
            self.0 += 1;
            if self.0 > 1 {
                let names = call
                    .args
                    .iter()
                    .filter_map(|given| match strip_parentheses(given) {
                        Expr::Reference(lent) if lent.mutability.is_none() => None,
                        given => root_name(given),
                    });
                self.1.extend(names);
            }
            visit::visit_expr_call(self, call);
            self.0 -= 1;
        }

        fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
            self.0 += 1;
            visit::visit_expr_method_call(self, call);
            self.0 -= 1;
        }
    }
    let mut given = Given(0, Vec::new());
    given.visit_expr(future);
    given.1
}

/// Whether it shows that an ask and what stands beside it are evaluated in the other order.
pub(super) fn is_reversed(ask: &Expr, other: &Expr, rests: bool) -> bool {
    let does = match rests {
        true => gives_what_it_makes(other),
        false => !only_waits(other),
    };
    does && gives_what_it_makes(ask) || is_changed(ask, other)
}

/// Whether it shows that one changes what the other is given.
pub(super) fn is_changed(ask: &Expr, other: &Expr) -> bool {
    let changes = |one: &Expr, read: &Expr| {
        let written = Assigned::in_all([one]);
        let mut reads = Uses::of_expr(read).reads.into_keys();
        let given = given_inside(one);
        reads.any(|name| written.may_change_in_place(&name) || given.contains(&name))
    };
    changes(ask, other) || changes(other, ask)
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
