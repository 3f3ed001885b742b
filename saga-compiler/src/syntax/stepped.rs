//! Iterators that are stepped by hand, as the `for` that they are.
//!
//! ```text
//! let mut lines = text.lines();                         let lines = text.lines();
//! while let Some(line) = lines.next() { … ask … }   →   for line in lines { … ask … }
//! ```
//! Where nothing but the loop's head mentions the iterator from there on. That it is std's, that no trait of the author's has
//! another `next`, and that its items have no `Drop` with an effect is proven by its type: a `for` drops the rest earlier.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, ExprForLoop, ExprWhile, Local, Pat, Stmt};

use super::asks::Handles;

use crate::ast::calls::strip_parentheses;

/// Rewrites the loops of a block, not of those inside of it.
pub(crate) fn rewrite(block: &mut syn::Block, handles: &Handles) {
    for at in (0..block.stmts.len()).rev() {
        let (before, rest) = block.stmts.split_at_mut(at);
        let Some((stmt, after)) = rest.split_first_mut() else {
            return;
        };
        let Some(found) = Loop::of(stmt) else {
            continue;
        };
        let Loop {
            looped,
            item,
            name,
            next,
        } = found;
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
        let is_std = local.init.as_ref().is_some_and(|init| steps(&init.expr));
        if !is_std {
            continue;
        }
        if between.iter().all(|stmt| !mentions(stmt, &name)) {
            unchanged(local);
        }
        let items = syn::parse_quote!({
            use ::saga_runtime::__private::{SteppedDrop as _, SteppedMemory as _, SteppedOther as _};
            (&&&::saga_runtime::__private::Stepped::of(&#name)).saga_items(#name)
        });
        *stmt = for_loop(&looped, item, items);
        let proof = proof(&name, &next);
        block.stmts.insert(at, proof);
    }
}

/// Code that is never run, and does not compile where a trait of the author's has another `next`.
fn proof(name: &Ident, next: &Ident) -> Stmt {
    syn::parse_quote! {
        '__saga_never: {
            #[allow(unused_imports)]
            use ::saga_runtime::__private::IteratorNext as _;
            break '__saga_never;
            let _: ::saga_runtime::__private::Next = #name.#next();
        }
    }
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
    next: Ident,
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
            next: next.method.clone(),
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
