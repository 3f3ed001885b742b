//! What a piece of code may change or move, on some path.

use std::collections::HashSet;

use syn::Expr;

use crate::ast::{
    calls::strip_parentheses,
    macros::{arguments, is_known, writes},
    uses::{binary_assigns, is_by_reference, root_name, token_names},
};

/// The names that an expression assigns, in whole or in part, or borrows mutably.
pub(crate) fn changes(expr: &Expr) -> HashSet<String> {
    struct Changes(HashSet<String>);
    impl<'ast> syn::visit::Visit<'ast> for Changes {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            let place = match expr {
                Expr::Assign(assign) => Some(&assign.left),
                Expr::Binary(binary) if binary_assigns(&binary.op) => Some(&binary.left),
                Expr::Reference(reference) if reference.mutability.is_some() => {
                    Some(&reference.expr)
                }
                _ => None,
            };
            self.0.extend(place.and_then(|place| root_name(place)));
            syn::visit::visit_expr(self, expr);
        }
    }
    let mut changes = Changes(HashSet::new());
    syn::visit::Visit::visit_expr(&mut changes, expr);
    changes.0
}

/// The names that an expression may give another value, or a part of one: those too on which it calls methods, which it gives to
/// calls as they are, and all that a macro mentions which is not known to look at its arguments only.
pub(crate) fn may_change(expr: &Expr) -> HashSet<String> {
    struct Touched(HashSet<String>);
    impl<'ast> syn::visit::Visit<'ast> for Touched {
        fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
            self.0.extend(root_name(&call.receiver));
            call.args.iter().for_each(|argument| self.given(argument));
            syn::visit::visit_expr_method_call(self, call);
        }

        fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
            call.args.iter().for_each(|argument| self.given(argument));
            syn::visit::visit_expr_call(self, call);
        }

        fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
            let known = is_known(invocation)
                .then(|| arguments(invocation))
                .flatten();
            let Some(known) = known else {
                token_names(invocation.tokens.clone(), &mut |name| {
                    self.0.insert(name.to_owned());
                });
                return;
            };
            if writes(invocation) {
                let first = known.first();
                self.0
                    .extend(first.and_then(|first| root_name(&first.value)));
            }
            for argument in known {
                // Not given as it is: the macro borrows it, or takes it for good.
                self.0.extend(may_change(&argument.value));
            }
        }
    }
    impl Touched {
        fn given(&mut self, argument: &Expr) {
            if let Expr::Path(path) = argument {
                self.0
                    .extend(path.path.get_ident().map(ToString::to_string));
            }
        }
    }
    let mut touched = Touched(changes(expr));
    syn::visit::Visit::visit_expr(&mut touched, expr);
    touched.0
}

/// The names whose values a body may move, as a whole.
pub(crate) fn perhaps_moved(body: &syn::Block) -> HashSet<String> {
    struct Moved(HashSet<String>);
    impl Moved {
        /// What is only looked at, where it is a name.
        fn looked_at(&mut self, expr: &Expr) {
            if !matches!(strip_parentheses(expr), Expr::Path(_)) {
                syn::visit::Visit::visit_expr(self, expr);
            }
        }
    }
    impl<'ast> syn::visit::Visit<'ast> for Moved {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            match expr {
                Expr::Path(path) => {
                    let name = path.path.get_ident();
                    self.0.extend(name.map(ToString::to_string));
                }
                Expr::Reference(reference) => self.looked_at(&reference.expr),
                Expr::Field(field) => self.looked_at(&field.base),
                Expr::Index(index) => {
                    self.looked_at(&index.expr);
                    self.visit_expr(&index.index);
                }
                Expr::Assign(assign) => {
                    self.looked_at(&assign.left);
                    self.visit_expr(&assign.right);
                }
                Expr::Binary(binary) => {
                    self.looked_at(&binary.left);
                    self.looked_at(&binary.right);
                }
                Expr::MethodCall(call) if is_by_reference(&call.method) => {
                    self.looked_at(&call.receiver);
                    call.args
                        .iter()
                        .for_each(|argument| self.visit_expr(argument));
                }
                other => syn::visit::visit_expr(self, other),
            }
        }

        fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
            if !is_known(invocation) || invocation.path.is_ident("vec") {
                token_names(invocation.tokens.clone(), &mut |name| {
                    self.0.insert(name.to_owned());
                });
            }
        }
    }
    let mut moved = Moved(HashSet::new());
    syn::visit::Visit::visit_block(&mut moved, body);
    moved.0
}
