//! Macros: which are known, and what stands in them.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Expr, Ident, Pat, Token,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

use super::tokens::Texts;

/// Of std, `anyhow`, `eyre`, `log`, `tracing` and `serde_json`, by their last name.
const KNOWN: &[&str] = &[
    "anyhow",
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "concat",
    "dbg",
    "debug",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "debug_span",
    "enabled",
    "env",
    "eprint",
    "eprintln",
    "error",
    "error_span",
    "event",
    "eyre",
    "file",
    "format",
    "format_args",
    "include_bytes",
    "include_str",
    "info",
    "info_span",
    "json",
    "line",
    "log",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "pin",
    "print",
    "println",
    "span",
    "stringify",
    "todo",
    "trace",
    "trace_span",
    "unimplemented",
    "unreachable",
    "vec",
    "warn",
    "warn_span",
    "write",
    "writeln",
];

pub(crate) fn is_known(invocation: &syn::Macro) -> bool {
    let last = invocation.path.segments.last();
    last.is_some_and(|last| is_known_name(&last.ident.to_string()))
}

/// The same of a name.
pub(crate) fn is_known_name(name: &str) -> bool {
    KNOWN.contains(&name)
}

/// `name = value`, or `value`.
pub(crate) struct Argument {
    name: Option<Ident>,
    pub(crate) value: Expr,
}

impl Argument {
    pub(crate) fn name(&self) -> Option<String> {
        self.name.as_ref().map(ToString::to_string)
    }
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

/// The same of one that is known to be std's, or anyhow's: it shows what it is given, and does nothing else with it.
pub(crate) fn shows(invocation: &syn::Macro) -> bool {
    (is_known(invocation) || is_of_anyhow(invocation)) && takes_format(invocation)
}

/// Which of its arguments that is at the earliest: what stands before it is a value.
pub(crate) fn format_at(invocation: &syn::Macro) -> usize {
    let last = invocation.path.segments.last();
    let name = last.map(|last| last.ident.to_string()).unwrap_or_default();
    match name.trim_start_matches("debug_") {
        "assert_eq" | "assert_ne" => 2,
        "assert" | "ensure" | "write" | "writeln" => 1,
        _ => 0,
    }
}

/// The same by the macro's name.
pub(crate) fn is_format(name: &str) -> bool {
    !PLAIN.contains(&name)
}

/// The arguments of a macro that takes expressions. `name = value` is one of a format's in those that have formats; in another
/// one, nobody knows what it does to the variable.
pub(crate) fn arguments(invocation: &syn::Macro) -> Option<Punctuated<Argument, Token![,]>> {
    let parser = Punctuated::parse_terminated;
    let arguments: Punctuated<Argument, _> = invocation.parse_body_with(parser).ok()?;
    let mut named = arguments.iter().filter(|argument| argument.name.is_some());
    let known = || is_known(invocation) || is_of_anyhow(invocation);
    (named.next().is_none() || known()).then_some(arguments)
}

/// What the texts of a macro are.
pub(crate) fn texts(invocation: &syn::Macro) -> Texts {
    let last = invocation.path.segments.last();
    texts_of(&last.map(|last| last.ident.to_string()).unwrap_or_default())
}

/// The same by the macro's name.
pub(crate) fn texts_of(name: &str) -> Texts {
    const EVENTS: &[&str] = &["debug", "error", "event", "info", "span", "trace", "warn"];
    match name.trim_end_matches("_span") {
        plain if PLAIN.contains(&plain) => Texts::Plain,
        event if EVENTS.contains(&event) => Texts::CaptureBesideFields,
        _ => Texts::Capture,
    }
}

/// `matches!(value, PATTERN if guard)`
pub(crate) fn matched(invocation: &syn::Macro) -> Option<(Expr, Pat, Option<Expr>)> {
    let is_matches = invocation.path.segments.last();
    is_matches.filter(|last| last.ident == "matches")?;
    let parse = |input: ParseStream<'_>| {
        let value = input.parse()?;
        input.parse::<Token![,]>()?;
        let pat = Pat::parse_multi_with_leading_vert(input)?;
        let guard = match input.parse::<Option<Token![if]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        input.parse::<Option<Token![,]>>()?;
        Ok((value, pat, guard))
    };
    invocation.parse_body_with(parse).ok()
}

/// Changes each of them.
pub(crate) fn change_arguments(invocation: &mut syn::Macro, mut change: impl FnMut(&mut Expr)) {
    if let Some(mut all) = arguments(invocation) {
        all.iter_mut().for_each(|one| change(&mut one.value));
        invocation.tokens = all.into_token_stream();
    }
}

/// `bail!` and `ensure!`.
pub(crate) fn is_of_anyhow(invocation: &syn::Macro) -> bool {
    let last = invocation.path.segments.last();
    last.is_some_and(|last| last.ident == "bail" || last.ident == "ensure")
}

/// Whether a macro declares items and nothing else: std's, rmcp's, and those that everybody has.
pub(crate) fn declares_items(invocation: &syn::Macro) -> bool {
    let last = invocation.path.segments.last();
    let declaring = ["elicit_safe", "lazy_static", "task_local", "thread_local"];
    last.is_some_and(|last| declaring.iter().any(|name| last.ident == name))
}

/// Whether its first argument is what it writes to.
pub(crate) fn writes(invocation: &syn::Macro) -> bool {
    let last = invocation.path.segments.last();
    last.is_some_and(|last| last.ident == "write" || last.ident == "writeln")
}

/// `SCRUTINEE, PATTERN`, as in `matches!`.
pub(crate) fn scrutinee_and_pattern(input: ParseStream<'_>) -> syn::Result<(Expr, TokenStream)> {
    let scrutinee = input.parse()?;
    input.parse::<syn::Token![,]>()?;
    let pat: TokenStream = input.parse()?;
    let mut tokens: Vec<_> = pat.into_iter().collect();
    if matches!(tokens.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == ',') {
        tokens.pop();
    }
    Ok((scrutinee, tokens.into_iter().collect()))
}
