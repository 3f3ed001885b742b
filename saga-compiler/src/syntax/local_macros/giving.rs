//! Macros are given their variables, where they are called and where they are defined.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::rules::{captured, is_formatting};
use crate::ast::tokens::{grouped, is_no_variable, is_punct};

/// Gives macros their variables, where they are called and where they are defined.
pub(super) struct Giving<'a> {
    pub(super) takes: &'a BTreeMap<String, BTreeSet<String>>,
}

impl Giving<'_> {
    /// What a macro is given, where it is one of them.
    fn taken(&self, name: &Ident) -> Option<&BTreeSet<String>> {
        self.takes.get(&name.to_string())
    }

    pub(super) fn in_code(&self, tokens: TokenStream) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut given = TokenStream::new();
        for (index, token) in tokens.iter().enumerate() {
            let at = |back: usize| index.checked_sub(back).and_then(|at| tokens.get(at));
            let group = match token {
                TokenTree::Group(group) => group,
                TokenTree::Ident(name) if self.takes.contains_key(&name.to_string()) => {
                    given.extend(Some(TokenTree::Ident(own(name))));
                    continue;
                }
                other => {
                    given.extend(Some(other.clone()));
                    continue;
                }
            };
            let stream = match (at(3), at(2), at(1)) {
                // `macro_rules! name { .. }`
                (Some(TokenTree::Ident(rules)), Some(bang), Some(TokenTree::Ident(name)))
                    if rules == "macro_rules" && is_punct(Some(bang), '!') =>
                {
                    self.in_definition(group.stream(), name)
                }
                // `name!(..)`
                (before, Some(TokenTree::Ident(name)), Some(bang))
                    if is_punct(Some(bang), '!')
                        && !(is_punct(before, ':') && is_punct(at(4), ':')) =>
                {
                    let inside = self.in_code(group.stream());
                    match self.taken(name) {
                        Some(taken) if !taken.is_empty() => {
                            let span = name.span();
                            let names = taken.iter().map(|taken| Ident::new(taken, span));
                            quote!([#(#names)*] #inside)
                        }
                        _ => inside,
                    }
                }
                _ => self.in_code(group.stream()),
            };
            given.extend(Some(grouped(group, stream)));
        }
        given
    }

    fn in_definition(&self, tokens: TokenStream, name: &Ident) -> TokenStream {
        let Some(taken) = self.taken(name) else {
            return self.in_code(tokens);
        };
        let names = taken.iter().map(|taken| metavariable(taken));
        let matched = (!taken.is_empty()).then(|| quote!([#($ #names : ident)*]));
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut given = TokenStream::new();
        let mut is_matcher = true;
        for token in tokens {
            match &token {
                TokenTree::Group(group) if is_matcher => {
                    let inside = group.stream();
                    given.extend(Some(grouped(group, quote!(#matched #inside))));
                    is_matcher = false;
                }
                TokenTree::Group(group) => {
                    let body = self.in_code(group.stream());
                    given.extend(Some(grouped(group, in_body(body, taken, false))));
                    is_matcher = true;
                }
                _ => given.extend(Some(token)),
            }
        }
        given
    }
}

/// At the top of the function, a macro has a name that no other code means.
pub(super) fn own_name(name: &str) -> String {
    format!("own_{name}")
}

fn own(name: &Ident) -> Ident {
    Ident::new(&own_name(&name.to_string()), name.span())
}

fn metavariable(name: &str) -> Ident {
    format_ident!("__saga_{name}")
}

/// ```text
/// sum += $n   →   $sum += $n
/// ```
fn in_body(tokens: TokenStream, taken: &BTreeSet<String>, in_text: bool) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut given = TokenStream::new();
    let mut texts = BTreeSet::new();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(ident)
                if taken.contains(&ident.to_string()) && !is_no_variable(&tokens, index) =>
            {
                let name = metavariable(&ident.to_string());
                given.extend(quote!($ #name));
            }
            TokenTree::Group(group) => {
                let formats = is_formatting(&tokens, index);
                given.extend(Some(grouped(
                    group,
                    in_body(group.stream(), taken, formats),
                )));
            }
            TokenTree::Literal(literal) if in_text => {
                texts.extend(
                    captured(literal)
                        .into_iter()
                        .filter(|name| taken.contains(name)),
                );
                given.extend(Some(token.clone()));
            }
            _ => given.extend(Some(token.clone())),
        }
    }
    // `println!("{sum}")   →   println!("{sum}", sum = $sum)`
    let mut comma = !is_punct(tokens.last(), ',');
    for name in texts {
        let (name, variable) = (format_ident!("{name}"), metavariable(&name));
        let before = comma.then(|| quote!(,));
        given.extend(quote!(#before #name = $ #variable));
        comma = true;
    }
    given
}
