//! Assignments to several places at once.

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::{Expr, Stmt};

/// The language's own reading of it, in two steps.
///
/// ```text
/// (a, list[i]) = pair;   →   { let (x, y) = pair; a = x; list[i] = y; }
/// ```
pub(crate) fn destructured(assign: &syn::ExprAssign) -> Option<Expr> {
    let is_several = matches!(
        &*assign.left,
        Expr::Tuple(_) | Expr::Array(_) | Expr::Struct(_) | Expr::Call(_)
    );
    if !is_several {
        return None;
    }
    let mut pattern = (*assign.left).clone();
    let mut places = Vec::new();
    part(&mut pattern, &mut places);
    let value = &assign.right;
    let declared: Stmt = syn::parse_quote!(let #pattern = #value;);
    let assigned = places
        .into_iter()
        .map(|(name, place)| -> Stmt { syn::parse_quote!(#place = #name;) });
    Some(syn::parse_quote!({ #declared #(#assigned)* }))
}

/// Puts names in the places of `left`.
fn part(left: &mut Expr, places: &mut Vec<(Ident, Expr)>) {
    match left {
        Expr::Paren(paren) => part(&mut paren.expr, places),
        Expr::Group(group) => part(&mut group.expr, places),
        Expr::Tuple(tuple) => tuple.elems.iter_mut().for_each(|one| part(one, places)),
        Expr::Array(array) => array.elems.iter_mut().for_each(|one| part(one, places)),
        Expr::Call(call) => call.args.iter_mut().for_each(|one| part(one, places)),
        Expr::Struct(literal) => {
            for field in &mut literal.fields {
                field.colon_token.get_or_insert_default();
                part(&mut field.expr, places);
            }
        }
        Expr::Infer(_) => {}
        Expr::Range(range) if range.start.is_none() && range.end.is_none() => {}
        place => {
            let name = format_ident!("__saga_part_{}", places.len(), span = Span::call_site());
            let path: Expr = syn::parse_quote!(#name);
            places.push((name, std::mem::replace(place, path)));
        }
    }
}
