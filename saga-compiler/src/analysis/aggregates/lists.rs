//! Lists that a function makes, and what it takes out of them.

use syn::{Expr, spanned::Spanned as _};

use super::{Binder, Given, Values, one};
use crate::{
    ast::{
        calls::{is_constructor, is_of_runtime, strip_parentheses},
        exits::returns,
        types::ends_in,
    },
    cfg::aggregate::{Fields, Part},
};

const LISTS: &[&str] = &["Vec", "VecDeque"];

impl Values<'_> {
    /// What methods of std's lists give of what is in them.
    pub(super) fn of_call(
        &self,
        call: &syn::ExprMethodCall,
        given: &Given<'_>,
        depth: usize,
    ) -> Option<Part> {
        let of_receiver = || self.of_expr(&call.receiver, given, depth + 1);
        let is_variable = match strip_parentheses(&call.receiver) {
            Expr::Field(field) => matches!(strip_parentheses(&field.base), Expr::Path(_)),
            receiver => matches!(receiver, Expr::Path(_)),
        };
        match (call.method.to_string().as_str(), call.args.first()) {
            // What a `for` goes over.
            ("saga_drain", Some(items)) => {
                Part::List(Some(Box::new(self.items(items, given, depth + 1)?))).into()
            }
            ("collect", None) if call.turbofish.as_ref().is_some_and(collects_list) => {
                self.collected(&call.receiver, given, depth)
            }
            ("next", None) if is_variable => {
                let some = syn::parse_quote!(::core::option::Option::Some);
                let item = of_receiver().item()?;
                Some(one(Some(&some), Fields::Unnamed(vec![item])))
            }
            // Of a reference it is what that refers to.
            ("clone", None) if is_variable => {
                Some(of_receiver()).filter(|part| !matches!(part, Part::Place(_)))
            }
            // A copy of a field is what that is.
            ("saga_part", Some(Expr::Reference(field))) => {
                Some(self.of_expr(&field.expr, given, depth + 1))
            }
            // What is left is of the same kind.
            ("take", None) if is_variable => of_receiver()
                .into_struct(call.method.span())
                .filter(Part::is_option),
            ("replace", Some(_)) if is_variable && call.args.len() == 1 => of_receiver()
                .into_struct(call.method.span())
                .filter(Part::is_option),
            ("swap_remove", Some(_)) if is_variable => of_receiver().item(),
            ("pop" | "pop_front" | "pop_back", None) if is_variable => {
                let some = syn::parse_quote!(Some);
                let item = of_receiver().item()?;
                let some = one(Some(&some), Fields::Unnamed(vec![item]));
                Some(some.or(Part::none()))
            }
            _ => None,
        }
    }

    /// What `mem::take` and `mem::replace` give: another value of the same type.
    pub(super) fn taken(
        &self,
        call: &syn::ExprCall,
        given: &Given<'_>,
        depth: usize,
    ) -> Option<Part> {
        let (of, last) = made_by(&call.func)?;
        let Some(Expr::Reference(lent)) = call.args.first() else {
            return None;
        };
        let is_taken = of == "mem" && (last == "take" || last == "replace");
        let place = (is_taken && lent.mutability.is_some()).then_some(&lent.expr)?;
        let whole = self.of_expr(place, given, depth + 1);
        match whole {
            Part::List(_) => Some(whole),
            whole => whole.into_struct(call.func.span()),
        }
    }

    /// What a list is made of by the closure of a `map`, or by what it names: `.map(Row).collect()`.
    pub(super) fn collected(&self, steps: &Expr, given: &Given<'_>, depth: usize) -> Option<Part> {
        let Expr::MethodCall(call) = strip_parentheses(steps) else {
            return None;
        };
        match (call.method.to_string().as_str(), call.args.first()) {
            ("map", Some(Expr::Closure(closure))) if !returns(&closure.body) => {
                let item = self.of_expr(&closure.body, given, depth + 1);
                Some(Part::List(Some(Box::new(item))))
            }
            ("map", Some(Expr::Path(path))) if is_constructor(call.args.first()?) => {
                let part = self.items(&call.receiver, given, depth + 1);
                let part = part.filter(|part| part.is_own());
                let part = part.unwrap_or(Part::Whole(path.span()));
                let item = one(Some(&path.path), Fields::Unnamed(vec![part]));
                Some(Part::List(Some(Box::new(item))))
            }
            ("filter" | "inspect" | "rev" | "skip" | "take", _) => {
                self.collected(&call.receiver, given, depth)
            }
            _ => None,
        }
    }

    /// One of the items that a `for` takes out of this.
    pub(super) fn items(&self, of: &Expr, given: &Given<'_>, depth: usize) -> Option<Part> {
        let call = match strip_parentheses(of) {
            Expr::MethodCall(call) => call,
            // Of a step that is looked at.
            Expr::Call(call) if is_of_runtime(&call.func, &["seen"]) => {
                return self.items(call.args.first()?, given, depth);
            }
            list => {
                let made = match list {
                    Expr::Path(path) => given.binder(path),
                    _ => None,
                };
                return match made {
                    Some(Binder::Let(made)) => self.items(made, given, depth + 1),
                    _ => self.of_expr(list, given, depth).item(),
                };
            }
        };
        let item = self.items(&call.receiver, given, depth)?;
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

/// What a list is made from: `VecDeque::from(vec![..])`, `Vec::from([..])`.
pub(super) fn made_from(call: &syn::ExprCall) -> Option<&Expr> {
    let (of, last) = made_by(&call.func)?;
    let (true, [items]) = (last == "from", &call.args.iter().collect::<Vec<_>>()[..]) else {
        return None;
    };
    LISTS.iter().any(|list| of == list).then_some(items)
}

/// `Vec<_>`.
pub(super) fn is_list(ty: &syn::Type) -> bool {
    LISTS.iter().any(|list| ends_in(ty, list))
}

/// `::<Vec<_>>`
fn collects_list(into: &syn::AngleBracketedGenericArguments) -> bool {
    matches!(into.args.first(), Some(syn::GenericArgument::Type(ty)) if is_list(ty))
}

/// `Vec::new`, `VecDeque::with_capacity`.
pub(super) fn makes_list(func: &Expr) -> bool {
    made_by(func).is_some_and(|(of, last)| {
        (last == "new" || last == "with_capacity") && LISTS.iter().any(|list| of == list)
    })
}

/// The last two names of a path.
fn made_by(func: &Expr) -> Option<(&syn::Ident, &syn::Ident)> {
    let Expr::Path(path) = func else { return None };
    let mut names = path.path.segments.iter().rev();
    let (last, of) = (names.next()?, names.next()?);
    Some((&of.ident, &last.ident))
}

/// The items of a `vec![…]` in which something asks.
pub(super) fn listed(call: &syn::ExprCall) -> Option<&syn::ExprArray> {
    match call.args.last() {
        Some(Expr::Array(items)) if is_of_runtime(&call.func, &["vec_of"]) => Some(items),
        _ => None,
    }
}
