//! Iterators that are stepped by hand, as the `for` that they are.
//!
//! ```text
//! let mut lines = text.lines();                         let lines = text.lines();
//! while let Some(line) = lines.next() { … ask … }   →   for line in lines { … ask … }
//! ```
//! Where nothing but the loop's head mentions the iterator from there on. That it is std's, that no trait of the author's has
//! another `next`, and that its items have no `Drop` with an effect is proven by its type: a `for` drops the rest earlier.

use proc_macro2::Ident;
use quote::quote;
use syn::{Expr, ExprForLoop, ExprWhile, Local, Pat, Stmt};

use super::asks::Handles;

use crate::ast::{
    calls::strip_parentheses,
    tokens::{mentions, never},
};

/// Rewrites the loops of a block, not of those inside of it.
pub(crate) fn rewrite(block: &mut syn::Block, handles: &Handles) {
    for at in (0..block.stmts.len()).rev() {
        let (before, rest) = block.stmts.split_at_mut(at);
        let rewritten = rest
            .split_first()
            .and_then(|(stmt, after)| rewritten(before, stmt, after, handles));
        if let Some(rewritten) = rewritten {
            block.stmts.splice(at..=at, rewritten);
        }
    }
}

/// The proof and the `for`, where a statement is such a loop.
fn rewritten(
    before: &mut [Stmt],
    stmt: &Stmt,
    after: &[Stmt],
    handles: &Handles,
) -> Option<[Stmt; 2]> {
    let found = Loop::of(stmt)?;
    let (name, body) = (found.name, &found.looped.body);
    let mentioned = mentions(body, name) > 0 || after.iter().any(|stmt| mentions(stmt, name) > 0);
    if mentioned || !handles.suspends_in(body) {
        return None;
    }
    let place = before
        .iter()
        .rposition(|stmt| declared(stmt) == Some(name))?;
    let (declaration, between) = before.get_mut(place..)?.split_first_mut()?;
    let Stmt::Local(local) = declaration else {
        return None;
    };
    local.init.as_ref().filter(|init| steps(&init.expr))?;
    if !between.iter().any(|stmt| mentions(stmt, name) > 0) {
        unchanged(local);
    }
    Some([proof(name, found.next), found.for_loop()])
}

/// Code that is never run, and does not compile where a trait of the author's has another `next`.
fn proof(name: &Ident, next: &Ident) -> Stmt {
    let proof = never(&quote! {
        #[allow(unused_imports)]
        use ::saga_runtime::__private::IteratorNext as _;
        let _: ::saga_runtime::__private::Next = #name.#next();
    });
    syn::parse_quote!(#proof)
}

/// A loop over what an iterator still has.
struct Loop<'s> {
    looped: &'s ExprWhile,
    item: &'s Pat,
    name: &'s Ident,
    next: &'s Ident,
}

impl<'s> Loop<'s> {
    fn of(stmt: &'s Stmt) -> Option<Self> {
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
            looped,
            item,
            name: iterator.path.get_ident()?,
            next: &next.method,
        })
    }

    fn for_loop(&self) -> Stmt {
        let Self {
            looped, item, name, ..
        } = self;
        let items = syn::parse_quote!({
            use ::saga_runtime::__private::{SteppedDrop as _, SteppedMemory as _, SteppedOther as _};
            (&&&::saga_runtime::__private::Stepped::of(&#name)).saga_items(#name)
        });
        let for_loop = Expr::ForLoop(ExprForLoop {
            attrs: looped.attrs.clone(),
            label: looped.label.clone(),
            for_token: syn::token::For(looped.while_token.span),
            pat: Box::new((*item).clone()),
            in_token: syn::token::In(looped.while_token.span),
            expr: Box::new(items),
            body: looped.body.clone(),
        });
        Stmt::Expr(for_loop, None)
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

/// The name that a `let` of one name declares.
fn declared(stmt: &Stmt) -> Option<&Ident> {
    let Stmt::Local(local) = stmt else {
        return None;
    };
    match &local.pat {
        Pat::Ident(name) if name.by_ref.is_none() => Some(&name.ident),
        _ => None,
    }
}

/// A `for` does not change the variable: with its `mut` rustc would warn.
fn unchanged(local: &mut Local) {
    if let Pat::Ident(name) = &mut local.pat {
        name.mutability = None;
    }
}

/// Whether an expression is a range, or ends with a method by which std's iterators are made. Others keep what they are.
fn steps(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::Range(_) => true,
        Expr::MethodCall(call) => ITERATORS.iter().any(|name| call.method == name),
        _ => false,
    }
}

const ITERATORS: &[&str] = &[
    "bytes",
    "chain",
    "char_indices",
    "chars",
    "chunks",
    "cloned",
    "copied",
    "drain",
    "enumerate",
    "fuse",
    "into_iter",
    "into_keys",
    "into_values",
    "iter",
    "keys",
    "lines",
    "rev",
    "rsplit",
    "skip",
    "split",
    "split_ascii_whitespace",
    "split_whitespace",
    "splitn",
    "step_by",
    "take",
    "values",
    "windows",
    "zip",
];
