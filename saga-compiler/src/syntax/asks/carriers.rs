//! Structs that hold the handle, and what may hold it where nothing else in the text does.

use std::collections::HashSet;

use quote::ToTokens;
use syn::{
    Expr, ExprMethodCall,
    visit::{self, Visit},
};

use super::{Handles, given_in_call, made_of};
use crate::ast::{
    calls::{callee, closure_in, is_constructor, is_self, strip_parentheses},
    exits::end_of,
    macros::arguments,
    uses::root_name,
    vocabulary::{is_ask, is_question},
};

/// By which something is found in std's collections and options.
const LOOKUPS: &[&str] = &[
    "as_mut",
    "as_ref",
    "expect",
    "first",
    "first_mut",
    "get",
    "get_mut",
    "iter",
    "iter_mut",
    "last",
    "last_mut",
    "unwrap",
];

impl Handles {
    /// A `peer` or a `cx`, and the field of a struct that was made with the handle there.
    pub(super) fn is_handle_field(&self, field: &syn::ExprField) -> bool {
        let syn::Member::Named(member) = &field.member else {
            return false;
        };
        let carried = || {
            let carrier = variable(&field.base).and_then(|name| self.carriers.get(&name));
            carrier.is_some_and(|fields| fields.iter().any(|field| member == field))
        };
        member == "peer" || member == "cx" || carried()
    }

    /// A struct that holds the handle, or where no ask is seen what comes from outside.
    pub(super) fn is_carrier(&self, expr: &Expr) -> bool {
        let variable = variable(expr);
        let unseen = || {
            self.unseen
                .contains(&root_name(made_of(expr)).unwrap_or_default())
        };
        let holds = || !self.holders.is_empty() && self.holders.contains(&written(made_of(expr)));
        variable.is_some_and(|name| self.carriers.contains_key(&name)) || unseen() || holds()
    }

    /// A call of one; a method with the name of an ask is one of a handle that is not seen.
    pub(super) fn asks_carrier(&self, call: &ExprMethodCall) -> bool {
        let name = call.method.to_string();
        let of_handle =
            is_self(strip_parentheses(&call.receiver)) && (is_ask(&name) || is_question(&name));
        !of_handle && (self.is_carrier(&call.receiver) || self.comes_of_carrier(&call.receiver))
    }

    /// Whether what is called on may have the handle in it by what it is made of: `Wizard::new(&cx).step("a")`, `desks[0]`.
    pub(super) fn comes_of_carrier(&self, receiver: &Expr) -> bool {
        let inside = |of: &Expr| self.is_carrier(of) || self.comes_of_carrier(of);
        match strip_parentheses(receiver) {
            made @ Expr::Call(call) => {
                self.may_hold(made, true) || call.args.iter().any(|given| self.is_carrier(given))
            }
            // A method of its own may give anything.
            Expr::MethodCall(step) => match LOOKUPS.iter().any(|name| step.method == name) {
                true => inside(&step.receiver),
                false => self.comes_of_carrier(&step.receiver),
            },
            Expr::Path(_) => false,
            Expr::Try(tried) => self.comes_of_carrier(&tried.expr),
            // `desk.add("a").await?.add("b")`
            Expr::Await(awaited) => match strip_parentheses(&awaited.base) {
                Expr::MethodCall(call) => self.asks_carrier(call),
                _ => false,
            },
            Expr::Index(item) => inside(&item.expr),
            Expr::Field(field) => {
                let holds = match &field.member {
                    syn::Member::Named(name) => self.holding.contains(&name.to_string()),
                    syn::Member::Unnamed(_) => true,
                };
                holds && inside(&field.base)
            }
            other => self.is_in_struct(other),
        }
    }

    /// Whether a value is the handle, or something with it inside; what a call makes of it may be: `pick(&context)`, `View::of(&cx)`.
    pub(super) fn may_hold(&self, value: &Expr, made: bool) -> bool {
        match value {
            Expr::Reference(lent) if matches!(strip_parentheses(&lent.expr), Expr::Call(_)) => {
                self.may_hold(strip_parentheses(&lent.expr), made)
            }
            Expr::Call(call) => {
                let mut args = call.args.iter();
                self.is_handle(value) || (made && args.any(|inner| self.is_handle(inner)))
            }
            Expr::Tuple(tuple) => tuple.elems.iter().any(|part| self.is_handle(part)),
            Expr::MethodCall(call) if self.is_put_in(call) => true,
            other => self.gives_handle(other) || self.is_in_struct(other) || self.is_carrier(other),
        }
    }

    /// Whether a method of `bool`, `Option` or `Result` gives the handle: `(n > 0).then_some(&cx)`, `found.map(|_| &cx)`.
    fn is_put_in(&self, call: &syn::ExprMethodCall) -> bool {
        let is_one_of = |names: &[&str]| names.iter().any(|name| call.method == name);
        let gives = |given: &Expr| {
            let given = closure_in(given).map_or(given, |closure| &closure.body);
            self.may_hold(strip_parentheses(given), true)
        };
        let keeps = is_one_of(KEEP) && gives(&call.receiver);
        keeps || (is_one_of(KEEP) || is_one_of(REPLACE)) && call.args.iter().any(gives)
    }

    /// Whether a struct is made with the handle in a field.
    pub(super) fn is_in_struct(&self, expr: &Expr) -> bool {
        self.fields_of(expr).is_some()
    }

    /// Of a struct or a variant that is made with the handle in it, the fields that are the handle.
    pub(super) fn fields_of(&self, expr: &Expr) -> Option<Vec<String>> {
        let all = |branches: Vec<&Expr>| {
            let fields = branches
                .into_iter()
                .filter_map(|branch| self.fields_of(branch));
            fields.reduce(|all, more| [all, more].concat())
        };
        let held = |part: &Expr| {
            self.is_handle(made_of(part)) || self.is_in_struct(part) || self.is_carrier(part)
        };
        let parts: Vec<(String, &Expr)> = match made_of(expr) {
            Expr::Struct(literal) => {
                let rest = literal.rest.as_ref().and_then(|rest| variable(rest));
                if let Some(fields) = rest.and_then(|rest| self.carriers.get(&rest)) {
                    return Some(fields.clone());
                }
                // `Ctx { depth: depth + 1, ..c }`
                let held = |rest: &Expr| self.is_carrier(rest) || self.is_handle(made_of(rest));
                if literal.rest.as_ref().is_some_and(|rest| held(rest)) {
                    return Some(Vec::new());
                }
                let fields = literal.fields.iter();
                let named = |field: &syn::FieldValue| field.member.to_token_stream().to_string();
                fields.map(|field| (named(field), &field.expr)).collect()
            }
            // What a closure makes, and what is made by one.
            Expr::Closure(closure) => return self.fields_of(&closure.body),
            Expr::MethodCall(call) => {
                let mut closures = call.args.iter().filter_map(closure_in);
                return closures.find_map(|closure| self.fields_of(&closure.body));
            }
            Expr::Call(call) if variable(&call.func).is_some() => {
                return self.carriers.get(&variable(&call.func)?).cloned();
            }
            Expr::Call(call) if is_constructor(&call.func) => {
                let parts = call.args.iter().enumerate();
                parts.map(|(at, part)| (at.to_string(), part)).collect()
            }
            Expr::Path(path) => {
                let name = path.path.get_ident()?;
                return self.carriers.get(&name.to_string()).cloned();
            }
            // Each of them is one.
            Expr::Tuple(parts) => return parts.elems.iter().any(held).then(Vec::new),
            Expr::Array(items) => return items.elems.iter().any(held).then(Vec::new),
            Expr::Macro(list) if list.mac.path.is_ident("vec") => {
                let items = arguments(&list.mac)?;
                let mut items = items.iter().map(|item| &item.value);
                return items.any(held).then(Vec::new);
            }
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) => return all(ends(expr)),
            _ => return None,
        };
        let holding: Vec<_> = parts.into_iter().filter(|(_, part)| held(part)).collect();
        let direct = holding.iter().filter(|(_, part)| self.is_handle(part));
        let names = direct.map(|(member, _)| member.clone());
        (!holding.is_empty()).then(|| names.collect())
    }
}

/// What the fields are of by which a body asks: `self` of `self.peer.elicit(..)`, `env` of `ask(env.cx)`.
pub(super) fn holders(handles: &Handles, body: &syn::Block) -> HashSet<String> {
    struct Holders<'h>(&'h Handles, HashSet<String>);
    impl Holders<'_> {
        fn field(&mut self, expr: &Expr) {
            let mut at = made_of(expr);
            while let Expr::Field(field) = at {
                at = made_of(&field.base);
                if !self.0.is_handle(at) {
                    self.1.insert(written(at));
                }
            }
        }
    }
    impl<'ast> Visit<'ast> for Holders<'_> {
        fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
            let name = call.method.to_string();
            if is_ask(&name) && !self.0.said.plain.contains(&name) {
                self.field(&call.receiver);
            }
            visit::visit_expr_method_call(self, call);
        }

        fn visit_expr_await(&mut self, awaited: &'ast syn::ExprAwait) {
            for given in given_in_call(callee(&awaited.base)) {
                if matches!(made_of(given), Expr::Field(_)) && self.0.is_handle(given) {
                    self.field(given);
                }
            }
            visit::visit_expr_await(self, awaited);
        }

        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut all = Holders(handles, HashSet::new());
    all.visit_block(body);
    all.1
}

fn written(expr: &Expr) -> String {
    expr.to_token_stream().to_string()
}

/// Notes the fields of literals in which there is a struct that holds it.
pub(super) fn note_holding(handles: &mut Handles, literal: &syn::ExprStruct) {
    let held = |field: &&syn::FieldValue| {
        handles.is_in_struct(&field.expr) || handles.is_carrier(&field.expr)
    };
    let fields = literal.fields.iter().filter(held);
    let names: Vec<_> = fields
        .map(|field| field.member.to_token_stream().to_string())
        .collect();
    handles.holding.extend(names);
}

/// What the branches of an expression give.
pub(super) fn ends(expr: &Expr) -> Vec<&Expr> {
    match strip_parentheses(expr) {
        Expr::Block(block) => end_of(&block.block).into_iter().collect(),
        Expr::If(branches) => {
            let otherwise = branches
                .else_branch
                .as_ref()
                .map(|(_, otherwise)| &**otherwise);
            end_of(&branches.then_branch)
                .into_iter()
                .chain(otherwise)
                .collect()
        }
        Expr::Match(matched) => matched.arms.iter().map(|arm| &*arm.body).collect(),
        _ => Vec::new(),
    }
}

/// Where no ask is seen, what a call makes of the handle asks by it: `let wizard = Wizard::new(&cx);`.
pub(super) fn add_made(handles: &mut Handles, body: &syn::Block) {
    struct Made<'a>(&'a mut Handles);
    impl<'ast> Visit<'ast> for Made<'_> {
        fn visit_local(&mut self, local: &'ast syn::Local) {
            let value = local.init.as_ref().map(|init| peeled(&init.expr));
            let passes = value.is_some_and(|value| self.0.passes(value));
            if let (syn::Pat::Ident(name), true) = (&local.pat, passes) {
                self.0.carriers.insert(name.ident.to_string(), Vec::new());
            }
            visit::visit_local(self, local);
        }
    }
    Made(handles).visit_block(body);
}

/// Without the `?`.
fn peeled(value: &Expr) -> &Expr {
    match strip_parentheses(value) {
        Expr::Try(tried) => peeled(&tried.expr),
        other => other,
    }
}

/// The variable that is lent, cloned or given.
pub(super) fn variable(expr: &Expr) -> Option<String> {
    match made_of(expr) {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        Expr::Index(item) => variable(&item.expr),
        _ => None,
    }
}

/// Methods that give what they are called on, or what they are given.
const KEEP: &[&str] = &[
    "cloned",
    "copied",
    "filter",
    "or",
    "or_else",
    "unwrap_or",
    "unwrap_or_else",
    "xor",
];

/// Methods that give what they are given.
const REPLACE: &[&str] = &[
    "and",
    "and_then",
    "map",
    "map_or",
    "map_or_else",
    "then",
    "then_some",
];
