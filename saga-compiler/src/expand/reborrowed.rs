//! Borrows that are taken again where a block begins.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Pat, spanned::Spanned};

use super::{
    elsewhere,
    machine::{Machine, Names},
    referents::parts_of_way,
};
use crate::{
    ast::{
        patterns::{is_name, pattern_bindings},
        projection::projection,
        rename::{rename, rename_pattern},
        tokens::never,
    },
    cfg::{ImportId, VarId, persistence::ReborrowId},
};

impl Machine<'_> {
    pub(super) fn imports(&self, imports: &[ImportId]) -> TokenStream {
        let imports = imports.iter().filter_map(|id| self.flow.imports.get(id.0));
        imports
            .map(|import| quote!(#[allow(unused_imports)] #import))
            .collect()
    }

    /// A pattern, and the value for it.
    fn reborrowed(&self, id: ReborrowId, needed: &[VarId], names: &Names) -> (Pat, TokenStream) {
        let reborrow = self.flow.reborrow(id);
        let mut init = reborrow.init.clone();
        rename(&mut init, &self.renames(&reborrow.deps, names));
        let is_needed = |name: &Ident| needed.iter().any(|var| self.flow.var(*var).ident == *name);
        let pat = projection(&reborrow.pat, &is_needed);
        let pat = pat.or_else(|| projection(&reborrow.pat, &|_| true));
        let mut pat = pat.unwrap_or_else(|| reborrow.pat.clone());
        rename_pattern(&mut pat, &self.renames(&reborrow.vars, names));
        (pat, self.tokens(&mut init))
    }

    /// The same where other names are imported than here: those of the pattern mean what they mean there.
    pub(super) fn reborrow_elsewhere(
        &self,
        id: ReborrowId,
        needed: &[VarId],
        names: &Names,
    ) -> TokenStream {
        let (pat, init) = self.reborrowed(id, needed, names);
        let imports = self.imports(&self.flow.reborrow(id).imports);
        let elsewhere = elsewhere();
        let told = self.told_of(id, needed, names);
        if is_name(&pat) {
            return quote!(#elsewhere let #pat = { #imports #init }; #told);
        }
        let bound: Vec<_> = pattern_bindings(&pat).collect();
        let idents = bound.iter().map(|binding| &binding.ident);
        let declared = bound.iter().map(|binding| {
            let (mutable, ident) = (binding.is_mutable().then(|| quote!(mut)), &binding.ident);
            quote!(#mutable #ident)
        });
        quote! {
            #elsewhere let (#(#declared,)*) = {
                #imports
                let (#pat) = (#init) else { (&__saga).gone(); break '__saga_end; };
                (#(#idents,)*)
            };
            #told
        }
    }

    /// What rustc is told of it, and has to look at.
    fn told_of(&self, id: ReborrowId, needed: &[VarId], names: &Names) -> TokenStream {
        let leads = self.leads_there(id, names);
        let told = self.remade_again(id, needed, |var| names.of(self.flow, var));
        quote!(#leads #told)
    }

    /// Has rustc look whether the ways to it lead to the same each time.
    fn leads_there(&self, id: ReborrowId, names: &Names) -> Option<TokenStream> {
        let reborrow = self.flow.reborrow(id);
        let doubtful = reborrow.doubtful.iter().map(|doubtful| {
            let mut way = doubtful.way.clone();
            rename(&mut way, &self.renames(&reborrow.deps, names));
            let begin = match doubtful.changes {
                true => quote!(Changing),
                false => quote!(Owned),
            };
            let parts = parts_of_way(&way).into_iter().rev();
            let parts = parts.map(|part| {
                let span = part.span().resolved_at(Span::call_site());
                quote_spanned! {span=>
                    let __saga_way =
                        (&&&&::saga_runtime::__private::led::LedBy::of(&#part)).saga_led(__saga_way);
                }
            });
            let span = reborrow.init.span().resolved_at(Span::call_site());
            let leads = quote_spanned!(span=> ::saga_runtime::__private::led::leads_there(__saga_way););
            quote! {{
                use ::saga_runtime::__private::led::{
                    LedByBoth as _, LedByMut as _, LedByOther as _, LedByReference as _,
                };
                let __saga_way = ::saga_runtime::__private::led::#begin;
                #(#parts)*
                #leads
            }}
        });
        let doubtful: TokenStream = doubtful.collect();
        (!doubtful.is_empty()).then(|| never(&doubtful))
    }

    pub(super) fn reborrow(&self, id: ReborrowId, needed: &[VarId], names: &Names) -> TokenStream {
        let (pat, init) = self.reborrowed(id, needed, names);
        let elsewhere = elsewhere();
        let told = self.told_of(id, needed, names);
        match &pat {
            Pat::Ident(ident) if ident.subpat.is_none() => {
                quote!(#elsewhere let #pat = #init; #told)
            }
            Pat::Type(_) => quote!(#elsewhere let #pat = #init; #told),
            _ => quote! {
                #elsewhere let (#pat) = (#init) else { (&__saga).gone(); break '__saga_end; };
                #told
            },
        }
    }
}
