//! `toolbox![deploy, ops::restart]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Path, Token, parse::Parser, punctuated::Punctuated};

use crate::errors::Errors;

/// The functions' routes: rmcp's `#[tool]` puts a `name_tool_attr` beside each.
pub(crate) fn toolbox(input: TokenStream) -> Result<TokenStream, Errors> {
    let functions = Punctuated::<Path, Token![,]>::parse_terminated.parse2(input)?;
    let mut errors = Errors::default();
    let mut names = Vec::new();
    let mut routes = Vec::new();
    for function in functions {
        let mut attributes = function.clone();
        let Some(last) = attributes.segments.last_mut() else {
            continue;
        };
        let name = last.ident.to_string();
        if names.contains(&name) {
            errors.refuse(
                &function,
                &format!("two tools of the name `{name}`"),
                "a client calls a tool by its name",
                "the function once, or `#[tool(name = \"..\")]` and another name for the function",
            );
        }
        last.ident = format_ident!("{}_tool_attr", last.ident);
        names.push(name);
        routes.push(quote! {
            ::saga_runtime::__private::rmcp::handler::server::router::tool::ToolRoute::new(
                #attributes(),
                #function,
            )
        });
    }
    errors.finish()?;
    Ok(quote!(::saga_runtime::Toolbox::of([#(#routes),*])))
}
