//! Borrows that are taken again where a block begins.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Pat;

use super::{
    elsewhere,
    machine::{Machine, Names},
};
use crate::{
    ast::{
        patterns::pattern_bindings,
        projection::projection,
        rename::{rename, rename_pattern},
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
        let told = self.remade_again(id, needed, |var| names.of(self.flow, var));
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

    pub(super) fn reborrow(&self, id: ReborrowId, needed: &[VarId], names: &Names) -> TokenStream {
        let (pat, init) = self.reborrowed(id, needed, names);
        let elsewhere = elsewhere();
        let told = self.remade_again(id, needed, |var| names.of(self.flow, var));
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

fn is_name(pat: &Pat) -> bool {
    match pat {
        Pat::Ident(name) => name.subpat.is_none(),
        Pat::Type(typed) => is_name(&typed.pat),
        _ => false,
    }
}
