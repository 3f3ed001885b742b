//! Closures with `move` in variables: one of what never changes borrows as well as it takes, and what is lent can be lent again. What
//! changes is taken into a variable of the closure's own.

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident};
use syn::{
    Expr, ExprClosure, Pat, Stmt,
    spanned::Spanned,
    visit::{self, Visit},
};

use super::Lower;

use crate::ast::{
    calls::strip_parentheses,
    changed::touched_in,
    macros::arguments,
    patterns::pattern_bindings,
    rename::rename,
    tokens::{Behind, token_names, uses_of_names},
    uses::Uses,
};

impl Lower<'_> {
    /// ```text
    /// let is_known = move |name| names.contains(name);   →   let is_known = |name| names.contains(name);
    /// let next = move || { n += 1; n };                  →   let mut taken = n; let next = || { taken += 1; taken };
    /// ```
    /// Only where it lives on: else somebody may need it to own what it takes.
    pub(super) fn without_move(&self, stmt: &Stmt, rest: &[Stmt]) -> Option<Vec<Stmt>> {
        let Stmt::Local(local) = stmt else {
            return None;
        };
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let Expr::Closure(closure) = strip_parentheses(&init.expr) else {
            return None;
        };
        let takes = closure.capture.is_some() && closure.asyncness.is_none();
        if !takes
            || !matches!(&local.pat, Pat::Ident(_))
            || !local.attrs.is_empty()
            || !self.is_used_behind(&local.pat, rest)
        {
            return None;
        }
        let mut stmts = Vec::new();
        let (mut local, mut closure) = (local.clone(), closure.clone());
        let taken = self.taken_by(&closure)?;
        let touched = touched_in(&closure.body);
        let has_state = taken.keys().any(|name| touched.contains(name));
        if has_state && pattern_bindings(&local.pat).any(|name| may_be_copied(&name.ident, rest)) {
            return None;
        }
        let mut in_order: Vec<_> = taken.iter().collect();
        in_order.sort();
        for (name, own) in in_order {
            let name = Ident::new(name, Span::call_site());
            stmts.push(syn::parse_quote!(#[allow(unused_mut)] let mut #own = #name;));
        }
        rename(&mut closure.body, &taken);
        closure.capture = None;
        *local.init.as_mut()?.expr = Expr::Closure(closure);
        stmts.push(Stmt::Local(local));
        Some(stmts)
    }

    /// The variables that a closure takes and that may change, each with a name of the closure's own; `None` where it may take
    /// a part of one.
    fn taken_by(&self, closure: &ExprClosure) -> Option<HashMap<String, Ident>> {
        let read = Uses::of_expr(&Expr::Closure(closure.clone())).reads;
        let changed = read.into_keys().filter(|name| self.is_changeable(name));
        let mut taken = HashMap::new();
        for name in changed {
            let mut bound = closure.inputs.iter().flat_map(pattern_bindings);
            if name == "self"
                || bound.any(|bound| bound.ident == name)
                || is_projected(closure.body.to_token_stream(), &name)
            {
                return None;
            }
            let at = closure.body.span().resolved_at(Span::call_site());
            let own = format_ident!("__saga_taken_{}_{}", name, self.vars.len(), span = at);
            taken.insert(name, own);
        }
        Some(taken)
    }
}

/// Whether a closure may be given away: what it takes is a copy then, as the closure is, where all of it is `Copy`, and changes apart.
///
/// ```text
/// let mut next = move || { n += 1; n }; twice(next); next()
/// ```
fn may_be_copied(name: &Ident, rest: &[Stmt]) -> bool {
    struct Copied<'n>(&'n Ident, bool);
    impl Copied<'_> {
        fn is_it(&self, expr: &Expr) -> bool {
            matches!(strip_parentheses(expr), Expr::Path(path) if path.path.is_ident(self.0))
        }

        /// What takes its captures takes it as well.
        fn takes(&mut self, capturing: &Expr) {
            self.1 |= Uses::of_expr(capturing)
                .reads
                .contains_key(&self.0.to_string());
        }
    }
    impl<'ast> Visit<'ast> for Copied<'_> {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            match expr {
                Expr::Call(call) if self.is_it(&call.func) => {
                    call.args
                        .iter()
                        .for_each(|argument| self.visit_expr(argument));
                }
                Expr::Reference(lent) if self.is_it(&lent.expr) => {}
                Expr::Closure(closure) if closure.capture.is_some() => self.takes(expr),
                Expr::Async(block) if block.capture.is_some() => self.takes(expr),
                _ if self.is_it(expr) => self.1 = true,
                _ => visit::visit_expr(self, expr),
            }
        }

        fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
            match arguments(invocation) {
                Some(all) => all.iter().for_each(|one| self.visit_expr(&one.value)),
                None => token_names(invocation.tokens.clone(), &mut |name| {
                    self.1 |= *self.0 == *name;
                }),
            }
        }
    }
    let mut copied = Copied(name, false);
    rest.iter().for_each(|stmt| copied.visit_stmt(stmt));
    copied.1
}

/// Whether a field of a variable is named: a closure takes that alone.
fn is_projected(tokens: TokenStream, name: &str) -> bool {
    let mut projected = false;
    uses_of_names(tokens, &mut |used, _, behind| {
        projected |= used == name && matches!(behind, Behind::Field);
    });
    projected
}
