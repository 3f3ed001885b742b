//! All errors of one function, reported at once.

use proc_macro2::{Span, TokenStream, TokenTree};

use quote::{ToTokens, quote};

/// Refusals, each on the author's own tokens.
#[derive(Default)]
pub(crate) struct Errors(Vec<syn::Error>);

impl Errors {
    /// Adds a refusal: what is refused, why, and what to write instead.
    pub(crate) fn refuse(&mut self, tokens: &impl ToTokens, what: &str, why: &str, instead: &str) {
        self.0.push(syn::Error::new_spanned(
            tokens,
            format!("{what}\n  = why: {why}\n  = instead: {instead}"),
        ));
    }

    /// Whether nothing was refused so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `Err` where anything was added.
    pub(crate) fn finish(self) -> Result<(), Self> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }

    /// All of them as one.
    pub(crate) fn into_error(self) -> syn::Error {
        let mut errors = self.0.into_iter();
        let first = errors.next();
        let first = first.unwrap_or_else(|| syn::Error::new(Span::call_site(), "refused"));
        errors.fold(first, |mut all, error| {
            all.combine(error);
            all
        })
    }

    /// The errors alone.
    pub(crate) fn into_errors(self) -> TokenStream {
        self.0.iter().map(syn::Error::to_compile_error).collect()
    }

    /// The errors, and the item as it was written, less its body, so that callers of the function
    /// do not fail too.
    pub(crate) fn into_tokens(self, item: &TokenStream) -> TokenStream {
        let errors = self.0.iter().map(syn::Error::to_compile_error);
        let stub = stub(item);
        quote!(#stub #(#errors)*)
    }
}

impl From<syn::Error> for Errors {
    fn from(error: syn::Error) -> Self {
        Self(vec![error])
    }
}

/// The function with `unreachable!()` for a body.
fn stub(item: &TokenStream) -> TokenStream {
    // Of two attributes the second would have its say, too.
    let once = syn::parse2(item.clone()).map(|mut item: syn::ImplItemFn| {
        item.attrs
            .retain(|attribute| !crate::ast::attributes::is_saga(attribute.path()));
        item.into_token_stream()
    });
    let item = &once.unwrap_or_else(|_| item.clone());
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    match tokens.last() {
        Some(TokenTree::Group(group)) if group.delimiter() == proc_macro2::Delimiter::Brace => {
            let body = quote::quote_spanned!(Span::call_site()=> { ::core::unreachable!() });
            tokens.pop();
            tokens.extend(body);
            let attributes = quote!(#[allow(unused_variables, unreachable_code, clippy::all)]);
            attributes.into_iter().chain(tokens).collect()
        }
        _ => TokenStream::new(),
    }
}
