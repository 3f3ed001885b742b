//! Which part of an aggregate a pattern binds.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::Pat;

use crate::cfg::aggregate::{Aggregate, Fields, Part};

/// What a pattern binds to a name of such a value; `None` where that is not to be seen.
pub(crate) fn bound_in(part: &Part, pat: &Pat, wanted: &Ident) -> Option<Part> {
    let of_parts = |elems: &syn::punctuated::Punctuated<Pat, syn::Token![,]>, parts: &[Part]| {
        let rest = elems.iter().position(|elem| matches!(elem, Pat::Rest(_)));
        let mut found = elems.iter().take(rest.unwrap_or(elems.len())).zip(parts);
        found.find_map(|(elem, part)| bound_in(part, elem, wanted))
    };
    let all = |of_one: &dyn Fn(&Aggregate) -> Option<Part>, path: Option<&syn::Path>| {
        let Part::OneOf(all) = part else { return None };
        let mut found = Vec::new();
        for one in all {
            match is_same(one.path.as_ref(), path) {
                Some(true) => found.push(of_one(one)?),
                Some(false) => {}
                None => return None,
            }
        }
        found.into_iter().reduce(Part::or)
    };
    match pat {
        Pat::Ident(name) if name.by_ref.is_none() && name.ident == *wanted => Some(part.clone()),
        Pat::Ident(name) => bound_in(part, &name.subpat.as_ref()?.1, wanted),
        Pat::Paren(paren) => bound_in(part, &paren.pat, wanted),
        Pat::Guard(guarded) => bound_in(part, &guarded.pat, wanted),
        Pat::Or(or) => {
            let cases = or.cases.iter().map(|case| bound_in(part, case, wanted));
            let cases: Option<Vec<_>> = cases.collect();
            cases?.into_iter().reduce(Part::or)
        }
        Pat::Tuple(tuple) => {
            let of_one = |one: &Aggregate| match &one.fields {
                Fields::Unnamed(parts) => of_parts(&tuple.elems, parts),
                _ => None,
            };
            all(&of_one, None)
        }
        Pat::TupleStruct(tuple) => {
            let of_one = |one: &Aggregate| match &one.fields {
                Fields::Unnamed(parts) => of_parts(&tuple.elems, parts),
                _ => None,
            };
            all(&of_one, Some(&tuple.path))
        }
        Pat::Struct(fields) => {
            let of_one = |one: &Aggregate| match &one.fields {
                Fields::Named(parts) => fields.fields.iter().find_map(|field| {
                    let (_, part) = parts.iter().find(|(member, _)| *member == field.member)?;
                    bound_in(part, &field.pat, wanted)
                }),
                _ => None,
            };
            all(&of_one, Some(&fields.path))
        }
        _ => None,
    }
}

/// Whether two paths mean the same; `None` where they may.
fn is_same(one: Option<&syn::Path>, other: Option<&syn::Path>) -> Option<bool> {
    let text = |path: &syn::Path| path.to_token_stream().to_string();
    let last = |path: &syn::Path| path.segments.last().map(|last| last.ident.clone());
    let is_own = |path: &syn::Path| path.is_ident("Self");
    match (one, other) {
        (None, None) => Some(true),
        (Some(one), Some(other)) if is_own(one) != is_own(other) => None,
        (Some(one), Some(other)) if text(one) == text(other) => Some(true),
        (Some(one), Some(other)) if last(one) == last(other) => None,
        _ => Some(false),
    }
}
