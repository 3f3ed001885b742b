//! `#[derive(Elicit)]`: a form of a struct, a choice of an enum.

mod attributes;
mod case;
mod choice;
mod form;
mod formats;
mod limits;
mod patterns;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput};

use crate::{around, errors::Errors};

/// The derive. What is refused is a form nevertheless, so that what asks with it is no error too.
pub(crate) fn elicit(input: TokenStream) -> Result<TokenStream, Errors> {
    let input: DeriveInput = syn::parse2(input)?;
    let mut errors = Errors::default();
    let has_schema = around::derives(&input.ident, "JsonSchema");
    if has_schema {
        errors.refuse(
            &input.ident,
            "a form that derives `JsonSchema` as well",
            "`Elicit` makes the schema: the one that a client is sent is the one that an answer is checked with",
            "`Elicit` alone, without `JsonSchema`",
        );
    }
    Ok(derived(&input, errors).unwrap_or_else(|errors| {
        let (hollow, errors) = (hollow(&input, has_schema), errors.into_errors());
        quote!(#hollow #errors)
    }))
}

fn derived(input: &DeriveInput, mut errors: Errors) -> Result<TokenStream, Errors> {
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
        Data::Struct(data) => form::form(input, data, errors),
        Data::Enum(data) => choice::choice(input, data, errors),
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

/// The traits of a type that was refused, without anything in them.
fn hollow(input: &DeriveInput, has_schema: bool) -> TokenStream {
    let name = &input.ident;
    let (impls, types, bounds) = input.generics.split_for_impl();
    let choice = quote! {
        impl #impls ::saga_runtime::elicit::FormChoice for #name #types #bounds {
            const OPTIONS: &'static [::saga_runtime::elicit::Choice] = &[];
        }

        impl #impls ::saga_runtime::elicit::FormField for #name #types #bounds {
            const SHAPE: ::saga_runtime::elicit::Shape =
                ::saga_runtime::elicit::Shape::of(::saga_runtime::elicit::Takes::Boolean);
        }
    };
    // A form with parameters may borrow, which no form can.
    let form = input.generics.params.is_empty().then(|| {
        let schema = (!has_schema).then(|| json_schema(input, &quote!(true)));
        quote! {
            impl ::saga_runtime::elicit::Elicit for #name {
                fn form() -> &'static ::saga_runtime::elicit::Form {
                    ::core::unreachable!()
                }
            }

            impl ::saga_runtime::__private::rmcp::service::ElicitationSafe for #name {}

            #schema
        }
    });
    match input.data {
        Data::Enum(_) => choice,
        _ => form.unwrap_or_default(),
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
