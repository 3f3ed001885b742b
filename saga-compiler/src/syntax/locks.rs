//! Expressions that take a lock, told by the method's name, with a message at the lock itself. No type is known here: guards that
//! have other names are found by their types (`expand::temporaries`).

use syn::{Expr, visit::Visit};

use crate::errors::Errors;

/// Methods without arguments that give a guard.
const LOCKS: &[&str] = &[
    "lock",
    "try_lock",
    "blocking_lock",
    "read",
    "write",
    "borrow_mut",
    "acquire",
];

/// Refuses a lock in a scrutinee, which is held until the end of all arms, or in an operand, which is held
/// until the end of the statement.
pub(crate) fn refuse_lock(expr: &Expr, errors: &mut Errors) {
    if let Some(lock) = lock_in(expr) {
        errors.refuse(
            &lock,
            "a lock that is held across an ask",
            "what a scrutinee or an operand takes is held to the end of the statement, and nothing can be held while the client answers",
            "`let value = { ….lock().await.clone() };` before it, and `value` in it",
        );
    }
}

/// Whether a lock is taken.
pub(crate) fn takes_lock(expr: &Expr) -> bool {
    lock_in(expr).is_some()
}

fn lock_in(expr: &Expr) -> Option<Expr> {
    struct Finder(Option<Expr>);
    impl<'ast> Visit<'ast> for Finder {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            match expr {
                Expr::Block(_) | Expr::Closure(_) | Expr::Async(_) => {}
                Expr::MethodCall(call)
                    if call.args.is_empty()
                        && LOCKS.contains(&call.method.to_string().as_str()) =>
                {
                    self.0 = Some(expr.clone());
                }
                other => syn::visit::visit_expr(self, other),
            }
        }
    }
    let mut finder = Finder(None);
    finder.visit_expr(expr);
    finder.0
}
