//! What a call that asks is lent by way of a reference which has another value by the time that the call is made again.
//!
//! ```text
//! show(&cx, &node.name, { node = &node.next; 1 }).await
//!     →   let led = node; show(&cx, &led.name, { node = &node.next; 1 }).await
//! ```

use syn::Expr;

use super::{Lower, structs::parts_of_literal_mut};

use crate::ast::{
    assigned_places::{Assigned, LookedAt},
    calls::{call_operands, callee, closure_in, strip_parentheses},
};

/// What is evaluated around an operand.
struct Around {
    before: Vec<Expr>,
    /// Behind it, or in the function that is called.
    behind: Vec<Expr>,
}

impl Around {
    fn assigned(&self) -> (Assigned, Assigned) {
        (
            Assigned::in_all(&self.before),
            Assigned::in_all(&self.behind),
        )
    }

    /// What is around a part of it.
    fn of_part(&self, parts: &[Expr], index: usize) -> Self {
        let (before, behind) = parts.split_at(index + 1);
        let before = before.iter().take(index);
        Self {
            before: self.before.iter().chain(before).cloned().collect(),
            behind: behind.iter().chain(&self.behind).cloned().collect(),
        }
    }
}

impl Lower<'_> {
    /// Keeps the references that lead to what is lent, before they have another value. Closures are refused.
    pub(super) fn keep_led_to(&mut self, base: &mut Expr, behind: &[Expr]) {
        let operands = call_operands(base);
        let operands = operands.iter().map(|one| &**one);
        if !Assigned::in_all(operands.chain(behind)).replaces_any() {
            return;
        }
        let is_method = matches!(callee(base), Expr::MethodCall(_));
        let all: Vec<Expr> = call_operands(base)
            .into_iter()
            .map(|one| one.clone())
            .collect();
        for (index, operand) in call_operands(base).into_iter().enumerate() {
            // A receiver is read first.
            if is_method && index == 0 {
                continue;
            }
            let (before, later) = all.split_at(index + 1);
            let before = before.iter().take(index).cloned();
            // The function that is called may give it another value.
            let (lent, before) = before.partition(lends_to_change);
            let behind = later.iter().chain(behind).cloned();
            let around = Around {
                before,
                behind: behind.chain::<Vec<Expr>>(lent).collect(),
            };
            match closure_in(operand) {
                Some(closure) if closure.capture.is_none() => {
                    let closure = Expr::Closure(closure.clone());
                    let looked_at = LookedAt::in_expr(&closure);
                    if around.assigned().1.replaces(&looked_at).is_some() {
                        self.errors.refuse(
                            &closure,
                            "a closure in the arguments of a call that asks, of what has another value later in the same call",
                            "the call is made again behind an ask, and the closure would look at the new value",
                            "another name for what it looks at (`let here = node;` before the call, and `here` in the closure)",
                        );
                    }
                }
                _ => self.keep_led_to_in(operand, &around),
            }
        }
    }

    fn keep_led_to_in(&mut self, operand: &mut Expr, around: &Around) {
        match operand {
            Expr::Paren(paren) => return self.keep_led_to_in(&mut paren.expr, around),
            Expr::Group(group) => return self.keep_led_to_in(&mut group.expr, around),
            _ => {}
        }
        if let Expr::Reference(lent) = &mut *operand
            && lent.mutability.is_none()
            && let Some(looked_at) = LookedAt::at(&lent.expr)
        {
            let (before, behind) = around.assigned();
            let Some(replaced) = behind.replaces(&looked_at) else {
                return;
            };
            match replaced.of(&mut lent.expr) {
                Some(led) if before.replaces(&looked_at).is_none() => {
                    *led = self.spill(led.clone());
                }
                _ => self.errors.refuse(
                    operand,
                    "an argument that is lent by way of a reference which has another value later in the same call",
                    "the call is made again behind an ask, and would be lent what the reference leads to then",
                    "`let` for it before the call",
                ),
            }
            return;
        }
        let parts = parts_of_literal_mut(operand).unwrap_or_default();
        let all: Vec<Expr> = parts.iter().map(|part| (**part).clone()).collect();
        for (index, part) in parts.into_iter().enumerate() {
            self.keep_led_to_in(part, &around.of_part(&all, index));
        }
    }
}

fn lends_to_change(operand: &Expr) -> bool {
    matches!(strip_parentheses(operand), Expr::Reference(lent) if lent.mutability.is_some())
}
