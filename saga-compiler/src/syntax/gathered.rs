//! Futures that are gathered in a variable, and awaited together in the next statement.
//!
//! ```text
//! let asked = hosts.iter().map(|host| check(&cx, host));
//! let all = join_all(asked).await;                         →   let all = join_all(hosts.iter().map(|host| check(&cx, host))).await;
//! ```
//! The futures of a list are arms of a `join!`: `join_all([a, b]).await`   →   `match join!(a, b) { (a, b) => Vec::from([a, b]) }`;
//! those of `try_join_all` of a `try_join!`.
//!
//! Nothing is evaluated between the two, so that it is the same whether it is written in one statement or in two; and what
//! `collect` makes of them is made by `join_all` as well.

use proc_macro2::Ident;
use quote::format_ident;
use syn::{
    Expr, ExprCall, GenericArgument, Local, Pat, Stmt, punctuated::Punctuated, spanned::Spanned,
};

use super::{
    asks::{Handles, JOIN, Join, TRY_JOIN, joins_all},
    nested::TakenOut,
};

use crate::ast::{
    calls::strip_parentheses, patterns::pattern_bindings, tokens::mentions, types::ends_in,
};

/// Puts what is gathered where it is awaited, in the statements of a block, not of those inside of it; gives the functions that await
/// them.
pub(crate) fn rewrite(
    block: &mut syn::Block,
    handles: &Handles,
    nested: &mut TakenOut,
) -> Vec<syn::Path> {
    let (mut at, mut by) = (0, Vec::new());
    while at + 1 < block.stmts.len() {
        match in_one(&block.stmts, at, handles, nested) {
            Some((joined, function)) => {
                by.push(function);
                block.stmts.splice(at..=at + 1, [joined]);
            }
            None => at += 1,
        }
    }
    by
}

/// What `join_all` or `try_join_all` of a list gives when it is awaited, where one of them may ask, and the function's path.
pub(crate) fn of_list(
    base: &Expr,
    handles: &Handles,
    nested: &mut TakenOut,
) -> Option<(Expr, syn::Path)> {
    let Expr::Call(call) = base else { return None };
    let (Some(tries), Expr::Path(function)) = (joins_all(call), &*call.func) else {
        return None;
    };
    let (Some(given), 1) = (call.args.first(), call.args.len()) else {
        return None;
    };
    let mut futures = match strip_parentheses(given) {
        Expr::Array(list) => list.elems.clone(),
        Expr::Macro(made) if made.mac.path.is_ident("vec") => {
            let list = Punctuated::<Expr, syn::Token![,]>::parse_terminated;
            made.mac.parse_body_with(list).ok()?
        }
        _ => return None,
    };
    if futures.len() <= MOST {
        nested.futures(futures.iter_mut(), handles);
    }
    if futures.len() > MOST || !futures.iter().any(|future| handles.suspends(future)) {
        return None;
    }
    let join = if tries { TRY_JOIN } else { JOIN };
    let join = format_ident!("{join}", span = call.func.span());
    let names: Vec<_> = (0..futures.len())
        .map(|index| format_ident!("__saga_joined_{index}"))
        .collect();
    // No `let`: an ask is called as the variable that it is for.
    let all: Expr = syn::parse_quote!(::std::vec::Vec::from([#(#names),*]));
    let given = if tries {
        syn::parse_quote! {
            match #join(#futures).await {
                ::core::result::Result::Ok((#(#names,)*)) => ::core::result::Result::Ok(#all),
                ::core::result::Result::Err(__saga_error) => ::core::result::Result::Err(__saga_error),
            }
        }
    } else {
        syn::parse_quote! {
            match #join(#futures).await { (#(#names,)*) => #all }
        }
    };
    Some((given, function.path.clone()))
}

/// As many arms has a `join!`.
const MOST: usize = 16;

/// The statement behind the one at `at`, with what that gathers in it, and the function that awaits it.
fn in_one(
    stmts: &[Stmt],
    at: usize,
    handles: &Handles,
    nested: &mut TakenOut,
) -> Option<(Stmt, syn::Path)> {
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
    // Its closure alone is looked at.
    let _ = nested.in_call(call, handles);
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

/// `let NAME = ITEMS.map(CLOSURE)`, or that collected in a `Vec`.
fn gathered(local: &Local) -> Option<(&Ident, &Expr)> {
    let (pat, ty) = match &local.pat {
        Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
        pat => (pat, None),
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
    let futures = strip_parentheses(&init.expr);
    let Expr::MethodCall(call) = futures else {
        return None;
    };
    if call.method != "collect" {
        return ty.is_none().then_some((&name.ident, futures));
    }
    let into = call.turbofish.as_ref().and_then(|into| into.args.first());
    let into = match into {
        Some(GenericArgument::Type(into)) => Some(into),
        _ => ty,
    };
    // Another collection may have another order.
    into.is_some_and(|into| ends_in(into, "Vec"))
        .then(|| (&name.ident, strip_parentheses(&call.receiver)))
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
    let mut all = 0;
    for stmt in stmts {
        match stmt {
            Stmt::Local(local)
                if pattern_bindings(&local.pat).any(|bound| bound.ident == *name) =>
            {
                let init = local.init.as_ref();
                let of = |init: &syn::LocalInit| {
                    let otherwise = init.diverge.as_ref().map(|(_, otherwise)| otherwise);
                    mentions(&init.expr, name) + mentions(&otherwise, name)
                };
                return all + init.map_or(0, of);
            }
            stmt => all += mentions(stmt, name),
        }
    }
    all
}
