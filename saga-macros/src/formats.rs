//! Asks in the arguments of std's formatting macros and of `vec!`: what they do around an argument is
//! known, so the arguments are evaluated before them.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{
    Expr, Ident, Stmt, Token,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

use crate::{asks::Handles, errors::Errors, locks::refuse_lock};

/// Macros that borrow each argument until they return.
const BORROW: &[&str] = &["format", "print", "println", "eprint", "eprintln", "panic"];

/// `name = value`, or `value`.
pub(crate) struct Argument {
    name: Option<Ident>,
    pub(crate) value: Expr,
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let named = input.peek(Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]);
        let name = if named {
            let name = input.parse()?;
            input.parse::<Token![=]>()?;
            Some(name)
        } else {
            None
        };
        let value = input.parse()?;
        Ok(Self { name, value })
    }
}

impl ToTokens for Argument {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let value = &self.value;
        tokens.extend(match &self.name {
            Some(name) => quote!(#name = #value),
            None => quote!(#value),
        });
    }
}

/// Macros whose text is text.
const PLAIN: &[&str] = &[
    "concat",
    "dbg",
    "env",
    "include_bytes",
    "include_str",
    "json",
    "matches",
    "stringify",
    "vec",
];

/// Whether a macro's first text may be a format with names in it.
pub(crate) fn takes_format(invocation: &syn::Macro) -> bool {
    let last = invocation.path.segments.last();
    last.is_none_or(|last| is_format(&last.ident.to_string()))
}

/// The same by the macro's name.
pub(crate) fn is_format(name: &str) -> bool {
    !PLAIN.contains(&name)
}

/// The arguments of a macro that takes expressions.
pub(crate) fn arguments(invocation: &syn::Macro) -> Option<Punctuated<Argument, Token![,]>> {
    let parser = Punctuated::parse_terminated;
    invocation.parse_body_with(parser).ok()
}

/// A call of one of the macros, its arguments read.
pub(crate) struct Formatted<'m> {
    path: &'m syn::Path,
    borrows: bool,
    arguments: Punctuated<Argument, Token![,]>,
}

impl<'m> Formatted<'m> {
    pub(crate) fn parse(invocation: &'m syn::Macro) -> Option<Self> {
        let name = invocation.path.segments.last()?.ident.to_string();
        let borrows = BORROW.contains(&name.as_str());
        if !borrows && name != "vec" {
            return None;
        }
        Some(Self {
            path: &invocation.path,
            borrows,
            arguments: arguments(invocation)?,
        })
    }

    pub(crate) fn values(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.arguments
            .iter_mut()
            .map(|argument| &mut argument.value)
    }

    /// ```text
    /// format!("{} {}", a(), ask.await)   →   { let x = a(); let y = ask.await; format!("{} {}", x, y) }
    /// ```
    pub(crate) fn hoist(mut self, handles: &Handles, errors: &mut Errors) -> Option<Expr> {
        let asks = |argument: &Argument| handles.contains_suspension(&argument.value);
        let last = self.arguments.iter().rposition(asks)?;
        let mut before: Vec<Stmt> = Vec::new();
        for (index, argument) in self.arguments.iter_mut().enumerate().take(last + 1) {
            let value = &argument.value;
            // A place is only borrowed, so it is the same when the others have been evaluated.
            if matches!(value, Expr::Lit(_)) || (self.borrows && is_place(value)) {
                continue;
            }
            if !handles.contains_suspension(value) {
                refuse_lock(value, errors);
            }
            let kept = format_ident!("__saga_argument_{index}");
            before.push(syn::parse_quote!(let #kept = #value;));
            argument.value = syn::parse_quote!(#kept);
        }
        let Self {
            path, arguments, ..
        } = self;
        Some(syn::parse_quote!({ #(#before)* #path!(#arguments) }))
    }
}

fn is_place(expr: &Expr) -> bool {
    match crate::asks::peel(expr) {
        Expr::Path(_) => true,
        Expr::Field(field) => is_place(&field.base),
        _ => false,
    }
}
