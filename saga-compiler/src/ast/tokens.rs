//! Names in tokens that are not parsed.

use proc_macro2::{Delimiter, Group, Ident, Literal, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use super::{keywords::captured_name, macros::texts_of};

/// Whether names are in code that a block may have imported: variants and types, apart from those that mean the same everywhere.
pub(crate) fn names_importable(code: &impl ToTokens) -> bool {
    let mut named = false;
    token_names(code.to_token_stream(), &mut |name| {
        named |=
            name.starts_with(char::is_uppercase) && !["Ok", "Err", "Some", "None"].contains(&name);
    });
    named
}

/// Every name in tokens, whatever it is.
pub(crate) fn idents(tokens: TokenStream, found: &mut impl FnMut(&Ident)) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => found(&ident),
            TokenTree::Group(group) => idents(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Whether there is a `?` in tokens, or one of these words.
pub(crate) fn leads_out(tokens: TokenStream, words: &[&str]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Punct(punct) => punct.as_char() == '?',
        TokenTree::Ident(ident) => words.iter().any(|word| ident == word),
        TokenTree::Group(group) => leads_out(group.stream(), words),
        TokenTree::Literal(_) => false,
    })
}

/// Whether something is awaited anywhere in code, also in a macro.
pub(crate) fn awaits(code: &impl ToTokens) -> bool {
    let mut found = false;
    idents(code.to_token_stream(), &mut |name| found |= name == "await");
    found
}

/// A group with other tokens in it.
pub(crate) fn grouped(group: &Group, stream: TokenStream) -> TokenTree {
    let mut made = Group::new(group.delimiter(), stream);
    made.set_span(group.span());
    TokenTree::Group(made)
}

/// How often a name is anywhere in code; in a macro, or in a text, too.
pub(crate) fn mentions(code: &impl ToTokens, name: &Ident) -> usize {
    fn count(tokens: TokenStream, name: &str) -> usize {
        let of = |token| match token {
            TokenTree::Group(group) => count(group.stream(), name),
            TokenTree::Ident(ident) => usize::from(ident == name),
            TokenTree::Literal(text) => {
                let mut captured = 0;
                captures(&text_of(&text).unwrap_or_default(), &mut |found| {
                    captured += usize::from(found == name);
                });
                captured
            }
            TokenTree::Punct(_) => 0,
        };
        tokens.into_iter().map(of).sum()
    }
    count(code.to_token_stream(), &name.to_string())
}

/// Every name in a macro's tokens that may be a variable: identifiers that do not follow a dot, and
/// the inline captures of format strings (`"{name}"`).
pub(crate) fn token_names(tokens: TokenStream, found: &mut impl FnMut(&str)) {
    names_of_macro(tokens, Texts::Capture, found);
}

/// What the texts of a macro are, and what `name = value` says in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Texts {
    /// They may have names in them, and a name may be assigned.
    Capture,
    /// The same, but what stands before a `=` is the name of a field, as in `info!(user = %name)`.
    CaptureBesideFields,
    /// They are what they say.
    Plain,
}

/// Every name in a macro's tokens, by what that macro makes of texts.
pub(crate) fn names_of_macro(tokens: TokenStream, texts: Texts, found: &mut impl FnMut(&str)) {
    let mut after_dot = false;
    // What a macro inside of it makes of texts.
    let mut inside = texts;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let texts_here = std::mem::replace(&mut inside, texts);
        match token {
            TokenTree::Ident(ident) => {
                if matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == '!')
                {
                    inside = texts_of(&ident.to_string());
                }
                let assigns = matches!(tokens.peek(), Some(TokenTree::Punct(punct))
                    if punct.as_char() == '=' && punct.spacing() == Spacing::Alone);
                let is_field = assigns && texts == Texts::CaptureBesideFields;
                if !after_dot && !is_field {
                    found(&ident.to_string());
                }
                after_dot = false;
            }
            TokenTree::Group(group) => {
                names_of_macro(group.stream(), texts_here, found);
                after_dot = false;
            }
            TokenTree::Literal(literal) => {
                if texts != Texts::Plain {
                    captures(&text_of(&literal).unwrap_or_default(), found);
                }
                after_dot = false;
            }
            // `..` is a range or an update, after which a variable may stand.
            TokenTree::Punct(punct) => {
                after_dot = punct.as_char() == '.' && !after_dot;
                if punct.as_char() == '!' {
                    inside = texts_here;
                }
            }
        }
    }
}

/// What stands behind a name.
pub(crate) enum Behind {
    Field,
    Method(Ident),
    Index,
    Nothing,
}

/// Every name in code, with whether `*` stands before it, and what stands behind it.
pub(crate) fn uses_of_names(tokens: TokenStream, found: &mut impl FnMut(&Ident, bool, Behind)) {
    let mut tokens = tokens.into_iter();
    let mut star = false;
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Ident(name) => found(name, star, behind(tokens.clone())),
            TokenTree::Group(group) => uses_of_names(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
        star = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '*');
    }
}

fn behind(mut tokens: impl Iterator<Item = TokenTree>) -> Behind {
    match tokens.next() {
        // `..` is a range.
        Some(TokenTree::Punct(punct))
            if punct.as_char() == '.' && punct.spacing() == Spacing::Alone => {}
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
            return Behind::Index;
        }
        _ => return Behind::Nothing,
    }
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Ident(method)), Some(TokenTree::Group(_))) => Behind::Method(method),
        (Some(TokenTree::Ident(method)), Some(TokenTree::Punct(punct)))
            if punct.as_char() == ':' =>
        {
            Behind::Method(method)
        }
        (Some(TokenTree::Ident(_) | TokenTree::Literal(_)), _) => Behind::Field,
        _ => Behind::Nothing,
    }
}

/// Whether a name is no variable where it stands: `$name`, `.name`, `::name`, `name::`, `name!`.
pub(crate) fn is_no_variable(tokens: &[TokenTree], index: usize) -> bool {
    let at = |back: usize| index.checked_sub(back).and_then(|at| tokens.get(at));
    let is_range = is_punct(at(1), '.') && is_punct(at(2), '.');
    let behind = (tokens.get(index + 1), tokens.get(index + 2));
    is_punct(at(1), '$')
        || is_punct(at(1), '.') && !is_range
        || is_punct(at(1), ':') && is_punct(at(2), ':')
        || is_punct(behind.0, ':') && is_punct(behind.1, ':')
        || is_punct(behind.0, '!') && matches!(behind.1, Some(TokenTree::Group(_)))
}

/// Whether a token is this sign.
pub(crate) fn is_punct(token: Option<&TokenTree>, of: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == of)
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

/// What a text says, whichever way it is written: a brace may be an escape, and an escape has braces.
pub(crate) fn text_of(literal: &Literal) -> Option<String> {
    match syn::Lit::new(literal.clone()) {
        syn::Lit::Str(text) => Some(text.value()),
        _ => None,
    }
}

/// The captures of a format string: `{name}`, `{name:?}`, `{:width$}`, `{:.precision$}`.
pub(crate) fn captures(literal: &str, found: &mut impl FnMut(&str)) {
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
