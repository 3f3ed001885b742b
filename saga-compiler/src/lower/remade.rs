//! Variables that are made again in each block that uses them: closures, functions by another name, literals that are lent.

use quote::ToTokens;
use syn::{Expr, Pat};

use super::{Lower, variables::without_type};

use crate::{
    ast::{
        calls::strip_parentheses,
        closures::{Gives, given_by},
        tokens::declares_static,
        uses::Uses,
    },
    cfg::{persistence::Persistence, place::Borrow},
};

/// Parameters of a closure that the runtime can compare.
const MOST_PARAMETERS: usize = 6;

impl Lower<'_> {
    /// A closure is made in each block that uses it: that does nothing, and what it captures is lent to it as long as it is used,
    /// and does not change. A function is named again.
    pub(super) fn made_again(&self, pat: &Pat, init: &Expr) -> Option<Borrow> {
        if self.names_function(pat, init) || lends_literal(pat, init) {
            return Some(Borrow::of(init.clone(), Vec::new()));
        }
        let Expr::Closure(closure) = strip_parentheses(init) else {
            return None;
        };
        let by_name = matches!(pat, Pat::Ident(_));
        // What is moved into it is not there to make another one of. A static in it would be another one each time.
        if !by_name
            || closure.asyncness.is_some()
            || closure.capture.is_some()
            || closure.inputs.len() > MOST_PARAMETERS
            || declares_static(init.to_token_stream())
            // What it gives would be of another type in each block.
            || given_by(&closure.body) == Gives::Closure
        {
            return None;
        }
        let uses = Uses::of_expr(init);
        let deps = self.resolve_all(uses.reads.into_keys());
        Some(Borrow::of(init.clone(), deps.into_iter().collect()))
    }

    /// Whether a variable is a closure that is made again.
    pub(super) fn is_remade(&self, name: &str) -> bool {
        let var = self.lookup(name).map(|id| &self.vars[id.0].persistence);
        let Some(Persistence::Reborrowed(id)) = var else {
            return false;
        };
        let reborrow = self.reborrows.get(id.0);
        reborrow.is_some_and(|of| matches!(strip_parentheses(&of.init), Expr::Closure(_)))
    }

    /// Whether a variable is a function of another name. A constant in small letters is the same wherever it is mentioned.
    fn names_function(&self, pat: &Pat, init: &Expr) -> bool {
        let Expr::Path(path) = strip_parentheses(init) else {
            return false;
        };
        let by_name = matches!(without_type(pat), Pat::Ident(name) if name.mutability.is_none());
        let last = path.path.segments.last();
        let in_small =
            last.is_some_and(|last| last.ident.to_string().starts_with(char::is_lowercase));
        by_name
            && in_small
            && self.importing.is_empty()
            && self.places(|places| places.is_global(init))
    }
}

/// Whether a variable is a reference to texts and numbers that are in the program itself.
///
/// ```text
/// let labels = &["yes", "no"];
/// ```
fn lends_literal(pat: &Pat, init: &Expr) -> bool {
    fn is_literal(expr: &Expr) -> bool {
        match strip_parentheses(expr) {
            Expr::Lit(_) => true,
            Expr::Array(array) => array.elems.iter().all(is_literal),
            Expr::Tuple(tuple) => tuple.elems.iter().all(is_literal),
            Expr::Reference(lent) => lent.mutability.is_none() && is_literal(&lent.expr),
            _ => false,
        }
    }
    let lends = matches!(strip_parentheses(init), Expr::Reference(lent)
        if matches!(strip_parentheses(&lent.expr), Expr::Array(_) | Expr::Tuple(_)));
    lends
        && is_literal(init)
        && matches!(without_type(pat), Pat::Ident(name) if name.mutability.is_none())
}
