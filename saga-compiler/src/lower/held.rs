//! What is there until a branch ends, and not behind it.

use std::cell::LazyCell;

use syn::{Expr, Pat, Stmt};

use super::{Lower, control::declares_in};
use crate::{
    ast::{
        assigned::definitely_moved,
        calls::strip_parentheses,
        patterns::{Binding, pattern_bindings},
    },
    syntax::locks::takes_lock,
};

impl Lower<'_> {
    /// Whether something is there until a branch ends, and not behind it, unless the branch stays whole: what a pattern binds of a
    /// value. What that is made with is, in any case.
    pub(super) fn holds(&self, bound: &[(&Pat, &Expr)], branch: &Expr) -> bool {
        let temporary = |of| takes_lock(of) || keeps_temporary(of);
        bound.iter().any(|(pat, of)| {
            !self.is_lent_on_the_way(of) && temporary(strip_parentheses(of))
                || self.is_cut(branch) && !self.held(pat, of, branch).is_empty()
        })
    }

    pub(super) fn is_lent_on_the_way(&self, of: &Expr) -> bool {
        let of = strip_parentheses(of);
        matches!(of, Expr::Reference(_)) || self.places(|places| places.is_reference(of))
    }

    /// What a pattern binds of a value that a branch need not have moved.
    pub(super) fn held(&self, pat: &Pat, of: &Expr, branch: &Expr) -> Vec<Binding> {
        if self.is_lent_on_the_way(of) {
            return Vec::new();
        }
        let moved = LazyCell::new(|| definitely_moved(&Stmt::Expr(branch.clone(), None)));
        let is_held =
            |binding: &Binding| !binding.by_ref && !moved.contains(&binding.ident.to_string());
        pattern_bindings(pat).filter(is_held).collect()
    }

    /// A branch that stays whole, in which these patterns bind something: that is gone where it ends, though more stands behind it
    /// by then.
    ///
    /// ```text
    /// match open() { Ok(file) => read(&file), Err(_) => { ask; return } }   →   Ok(file) => { let file = file; read(&file) }
    /// ```
    pub(super) fn with_held(&self, bound: &[(&Pat, &Expr)], branch: Expr) -> Expr {
        if self.is_cut(&branch) {
            return branch;
        }
        let held = bound
            .iter()
            .flat_map(|(pat, of)| self.held(pat, of, &branch));
        let held: Vec<syn::Stmt> = held
            .map(|Binding { ident, mutable, .. }| {
                let mutable = mutable.then(|| quote::quote!(mut));
                syn::parse_quote! {
                    #[allow(clippy::redundant_locals)]
                    let #mutable #ident = #ident;
                }
            })
            .collect();
        match held.is_empty() {
            true => branch,
            false => syn::parse_quote!({ #(#held)* #branch }),
        }
    }

    /// Whether a branch that is taken apart has declared something, and goes on behind it.
    pub(super) fn leaves_declared(&self, branch: &Expr) -> bool {
        declares_in(branch) && self.is_cut(branch)
    }
}

/// Whether something is made on the way to a value, and lives as long as what looks at that: what a method is called on.
fn keeps_temporary(of: &Expr) -> bool {
    match strip_parentheses(of) {
        Expr::MethodCall(call) => {
            call.method == "borrow"
                || matches!(*call.receiver, Expr::Call(_))
                || keeps_temporary(&call.receiver)
        }
        Expr::Try(tried) => keeps_temporary(&tried.expr),
        Expr::Await(awaited) => keeps_temporary(&awaited.base),
        Expr::Field(field) => keeps_temporary(&field.base),
        _ => false,
    }
}
