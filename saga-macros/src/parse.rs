//! From tokens to the function that `#[saga]` stands on.

use proc_macro2::TokenStream;
use syn::{Attribute, FnArg, ImplItemFn, PatType, ReturnType, Type, visit_mut::VisitMut};

use crate::{asks::Handles, errors::Errors, fingerprint::fingerprint, resolve::is_handle_type};

/// The annotated function.
pub(crate) struct Input {
    pub(crate) item: ImplItemFn,
    pub(crate) kind: Kind,
    pub(crate) handles: Handles,
    pub(crate) fingerprint: u64,
}

/// How the function is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// By rmcp's router: a tool.
    Tool,
    /// By other functions.
    Helper,
}

impl Input {
    /// The parameters apart from `self`.
    pub(crate) fn params(&self) -> impl Iterator<Item = &PatType> {
        self.item.sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(param) => Some(param),
            FnArg::Receiver(_) => None,
        })
    }

    /// The declared return type.
    pub(crate) fn output(&self) -> Type {
        match &self.item.sig.output {
            ReturnType::Default => syn::parse_quote!(()),
            ReturnType::Type(_, ty) => (**ty).clone(),
        }
    }
}

/// Reads the function, or says why this is none that can be continued.
pub(crate) fn parse(attribute: TokenStream, item: TokenStream) -> Result<Input, Errors> {
    if !attribute.is_empty() {
        let mut errors = Errors::default();
        errors.refuse(
            &attribute,
            "`#[saga]` takes no arguments here",
            "everything is taken from the function itself",
            "`#[saga]`",
        );
        errors.finish()?;
    }
    let item: ImplItemFn = syn::parse2(item).map_err(|error| {
        let message = "`#[saga]` stands on an `async fn` with a body\n  = instead: put it above the function, and above `#[tool]`";
        let mut errors = syn::Error::new(error.span(), message);
        errors.combine(error);
        errors
    })?;
    let mut errors = Errors::default();
    if item.sig.asyncness.is_none() {
        refuse_sync(&item, &mut errors);
    }
    errors.finish()?;
    let kind = if item.attrs.iter().any(is_tool) {
        Kind::Tool
    } else {
        Kind::Helper
    };
    let handles = Handles::of(&item.sig, &item.block);
    let mut item = item;
    MatchesMacro(&handles).visit_block_mut(&mut item.block);
    let fingerprint = fingerprint(&item.sig, &item.block);
    Ok(Input {
        item,
        kind,
        handles,
        fingerprint,
    })
}

fn refuse_sync(item: &ImplItemFn, errors: &mut Errors) {
    let expanded = match &item.sig.output {
        ReturnType::Type(_, ty) => is_boxed_future(ty),
        ReturnType::Default => false,
    };
    if expanded {
        errors.refuse(
            &item.sig.ident,
            "`#[saga]` stands below `#[tool]`",
            "`#[tool]` has already turned the `async fn` into one that returns a boxed future",
            "`#[saga]` above `#[tool]`",
        );
    } else {
        errors.refuse(
            &item.sig.fn_token,
            "`#[saga]` stands on a function that is not `async`",
            "only an `async fn` can await the client",
            "`async fn`, or leave `#[saga]` off",
        );
    }
}

fn is_boxed_future(ty: &Type) -> bool {
    let text = quote::ToTokens::to_token_stream(ty).to_string();
    text.contains("Pin") && text.contains("Future")
}

/// `#[tool]`, `#[rmcp::tool]`.
pub(crate) fn is_tool(attribute: &Attribute) -> bool {
    attribute
        .path()
        .segments
        .last()
        .is_some_and(|last| last.ident == "tool")
}

/// Whether a type is a reference, or an `Option` of one: it can be handed out again and again.
pub(crate) fn is_shared_reference(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => reference.mutability.is_none(),
        Type::Paren(paren) => is_shared_reference(&paren.elem),
        Type::Group(group) => is_shared_reference(&group.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
                return false;
            };
            last.ident == "Option"
                && arguments.args.iter().any(|argument| {
                    matches!(argument, syn::GenericArgument::Type(ty) if is_shared_reference(ty))
                })
        }),
        _ => false,
    }
}

/// `&mut T`.
pub(crate) fn is_unique_reference(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference) if reference.mutability.is_some())
}

/// `Parameters<T>` or `JsonObject`: what rmcp makes from the call's arguments.
pub(crate) fn is_argument_type(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| {
        last.ident == "Parameters" || last.ident == "JsonObject"
    }))
}

/// The handle by value.
pub(crate) fn is_owned_handle(ty: &Type) -> bool {
    is_handle_type(ty) && matches!(ty, Type::Path(_))
}

/// ```text
/// matches!(ask, PAT)   →   match ask { PAT => true, _ => false }
/// ```
struct MatchesMacro<'a>(&'a Handles);

impl VisitMut for MatchesMacro<'_> {
    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        if let syn::Expr::Macro(invocation) = expr
            && invocation.mac.path.is_ident("matches")
            && let Ok((scrutinee, pat)) = invocation.mac.parse_body_with(scrutinee_and_pattern)
            && self.0.contains_suspension(&scrutinee)
        {
            *expr = syn::parse_quote!(match #scrutinee { #pat => true, _ => false });
        }
        syn::visit_mut::visit_expr_mut(self, expr);
    }
}

fn scrutinee_and_pattern(
    input: syn::parse::ParseStream<'_>,
) -> syn::Result<(syn::Expr, TokenStream)> {
    let scrutinee = input.parse()?;
    input.parse::<syn::Token![,]>()?;
    let pat: TokenStream = input.parse()?;
    let mut tokens: Vec<_> = pat.into_iter().collect();
    if matches!(tokens.last(), Some(proc_macro2::TokenTree::Punct(punct)) if punct.as_char() == ',')
    {
        tokens.pop();
    }
    Ok((scrutinee, tokens.into_iter().collect()))
}
