//! Constants and literals that are lent to be changed.

use std::collections::BTreeSet;

use syn::{
    Expr,
    spanned::Spanned,
    visit::{self, Visit},
};

use crate::ast::patterns::is_constant;

/// The names in capitals that are variables all the same: `mut N`, `ref N`, `N @ ..`.
pub(super) fn capital_variables(item: &syn::ImplItemFn) -> BTreeSet<String> {
    struct Names(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            if !is_constant(pat) {
                self.0.insert(pat.ident.to_string());
            }
            visit::visit_pat_ident(self, pat);
        }
    }
    let mut names = Names(BTreeSet::new());
    names.visit_impl_item_fn(item);
    names.0
}

/// Each mention of a constant is a value of its own, which is changed in the place of the constant.
///
/// ```text
/// &mut START.parts   →   &mut identity(START).parts
/// ```
pub(super) fn own(place: &mut Expr, variables: &BTreeSet<String>) {
    match place {
        Expr::Field(field) => own(&mut field.base, variables),
        Expr::Index(index) => own(&mut index.expr, variables),
        Expr::Paren(paren) => own(&mut paren.expr, variables),
        Expr::Group(group) => own(&mut group.expr, variables),
        Expr::Lit(literal) => {
            let span = literal.span();
            *place = syn::parse_quote_spanned!(span=> ::core::convert::identity(#literal));
        }
        Expr::Path(path) => {
            let last = path.path.segments.last().map(|last| last.ident.to_string());
            let constant = last.is_some_and(|name| {
                name.starts_with(char::is_uppercase)
                    && !(path.path.get_ident().is_some() && variables.contains(&name))
            });
            if constant {
                let span = path.span();
                *place = syn::parse_quote_spanned!(span=> ::core::convert::identity(#path));
            }
        }
        _ => {}
    }
}
