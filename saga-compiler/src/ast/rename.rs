//! Variables under other names, where their own means something else.

use std::collections::HashMap;

use syn::Expr;

use crate::ast::{
    macros::{arguments, is_format, takes_format},
    patterns::pattern_bindings,
};

/// Replaces variables by the names they go by elsewhere.
pub(crate) fn rename(expr: &mut Expr, names: &HashMap<String, proc_macro2::Ident>) {
    if !names.is_empty() {
        syn::visit_mut::VisitMut::visit_expr_mut(&mut Renamer(names), expr);
    }
}

/// The same in a block.
pub(crate) fn rename_block(block: &mut syn::Block, names: &HashMap<String, proc_macro2::Ident>) {
    syn::visit_mut::VisitMut::visit_block_mut(&mut Renamer(names), block);
}

/// The same for the names that a pattern binds.
pub(crate) fn rename_pattern(pat: &mut syn::Pat, names: &HashMap<String, proc_macro2::Ident>) {
    if !names.is_empty() {
        syn::visit_mut::VisitMut::visit_pat_mut(&mut Renamer(names), pat);
    }
}

struct Renamer<'a>(&'a HashMap<String, proc_macro2::Ident>);

impl syn::visit_mut::VisitMut for Renamer<'_> {
    fn visit_expr_path_mut(&mut self, path: &mut syn::ExprPath) {
        if let Some(ident) = path.path.get_ident()
            && let Some(name) = self.0.get(&ident.to_string())
        {
            let mut name = name.clone();
            name.set_span(ident.span().resolved_at(name.span()));
            path.path = name.into();
        }
    }

    /// An item has variables of its own.
    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        if matches!(item, syn::Item::Macro(_)) {
            syn::visit_mut::visit_item_mut(self, item);
        }
    }

    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        let renamed = pattern_bindings(&field.pat)
            .any(|binding| self.0.contains_key(&binding.ident.to_string()));
        // `Host { name }` keeps its field when the variable goes by another name.
        if renamed {
            field.colon_token.get_or_insert_default();
        }
        self.visit_pat_mut(&mut field.pat);
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        let shorthand = field.colon_token.is_none();
        let renamed = matches!(&field.expr, Expr::Path(path)
            if path.path.get_ident().is_some_and(|ident| self.0.contains_key(&ident.to_string())));
        if shorthand && renamed {
            field.colon_token = Some(Default::default());
        }
        self.visit_expr_mut(&mut field.expr);
    }

    fn visit_pat_ident_mut(&mut self, pat: &mut syn::PatIdent) {
        if let Some(name) = self.0.get(&pat.ident.to_string()) {
            pat.ident = name.clone();
        }
        if let Some((_, pat)) = &mut pat.subpat {
            self.visit_pat_mut(pat);
        }
    }

    fn visit_macro_mut(&mut self, invocation: &mut syn::Macro) {
        if let Some(mut arguments) = arguments(invocation) {
            let mut format = takes_format(invocation);
            for argument in &mut arguments {
                match &mut argument.value {
                    Expr::Lit(literal) => {
                        if matches!(literal.lit, syn::Lit::Str(_)) && std::mem::take(&mut format) {
                            self.captures(&mut argument.value);
                        }
                    }
                    value => self.visit_expr_mut(value),
                }
            }
            invocation.tokens = quote::ToTokens::into_token_stream(arguments);
            return;
        }
        let format = takes_format(invocation);
        let tokens = std::mem::take(&mut invocation.tokens);
        invocation.tokens = rename_tokens(tokens, self.0, format);
    }
}

impl Renamer<'_> {
    /// The names in a format string.
    fn captures(&self, format: &mut Expr) {
        let tokens = quote::ToTokens::to_token_stream(format);
        if let Ok(renamed) = syn::parse2(rename_tokens(tokens, self.0, true)) {
            *format = renamed;
        }
    }
}

/// The tokens of a macro; with `format` their texts may be formats.
fn rename_tokens(
    tokens: proc_macro2::TokenStream,
    names: &HashMap<String, proc_macro2::Ident>,
    format: bool,
) -> proc_macro2::TokenStream {
    use proc_macro2::{Group, TokenTree};
    let mut after = None;
    let mut called = None;
    let rename = |token: TokenTree| {
        let before = std::mem::replace(
            &mut after,
            match &token {
                TokenTree::Punct(punct) => Some(punct.as_char()),
                _ => None,
            },
        );
        let dotted = before == Some('.');
        let macro_name = called.take();
        called = match &token {
            TokenTree::Ident(ident) => Some(ident.to_string()),
            TokenTree::Punct(punct) if punct.as_char() == '!' => macro_name.clone(),
            _ => None,
        };
        match token {
            TokenTree::Ident(ident) if !dotted => {
                TokenTree::Ident(names.get(&ident.to_string()).cloned().unwrap_or(ident))
            }
            TokenTree::Group(group) => {
                let format = match macro_name {
                    Some(name) if before == Some('!') => is_format(&name),
                    _ => false,
                };
                let stream = rename_tokens(group.stream(), names, format);
                let mut renamed = Group::new(group.delimiter(), stream);
                renamed.set_span(group.span());
                TokenTree::Group(renamed)
            }
            TokenTree::Literal(literal) if format => rename_captures(&literal, names)
                .map_or_else(|| TokenTree::Literal(literal), TokenTree::Literal),
            other => other,
        }
    };
    tokens.into_iter().map(rename).collect()
}

/// A format string whose inline captures (`{name}`, `{name:?}`, `{:width$}`) go by other names; `None`
/// for a literal without any.
fn rename_captures(
    literal: &proc_macro2::Literal,
    names: &HashMap<String, proc_macro2::Ident>,
) -> Option<proc_macro2::Literal> {
    let text = literal.to_string();
    if !text.contains('"') || !text.contains('{') {
        return None;
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut renamed = String::new();
    let mut rest = text.as_str();
    while let Some(open) = rest.find('{') {
        let (before, after) = rest.split_at(open + 1);
        renamed.push_str(before);
        rest = after;
        if let Some(escaped) = rest.strip_prefix('{') {
            renamed.push('{');
            rest = escaped;
            continue;
        }
        let end = rest.find('}').unwrap_or(rest.len());
        let (spec, after) = rest.split_at(end);
        rest = after;
        let (name, format) = spec.split_at(spec.find(':').unwrap_or(spec.len()));
        match names.get(name.trim()) {
            Some(alias) => renamed.push_str(&alias.to_string()),
            None => renamed.push_str(name),
        }
        // In the format only what stands before a `$` is a name.
        for part in format.split_inclusive('$') {
            let word = part.strip_suffix('$').map_or("", |part| {
                let other = part.char_indices().rev().find(|(_, c)| !is_word(*c));
                let start = other.map_or(0, |(at, c)| at + c.len_utf8());
                &part[start..]
            });
            match names.get(word) {
                Some(alias) => {
                    renamed.push_str(&part[..part.len() - word.len() - 1]);
                    renamed.push_str(&format!("{alias}$"));
                }
                None => renamed.push_str(part),
            }
        }
    }
    renamed.push_str(rest);
    let mut literal_again: proc_macro2::Literal = renamed.parse().ok()?;
    literal_again.set_span(literal.span());
    Some(literal_again)
}
