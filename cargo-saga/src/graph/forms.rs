//! What an expression or a block is by its form.

use std::ops::Range;

use syn::Expr;

/// Whether nothing behind it runs after it.
pub(super) fn returns(expr: &Expr) -> bool {
    match expr {
        Expr::Return(_) => true,
        Expr::Block(block) => ends(&block.block),
        _ => false,
    }
}

/// The same of a block.
pub(super) fn ends(block: &syn::Block) -> bool {
    matches!(block.stmts.last(), Some(syn::Stmt::Expr(last, _)) if returns(last))
}

/// The block of `Box::pin(async move { .. })`, `async move { .. }`, `async { .. }.boxed()`.
pub(super) fn future_in(expr: &Expr) -> Option<&syn::ExprAsync> {
    match expr {
        Expr::Async(block) => Some(block),
        Expr::Call(call) if call.args.len() == 1 => {
            let Expr::Path(path) = &*call.func else {
                return None;
            };
            let pins = path
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == "pin");
            call.args.first().filter(|_| pins).and_then(future_in)
        }
        Expr::MethodCall(call) if call.method == "boxed" => future_in(&call.receiver),
        _ => None,
    }
}

/// `cx.elicit::<T>(..)` of `cx.elicit::<T>(..).timeout(..).key("k")`.
pub(super) fn base_of(call: &syn::ExprMethodCall) -> Option<&syn::ExprMethodCall> {
    match &*call.receiver {
        Expr::MethodCall(inner) => base_of(inner).or(Some(inner)),
        _ => None,
    }
}

/// The text of `.key("k")`.
pub(super) fn key_of(call: &syn::ExprMethodCall) -> Option<(String, Range<usize>)> {
    match call.args.first() {
        Some(Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(key),
            ..
        })) if call.method == "key" => Some((key.value(), key.span().byte_range())),
        _ => None,
    }
}
