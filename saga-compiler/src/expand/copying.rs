//! What a call that may be made again is given is a copy: how it is made is chosen behind the blocks, by the variable's type.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Expr;

use super::{
    machine::{Machine, Names, located},
    slots::slot,
};
use crate::{
    ast::tokens::never,
    cfg::{VarId, copies},
};

fn copying(var: VarId) -> Ident {
    format_ident!("__saga_copying_{}", var.0)
}

impl Machine<'_> {
    /// Leaves open how variables are copied for a call.
    pub(super) fn copied_later(&self, call: &mut Expr, names: &Names) {
        copies::copy_by(call, &mut |name| {
            let mut here = names.present.iter().rev();
            let var = *here.find(|var| names.of(self.flow, **var) == *name)?;
            if !self.slots.contains(&var) {
                return None;
            }
            let span = name.span().resolved_at(Span::call_site());
            self.copied.borrow_mut().insert(var, span);
            let copying = copying(var);
            // In a block of its own, so that it may be coerced where it goes.
            Some(syn::parse_quote_spanned!(span=> {
                let __saga_copy = (&#copying).copied(&#name);
                __saga_copy
            }))
        });
    }

    /// The ways to copy, as far as the states have been written; and what chooses them.
    pub(super) fn copyings(&self) -> (TokenStream, TokenStream) {
        let copied = self.copied.borrow();
        let declared = copied.keys().map(|var| {
            let copying = copying(*var);
            quote!(let #copying = ::saga_runtime::__private::Copying::new();)
        });
        let declared = declared.collect();
        if copied.is_empty() {
            return (declared, TokenStream::new());
        }
        let chosen = copied.iter().map(|(var, span)| {
            let (copying, slot) = (copying(*var), slot(*var));
            quote_spanned! {located(*span)=>
                (&#copying).of(&#slot);
                (&#copying).by((&&&&&&&&&::saga_runtime::__private::Witness::of_slot(&#slot)).saga_copying());
            }
        });
        let chosen = never(&quote! {
            #[allow(unused_imports)]
            use ::saga_runtime::__private::{CopyingBy as _, CopyingOther as _};
            #(#chosen)*
        });
        (declared, chosen)
    }
}
