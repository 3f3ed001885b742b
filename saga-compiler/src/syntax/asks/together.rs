//! Several futures that are awaited together: `join!`, `try_join!`, `join_all` and `try_join_all`.

use syn::Expr;

use super::Handles;

use crate::ast::{calls::strip_parentheses, exits::returns};

/// Several futures that are awaited together.
pub(crate) enum Join<'e> {
    /// `join!`, or `try_join!`.
    All(&'e syn::punctuated::Punctuated<Expr, syn::Token![,]>, bool),
    /// `join_all(items.map(closure))`, or `try_join_all`.
    Each {
        items: &'e Expr,
        closure: &'e syn::ExprClosure,
        /// What the closure does before it makes the future.
        before: &'e [syn::Stmt],
        future: &'e Expr,
        tries: bool,
    },
}

/// What a `join!` is written as before lowering.
pub(crate) const JOIN: &str = "__saga_join";

/// What a `try_join!` is written as before lowering.
pub(crate) const TRY_JOIN: &str = "__saga_try_join";

impl Handles {
    /// Several futures that are awaited together.
    pub(crate) fn join<'e>(&self, base: &'e Expr) -> Option<Join<'e>> {
        let Expr::Call(call) = base else { return None };
        let Expr::Path(path) = &*call.func else {
            return None;
        };
        let name = path.path.segments.last()?.ident.to_string();
        match (name.as_str(), call.args.first()) {
            (JOIN, _) => Some(Join::All(&call.args, false)),
            (TRY_JOIN, _) => Some(Join::All(&call.args, true)),
            _ => each_of(call, |body| self.ask(body).is_some() || self.passes(body)),
        }
    }
}

/// Whether `join_all` or `try_join_all` is called, and then whether the latter.
pub(crate) fn joins_all(call: &syn::ExprCall) -> Option<bool> {
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    let name = &path.path.segments.last()?.ident;
    (name == "join_all" || name == "try_join_all").then(|| name == "try_join_all")
}

/// `join_all(items.map(|item| { before; future }))`, where the future is one that `asks`.
fn each_of(call: &syn::ExprCall, asks: impl Fn(&Expr) -> bool) -> Option<Join<'_>> {
    let tries = joins_all(call)?;
    let (Some(Expr::MethodCall(map)), 1) = (call.args.first(), call.args.len()) else {
        return None;
    };
    let (Some(Expr::Closure(closure)), true) = (map.args.first(), map.method == "map") else {
        return None;
    };
    let body = strip_parentheses(&closure.body);
    let (before, future) = match body {
        Expr::Block(block) if block.label.is_none() && !returns(body) => {
            match block.block.stmts.split_last()? {
                // The future is made outside of the block, where its items have no name.
                (syn::Stmt::Expr(future, None), before) if !before.iter().any(is_item) => {
                    (before, strip_parentheses(future))
                }
                _ => return None,
            }
        }
        future => (&[][..], future),
    };
    (asks(future) && closure.inputs.len() == 1).then_some(Join::Each {
        items: &map.receiver,
        closure,
        before,
        future,
        tries,
    })
}

fn is_item(stmt: &syn::Stmt) -> bool {
    matches!(stmt, syn::Stmt::Item(_))
}
