//! What a `match` or an `if` gives.

use syn::{Arm, BinOp, Expr, ExprIf, ExprMatch, Pat};

use super::{Values, given::Scope};
use crate::{
    ast::{calls::strip_parentheses, exits::diverges},
    cfg::aggregate::Part,
};

impl Values<'_> {
    pub(super) fn of_arms(
        &self,
        matched: &ExprMatch,
        scope: &Scope<'_>,
        depth: usize,
    ) -> Option<Part> {
        let arms = matched.arms.iter().filter(|arm| !diverges(&arm.body));
        let all = arms.filter_map(|arm| match gives_the_whole(arm) {
            true if self.is_looked_at(&matched.expr, scope) => None,
            true => Some(self.of_expr(&matched.expr, scope, depth + 1)),
            false => {
                let inside = scope.in_arm(&arm.pat, &matched.expr);
                Some(self.of_expr(&arm.body, &inside, depth))
            }
        });
        all.reduce(Part::or)
    }

    pub(super) fn of_branches(
        &self,
        conditional: &ExprIf,
        scope: &Scope<'_>,
        depth: usize,
    ) -> Option<Part> {
        let (_, otherwise) = conditional.else_branch.as_ref()?;
        let then = match first_let(&conditional.cond) {
            Some(binding) => {
                let inside = scope.in_arm(&binding.pat, &binding.expr);
                self.of_block(&conditional.then_branch, &inside, depth)
            }
            None => self.of_block(&conditional.then_branch, scope, depth),
        };
        let otherwise = (!diverges(otherwise)).then(|| self.of_expr(otherwise, scope, depth));
        then.into_iter().chain(otherwise).reduce(Part::or)
    }

    /// Whether it is a variable that is being looked at, which is nothing else by being given to itself. What is found meanwhile may
    /// be more by itself.
    fn is_looked_at(&self, expr: &Expr, scope: &Scope<'_>) -> bool {
        let Expr::Path(path) = strip_parentheses(expr) else {
            return false;
        };
        let name = path.path.get_ident();
        let var = name.and_then(|name| self.variable(name, scope.given));
        let is_open = |var| self.search.open.borrow().contains(&var);
        let is_met = scope.made(path).is_none() && var.is_some_and(is_open);
        if is_met {
            self.search.met.set(true);
        }
        is_met
    }
}

/// The first of the patterns in a condition; what others bind is taken for any value.
///
/// ```text
/// if let Some(spare) = &self.spare && spare.is_up() { spare } else { &self.main }
/// ```
fn first_let(cond: &Expr) -> Option<&syn::ExprLet> {
    match strip_parentheses(cond) {
        Expr::Let(binding) => Some(binding),
        Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => first_let(&both.left),
        _ => None,
    }
}

/// `other => other`
fn gives_the_whole(arm: &Arm) -> bool {
    let (Pat::Ident(name), Expr::Path(path)) = (&arm.pat, strip_parentheses(&arm.body)) else {
        return false;
    };
    let is_name = path.path.is_ident(&name.ident);
    let first = name.ident.to_string();
    is_name
        && name.by_ref.is_none()
        && name.subpat.is_none()
        && !first.starts_with(char::is_uppercase)
}
