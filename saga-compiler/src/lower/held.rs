//! What is there until a branch ends, and not behind it.

use std::cell::LazyCell;

use syn::{Expr, Pat, Stmt};

use super::Lower;
use crate::{
    ast::{
        assigned::definitely_moved,
        calls::{is_hidden_name, strip_parentheses},
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
            // What is made in an arm on the way to its value is gone before what the arm stands in, in each edition; and an arm's value
            // is made into what is wanted, as the branch's is.
            false => syn::parse_quote!({
                #(#held)*
                #[allow(clippy::match_single_binding)]
                match () { () => #branch }
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

/// Whether a block declares something of the author's.
pub(super) fn declares(block: &syn::Block) -> bool {
    block.stmts.iter().any(|stmt| match stmt {
        Stmt::Local(local) => {
            let mut bindings = pattern_bindings(&local.pat).peekable();
            // `let _ = &value;` keeps that, too.
            bindings.peek().is_none()
                || bindings.any(|binding| !is_hidden_name(&binding.ident.to_string()))
        }
        _ => false,
    })
}

/// The same of a branch.
pub(super) fn declares_in(branch: &Expr) -> bool {
    matches!(branch, Expr::Block(block) if declares(&block.block))
}

/// Whether something is declared in a block, or in one that is in it.
pub(super) fn declares_inside(block: &syn::Block) -> bool {
    struct Declares(bool);
    impl<'ast> syn::visit::Visit<'ast> for Declares {
        fn visit_block(&mut self, block: &'ast syn::Block) {
            self.0 |= declares(block);
            syn::visit::visit_block(self, block);
        }

        fn visit_pat(&mut self, pat: &'ast Pat) {
            let mut bindings = pattern_bindings(pat);
            self.0 |= bindings.any(|binding| !is_hidden_name(&binding.ident.to_string()));
        }

        fn visit_local(&mut self, local: &'ast syn::Local) {
            local
                .init
                .iter()
                .for_each(|init| self.visit_local_init(init));
        }

        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut declares = Declares(false);
    syn::visit::Visit::visit_block(&mut declares, block);
    declares.0
}
