//! `if`, `match`, blocks and `let … else` that contain a suspension point.

use std::collections::{HashMap, HashSet};

use proc_macro2::Ident;
use syn::{Expr, ExprIf, ExprMatch, Local, Pat};

use super::{
    Destination, Enclosing, Lower,
    held::{declares, declares_inside},
    literals::is_text_or_place,
    temporaries::borrows_temporary,
};

use crate::{
    ast::{
        calls::conjuncts,
        patterns::pattern_bindings,
        rename::rename,
        uses::{Uses, root_name},
    },
    cfg::{BlockId, Facts, StandsFor, Target, Terminator, VarId},
    syntax::locks::refuse_lock,
};

/// Whether an expression is a construct that can be taken apart into blocks.
pub(super) fn is_control(expr: &Expr) -> bool {
    match expr {
        Expr::If(_)
        | Expr::Match(_)
        | Expr::Block(_)
        | Expr::Loop(_)
        | Expr::While(_)
        | Expr::ForLoop(_)
        | Expr::Break(_)
        | Expr::Continue(_)
        | Expr::Return(_) => true,
        Expr::Binary(binary) => matches!(binary.op, syn::BinOp::And(_) | syn::BinOp::Or(_)),
        Expr::Paren(paren) => is_control(&paren.expr),
        Expr::Group(group) => is_control(&group.expr),
        _ => false,
    }
}

impl Lower<'_> {
    /// Takes a construct apart; `false` where it is none.
    pub(super) fn control(&mut self, expr: &Expr, destination: &Destination) -> bool {
        let of_text = match destination {
            Destination::Variable(var, None) if is_text_or_place(expr) => {
                let text = syn::parse_quote!(&str);
                Some(Destination::Variable(*var, Some(Box::new(text))))
            }
            _ => None,
        };
        let destination = of_text.as_ref().unwrap_or(destination);
        match expr {
            Expr::Paren(paren) => return self.control(&paren.expr, destination),
            Expr::Group(group) => return self.control(&group.expr, destination),
            _ if self.is_cut_before(expr) => return false,
            _ if self.looks_into_temporary(expr) => {
                self.open_scope();
                let owned = self.own_head(expr);
                let taken = self.control(&owned, destination);
                self.close_scope();
                return taken;
            }
            Expr::If(conditional) => self.conditional(conditional, destination),
            Expr::Match(matched) => self.matched(matched, destination),
            Expr::Block(block) => match &block.label {
                Some(label) => self.labelled(label, &block.block, destination),
                None => {
                    self.block(&block.block, destination);
                    self.end_scope(&block.block);
                }
            },
            Expr::Loop(looped) => self.looped(looped, destination),
            Expr::While(looped) => self.while_loop(looped, destination),
            Expr::ForLoop(looped) => self.for_loop(looped, destination),
            Expr::Binary(binary) => match binary.op {
                syn::BinOp::And(_) => self.short_circuit(binary, true, destination),
                syn::BinOp::Or(_) => self.short_circuit(binary, false, destination),
                _ => return false,
            },
            Expr::Return(returned) => {
                let unit = || Box::new(syn::parse_quote!(()));
                let value = returned.expr.clone().unwrap_or_else(unit);
                self.value(&value, &Destination::Return);
            }
            Expr::Break(jump) if self.target(jump.label.as_ref(), true).is_some() => {
                self.jump(jump.label.as_ref(), jump.expr.as_deref());
            }
            Expr::Continue(jump) => match self.target(jump.label.as_ref(), false) {
                Some(Target { block, .. }) => self.terminate(Terminator::Goto(block)),
                None => return false,
            },
            _ => return false,
        }
        true
    }

    /// Whether only what a `match` or an `if` looks at has to be taken apart; the rest stays in place.
    pub(super) fn is_cut_before(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_cut_before(&paren.expr),
            Expr::Group(group) => self.is_cut_before(&group.expr),
            Expr::Match(_) | Expr::If(_) | Expr::ForLoop(_) => {
                let mut rest = expr.clone();
                if let Some(head) = head_of(&mut rest) {
                    *head = syn::parse_quote!(());
                }
                !self.is_cut(&rest)
            }
            _ => false,
        }
    }

    /// What a block has declared is dropped at its end, before what comes after it.
    fn end_scope(&mut self, block: &syn::Block) {
        if !self.dead && declares(block) {
            let after = self.new_block();
            self.terminate(Terminator::Goto(after));
            self.ends_scope(after, true);
            self.enter(after);
        }
    }

    /// Lets `after` be code of its own, where something declared before it is dropped.
    fn ends_scope(&mut self, after: BlockId, declares: bool) {
        self.blocks[after.0].renamed |= declares;
    }

    fn jump(&mut self, label: Option<&syn::Lifetime>, value: Option<&Expr>) {
        let enclosing = self.enclosing.iter().rev().find(|enclosing| match label {
            Some(label) => enclosing.label.as_ref() == Some(label),
            None => enclosing.is_loop,
        });
        let Some(enclosing) = enclosing else { return };
        let (target, result) = (enclosing.on_break, enclosing.result.clone());
        match value {
            Some(value) => self.value(value, &result),
            None => self.give(syn::parse_quote!(()), &result),
        }
        self.terminate(Terminator::Goto(target));
    }

    fn labelled(&mut self, label: &syn::Label, block: &syn::Block, destination: &Destination) {
        let after = self.new_block();
        let discarded = self.discarded(destination, || {
            breaks_with_value(Some(&label.name), block, false)
        });
        let result = match discarded {
            Some(value) => Destination::Variable(value, None),
            None => self.through_variable(destination),
        };
        self.enclosing.push(Enclosing {
            label: Some(label.name.clone()),
            is_loop: false,
            on_break: after,
            on_continue: None,
            result: result.clone(),
        });
        self.block(block, &result);
        self.enclosing.pop();
        self.terminate(Terminator::Goto(after));
        // It may be left from inside of a block in it.
        self.ends_scope(after, declares_inside(block));
        self.enter(after);
        match discarded {
            Some(value) => self.discard(value),
            None => self.pass_on(&result, destination),
        }
    }

    /// A variable for a value that nobody takes: it is of any type, and of the same everywhere.
    pub(super) fn discarded(
        &mut self,
        destination: &Destination,
        has_value: impl FnOnce() -> bool,
    ) -> Option<VarId> {
        let discarded = matches!(destination, Destination::Discard) && has_value();
        discarded.then(|| self.hidden("value"))
    }

    /// A statement, which drops it, and is told to use what must be used: as the author's is.
    pub(super) fn discard(&mut self, value: VarId) {
        let value = self.path(value);
        self.opaque(syn::Stmt::Expr(value, Some(Default::default())));
    }

    /// After a construct whose branches all return, nothing goes on.
    pub(super) fn returned(&mut self, destination: &Destination) {
        self.dead |= matches!(destination, Destination::Return);
    }

    fn conditional(&mut self, conditional: &ExprIf, destination: &Destination) {
        let after = self.new_block();
        self.open_scope();
        let otherwise = self.new_block();
        let conjuncts = conjuncts(&conditional.cond);
        let hidden: HashMap<_, _> = conjuncts
            .iter()
            .filter_map(|cond| let_of(cond))
            .flat_map(|binding| {
                let remake = self.reborrow(&binding.pat, Some(&binding.expr));
                self.shadowed_by(&binding.pat, remake.as_ref(), false)
            })
            .collect();
        // Where only the `else` asks, it depends on the edition whether anything is held there.
        let mut looked_at = conjuncts.iter().filter_map(|cond| let_of(cond)).peekable();
        let then = block_of(&conditional.then_branch);
        let asks = looked_at.peek().is_some() && self.is_cut(&then);
        let lends = asks && looked_at.any(|binding| borrows_temporary(&binding.expr));
        let mut looks_up = conjuncts.iter().filter_map(|cond| let_of(cond));
        let fixes = looks_up
            .any(|binding| self.looks_by(&binding.expr) || self.is_lent_param(&binding.expr));
        let bound = conjuncts.iter().filter_map(|cond| let_of(cond));
        let bound: Vec<_> = bound.map(|of| (&*of.pat, &*of.expr)).collect();
        let holds = self.holds(&bound, &then);
        let then = self.with_held(&bound, then);
        let whole = hidden.is_empty()
            && !self.is_cut(&conditional.cond)
            && !lends
            && !fixes
            && !borrows_from_each_other(&conjuncts);
        if whole {
            self.branch(&conditional.cond, &conjuncts, otherwise, asks);
        } else {
            self.restore_names(otherwise, &hidden);
            for cond in &conjuncts {
                self.conjunct(cond, otherwise, asks);
            }
        }
        match self.is_cut(&then) {
            true => self.block(&conditional.then_branch, destination),
            false => self.value(&then, destination),
        }
        self.ends_scope(after, !self.dead && (holds || self.leaves_declared(&then)));
        self.abandon_scope();
        self.terminate(Terminator::Goto(after));
        self.enter(otherwise);
        match &conditional.else_branch {
            Some((_, otherwise)) => {
                self.value(otherwise, destination);
                self.ends_scope(after, !self.dead && self.leaves_declared(otherwise));
            }
            None => self.give(syn::parse_quote!(()), destination),
        }
        self.terminate(Terminator::Goto(after));
        self.restore_names(after, &hidden);
        self.enter(after);
        self.returned(destination);
    }

    /// A block that must find the names of its scope although they were hidden before it.
    fn restore_names(&mut self, block: BlockId, hidden: &HashMap<String, Ident>) {
        self.blocks[block.0].renamed |= !hidden.is_empty();
    }

    /// A condition without suspension points, to its then-branch.
    fn branch(&mut self, cond: &Expr, conjuncts: &[&Expr], otherwise: BlockId, holds: bool) {
        let mut facts = self.piece_of(cond);
        for binding in conjuncts.iter().filter_map(|cond| let_of(cond)) {
            if holds {
                refuse_lock(&binding.expr, &mut self.errors);
            }
            let remake = self.reborrow(&binding.pat, Some(&binding.expr));
            facts
                .defs
                .extend(self.declare_of(&binding.pat, &binding.expr, remake));
        }
        let then = self.new_block();
        self.terminate(Terminator::If {
            cond: Box::new(cond.clone()),
            facts,
            then,
            otherwise,
        });
        self.enter(then);
    }

    /// One part of a condition: goes on where it holds.
    pub(super) fn conjunct(&mut self, cond: &Expr, otherwise: BlockId, holds: bool) {
        if self.dead {
            return;
        }
        let Some(binding) = let_of(cond) else {
            let cond = self.remainder(cond);
            return self.branch(&cond, &[], otherwise, holds);
        };
        let key = self.key.take();
        let mut init = self.remainder(&binding.expr);
        self.lend_param(&mut init, [&*binding.pat]);
        self.fix_lookup(&mut init);
        self.key = key;
        if holds {
            refuse_lock(&init, &mut self.errors);
            if borrows_temporary(&init) {
                self.own_borrowed(&mut init);
            }
        }
        let remake = self.reborrow(&binding.pat, Some(&init));
        let hidden = self.alpha_rename(self.shadowed_by(&binding.pat, remake.as_ref(), false));
        let mut renamed = init.clone();
        rename(&mut renamed, &hidden);
        let mut facts = self.piece_of(&init);
        let declared = self.declare_of(&binding.pat, &init, remake);
        facts.defs = declared.into_iter().collect();
        let then = self.new_block();
        let pat = &binding.pat;
        let cond = Box::new(syn::parse_quote!(let #pat = #renamed));
        self.terminate(Terminator::If {
            cond,
            facts,
            then,
            otherwise,
        });
        self.enter(then);
    }

    /// ```text
    /// a && b   →   if a { b } else { false }        a || b   →   if a { true } else { b }
    /// ```
    fn short_circuit(&mut self, binary: &syn::ExprBinary, and: bool, destination: &Destination) {
        let left = &binary.left;
        // Where it begins with a block, it would be two statements without parentheses.
        let right = &binary.right;
        let expr = if and {
            syn::parse_quote!(if #left { (#right) } else { false })
        } else {
            syn::parse_quote!(if #left { true } else { (#right) })
        };
        self.conditional(&expr, destination);
    }

    fn matched(&mut self, matched: &ExprMatch, destination: &Destination) {
        let mut scrutinee = self.remainder(&matched.expr);
        if self.dead {
            return;
        }
        self.lend_again(&mut scrutinee, matched.arms.iter().map(|arm| &arm.pat));
        self.lend_param(&mut scrutinee, matched.arms.iter().map(|arm| &arm.pat));
        self.fix_lookup(&mut scrutinee);
        refuse_lock(&scrutinee, &mut self.errors);
        let hidden: HashMap<_, _> = matched
            .arms
            .iter()
            .flat_map(|arm| {
                let remake = self.reborrow(&arm.pat, Some(&scrutinee));
                self.shadowed_by(&arm.pat, remake.as_ref(), false)
            })
            .collect();
        let after = self.new_block();
        self.restore_names(after, &hidden);
        let arms = matched.arms.iter().map(|arm| {
            let bound = [(&arm.pat, &scrutinee)];
            let holds = self.holds(&bound, &arm.body) || self.leaves_declared(&arm.body);
            (holds, self.with_held(&bound, (*arm.body).clone()))
        });
        let branches: Vec<_> = arms.collect();
        self.open_scope();
        let hidden = self.alpha_rename(hidden);
        let mut renamed = scrutinee.clone();
        rename(&mut renamed, &hidden);
        let facts = self.piece_of(&scrutinee);
        let from = self.current;
        let mut arms = Vec::new();
        for (arm, (holds, branch)) in matched.arms.iter().zip(branches) {
            self.open_scope();
            let (facts, pat) = self.arm_pattern(&arm.pat, &scrutinee, &hidden);
            let body = self.new_block();
            let bound: Vec<_> = pattern_bindings(&arm.pat)
                .map(|b| b.ident.to_string())
                .collect();
            if hidden.keys().any(|name| !bound.contains(name)) {
                self.blocks[body.0].renamed = true;
            }
            arms.push((pat, facts, body));
            self.enter(body);
            self.value(&branch, destination);
            self.ends_scope(after, !self.dead && holds);
            self.abandon_scope();
            self.terminate(Terminator::Goto(after));
        }
        self.abandon_scope();
        self.enter(from);
        self.terminate(Terminator::Match {
            scrutinee: Box::new(renamed),
            facts,
            arms,
            lets: false,
            copies: false,
        });
        self.enter(after);
        self.returned(destination);
    }

    /// ```text
    /// match answer { Ok(Some(x)) => x, _ => { ask; return } }   →   both arms in blocks; x made again
    /// ```
    pub(super) fn chosen(&mut self, expr: &Expr, ty: Option<Box<syn::Type>>) -> Expr {
        let mut whole = expr.clone();
        let key = self.key.clone();
        if matches!(whole, Expr::If(_)) {
            self.key = None;
        }
        if let Some(head) = head_of(&mut whole) {
            *head = self.remainder(head);
        }
        self.key = key;
        let var = self.standing_for(StandsFor::Value, "value", expr);
        self.pick(var, &whole);
        self.value(&whole, &Destination::Variable(var, ty));
        self.path(var)
    }

    /// The aliases of the variables that a pattern hides and an `else` means.
    fn meant_by(&self, pat: &Pat, otherwise: &Expr) -> HashMap<String, Ident> {
        let mut mentioned = std::collections::HashSet::new();
        let tokens = quote::ToTokens::to_token_stream(otherwise);
        crate::ast::tokens::token_names(tokens, &mut |name| {
            mentioned.insert(name.to_owned());
        });
        let names = pattern_bindings(pat).map(|binding| binding.ident.to_string());
        let meant = names.filter(|name| mentioned.contains(name));
        meant
            .filter_map(|name| {
                let var = self.lookup(&name)?;
                let alias = crate::cfg::alias(&self.vars[var.0].ident, var);
                Some((name, alias))
            })
            .collect()
    }

    fn arm_pattern(
        &mut self,
        pat: &Pat,
        scrutinee: &Expr,
        hidden: &HashMap<String, Ident>,
    ) -> (Facts, Pat) {
        let remake = self.reborrow(pat, Some(scrutinee));
        let defs = self.declare_of(pat, scrutinee, remake);
        let mut facts = Facts::default();
        let mut pat = pat.clone();
        if let Pat::Guard(guarded) = &mut pat {
            facts = self.facts(Uses::of_expr(&guarded.guard));
            let bound: Vec<_> = pattern_bindings(&guarded.pat)
                .map(|b| b.ident.to_string())
                .collect();
            let mut outer = hidden.clone();
            outer.retain(|name, _| !bound.contains(name));
            rename(&mut guarded.guard, &outer);
        }
        facts.defs = defs.into_iter().collect();
        (facts, pat)
    }

    /// ```text
    /// let PAT = init else { … };   →   match init { PAT => …rest, _ => … }
    /// ```
    pub(super) fn let_else(&mut self, local: &Local, init: &Expr, otherwise: &Expr) {
        let mut init = self.remainder(init);
        if self.dead {
            return;
        }
        self.lend_param(&mut init, [&local.pat]);
        self.fix_lookup(&mut init);
        let remake = self.reborrow(&local.pat, Some(&init));
        let mut hidden = self.shadowed_by(&local.pat, remake.as_ref(), true);
        hidden.extend(self.meant_by(&local.pat, otherwise));
        let hidden = self.alpha_rename(hidden);
        let failed = self.new_block();
        self.restore_names(failed, &hidden);
        let mut renamed = init.clone();
        rename(&mut renamed, &hidden);
        let facts = self.piece_of(&init);
        // The `else` does not know what the pattern binds.
        let from = self.current;
        self.enter(failed);
        // Whether it ends the function, only types may say: `else { fail("no desk") }`.
        self.value(otherwise, &Destination::Return);
        self.terminate(Terminator::End);
        self.enter(from);
        let bound = Facts {
            defs: self
                .declare_of(&local.pat, &init, remake)
                .into_iter()
                .collect(),
            ..Facts::default()
        };
        let next = self.new_block();
        let arms = vec![
            (local.pat.clone(), bound, next),
            (syn::parse_quote!(_), Facts::default(), failed),
        ];
        self.terminate(Terminator::Match {
            scrutinee: Box::new(renamed),
            facts,
            arms,
            lets: true,
            copies: false,
        });
        self.enter(next);
    }
}

/// What a `match` or an `if` looks at first.
pub(super) fn head_of(expr: &mut Expr) -> Option<&mut Expr> {
    match expr {
        Expr::Paren(paren) => head_of(&mut paren.expr),
        Expr::Group(group) => head_of(&mut group.expr),
        Expr::Match(matched) => Some(&mut matched.expr),
        Expr::ForLoop(looped) => Some(&mut looped.expr),
        Expr::If(conditional) => match &mut *conditional.cond {
            Expr::Let(binding) => Some(&mut binding.expr),
            cond if conjuncts(cond).len() == 1 => Some(cond),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a `let` of a chain borrows to change from what one before it binds, or takes that apart: nothing looks at it any more.
///
/// ```text
/// if let Some(list) = map.get_mut(key) && let Some(first) = list.first_mut() { … }
/// if let Some(reply) = last && let Some(name) = reply.name { … }
/// ```
fn borrows_from_each_other(conjuncts: &[&Expr]) -> bool {
    let mut bound = HashSet::new();
    conjuncts
        .iter()
        .filter_map(|cond| let_of(cond))
        .any(|binding| {
            let used = Uses::of_expr(&binding.expr).mutates.into_iter();
            let mut used = used.chain(root_name(&binding.expr));
            let borrows = used.any(|name| bound.contains(&name));
            bound.extend(pattern_bindings(&binding.pat).map(|binding| binding.ident.to_string()));
            borrows
        })
}

fn let_of(cond: &Expr) -> Option<&syn::ExprLet> {
    match cond {
        Expr::Let(binding) => Some(binding),
        Expr::Paren(paren) => let_of(&paren.expr),
        Expr::Group(group) => let_of(&group.expr),
        _ => None,
    }
}

/// A block as an expression.
pub(super) fn block_of(block: &syn::Block) -> Expr {
    Expr::Block(syn::ExprBlock {
        attrs: Vec::new(),
        label: None,
        block: block.clone(),
    })
}

/// Whether a block is left with a value somewhere: by its label, or, where it is a loop's, without one.
pub(super) fn breaks_with_value(
    label: Option<&syn::Lifetime>,
    block: &syn::Block,
    is_loop: bool,
) -> bool {
    let mut found = false;
    let mut block: syn::Stmt = syn::parse_quote!(#block);
    crate::ast::jumps::rewrite(&mut block, &mut |jump| {
        let leaves = match jump.label {
            None => is_loop,
            named => named == label,
        };
        found |= leaves && jump.value.is_some();
        None
    });
    found
}
