//! References in a tuple, each by itself: they are places, which the tuple is not.

use quote::format_ident;
use syn::{Expr, Local, Pat, Stmt};

use super::{Lower, parts_of};

use crate::ast::{assigned_places::Assigned, calls::strip_parentheses};

impl Lower<'_> {
    /// ```text
    /// let (n, order) = (next(), o);   →   let part = o; let n = next(); let order = part;
    /// ```
    pub(super) fn apart(&self, local: &Local) -> Option<Vec<Stmt>> {
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let Expr::Tuple(values) = strip_parentheses(&init.expr) else {
            return None;
        };
        let pats = parts_of(&local.pat).filter(|pats| pats.len() == values.elems.len())?;
        if self.is_cut(&init.expr) || self.places(|places| places.borrow(&init.expr).is_some()) {
            return None;
        }
        let changed = Assigned::in_all(&values.elems);
        let is_place = |value: &Expr| {
            let place = match strip_parentheses(value) {
                Expr::Reference(lent) if lent.mutability.is_some() => return false,
                Expr::Reference(lent) => &lent.expr,
                place => place,
            };
            let found = self.places(|places| {
                places.reference(value).is_some() || places.borrow(value).is_some()
            });
            found && !changed.may_change(place, true)
        };
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let (mut others, mut evaluated): (Vec<Pat>, Vec<&Expr>) = (Vec::new(), Vec::new());
        for (index, (pat, value)) in pats.into_iter().zip(&values.elems).enumerate() {
            if is_place(value) {
                let part = format_ident!("__saga_part_{}_{index}", self.vars.len());
                before.push(syn::parse_quote!(let #part = #value;));
                after.push(syn::parse_quote!(let #pat = #part;));
            } else {
                others.push(pat);
                evaluated.push(value);
            }
        }
        if before.is_empty() {
            return None;
        }
        before.push(match (&others[..], &evaluated[..]) {
            ([pat], [value]) => syn::parse_quote!(let #pat = #value;),
            _ => syn::parse_quote!(let (#(#others),*) = (#(#evaluated),*);),
        });
        before.append(&mut after);
        Some(before)
    }
}
