//! Iterators that are stepped by hand, as the `for` that they are.
//!
//! ```text
//! let mut lines = text.lines();                         let lines = text.lines();
//! while let Some(line) = lines.next() { … ask … }   →   for line in stepped(lines) { … ask … }
//! ```
//! Where nothing but the loop's head mentions the iterator from there on. That it is std's, whose `next` has no other
//! effect, is proven by its type.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, ExprForLoop, ExprWhile, Local, Pat, Stmt};

use super::asks::Handles;

use crate::ast::calls::strip_parentheses;

/// Rewrites the loops of a block, not of those inside of it.
pub(crate) fn rewrite(block: &mut syn::Block, handles: &Handles) {
    for at in 0..block.stmts.len() {
        let (before, rest) = block.stmts.split_at_mut(at);
        let Some((stmt, after)) = rest.split_first_mut() else {
            return;
        };
        let Some(Loop { looped, item, name }) = Loop::of(stmt) else {
            continue;
        };
        let body = &looped.body;
        if !handles.contains_suspension(&syn::parse_quote!(#body)) || mentions(body, &name) {
            continue;
        }
        if after.iter().any(|stmt| mentions(stmt, &name)) {
            continue;
        }
        let declared = before
            .iter()
            .rposition(|stmt| declared(stmt).is_some_and(|(declared, _)| *declared == name));
        let Some((local, between)) = declared.and_then(|place| {
            let (local, between) = before.split_at_mut(place + 1);
            Some((local.last_mut()?, between))
        }) else {
            continue;
        };
        let Stmt::Local(local) = local else { continue };
        let (last, untouched) = (between.is_empty(), |stmt: &Stmt| !mentions(stmt, &name));
        let untouched = between.iter().all(untouched);
        let items = match &local.init {
            // What closures do to the items is taken apart at the head of a `for`.
            Some(init) if runs_code(&init.expr) => {
                if !last || !local.attrs.is_empty() {
                    continue;
                }
                let items = (*init.expr).clone();
                let for_loop = for_loop(&looped, item, items);
                block.stmts.splice(at - 1..=at, [empty(), for_loop]);
                continue;
            }
            Some(_) => syn::parse_quote!(::saga_runtime::__private::stepped(#name)),
            None => continue,
        };
        if untouched {
            unchanged(local);
        }
        *stmt = for_loop(&looped, item, items);
    }
}

fn empty() -> Stmt {
    syn::parse_quote!({})
}

fn for_loop(looped: &ExprWhile, item: Pat, items: Expr) -> Stmt {
    let for_loop = Expr::ForLoop(ExprForLoop {
        attrs: looped.attrs.clone(),
        label: looped.label.clone(),
        for_token: syn::token::For(looped.while_token.span),
        pat: Box::new(item),
        in_token: syn::token::In(looped.while_token.span),
        expr: Box::new(items),
        body: looped.body.clone(),
    });
    Stmt::Expr(for_loop, None)
}

/// A loop over what an iterator still has.
struct Loop {
    looped: ExprWhile,
    item: Pat,
    name: Ident,
}

impl Loop {
    fn of(stmt: &Stmt) -> Option<Self> {
        let Stmt::Expr(Expr::While(looped), _) = stmt else {
            return None;
        };
        let Expr::Let(binding) = strip_parentheses(&looped.cond) else {
            return None;
        };
        let Expr::MethodCall(next) = strip_parentheses(&binding.expr) else {
            return None;
        };
        let Expr::Path(iterator) = &*next.receiver else {
            return None;
        };
        let Pat::TupleStruct(some) = &*binding.pat else {
            return None;
        };
        let is_some = some.path.segments.last()?.ident == "Some" && some.elems.len() == 1;
        let item = some.elems.first().filter(|item| is_irrefutable(item))?;
        let steps = next.method == "next" && next.args.is_empty();
        (is_some && steps).then_some(())?;
        Some(Self {
            looped: looped.clone(),
            item: item.clone(),
            name: iterator.path.get_ident()?.clone(),
        })
    }
}

/// A pattern of names: others may not match, which ends a `while`, and is an error in a `for`.
fn is_irrefutable(pat: &Pat) -> bool {
    match pat {
        Pat::Ident(name) => {
            let constant = name.ident.to_string().starts_with(char::is_uppercase);
            name.subpat.is_none() && !constant
        }
        Pat::Wild(_) => true,
        Pat::Tuple(tuple) => tuple.elems.iter().all(is_irrefutable),
        Pat::Reference(reference) => is_irrefutable(&reference.pat),
        Pat::Paren(paren) => is_irrefutable(&paren.pat),
        _ => false,
    }
}

/// The name and the pattern of a `let` of one name.
fn declared(stmt: &Stmt) -> Option<(&Ident, &Local)> {
    let Stmt::Local(local) = stmt else {
        return None;
    };
    match &local.pat {
        Pat::Ident(name) if name.by_ref.is_none() => Some((&name.ident, local)),
        _ => None,
    }
}

/// A `for` does not change the variable: with its `mut` rustc would warn.
fn unchanged(local: &mut Local) {
    if let Pat::Ident(name) = &mut local.pat {
        name.mutability = None;
    }
}

/// Whether an adapter is given a closure, or a function by its name.
fn runs_code(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::MethodCall(call) => {
            let runs = |argument: &Expr| match argument {
                Expr::Closure(_) => true,
                Expr::Path(_) => ADAPTERS.iter().any(|adapter| call.method == adapter),
                _ => false,
            };
            call.args.iter().any(runs) || runs_code(&call.receiver)
        }
        _ => false,
    }
}

/// What a function may be given to by its name.
const ADAPTERS: &[&str] = &[
    "filter",
    "filter_map",
    "inspect",
    "map",
    "skip_while",
    "take_while",
];

/// Whether anything there is of that name; in a macro, or in a text, too.
fn mentions(code: &impl ToTokens, name: &Ident) -> bool {
    fn found(tokens: TokenStream, name: &str) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Group(group) => found(group.stream(), name),
            TokenTree::Ident(ident) => ident == name,
            TokenTree::Literal(literal) => literal.to_string().contains(&format!("{{{name}")),
            TokenTree::Punct(_) => false,
        })
    }
    found(code.to_token_stream(), &name.to_string())
}
