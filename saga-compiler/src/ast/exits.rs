//! Code that leaves the code around it.

use syn::{Expr, Stmt, visit::Visit};

/// Whether an expression never gives a value, as far as its text shows.
pub(crate) fn diverges(expr: &Expr) -> bool {
    match expr {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => true,
        Expr::Macro(invocation) => macro_diverges(&invocation.mac),
        Expr::Block(block) if block.label.is_none() => block_diverges(&block.block),
        Expr::Unsafe(block) => block_diverges(&block.block),
        Expr::If(conditional) => conditional
            .else_branch
            .as_ref()
            .is_some_and(|(_, otherwise)| {
                block_diverges(&conditional.then_branch) && diverges(otherwise)
            }),
        Expr::Match(matched) => matched.arms.iter().all(|arm| diverges(&arm.body)),
        Expr::Paren(paren) => diverges(&paren.expr),
        Expr::Group(group) => diverges(&group.expr),
        _ => false,
    }
}

/// Whether a block never ends.
pub(crate) fn block_diverges(block: &syn::Block) -> bool {
    block.stmts.iter().any(|stmt| match stmt {
        Stmt::Expr(expr, _) => diverges(expr),
        Stmt::Macro(stmt) => macro_diverges(&stmt.mac),
        _ => false,
    })
}

/// What a block ends with, where that is its value.
pub(crate) fn end_of(block: &syn::Block) -> Option<&Expr> {
    match block.stmts.last() {
        Some(Stmt::Expr(end, None)) => Some(end),
        _ => None,
    }
}

pub(crate) fn macro_diverges(invocation: &syn::Macro) -> bool {
    invocation.path.segments.last().is_some_and(|last| {
        matches!(
            last.ident.to_string().as_str(),
            "panic" | "unreachable" | "todo" | "unimplemented" | "bail"
        )
    })
}

/// Whether evaluating an expression can end the function, so that it has to happen in its turn.
pub(crate) fn may_exit(expr: &Expr) -> bool {
    exits(expr).any()
}

/// The ways in which evaluating an expression can end the function.
#[derive(Default)]
pub(crate) struct Exits {
    /// An index is out of bounds.
    pub(crate) by_index: bool,
    /// A jump, `?`, a panic, or what a macro does.
    pub(crate) otherwise: bool,
}

impl Exits {
    fn any(&self) -> bool {
        self.by_index || self.otherwise
    }
}

impl<'ast> syn::visit::Visit<'ast> for Exits {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            // In an arm there may be anything.
            Expr::Match(_)
            | Expr::If(_)
            | Expr::Try(_)
            | Expr::Macro(_)
            | Expr::Await(_)
            | Expr::Return(_)
            | Expr::Break(_)
            | Expr::Continue(_) => self.otherwise = true,
            Expr::MethodCall(call) if call.method == "unwrap" || call.method == "expect" => {
                self.otherwise = true;
            }
            Expr::Index(index) => {
                let all = matches!(&*index.index, Expr::Range(range) if range.start.is_none() && range.end.is_none());
                self.by_index |= !all;
                syn::visit::visit_expr(self, expr);
            }
            other => syn::visit::visit_expr(self, other),
        }
    }
}

/// How evaluating an expression can end the function.
pub(crate) fn exits(expr: &Expr) -> Exits {
    let mut exits = Exits::default();
    syn::visit::Visit::visit_expr(&mut exits, expr);
    exits
}

/// Whether something leaves a closure with another value than that of its end.
pub(crate) fn returns(body: &Expr) -> bool {
    does(body, |expr| matches!(expr, Expr::Return(_) | Expr::Try(_)))
}

/// Whether something in an expression can only be where it is: it is not awaited, nor left, a second time.
pub(crate) fn is_left_or_awaited(expr: &Expr) -> bool {
    does(expr, |expr| matches!(expr, Expr::Await(_) | Expr::Try(_)))
}

/// Whether such an expression is evaluated in one.
fn does(expr: &Expr, is: fn(&Expr) -> bool) -> bool {
    struct Finder {
        is: fn(&Expr) -> bool,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Finder {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            self.found |= (self.is)(expr);
            syn::visit::visit_expr(self, expr);
        }

        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut finder = Finder { is, found: false };
    finder.visit_expr(expr);
    finder.found
}
