//! A struct: a form.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{DataStruct, DeriveInput, Expr, Field, Fields, Type, spanned::Spanned};

use super::{
    attributes::Words,
    json_schema,
    limits::{self, Value},
};
use crate::errors::Errors;

pub(super) fn form(
    input: &DeriveInput,
    data: &DataStruct,
    mut errors: Errors,
) -> Result<TokenStream, Errors> {
    let whole = Words::of(&input.attrs)?;
    let case = whole.case()?;
    let fields = match &data.fields {
        Fields::Named(fields) => fields.named.iter().collect(),
        Fields::Unit => Vec::new(),
        Fields::Unnamed(_) => {
            errors.refuse(
                &input.ident,
                "a form whose fields have no names",
                "the client sends an object",
                "`struct Form { name: Type }`",
            );
            Vec::new()
        }
    };
    for word in &whole.reshaped {
        errors.refuse(
            word,
            "a form in another shape",
            "the client sends a flat object with the fields of the struct",
            "leave it off",
        );
    }
    let mut names: Vec<String> = Vec::new();
    let mut parts = Vec::new();
    for field in fields {
        let words = Words::of(&field.attrs)?;
        if words.skip {
            continue;
        }
        let own = field.ident.as_ref().map(ToString::to_string);
        let own = own.unwrap_or_default();
        let own = own.trim_start_matches("r#");
        let cased = || case.map_or_else(|| own.to_owned(), |case| case.field(own));
        let name = words
            .rename
            .as_ref()
            .map_or_else(cased, |name| name.value());
        if names.contains(&name) {
            errors.refuse(
                &field.ident,
                &format!("two fields of the name `{name}`"),
                "an object has one of a name",
                "another name",
            );
        }
        parts.push(part(field, &name, &words, &mut errors));
        names.push(name);
    }
    errors.finish()?;
    let name = &input.ident;
    let title = option(whole.title.as_ref().map(syn::LitStr::value));
    let description = option(whole.text());
    let (fields, checks): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    let schema = json_schema(
        input,
        &quote!(<Self as ::saga_runtime::elicit::Elicit>::form().json_schema()),
    );
    Ok(quote! {
        impl ::saga_runtime::elicit::Elicit for #name {
            fn form() -> &'static ::saga_runtime::elicit::Form {
                static FORM: ::std::sync::OnceLock<::saga_runtime::elicit::Form> =
                    ::std::sync::OnceLock::new();
                FORM.get_or_init(|| {
                    ::saga_runtime::elicit::Form::new(
                        #title,
                        #description,
                        ::std::vec![#(#fields),*],
                    )
                })
            }
        }

        impl ::saga_runtime::__private::rmcp::service::ElicitationSafe for #name {}

        #schema

        const _: () = { #(#checks)* };
    })
}

/// The field as data, and what the compiler checks of it.
fn part(
    field: &Field,
    name: &str,
    words: &Words,
    errors: &mut Errors,
) -> (TokenStream, TokenStream) {
    for word in &words.reshaped {
        errors.refuse(
            word,
            "a field in another shape",
            "the client sends what the schema says, which is made of the field's type",
            "leave it off, and convert after the answer",
        );
    }
    limits::check(words, errors);
    let ty = &field.ty;
    let span = ty.span();
    let mut part = quote_spanned!(span=> ::saga_runtime::elicit::Field::of::<#ty>(#name));
    let mut checks = TokenStream::new();
    let mut needs = |marker: TokenStream| {
        checks.extend(quote_spanned! {span=>
            const _: fn() = || {
                fn __needs<T: ::saga_runtime::elicit::#marker>() {}
                __needs::<#ty>();
            };
        });
    };
    if let Some(title) = &words.title {
        part.extend(quote!(.title(#title)));
    }
    if let Some(description) = words.text() {
        part.extend(quote!(.description(#description)));
    }
    if words.may_be_missing {
        part.extend(quote!(.optional()));
    }
    if words.min_length.is_some() || words.max_length.is_some() {
        needs(quote!(TextField));
        let (min, max) = (given(&words.min_length), given(&words.max_length));
        part.extend(quote!(.length(#min, #max)));
    }
    if let Some(format) = &words.format {
        needs(quote!(TextField));
        if let Some(format) = limits::format(format, errors) {
            part.extend(quote!(.format(::saga_runtime::elicit::Format::#format)));
        }
    }
    if words.min_items.is_some() || words.max_items.is_some() {
        needs(quote!(ListField));
        let (min, max) = (given(&words.min_items), given(&words.max_items));
        part.extend(quote!(.items(#min, #max)));
    }
    if words.min.is_some() || words.max.is_some() {
        needs(quote!(NumberField));
        let float = [&words.min, &words.max]
            .into_iter()
            .flatten()
            .any(|bound| matches!(Value::of(bound), Some(Value::Float(_))));
        let bound = |bound: &Option<Expr>| match bound {
            Some(bound) if float => quote!(::core::option::Option::Some(#bound as f64)),
            Some(bound) => quote!(::core::option::Option::Some(#bound)),
            None => quote!(::core::option::Option::None),
        };
        let (min, max) = (bound(&words.min), bound(&words.max));
        let range = if float {
            quote!(float_range)
        } else {
            quote!(range)
        };
        part.extend(quote!(.#range(#min, #max)));
    }
    if let Some(default) = &words.default {
        let value = default_value(default);
        part.extend(quote!(.default_value(#value)));
        checks.extend(default_check(default, inner(ty)));
    }
    (part, checks)
}

/// The default as JSON; a number without a suffix is as large as JSON's may be.
fn default_value(default: &Expr) -> TokenStream {
    match Value::of(default) {
        Some(Value::Integer(_)) => quote!(#default as i64),
        Some(Value::List(items)) => {
            quote!(::std::vec![#(::std::string::String::from(#items)),*])
        }
        _ => quote!(#default),
    }
}

/// Lets the compiler see that the default is one of the field's type.
fn default_check(default: &Expr, ty: &Type) -> TokenStream {
    let span = default.span();
    let option = |value: &str, ty: &Type| {
        quote_spanned! {span=>
            const _: () = ::core::assert!(
                ::saga_runtime::elicit::is_option(
                    <#ty as ::saga_runtime::elicit::FormChoice>::OPTIONS,
                    #value,
                ),
                "this default is none of the options",
            );
        }
    };
    match Value::of(default) {
        Some(Value::Text(_)) if is_named(ty, "String") => TokenStream::new(),
        Some(Value::Text(value)) => option(&value, ty),
        Some(Value::List(values)) => values
            .iter()
            .map(|value| option(value, inner(ty)))
            .collect(),
        Some(_) => quote_spanned!(span=> const _: #ty = #default;),
        None => TokenStream::new(),
    }
}

fn option(text: Option<String>) -> TokenStream {
    match text {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    }
}

fn given(expr: &Option<Expr>) -> TokenStream {
    match expr {
        Some(expr) => quote!(::core::option::Option::Some(#expr)),
        None => quote!(::core::option::Option::None),
    }
}

fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
}

/// The `T` of `Option<T>`, `Vec<T>` and sets; any other type is its own.
fn inner(ty: &Type) -> &Type {
    let Type::Path(path) = ty else { return ty };
    let Some(last) = path.path.segments.last() else {
        return ty;
    };
    let wraps = ["Option", "Vec", "BTreeSet", "HashSet"];
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return ty;
    };
    match arguments.args.first() {
        Some(syn::GenericArgument::Type(first)) if wraps.iter().any(|name| last.ident == name) => {
            inner(first)
        }
        _ => ty,
    }
}
