//! Secrets in tokens, told by names.

use std::{collections::BTreeSet, ops::Range};

use saga_compiler::Variable;
use syn::visit::Visit;

use crate::{
    graph::Graph,
    report::{Finding, Severity},
    source::{Function, TypeItem},
};

/// What a name is called that holds a secret.
const SECRETS: &[&[&str]] = &[
    &["password"],
    &["passwd"],
    &["passphrase"],
    &["pwd"],
    &["secret"],
    &["token"],
    &["credential"],
    &["credentials"],
    &["bearer"],
    &["apikey"],
    &["api", "key"],
    &["private", "key"],
    &["access", "key"],
    &["signing", "key"],
];

/// Words beside `token` with which it is none that opens anything.
const HARMLESS: &[&str] = &[
    "progress",
    "page",
    "next",
    "cursor",
    "count",
    "counts",
    "max",
    "min",
    "limit",
    "used",
    "len",
    "continuation",
    "resume",
    "total",
    "budget",
    "cancellation",
    "ct",
    "hash",
    "kind",
    "name",
    "id",
    "hint",
    "policy",
    "length",
    "stop",
];

pub(super) fn find(graph: &Graph<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for id in graph.ids() {
        let function = graph.function(id);
        let Some(described) = function.described() else {
            continue;
        };
        let mut told = BTreeSet::new();
        for variable in described.points.iter().flat_map(|point| &point.stored) {
            let range = variable.span.byte_range();
            if range.is_empty() || !told.insert((variable.name.clone(), range.start)) {
                continue;
            }
            if is_secret(&variable.name) {
                findings.push(finding(
                    function,
                    range,
                    &format!("`{}` looks like a secret", variable.name),
                ));
            } else if let Some((item, field)) = secret_field(graph, function, variable) {
                let what = format!(
                    "`{}` has a field that looks like a secret: `{field}`",
                    variable.name
                );
                findings.push(finding(function, range, &what).at(
                    &item.file,
                    field.span().byte_range(),
                    "this field",
                ));
            }
        }
    }
    findings
}

fn finding(function: &Function, range: Range<usize>, what: &str) -> Finding {
    Finding::new(
        Severity::Warning,
        "secret",
        format!("{what}, and goes to the client in a token"),
    )
    .at(&function.file, range, "stored while the client answers")
    .note("it is encrypted, and out of your hands for as long as the token is valid")
    .help("fetch it again after the answer; or `// saga: allow(secret)` above the `let`")
}

/// `user_password`, `apiKey`, `API_KEY`
fn is_secret(name: &str) -> bool {
    let words = words(name);
    let holds = |secret: &&&[&str]| words.windows(secret.len()).any(|part| part == **secret);
    match SECRETS.iter().find(holds) {
        Some(secret) if *secret == ["token"] => {
            !words.iter().any(|word| HARMLESS.contains(&word.as_str()))
        }
        Some(_) => !words.iter().any(|word| {
            ["hash", "kind", "hint", "policy", "length", "count"].contains(&word.as_str())
        }),
        None => false,
    }
}

fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = '_';
    for c in name.chars() {
        let begins = c == '_' || (c.is_uppercase() && before.is_lowercase());
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c != '_') {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A field of a type of the workspace that the variable is declared to be, or that it is made as, or of one in that.
fn secret_field<'g>(
    graph: &'g Graph<'_>,
    function: &Function,
    variable: &Variable,
) -> Option<(&'g TypeItem, &'g syn::Ident)> {
    let names = match &variable.ty {
        Some(ty) => {
            let ty = syn::parse_str(ty).ok()?;
            names_in(&graph.names.unaliased(function.scope, &ty))
        }
        None => {
            let mut made = Made {
                at: variable.span.byte_range(),
                name: None,
            };
            made.visit_block(function.block.as_ref()?);
            vec![made.name?]
        }
    };
    let mut seen = BTreeSet::new();
    let mut open = names;
    while let Some(name) = open.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        for item in graph.index.types.iter().filter(|item| item.name == name) {
            let fields = stored_fields(item);
            let mut named = fields.iter().filter_map(|field| field.ident.as_ref());
            if let Some(secret) = named.find(|name| is_secret(&name.to_string())) {
                return Some((item, secret));
            }
            let types = fields
                .iter()
                .map(|field| graph.names.unaliased(item.module, &field.ty));
            open.extend(types.flat_map(|ty| names_in(&ty)));
        }
    }
    None
}

/// The fields of a struct, or of the variants of an enum, that serde writes.
fn stored_fields(item: &TypeItem) -> Vec<&syn::Field> {
    let fields: Vec<_> = match &item.item {
        syn::Item::Struct(item) => item.fields.iter().collect(),
        syn::Item::Enum(item) => {
            let variants = item.variants.iter();
            variants.flat_map(|variant| &variant.fields).collect()
        }
        _ => Vec::new(),
    };
    let is_skipped = |field: &&syn::Field| {
        let serde = field
            .attrs
            .iter()
            .filter(|attribute| attribute.path().is_ident("serde"));
        let mut texts = serde.map(|attribute| quote::quote!(#attribute).to_string());
        texts.any(|text| {
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.any(|word| word == "skip" || word == "skip_serializing")
        })
    };
    let stored = fields.into_iter().filter(|field| !is_skipped(field));
    stored.collect()
}

fn names_in(ty: &syn::Type) -> Vec<String> {
    let mut named = Named(Vec::new());
    named.visit_type(ty);
    named.0
}

/// The types that a type names: `Vec` and `Login` of `Vec<Login>`.
struct Named(Vec<String>);

impl<'ast> Visit<'ast> for Named {
    fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
        self.0.push(segment.ident.to_string());
        syn::visit::visit_path_segment(self, segment);
    }
}

/// The struct whose literal a variable is declared with.
struct Made {
    at: Range<usize>,
    name: Option<String>,
}

impl<'ast> Visit<'ast> for Made {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let (syn::Pat::Ident(name), Some(init)) = (&local.pat, &local.init)
            && name.ident.span().byte_range() == self.at
            && let syn::Expr::Struct(literal) = &*init.expr
        {
            let last = literal.path.segments.last();
            self.name = last.map(|last| last.ident.to_string());
        }
        syn::visit::visit_local(self, local);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_by_their_words() {
        for name in [
            "password",
            "user_password",
            "apiKey",
            "API_KEY",
            "access_token",
            "token",
            "db_credentials",
            "client_secret",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "progress_token",
            "token_count",
            "max_tokens",
            "passwords_file_count",
            "key",
            "secretary",
            "next_page_token",
            "password_hash",
            "tokenizer",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
