//! What of a pattern leads to what it binds: a pattern that is matched again, after something was changed through what it
//! has bound, must not look at the rest again.

use std::collections::HashMap;

use quote::ToTokens;
use syn::{FieldPat, Ident, Member, Pat, parse_quote, punctuated::Punctuated};

use crate::ast::patterns::pattern_bindings;

/// The pattern that binds those of `wanted` names again, whatever else of the value has changed. `None` where a part that may
/// have changed says which alternative it was.
///
/// ```text
/// (1, x @ 0..=5)   →   (_, x)
/// ```
pub(crate) fn projection(pat: &Pat, wanted: &dyn Fn(&Ident) -> bool) -> Option<Pat> {
    if !pattern_bindings(pat).any(|binding| wanted(&binding.ident)) {
        return Some(parse_quote!(_));
    }
    let mut pat = pat.clone();
    match &mut pat {
        Pat::Ident(ident) => {
            let name = &ident.ident;
            let inner = ident.subpat.take();
            let inner = inner.filter(|(_, inner)| {
                let rest = matches!(**inner, Pat::Rest(_));
                rest || pattern_bindings(inner).any(|binding| wanted(&binding.ident))
            });
            if let Some((at, inner)) = inner {
                let inner = match *inner {
                    rest @ Pat::Rest(_) => rest,
                    inner => projection(&inner, wanted)?,
                };
                if !wanted(name) && !matches!(inner, Pat::Rest(_)) {
                    return Some(inner);
                }
                ident.subpat = Some((at, Box::new(inner)));
            }
        }
        Pat::Paren(paren) => *paren.pat = projection(&paren.pat, wanted)?,
        Pat::Reference(reference) => *reference.pat = projection(&reference.pat, wanted)?,
        Pat::Type(typed) => *typed.pat = projection(&typed.pat, wanted)?,
        Pat::Tuple(tuple) => each(&mut tuple.elems, wanted)?,
        Pat::TupleStruct(tuple) => each(&mut tuple.elems, wanted)?,
        Pat::Slice(slice) => each(&mut slice.elems, wanted)?,
        Pat::Struct(whole) => {
            let fields = std::mem::take(&mut whole.fields);
            let leads = |field: &FieldPat| {
                let mut bindings = pattern_bindings(&field.pat);
                bindings.any(|binding| wanted(&binding.ident))
            };
            for mut field in fields.into_iter().filter(leads) {
                *field.pat = projection(&field.pat, wanted)?;
                whole.fields.push(field);
            }
            whole.rest = Some(syn::PatRest {
                attrs: Vec::new(),
                dot2_token: <syn::Token![..]>::default(),
            });
        }
        Pat::Or(or) => return alternatives(or, wanted),
        _ => {}
    }
    Some(pat)
}

fn each(
    parts: &mut Punctuated<Pat, syn::Token![,]>,
    wanted: &dyn Fn(&Ident) -> bool,
) -> Option<()> {
    for part in parts.iter_mut().filter(|part| !is_rest(part)) {
        *part = projection(part, wanted)?;
    }
    Some(())
}

/// `..`, with a name or without: how many parts it stands for does not change while one of them is borrowed.
fn is_rest(pat: &Pat) -> bool {
    match pat {
        Pat::Rest(_) => true,
        Pat::Ident(ident) => {
            let inner = ident.subpat.as_ref();
            inner.is_some_and(|(_, inner)| matches!(**inner, Pat::Rest(_)))
        }
        _ => false,
    }
}

fn alternatives(or: &syn::PatOr, wanted: &dyn Fn(&Ident) -> bool) -> Option<Pat> {
    let mut cases: Vec<Pat> = Vec::new();
    for case in &or.cases {
        let case = projection(case, wanted)?;
        let text = case.to_token_stream().to_string();
        let is_known = |known: &Pat| known.to_token_stream().to_string() == text;
        if cases.iter().any(is_known) {
            continue;
        }
        if !cases.iter().all(|known| are_apart(known, &case)) {
            return None;
        }
        cases.push(case);
    }
    match &cases[..] {
        [one] => Some(one.clone()),
        cases => Some(parse_quote!((#(#cases)|*))),
    }
}

/// Whether no value is of both, by what does not change while something in it is borrowed: which variant it is, and how long.
fn are_apart(one: &Pat, other: &Pat) -> bool {
    let differ = |one: &syn::Path, other: &syn::Path| {
        let last = |path: &syn::Path| path.segments.last().map(|last| last.ident.clone());
        last(one) != last(other)
    };
    match (one, other) {
        (Pat::Paren(paren), other) => are_apart(&paren.pat, other),
        (one, Pat::Paren(paren)) => are_apart(one, &paren.pat),
        (Pat::Reference(one), Pat::Reference(other)) => are_apart(&one.pat, &other.pat),
        (Pat::Ident(ident), other) => {
            let inner = ident.subpat.as_ref();
            inner.is_some_and(|(_, inner)| are_apart(inner, other))
        }
        (one, Pat::Ident(ident)) => {
            let inner = ident.subpat.as_ref();
            inner.is_some_and(|(_, inner)| are_apart(one, inner))
        }
        (Pat::TupleStruct(one), Pat::TupleStruct(other)) => {
            differ(&one.path, &other.path) || parts_are_apart(&one.elems, &other.elems)
        }
        (Pat::Struct(one), Pat::Struct(other)) => {
            let fields: HashMap<&Member, &Pat> = one
                .fields
                .iter()
                .map(|field| (&field.member, &*field.pat))
                .collect();
            let apart = |field: &FieldPat| {
                let same = fields.get(&field.member);
                same.is_some_and(|same| are_apart(same, &field.pat))
            };
            differ(&one.path, &other.path) || other.fields.iter().any(apart)
        }
        (Pat::TupleStruct(one), Pat::Struct(other))
        | (Pat::Struct(other), Pat::TupleStruct(one)) => differ(&one.path, &other.path),
        (Pat::Tuple(one), Pat::Tuple(other)) => parts_are_apart(&one.elems, &other.elems),
        (Pat::Slice(one), Pat::Slice(other)) => {
            let fixed = |parts: &Punctuated<Pat, _>| !parts.iter().any(is_rest);
            let (one, other) = (&one.elems, &other.elems);
            (fixed(one) && fixed(other) && one.len() != other.len()) || parts_are_apart(one, other)
        }
        _ => false,
    }
}

fn parts_are_apart(
    one: &Punctuated<Pat, syn::Token![,]>,
    other: &Punctuated<Pat, syn::Token![,]>,
) -> bool {
    let both = one.iter().zip(other);
    let mut both = both.take_while(|(one, other)| !is_rest(one) && !is_rest(other));
    both.any(|(one, other)| are_apart(one, other))
}

#[cfg(test)]
mod tests {
    use quote::ToTokens;
    use syn::{Pat, parse::Parser as _};

    use super::projection;

    fn projected(pat: &str, wanted: &[&str]) -> Option<String> {
        let pat = Pat::parse_multi.parse_str(pat).ok()?;
        let found = projection(&pat, &|name| wanted.iter().any(|wanted| name == wanted));
        found.map(|pat| pat.to_token_stream().to_string().replace(' ', ""))
    }

    #[test]
    fn what_is_only_looked_at_is_left_out() {
        for (pat, wanted, becomes) in [
            ("(1, x @ 0..=5)", &["x"][..], Some("(_,x)")),
            ("Some((a, b))", &["b"], Some("Some((_,b))")),
            ("s @ State::B { .. }", &["s"], Some("s")),
            ("all @ (a, b)", &["a"], Some("(a,_)")),
            ("all @ (a, b)", &["a", "all"], Some("all@(a,_)")),
            ("[0, x, rest @ ..]", &["x"], Some("[_,x,rest@..]")),
            ("[first @ 'a', ..]", &["first"], Some("[first,..]")),
            ("Point { x, y: 3, z }", &["x"], Some("Point{x,..}")),
            ("Point { x: 1, .. }", &["x"], Some("_")),
            ("(None, x) | (Some(_), x)", &["x"], Some("(_,x)")),
            ("A(x, 1) | B(2, x)", &["x"], Some("(A(x,_)|B(_,x))")),
            ("[x] | [_, x]", &["x"], Some("([x]|[_,x])")),
            ("(1, x) | (x, _)", &["x"], None),
            ("[0, x, ..] | [x, ..]", &["x"], None),
            ("Some((1, x) | (x, _))", &["x"], None),
        ] {
            assert_eq!(projected(pat, wanted).as_deref(), becomes, "{pat}");
        }
    }
}
