//! What variables are given, and where it stands.

use proc_macro2::Ident;
use syn::{
    Expr, Pat,
    visit::{self, Visit},
};

use crate::{
    ast::{patterns::pattern_bindings, touched::Code},
    cfg::{Facts, ImportId},
};

/// A value, and what the names in it mean.
#[derive(Clone)]
pub(super) struct Given<'f> {
    pub(super) value: &'f Expr,
    /// Which part of it: what a pattern binds to this name.
    pub(super) bound: Option<(&'f Pat, &'f Ident)>,
    pub(super) facts: &'f Facts,
    /// The code around it: what that binds may mean something else.
    pub(super) code: Code<'f>,
    /// What the block imports that it stands in.
    pub(super) imports: &'f [ImportId],
}

impl<'f> Given<'f> {
    /// What binds a name inside of the code around a value, where it stands in that.
    ///
    /// ```text
    /// if large { let page = Page { lines }; pages.push(page); }
    /// if let Some(spare) = &self.spare { client = spare; }
    /// ```
    pub(super) fn binder(&self, path: &syn::ExprPath) -> Option<Binder<'f>> {
        let mut binders = Binders {
            name: path.path.get_ident()?,
            path,
            around: Vec::new(),
            found: None,
        };
        self.code.walk(&mut binders);
        binders.found
    }
}

/// What binds a name.
#[derive(Clone, Copy)]
pub(super) enum Binder<'f> {
    /// `let name = INIT;`
    Let(&'f Expr),
    /// A pattern in an arm or a condition, and what it takes apart.
    Pattern(&'f Pat, &'f Expr),
    Other,
}

/// Looks for what binds a name where it is used.
struct Binders<'n, 'f> {
    name: &'n Ident,
    path: &'n syn::ExprPath,
    /// In the code around.
    around: Vec<Binder<'f>>,
    found: Option<Binder<'f>>,
}

impl<'f> Binders<'_, 'f> {
    fn inside(&mut self, visit: impl FnOnce(&mut Self)) {
        let around = self.around.len();
        visit(self);
        self.around.truncate(around);
    }

    fn pattern(&mut self, pat: &'f Pat, scrutinee: &'f Expr) {
        if pattern_bindings(pat).any(|bound| bound.ident == *self.name) {
            self.around.push(Binder::Pattern(pat, scrutinee));
        }
    }
}

impl<'f> Visit<'f> for Binders<'_, 'f> {
    fn visit_block(&mut self, block: &'f syn::Block) {
        self.inside(|inside| visit::visit_block(inside, block));
    }

    fn visit_local(&mut self, local: &'f syn::Local) {
        let before = self.around.len();
        visit::visit_local(self, local);
        if let (Pat::Ident(pat), Some(init)) = (&local.pat, &local.init)
            && pat.ident == *self.name
            && pat.mutability.is_none()
            && name(&local.pat).is_some()
            && init.diverge.is_none()
        {
            self.around.truncate(before);
            self.around.push(Binder::Let(&init.expr));
        }
    }

    fn visit_expr_match(&mut self, matched: &'f syn::ExprMatch) {
        self.visit_expr(&matched.expr);
        for arm in &matched.arms {
            self.inside(|inside| {
                inside.pattern(&arm.pat, &matched.expr);
                if let Pat::Guard(guarded) = &arm.pat {
                    inside.visit_expr(&guarded.guard);
                }
                inside.visit_expr(&arm.body);
            });
        }
    }

    fn visit_expr_if(&mut self, conditional: &'f syn::ExprIf) {
        self.inside(|inside| {
            inside.visit_expr(&conditional.cond);
            inside.visit_block(&conditional.then_branch);
        });
        if let Some((_, otherwise)) = &conditional.else_branch {
            self.visit_expr(otherwise);
        }
    }

    fn visit_expr_while(&mut self, repeated: &'f syn::ExprWhile) {
        self.inside(|inside| visit::visit_expr_while(inside, repeated));
    }

    fn visit_expr_let(&mut self, binding: &'f syn::ExprLet) {
        self.visit_expr(&binding.expr);
        self.pattern(&binding.pat, &binding.expr);
    }

    fn visit_pat_ident(&mut self, pat: &'f syn::PatIdent) {
        if pat.ident == *self.name {
            self.around.push(Binder::Other);
        }
        visit::visit_pat_ident(self, pat);
    }

    fn visit_expr_path(&mut self, path: &'f syn::ExprPath) {
        if std::ptr::eq(path, self.path) {
            self.found = self.around.last().copied();
        }
    }
}

/// A value, and the pattern that takes it apart, where there is one.
pub(super) type Bound<'f> = (&'f Expr, Option<&'f Pat>);

/// The variable that a pattern is.
pub(super) fn name(pat: &Pat) -> Option<&Ident> {
    match pat {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => Some(&name.ident),
        _ => None,
    }
}
