//! `break` and `continue` that leave the piece of code they stand in.

use proc_macro2::TokenStream;

use syn::{
    Expr, Lifetime, Stmt,
    visit::{self, Visit},
    visit_mut::{self, VisitMut},
};

use super::definitely_assigned::definitely_assigned;

/// A jump whose target is outside.
pub(crate) struct Jump<'e> {
    pub(crate) label: Option<&'e Lifetime>,
    pub(crate) is_break: bool,
    pub(crate) value: Option<Expr>,
}

/// Calls `replace` for each jump that leaves `stmt`, in order of the text, and puts its answer in
/// the jump's place.
pub(crate) fn rewrite(stmt: &mut Stmt, replace: &mut dyn FnMut(Jump<'_>) -> Option<TokenStream>) {
    let mut rewriter = Rewriter {
        replace,
        loops: 0,
        labels: Vec::new(),
    };
    rewriter.visit_stmt_mut(stmt);
}

/// Variables that are given another value right before a jump, in the same block.
///
/// ```text
/// if again { text = String::new(); continue; }
/// ```
pub(crate) fn assigned_before_jumps(expr: &Expr) -> Vec<String> {
    struct Assigned(Vec<String>);
    impl<'ast> Visit<'ast> for Assigned {
        fn visit_block(&mut self, block: &'ast syn::Block) {
            if let [
                before @ ..,
                Stmt::Expr(Expr::Break(_) | Expr::Continue(_), _),
            ] = &block.stmts[..]
            {
                self.0.extend(before.iter().flat_map(definitely_assigned));
            }
            visit::visit_block(self, block);
        }

        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut assigned = Assigned(Vec::new());
    assigned.visit_expr(expr);
    assigned.0
}

/// The values of the `break`s that leave a piece of code, and whether a `?` does.
#[derive(Default)]
pub(crate) struct Left<'e> {
    pub(crate) values: Vec<&'e Expr>,
    pub(crate) by_try: bool,
    loops: usize,
    labels: Vec<&'e Lifetime>,
}

impl<'e> Left<'e> {
    fn inside(&mut self, label: Option<&'e syn::Label>, looped: bool, block: &'e syn::Block) {
        self.labels.extend(label.map(|label| &label.name));
        self.loops += usize::from(looped);
        self.visit_block(block);
        self.loops -= usize::from(looped);
        if label.is_some() {
            self.labels.pop();
        }
    }
}

impl<'e> Visit<'e> for Left<'e> {
    fn visit_expr(&mut self, expr: &'e Expr) {
        match expr {
            Expr::Closure(_) | Expr::Async(_) => {}
            Expr::Loop(looped) => self.inside(looped.label.as_ref(), true, &looped.body),
            Expr::While(looped) => {
                self.visit_expr(&looped.cond);
                self.inside(looped.label.as_ref(), true, &looped.body);
            }
            Expr::ForLoop(looped) => {
                self.visit_expr(&looped.expr);
                self.inside(looped.label.as_ref(), true, &looped.body);
            }
            Expr::Block(block) => self.inside(block.label.as_ref(), false, &block.block),
            Expr::Break(jump) => {
                let leaves = match &jump.label {
                    Some(label) => !self.labels.contains(&label),
                    None => self.loops == 0,
                };
                self.values.extend(jump.expr.as_deref().filter(|_| leaves));
                visit::visit_expr_break(self, jump);
            }
            Expr::Try(tried) => {
                let mut marks = tried.attrs.iter();
                self.by_try |= marks.any(is_way_out);
                visit::visit_expr_try(self, tried);
            }
            other => visit::visit_expr(self, other),
        }
    }

    fn visit_item(&mut self, _: &'e syn::Item) {}
}

/// Whether an attribute is the mark of a `?` that leaves a labelled block.
pub(crate) fn is_way_out(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("saga_leaves")
}

/// Marks a `?` that leaves a labelled block instead of the function.
pub(crate) fn leave_by(tried: &mut syn::ExprTry, label: &Lifetime) {
    tried.attrs.push(syn::parse_quote!(#[saga_leaves(#label)]));
}

/// A marked `?`, written out.
fn leaving(expr: &Expr) -> Option<Expr> {
    let Expr::Try(tried) = expr else { return None };
    let mut marks = tried.attrs.iter();
    let mark = marks.find(|mark| is_way_out(mark))?;
    let label: Lifetime = mark.parse_args().ok()?;
    let tried = &tried.expr;
    Some(syn::parse_quote! {
        match ::saga_runtime::__private::Branch::branch(#tried) {
            ::core::ops::ControlFlow::Continue(__saga_value) => __saga_value,
            ::core::ops::ControlFlow::Break(__saga_residual) => {
                break #label ::saga_runtime::__private::FromResidual::from_residual(__saga_residual)
            }
        }
    })
}

struct Rewriter<'a> {
    replace: &'a mut dyn FnMut(Jump<'_>) -> Option<TokenStream>,
    loops: usize,
    labels: Vec<Lifetime>,
}

impl Rewriter<'_> {
    fn inside(&mut self, label: Option<&syn::Label>, looped: bool, visit: impl FnOnce(&mut Self)) {
        self.labels.extend(label.map(|label| label.name.clone()));
        self.loops += usize::from(looped);
        visit(self);
        self.loops -= usize::from(looped);
        if label.is_some() {
            self.labels.pop();
        }
    }

    fn leaves(&self, label: Option<&Lifetime>) -> bool {
        match label {
            Some(label) => !self.labels.contains(label),
            None => self.loops == 0,
        }
    }
}

impl VisitMut for Rewriter<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Some(explicit) = leaving(expr) {
            *expr = explicit;
        }
        match expr {
            Expr::Closure(_) | Expr::Async(_) => {}
            Expr::Loop(looped) => {
                let label = looped.label.clone();
                self.inside(label.as_ref(), true, |this| {
                    this.visit_block_mut(&mut looped.body)
                });
            }
            Expr::While(looped) => {
                let label = looped.label.clone();
                self.inside(label.as_ref(), true, |this| {
                    this.visit_expr_mut(&mut looped.cond);
                    this.visit_block_mut(&mut looped.body);
                });
            }
            Expr::ForLoop(looped) => {
                self.visit_expr_mut(&mut looped.expr);
                let label = looped.label.clone();
                self.inside(label.as_ref(), true, |this| {
                    this.visit_block_mut(&mut looped.body)
                });
            }
            Expr::Block(block) => {
                let label = block.label.clone();
                self.inside(label.as_ref(), false, |this| {
                    this.visit_block_mut(&mut block.block)
                });
            }
            Expr::Break(jump) if self.leaves(jump.label.as_ref()) => {
                if let Some(value) = &mut jump.expr {
                    self.visit_expr_mut(value);
                }
                let value = jump.expr.as_deref().cloned();
                let jump = Jump {
                    label: jump.label.as_ref(),
                    is_break: true,
                    value,
                };
                if let Some(tokens) = (self.replace)(jump) {
                    *expr = Expr::Verbatim(tokens);
                }
            }
            Expr::Continue(jump) if self.leaves(jump.label.as_ref()) => {
                let jump = Jump {
                    label: jump.label.as_ref(),
                    is_break: false,
                    value: None,
                };
                if let Some(tokens) = (self.replace)(jump) {
                    *expr = Expr::Verbatim(tokens);
                }
            }
            other => visit_mut::visit_expr_mut(self, other),
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
