//! What a `match` gives.

use syn::{Arm, Expr, ExprMatch, Pat};

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
            false => Some(self.of_expr(&arm.body, scope, depth)),
        });
        all.reduce(Part::or)
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
