//! `#[derive(Elicit)]`: a form of a struct, a choice of an enum.

mod attributes;
mod case;
mod choice;
mod form;
mod limits;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput};

use crate::errors::Errors;

/// The derive.
pub(crate) fn elicit(input: TokenStream) -> Result<TokenStream, Errors> {
    let input: DeriveInput = syn::parse2(input)?;
    let mut errors = Errors::default();
    if !input.generics.params.is_empty() {
        errors.refuse(
            &input.generics,
            "a form with type parameters or lifetimes",
            "its schema is one for the whole program, and an answer owns what it holds",
            "a type without parameters, of owned fields",
        );
        return errors.finish().map(|()| TokenStream::new());
    }
    match &input.data {
        Data::Struct(data) => form::form(&input, data, errors),
        Data::Enum(data) => choice::choice(&input, data, errors),
        Data::Union(_) => {
            errors.refuse(
                &input.ident,
                "a form that is a union",
                "there is no schema for it",
                "a struct with a field for each thing that is asked",
            );
            errors.finish()?;
            Ok(TokenStream::new())
        }
    }
}

/// `schemars::JsonSchema`, from the same description.
fn json_schema(input: &DeriveInput, schema: &TokenStream) -> TokenStream {
    let name = &input.ident;
    let text = name.to_string();
    quote! {
        impl ::saga_runtime::__private::schemars::JsonSchema for #name {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(#text)
            }

            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(::core::concat!(::core::module_path!(), "::", #text))
            }

            fn json_schema(
                _: &mut ::saga_runtime::__private::schemars::SchemaGenerator,
            ) -> ::saga_runtime::__private::schemars::Schema {
                ::saga_runtime::__private::schemars::Schema::from(#schema)
            }
        }
    }
}
