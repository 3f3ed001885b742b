//! Items of collections that are found again: their indices are evaluated once, and a type proves that the collection is std's.

use std::collections::HashSet;

use proc_macro2::Span;
use syn::{Expr, Stmt, spanned::Spanned};

use super::Lower;

use crate::ast::{
    calls::{is_literal, strip_parentheses},
    changed::changes,
    uses::root_name,
};

impl Lower<'_> {
    /// Lets an item of a collection be found again: its index is evaluated once.
    ///
    /// ```text
    /// list[next()].edit(peer)   →   let index = next(); list[index].edit(peer)
    /// ```
    pub(super) fn keep_item(&mut self, operand: &mut Expr, is_receiver: bool) -> bool {
        match operand {
            Expr::Paren(paren) => self.keep_item(&mut paren.expr, is_receiver),
            Expr::Group(group) => self.keep_item(&mut group.expr, is_receiver),
            Expr::Reference(reference) => self.keep_indices(&mut reference.expr),
            place if is_receiver => self.keep_indices(place),
            _ => false,
        }
    }

    /// Evaluates the indices in a place, and proves that it is of std's collections: an `Index` of one's own
    /// may do anything. `false` where there is no index, or the place is not one of a variable.
    pub(super) fn keep_indices(&mut self, place: &mut Expr) -> bool {
        let root = root_name(place);
        let touched = indices_of(place).into_iter().flat_map(changes);
        let is_touched = touched.into_iter().any(|name| Some(name) == root);
        let known = !is_touched && self.places(|places| places.is_indexed(place));
        if known {
            self.evaluate_indices(place, true);
        }
        known
    }

    /// The same where other code proves it.
    pub(super) fn fix_indices(&mut self, place: &mut Expr) {
        let indices = indices_of(place);
        let root = root_name(place);
        let touched: HashSet<String> = indices.iter().copied().flat_map(changes).collect();
        let is_touched = root.is_some_and(|root| touched.contains(&root));
        // An item that is looked at first, by an `Index` that may do something, stands before the next index.
        let in_order = indices.iter().skip(1).all(|index| is_quiet(index));
        let mut statements = indices.iter();
        let stays = statements.all(|index| {
            let statement = Stmt::Expr((*index).clone(), None);
            self.jumps_of(&statement).is_empty()
        });
        if stays && in_order && !is_touched && is_place(place) {
            self.evaluate_indices(place, false);
        }
    }

    /// The inner ones first, as they stand.
    fn evaluate_indices(&mut self, place: &mut Expr, proves: bool) {
        match place {
            Expr::Paren(paren) => self.evaluate_indices(&mut paren.expr, proves),
            Expr::Group(group) => self.evaluate_indices(&mut group.expr, proves),
            Expr::Field(field) => self.evaluate_indices(&mut field.base, proves),
            Expr::Index(index) => {
                self.evaluate_indices(&mut index.expr, proves);
                self.evaluate_index(&mut index.index);
                if !proves {
                    return;
                }
                let of = &index.expr;
                let span = of.span().resolved_at(Span::call_site());
                self.opaque(syn::parse_quote_spanned! {span=>
                    let _ = ::saga_runtime::__private::std_indexed(&#of);
                });
                let by = &index.index;
                if !is_literal(by) {
                    let span = by.span().resolved_at(Span::call_site());
                    self.opaque(syn::parse_quote_spanned! {span=>
                        let _ = ::saga_runtime::__private::std_by(&(#by));
                    });
                }
            }
            _ => {}
        }
    }

    /// A number, the ends of a range, or a key that is borrowed.
    pub(super) fn evaluate_index(&mut self, index: &mut Expr) {
        match index {
            Expr::Paren(paren) => self.evaluate_index(&mut paren.expr),
            Expr::Group(group) => self.evaluate_index(&mut group.expr),
            Expr::Range(range) => {
                let ends = range.start.iter_mut().chain(&mut range.end);
                ends.for_each(|end| self.evaluate_end(end));
            }
            literal if is_literal(literal) => {}
            Expr::Reference(key) if root_name(&key.expr).is_none() && !is_literal(&key.expr) => {
                *key.expr = self.fixed((*key.expr).clone());
            }
            other => {
                self.own_lent(other);
                *other = self.fixed_key(other);
            }
        }
    }

    /// An end of a range: what is found may be lent by it.
    pub(super) fn evaluate_end(&mut self, end: &mut Expr) {
        match end {
            Expr::Paren(paren) => self.evaluate_end(&mut paren.expr),
            Expr::Group(group) => self.evaluate_end(&mut group.expr),
            literal if is_literal(literal) => {}
            Expr::Reference(_) => self.evaluate_index(end),
            other => {
                self.own_lent(other);
                *other = self.fixed(other.clone());
            }
        }
    }
}

/// Whether it is a variable or a constant, a part of one, or an item: nothing is done to come to it.
fn is_place(place: &Expr) -> bool {
    match strip_parentheses(place) {
        Expr::Path(_) => true,
        Expr::Field(field) => is_place(&field.base),
        Expr::Index(index) => is_place(&index.expr),
        _ => false,
    }
}

/// Whether nothing is done where it is evaluated, whenever that is.
pub(super) fn is_quiet(index: &Expr) -> bool {
    match strip_parentheses(index) {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Field(field) => is_quiet(&field.base),
        Expr::Reference(lent) => is_quiet(&lent.expr),
        Expr::Unary(unary) => is_quiet(&unary.expr),
        Expr::Cast(cast) => is_quiet(&cast.expr),
        Expr::Binary(binary) => is_quiet(&binary.left) && is_quiet(&binary.right),
        Expr::Range(range) => {
            let mut ends = range.start.iter().chain(&range.end);
            ends.all(|end| is_quiet(end))
        }
        _ => false,
    }
}

/// The indices in a place.
fn indices_of(place: &Expr) -> Vec<&Expr> {
    match strip_parentheses(place) {
        Expr::Field(field) => indices_of(&field.base),
        Expr::Index(index) => {
            let mut all = indices_of(&index.expr);
            all.push(&index.index);
            all
        }
        _ => Vec::new(),
    }
}
