//! What variables are given, and where it stands.

use proc_macro2::Ident;
use syn::{Expr, Pat};

use super::{declared_in, name};
use crate::{ast::touched::Code, cfg::Facts};

/// A value, and what the names in it mean.
#[derive(Clone)]
pub(super) struct Given<'f> {
    pub(super) value: &'f Expr,
    /// Which part of it: what a pattern binds to this name.
    pub(super) bound: Option<(&'f Pat, &'f Ident)>,
    pub(super) facts: &'f Facts,
    /// The code around it: what that binds may mean something else.
    pub(super) code: Code<'f>,
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
