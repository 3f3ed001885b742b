//! Whether a loop has an end of its own: one that does not hang on what the client answers.

use syn::{BinOp, Expr, visit::Visit};

use super::body::Body;

/// Macros that end a function where their first argument does not hold.
const DEMANDS: &[&str] = &["ensure", "assert"];

/// Macros that end a function.
const FAILS: &[&str] = &["bail", "panic", "unreachable"];

/// Whether the condition, or an exit in the body, comes after a number of rounds.
pub(super) fn ends(condition: Option<&Expr>, block: &syn::Block, body: &Body) -> bool {
    if condition.is_some_and(|condition| is_limit(condition, body)) {
        return true;
    }
    let mut exits = Exits {
        body,
        inner: 0,
        found: false,
    };
    exits.visit_block(block);
    exits.found
}

/// Whether a condition compares with how many rounds there were, or takes the next of what was there before.
fn is_limit(condition: &Expr, body: &Body) -> bool {
    match condition {
        Expr::Let(looks) => body.measures(&looks.expr),
        Expr::Paren(inner) => is_limit(&inner.expr, body),
        Expr::Unary(inner) => is_limit(&inner.expr, body),
        Expr::Binary(binary) => match binary.op {
            BinOp::And(_) | BinOp::Or(_) => {
                is_limit(&binary.left, body) || is_limit(&binary.right, body)
            }
            BinOp::Lt(_)
            | BinOp::Le(_)
            | BinOp::Gt(_)
            | BinOp::Ge(_)
            | BinOp::Eq(_)
            | BinOp::Ne(_) => body.measures(&binary.left) || body.measures(&binary.right),
            _ => false,
        },
        // `queue.is_empty()`, `(1..5).contains(&n)`
        Expr::MethodCall(_) => body.measures(condition),
        Expr::Macro(made) if crate::source::ends_in(&made.mac.path, "matches") => {
            let first = first_of(&made.mac);
            first.is_some_and(|first| body.measures(&first))
        }
        _ => false,
    }
}

fn first_of(made: &syn::Macro) -> Option<Expr> {
    let first = |input: syn::parse::ParseStream<'_>| {
        let first = input.parse::<Expr>()?;
        input.parse::<proc_macro2::TokenStream>()?;
        Ok(first)
    };
    made.parse_body_with(first).ok()
}

/// Looks for exits from the loop that come after a number of rounds.
struct Exits<'a> {
    body: &'a Body,
    /// How many loops are around in the body.
    inner: usize,
    found: bool,
}

impl Exits<'_> {
    fn within(&mut self, visit: impl FnOnce(&mut Self)) {
        self.inner += 1;
        visit(self);
        self.inner -= 1;
    }

    fn leaves(&self, visit: impl FnOnce(&mut Leaves)) -> bool {
        let mut leaves = Leaves {
            inner: self.inner,
            found: false,
        };
        visit(&mut leaves);
        leaves.found
    }
}

impl<'ast> Visit<'ast> for Exits<'_> {
    fn visit_expr_if(&mut self, branch: &'ast syn::ExprIf) {
        self.found |= is_limit(&branch.cond, self.body)
            && self.leaves(|leaves| {
                leaves.visit_block(&branch.then_branch);
                if let Some((_, otherwise)) = &branch.else_branch {
                    leaves.visit_expr(otherwise);
                }
            });
        syn::visit::visit_expr_if(self, branch);
    }

    fn visit_expr_match(&mut self, choice: &'ast syn::ExprMatch) {
        let is_measure = self.body.measures(&choice.expr);
        for arm in &choice.arms {
            let is_guarded = match &arm.pat {
                syn::Pat::Guard(guarded) => is_limit(&guarded.guard, self.body),
                _ => false,
            };
            let is_limited = is_measure || is_guarded;
            self.found |= is_limited && self.leaves(|leaves| leaves.visit_expr(&arm.body));
        }
        syn::visit::visit_expr_match(self, choice);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init
            && let Some((_, otherwise)) = &init.diverge
        {
            self.found |= self.body.measures(&init.expr)
                && self.leaves(|leaves| leaves.visit_expr(otherwise));
        }
        syn::visit::visit_local(self, local);
    }

    fn visit_macro(&mut self, made: &'ast syn::Macro) {
        let demands = DEMANDS
            .iter()
            .any(|name| crate::source::ends_in(&made.path, name));
        let first = first_of(made).filter(|_| demands);
        self.found |= first.is_some_and(|first| is_limit(&first, self.body));
    }

    fn visit_expr_loop(&mut self, repeated: &'ast syn::ExprLoop) {
        self.within(|this| syn::visit::visit_expr_loop(this, repeated));
    }

    fn visit_expr_while(&mut self, repeated: &'ast syn::ExprWhile) {
        self.within(|this| syn::visit::visit_expr_while(this, repeated));
    }

    fn visit_expr_for_loop(&mut self, repeated: &'ast syn::ExprForLoop) {
        self.within(|this| syn::visit::visit_expr_for_loop(this, repeated));
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// Looks for what leaves a loop.
struct Leaves {
    /// How many other loops are around.
    inner: usize,
    found: bool,
}

impl Leaves {
    fn within(&mut self, visit: impl FnOnce(&mut Self)) {
        self.inner += 1;
        visit(self);
        self.inner -= 1;
    }
}

impl<'ast> Visit<'ast> for Leaves {
    fn visit_expr_break(&mut self, exit: &'ast syn::ExprBreak) {
        self.found |= self.inner == 0 || exit.label.is_some();
    }

    fn visit_expr_return(&mut self, _: &'ast syn::ExprReturn) {
        self.found = true;
    }

    fn visit_expr_try(&mut self, tried: &'ast syn::ExprTry) {
        if let Expr::Call(call) = &*tried.expr
            && let Expr::Path(path) = &*call.func
        {
            self.found |= path.path.is_ident("Err");
        }
        syn::visit::visit_expr_try(self, tried);
    }

    fn visit_macro(&mut self, made: &'ast syn::Macro) {
        self.found |= FAILS
            .iter()
            .any(|name| crate::source::ends_in(&made.path, name));
    }

    fn visit_expr_loop(&mut self, repeated: &'ast syn::ExprLoop) {
        self.within(|this| syn::visit::visit_expr_loop(this, repeated));
    }

    fn visit_expr_while(&mut self, repeated: &'ast syn::ExprWhile) {
        self.within(|this| syn::visit::visit_expr_while(this, repeated));
    }

    fn visit_expr_for_loop(&mut self, repeated: &'ast syn::ExprForLoop) {
        self.within(|this| syn::visit::visit_expr_for_loop(this, repeated));
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}
