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
use crate::{
    ast::{calls::strip_parentheses, uses::root},
    cfg::{ImportId, proof::is_source},
};

#[derive(Default)]
struct Globals {
    /// By their text, and what is imported where they stand.
    all: BTreeMap<(String, Vec<usize>), ExprPath>,
    imports: Vec<ImportId>,
}

impl Globals {
    fn note(&mut self, lent: &Expr) {
        if let Expr::Path(path) = root(strip_parentheses(lent)) {
            let imports = self.imports.iter().map(|import| import.0);
            self.all
                .entry((path.to_token_stream().to_string(), imports.collect()))
                .or_insert_with(|| path.clone());
        }
    }
}

impl<'ast> Visit<'ast> for Globals {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Reference(lent) if lent.mutability.is_none() => self.note(&lent.expr),
            Expr::Call(call) if is_source(call) => {
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
        let mut globals = Globals::default();
        for again in &self.flow.reborrows {
            globals.imports.clone_from(&again.imports);
            globals.visit_expr(&again.init);
        }
        let is_variable = |path: &ExprPath| {
            path.path.get_ident().is_some_and(|name| {
                let name = name.to_string();
                let mut vars = self.flow.vars.iter();
                name == "self" || name.starts_with("__saga") || vars.any(|var| var.ident == name)
            })
        };
        let all = globals.all.iter();
        let all = all.filter(|(_, path)| !is_variable(path) && !is_of_any_type(path));
        all.map(|((_, imports), path)| {
            let at = located(path.span());
            let imports: Vec<_> = imports.iter().copied().map(ImportId).collect();
            let imports = self.imports(&imports);
            quote_spanned! {at=> {
                #imports
                use ::saga_runtime::__private::{
                    LastingDropped as _, LastingMemory as _, LastingOther as _,
                };
                (&&&::saga_runtime::__private::Witness::of(&#path)).saga_lasts(&#path);
                // A cell in it is an error here, and only that.
                const { &#path };
            }}
        })
        .collect()
    }
}

/// What is there for every type has none by itself, as a variant of an enum may not.
fn is_of_any_type(path: &ExprPath) -> bool {
    let in_camel_case = |name: &syn::Ident| {
        let name = name.to_string();
        name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
    };
    let mut last = path.path.segments.iter().rev().map(|last| &last.ident);
    match (last.next(), last.next()) {
        (Some(variant), Some(of)) => in_camel_case(variant) && in_camel_case(of),
        (Some(one), None) => one == "None" || one == "PhantomData",
        (None, _) => false,
    }
}
