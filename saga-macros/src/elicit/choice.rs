//! An enum without data: a choice.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Fields};

use super::{attributes::Words, json_schema};
use crate::errors::Errors;

pub(super) fn choice(
    input: &DeriveInput,
    data: &DataEnum,
    mut errors: Errors,
) -> Result<TokenStream, Errors> {
    let whole = Words::of(&input.attrs)?;
    let case = whole.case()?;
    for word in &whole.reshaped {
        errors.refuse(
            word,
            "a choice in another form",
            "the client sends the name of an option",
            "leave it off",
        );
    }
    let mut options = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            errors.refuse(
                variant,
                "an option of a choice that carries data",
                "a form is flat, and an option is a name",
                "a field of the form beside the choice",
            );
            continue;
        }
        let words = Words::of(&variant.attrs)?;
        if words.skip {
            continue;
        }
        let own = variant.ident.to_string();
        let own = own.trim_start_matches("r#");
        let cased = || case.map_or_else(|| own.to_owned(), |case| case.variant(own));
        let name = words
            .rename
            .as_ref()
            .map_or_else(cased, |name| name.value());
        if names.contains(&name) {
            errors.refuse(
                &variant.ident,
                &format!("two options of the name `{name}`"),
                "the client sends the name",
                "another name",
            );
        }
        let said = words.title.as_ref().map(syn::LitStr::value);
        let title = match said.or_else(|| words.text()) {
            Some(title) => quote!(::core::option::Option::Some(#title)),
            None => quote!(::core::option::Option::None),
        };
        options.push(quote!(::saga_runtime::elicit::Choice { value: #name, title: #title }));
        names.push(name);
    }
    if names.is_empty() && errors.is_empty() {
        errors.refuse(
            &input.ident,
            "a choice without options",
            "there is nothing to choose",
            "at least one variant",
        );
    }
    errors.finish()?;
    let name = &input.ident;
    let schema = json_schema(
        input,
        &quote!(::saga_runtime::elicit::choice_schema(
            <Self as ::saga_runtime::elicit::FormChoice>::OPTIONS
        )),
    );
    Ok(quote! {
        impl ::saga_runtime::elicit::FormChoice for #name {
            const OPTIONS: &'static [::saga_runtime::elicit::Choice] = &[#(#options),*];
        }

        impl ::saga_runtime::elicit::FormField for #name {
            fn kind() -> ::saga_runtime::elicit::Kind {
                ::saga_runtime::elicit::Kind::Choice(
                    <Self as ::saga_runtime::elicit::FormChoice>::OPTIONS,
                )
            }
        }

        #schema
    })
}
