//! Literals whose parts stand for them: what is made of parts that come again is made again.

use proc_macro2::Span;
use syn::{Expr, spanned::Spanned};

use super::Lower;

use crate::{
    ast::{
        calls::{closure_in, is_constructor, makes_struct, strip_parentheses},
        macros::change_arguments,
        uses::Uses,
    },
    cfg::proof::made_of_parts,
    syntax::asks::Handles,
};

impl Lower<'_> {
    /// A struct need not be kept where its parts can be.
    ///
    /// ```text
    /// show(Pair { a: next(), b }, ask)   →   let next = next(); … show(Pair { a: next, b }, answer)
    /// ```
    pub(super) fn spill_parts(&mut self, expr: &mut Expr, all: bool) -> bool {
        if !makes_struct(expr) {
            return false;
        }
        name_fields(expr);
        let Some(parts) = parts_of_struct(expr) else {
            return false;
        };
        for part in parts {
            let stays = closure_in(part).is_some() || self.stays(part, false);
            let mut reads = Uses::of_expr(part).reads.into_keys();
            if !stays || (all && reads.any(|name| self.lookup(&name).is_some())) {
                *part = self.spill(part.clone());
            }
        }
        prove_literal(expr);
        true
    }
}

/// A struct that is stored in parts may hold the handle, and no borrow of a block's own: one in the arena.
///
/// ```text
/// let mut desk = Desk { cx: &cx, count: 0 };   →   let mut desk = Desk { cx: lent(&cx), count: 0 };
/// ```
pub(super) fn lend_handles(expr: &mut Expr, handles: &Handles) {
    if let Expr::Macro(list) = expr
        && list.mac.path.is_ident("vec")
    {
        return change_arguments(&mut list.mac, |item| lend_handles(item, handles));
    }
    for part in parts_of_literal_mut(expr).unwrap_or_default() {
        match strip_parentheses(part) {
            Expr::Reference(lent) if lent.mutability.is_none() => {
                let handle = strip_parentheses(&lent.expr);
                let owner = match handle {
                    Expr::Field(field) => strip_parentheses(&field.base),
                    other => other,
                };
                if matches!(owner, Expr::Path(_))
                    && handles.is_handle(owner)
                    && handles.is_handle(handle)
                {
                    let span = handle.span().resolved_at(Span::call_site());
                    *part = syn::parse_quote_spanned!(span=> {
                        use ::saga_runtime::__private::{LentAsItIs as _, LentHandle as _};
                        (&&::saga_runtime::__private::Witness::of(#part)).saga_lent_handle(#part, __saga_arena)
                    });
                }
            }
            _ => lend_handles(part, handles),
        }
    }
}

/// What stands in a tuple, in an array that is lent, or in a struct or a variant: where it is moved later, its parts take the
/// types that are expected there.
pub(super) fn parts_of_literal(expr: &Expr) -> Option<Vec<&Expr>> {
    match expr {
        Expr::Tuple(tuple) => Some(tuple.elems.iter().collect()),
        Expr::Array(array) => Some(array.elems.iter().collect()),
        Expr::Reference(lent) if lent.mutability.is_none() => match strip_parentheses(&lent.expr) {
            Expr::Array(array) => Some(array.elems.iter().collect()),
            Expr::Range(range) => Some(ends(range)),
            _ => None,
        },
        // Whoever is given one by value has one that nobody has gone through.
        Expr::Range(range) => Some(ends(range)),
        Expr::Call(call) if is_constructor(&call.func) => Some(call.args.iter().collect()),
        Expr::Struct(literal) if literal.rest.is_none() => {
            Some(literal.fields.iter().map(|field| &field.expr).collect())
        }
        _ => None,
    }
}

fn ends(range: &syn::ExprRange) -> Vec<&Expr> {
    let ends = range.start.iter().chain(&range.end);
    ends.map(|end| &**end).collect()
}

/// The same, each to be replaced.
pub(super) fn parts_of_literal_mut(expr: &mut Expr) -> Option<Vec<&mut Expr>> {
    match expr {
        Expr::Tuple(tuple) => Some(tuple.elems.iter_mut().collect()),
        Expr::Array(array) => Some(array.elems.iter_mut().collect()),
        Expr::Reference(lent) => match (lent.mutability, &mut *lent.expr) {
            (None, Expr::Array(array)) => Some(array.elems.iter_mut().collect()),
            _ => None,
        },
        other => parts_of_struct(other),
    }
}

/// The parts of a struct or a variant alone, each to be replaced.
pub(super) fn parts_of_struct(expr: &mut Expr) -> Option<Vec<&mut Expr>> {
    match expr {
        Expr::Paren(paren) => parts_of_struct(&mut paren.expr),
        Expr::Group(group) => parts_of_struct(&mut group.expr),
        Expr::Call(call) if is_constructor(&call.func) => Some(call.args.iter_mut().collect()),
        Expr::Struct(literal) if literal.rest.is_none() => {
            let fields = literal.fields.iter_mut();
            Some(fields.map(|field| &mut field.expr).collect())
        }
        Expr::Range(range) => {
            let ends = range.start.iter_mut().chain(&mut range.end);
            Some(ends.map(|end| &mut **end).collect())
        }
        _ => None,
    }
}

/// `S { a }` is printed as the name, and would lose the value that was kept of it.
pub(super) fn name_fields(expr: &mut Expr) {
    match expr {
        Expr::Paren(paren) => name_fields(&mut paren.expr),
        Expr::Group(group) => name_fields(&mut group.expr),
        Expr::Struct(literal) => {
            for field in &mut literal.fields {
                field.colon_token.get_or_insert_default();
            }
        }
        _ => {}
    }
}

/// What is made of parts that stay is made where it is used: its type says whether it would be dropped before that.
pub(super) fn prove_literal(expr: &mut Expr) {
    match expr {
        Expr::Paren(paren) => prove_literal(&mut paren.expr),
        Expr::Group(group) => prove_literal(&mut group.expr),
        Expr::Tuple(tuple) => tuple.elems.iter_mut().for_each(prove_literal),
        Expr::Array(array) => array.elems.iter_mut().for_each(prove_literal),
        Expr::Reference(lent) => prove_literal(&mut lent.expr),
        Expr::Call(call) if is_constructor(&call.func) => {
            call.args.iter_mut().for_each(prove_literal);
        }
        Expr::Struct(literal) => {
            let fields = literal.fields.iter_mut();
            fields.for_each(|field| prove_literal(&mut field.expr));
        }
        _ => return,
    }
    if makes_struct(expr) {
        *expr = made_of_parts(expr);
    }
}
