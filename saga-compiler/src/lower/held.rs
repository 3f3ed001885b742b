//! What is there until a branch ends, and not behind it.

use std::cell::LazyCell;

use syn::{Expr, Pat, Stmt};

use super::{Lower, control::declares_in};
use crate::{
    ast::{
        assigned::definitely_moved,
        calls::{is_constructor, strip_parentheses},
        exits::diverges,
        patterns::{Binding, pattern_bindings},
    },
    syntax::locks::takes_lock,
};

impl Lower<'_> {
    /// Whether something is there until a branch ends, and not behind it, unless the branch stays whole: what a pattern binds of a
    /// value. What that is made with is, in any case.
    pub(super) fn holds(&self, bound: &[(&Pat, &Expr)], branch: &Expr) -> bool {
        let temporary = |of| takes_lock(of) || keeps_temporary(of);
        let apart = self.is_cut(branch) || bound.len() > 1;
        bound.iter().any(|(pat, of)| {
            !self.is_lent_on_the_way(of) && temporary(strip_parentheses(of))
                || apart && self.held(pat, of, branch).next().is_some()
        })
    }

    fn is_lent_on_the_way(&self, of: &Expr) -> bool {
        let of = strip_parentheses(of);
        matches!(of, Expr::Reference(_)) || self.places(|places| places.is_reference(of))
    }

    /// What a pattern binds of a value that a branch need not have moved, or gives another value.
    fn held(&self, pat: &Pat, of: &Expr, branch: &Expr) -> impl Iterator<Item = Binding> {
        let moved = LazyCell::new(|| definitely_moved(&Stmt::Expr(branch.clone(), None)));
        self.bound_by_value(pat, of)
            .filter(move |binding| binding.mutable || !moved.contains(&binding.ident.to_string()))
    }

    fn bound_by_value(&self, pat: &Pat, of: &Expr) -> impl Iterator<Item = Binding> {
        let lent = self.is_lent_on_the_way(of);
        let bound: Vec<_> = pattern_bindings(pat).collect();
        bound
            .into_iter()
            .filter(move |binding| !lent && !binding.by_ref)
    }

    /// A branch that stays whole, in which these patterns bind something: that is gone where it ends, though more stands behind it
    /// by then.
    ///
    /// ```text
    /// match open() { Ok(file) => read(&file), Err(_) => { ask; return } }   →   Ok(file) => { let file = file; read(&file) }
    /// ```
    pub(super) fn with_held(&self, bound: &[(&Pat, &Expr)], branch: Expr) -> Expr {
        // What one condition binds, another one may have lent.
        let [(pat, of)] = bound else {
            return branch;
        };
        // Behind one that leaves, nothing stands.
        if self.is_cut(&branch) || diverges(&branch) {
            return branch;
        }
        let held: Vec<syn::Stmt> = self
            .bound_by_value(pat, of)
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
            false if ends_with_literal(&branch) => match branch {
                Expr::Block(mut block) if block.label.is_none() && block.attrs.is_empty() => {
                    block.block.stmts.splice(..0, held);
                    Expr::Block(block)
                }
                branch => syn::parse_quote!({ #(#held)* #branch }),
            },
            // What is made in the branch on the way to its value is gone before that, in each edition.
            false => syn::parse_quote!({
                #(#held)*
                #[allow(clippy::let_unit_value, clippy::let_and_return)]
                let __saga_branch = #branch;
                __saga_branch
            }),
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

/// Whether a branch gives what is written out there, or nothing: nothing is made on the way to it, and what it is made of is seen.
fn ends_with_literal(branch: &Expr) -> bool {
    match strip_parentheses(branch) {
        Expr::Block(block) => match block.block.stmts.last() {
            Some(Stmt::Expr(tail, None)) => ends_with_literal(tail),
            _ => true,
        },
        Expr::Call(call) => is_constructor(&call.func),
        Expr::Macro(list) => list.mac.path.is_ident("vec"),
        Expr::Struct(_) | Expr::Lit(_) | Expr::Path(_) | Expr::Tuple(_) | Expr::Array(_) => true,
        _ => false,
    }
}
