//! Fields that are taken out of a variable which stays whole: what is taken is a copy, by its type.
//!
//! Patterns on one look at the field itself, and each binding is copied:
//!
//! ```text
//! match plan.room { Room::Hall(seats) => ask, Room::Lab => .. }
//!     →   match looked_at(plan.room) { (taken, Room::Hall(seats)) => { let seats = taken.bound(seats); ask } .. }
//! ```
//!
//! What is `Copy` is copied whole, and so is what has `Clone` where a pattern could not look at a reference.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{
    Expr, Pat, PatIdent, Stmt,
    spanned::Spanned,
    visit::Visit,
    visit_mut::{self, VisitMut},
};

use crate::{
    ast::patterns::{Binding, is_constant, pattern_bindings},
    cfg::copies,
};

/// Whether such patterns can be looked at with either: a guard that binds names itself has no place for those of the pattern.
pub(crate) fn can_be_looked_at<'p>(pats: impl IntoIterator<Item = &'p Pat>) -> bool {
    struct Lets(bool);
    impl<'ast> Visit<'ast> for Lets {
        fn visit_expr_let(&mut self, _: &'ast syn::ExprLet) {
            self.0 = true;
        }

        fn visit_expr_block(&mut self, _: &'ast syn::ExprBlock) {}

        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    }
    pats.into_iter().all(|pat| match pat {
        Pat::Guard(guarded) => {
            let mut lets = Lets(false);
            lets.visit_expr(&guarded.guard);
            !lets.0
        }
        _ => true,
    })
}

/// The field, or a copy of it, by its type, with how a binding is taken out of that.
pub(crate) fn looked_at<'p>(field: &Expr, pats: impl IntoIterator<Item = &'p Pat>) -> Expr {
    let span = field.span().resolved_at(Span::call_site());
    let mut pats = pats.into_iter();
    let whole = pats.any(is_for_a_value).then(|| quote!(TakeWhole as _,));
    syn::parse_quote_spanned!(span=> {
        #[allow(unused_imports)]
        use ::saga_runtime::__private::{TakeBindings as _, TakeCopied as _, #whole};
        (&&&&&::saga_runtime::__private::Looked::at(&#field)).saga_taken(&#field)
    })
}

/// Whether a pattern cannot look at a reference to what it is written for.
fn is_for_a_value(pat: &Pat) -> bool {
    struct References(bool);
    impl<'ast> Visit<'ast> for References {
        fn visit_pat_reference(&mut self, _: &'ast syn::PatReference) {
            self.0 = true;
        }

        fn visit_expr(&mut self, _: &'ast Expr) {}
    }
    let mut references = References(false);
    references.visit_pat(pat);
    references.0 || names_a_constant(pat)
}

/// A constant is compared with what it is given, which may be a reference; a variant is found behind one.
fn names_a_constant(pat: &Pat) -> bool {
    match pat {
        Pat::Ident(name) => match &name.subpat {
            Some((_, inner)) => names_a_constant(inner),
            None => is_written_as_constant(&name.ident),
        },
        Pat::Path(path) => path.path.get_ident().is_some_and(is_written_as_constant),
        Pat::Or(or) => or.cases.iter().any(names_a_constant),
        Pat::Paren(paren) => names_a_constant(&paren.pat),
        Pat::Guard(guarded) => names_a_constant(&guarded.pat),
        _ => false,
    }
}

/// `LIMIT`, and not `N`, which may be a variant.
fn is_written_as_constant(name: &Ident) -> bool {
    let name = name.to_string();
    name.len() > 1 && name.starts_with(char::is_uppercase) && !name.contains(char::is_lowercase)
}

/// The pattern for that.
pub(crate) fn pattern(pat: &Pat) -> Pat {
    if let Pat::Guard(guarded) = pat {
        let seen = copies(&guarded.pat, "saga_seen", true);
        let (pat, guard) = (pattern(&guarded.pat), &guarded.guard);
        return Pat::Guard(syn::PatGuard {
            pat: Box::new(pat),
            guard: syn::parse_quote!({ #(#seen)* #guard }),
            ..guarded.clone()
        });
    }
    let mut pat = pat.clone();
    Immutable.visit_pat_mut(&mut pat);
    let taken = taken(&pat);
    match pattern_bindings(&pat).next() {
        Some(_) => syn::parse_quote!((#taken, #pat)),
        None => syn::parse_quote!((_, #pat)),
    }
}

/// What stands at the begin of what the pattern leads to.
pub(crate) fn bindings(pat: &Pat) -> Vec<Stmt> {
    copies(pat, "saga_bound", false)
}

fn copies(pat: &Pat, method: &str, lent: bool) -> Vec<Stmt> {
    let taken = taken(pat);
    let lent = lent.then(|| quote!(&));
    let copy = |binding: Binding| {
        let name = &binding.ident;
        if binding.by_ref {
            return syn::parse_quote_spanned!(name.span()=> let #name = #taken.saga_lent(&#name););
        }
        let method = Ident::new(method, taken.span());
        let mutable = (lent.is_none() && binding.is_mutable()).then(|| quote!(mut));
        let copied = binding_of(&taken, name, &method, lent.as_ref());
        syn::parse_quote_spanned!(name.span()=> let #mutable #name = #copied;)
    };
    pattern_bindings(pat).map(copy).collect()
}

/// The same in a chain of conditions, where the copies are one more.
pub(crate) fn condition(binding: &syn::ExprLet) -> [Expr; 2] {
    let (names, copies) = bound(&binding.pat);
    let (field, pat) = (
        looked_at(&binding.expr, [&*binding.pat]),
        pattern(&binding.pat),
    );
    [
        syn::parse_quote!(let #pat = #field),
        syn::parse_quote!(let (#(#names,)*) = (#(#copies,)*)),
    ]
}

/// What a pattern binds, and a copy of each.
fn bound(pat: &Pat) -> (Vec<TokenStream>, Vec<Expr>) {
    let taken = taken(pat);
    let method = Ident::new("saga_bound", taken.span());
    let both = pattern_bindings(pat).map(|binding| {
        let name = &binding.ident;
        let mutable = binding
            .is_mutable()
            .then(|| quote_spanned!(name.span()=> mut));
        let pat = quote_spanned!(name.span()=> #mutable #name);
        (pat, binding_of(&taken, name, &method, None))
    });
    both.unzip()
}

fn binding_of(taken: &Ident, name: &Ident, method: &Ident, lent: Option<&TokenStream>) -> Expr {
    let call =
        quote_spanned!(name.span()=> (&&&&&&#taken.saga_binding(&#name)).#method(#lent #name));
    copies::chosen(name.span().resolved_at(Span::call_site()), call)
}

/// A `let` of such a field, as one of the copies.
///
/// ```text
/// let Room::Hall(mut seats) = plan.room else { return };
///     →   let (mut seats,) = { let (taken, Room::Hall(seats)) = looked_at(plan.room) else { return }; (taken.bound(seats),) };
/// ```
pub(crate) fn declaration(local: &mut syn::Local) {
    let Some(init) = &mut local.init else { return };
    let inner = pattern(&local.pat);
    let (names, copies) = bound(&local.pat);
    let field = looked_at(&init.expr, [&local.pat]);
    let otherwise = init.diverge.take().map(|(_, otherwise)| otherwise);
    let otherwise = otherwise.map(|block| quote_spanned!(block.span()=> else #block));
    local.pat = syn::parse_quote!((#(#names,)*));
    *init.expr = syn::parse_quote!({
        let #inner = (#field) #otherwise;
        (#(#copies,)*)
    });
}

fn taken(at: &Pat) -> Ident {
    format_ident!(
        "__saga_taken",
        span = at.span().resolved_at(Span::call_site())
    )
}

/// Without `mut` and `ref`: what is looked at is not what is changed, and is looked at already.
struct Immutable;

impl VisitMut for Immutable {
    fn visit_pat_ident_mut(&mut self, pat: &mut PatIdent) {
        match pat.by_ref {
            None if !is_constant(pat) => pat.mutability = None,
            // It is lent where the others are copied.
            Some(_) if pat.mutability.is_none() => pat.by_ref = None,
            _ => {}
        }
        visit_mut::visit_pat_ident_mut(self, pat);
    }

    fn visit_expr_mut(&mut self, _: &mut Expr) {}
}

/// Whether a pattern of plain names leaves some of what it is for where that is. Behind a reference in a part of it, a name would be
/// one for a reference.
pub(crate) fn passes_over(pat: &Pat) -> bool {
    let is_plain = |pat: &Pat| {
        matches!(pat, Pat::Ident(name) if name.subpat.is_none()) || matches!(pat, Pat::Wild(_))
    };
    let is_rest = |pat: &Pat| matches!(pat, Pat::Rest(_));
    let of_several = |pats: &syn::punctuated::Punctuated<Pat, syn::Token![,]>| {
        pats.iter().all(|pat| is_plain(pat) || is_rest(pat))
            && pats
                .iter()
                .any(|pat| is_rest(pat) || matches!(pat, Pat::Wild(_)))
    };
    match pat {
        Pat::Struct(fields) => {
            let skips = |field: &syn::FieldPat| matches!(&*field.pat, Pat::Wild(_));
            fields.fields.iter().all(|field| is_plain(&field.pat))
                && (fields.rest.is_some() || fields.fields.iter().any(skips))
        }
        Pat::Tuple(tuple) => of_several(&tuple.elems),
        Pat::TupleStruct(variant) => of_several(&variant.elems),
        _ => false,
    }
}
