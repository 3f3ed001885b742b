//! `#[resource("books://{title}", mime_type = "text/plain")]`.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{
    Expr, FnArg, ItemFn, Lit, LitStr, Meta, Token, ext::IdentExt, parse::Parse, parse::ParseStream,
};

use crate::{ast::attributes::is_saga, errors::Errors};

/// What `#[saga]` says in the attribute: the forms of the function that MCP does not allow. No author writes it.
pub(crate) const FORMS: &str = "__saga_forms";

/// What stands in the attribute.
struct Said {
    uri: LitStr,
    name: Option<LitStr>,
    title: Option<LitStr>,
    description: Option<LitStr>,
    mime_type: Option<LitStr>,
    forms: Option<Expr>,
}

impl Parse for Said {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let uri = input.parse().map_err(|error: syn::Error| {
            syn::Error::new(
                error.span(),
                "`#[resource]` without a URI\n  = why: a client reads a resource by its URI\n  = instead: `#[resource(\"books://{title}\")]`",
            )
        })?;
        let mut said = Self {
            uri,
            name: None,
            title: None,
            description: None,
            mime_type: None,
            forms: None,
        };
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let key = syn::Ident::parse_any(input)?;
            if key == FORMS {
                input.parse::<Token![=]>()?;
                said.forms = Some(input.parse()?);
                continue;
            }
            let place = match key.to_string().as_str() {
                "name" => &mut said.name,
                "title" => &mut said.title,
                "description" => &mut said.description,
                "mime_type" => &mut said.mime_type,
                _ => {
                    return Err(syn::Error::new(
                        key.span(),
                        format!(
                            "`{key}` is nothing that `#[resource]` knows\n  = why: it says what is listed of a resource\n  = instead: `name`, `title`, `description`, `mime_type`, each with a text"
                        ),
                    ));
                }
            };
            input.parse::<Token![=]>()?;
            if place.replace(input.parse()?).is_some() {
                return Err(syn::Error::new(key.span(), format!("`{key}` twice")));
            }
        }
        Ok(said)
    }
}

/// The function as it is, and beside it what it says of itself.
pub(crate) fn resource(attribute: TokenStream, item: TokenStream) -> Result<TokenStream, Errors> {
    let said: Said = syn::parse2(attribute)?;
    let function: ItemFn = syn::parse2(item)?;
    let mut errors = Errors::default();
    if let Some(problem) = uri_problem(&said.uri.value()) {
        errors.refuse(
            &said.uri,
            &problem,
            "a client is told the URI, or a template that it fills in",
            "a URI with its scheme, `books://all`, or one with variables, `books://{title}/{page}`; `{+path}` for one that has slashes",
        );
    }
    if let Some(FnArg::Receiver(receiver)) = function.sig.inputs.first() {
        errors.refuse(
            receiver,
            "`#[resource]` on a method",
            "a toolbox calls free functions; rmcp has no router of resources",
            "`State<T>` in place of `self`, or `#[saga]` on the `read_resource` of a `ServerHandler`",
        );
    }
    let attributes = &mut function.attrs.iter();
    if let Some(below) = attributes.find(|attribute| is_saga(attribute.path())) {
        errors.refuse(
            below,
            "`#[saga]` stands below `#[resource]`",
            "it must see which kind of function it compiles",
            "`#[saga]` above `#[resource]`",
        );
    }
    errors.finish()?;
    let ident = &function.sig.ident;
    let attr = format_ident!("{}_resource_attr", ident);
    let doc = format!("What a client is told of `{ident}`.");
    let (vis, uri) = (&function.vis, &said.uri);
    let plain_name = LitStr::new(&ident.unraw().to_string(), ident.span());
    let name = said.name.as_ref().unwrap_or(&plain_name);
    let description = said.description.clone().or_else(|| doc_of(&function));
    let [title, description, mime_type] =
        [&said.title, &description, &said.mime_type].map(|text| match text {
            Some(text) => quote!(::core::option::Option::Some(#text)),
            None => quote!(::core::option::Option::None),
        });
    let forms = match &said.forms {
        Some(forms) => quote!(#forms),
        None => quote!(::std::vec::Vec::new()),
    };
    Ok(quote! {
        #[doc = #doc]
        #vis fn #attr() -> ::saga_runtime::__private::ResourceAttr {
            ::saga_runtime::__private::ResourceAttr {
                uri: #uri,
                name: #name,
                title: #title,
                description: #description,
                mime_type: #mime_type,
                forms: #forms,
            }
        }
        #function
    })
}

/// The doc comment.
fn doc_of(function: &ItemFn) -> Option<LitStr> {
    let lines = function.attrs.iter().filter_map(|attribute| {
        let Meta::NameValue(pair) = &attribute.meta else {
            return None;
        };
        match &pair.value {
            Expr::Lit(literal) if pair.path.is_ident("doc") => match &literal.lit {
                Lit::Str(line) => Some(line.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        }
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    (!text.is_empty()).then(|| LitStr::new(&text, Span::call_site()))
}

/// What is wrong with a URI or a template.
fn uri_problem(uri: &str) -> Option<String> {
    let scheme = uri.split_once(':').map(|(scheme, _)| scheme);
    let is_scheme = scheme.is_some_and(|scheme| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    });
    if !is_scheme {
        return Some(format!("`{uri}` is not a URI: it has no scheme"));
    }
    if uri.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Some(format!("`{uri}` is not a URI: there is space in it"));
    }
    let mut names = BTreeSet::new();
    let mut pieces = uri.split('{');
    if pieces.next().is_some_and(|start| start.contains('}')) {
        return Some("a `}` without its `{`".to_owned());
    }
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        let Some((name, behind)) = piece.split_once('}') else {
            return Some("a `{` without its `}`".to_owned());
        };
        let name = name.strip_prefix('+').unwrap_or(name);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_name) {
            return Some(format!(
                "`{{{name}}}` is no variable that can be read out of a URI"
            ));
        }
        if !names.insert(name) {
            return Some(format!("two variables of the name `{name}`"));
        }
        if behind.contains('}') {
            return Some("a `}` without its `{`".to_owned());
        }
        if behind.is_empty() && pieces.peek().is_some() {
            return Some(format!(
                "nothing stands between `{{{name}}}` and the next variable"
            ));
        }
    }
    None
}
