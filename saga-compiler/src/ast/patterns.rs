//! What patterns bind.

use std::collections::HashSet;

use proc_macro2::Ident;
use syn::{Expr, Pat, visit::Visit};

/// One name that a pattern binds.
#[derive(Debug, Clone)]
pub(crate) struct Binding {
    pub(crate) ident: Ident,
    pub(crate) by_ref: bool,
    pub(crate) mutable: bool,
}

/// The names that `pat` binds, each once, in order.
pub(crate) fn pattern_bindings(pat: &Pat) -> impl Iterator<Item = Binding> {
    let mut collector = PatternNames(Vec::new());
    collector.visit_pat(pat);
    collector.0.into_iter()
}

struct PatternNames(Vec<Binding>);

impl<'ast> Visit<'ast> for PatternNames {
    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        let name = pat.ident.to_string();
        // `None` and constants are written like bindings; bindings are not written in capitals.
        let said = pat.subpat.is_some() || pat.mutability.is_some() || pat.by_ref.is_some();
        let constant = name.starts_with(char::is_uppercase) && !said;
        if !constant && self.0.iter().all(|binding| binding.ident != pat.ident) {
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
