//! What stands in the tokens of a `macro_rules!`, and of the calls of macros.

use proc_macro2::{Group, Ident, Literal, TokenStream, TokenTree};

use crate::ast::tokens::{captures, idents, is_punct, text_of};

/// Macros of std's that read a variable in braces in their text.
const FORMATTING: &[&str] = &[
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "panic",
    "print",
    "println",
    "write",
    "writeln",
];

/// The matchers and bodies of a `macro_rules!`.
pub(super) fn rules(tokens: TokenStream) -> Option<Vec<(Group, Group)>> {
    let tokens = tokens
        .into_iter()
        .filter(|token| !is_punct(Some(token), ';'));
    let tokens: Vec<_> = tokens.collect();
    let rules = tokens.chunks(4).map(|rule| match rule {
        [TokenTree::Group(matcher), _, _, TokenTree::Group(body)] => {
            Some((matcher.clone(), body.clone()))
        }
        _ => None,
    });
    rules.collect()
}

/// The macro that is given a group.
pub(super) fn called(tokens: &[TokenTree], index: usize) -> Option<&Ident> {
    let at = |back: usize| index.checked_sub(back).and_then(|at| tokens.get(at));
    match at(2) {
        Some(TokenTree::Ident(name)) if is_punct(at(1), '!') => Some(name),
        _ => None,
    }
}

/// What a matcher takes: `expr` of `$n:expr`.
pub(super) fn each_fragment(matcher: TokenStream, found: &mut dyn FnMut(&Ident)) {
    let tokens: Vec<TokenTree> = matcher.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let at = |back: usize| index.checked_sub(back).and_then(|at| tokens.get(at));
        match token {
            TokenTree::Ident(fragment) if is_punct(at(1), ':') && is_punct(at(3), '$') => {
                found(fragment);
            }
            TokenTree::Group(group) => each_fragment(group.stream(), found),
            _ => {}
        }
    }
}

/// Whether a group is what a formatting macro of std's is given.
pub(super) fn is_formatting(tokens: &[TokenTree], index: usize) -> bool {
    called(tokens, index).is_some_and(|name| FORMATTING.iter().any(|known| name == known))
}

/// Whether a token may stand in a pattern, which declares variables of the macro's own.
pub(super) fn in_pattern(tokens: &[TokenTree], index: usize) -> bool {
    let is_word =
        |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(ident) if ident == word);
    // `let pattern =`, `for pattern in`, `|pattern|`
    for (at, token) in tokens.iter().enumerate().take(index) {
        let until = |ends: &dyn Fn(&TokenTree) -> bool| {
            let rest = tokens.get(at + 1..).unwrap_or_default();
            rest.iter()
                .position(ends)
                .map_or(tokens.len(), |end| at + 1 + end)
        };
        let end = if is_word(token, "let") {
            until(&|token| is_punct(Some(token), '=') || is_punct(Some(token), ';'))
        } else if is_word(token, "for") {
            until(&|token| is_word(token, "in"))
        } else if is_punct(Some(token), '|') {
            until(&|token| is_punct(Some(token), '|'))
        } else {
            continue;
        };
        if index < end {
            return true;
        }
    }
    // `pattern =>`, `pattern if guard =>`
    let rest = tokens.get(index..).unwrap_or_default();
    let arm = rest
        .windows(2)
        .position(|pair| is_punct(pair.first(), '=') && is_punct(pair.get(1), '>'));
    let ended = rest
        .iter()
        .position(|token| is_punct(Some(token), ',') || is_punct(Some(token), ';'));
    arm.is_some_and(|arm| ended.is_none_or(|ended| arm < ended))
}

/// The names in braces in a text.
pub(super) fn captured(literal: &Literal) -> Vec<String> {
    let mut names = Vec::new();
    captures(&text_of(literal).unwrap_or_default(), &mut |name| {
        names.push(name.to_owned());
    });
    names
}

/// How often a name is there, whatever it means.
pub(super) fn count(tokens: TokenStream, name: &str) -> usize {
    let mut count = 0;
    idents(tokens, &mut |ident| count += usize::from(ident == name));
    count
}
