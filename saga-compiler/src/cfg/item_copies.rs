//! What a pattern binds of an iterator's items that is a copy, or a number of the iterator's own: unlike a reference, it stays
//! what it is when the collection changes, so that it is not looked up again.

use std::collections::HashSet;

use syn::{Expr, ExprMethodCall, Pat, visit_mut::VisitMut};

use crate::ast::{
    calls::strip_parentheses,
    patterns::{copies_out, pattern_bindings},
};

/// The names of such copies that `pat` binds of the items of `items`, or of one that is found there.
pub(crate) fn copied(pat: &Pat, items: &Expr) -> HashSet<String> {
    let mut names = HashSet::new();
    collect(pat, Some(items), &mut names);
    names
}

/// The same pattern, which leaves out some names.
pub(crate) fn without(pat: &Pat, names: &HashSet<String>) -> Pat {
    struct Without<'a>(&'a HashSet<String>);
    impl VisitMut for Without<'_> {
        fn visit_pat_mut(&mut self, pat: &mut Pat) {
            match pat {
                Pat::Ident(name) if self.0.contains(&name.ident.to_string()) => {
                    *pat = match name.subpat.take() {
                        Some((_, inside)) => *inside,
                        None => syn::parse_quote!(_),
                    };
                    self.visit_pat_mut(pat);
                }
                _ => syn::visit_mut::visit_pat_mut(self, pat),
            }
        }

        /// `Row { n, .. }` → `Row { n: _, .. }`
        fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
            field.colon_token.get_or_insert_default();
            syn::visit_mut::visit_field_pat_mut(self, field);
        }
    }
    let mut left = pat.clone();
    if !names.is_empty() {
        Without(names).visit_pat_mut(&mut left);
    }
    left
}

fn all(pat: &Pat, names: &mut HashSet<String>) {
    names.extend(pattern_bindings(pat).map(|binding| binding.ident.to_string()));
}

fn collect(pat: &Pat, items: Option<&Expr>, names: &mut HashSet<String>) {
    match pat {
        Pat::Paren(inner) => return collect(&inner.pat, items, names),
        Pat::Guard(guarded) => return collect(&guarded.pat, items, names),
        // `Some(…)`, of what is found or comes next.
        Pat::TupleStruct(one) if one.elems.len() == 1 && one.path.is_ident("Some") => {
            return one
                .elems
                .iter()
                .for_each(|inner| collect(inner, items, names));
        }
        Pat::Or(alternatives) => {
            let cases = alternatives.cases.iter();
            return cases.for_each(|case| collect(case, items, names));
        }
        Pat::Reference(_) => return all(pat, names),
        _ => {}
    }
    let call = match items.map(strip_parentheses) {
        Some(Expr::MethodCall(call)) => call,
        _ => return inside(pat, names),
    };
    let pair = match pat {
        Pat::Tuple(pair) if pair.elems.len() == 2 => Some((&pair.elems[0], &pair.elems[1])),
        _ => None,
    };
    match (call.method.to_string().as_str(), pair) {
        ("copied" | "cloned" | "chars" | "bytes" | "char_indices", _) => all(pat, names),
        ("enumerate" | "match_indices", Some((number, item))) => {
            all(number, names);
            collect(item, Some(&call.receiver), names);
        }
        ("zip", Some((one, other))) => {
            collect(one, Some(&call.receiver), names);
            collect(other, call.args.first(), names);
        }
        _ if passes_on(call) => collect(pat, Some(&call.receiver), names),
        _ => inside(pat, names),
    }
}

/// What stands behind a `&` in a pattern is copied out.
fn inside(pat: &Pat, names: &mut HashSet<String>) {
    match pat {
        Pat::Reference(_) => all(pat, names),
        Pat::Tuple(parts) => parts.elems.iter().for_each(|part| inside(part, names)),
        Pat::TupleStruct(parts) => parts.elems.iter().for_each(|part| inside(part, names)),
        Pat::Slice(parts) => parts.elems.iter().for_each(|part| inside(part, names)),
        Pat::Struct(parts) => {
            let parts = parts.fields.iter();
            parts.for_each(|part| inside(&part.pat, names));
        }
        _ if copies_out(pat) => all(pat, names),
        _ => {}
    }
}

/// Whether the items are those of what it is called on.
fn passes_on(call: &ExprMethodCall) -> bool {
    let names = [
        "chain",
        "cycle",
        "filter",
        "find",
        "into_iter",
        "last",
        "max_by",
        "max_by_key",
        "min_by",
        "min_by_key",
        "next",
        "next_back",
        "nth",
        "rev",
        "rfind",
        "skip",
        "skip_while",
        "step_by",
        "take",
        "take_while",
    ];
    names.iter().any(|name| call.method == name)
}
