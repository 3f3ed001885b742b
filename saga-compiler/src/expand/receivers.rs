//! A variable that may be changed, on which a method is called that may take it: given away or lent, as the method's type says.
//!
//! ```text
//! let mut order = ..; order.add(item); order.place(&cx).await
//! ```

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Expr, ExprMethodCall, spanned::Spanned};

use super::{
    blocks::Handed,
    machine::{Machine, located},
};
use crate::{
    ast::calls::{callee, strip_parentheses},
    cfg::{VarId, copies},
};

/// What stands before a call, and what it is called on.
pub(super) struct Received {
    pub(super) before: TokenStream,
    pub(super) receiver: Expr,
}

impl Machine<'_> {
    /// How a call is given the variable that its method may take; `None` of what is no method.
    pub(super) fn received(&self, base: &Expr, var: VarId, handed: &[Handed]) -> Option<Received> {
        let Expr::MethodCall(call) = callee(base) else {
            return None;
        };
        let mut handed = handed.iter();
        let handing = handed.find(|(index, ..)| *index == 0);
        let handing = handing.map(|(.., given)| given);
        if self.is_taken_or_lent(0, var) {
            return Some(taken_or_lent(call, handing));
        }
        let given = match handing {
            Some(hand) => hand.clone(),
            None => call.receiver.to_token_stream(),
        };
        Some(Received {
            before: quote!(let __saga_receiver = #given;),
            receiver: syn::parse_quote!(__saga_receiver),
        })
    }

    /// Whether a method may be lent to change the variable that it is called on, or may take it.
    fn is_taken_or_lent(&self, index: usize, var: VarId) -> bool {
        let var = self.flow.var(var);
        index == 0 && !var.hidden && var.mutable
    }

    /// Puts one back that was only lent.
    pub(super) fn lent_again(&self, (index, var, _): &Handed) -> TokenStream {
        if !self.is_taken_or_lent(*index, *var) {
            return TokenStream::new();
        }
        let (held, slot) = (held(), self.slot(*var));
        quote_spanned! {Span::mixed_site()=>
            if let ::core::option::Option::Some(__saga_value) = #held {
                (&mut #slot).put(__saga_value);
            }
        }
    }
}

/// Gives the variable that `call` is called on to a method that may change it, by `handing` it over where that is how it is kept.
fn taken_or_lent(call: &ExprMethodCall, handing: Option<&TokenStream>) -> Received {
    let kept = &call.receiver;
    let taking = taking(call);
    let by = Ident::new("__saga_by", Span::mixed_site());
    let name = Ident::new("__saga_receiver", Span::mixed_site());
    let span = kept.span().resolved_at(Span::call_site());
    let given = match handing {
        Some(hand) => {
            let held = held();
            quote_spanned! {span=>
                let mut #held = ::core::option::Option::None;
                let #name = #by.handed(#kept, &mut #held, |#kept| #hand);
            }
        }
        None => {
            let copy = copies::of_receiver(&syn::parse_quote_spanned!(span=> (*__saga_kept)));
            quote_spanned!(span=> let #name = #by.of_kept(&mut #kept, |__saga_kept| #copy);)
        }
    };
    Received {
        before: quote_spanned!(span=> let #by = #taking; #given),
        receiver: syn::parse_quote_spanned!(span=> (*#name)),
    }
}

/// Whether the type of what a method is called on has one of that name which takes it: a method of the function's own is found
/// otherwise, for whatever type.
fn taking(call: &ExprMethodCall) -> TokenStream {
    let (kept, method) = (&call.receiver, &call.method);
    let (mut names, mut types, mut arguments) = (Vec::new(), Vec::new(), Vec::new());
    for (index, argument) in call.args.iter().enumerate() {
        let argument = strip_parentheses(argument);
        let span = argument.span().resolved_at(Span::call_site());
        if is_open(argument) {
            types.push(quote!(::saga_runtime::__private::NotTaken));
            arguments
                .push(quote_spanned!(span=> ::saga_runtime::__private::Witness::new().value()));
            continue;
        }
        let name = format_ident!("A{}", index);
        types.push(name.to_token_stream());
        names.push(name);
        arguments.push(match argument {
            // Here nothing is moved.
            Expr::Path(_) | Expr::Field(_) | Expr::Index(_) => {
                quote_spanned!(span=> ::saga_runtime::__private::Witness::of(&#argument).value())
            }
            other => other.to_token_stream(),
        });
    }
    let at = located(method.span());
    quote_spanned! {at.resolved_at(Span::mixed_site())=> {
        #[allow(dead_code)]
        trait NotTaken {
            fn #method<#(#names),*>(self, #(_: #types),*) -> ::saga_runtime::__private::NotTaken;
        }
        impl<T> NotTaken for T {
            fn #method<#(#names),*>(self, #(_: #types),*) -> ::saga_runtime::__private::NotTaken {
                ::saga_runtime::__private::NotTaken
            }
        }
        #[allow(unused_imports)]
        use ::saga_runtime::__private::{ByTaking as _, ReceiverCopied as _, ReceiverOwned as _};
        (&(&&::saga_runtime::__private::Witness::of(&#kept))
            .saga_owned()
            .saga_called(|receiver| receiver.#method(#(#arguments),*)))
            .saga_receiver()
    }}
}

/// Whether it has the type of the parameter that it is given to.
fn is_open(argument: &Expr) -> bool {
    match strip_parentheses(argument) {
        Expr::Path(path) => path.path.is_ident("None"),
        Expr::Array(array) => array.elems.is_empty(),
        Expr::Reference(lent) => is_open(&lent.expr),
        _ => false,
    }
}

/// Where one is that is handed over, until the call returns.
fn held() -> Ident {
    Ident::new("__saga_held", Span::mixed_site())
}
