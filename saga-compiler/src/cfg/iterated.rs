//! Iterators that are made again for each step of a loop: of places, by methods of std's.

use proc_macro2::Span;
use quote::format_ident;
use syn::{Expr, ExprMethodCall, spanned::Spanned};

use super::{
    place::{Borrow, Place, Places, has_index, is_one_of},
    proof::{collection_of_std, prove_indexed, prove_place},
};

use crate::ast::{
    assigned_places::Assigned,
    calls::{strip_parentheses, strip_parentheses_mut},
    uses::root_name,
};

/// Iterators of std's collections and texts over references; the receiver's type has to prove that it is one.
pub(super) const OF_REFERENCES: &[&str] = &[
    "chunks",
    "chunks_exact",
    "chunks_exact_mut",
    "chunks_mut",
    "iter",
    "iter_mut",
    "keys",
    "lines",
    "matches",
    "range",
    "range_mut",
    "rchunks",
    "rsplit",
    "split",
    "split_ascii_whitespace",
    "split_inclusive",
    "split_terminator",
    "split_whitespace",
    "splitn",
    "values",
    "values_mut",
    "windows",
];

/// The same over copies, and numbers.
const OF_COPIES: &[&str] = &["bytes", "char_indices", "chars", "match_indices"];

/// Adapters of std that run no code of the author's; the iterator's type has to prove that it is one.
const ADAPTERS: &[&str] = &[
    "enumerate",
    "rev",
    "zip",
    "chain",
    "skip",
    "take",
    "step_by",
    "cloned",
    "copied",
    "flatten",
    "cycle",
    "into_iter",
];

impl Places<'_> {
    /// The iterator of a loop, made of a place for each step; `None` where it is evaluated once. `changed`: what the loop's
    /// body may give another value.
    pub(crate) fn iterator(&self, items: &Expr, changed: &Assigned) -> Option<Borrow> {
        let places = Places {
            reassigned: changed,
            ..*self
        };
        let (init, place) = places.iterated(items)?;
        Some(Borrow {
            calls: place.calls,
            ..Borrow::of(init, place.deps)
        })
    }

    pub(super) fn iterated(&self, items: &Expr) -> Option<(Expr, Place)> {
        match strip_parentheses(items) {
            Expr::MethodCall(call) if is_adapter(call) => {
                let (receiver, place) = self.iterated(&call.receiver)?;
                self.called_again(call, receiver, place)
            }
            Expr::MethodCall(call) if is_iterator(call) && takes_as_many(call) => {
                let mutable = call.method.to_string().ends_with("_mut");
                if !mutable && self.leads_elsewhere(&call.receiver) {
                    return None;
                }
                let mut place = match mutable {
                    true => self.changed_item(&call.receiver)?,
                    false if self.is_global(&call.receiver) => Place::default(),
                    false => self.place(&call.receiver)?,
                };
                let mut receiver = (*call.receiver).clone();
                if mutable {
                    prove_place(&mut receiver, true);
                }
                place.calls.push(call.clone());
                // What rustc says of it is said there.
                let span = receiver.span().resolved_at(Span::call_site());
                let receiver = match mutable {
                    true => {
                        let items = format_ident!("__saga_items_mut", span = span);
                        syn::parse_quote!(#receiver.#items())
                    }
                    false => syn::parse_quote_spanned!(span=>
                        ::saga_runtime::__private::std_items(&#receiver)
                    ),
                };
                self.called_again(call, receiver, place)
            }
            reference @ Expr::Reference(_) => {
                let place = self.borrowed(reference)?;
                let mut reference = reference.clone();
                prove_indexed(&mut reference);
                Some((collection_of_std(&reference), place))
            }
            path @ Expr::Path(_) if self.is_global(path) => {
                Some((collection_of_std(path), Place::default()))
            }
            other if self.is_reference(other) && !self.leads_elsewhere(other) => {
                Some((collection_of_std(other), self.place(other)?))
            }
            // A range of the macro's own, which does not change.
            Expr::MethodCall(call) if call.method == "clone" && self.is_range(&call.receiver) => {
                Some((items.clone(), self.place(&call.receiver)?))
            }
            _ => None,
        }
    }

    /// The call on a receiver that is found again at `place`, with arguments that are, too.
    fn called_again(
        &self,
        call: &ExprMethodCall,
        receiver: Expr,
        mut place: Place,
    ) -> Option<(Expr, Place)> {
        let mut call = call.clone();
        *call.receiver = receiver;
        // What is given away by value is there once: a number can be, and a reference.
        let is_given_items = is_one_of(&call, &["zip", "chain"]);
        for argument in &mut call.args {
            let (again, of) = match is_given_items {
                true => self.iterated(argument)?,
                false => self.argument(argument)?,
            };
            *argument = again;
            place = place.join(of);
        }
        Some((Expr::MethodCall(call), place))
    }
}

/// Whether items are those of a variable or a field, by methods that only std's collections may have there.
pub(crate) fn is_iterated_place(items: &Expr) -> bool {
    let is_place = |expr: &Expr| root_name(expr).is_some() && !has_index(expr);
    match strip_parentheses(items) {
        Expr::Reference(reference) => is_place(&reference.expr),
        Expr::MethodCall(call) if !call.args.is_empty() => false,
        Expr::MethodCall(call) if is_adapter(call) => is_iterated_place(&call.receiver),
        Expr::MethodCall(call) => is_iterator(call) && is_place(&call.receiver),
        _ => false,
    }
}

fn is_iterator(call: &ExprMethodCall) -> bool {
    is_one_of(call, OF_REFERENCES) || is_one_of(call, OF_COPIES)
}

/// Whether a method is called on an iterator: there std's is found before all others. A collection is none, so that a method of it has
/// another one's name.
fn is_adapter(call: &ExprMethodCall) -> bool {
    let of_iterator = matches!(strip_parentheses(&call.receiver), Expr::MethodCall(_));
    is_one_of(call, ADAPTERS) && (of_iterator || call.method == "into_iter")
}

/// What the items of a loop are those of: what std's iterators are made of, and adapted.
pub(crate) fn source_mut(items: &mut Expr) -> &mut Expr {
    let is_made = matches!(strip_parentheses(items), Expr::MethodCall(call)
        if is_iterator(call) || is_one_of(call, ADAPTERS));
    if !is_made {
        return items;
    }
    match strip_parentheses_mut(items) {
        Expr::MethodCall(call) => source_mut(&mut call.receiver),
        other => other,
    }
}

/// As many arguments as std's has: with others it is another method of that name.
fn takes_as_many(call: &ExprMethodCall) -> bool {
    let wanted = match call.method.to_string().as_str() {
        "splitn" => 2,
        "split" | "rsplit" | "windows" | "split_inclusive" | "split_terminator" | "matches"
        | "match_indices" | "range" | "range_mut" => 1,
        name if name.contains("chunks") => 1,
        _ => 0,
    };
    call.args.len() == wanted
}
