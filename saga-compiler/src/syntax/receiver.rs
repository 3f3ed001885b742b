//! A `self` that is taken by value and moves is a parameter like any other.

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{FnArg, ImplItemFn, ReceiverKind, Signature, Type};

use crate::ast::{rename::rename_block, tokens::token_names, uses::Uses};

/// What a `self` goes by that is taken by value.
pub(crate) struct Receiver {
    written: syn::Receiver,
    ty: Type,
    name: Ident,
}

impl Receiver {
    /// Takes it out of a function, where its body may move it or change it.
    ///
    /// ```text
    /// async fn run(mut self) { self.n += 1; … }   →   async fn run(mut self_value: Self) { self_value.n += 1; … }
    /// ```
    pub(crate) fn unwrap(item: &mut ImplItemFn) -> Option<Self> {
        let written = match item.sig.inputs.first() {
            Some(FnArg::Receiver(receiver)) => receiver.clone(),
            _ => return None,
        };
        let ty = match &written.kind {
            ReceiverKind::Value => syn::parse_quote!(Self),
            ReceiverKind::Typed(_, ty) if is_owned(ty) => (**ty).clone(),
            _ => return None,
        };
        let moves = Uses::of_block(&item.block).reads.get("self").copied();
        if written.mutability.is_none() && moves != Some(true) {
            return None;
        }
        let span = written.self_token.span.resolved_at(Span::call_site());
        let receiver = Self {
            written,
            ty,
            name: Ident::new(&unused(&item.block), span),
        };
        receiver.replace(&mut item.sig);
        let names = HashMap::from([("self".to_owned(), receiver.name.clone())]);
        rename_block(&mut item.block, &names);
        Some(receiver)
    }

    /// The same in a signature.
    pub(crate) fn replace(&self, sig: &mut Signature) {
        if let Some(first) = sig.inputs.first_mut() {
            let (mutable, name, ty) = (&self.written.mutability, &self.name, &self.ty);
            *first = syn::parse_quote!(#mutable #name: #ty);
        }
    }

    /// Puts it back.
    pub(crate) fn restore(&self, sig: &mut Signature) {
        if let Some(first) = sig.inputs.first_mut() {
            *first = FnArg::Receiver(syn::Receiver {
                mutability: None,
                ..self.written.clone()
            });
        }
    }

    /// What the body begins with.
    pub(crate) fn bound(&self) -> TokenStream {
        let name = &self.name;
        // It may be changed in another state than the first.
        quote!(#[allow(unused_mut)] let mut #name = self;)
    }
}

/// `Self` and `Box<Self>`; not `&Self`, nor `Pin<&mut Self>`.
fn is_owned(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident != "Pin"))
}

/// A name that nothing in the body has.
fn unused(body: &syn::Block) -> String {
    let mut name = "self_value".to_owned();
    let mut is_used = true;
    while is_used {
        is_used = false;
        token_names(body.to_token_stream(), &mut |used| is_used |= used == name);
        if is_used {
            name.push('_');
        }
    }
    name
}
