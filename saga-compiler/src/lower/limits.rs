//! What stands around a call that may ask, or beside it: a time limit, a sleep, a cancellation.

use std::collections::BTreeSet;

use proc_macro2::Span;
use quote::format_ident;
use syn::{Expr, Stmt, spanned::Spanned};

use super::Lower;

use crate::{
    ast::{
        calls::{called, strip_parentheses},
        uses::Uses,
    },
    cfg::{CallLimit, VarId},
    syntax::asks::{Limit, sleeps},
};

/// What stands around a call, or beside it.
pub(super) enum Around {
    /// A time limit, made as this says.
    Within(Expr),
    /// A sleep in a `select!`, and whether it stands first.
    Beside(Expr, bool),
    /// A cancellation in a `select!`.
    Unless(Expr, bool),
}

impl Lower<'_> {
    /// ```text
    /// timeout(time, call).await   →   let time = …; operands; let limit = now + time; call until then
    /// ```
    pub(super) fn around(&mut self, base: &Expr, limit: Limit<'_>) -> Around {
        if let (Limit::Timeout(_) | Limit::TimeoutAt(_), Expr::Call(limit)) = (limit, base) {
            self.opaque(of_tokio(limit));
        }
        let mut made = |make: &str, time: &Expr| {
            let at = time.span().resolved_at(Span::call_site());
            let make = format_ident!("{make}", span = at);
            // It may ask.
            let time = self.remainder(time);
            let time = self.spill(time);
            syn::parse_quote_spanned!(at=> (&__saga).#make(#time))
        };
        match limit {
            Limit::Timeout(time) => Around::Within(made("time_limit", time)),
            Limit::TimeoutAt(at) => Around::Within(made("time_limit_at", at)),
            Limit::Race(other, first) => match sleeps(other).and_then(|sleep| sleep.args.first()) {
                Some(length) => Around::Beside(made("time_limit", length), first),
                None if is_cancellation(other) => Around::Unless(other.clone(), first),
                // It is evaluated behind what the call is given.
                None => Around::Beside(
                    syn::parse_quote_spanned!(other.span()=> (&__saga).time_limit_of(#other)),
                    first,
                ),
            },
        }
    }

    /// When a call is over though it is not done, from now on.
    pub(super) fn until(&mut self, limit: Around) -> CallLimit {
        let mut kept = |made| {
            let when = self.hidden("limit");
            self.define(when, made);
            when
        };
        match limit {
            Around::Within(made) => CallLimit::Within(kept(made)),
            Around::Beside(made, first) => CallLimit::Beside(kept(made), first),
            Around::Unless(other, first) => CallLimit::Unless(Box::new(other), first),
        }
    }

    /// The variables that it reads where the call is made.
    pub(super) fn read_by(&mut self, limit: &CallLimit) -> BTreeSet<VarId> {
        match limit {
            CallLimit::Within(when) | CallLimit::Beside(when, _) => BTreeSet::from([*when]),
            CallLimit::Unless(other, _) => self.facts(Uses::of_expr(other)).reads,
        }
    }
}

/// The `cancelled()` of a token in a variable or a field: nothing is done twice where it is made again.
fn is_cancellation(future: &Expr) -> bool {
    fn is_place(token: &Expr) -> bool {
        match strip_parentheses(token) {
            Expr::Path(_) => true,
            Expr::Field(field) => is_place(&field.base),
            Expr::Reference(lent) => is_place(&lent.expr),
            Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Deref(_)) && is_place(&unary.expr),
            _ => false,
        }
    }
    matches!(strip_parentheses(future), Expr::MethodCall(call)
        if call.method == "cancelled" && call.args.is_empty() && is_place(&call.receiver))
}

/// Code that is never run, and does not compile where a `timeout` is another one than tokio's: that has its own effects.
pub(super) fn of_tokio(limit: &syn::ExprCall) -> Stmt {
    let func = &limit.func;
    let span = func.span().resolved_at(Span::call_site());
    let tokios = match called(&Expr::Call(limit.clone())).as_str() {
        "timeout_at" => format_ident!("time_limit_at"),
        _ => format_ident!("time_limit"),
    };
    syn::parse_quote_spanned! {span=>
        let _ = || ::saga_runtime::__private::#tokios(#func);
    }
}
