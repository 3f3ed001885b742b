//! All errors of one function, reported at once.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{ImplItem, ImplItemFn, Item, ReturnType, Type};

/// Refusals, each on the author's own tokens.
#[derive(Default)]
pub(crate) struct Errors {
    all: Vec<syn::Error>,
    /// The parameters that were refused, by their place.
    params: Vec<usize>,
}

impl Errors {
    /// Adds a refusal: what is refused, why, and what to write instead.
    pub(crate) fn refuse(&mut self, tokens: &impl ToTokens, what: &str, why: &str, instead: &str) {
        self.all.push(syn::Error::new_spanned(
            tokens,
            format!("{what}\n  = why: {why}\n  = instead: {instead}"),
        ));
    }

    /// The same of a function's parameter, which is left out of what other macros see: each would refuse it, too.
    pub(crate) fn refuse_param(
        &mut self,
        place: usize,
        tokens: &impl ToTokens,
        [what, why, instead]: [&str; 3],
    ) {
        self.params.push(place);
        self.refuse(tokens, what, why, instead);
    }

    /// Adds another place that a refusal is about.
    pub(crate) fn also(&mut self, tokens: &impl ToTokens, what: &str) {
        self.all.push(syn::Error::new_spanned(tokens, what));
    }

    /// Whether nothing was refused so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// `Err` where anything was added.
    pub(crate) fn finish(self) -> Result<(), Self> {
        if self.all.is_empty() {
            Ok(())
        } else {
            Err(self)
        }
    }

    /// All of them as one.
    pub(crate) fn into_error(self) -> syn::Error {
        let mut errors = self.all.into_iter();
        let first = errors.next();
        let first = first.unwrap_or_else(|| syn::Error::new(Span::call_site(), "refused"));
        errors.fold(first, |mut all, error| {
            all.combine(error);
            all
        })
    }

    /// The errors alone.
    pub(crate) fn into_errors(self) -> TokenStream {
        self.all.iter().map(syn::Error::to_compile_error).collect()
    }

    /// The errors, and the item as it was written, less its body, so that callers of the function
    /// do not fail too.
    pub(crate) fn into_tokens(self, item: &TokenStream) -> TokenStream {
        let errors = self.all.iter().map(syn::Error::to_compile_error);
        let stub = stub(item, &self.params);
        quote!(#stub #(#errors)*)
    }
}

impl From<syn::Error> for Errors {
    fn from(error: syn::Error) -> Self {
        Self {
            all: vec![error],
            params: Vec::new(),
        }
    }
}

/// The item with `unreachable!()` for the bodies of its functions.
fn stub(item: &TokenStream, refused: &[usize]) -> TokenStream {
    if let Ok(function) = syn::parse2::<ImplItemFn>(item.clone()) {
        return stub_of(function, refused).into_token_stream();
    }
    let Ok(Item::Impl(mut block)) = syn::parse2(item.clone()) else {
        // A trait's functions may have no body; what is no item rustc refuses itself.
        return item.clone();
    };
    for inner in &mut block.items {
        if let ImplItem::Fn(function) = inner {
            *function = stub_of(function.clone(), &[]);
        }
    }
    block.into_token_stream()
}

fn stub_of(mut function: ImplItemFn, refused: &[usize]) -> ImplItemFn {
    // Of two attributes the second would have its say, too.
    function
        .attrs
        .retain(|attribute| !crate::ast::attributes::is_saga(attribute.path()));
    let allowed =
        syn::parse_quote!(#[allow(unused_variables, unreachable_code, unused_mut, clippy::all)]);
    function.attrs.insert(0, allowed);
    let params = function.sig.inputs.into_iter().enumerate();
    let kept = params.filter(|(place, _)| !refused.contains(place));
    function.sig.inputs = kept.map(|(_, param)| param).collect();
    let is_future = |output: &ReturnType| matches!(output, ReturnType::Type(_, ty) if matches!(&**ty, Type::ImplTrait(_)));
    // There `!` is no future.
    function.block = match function.sig.asyncness.is_none() && is_future(&function.sig.output) {
        true => syn::parse_quote!({ async move { ::core::unreachable!() } }),
        false => syn::parse_quote!({ ::core::unreachable!() }),
    };
    function
}
