//! What a `match` or an `if` gives.

use syn::{Arm, Expr, ExprIf, ExprMatch, Pat};

use super::{Given, Values};
use crate::{
    ast::{calls::strip_parentheses, exits::diverges},
    cfg::aggregate::Part,
};

impl Values<'_> {
    pub(super) fn of_arms(
        &self,
        matched: &ExprMatch,
        given: &Given<'_>,
        depth: usize,
    ) -> Option<Part> {
        let arms = matched.arms.iter().filter(|arm| !diverges(&arm.body));
        let all = arms.filter_map(|arm| match gives_the_whole(arm) {
            true if self.is_looked_at(&matched.expr, given) => None,
            true => Some(self.of_expr(&matched.expr, given, depth + 1)),
            false => Some(self.of_expr(&arm.body, given, depth)),
        });
        all.reduce(Part::or)
    }

    pub(super) fn of_branches(
        &self,
        conditional: &ExprIf,
        given: &Given<'_>,
        depth: usize,
    ) -> Option<Part> {
        let (_, otherwise) = conditional.else_branch.as_ref()?;
        let then = self.of_block(&conditional.then_branch, given, depth);
        let otherwise = (!diverges(otherwise)).then(|| self.of_expr(otherwise, given, depth));
        then.into_iter().chain(otherwise).reduce(Part::or)
    }

    /// Whether it is a variable that is being looked at, which is nothing else by being given to itself. What is found meanwhile may
    /// be more by itself.
    fn is_looked_at(&self, expr: &Expr, given: &Given<'_>) -> bool {
        let Expr::Path(path) = strip_parentheses(expr) else {
            return false;
        };
        let name = path.path.get_ident();
        let var = name.and_then(|name| self.variable(name, given));
        let is_open = |var| self.search.open.borrow().contains(&var);
        let is_met = given.binder(path).is_none() && var.is_some_and(is_open);
        if is_met {
            self.search.met.set(true);
        }
        is_met
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
