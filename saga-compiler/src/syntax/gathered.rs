//! Futures that are gathered in a variable, and awaited together in the next statement.
//!
//! ```text
//! let asked = hosts.iter().map(|host| check(&cx, host));
//! let all = join_all(asked).await;                         →   let all = join_all(hosts.iter().map(|host| check(&cx, host))).await;
//! ```
//! The futures of a list are arms of a `join!`: `join_all([a, b]).await`   →   `Vec::from({ let (a, b) = join!(a, b); [a, b] })`.
//!
//! Nothing is evaluated between the two, so that it is the same whether it is written in one statement or in two; and what
//! `collect` makes of them is made by `join_all` as well.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::{Expr, ExprCall, Local, Pat, Stmt, punctuated::Punctuated, spanned::Spanned};

use super::asks::{Handles, JOIN, Join, joins_all};

use crate::ast::{calls::strip_parentheses, patterns::pattern_bindings};

/// Puts what is gathered where it is awaited, in the statements of a block, not of those inside of it; gives the functions that await
/// them.
pub(crate) fn rewrite(block: &mut syn::Block, handles: &Handles) -> Vec<syn::Path> {
    let (mut at, mut by) = (0, Vec::new());
    while at + 1 < block.stmts.len() {
        match in_one(&block.stmts, at, handles) {
            Some((joined, function)) => {
                by.push(function);
                block.stmts.splice(at..=at + 1, [joined]);
            }
            None => at += 1,
        }
    }
    by
}

/// What `join_all` of a list gives when it is awaited, where one of them may ask, and the function's path.
pub(crate) fn of_list(base: &Expr, handles: &Handles) -> Option<(Expr, syn::Path)> {
    let Expr::Call(call) = base else { return None };
    let (Some(false), Expr::Path(function)) = (joins_all(call), &*call.func) else {
        return None;
    };
    let futures = match strip_parentheses(call.args.first()?) {
        Expr::Array(list) => list.elems.clone(),
        Expr::Macro(made) if made.mac.path.is_ident("vec") => {
            let list = Punctuated::<Expr, syn::Token![,]>::parse_terminated;
            made.mac.parse_body_with(list).ok()?
        }
        _ => return None,
    };
    if futures.len() > MOST || !futures.iter().any(|future| handles.suspends(future)) {
        return None;
    }
    let join = format_ident!("{JOIN}", span = call.func.span());
    let names: Vec<_> = (0..futures.len())
        .map(|index| format_ident!("__saga_joined_{index}"))
        .collect();
    let given = syn::parse_quote!({
        let (#(#names,)*) = #join(#futures).await;
        ::std::vec::Vec::from([#(#names),*])
    });
    Some((given, function.path.clone()))
}

/// As many arms has a `join!`.
const MOST: usize = 16;

/// The statement behind the one at `at`, with what that gathers in it, and the function that awaits it.
fn in_one(stmts: &[Stmt], at: usize, handles: &Handles) -> Option<(Stmt, syn::Path)> {
    let (Some(Stmt::Local(local)), Some(next)) = (stmts.get(at), stmts.get(at + 1)) else {
        return None;
    };
    let (name, futures) = gathered(local)?;
    if mentions_of(stmts.get(at + 1..)?, name) != 1 {
        return None;
    }
    let mut joined = next.clone();
    let call = first_evaluated(&mut joined)?;
    if !matches!(call.args.first(), Some(Expr::Path(path)) if path.path.is_ident(name)) {
        return None;
    }
    *call.args.first_mut()? = futures.clone();
    let each = matches!(
        handles.join(&Expr::Call(call.clone())),
        Some(Join::Each { .. })
    );
    let Expr::Path(function) = &*call.func else {
        return None;
    };
    let function = function.path.clone();
    each.then_some((joined, function))
}

/// `let NAME = ITEMS.map(CLOSURE)`, with a `collect()` behind it perhaps.
fn gathered(local: &Local) -> Option<(&Ident, &Expr)> {
    let pat = match &local.pat {
        Pat::Type(typed) => &*typed.pat,
        pat => pat,
    };
    let (Pat::Ident(name), Some(init)) = (pat, &local.init) else {
        return None;
    };
    if !local.attrs.is_empty()
        || name.by_ref.is_some()
        || name.subpat.is_some()
        || init.diverge.is_some()
    {
        return None;
    }
    let Expr::MethodCall(call) = strip_parentheses(&init.expr) else {
        return None;
    };
    match call.method == "collect" {
        true => Some((&name.ident, strip_parentheses(&call.receiver))),
        // A type would be one of the author's.
        false => {
            matches!(local.pat, Pat::Ident(_)).then(|| (&name.ident, strip_parentheses(&init.expr)))
        }
    }
}

/// The `join_all(..)` that a statement evaluates before anything else.
fn first_evaluated(stmt: &mut Stmt) -> Option<&mut ExprCall> {
    let mut expr = match stmt {
        Stmt::Local(local) => &mut *local.init.as_mut()?.expr,
        Stmt::Expr(expr, _) => expr,
        Stmt::Item(_) | Stmt::Macro(_) => return None,
    };
    loop {
        expr = match expr {
            Expr::Await(awaited) => &mut awaited.base,
            Expr::Try(tried) => &mut tried.expr,
            Expr::MethodCall(call) => &mut call.receiver,
            Expr::Paren(inner) => &mut inner.expr,
            Expr::ForLoop(looped) => &mut looped.expr,
            Expr::Match(matched) => &mut matched.expr,
            Expr::Call(call) => return (joins_all(call).is_some()).then_some(call),
            _ => return None,
        };
    }
}

/// How often a variable is mentioned, up to where another one takes its name.
fn mentions_of(stmts: &[Stmt], name: &Ident) -> usize {
    let mut mentions = 0;
    for stmt in stmts {
        match stmt {
            Stmt::Local(local)
                if pattern_bindings(&local.pat).any(|bound| bound.ident == *name) =>
            {
                let init = local.init.as_ref();
                let (value, otherwise) = init.map_or((None, None), |init| {
                    let otherwise = init.diverge.as_ref().map(|(_, otherwise)| otherwise);
                    (Some(&init.expr), otherwise)
                });
                return mentions
                    + count(value.to_token_stream(), name)
                    + count(otherwise.to_token_stream(), name);
            }
            stmt => mentions += count(stmt.to_token_stream(), name),
        }
    }
    mentions
}

fn count(tokens: TokenStream, name: &Ident) -> usize {
    let of = |token| match token {
        TokenTree::Ident(ident) => usize::from(ident == *name),
        TokenTree::Group(group) => count(group.stream(), name),
        // `format!("{name}")`
        TokenTree::Literal(text) => {
            2 * usize::from(text.to_string().contains(&format!("{{{name}")))
        }
        TokenTree::Punct(_) => 0,
    };
    tokens.into_iter().map(of).sum()
}
