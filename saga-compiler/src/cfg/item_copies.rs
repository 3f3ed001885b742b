//! What a pattern binds of an iterator's items that may be a copy, or a number of the iterator's own: unlike a reference, it stays
//! what it is when the collection changes, so that it is not looked up again. What the text does not show to be a reference may be one.

use std::collections::HashSet;

use syn::{Expr, Pat, visit_mut::VisitMut};

use super::{iterated::OF_REFERENCES, place::is_one_of, proof::is_source};
use crate::ast::{
    calls::{is_hidden_name, strip_parentheses},
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
    let bound = pattern_bindings(pat).map(|binding| binding.ident.to_string());
    // What the macro itself calls an item is taken apart behind it.
    names.extend(bound.filter(|name| !is_hidden_name(name)));
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
        Pat::Ident(name) => {
            if !items.is_none_or(|items| are_references(items) || is_changing(items)) {
                let name = name.ident.to_string();
                names.extend((!is_hidden_name(&name)).then_some(name));
            }
            if let Some((_, inside)) = &name.subpat {
                collect(inside, items, names);
            }
            return;
        }
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
        ("enumerate" | "match_indices", Some((number, item))) => {
            all(number, names);
            collect(item, Some(&call.receiver), names);
        }
        ("zip", Some((one, other))) => {
            collect(one, Some(&call.receiver), names);
            collect(other, call.args.first(), names);
        }
        ("chain", _) => {
            collect(pat, Some(&call.receiver), names);
            collect(pat, call.args.first(), names);
        }
        _ if is_one_of(call, PASS_ON) => collect(pat, Some(&call.receiver), names),
        _ if items.is_some_and(|items| are_references(items) || is_changing(items)) => {
            inside(pat, names);
        }
        _ => all(pat, names),
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

/// Methods whose items are those of what they are called on.
const PASS_ON: &[&str] = &[
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
    "peekable",
    "rev",
    "rfind",
    "skip",
    "skip_while",
    "step_by",
    "take",
    "take_while",
];

/// Whether items are references, or made of them alone: the collection does not change while they are held.
fn are_references(items: &Expr) -> bool {
    match strip_parentheses(items) {
        Expr::Reference(_) | Expr::Path(_) | Expr::Field(_) | Expr::Index(_) => true,
        Expr::Call(call) if is_source(call) => call.args.iter().all(are_references),
        Expr::MethodCall(call) if is_one_of(call, OF_REFERENCES) => true,
        // A range of the macro's own, which does not change.
        Expr::MethodCall(call) if call.method == "clone" => true,
        Expr::MethodCall(call) if is_one_of(call, &["chain", "zip"]) => {
            are_references(&call.receiver) && call.args.iter().all(are_references)
        }
        Expr::MethodCall(call) if call.method == "flatten" || is_one_of(call, PASS_ON) => {
            are_references(&call.receiver)
        }
        _ => false,
    }
}

/// Whether they are lent to be changed: what is made of such a one cannot be kept.
fn is_changing(items: &Expr) -> bool {
    match strip_parentheses(items) {
        Expr::MethodCall(call) => {
            call.method.to_string().ends_with("_mut")
                || is_changing(&call.receiver)
                || call.args.iter().any(is_changing)
        }
        Expr::Call(call) if is_source(call) => call.args.iter().any(is_changing),
        Expr::Reference(lent) => lent.mutability.is_some(),
        _ => false,
    }
}
