//! Values of blocks, branches and loops that are answers, or picked out of one: where only one of them is ever given, it is
//! known of which answer it is made.

use std::collections::hash_map::Entry;

use proc_macro2::Ident;
use syn::{Expr, PatIdent, Stmt, visit::Visit};

use super::Lower;

use crate::{
    ast::{
        calls::{is_hidden_name, strip_parentheses},
        jumps,
        uses::Uses,
    },
    cfg::{
        VarId,
        persistence::{Evaluation, Hints, Rematerialization},
    },
};

/// What is known of the value of a variable that stands for that of a block.
pub(super) enum Given {
    /// It was known before, of the whole of it.
    Whole,
    /// One of its branches gives one.
    Once,
}

impl Lower<'_> {
    /// Notes that a variable of the macro's own is given a value.
    ///
    /// ```text
    /// let form = loop { let form = ask.await?; if form.is_complete() { break form; } };
    /// ```
    pub(super) fn picked(&mut self, var: VarId, value: Option<&Expr>) {
        let known = self.vars[var.0].persistence.rematerialized().is_some();
        match self.picked.entry(var) {
            Entry::Vacant(entry) if known => {
                entry.insert(Given::Whole);
            }
            Entry::Vacant(entry) => {
                entry.insert(Given::Once);
                let rematerialized = value.and_then(|value| self.picked_of(var, value));
                self.vars[var.0].persistence.hint(Hints {
                    rematerialized,
                    ..Hints::default()
                });
            }
            // Which of them it is would have to be known.
            Entry::Occupied(entry) if matches!(entry.get(), Given::Once) && known => {
                self.vars[var.0].persistence.hint(Hints::default());
            }
            Entry::Occupied(_) => {}
        }
    }

    /// What the jumps of a statement that stays whole give, each where its name means the same outside of it.
    pub(super) fn given_by_jumps(&self, stmt: &Stmt) -> Vec<(VarId, Option<Expr>)> {
        let mut given = Vec::new();
        let mut copy = stmt.clone();
        jumps::rewrite(&mut copy, &mut |jump| {
            let target = self.target(jump.label, jump.is_break);
            if let Some(result) = target.and_then(|target| target.result) {
                let value = jump.value.filter(|value| {
                    named_by(value).is_some_and(|name| !binds(stmt, &name.to_string()))
                });
                given.push((result, value));
            }
            None
        });
        given
    }

    /// How a value is evaluated again behind the block that gives it, in which no name of the author's means the same.
    fn picked_of(&self, var: VarId, value: &Expr) -> Option<Rematerialization> {
        let named = named_by(value).and_then(|name| self.lookup(&name.to_string()));
        let of_name = named.and_then(|named| self.vars[named.0].persistence.rematerialized());
        let again = match (named, of_name) {
            (Some(named), Some(of)) if !self.vars[named.0].mutable => {
                let mut of = of.clone();
                let (_, value) = of.lets.pop()?;
                of.lets.push((var, value));
                of
            }
            _ if self.is_imported(value) => return None,
            _ => self.picks(|picks| picks.again(var, value))?,
        };
        let mut values = again.lets.iter().map(|(_, value)| value);
        (again.params.is_empty() && values.all(is_of_hidden)).then_some(again)
    }
}

/// The variable that an expression is.
fn named_by(value: &Expr) -> Option<&Ident> {
    match strip_parentheses(value) {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

/// Whether a pattern somewhere in a statement binds this name.
fn binds(stmt: &Stmt, name: &str) -> bool {
    struct Binds<'n>(&'n str, bool);
    impl<'ast> Visit<'ast> for Binds<'_> {
        fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
            self.1 |= pat.ident == self.0;
            syn::visit::visit_pat_ident(self, pat);
        }
    }
    let mut binds = Binds(name, false);
    binds.visit_stmt(stmt);
    binds.1
}

/// Whether nothing is read but variables of the macro's own.
fn is_of_hidden(value: &Evaluation) -> bool {
    let reads = Uses::of_expr(&value.init).reads;
    value.of_answer || reads.keys().all(|name| is_hidden_name(name))
}
