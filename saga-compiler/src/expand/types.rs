//! Checks of the types of what is in scope at an ask and dead after it.
//!
//! A variable's type is known for certain only where all of the function has been seen, and looking at
//! the variable there would lengthen its borrows. So a witness takes the type where the variable is
//! declared, in code that is never reached, and is asked at the function's end, never reached either.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::{
    elsewhere,
    machine::{Machine, located},
};

use crate::{
    ast::tokens::never,
    cfg::{Facts, VarId},
};

impl Machine<'_> {
    /// The witnesses, without types yet.
    pub(super) fn witnesses(&self) -> TokenStream {
        let all = self.looked_at().into_iter();
        all.map(|var| {
            let witness = witness(var);
            quote!(let #witness = ::saga_runtime::__private::Witness::new();)
        })
        .collect()
    }

    fn looked_at(&self) -> BTreeSet<VarId> {
        let said = self.given().chain(self.put_aside()).map(|(var, _)| var);
        said.chain(self.held.left.iter().copied()).collect()
    }

    fn is_looked_at(&self, var: VarId) -> bool {
        let given = || self.flow.given.iter().chain(&self.flow.put_aside);
        let is_given = || given().any(|(given, _)| *given == var);
        self.held.left.contains(&var) || (self.held.declared.contains(&var) && is_given())
    }

    /// What is declared here and given to a plain call.
    fn given(&self) -> impl Iterator<Item = (VarId, Span)> {
        self.declared_of(&self.flow.given)
    }

    /// What is declared here and may be a future that asks.
    fn put_aside(&self) -> impl Iterator<Item = (VarId, Span)> {
        self.declared_of(&self.flow.put_aside)
    }

    fn declared_of(&self, all: &[(VarId, Span)]) -> impl Iterator<Item = (VarId, Span)> {
        let declared = |(var, _): &(VarId, Span)| self.held.declared.contains(var);
        all.iter().copied().filter(declared)
    }

    /// Tells the witnesses the types of what has just been declared.
    pub(super) fn witnessed(&self, facts: &Facts) -> TokenStream {
        let declared = facts.defs.iter().filter(|var| self.is_looked_at(**var));
        let mut told: TokenStream = declared
            .map(|var| {
                let (name, witness) = (&self.flow.var(*var).ident, witness(*var));
                quote!((&#witness).is(&#name);)
            })
            .collect();
        told.extend(self.typed(facts));
        never(&told)
    }

    /// Tells a variable that is declared once more, without its value, the type that it has where the author declares it.
    pub(super) fn typed_as_declared(&self, var: VarId) -> TokenStream {
        let declared = self.flow.var(var);
        if !self.is_looked_at(var) {
            return TokenStream::new();
        }
        let (name, witness) = (&declared.ident, witness(var));
        if declared.ty.is_some() {
            return never(&quote!((&#witness).is(&#name);));
        }
        let elsewhere = elsewhere();
        let typed = never(&quote!(#name = (&#witness).value();));
        quote!(#elsewhere #typed)
    }

    /// The same of what a call gave.
    pub(super) fn told(&self, results: &[VarId]) -> TokenStream {
        let facts = Facts {
            defs: results.iter().copied().collect(),
            ..Facts::default()
        };
        never(&self.typed(&facts))
    }

    /// Asks the witnesses.
    pub(super) fn asked(&self) -> TokenStream {
        let asked = |kind: &str, (var, span): (VarId, Span)| {
            let span = located(span);
            let mut witness = witness(var);
            witness.set_span(span);
            let kind = proc_macro2::Ident::new(kind, span);
            quote_spanned!(span=> ::saga_runtime::__private::#kind!(#witness);)
        };
        let given = self.given().map(|given| asked("given", given));
        let put_aside = self.put_aside().map(|aside| asked("put_aside", aside));
        let all = self.held.left.iter();
        let left = all.map(|var| {
            let span = located(self.flow.var(*var).ident.span());
            let mut witness = witness(*var);
            witness.set_span(span);
            let whole = self.held.whole.contains(var);
            let kind = match whole {
                true => "left",
                false => "left_in_part",
            };
            let kind = proc_macro2::Ident::new(kind, span);
            let named = (whole && is_named_as_lock(&self.flow.author_name(*var)))
                .then(|| quote_spanned!(span=> ::saga_runtime::__private::left_named!(#witness);));
            quote_spanned!(span=> ::saga_runtime::__private::#kind!(#witness); #named)
        });
        left.chain(given).chain(put_aside).collect()
    }
}

/// Whether a variable is named as what is held for its `Drop`: `legacy_lock_file`.
fn is_named_as_lock(name: &str) -> bool {
    let mut words = name.split('_');
    words.any(|word| ["guard", "lease", "lock", "permit"].contains(&word))
}

fn witness(var: VarId) -> proc_macro2::Ident {
    format_ident!("__saga_witness_{}", var.0)
}

/// Code that never runs either, but that rustc's borrow checker looks at: it takes `never` for what it is.
pub(super) fn borrow_checked(at: Span, code: &TokenStream) -> TokenStream {
    quote_spanned! {at=>
        #[allow(warnings)]
        if false {
            #code
            ::core::unreachable!()
        }
    }
}
