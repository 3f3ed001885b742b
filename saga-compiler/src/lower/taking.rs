//! Closures with `move` in variables: one of what never changes borrows as well as it takes, and what is lent can be lent again.

use syn::{Expr, Pat, Stmt};

use super::Lower;

use crate::ast::{calls::strip_parentheses, uses::Uses};

impl Lower<'_> {
    /// ```text
    /// let is_known = move |name| names.contains(name);   →   let is_known = |name| names.contains(name);
    /// ```
    /// Only where it lives on: else somebody may need it to own what it takes.
    pub(super) fn without_move(&self, stmt: &Stmt, rest: &[Stmt]) -> Option<Stmt> {
        let Stmt::Local(local) = stmt else {
            return None;
        };
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let Expr::Closure(closure) = strip_parentheses(&init.expr) else {
            return None;
        };
        let takes = closure.capture.is_some() && closure.asyncness.is_none();
        let mut read = Uses::of_expr(&init.expr).reads.into_keys();
        if !takes
            || !matches!(&local.pat, Pat::Ident(_))
            || !local.attrs.is_empty()
            || read.any(|name| self.is_changeable(&name))
            || !self.is_used_behind(&local.pat, rest)
        {
            return None;
        }
        let (mut local, mut closure) = (local.clone(), closure.clone());
        closure.capture = None;
        *local.init.as_mut()?.expr = Expr::Closure(closure);
        Some(Stmt::Local(local))
    }
}
