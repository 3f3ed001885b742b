//! A function that awaits itself without a box: rustc says so of the whole function, and not of the call.

use syn::{
    Expr,
    visit::{self, Visit},
};

use crate::{
    ast::calls::{is_self, strip_parentheses},
    errors::Errors,
    syntax::function::Input,
};

/// Refuses it, where the function's future is not boxed as a whole.
pub(crate) fn check(input: &Input) -> Result<(), Errors> {
    let mut finder = Finder {
        name: &input.item.sig.ident,
        is_method: input.item.sig.receiver().is_some() || input.receiver.is_some(),
        calls: Vec::new(),
    };
    if input.boxed.is_none() {
        finder.visit_block(&input.item.block);
    }
    let mut errors = Errors::default();
    for call in finder.calls {
        errors.refuse(
            call,
            &format!("`{}` awaits itself", input.item.sig.ident),
            "its future would contain another one of itself, and that one more",
            "`Box::pin(..)` around the call: `Box::pin(walk(cx, n - 1)).await`",
        );
    }
    errors.finish()
}

struct Finder<'b> {
    name: &'b syn::Ident,
    /// Its name alone is that of a function beside its type.
    is_method: bool,
    calls: Vec<&'b Expr>,
}

impl<'b> Finder<'b> {
    fn is_own(&self, call: &Expr) -> bool {
        match call {
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => {
                    let mut segments = path.path.segments.iter();
                    let is_alone = path.path.get_ident().is_some();
                    let last = segments.next_back();
                    last.is_some_and(|last| last.ident == *self.name)
                        && segments.all(|owner| owner.ident == "Self")
                        && !(is_alone && self.is_method)
                }
                _ => false,
            },
            Expr::MethodCall(call) => {
                call.method == *self.name && is_self(strip_parentheses(&call.receiver))
            }
            _ => false,
        }
    }
}

impl<'b> Visit<'b> for Finder<'b> {
    fn visit_expr_await(&mut self, awaited: &'b syn::ExprAwait) {
        let base = strip_parentheses(&awaited.base);
        if self.is_own(base) {
            self.calls.push(base);
        }
        visit::visit_expr_await(self, awaited);
    }

    fn visit_item(&mut self, _: &'b syn::Item) {}
}
