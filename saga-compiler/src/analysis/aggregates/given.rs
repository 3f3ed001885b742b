//! What variables are given, and where it stands.

use proc_macro2::Ident;
use syn::{
    Expr, Pat, Stmt,
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
    /// What a `let` inside of the code around a value makes a name in it.
    ///
    /// ```text
    /// if large { let page = Page { lines }; pages.push(page); }
    /// ```
    pub(super) fn declared(&self, path: &syn::ExprPath) -> Option<&'f Expr> {
        let mut lets = Lets {
            name: path.path.get_ident()?,
            path,
            inits: Vec::new(),
            found: None,
        };
        self.code.walk(&mut lets);
        lets.found
    }
}

/// Looks for what declares a name where it is used.
struct Lets<'n, 'f> {
    name: &'n Ident,
    path: &'n syn::ExprPath,
    /// What it is made as in the blocks around; `None` by a pattern.
    inits: Vec<Option<&'f Expr>>,
    found: Option<&'f Expr>,
}

impl<'f> Visit<'f> for Lets<'_, 'f> {
    fn visit_block(&mut self, block: &'f syn::Block) {
        let around = self.inits.len();
        visit::visit_block(self, block);
        self.inits.truncate(around);
    }

    fn visit_local(&mut self, local: &'f syn::Local) {
        let before = self.inits.len();
        visit::visit_local(self, local);
        if let (Pat::Ident(pat), Some(init)) = (&local.pat, &local.init)
            && pat.ident == *self.name
            && pat.mutability.is_none()
            && name(&local.pat).is_some()
            && init.diverge.is_none()
        {
            self.inits.truncate(before);
            self.inits.push(Some(&init.expr));
        }
    }

    fn visit_pat_ident(&mut self, pat: &'f syn::PatIdent) {
        if pat.ident == *self.name {
            self.inits.push(None);
        }
        visit::visit_pat_ident(self, pat);
    }

    fn visit_expr_path(&mut self, path: &'f syn::ExprPath) {
        if std::ptr::eq(path, self.path) {
            self.found = self.inits.last().copied().flatten();
        }
    }
}

/// A value, and the pattern that takes it apart, where there is one.
pub(super) type Bound<'f> = (&'f Expr, Option<&'f Pat>);

/// Where an expression stands in what a variable is given.
pub(super) struct Scope<'s> {
    pub(super) given: &'s Given<'s>,
    pub(super) block: Option<(&'s syn::Block, &'s Scope<'s>)>,
}

impl Scope<'_> {
    /// What a variable of a block around it is made as, and where; `None` of it where it may have another value.
    pub(super) fn made(&self, path: &syn::ExprPath) -> Option<Option<(&Expr, &Self)>> {
        let wanted = path.path.get_ident()?;
        let (block, around) = self.block?;
        let Some(local) = declared_in(block, wanted) else {
            return around.made(path);
        };
        let fixed = matches!(&local.pat, Pat::Ident(name) if name.mutability.is_none());
        let init = local
            .init
            .as_ref()
            .filter(|_| fixed && name(&local.pat).is_some());
        Some(init.map(|init| (&*init.expr, self)))
    }
}

/// The last `let` of a block that declares a name.
///
/// ```text
/// { let step = Step::Build; log(&step); Job { step } }
/// ```
fn declared_in<'b>(block: &'b syn::Block, wanted: &Ident) -> Option<&'b syn::Local> {
    let mut lets = block.stmts.iter().filter_map(|stmt| match stmt {
        Stmt::Local(local) => Some(local),
        _ => None,
    });
    lets.rfind(|local| pattern_bindings(&local.pat).any(|name| name.ident == *wanted))
}

/// The variable that a pattern is.
pub(super) fn name(pat: &Pat) -> Option<&Ident> {
    match pat {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => Some(&name.ident),
        _ => None,
    }
}
