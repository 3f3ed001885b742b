//! Names in tokens that are not parsed.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

use super::keywords::captured_name;

/// Every name in a macro's tokens that may be a variable: identifiers that do not follow a dot, and
/// the inline captures of format strings (`"{name}"`).
pub(crate) fn token_names(tokens: TokenStream, found: &mut impl FnMut(&str)) {
    let mut after_dot = false;
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                if !after_dot {
                    found(&ident.to_string());
                }
                after_dot = false;
            }
            TokenTree::Group(group) => {
                token_names(group.stream(), found);
                after_dot = false;
            }
            TokenTree::Literal(literal) => {
                captures(&literal.to_string(), found);
                after_dot = false;
            }
            // `..` is a range or an update, after which a variable may stand.
            TokenTree::Punct(punct) => after_dot = punct.as_char() == '.' && !after_dot,
        }
    }
}

/// Every name in code that is looked into: a part of it is named, or a method called on it, other than one that copies it.
///
/// ```text
/// best.name, best.print(), *best, best[0]
/// ```
pub(crate) fn looked_into(tokens: TokenStream, found: &mut impl FnMut(String)) {
    let mut tokens = tokens.into_iter().peekable();
    let mut is_behind = false;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) => {
                let (mut dot, mut copied) = (false, false);
                let mut ahead = tokens.clone();
                match ahead.next() {
                    Some(TokenTree::Punct(punct)) if punct.as_char() == '.' => {
                        dot = punct.spacing() == proc_macro2::Spacing::Alone;
                        copied = matches!(ahead.next(), Some(TokenTree::Ident(method))
                            if method == "clone" || method == "to_string" || method == "to_owned");
                    }
                    Some(TokenTree::Group(group)) => {
                        dot = group.delimiter() == proc_macro2::Delimiter::Bracket;
                    }
                    _ => {}
                }
                if is_behind || (dot && !copied) {
                    found(ident.to_string());
                }
                is_behind = false;
            }
            TokenTree::Group(group) => {
                looked_into(group.stream(), found);
                is_behind = false;
            }
            TokenTree::Punct(punct) => is_behind = punct.as_char() == '*',
            TokenTree::Literal(_) => is_behind = false,
        }
    }
}

/// Code that is never reached: types unify in it, and borrows do not.
pub(crate) fn never(told: &TokenStream) -> TokenStream {
    if told.is_empty() {
        return TokenStream::new();
    }
    quote! {
        '__saga_never: {
            break '__saga_never;
            #told
        }
    }
}

/// Whether there is a static in code, or a macro that makes one.
pub(crate) fn declares_static(tokens: TokenStream) -> bool {
    let mut in_lifetime = false;
    tokens.into_iter().any(|token| {
        let of_lifetime = in_lifetime;
        in_lifetime = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
        match token {
            TokenTree::Ident(name) => {
                !of_lifetime
                    && ["static", "thread_local", "task_local", "lazy_static"]
                        .iter()
                        .any(|declaring| name == declaring)
            }
            TokenTree::Group(group) => declares_static(group.stream()),
            _ => false,
        }
    })
}

/// The captures of a format string: `{name}`, `{name:?}`, `{:width$}`, `{:.precision$}`.
fn captures(literal: &str, found: &mut impl FnMut(&str)) {
    if !literal.contains('"') {
        return;
    }
    let mut rest = literal;
    while let Some(start) = rest.find('{') {
        rest = &rest[start + 1..];
        if let Some(escaped) = rest.strip_prefix('{') {
            rest = escaped;
            continue;
        }
        let Some(end) = rest.find('}') else { return };
        let (spec, after) = rest.split_at(end);
        let is_name = |name: &str| {
            name.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        };
        let (name, format) = spec.split_once(':').unwrap_or((spec, ""));
        if is_name(name.trim()) {
            found(&captured_name(name.trim()));
        }
        for width in format
            .split_inclusive('$')
            .filter_map(|part| part.strip_suffix('$'))
        {
            let start = width
                .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
                .map_or(0, |at| {
                    at + width[at..].chars().next().map_or(1, char::len_utf8)
                });
            let name = width[start..].trim_start_matches(|c: char| c.is_ascii_digit());
            if is_name(name) {
                found(&captured_name(name));
            }
        }
        rest = after;
    }
}
