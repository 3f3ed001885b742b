//! The loops that stand for one `for`: its own, and one in it for each step whose items have items.

use quote::format_ident;
use syn::{Expr, Ident, Pat, Stmt};

use crate::ast::jumps;

/// One loop of those that nested items need.
pub(super) struct Level {
    pub(super) items: Expr,
    /// What the loop binds.
    start: Ident,
    /// What the steps so far made of it.
    pub(super) item: Ident,
    /// Before anything that runs code: after its last item `take` does not go on to look for another one.
    pub(super) first: Vec<Stmt>,
    pub(super) head: Vec<Stmt>,
}

impl Level {
    pub(super) fn over(items: Expr, index: usize) -> Self {
        let start = format_ident!("__saga_item_{index}");
        Self {
            items,
            item: start.clone(),
            start,
            first: Vec::new(),
            head: Vec::new(),
        }
    }

    /// What the author's pattern binds; of a tuple, each part by itself.
    pub(super) fn bound_to(&mut self, pat: &Pat) -> Stmt {
        let item = &self.item;
        if let (Pat::Tuple(_), Some(Stmt::Local(last))) = (pat, self.head.last())
            && let (Pat::Ident(named), Some(init)) = (&last.pat, &last.init)
            && named.ident == *item
            && matches!(&*init.expr, Expr::Tuple(_))
        {
            let parts = &init.expr;
            let bound = syn::parse_quote!(let #pat = #parts;);
            self.head.pop();
            return bound;
        }
        syn::parse_quote!(let #pat = #item;)
    }

    pub(super) fn each(self, label: Option<&syn::Label>, body: Vec<Stmt>) -> Expr {
        let start = &self.start;
        let start = syn::parse_quote!(#start);
        self.around(label, &start, body)
    }

    pub(super) fn around(self, label: Option<&syn::Label>, pat: &Pat, body: Vec<Stmt>) -> Expr {
        let Self {
            items, first, head, ..
        } = self;
        syn::parse_quote!(#label for #pat in #items { #(#first)* #(#head)* #(#body)* })
    }
}

/// `break` of the loop as it is written ends all of those that stand for it.
pub(super) fn leave_all(body: &mut [Stmt], own: Option<&syn::Lifetime>, outermost: &syn::Lifetime) {
    for stmt in body {
        jumps::rewrite(stmt, &mut |jump| {
            let is_own = jump.label.is_none() || jump.label == own;
            (jump.is_break && is_own).then(|| syn::parse_quote!(break #outermost))
        });
    }
}
