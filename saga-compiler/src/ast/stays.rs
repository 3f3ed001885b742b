//! Values that stay where they are: nothing in the text may take them.

use proc_macro2::Ident;
use syn::{Block, Expr, ExprCall, ExprMethodCall, visit::Visit};

use crate::ast::{calls::strip_parentheses, uses::root_name};

/// Methods that take what they are called on by reference wherever they are known by these names. Those that a builder, a reader or an
/// iterator has by value (`push`, `lines`, `last`) are not among them.
const LENDS: &[&str] = &[
    "as_bytes",
    "as_deref",
    "as_path",
    "as_ref",
    "as_slice",
    "as_str",
    "clone",
    "contains",
    "contains_key",
    "ends_with",
    "first",
    "get",
    "is_cancelled",
    "is_empty",
    "is_err",
    "is_none",
    "is_ok",
    "is_some",
    "iter",
    "keys",
    "len",
    "starts_with",
    "to_owned",
    "to_string",
    "to_vec",
    "trim",
    "values",
];

/// Whether a method of this name is one of them.
pub(crate) fn lends(method: &str) -> bool {
    LENDS.contains(&method)
}

/// Whether a value of this name, which [`Uses`](super::uses::Uses) takes to be lent alone, is not taken by what may lend it or take it.
pub(crate) fn stays(name: &Ident, body: &Block) -> bool {
    let mut takes = Takes { name, any: false };
    takes.visit_block(body);
    !takes.any
}

struct Takes<'n> {
    name: &'n Ident,
    any: bool,
}

impl Takes<'_> {
    fn is_it(&self, expr: &Expr) -> bool {
        matches!(strip_parentheses(expr), Expr::Path(path) if path.path.is_ident(self.name))
    }
}

impl<'ast> Visit<'ast> for Takes<'_> {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let method = call.method.to_string();
        self.any |= self.is_it(&call.receiver) && !lends(&method);
        syn::visit::visit_expr_method_call(self, call);
    }

    // A closure that is called, also one in a field, may be one that is called once.
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        let called = root_name(strip_parentheses(&call.func));
        self.any |= called.is_some_and(|called| *self.name == called);
        syn::visit::visit_expr_call(self, call);
    }

    // `*boxed`
    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        self.any |= matches!(unary.op, syn::UnOp::Deref(_)) && self.is_it(&unary.expr);
        syn::visit::visit_expr_unary(self, unary);
    }
}
