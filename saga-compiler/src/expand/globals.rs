//! Constants that a variable refers to. Where one of them is borrowed again, it has to be the same: a constant with a cell in it is a
//! new one for each mention.
//!
//! ```text
//! const HITS: AtomicU64 = AtomicU64::new(0); let hits = &HITS; ask; hits.load(..)
//! ```

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::{Expr, ExprPath, spanned::Spanned, visit::Visit};

use super::machine::{Machine, located};
use crate::ast::{
    calls::{is_of_runtime, strip_parentheses},
    uses::root,
};

/// What takes the place that a loop goes over.
const SOURCES: &[&str] = &["std_items", "std_collection"];

#[derive(Default)]
struct Globals(BTreeMap<String, ExprPath>);

impl Globals {
    fn note(&mut self, lent: &Expr) {
        if let Expr::Path(path) = root(strip_parentheses(lent)) {
            self.0
                .entry(path.to_token_stream().to_string())
                .or_insert_with(|| path.clone());
        }
    }
}

impl<'ast> Visit<'ast> for Globals {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Reference(lent) if lent.mutability.is_none() => self.note(&lent.expr),
            Expr::Call(call) if is_of_runtime(&call.func, SOURCES) => {
                call.args.iter().for_each(|source| self.note(source));
            }
            Expr::Closure(_) => return,
            _ => {}
        }
        syn::visit::visit_expr(self, expr);
    }
}

impl Machine<'_> {
    /// Has rustc look whether each of them is there for good.
    pub(super) fn globals(&self) -> TokenStream {
        let mut all = Globals::default();
        for again in &self.flow.reborrows {
            all.visit_expr(&again.init);
        }
        let is_variable = |path: &ExprPath| {
            path.path.get_ident().is_some_and(|name| {
                let name = name.to_string();
                let mut vars = self.flow.vars.iter();
                name == "self" || name.starts_with("__saga") || vars.any(|var| var.ident == name)
            })
        };
        let all = all.0.values().filter(|path| !is_variable(path));
        all.map(|path| {
            let at = located(path.span());
            quote_spanned! {at=> {
                use ::saga_runtime::__private::{LastingMemory as _, LastingOther as _};
                (&&::saga_runtime::__private::Witness::of(&#path)).saga_lasts(&#path);
            }}
        })
        .collect()
    }
}
