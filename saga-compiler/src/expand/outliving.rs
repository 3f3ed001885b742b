//! What may outlive the function and refers to something in what that was given: it is in a frame by where it is there.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::{
    machine::{Machine, Names},
    referents::there,
    slots::slot,
};
use crate::{analysis::outliving::Given, ast::tokens::never, cfg::VarId};

impl Machine<'_> {
    pub(super) fn given_places(&self, var: VarId) -> impl Iterator<Item = (Ident, &Given)> {
        let places = self.outliving.get(&var).into_iter();
        let places = places.flat_map(|of| &of.places).enumerate();
        places.map(move |(index, of)| (format_ident!("__saga_given_{}_{}", var.0, index), of))
    }

    /// The parameters that places of a variable are in.
    fn given_params(&self, var: VarId) -> TokenStream {
        let params = self.given_places(var).filter_map(|(_, of)| of.param);
        let params: BTreeSet<_> = params.collect();
        let params = params.into_iter();
        params.map(|id| self.param(id, &Names::default())).collect()
    }

    fn given_place(&self, of: &Given) -> TokenStream {
        self.tokens(&mut of.place.clone())
    }

    /// Chooses by the types what may be found there again.
    pub(super) fn given_located(&self) -> TokenStream {
        let all = self.outliving.keys().map(|var| {
            let (slot, params) = (slot(*var), self.given_params(*var));
            let chosen = self.given_places(*var).map(|(at, of)| {
                let place = self.given_place(of);
                quote! {
                    (&#at).is(
                        (&&&&&&&::saga_runtime::__private::Referring::of(&#place, &#slot)).saga_lent_referent()
                    );
                }
            });
            quote! {{
                #params
                use ::saga_runtime::__private::{
                    FixedElsewhere as _, FixedOther as _, FixedTexts as _, LentElsewhere as _, LentItems as _, LentItself as _, LentTexts as _, LentWithin as _,
                };
                #(#chosen)*
            }}
        });
        never(&all.collect())
    }

    /// Chooses the form of a variable that may be found there: by its type, or the one of what is found again.
    pub(super) fn chosen_outliving(&self, var: VarId, kind: &Ident) -> Option<TokenStream> {
        let inside = self.outliving.get(&var)?.inside;
        let slot = self.slot(var);
        let span: Span = slot.span();
        let choice =
            |kind: &Ident| quote_spanned!(span=> ::saga_runtime::__private::form_of!(#slot, #kind));
        let found = choice(&Ident::new("saga_found", span));
        let form = choice(kind);
        let known = match inside {
            true => quote!(::saga_runtime::__private::Inside),
            false => quote!(::saga_runtime::__private::NoPlace),
        };
        let known = self.given_places(var).fold(
            known,
            |known, (at, _)| quote!(::saga_runtime::__private::joined(&#at, #known)),
        );
        Some(quote_spanned!(span=> ::saga_runtime::__private::preferred(#known, #found, #form)))
    }

    /// Writes where it is there, or what `otherwise` writes.
    pub(super) fn saved_as_given(&self, var: VarId, otherwise: TokenStream) -> TokenStream {
        let (slot, params) = (slot(var), self.given_params(var));
        let (names, places): (Vec<_>, Vec<_>) = self
            .given_places(var)
            .map(|(at, of)| (at, self.given_place(of)))
            .unzip();
        if names.is_empty() {
            return otherwise;
        }
        quote! {
            if ::saga_runtime::__private::is_rematerialized(&#slot, __saga_arena) {
                #params
                if let ::core::option::Option::Some(__saga_value) = (&#slot).value() {
                    let _ = #((&mut #names).is_in(&#places, __saga_value))||*;
                }
                ::saga_runtime::__private::save_found(&[#(&#names),*], &mut __saga_frame);
            } else {
                #otherwise
            }
        }
    }

    /// The same where it is read.
    pub(super) fn loaded_as_given(&self, var: VarId, otherwise: TokenStream) -> TokenStream {
        let slot = slot(var);
        let names: Vec<_> = self.given_places(var).map(|(at, _)| at).collect();
        if names.is_empty() {
            return otherwise;
        }
        quote! {
            if ::saga_runtime::__private::is_rematerialized(&#slot, __saga_arena) {
                ::saga_runtime::__private::load_found(&mut [#(&mut #names),*], &mut __saga);
            } else {
                #otherwise
            }
        }
    }

    /// Finds it there again.
    pub(super) fn found_in_given(&self, var: VarId) -> TokenStream {
        let Some(points) = self.points_of(var) else {
            return TokenStream::new();
        };
        if !self.outliving.contains_key(&var) {
            return TokenStream::new();
        }
        let (slot, params) = (slot(var), self.given_params(var));
        let places = self.given_places(var);
        let places = places.map(|(at, of)| (at, self.given_place(of)));
        let gone = quote!({
            (&__saga).gone();
            break '__saga_end;
        });
        let value = there(places, gone);
        quote! {
            match __saga_point {
                #points if ::saga_runtime::__private::is_rematerialized(&#slot, __saga_arena) => {
                    #params
                    (&mut #slot).put(#value);
                }
                _ => {}
            }
        }
    }
}
