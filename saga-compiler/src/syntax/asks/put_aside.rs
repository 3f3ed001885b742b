//! Calls that are given the handle and not awaited where they are made: what they give may be futures, which the types say.

use proc_macro2::Span;
use syn::{
    Expr, Stmt,
    spanned::Spanned,
    visit::{self, Visit},
};

use super::Handles;
use crate::ast::{macros::arguments, uses::root_name};

/// The first of them.
struct Called<'a>(&'a Handles, Option<Span>);
impl<'ast> Visit<'ast> for Called<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        let calls = matches!(expr, Expr::Call(_) | Expr::MethodCall(_));
        // A clone of it is the handle.
        if calls && !self.0.is_handle(expr) && self.1.is_none() && self.0.passes(expr) {
            self.1 = Some(expr.span());
        }
        visit::visit_expr(self, expr);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        let arguments = arguments(invocation).into_iter().flatten();
        arguments.for_each(|argument| self.visit_expr(&argument.value));
    }

    // What is awaited there has its say there.
    fn visit_expr_await(&mut self, _: &'ast syn::ExprAwait) {}

    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

impl Handles {
    /// A call that is given the handle and not awaited where it is made: what it gives may be a future.
    pub(crate) fn called_in(&self, value: &Expr) -> Option<Span> {
        let mut called = Called(self, None);
        called.visit_expr(value);
        called.1
    }

    /// The variables that a statement fills with what such calls give, or that it is given to be kept in.
    ///
    /// ```text
    /// for question in all { asks.push(ask(&cx, question)); }
    /// ```
    pub(crate) fn filled_in(&self, stmt: &Stmt) -> Vec<(String, Span)> {
        struct Filled<'a>(&'a Handles, Vec<(String, Span)>);
        impl Filled<'_> {
            fn filled(&mut self, place: &Expr, value: &Expr) {
                let called = self.0.called_in(value);
                self.1.extend(root_name(place).zip(called));
            }
        }
        impl<'ast> Visit<'ast> for Filled<'_> {
            fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
                for value in &call.args {
                    self.filled(&call.receiver, value);
                }
                visit::visit_expr_method_call(self, call);
            }

            fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
                self.filled(&assign.left, &assign.right);
                visit::visit_expr_assign(self, assign);
            }

            fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

            fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}

            fn visit_item(&mut self, _: &'ast syn::Item) {}
        }
        // Most have none.
        let mut called = Called(self, None);
        called.visit_stmt(stmt);
        if called.1.is_none() {
            return Vec::new();
        }
        let mut filled = Filled(self, Vec::new());
        filled.visit_stmt(stmt);
        filled.1
    }
}
