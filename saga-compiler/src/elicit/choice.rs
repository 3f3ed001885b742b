//! An enum without data: a choice.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
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
    let said = [&whole.title, &whole.description];
    let said = said.into_iter().flatten().map(|text| text as &dyn ToTokens);
    for word in said.chain(whole.of_a_field()) {
        errors.refuse(
            &word,
            "a word on a choice that belongs to a field",
            "a form shows the field, and each may have words of its own",
            "the same on the fields of this type",
        );
    }
    let mut options = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            errors.refuse(
                &variant.fields,
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
        refuse_words(&words, &mut errors);
        let name = words.name_of(Some(&variant.ident), |own| {
            case.map_or_else(|| own.to_owned(), |case| case.variant(own))
        });
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
            const SHAPE: ::saga_runtime::elicit::Shape = ::saga_runtime::elicit::Shape::of(
                ::saga_runtime::elicit::Takes::Choice(
                    <Self as ::saga_runtime::elicit::FormChoice>::OPTIONS,
                ),
            );
        }

        #schema
    })
}

/// Refuses words that are none of an option.
fn refuse_words(words: &Words, errors: &mut Errors) {
    for word in &words.reshaped {
        errors.refuse(
            word,
            "an option in another form",
            "the client sends one of the names in the schema, and nothing else",
            "`#[serde(skip)]` where it is not to be chosen, or leave it off",
        );
    }
    for word in &words.other_names {
        errors.refuse(
            word,
            "an option with a second name",
            "the client sends the one in the schema, and serde would read the other as this option, too",
            "`#[serde(rename = \"..\")]` with the one that is sent",
        );
    }
    for word in words.of_a_field() {
        errors.refuse(
            &word,
            "a word on an option that belongs to a field",
            "an option has a name and a title",
            "the same on the field that is of this choice",
        );
    }
}
