//! Type parameters that can be read from any text: what they stand for has no reference in it.

use quote::ToTokens;
use syn::{Generics, TypeParamBound, WherePredicate, punctuated::Punctuated, token::Plus};

/// Says of a type parameter with `DeserializeOwned` that it is `'static`: a reference to such a value is kept with its owner, for which
/// rustc asks for that, and what is no reference is nothing else.
///
/// A method may be one of a trait, which must not ask for more than that does.
pub(super) fn last_for_good(generics: &mut Generics) {
    let lasting: Vec<String> = generics
        .where_clause
        .iter()
        .flat_map(|clause| &clause.predicates)
        .filter_map(|predicate| match predicate {
            WherePredicate::Type(of) => of_any_text(&of.bounds, of.lifetimes.is_some())
                .then(|| of.bounded_ty.to_token_stream().to_string()),
            _ => None,
        })
        .collect();
    for param in generics.type_params_mut() {
        let name = param.ident.to_string();
        if of_any_text(&param.bounds, false) || lasting.contains(&name) {
            param.bounds.push(syn::parse_quote!('static));
        }
    }
}

/// `DeserializeOwned`, `for<'de> Deserialize<'de>`
fn of_any_text(bounds: &Punctuated<TypeParamBound, Plus>, for_all: bool) -> bool {
    bounds.iter().any(|bound| match bound {
        TypeParamBound::Trait(bound) => {
            let last = bound.path.segments.last();
            last.is_some_and(|last| {
                let for_all = for_all || bound.lifetimes.is_some();
                last.ident == "DeserializeOwned" || (for_all && last.ident == "Deserialize")
            })
        }
        _ => false,
    })
}
