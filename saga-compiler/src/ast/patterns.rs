//! What patterns bind.

use std::collections::HashSet;

use proc_macro2::Ident;
use syn::{Expr, Pat, Type, visit::Visit};

/// One name that a pattern binds.
#[derive(Debug, Clone)]
pub(crate) struct Binding {
    pub(crate) ident: Ident,
    pub(crate) by_ref: bool,
    /// `mut x`, or `ref mut x`.
    pub(crate) mutable: bool,
}

impl Binding {
    /// `ref mut x`
    pub(crate) fn lends_to_change(&self) -> bool {
        self.by_ref && self.mutable
    }

    /// Whether it may be given another value.
    pub(crate) fn is_mutable(&self) -> bool {
        self.mutable && !self.by_ref
    }
}

/// The names that `pat` binds, each once, in order.
pub(crate) fn pattern_bindings(pat: &Pat) -> impl Iterator<Item = Binding> {
    let mut collector = PatternNames(Vec::new());
    collector.visit_pat(pat);
    collector.0.into_iter()
}

/// The pattern of an arm without its guard, which has had its say.
pub(crate) fn without_guard(pat: &Pat) -> &Pat {
    match pat {
        Pat::Guard(guarded) => &guarded.pat,
        other => other,
    }
}

/// Whether a guard has picked one of several alternatives, which without it may be another one.
pub(crate) fn is_picked_by_guard(pat: &Pat) -> bool {
    struct Alternatives(bool);
    impl<'ast> Visit<'ast> for Alternatives {
        fn visit_pat_or(&mut self, _: &'ast syn::PatOr) {
            self.0 = true;
        }
    }
    let mut alternatives = Alternatives(false);
    if let Pat::Guard(guarded) = pat {
        alternatives.visit_pat(&guarded.pat);
    }
    alternatives.0
}

/// The guard of an arm.
pub(crate) fn guard(pat: &Pat) -> Option<&Expr> {
    match pat {
        Pat::Guard(guarded) => Some(&guarded.guard),
        _ => None,
    }
}

/// A variable that is written like a constant, in a pattern that every value matches.
pub(crate) fn capital(pat: &Pat) -> Option<&Ident> {
    match pat {
        Pat::Type(typed) => capital(&typed.pat),
        Pat::Paren(paren) => capital(&paren.pat),
        Pat::Tuple(tuple) => tuple.elems.iter().find_map(capital),
        Pat::Ident(name) => is_constant(name).then_some(&name.ident),
        _ => None,
    }
}

/// The macros in a pattern, which may bind anything.
pub(crate) fn macros_in(pat: &Pat) -> Vec<syn::Macro> {
    struct Macros(Vec<syn::Macro>);
    impl<'ast> Visit<'ast> for Macros {
        fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
            self.0.push(invocation.clone());
        }
    }
    let mut macros = Macros(Vec::new());
    macros.visit_pat(pat);
    macros.0
}

/// The type that a pattern gives the variable of this name: its own, not that of the whole.
pub(crate) fn declared_type<'p>(
    pat: &'p Pat,
    ty: Option<&'p Type>,
    name: &Ident,
) -> Option<&'p Type> {
    match (pat, ty) {
        (Pat::Type(typed), _) => declared_type(&typed.pat, Some(&typed.ty), name),
        (Pat::Paren(paren), ty) => declared_type(&paren.pat, ty, name),
        (Pat::Ident(ident), ty) if ident.by_ref.is_none() && ident.ident == *name => ty,
        (Pat::Tuple(tuple), Some(Type::Tuple(types))) => {
            let is_whole = tuple.elems.len() == types.elems.len()
                && !tuple.elems.iter().any(|part| matches!(part, Pat::Rest(_)));
            let mut parts = tuple.elems.iter().zip(&types.elems);
            parts
                .find_map(|(part, ty)| declared_type(part, Some(ty), name))
                .filter(|_| is_whole)
        }
        (Pat::Reference(reference), Some(Type::Reference(ty))) => {
            declared_type(&reference.pat, Some(&ty.elem), name)
        }
        _ => None,
    }
}

/// Whether a name is taken for a constant. `None` and constants are written like bindings; bindings are not written in capitals.
pub(crate) fn is_constant(pat: &syn::PatIdent) -> bool {
    let said = pat.subpat.is_some() || pat.mutability.is_some() || pat.by_ref.is_some();
    pat.ident.to_string().starts_with(char::is_uppercase) && !said
}

struct PatternNames(Vec<Binding>);

impl<'ast> Visit<'ast> for PatternNames {
    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        if !is_constant(pat) && self.0.iter().all(|binding| binding.ident != pat.ident) {
            self.0.push(Binding {
                ident: pat.ident.clone(),
                by_ref: pat.by_ref.is_some(),
                mutable: pat.mutability.is_some(),
            });
        }
        if let Some((_, pat)) = &pat.subpat {
            self.visit_pat(pat);
        }
    }

    fn visit_expr(&mut self, _: &'ast Expr) {}
}

/// Every name that a pattern in `expr` binds.
pub(crate) fn names_bound_in(expr: &Expr) -> HashSet<String> {
    struct Names(HashSet<String>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_pat(&mut self, pat: &'ast syn::Pat) {
            self.0
                .extend(pattern_bindings(pat).map(|binding| binding.ident.to_string()));
        }
    }
    let mut names = Names(HashSet::new());
    names.visit_expr(expr);
    names.0
}

/// Whether a pattern takes values out from behind references (`&x`).
pub(crate) fn copies_out(pat: &Pat) -> bool {
    struct Finder(bool);
    impl<'ast> Visit<'ast> for Finder {
        fn visit_pat_reference(&mut self, _: &'ast syn::PatReference) {
            self.0 = true;
        }
    }
    let mut finder = Finder(false);
    finder.visit_pat(pat);
    finder.0
}

/// Whether a pattern leaves what it looks at, or a part of it, where it is: it binds nothing by value there. What is no success
/// (`Err(_)`, `None`) has nothing in it that is held.
pub(crate) fn leaves(pat: &Pat) -> bool {
    match pat {
        Pat::Ident(ident) if ident.subpat.is_none() => {
            ident.by_ref.is_some()
                || ident.ident.to_string().starts_with(char::is_uppercase) && ident.ident != "None"
        }
        Pat::Ident(_) | Pat::Reference(_) => false,
        Pat::Paren(paren) => leaves(&paren.pat),
        Pat::Type(typed) => leaves(&typed.pat),
        Pat::Guard(guarded) => leaves(&guarded.pat),
        Pat::Or(or) => or.cases.iter().any(leaves),
        Pat::Path(path) => !path.path.is_ident("None"),
        Pat::TupleStruct(variant) => match variant.path.segments.last() {
            Some(last) if last.ident == "Err" => false,
            Some(last) if last.ident == "Ok" || last.ident == "Some" => {
                variant.elems.iter().any(leaves)
            }
            _ => true,
        },
        Pat::Tuple(tuple) => tuple.elems.iter().any(leaves),
        _ => true,
    }
}

/// Whether a pattern is one name, for the whole value.
pub(crate) fn is_name(pat: &Pat) -> bool {
    match pat {
        Pat::Ident(name) => name.subpat.is_none() && name.by_ref.is_none(),
        Pat::Type(typed) => is_name(&typed.pat),
        _ => false,
    }
}
