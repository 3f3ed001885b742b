//! Lists that a function makes, and what it takes out of them.

use syn::Expr;

use super::{Scope, Values, one};
use crate::{
    ast::{
        calls::{is_of_runtime, strip_parentheses},
        types::ends_in,
    },
    cfg::aggregate::{Fields, Part},
};

impl Values<'_> {
    /// What methods of std's lists give of what is in them.
    pub(super) fn of_call(
        &self,
        call: &syn::ExprMethodCall,
        scope: &Scope<'_>,
        depth: usize,
    ) -> Option<Part> {
        let of_receiver = || self.of_expr(&call.receiver, scope, depth + 1);
        let is_variable = match strip_parentheses(&call.receiver) {
            Expr::Field(field) => matches!(strip_parentheses(&field.base), Expr::Path(_)),
            receiver => matches!(receiver, Expr::Path(_)),
        };
        match (call.method.to_string().as_str(), call.args.first()) {
            // What a `for` goes over.
            ("saga_drain", Some(items)) => {
                Part::List(Some(Box::new(self.items(items, scope, depth + 1)?))).into()
            }
            ("collect", None) if call.turbofish.as_ref().is_some_and(collects_list) => {
                self.collected(&call.receiver, scope, depth)
            }
            ("next", None) if is_variable => {
                let some = syn::parse_quote!(::core::option::Option::Some);
                let item = of_receiver().item()?;
                Some(one(Some(&some), Fields::Unnamed(vec![item])))
            }
            ("pop" | "pop_front" | "pop_back", None) if is_variable => {
                let some = syn::parse_quote!(Some);
                let item = of_receiver().item()?;
                let some = one(Some(&some), Fields::Unnamed(vec![item]));
                Some(some.or(Part::none()))
            }
            _ => None,
        }
    }

    /// What a list is made of by the closure of a `map`.
    pub(super) fn collected(&self, steps: &Expr, scope: &Scope<'_>, depth: usize) -> Option<Part> {
        let Expr::MethodCall(call) = strip_parentheses(steps) else {
            return None;
        };
        match (call.method.to_string().as_str(), call.args.first()) {
            ("map", Some(Expr::Closure(closure))) => {
                let item = self.of_expr(&closure.body, scope, depth + 1);
                Some(Part::List(Some(Box::new(item))))
            }
            ("filter" | "inspect" | "rev" | "skip" | "take", _) => {
                self.collected(&call.receiver, scope, depth)
            }
            _ => None,
        }
    }

    /// One of the items that a `for` takes out of this.
    pub(super) fn items(&self, of: &Expr, scope: &Scope<'_>, depth: usize) -> Option<Part> {
        let call = match strip_parentheses(of) {
            Expr::MethodCall(call) => call,
            // Of a step that is looked at.
            Expr::Call(call) if is_of_runtime(&call.func, &["seen"]) => {
                return self.items(call.args.first()?, scope, depth);
            }
            Expr::Path(path) if let Some(Some((made, scope))) = scope.made(path) => {
                return self.items(made, scope, depth + 1);
            }
            list => return self.of_expr(list, scope, depth).item(),
        };
        let item = self.items(&call.receiver, scope, depth)?;
        match call.method.to_string().as_str() {
            "into_iter" | "rev" | "drain" | "skip" | "take" | "step_by" => Some(item),
            "enumerate" => {
                let at = Part::Whole(call.method.span());
                Some(one(None, Fields::Unnamed(vec![at, item])))
            }
            _ => None,
        }
    }
}

/// `Vec<_>`.
pub(super) fn is_list(ty: &syn::Type) -> bool {
    ["Vec", "VecDeque"].iter().any(|list| ends_in(ty, list))
}

/// `::<Vec<_>>`
fn collects_list(into: &syn::AngleBracketedGenericArguments) -> bool {
    matches!(into.args.first(), Some(syn::GenericArgument::Type(ty)) if is_list(ty))
}

/// `Vec::new`, `VecDeque::with_capacity`.
pub(super) fn makes_list(func: &Expr) -> bool {
    let Expr::Path(path) = func else { return false };
    let mut names = path
        .path
        .segments
        .iter()
        .rev()
        .map(|segment| &segment.ident);
    let new = names
        .next()
        .is_some_and(|last| last == "new" || last == "with_capacity");
    new && names
        .next()
        .is_some_and(|owner| owner == "Vec" || owner == "VecDeque")
}

/// The items of a `vec![…]` in which something asks.
pub(super) fn listed(call: &syn::ExprCall) -> Option<&syn::ExprArray> {
    match call.args.last() {
        Some(Expr::Array(items)) if is_of_runtime(&call.func, &["vec_of"]) => Some(items),
        _ => None,
    }
}
