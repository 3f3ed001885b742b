//! A struct: a form.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
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
        Fields::Unit => {
            errors.refuse(
                &input.ident,
                "a form that is a unit struct",
                "serde reads it from nothing, and the client sends an object",
                "`struct Form {}`",
            );
            Vec::new()
        }
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
    refuse_words(&whole, &mut errors);
    let mut names: Vec<String> = Vec::new();
    let mut parts = Vec::new();
    for field in fields {
        let mut words = Words::of(&field.attrs)?;
        if words.skip {
            continue;
        }
        words.may_be_missing |= whole.may_be_missing;
        let name = words.name_of(field.ident.as_ref(), |own| {
            case.map_or_else(|| own.to_owned(), |case| case.field(own))
        });
        if names.contains(&name) {
            errors.refuse(
                &field.ident,
                &format!("two fields of the name `{name}`"),
                "an object has one of a name",
                "another name",
            );
        }
        let shape = format_ident!("__SHAPE_{}", names.len());
        parts.push(part(field, &name, &words, &shape, &mut errors));
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
        const _: () = {
        #(#checks)*

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
        };
    })
}

/// Refuses words that are none of a form.
fn refuse_words(whole: &Words, errors: &mut Errors) {
    for word in &whole.reshaped {
        errors.refuse(
            word,
            "a form in another shape",
            "the client sends a flat object with the fields of the struct",
            "leave it off",
        );
    }
    for word in whole.of_a_field() {
        errors.refuse(
            &word,
            "a word on a form that belongs to a field",
            "a form has a title and a description",
            "the same on the field",
        );
    }
}

/// The field as data, and what the compiler checks of it.
///
/// The type is looked at in one constant, so that one which is of no field is one error.
fn part(
    field: &Field,
    name: &str,
    words: &Words,
    shape: &syn::Ident,
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
    for word in &words.other_names {
        errors.refuse(
            word,
            "a field with a second name",
            "the schema has one, and what is sent under the other would not be checked",
            "`#[serde(rename = \"..\")]` with the one that is asked for",
        );
    }
    for word in &words.unsayable {
        errors.refuse(
            word,
            "a word of schemars that a form's schema cannot say",
            "the specification gives text a length and a format, numbers a range, and nothing else",
            "leave it off, and check after the answer; `#[elicit(pattern = \"..\")]` is checked in the answer by the server",
        );
    }
    limits::check(words, errors);
    let ty = &field.ty;
    let span = ty.span();
    let mut part = quote!(::saga_runtime::elicit::Field::of(#name, #shape));
    let mut checks = quote_spanned! {span=>
        const #shape: ::saga_runtime::elicit::Shape =
            <#ty as ::saga_runtime::elicit::FormField>::SHAPE;
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
    let (text, of_text) = text_limits(words, ty, shape, errors);
    part.extend(text);
    checks.extend(of_text);
    let mut refuse = |on: &dyn ToTokens, check: &str, literal: Option<TokenStream>| {
        checks.extend(refusal(on, shape, check, literal));
    };
    if let Some(first) = words.min_items.as_ref().or(words.max_items.as_ref()) {
        refuse(first, "items", None);
        let (min, max) = (given(&words.min_items), given(&words.max_items));
        part.extend(quote!(.items(#min, #max)));
    }
    if let Some(first) = words.min.as_ref().or(words.max.as_ref()) {
        refuse(first, "range", None);
        let bounds = [&words.min, &words.max].into_iter().flatten();
        let bounds = bounds.filter_map(|bound| Some((bound, Value::of(bound)?)));
        let bounds: Vec<_> = bounds.collect();
        let fractional = |(_, value): &&(&Expr, Value)| matches!(value, Value::Float(_));
        if let Some((bound, value)) = bounds.iter().find(fractional) {
            refuse(bound, "bound", Some(value.literal()));
            let (min, max) = (float(&words.min), float(&words.max));
            part.extend(quote!(.float_range(#min, #max)));
        } else {
            for (bound, value) in &bounds {
                refuse(bound, "bound", Some(value.literal()));
            }
            let (min, max) = (integer(&words.min), integer(&words.max));
            part.extend(quote!(.range(#min, #max)));
        }
    }
    if let Some(default) = &words.default
        && let Some(value) = Value::of(default)
    {
        refuse(default, "default", Some(value.literal()));
        let value = value.json();
        part.extend(quote!(.default_value(#value)));
    }
    (part, checks)
}

/// What is said of a text, and what the compiler checks of it.
fn text_limits(
    words: &Words,
    ty: &Type,
    shape: &syn::Ident,
    errors: &mut Errors,
) -> (TokenStream, TokenStream) {
    let (mut part, mut checks) = (TokenStream::new(), TokenStream::new());
    if let Some(first) = words.min_length.as_ref().or(words.max_length.as_ref()) {
        let (min, max) = (given(&words.min_length), given(&words.max_length));
        if words.size && is_list(ty) {
            part.extend(quote!(.items(#min, #max)));
        } else {
            checks.extend(refusal(first, shape, "length", None));
            part.extend(quote!(.length(#min, #max)));
        }
    }
    if let Some(format) = &words.format {
        checks.extend(refusal(format, shape, "format", None));
        if let Some(format) = limits::format(format, errors) {
            part.extend(quote!(.format(::saga_runtime::elicit::Format::#format)));
        }
    }
    if let Some(pattern) = &words.pattern {
        checks.extend(refusal(pattern, shape, "pattern", None));
        part.extend(quote!(.pattern(#pattern)));
    }
    (part, checks)
}

/// An error of the compiler where the field's type has no such limit.
fn refusal(
    on: &dyn ToTokens,
    shape: &syn::Ident,
    check: &str,
    literal: Option<TokenStream>,
) -> TokenStream {
    let check = format_ident!("{check}");
    let literal = literal.map(|literal| quote!(&#literal));
    quote_spanned! {on.span()=>
        const _: () = if let ::core::option::Option::Some(refusal) =
            ::saga_runtime::elicit::refuse::#check(&#shape, #literal)
        {
            ::core::panic!("{}", refusal)
        };
    }
}

fn option(text: Option<impl ToTokens>) -> TokenStream {
    match text {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    }
}

fn given(count: &Option<Expr>) -> TokenStream {
    option(count.as_ref().and_then(Value::of).and_then(|v| v.count()))
}

fn integer(bound: &Option<Expr>) -> TokenStream {
    option(bound.as_ref().and_then(Value::of).map(|v| v.json()))
}

fn float(bound: &Option<Expr>) -> TokenStream {
    option(bound.as_ref().and_then(Value::of).and_then(|v| v.number()))
}

/// `Vec<T>` and sets, also as an option.
fn is_list(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let Some(last) = path.path.segments.last() else {
        return false;
    };
    let lists = ["Vec", "BTreeSet", "HashSet"];
    match &last.arguments {
        _ if lists.iter().any(|name| last.ident == name) => true,
        syn::PathArguments::AngleBracketed(arguments) if last.ident == "Option" => {
            matches!(arguments.args.first(), Some(syn::GenericArgument::Type(inner)) if is_list(inner))
        }
        _ => false,
    }
}
