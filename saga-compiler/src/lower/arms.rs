//! Arms of a `join!` that are no calls: a block, an `if`, a `match`, an async block.

use std::collections::HashSet;

use quote::quote;
use syn::{Block, Expr, Pat, Stmt};

use super::{Lower, structs::name_fields};

use crate::{
    ast::{
        assigned_places::Assigned,
        calls::{callee, callee_mut, strip_parentheses},
        changed::changes,
        order::{gives_what_it_makes, is_made_quietly},
        owned::is_place,
        patterns::pattern_bindings,
        uses::{Uses, root_name},
    },
    cfg::copies,
};

impl Lower<'_> {
    /// A future that is no call takes what it needs when it is made, and what chooses it is looked at then: here that is behind what the
    /// arms behind it are given.
    ///
    /// ```text
    /// join!(match plan_of(t) { Some(n) => fetch(n), None => fetch(0) }, ask(&cx, next(t)))
    /// ```
    pub(super) fn refuse_changed(&mut self, arm: &Expr, behind: &[Expr]) {
        if matches!(callee(arm), Expr::Call(_) | Expr::MethodCall(_)) {
            return;
        }
        let statement = Stmt::Expr(arm.clone(), None);
        if !self.jumps_of(&statement).is_empty() {
            return self.errors.refuse(
                arm,
                "a `break` or `continue` out of an arm of `join!`",
                "what an arm is made of is in one piece with the others",
                "the `if` with the `break` before the `join!`",
            );
        }
        let waits = matches!(callee(arm), Expr::Async(_) | Expr::Path(_));
        if !waits
            && (self.handles.contains_suspension(arm) || self.handles.called_in(arm).is_some())
        {
            return self.errors.refuse(
                arm,
                "an ask in an arm that is no call",
                "an arm is made again when the call goes on, and what it has asked by then is not known there",
                "a `#[saga]` helper with what is in the arm, or a `let` before the `join!` with what decides it",
            );
        }
        if !waits && behind.iter().any(gives_what_it_makes) && !is_made_quietly(arm) {
            return self.errors.refuse(
                arm,
                "an arm that is no call and does something, or looks at something, before it waits",
                "the arguments of all arms are evaluated before it is made, and one of an arm behind it calls something, too",
                "a `let` before the `join!` with what decides it, or with that argument",
            );
        }
        let reads = Uses::of_expr(arm).reads;
        let written = Assigned::in_all(behind);
        let by_method = |name: &&String| {
            let written = match waits {
                true => written.may_change_in_place(name),
                false => written.may_write(name),
            };
            written && self.is_changeable(name)
        };
        let by_method = reads.keys().filter(by_method).cloned();
        // And the other way round.
        let here = Assigned::in_all([arm]);
        let read_behind = behind
            .iter()
            .flat_map(|one| Uses::of_expr(one).reads.into_keys());
        let by_method = by_method.chain(
            read_behind.filter(|name| !waits && here.may_write(name) && self.is_changeable(name)),
        );
        let changed = behind.iter().flat_map(changes);
        let mut changed = changed
            .filter(|name| reads.contains_key(name))
            .chain(by_method);
        if let Some(name) = changed.find(|name| name == "self" || self.lookup(name).is_some()) {
            self.errors.refuse(
                arm,
                &format!("an arm with `{name}`, which an arm behind it may change"),
                "the arguments of all arms are evaluated before it is made",
                "a call of a function that is given the value, or the change before the `join!`",
            );
        }
    }

    /// Lets an arm that is no call be made again: of what it takes by value, it takes copies. What it changes, it changes.
    pub(super) fn keep_captures(&self, arm: &mut Expr) {
        match callee_mut(arm) {
            Expr::Call(_) | Expr::MethodCall(_) | Expr::Path(_) => {}
            arm => self.keep_given(arm, &HashSet::new()),
        }
    }

    /// The same of what the calls that such an arm chooses from are given, and of what it takes apart; less what is `own` there.
    ///
    /// ```text
    /// match job { Job::Send(to) => send(to), Job::Wait => wait(name) }
    /// ```
    fn keep_given(&self, arm: &mut Expr, own: &HashSet<String>) {
        let with = |pat: &Pat| {
            let bound = pattern_bindings(pat).map(|binding| binding.ident.to_string());
            own.iter().cloned().chain(bound).collect::<HashSet<_>>()
        };
        let takes = |pats: &[&Pat]| {
            let mut bound = pats.iter().flat_map(|pat| pattern_bindings(pat)).peekable();
            bound.peek().is_some() && bound.all(|binding| !binding.by_ref)
        };
        match callee_mut(arm) {
            Expr::Call(call) => {
                let given = call.args.iter_mut();
                given.for_each(|given| self.keep_value(given, own));
            }
            Expr::MethodCall(call) => {
                // `send(to).boxed()`
                if !matches!(
                    strip_parentheses(&call.receiver),
                    Expr::Path(_) | Expr::Field(_)
                ) {
                    self.keep_given(&mut call.receiver, own);
                }
                let given = call.args.iter_mut();
                given.for_each(|given| self.keep_value(given, own));
            }
            Expr::Async(block) if block.capture.is_some() => {
                let copies = self.copies_of_all(&block.block, own);
                if !copies.is_empty() {
                    let block = block.clone();
                    *arm = syn::parse_quote!({ #(#copies)* #block });
                }
            }
            Expr::If(chosen) => {
                let mut inside = own.clone();
                if let Expr::Let(binding) = &mut *chosen.cond {
                    inside = with(&binding.pat);
                    if takes(&[&*binding.pat]) {
                        self.keep_scrutinee(&mut binding.expr, own);
                    }
                }
                self.keep_given_at_end(&mut chosen.then_branch, &inside);
                if let Some((_, otherwise)) = &mut chosen.else_branch {
                    self.keep_given(otherwise, own);
                }
            }
            Expr::Match(chosen) => {
                let pats: Vec<_> = chosen.arms.iter().map(|arm| &arm.pat).collect();
                if takes(&pats) {
                    self.keep_scrutinee(&mut chosen.expr, own);
                }
                for arm in &mut chosen.arms {
                    let inside = with(&arm.pat);
                    self.keep_given(&mut arm.body, &inside);
                }
            }
            Expr::Block(block) => self.keep_given_at_end(&mut block.block, own),
            _ => {}
        }
    }

    /// What an `async move` block takes, as copies.
    fn copies_of_all(&self, block: &Block, own: &HashSet<String>) -> Vec<Stmt> {
        let names = Uses::of_block(block).reads.into_keys();
        let taken = names.filter(|name| !own.contains(name));
        let copies = taken.filter_map(|name| {
            let var = &self.vars[self.lookup(&name)?.0];
            let (mutable, name) = (var.mutable.then(|| quote!(mut)), &var.ident);
            let copy = copies::of_kept(&syn::parse_quote!(#name), false);
            let copy = syn::parse_quote! {
                #[allow(unused_mut)]
                let #mutable #name = #copy;
            };
            var.persistence.is_spilled().then_some(copy)
        });
        copies.collect()
    }

    /// A variable that is given away, or a field of one, and those that what is given away is made of.
    fn keep_value(&self, given: &mut Expr, own: &HashSet<String>) {
        let is_kept = |given: &Expr| {
            let root = root_name(given).filter(|root| !own.contains(root));
            let var = root.and_then(|root| self.lookup(&root));
            var.is_some_and(|var| self.vars[var.0].persistence.is_spilled())
        };
        name_fields(given);
        match given {
            Expr::Path(_) if is_kept(given) => *given = copies::of_kept(given, false),
            Expr::Field(_) if is_place(given) && is_kept(given) => {
                *given = copies::of_kept(given, true);
            }
            Expr::Paren(inner) => self.keep_value(&mut inner.expr, own),
            Expr::Call(_) | Expr::MethodCall(_) | Expr::Async(_) => self.keep_given(given, own),
            Expr::Struct(literal) => {
                let fields = literal.fields.iter_mut();
                fields.for_each(|field| self.keep_value(&mut field.expr, own));
            }
            Expr::Tuple(tuple) => {
                let parts = tuple.elems.iter_mut();
                parts.for_each(|part| self.keep_value(part, own));
            }
            Expr::Array(list) => {
                let items = list.elems.iter_mut();
                items.for_each(|item| self.keep_value(item, own));
            }
            _ => {}
        }
    }

    fn keep_scrutinee(&self, scrutinee: &mut Expr, own: &HashSet<String>) {
        if matches!(strip_parentheses(scrutinee), Expr::Path(_) | Expr::Tuple(_)) {
            self.keep_value(scrutinee, own);
        }
    }

    fn keep_given_at_end(&self, block: &mut Block, own: &HashSet<String>) {
        let declared = block.stmts.iter().filter_map(|stmt| match stmt {
            Stmt::Local(local) => Some(pattern_bindings(&local.pat)),
            _ => None,
        });
        let declared = declared.flatten().map(|binding| binding.ident.to_string());
        let own = own.iter().cloned().chain(declared).collect();
        if let Some(Stmt::Expr(last, None)) = block.stmts.last_mut() {
            self.keep_given(last, &own);
        }
    }
}
