//! Names that patterns hide: which of the hidden variables later code still means.

use std::{collections::HashMap, rc::Rc};

use proc_macro2::Ident;
use syn::Stmt;

use super::Lower;

use crate::{
    ast::{
        patterns::{capital, macros_in, pattern_bindings, without_guard},
        tokens::token_names,
    },
    cfg::{VarId, alias, place::Borrow},
};

/// What the statements of a list mention, and how far it is.
pub(super) struct Later {
    pub(super) last: Rc<HashMap<String, usize>>,
    pub(super) index: usize,
    /// The scope that the statements are in.
    pub(super) depth: usize,
}

impl Later {
    /// After the current statement.
    fn mentions_after(&self, name: &str) -> bool {
        self.last.get(name).is_some_and(|last| *last > self.index)
    }

    /// From the current statement on: a part of it may come after the one that is looked at.
    fn mentions(&self, name: &str) -> bool {
        self.last.get(name).is_some_and(|last| *last >= self.index)
    }
}

/// The names that statements mention, whatever they mean, each with the last statement that does.
pub(super) fn last_mentions(stmts: &[Stmt]) -> HashMap<String, usize> {
    let mut last = HashMap::new();
    for (index, stmt) in stmts.iter().enumerate() {
        let tokens = quote::ToTokens::to_token_stream(stmt);
        token_names(tokens, &mut |name| {
            last.insert(name.to_owned(), index);
        });
    }
    last
}

impl Lower<'_> {
    /// A name like `_guard` that nothing mentions again is there for its drop at the scope's end, so
    /// it is live until then.
    pub(super) fn hold(&mut self, declared: &[VarId]) {
        for id in declared {
            let var = &self.vars[id.0];
            let name = var.ident.to_string();
            let mentioned = self
                .later
                .last()
                .is_some_and(|list| list.mentions_after(&name));
            if name.starts_with('_')
                && !mentioned
                && var.persistence.is_spilled()
                && !var.hidden
                && let Some(guards) = self.guards.last_mut()
            {
                guards.push(*id);
            }
        }
    }

    /// The aliases of the variables that `pat` hides and later code still means, or others are made
    /// of. After a `let` the rest of its own statement list means the new binding.
    pub(super) fn shadowed_by(
        &self,
        pat: &syn::Pat,
        remake: Option<&Borrow>,
        is_let: bool,
    ) -> HashMap<String, Ident> {
        let mut hidden = HashMap::new();
        for binding in pattern_bindings(pat) {
            let name = binding.ident.to_string();
            let same_scope = is_let
                && self
                    .scopes
                    .last()
                    .is_some_and(|scope| scope.contains_key(&name));
            if let Some(var) = self.lookup(&name)
                && (self.is_depended_on(var, remake)
                    || (!same_scope && self.is_needed_later(&name, is_let)))
            {
                hidden.insert(name, alias(&self.vars[var.0].ident, var));
            }
        }
        hidden
    }

    /// A variable that is written like a constant is not seen where its name is bound.
    pub(super) fn refuse_capital(&mut self, pat: &syn::Pat) {
        if let Some(name) = capital(pat) {
            self.errors.refuse(
                name,
                &format!("the variable `{name}`, which is written like a constant"),
                "in a pattern the two cannot be told apart, and behind an ask the name would mean another thing",
                "a name that begins with a small letter",
            );
        }
    }

    /// What a macro in a pattern binds is not seen: it would be taken for the variable of its name.
    pub(super) fn refuse_pattern_macros(&mut self, pat: &syn::Pat) {
        for invocation in macros_in(without_guard(pat)) {
            let mut seen = None;
            token_names(invocation.tokens.clone(), &mut |name| {
                seen = seen.take().or_else(|| self.lookup(name));
            });
            if let Some(var) = seen {
                let name = self.vars[var.0].ident.to_string();
                self.errors.refuse(
                    &invocation,
                    &format!(
                        "a macro in a pattern, that is given the name of the variable `{name}`"
                    ),
                    "if it binds that name, the two could not be told apart behind an ask",
                    "the pattern written out, or another name",
                );
            }
        }
    }

    /// Whether others are made of a variable, or it is held to be dropped.
    fn is_depended_on(&self, var: VarId, remake: Option<&Borrow>) -> bool {
        let mut deps = self.reborrows.iter().map(|reborrow| &reborrow.deps);
        let new = remake.is_some_and(|remake| remake.deps.contains(&var));
        new || deps.any(|deps| deps.contains(&var))
            || self.guards.iter().flatten().any(|held| *held == var)
    }

    /// Whether code after a pattern may mean what it hides: mentions in the lists that the hidden
    /// variable is visible in.
    fn is_needed_later(&self, name: &str, is_let: bool) -> bool {
        let declared = self
            .scopes
            .iter()
            .rposition(|scope| scope.contains_key(name))
            .unwrap_or_default();
        let lists = self.later.len() - usize::from(is_let && !self.later.is_empty());
        let mut lists = self.later.iter().take(lists);
        lists.any(|list| list.depth >= declared && list.mentions(name))
    }
}
