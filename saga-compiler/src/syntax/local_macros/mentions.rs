//! The variables that a macro of the body mentions.

use std::collections::{BTreeSet, HashMap};

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    ImplItemFn,
    visit::{self, Visit},
};

use super::{
    definition::{Definition, takes_values},
    rules::{called, captured, in_pattern, is_formatting, rules},
};
use crate::ast::{
    patterns::pattern_bindings,
    tokens::{idents, is_no_variable, is_punct, text_of},
    types::{is_shared_reference, is_unique_reference},
};

/// The variables that a macro's body mentions.
pub(super) struct Mentions<'a> {
    bound: &'a Bound,
    before: &'a BTreeSet<String>,
    all: &'a [Definition],
    pub(super) names: BTreeSet<String>,
    /// Whether a name may be one of the macro's own, or of a field, or there is a label, which is that of its own place.
    pub(super) unsure: bool,
}

impl<'a> Mentions<'a> {
    /// Of a definition, where it is understood; `before` is what stands before it.
    pub(super) fn of(
        definition: &'a Definition,
        bound: &'a Bound,
        all: &'a [Definition],
    ) -> Option<Self> {
        let mut mentions = Self {
            bound,
            before: &definition.before,
            all,
            names: BTreeSet::new(),
            unsure: false,
        };
        for (_, body) in rules(definition.tokens.clone())? {
            mentions.walk(body.stream(), false);
        }
        Some(mentions)
    }

    /// Whether a variable of the name is declared before the macro.
    fn is_variable(&self, name: &str) -> bool {
        let is_low = name.starts_with(|first: char| first.is_lowercase() || first == '_');
        is_low
            && !self.bound.standing.contains(name)
            && self.bound.counts.contains_key(name)
            && (self.bound.params.contains(name) || self.before.contains(name))
    }

    /// `in_text` is whether a formatting macro of std's reads the texts there.
    fn walk(&mut self, tokens: TokenStream, in_text: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut is_format = in_text;
        for (index, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Ident(ident) => {
                    let name = ident.to_string();
                    let behind = tokens.get(index + 1);
                    let plain = name.strip_prefix("r#").unwrap_or(&name);
                    if is_no_variable(&tokens, index)
                        || !self.is_variable(&name) && !self.is_variable(plain)
                    {
                        continue;
                    }
                    let named = is_punct(behind, ':') || in_text && is_punct(behind, '=');
                    self.unsure |= named || plain != name || in_pattern(&tokens, index);
                    self.names.insert(name);
                }
                TokenTree::Group(group) => {
                    let given = called(&tokens, index);
                    let declares = given.is_some_and(|name| !takes_values(name, self.all));
                    if declares || in_pattern(&tokens, index) {
                        idents(group.stream(), &mut |name| {
                            self.unsure |= self.is_variable(&name.to_string());
                        });
                    }
                    // One of the body's own may be called as one of std's is.
                    let of_body =
                        given.is_some_and(|name| self.all.iter().any(|own| *name == own.name));
                    self.walk(group.stream(), !of_body && is_formatting(&tokens, index));
                }
                TokenTree::Literal(literal) => {
                    for name in captured(literal) {
                        if self.is_variable(&name) {
                            self.unsure |= !is_format;
                            self.names.insert(name);
                        }
                    }
                    is_format &= text_of(literal).is_none();
                }
                TokenTree::Punct(label) => {
                    let lasting = matches!(tokens.get(index + 1), Some(TokenTree::Ident(name)) if name == "static");
                    self.unsure |= label.as_char() == '\'' && !lasting;
                }
            }
        }
    }
}

/// The names in tokens that may be those of variables which are declared there.
fn in_patterns(tokens: TokenStream, all: &[Definition], found: &mut dyn FnMut(String)) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(name) if in_pattern(&tokens, index) => found(name.to_string()),
            TokenTree::Group(group)
                if in_pattern(&tokens, index)
                    || called(&tokens, index).is_some_and(|name| !takes_values(name, all)) =>
            {
                idents(group.stream(), &mut |name| found(name.to_string()));
            }
            TokenTree::Group(group) => in_patterns(group.stream(), all, found),
            _ => {}
        }
    }
}

/// How often each name is declared in a function: in patterns, and in those that are arguments of macros.
pub(super) struct Bound {
    counts: HashMap<String, usize>,
    params: BTreeSet<String>,
    /// Parameters that stay as they are: no `&mut`, and no part of what a tool is called with.
    pub(super) fixed: BTreeSet<String>,
    /// References among those, whose names no pattern has: they are known at the top of the function.
    standing: BTreeSet<String>,
}

impl Bound {
    pub(super) fn of(item: &ImplItemFn, all: &[Definition]) -> Self {
        struct Counts<'a>(HashMap<String, usize>, &'a [Definition]);
        impl<'ast> Visit<'ast> for Counts<'_> {
            fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
                *self.0.entry(pat.ident.to_string()).or_default() += 1;
                visit::visit_pat_ident(self, pat);
            }

            fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
                let Some(last) = invocation.path.segments.last() else {
                    return;
                };
                if last.ident == "macro_rules" {
                    return;
                }
                let mut note = |name: String| *self.0.entry(name).or_default() += 1;
                match takes_values(&last.ident, self.1) {
                    true => in_patterns(invocation.tokens.clone(), self.1, &mut note),
                    // It may declare anything that it is given.
                    false => idents(invocation.tokens.clone(), &mut |name| {
                        note(name.to_string())
                    }),
                }
            }
        }
        let standing = standing(item, all);
        let mut counts = Counts(HashMap::new(), all);
        counts.visit_block(&item.block);
        let (mut params, mut fixed) = (BTreeSet::new(), BTreeSet::new());
        for input in &item.sig.inputs {
            if let syn::FnArg::Typed(param) = input {
                counts.visit_pat(&param.pat);
                let bindings = pattern_bindings(&param.pat);
                params.extend(bindings.map(|binding| binding.ident.to_string()));
                if let syn::Pat::Ident(name) = &*param.pat
                    && name.mutability.is_none()
                    && !is_unique_reference(&param.ty)
                {
                    fixed.insert(name.ident.to_string());
                }
            }
        }
        Self {
            counts: counts.0,
            params,
            fixed,
            standing,
        }
    }

    pub(super) fn is_known(&self, name: &str) -> bool {
        self.counts.get(name).is_some_and(|count| *count == 1)
    }
}

/// The parameters that are references, and whose names are no other variable's.
fn standing(item: &ImplItemFn, all: &[Definition]) -> BTreeSet<String> {
    struct Patterns<'a>(BTreeSet<String>, &'a [Definition]);
    impl<'ast> Visit<'ast> for Patterns<'_> {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.0.insert(pat.ident.to_string());
            visit::visit_pat_ident(self, pat);
        }

        fn visit_item(&mut self, _: &'ast syn::Item) {}

        fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
            in_patterns(invocation.tokens.clone(), self.1, &mut |name| {
                self.0.insert(name);
            });
        }
    }
    let mut patterns = Patterns(BTreeSet::new(), all);
    patterns.visit_block(&item.block);
    let params = item.sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(param) if is_shared_reference(&param.ty) => match &*param.pat {
            syn::Pat::Ident(name) if name.mutability.is_none() => Some(name.ident.to_string()),
            _ => None,
        },
        _ => None,
    });
    params.filter(|name| !patterns.0.contains(name)).collect()
}
