//! Variables that are made again in each block that uses them: closures, functions by another name, literals that are lent.

use quote::ToTokens;
use syn::{
    Expr, Pat,
    visit_mut::{self, VisitMut},
};

use super::{Lower, variables::without_type};

use crate::{
    ast::{
        calls::{is_constructor, is_literal, strip_parentheses},
        closures::{Gives, given_by},
        macros::{arguments, change_arguments},
        patterns::pattern_bindings,
        tokens::declares_static,
        uses::Uses,
    },
    cfg::{persistence::Persistence, place::Borrow, proof::made_of_parts},
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
        if self.lists_functions(pat, init) {
            let mut init = init.clone();
            MadeOfParts.visit_expr_mut(&mut init);
            return Some(Borrow::of(init, Vec::new()));
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
        if self.means_another(&uses, pat) {
            return None;
        }
        let deps = self.resolve_all(uses.reads.into_keys());
        Some(Borrow::of(init.clone(), deps.into_iter().collect()))
    }

    /// Whether a variable is a list of what is the same wherever it is made, with functions in it.
    ///
    /// ```text
    /// let commands = [Command { name: "push", run: push }, Command { name: "clear", run: |stack| stack.clear() }];
    /// ```
    pub(super) fn lists_functions(&self, pat: &Pat, init: &Expr) -> bool {
        let by_name = matches!(without_type(pat), Pat::Ident(name) if name.mutability.is_none());
        let mut list = strip_parentheses(init);
        if let Expr::Reference(lent) = list
            && lent.mutability.is_none()
        {
            list = strip_parentheses(&lent.expr);
        }
        let listed;
        let items: Vec<&Expr> = match list {
            Expr::Array(array) => array.elems.iter().collect(),
            Expr::Macro(list) if list.mac.path.is_ident("vec") => {
                listed = arguments(&list.mac).unwrap_or_default();
                listed.iter().map(|item| &item.value).collect()
            }
            _ => return false,
        };
        let mut functions = 0;
        let mut items = items.into_iter();
        by_name
            && self.importing.is_empty()
            && items.all(|item| self.is_constant(item, pat, &mut functions))
            && functions > 0
    }

    /// Whether a value is the same wherever it is made. Counts the functions in it.
    fn is_constant(&self, value: &Expr, pat: &Pat, functions: &mut usize) -> bool {
        if let Some(parts) = made_of(value) {
            let mut parts = parts.into_iter();
            return parts.all(|part| self.is_constant(part, pat, functions));
        }
        match strip_parentheses(value) {
            literal if is_literal(literal) => true,
            Expr::Closure(closure) => {
                *functions += 1;
                let uses = Uses::of_expr(value);
                closure.asyncness.is_none()
                    && !declares_static(closure.to_token_stream())
                    && !self.means_another(&uses, pat)
                    && self.resolve_all(uses.reads.into_keys()).is_empty()
            }
            // A constant may have a cell in it, of which each mention is another one.
            Expr::Path(path) => {
                let last = path.path.segments.last();
                let name = last.map(|last| last.ident.to_string()).unwrap_or_default();
                *functions += usize::from(name.starts_with(char::is_lowercase));
                name.contains(char::is_lowercase) && self.places(|places| places.is_global(value))
            }
            _ => false,
        }
    }

    /// Whether the value of what `pat` declares mentions a function, or another item, whose name is another variable's: where the value
    /// is made again, it could mean that.
    ///
    /// ```text
    /// let total = |n| price(n); ask; let price = total(2);
    /// ```
    pub(super) fn means_another(&self, uses: &Uses, pat: &Pat) -> bool {
        let is_own = |name: &String| pattern_bindings(pat).any(|own| own.ident == *name);
        let mut names = uses.reads.keys();
        names.any(|name| self.bound.contains(name) && !is_own(name) && self.resolve(name).is_none())
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

/// What an expression puts together.
fn made_of(value: &Expr) -> Option<Vec<&Expr>> {
    Some(match strip_parentheses(value) {
        Expr::Array(array) => array.elems.iter().collect(),
        Expr::Tuple(tuple) => tuple.elems.iter().collect(),
        Expr::Struct(literal) if literal.rest.is_none() => {
            literal.fields.iter().map(|field| &field.expr).collect()
        }
        Expr::Call(call) if is_constructor(&call.func) => call.args.iter().collect(),
        Expr::Reference(lent) if lent.mutability.is_none() => vec![&lent.expr],
        Expr::Cast(cast) => vec![&cast.expr],
        _ => return None,
    })
}

/// Has the types of literals of structs prove that they are as good as their parts.
struct MadeOfParts;

impl VisitMut for MadeOfParts {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        let makes = match &*expr {
            Expr::Struct(_) => true,
            Expr::Call(call) => is_constructor(&call.func),
            _ => false,
        };
        if makes {
            *expr = made_of_parts(expr);
        }
    }

    fn visit_macro_mut(&mut self, list: &mut syn::Macro) {
        change_arguments(list, |item| self.visit_expr_mut(item));
    }

    // What it makes, it makes where it is called.
    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}
}
