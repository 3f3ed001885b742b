//! Variables under other names, where their own means something else.

use std::collections::{BTreeMap, HashMap};

use proc_macro2::{Delimiter, Ident, Literal, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, Macro, Stmt, Token, parse::ParseStream};

use crate::ast::{
    keywords::captured_name,
    macros::{
        Argument, arguments, format_at, is_format, is_known, is_known_name, is_of_anyhow, shows,
    },
    patterns::pattern_bindings,
    tokens::{grouped, text_of},
};

/// Replaces variables by the names they go by elsewhere.
pub(crate) fn rename(expr: &mut Expr, names: &HashMap<String, Ident>) {
    if !names.is_empty() {
        syn::visit_mut::VisitMut::visit_expr_mut(&mut Renamer(names), expr);
    }
}

/// The same in a block.
pub(crate) fn rename_block(block: &mut syn::Block, names: &HashMap<String, Ident>) {
    syn::visit_mut::VisitMut::visit_block_mut(&mut Renamer(names), block);
}

/// The same for the names that a pattern binds.
pub(crate) fn rename_pattern(pat: &mut syn::Pat, names: &HashMap<String, Ident>) {
    if !names.is_empty() {
        syn::visit_mut::VisitMut::visit_pat_mut(&mut Renamer(names), pat);
    }
}

struct Renamer<'a>(&'a HashMap<String, Ident>);

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

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let captured = match expr {
            Expr::Macro(invocation) => captured(&invocation.mac, self.0),
            _ => Vec::new(),
        };
        syn::visit_mut::visit_expr_mut(self, expr);
        if !captured.is_empty() {
            *expr = bound(&captured, &*expr);
        }
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        let captured = match stmt {
            Stmt::Macro(invocation) => captured(&invocation.mac, self.0),
            _ => Vec::new(),
        };
        syn::visit_mut::visit_stmt_mut(self, stmt);
        if let (false, Stmt::Macro(invocation)) = (captured.is_empty(), &*stmt) {
            let (of, semi) = (&invocation.mac, invocation.semi_token);
            *stmt = Stmt::Expr(bound(&captured, of), semi);
        }
    }

    fn visit_macro_mut(&mut self, invocation: &mut Macro) {
        let last = invocation.path.segments.last();
        if last.is_some_and(|last| last.ident == "stringify") {
            return;
        }
        if let Some(mut arguments) = arguments(invocation) {
            let named: Vec<_> = arguments.iter().filter_map(Argument::name).collect();
            let mut names = self.0.clone();
            names.retain(|name, _| !named.contains(name));
            let mut format = shows(invocation);
            let first = format_at(invocation);
            for (at, argument) in arguments.iter_mut().enumerate() {
                match &mut argument.value {
                    Expr::Lit(literal) => {
                        if at >= first
                            && matches!(literal.lit, syn::Lit::Str(_))
                            && std::mem::take(&mut format)
                        {
                            captures(&mut argument.value, &names);
                        }
                    }
                    value => self.visit_expr_mut(value),
                }
            }
            invocation.tokens = arguments.into_token_stream();
            return;
        }
        // `vec![value; count]`
        let repeated = |input: ParseStream<'_>| {
            let value = input.parse::<Expr>()?;
            let semi = input.parse::<Token![;]>()?;
            Ok((value, semi, input.parse::<Expr>()?))
        };
        if let (true, Ok((mut value, semi, mut count))) =
            (is_known(invocation), invocation.parse_body_with(repeated))
        {
            self.visit_expr_mut(&mut value);
            self.visit_expr_mut(&mut count);
            invocation.tokens = quote::quote!(#value #semi #count);
            return;
        }
        let tokens = std::mem::take(&mut invocation.tokens);
        invocation.tokens = rename_tokens(tokens, self.0, shows(invocation));
    }
}

/// The names in a format string.
fn captures(format: &mut Expr, names: &HashMap<String, Ident>) {
    let tokens = format.to_token_stream();
    if let Ok(renamed) = syn::parse2(rename_tokens(tokens, names, true)) {
        *format = renamed;
    }
}

/// The names that a text in a macro has in braces, where it is not known whether that takes them for captures, or has them for
/// text.
fn captured(invocation: &Macro, names: &HashMap<String, Ident>) -> Vec<(String, Ident)> {
    fn add(
        tokens: TokenStream,
        names: &HashMap<String, Ident>,
        found: &mut BTreeMap<String, Ident>,
    ) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => add(group.stream(), names, found),
                TokenTree::Literal(literal) if rename_captures(&literal, names).is_some() => {
                    let text = literal.to_string();
                    let named = names.iter().filter(|(name, _)| text.contains(&***name));
                    found.extend(named.map(|(name, alias)| (name.clone(), alias.clone())));
                }
                _ => {}
            }
        }
    }
    /// In the arguments of a macro that is known, those of others.
    fn add_inside(
        tokens: TokenStream,
        names: &HashMap<String, Ident>,
        found: &mut BTreeMap<String, Ident>,
    ) {
        let mut before = (None, None);
        for token in tokens {
            if let TokenTree::Group(group) = &token {
                let tokens = group.stream();
                match &before {
                    (Some(TokenTree::Ident(name)), Some(TokenTree::Punct(mark)))
                        if mark.as_char() == '!' && !is_understood(&name.to_string()) =>
                    {
                        add(tokens, names, found);
                    }
                    _ => add_inside(tokens, names, found),
                }
            }
            before = (before.1.take(), Some(token));
        }
    }
    let mut found = BTreeMap::new();
    let tokens = invocation.tokens.clone();
    match is_known(invocation) || is_of_anyhow(invocation) {
        true => add_inside(tokens, names, &mut found),
        false => add(tokens, names, &mut found),
    }
    found.into_iter().collect()
}

/// Whether a name is written as a type is, and not as a constant.
fn is_of_type(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
        && (name.contains(char::is_lowercase) || name.chars().count() == 1)
}

/// Whether it is known of a macro, by its name, which of its texts are formats.
fn is_understood(name: &str) -> bool {
    is_known_name(name) || ["anyhow", "bail", "ensure"].contains(&name)
}

/// The text stays, and what it may capture is there under its own name.
///
/// ```text
/// notify!("{name}")   →   { let name = &__saga_name_4; notify!("{name}") }
/// ```
fn bound(captured: &[(String, Ident)], code: &impl ToTokens) -> Expr {
    let lets = captured.iter().map(|(name, alias)| {
        let name = quote::format_ident!("{name}", span = alias.span());
        quote::quote!(#[allow(unused_variables)] let #name = &#alias;)
    });
    syn::parse_quote!({ #(#lets)* #code })
}

/// The tokens of a macro; with `format` their texts may be formats.
fn rename_tokens(tokens: TokenStream, names: &HashMap<String, Ident>, format: bool) -> TokenStream {
    let mut after = None;
    let (mut after_dot, mut after_colon) = (false, false);
    let mut called = None;
    let rename = |token: TokenTree| {
        let before = std::mem::replace(
            &mut after,
            match &token {
                TokenTree::Punct(punct) => Some(punct.as_char()),
                _ => None,
            },
        );
        let dotted = std::mem::take(&mut after_dot);
        // What stands behind `::` is no variable.
        let in_path = before == Some(':') && std::mem::take(&mut after_colon);
        after_colon = after == Some(':') && before == Some(':');
        // `..` is a range or an update, behind which a variable may stand.
        after_dot = after == Some('.') && !dotted;
        let macro_name = called.take();
        called = match &token {
            TokenTree::Ident(ident) => Some(ident.to_string()),
            TokenTree::Punct(punct) if punct.as_char() == '!' => macro_name.clone(),
            _ => None,
        };
        match token {
            TokenTree::Ident(ident) if !dotted && !in_path => {
                TokenTree::Ident(names.get(&ident.to_string()).cloned().unwrap_or(ident))
            }
            TokenTree::Group(group)
                if before == Some('!') && macro_name.as_deref() == Some("stringify") =>
            {
                TokenTree::Group(group)
            }
            TokenTree::Group(group) => {
                let format = match &macro_name {
                    Some(name) if before == Some('!') => is_understood(name) && is_format(name),
                    _ => false,
                };
                let is_literal = group.delimiter() == Delimiter::Brace
                    && macro_name.is_some_and(|name| {
                        is_of_type(&name)
                            || name.starts_with(char::is_uppercase) && has_fields(group.stream())
                    });
                let stream = match is_literal {
                    true => rename_fields(group.stream(), names),
                    false => rename_tokens(group.stream(), names, format),
                };
                grouped(&group, stream)
            }
            TokenTree::Literal(literal) if format => rename_captures(&literal, names)
                .map_or_else(|| TokenTree::Literal(literal), TokenTree::Literal),
            other => other,
        }
    };
    tokens.into_iter().map(rename).collect()
}

/// Whether what stands in braces begins as the fields of a struct's literal do, and no block does.
fn has_fields(tokens: TokenStream) -> bool {
    let mut tokens = tokens.into_iter();
    let first = matches!(tokens.next(), Some(TokenTree::Ident(_)));
    let next = match tokens.next() {
        Some(TokenTree::Punct(mark)) => mark.as_char(),
        _ => return false,
    };
    let is_path = matches!(tokens.next(), Some(TokenTree::Punct(mark)) if mark.as_char() == ':');
    first && (next == ',' || next == ':' && !is_path)
}

/// The fields of a struct's literal: their names stay.
///
/// ```text
/// row, width: row   →   row: __saga_row_3, width: __saga_row_3
/// ```
fn rename_fields(tokens: TokenStream, names: &HashMap<String, Ident>) -> TokenStream {
    let is_comma =
        |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
    let tokens: Vec<_> = tokens.into_iter().collect();
    let fields = tokens.split_inclusive(is_comma);
    let renamed = fields.map(|field| {
        let colon =
            |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ':');
        let value =
            |tokens: &[TokenTree]| rename_tokens(tokens.iter().cloned().collect(), names, false);
        match field {
            [TokenTree::Ident(name), rest @ ..] if rest.first().is_some_and(colon) => {
                let value = value(rest);
                quote::quote!(#name #value)
            }
            [TokenTree::Ident(name), rest @ ..] if rest.first().is_none_or(is_comma) => {
                let value = value(field);
                quote::quote!(#name: #value)
            }
            field => value(field),
        }
    });
    renamed.collect()
}

/// A format string whose inline captures (`{name}`, `{name:?}`, `{:width$}`) go by other names; `None`
/// for a literal without any.
fn rename_captures(literal: &Literal, names: &HashMap<String, Ident>) -> Option<Literal> {
    let text = text_of(literal)?;
    if !text.contains('{') {
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
        match names.get(&*captured_name(name.trim())) {
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
            match names.get(&*captured_name(word)) {
                Some(alias) => {
                    renamed.push_str(&part[..part.len() - word.len() - 1]);
                    renamed.push_str(&format!("{alias}$"));
                }
                None => renamed.push_str(part),
            }
        }
    }
    renamed.push_str(rest);
    let mut again = Literal::string(&renamed);
    again.set_span(literal.span());
    Some(again)
}
