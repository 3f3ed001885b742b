//! What refers to a variable of its block, as far as the text shows: the variable moves on, so that the reference has to be made again.

use syn::{
    Expr, ExprMethodCall,
    visit::{self, Visit},
};

use super::Lower;

use crate::{
    ast::{macros::arguments, uses::root_name},
    cfg::persistence::Persistence,
};

impl Lower<'_> {
    /// Whether a value refers to a variable that is in a frame.
    pub(super) fn refers_to_block(&self, value: &Expr) -> bool {
        let mut refers = Refers {
            lower: self,
            found: false,
        };
        refers.visit_expr(value);
        refers.found
    }

    fn is_of_block(&self, place: &Expr) -> bool {
        let var = root_name(place).and_then(|name| self.resolve(&name));
        var.is_some_and(|var| self.vars[var.0].persistence.is_spilled())
    }
}

struct Refers<'l, 'a> {
    lower: &'l Lower<'a>,
    found: bool,
}

impl<'ast> Visit<'ast> for Refers<'_, '_> {
    fn visit_expr_reference(&mut self, lent: &'ast syn::ExprReference) {
        self.found |= self.lower.is_of_block(&lent.expr);
        visit::visit_expr_reference(self, lent);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let var = path.path.get_ident();
        let var = var.and_then(|name| self.lower.resolve(&name.to_string()));
        self.found |= var.is_some_and(|var| match &self.lower.vars[var.0].persistence {
            Persistence::Reborrowed(_) => true,
            persistence => persistence.hints().is_some_and(|hints| hints.lends),
        });
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        match of(call) {
            Gives::Owned => {}
            Gives::Lent => {
                self.found |= self.lower.is_of_block(&call.receiver);
                self.visit_expr(&call.receiver);
            }
            Gives::Any => visit::visit_expr_method_call(self, call),
        }
    }

    fn visit_expr_macro(&mut self, invocation: &'ast syn::ExprMacro) {
        if invocation.mac.path.is_ident("vec") {
            let items = arguments(&invocation.mac);
            for item in items.iter().flatten() {
                self.found |= self.lower.refers_to_block(&item.value);
            }
        }
    }

    fn visit_expr_index(&mut self, _: &'ast syn::ExprIndex) {}

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
}

/// What a method gives.
enum Gives {
    Owned,
    Lent,
    Any,
}

fn of(call: &ExprMethodCall) -> Gives {
    let name = call.method.to_string();
    let starts = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    match name.as_str() {
        "to_string" | "to_owned" | "into_owned" | "len" | "count" | "sum" | "join" | "concat" => {
            Gives::Owned
        }
        "get" | "first" | "last" | "keys" | "values" | "lines" => Gives::Lent,
        _ if starts(&["as_", "trim", "iter", "chars", "split", "strip_", "chunks"]) => Gives::Lent,
        _ => Gives::Any,
    }
}
