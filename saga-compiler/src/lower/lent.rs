//! A `&mut self`, and a `&mut` parameter, that a pattern binds or takes apart: what would be moved is lent.

use syn::{Expr, Pat};

use super::Lower;

use crate::{
    ast::{
        calls::{is_self, strip_parentheses},
        patterns::{pattern_bindings, without_guard},
        types::{is_unique_reference, option_of},
    },
    cfg::{VarId, persistence::Persistence},
};

impl Lower<'_> {
    /// A `&mut self` that a pattern binds as a whole is lent: each region has it again.
    ///
    /// ```text
    /// match self { this @ State::Off => … }   →   match &mut *self { this @ State::Off => … }
    /// ```
    pub(super) fn lend_again<'p>(&self, of: &mut Expr, pats: impl IntoIterator<Item = &'p Pat>) {
        let binds_whole = |pat: &Pat| match without_guard(pat) {
            Pat::Ident(ident) => ident.by_ref.is_none() && pattern_bindings(pat).next().is_some(),
            _ => false,
        };
        if self.lends_self && is_self(of) && pats.into_iter().any(binds_whole) {
            *of = syn::parse_quote!(&mut *self);
        }
    }

    /// A `&mut` parameter that a pattern takes apart is lent: each region has it again.
    ///
    /// ```text
    /// if let Some(n) = counter { … }   →   if let Some(n) = &mut *counter { … }
    /// if let Some(n) = perhaps { … }   →   if let Some(n) = perhaps.as_deref_mut() { … }
    /// ```
    pub(super) fn lend_param<'p>(
        &mut self,
        of: &mut Expr,
        pats: impl IntoIterator<Item = &'p Pat>,
    ) {
        let pats: Vec<_> = pats.into_iter().collect();
        // `let shop = self;`: as a name for what it refers to.
        let renames = matches!(pats.as_slice(), [Pat::Ident(name)] if name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none());
        // What is returned has to last as long as the parameter.
        if renames
            && !self.lends_out
            && (self.lends_self && is_self(of) || self.is_unique_param(of))
        {
            let lent = &*of;
            *of = syn::parse_quote!(&mut *#lent);
            return;
        }
        let takes_apart = |pat: &Pat| {
            !matches!(
                without_guard(pat),
                Pat::Ident(_) | Pat::Type(_) | Pat::Wild(_)
            )
        };
        let (is_unique, perhaps) = (self.is_unique_param(of), self.option_of_unique(of));
        if !(is_unique || perhaps.is_some()) || !pats.into_iter().any(takes_apart) {
            return;
        }
        let lent = &*of;
        *of = match perhaps {
            None => syn::parse_quote!(&mut *#lent),
            Some(_) => syn::parse_quote!(#lent.as_deref_mut()),
        };
        if let Some(var) = perhaps {
            self.vars[var.0].mutable = true;
        }
    }

    /// Whether this is a parameter that a pattern may be lent parts of.
    pub(super) fn is_lent_param(&self, of: &Expr) -> bool {
        self.is_unique_param(of) || self.option_of_unique(of).is_some()
    }

    /// The parameter that this is, whose type is written as an option of a `&mut`.
    fn option_of_unique(&self, of: &Expr) -> Option<VarId> {
        let Expr::Path(path) = strip_parentheses(of) else {
            return None;
        };
        let var = self.lookup(&path.path.get_ident()?.to_string())?;
        let mut params = self.params.iter();
        let param = params.find(|param| param.vars.contains(&var))?;
        let is_option = matches!(param.pat, Pat::Ident(_))
            && option_of(&param.ty).is_some_and(is_unique_reference);
        is_option.then_some(var)
    }

    /// Whether this is a parameter whose type is written as a `&mut`.
    pub(super) fn is_unique_param(&self, of: &Expr) -> bool {
        let Expr::Path(path) = strip_parentheses(of) else {
            return false;
        };
        let name = path.path.get_ident().map(ToString::to_string);
        let var = name.and_then(|name| self.lookup(&name));
        var.is_some_and(|var| match self.vars[var.0].persistence {
            Persistence::Param(id) => {
                let param = &self.params[id.0];
                matches!(param.pat, Pat::Ident(_)) && is_unique_reference(&param.ty)
            }
            _ => false,
        })
    }
}
