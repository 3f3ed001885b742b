//! Several suspension points at once: `join!`, `try_join!`, `join_all` and `try_join_all`.

use std::collections::BTreeSet;

use proc_macro2::Ident;
use quote::format_ident;
use syn::{Expr, ExprTry, Pat, Stmt, Token};

use super::{
    Lower,
    captures::Receiver,
    structs::{name_fields, parts_of_literal_mut, prove_literal},
    suspend::{ask_call, default_key, operands_of},
};

use crate::{
    ast::{
        calls::{call_operands, is_self, shown_call, strip_parentheses},
        changed::may_change,
        patterns::pattern_bindings,
        tokens::mentions,
        uses::{Uses, root_name},
    },
    cfg::{Arm, Callee, Facts, StandsFor, Terminator, VarId, copies, persistence::Persistence},
    syntax::asks::Join,
};

impl Lower<'_> {
    /// Awaits all arms; what is left is the tuple of their values.
    ///
    /// ```text
    /// join!(peer.elicit::<T>(q), confirm(&peer))   →   call; next: (t.output(), u)
    /// ```
    pub(super) fn join(&mut self, base: &Expr, tried: Option<&ExprTry>) -> Expr {
        let keys = self.arm_keys.take();
        let key = self.key.take();
        let joined = match self.handles.join(base) {
            Some(Join::All(arms, tries)) => {
                let arms: Vec<Expr> = arms.iter().cloned().collect();
                let keys = keys.unwrap_or_default();
                self.join_arms(&arms, tries.then_some(tried), &keys)
            }
            Some(Join::Each {
                items,
                closure,
                before,
                future,
                tries,
            }) => match closure.inputs.first().cloned() {
                Some(pat) => {
                    let items = (items.clone(), closure.capture);
                    let each = (pat, before.to_vec(), future.clone(), key.clone());
                    self.join_each(items, each, tries)
                }
                None => base.clone(),
            },
            None => base.clone(),
        };
        self.key = key;
        joined
    }

    /// `tries` has the `?` that may stand behind a `try_join!`.
    fn join_arms(
        &mut self,
        exprs: &[Expr],
        tries: Option<Option<&ExprTry>>,
        keys: &[Option<String>],
    ) -> Expr {
        let (tries, tried) = (tries.is_some(), tries.flatten());
        let (mut arms, mut receivers) = (Vec::new(), Vec::new());
        for (index, expr) in exprs.iter().enumerate() {
            let key = keys.get(index).cloned().flatten();
            let behind = exprs.get(index + 1..).unwrap_or_default();
            let arm = self.arm(expr, key, behind, &mut receivers);
            arms.push(arm);
        }
        receivers.iter().for_each(|receiver| self.let_go(receiver));
        let keys: Vec<_> = arms.iter().filter_map(key_of).collect();
        let shown = keys.join(" + ");
        let results: Vec<_> = arms.iter().map(|arm| self.arm_result(arm, tries)).collect();
        let callee = Callee::Join {
            arms: arms.clone(),
            tries,
        };
        self.await_all(callee, &results, shown);
        if let Some(tried) = tried {
            self.leave_on_error(&arms, &results, tried);
        }
        let values = arms.iter().zip(&results);
        if !tries || tried.is_some() {
            let values: Vec<_> = values
                .map(|(arm, result)| self.arm_value(arm, *result, tries))
                .collect();
            return syn::parse_quote!((#(#values,)*));
        }
        let values = values.map(|(arm, result)| self.tried(arm, *result));
        let error = self.first_error(&arms, &results);
        let given = syn::parse_quote! {
            match #error {
                ::core::option::Option::Some(__saga_error) => ::core::result::Result::Err(__saga_error),
                ::core::option::Option::None => ::core::result::Result::Ok((#(#values,)*)),
            }
        };
        self.made_of(given)
    }

    fn join_each(
        &mut self,
        (items, capture): (Expr, Option<Token![move]>),
        (pat, before, future, key): (Pat, Vec<Stmt>, Expr, Option<String>),
        tries: bool,
    ) -> Expr {
        let items = self.remainder(&items);
        self.open_scope();
        self.declare_from(&pat, None);
        let bound = pattern_bindings(&pat).map(|binding| binding.ident.to_string());
        let mut bound: Vec<_> = bound.collect();
        // What is done for each item before its future is made gives each another value of these.
        let done: Expr = syn::parse_quote!({ #(#before)* });
        let declared = before.iter().filter_map(|stmt| match stmt {
            Stmt::Local(local) => Some(pattern_bindings(&local.pat)),
            _ => None,
        });
        bound.extend(declared.flatten().map(|binding| binding.ident.to_string()));
        let changed = may_change(&done).into_iter();
        bound.extend(changed.filter(|name| !self.is_shared(name)));
        bound.extend(Uses::of_expr(&done).assigns);
        let future = self.with_handles_of(&before, future);
        let (arm, given) = self.each_arm(&future, key, &bound);
        self.abandon_scope();
        // As `join_all` does, all are made before one of them is awaited; once, whatever they do.
        let kept = self.spill(syn::parse_quote! {
            ::core::iter::Iterator::collect::<::std::vec::Vec<_>>(
                ::core::iter::Iterator::map(
                    ::core::iter::IntoIterator::into_iter(#items),
                    #capture |#pat| { #(#before)* (#(#given,)*) },
                )
            )
        });
        let names = (0..given.len()).map(each);
        let pat = syn::parse_quote!((#(#names,)*));
        let copy = copies::of_kept(&kept, false);
        let items = syn::parse_quote!(::core::iter::IntoIterator::into_iter(#copy));
        let shown = key_of(&arm).unwrap_or_default();
        let asks = matches!(arm, Arm::Ask(..));
        let result = if asks {
            self.record()
        } else {
            self.hidden("result")
        };
        self.vars[result.0].mutable = tries && !asks;
        let callee = Callee::Each {
            items: Box::new(items),
            pat: Box::new(pat),
            arm: Box::new(arm),
            tries,
        };
        self.await_all(callee, &[result], shown);
        let record = self.path(result);
        match (asks, tries) {
            (true, false) => {
                self.made_of(syn::parse_quote!(::saga_runtime::__private::outputs(&#record)))
            }
            (true, true) => self.made_of(or_gone(&syn::parse_quote! {
                ::saga_runtime::__private::all_tried(&#record)
            })),
            (false, false) => record,
            (false, true) => self.made_of(or_gone(&syn::parse_quote! {
                ::saga_runtime::__private::all_taken(&mut #record)
            })),
        }
    }

    /// What clones of the handle are called for one item is as good as another clone.
    ///
    /// ```text
    /// { let cx = cx.clone(); ask(cx, item) }   →   ask(cx.clone(), item)
    /// ```
    fn with_handles_of(&self, before: &[Stmt], mut future: Expr) -> Expr {
        let mut declared = BTreeSet::new();
        for (at, stmt) in before.iter().enumerate() {
            let Stmt::Local(local) = stmt else { continue };
            let hidden = declared.clone();
            let names = pattern_bindings(&local.pat).map(|binding| binding.ident.to_string());
            declared.extend(names);
            let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else {
                continue;
            };
            let others = before.iter().enumerate();
            let others = others.filter(|(other, _)| *other != at);
            let is_alone = others
                .map(|(_, other)| mentions(other, &name.ident))
                .sum::<usize>()
                == 0;
            let is_clone = !matches!(strip_parentheses(&init.expr), Expr::Path(_));
            // Outside of the closure the name means what it is there.
            let mut reads = Uses::of_expr(&init.expr).reads.into_keys();
            let is_outer = !reads.any(|read| hidden.contains(&read));
            let is_fixed = name.mutability.is_none() && is_alone && is_outer;
            if !is_fixed || !is_clone || !self.is_of_request(&init.expr) {
                continue;
            }
            for operand in call_operands(&mut future) {
                if matches!(strip_parentheses(operand), Expr::Path(path) if path.path.is_ident(&name.ident))
                {
                    *operand = (*init.expr).clone();
                }
            }
        }
        future
    }

    /// Whether a name is a shared reference that the function was given: no method makes it another one.
    fn is_shared(&self, name: &str) -> bool {
        if name == "self" {
            return self.shares_self;
        }
        let var = self.lookup(name).map(|var| &self.vars[var.0].persistence);
        match var {
            Some(Persistence::Param(param)) => {
                matches!(&self.params[param.0].ty, syn::Type::Reference(lent) if lent.mutability.is_none())
            }
            _ => false,
        }
    }

    /// An arm of `join_all`, and what it is given of each item.
    fn each_arm(&mut self, expr: &Expr, key: Option<String>, bound: &[String]) -> (Arm, Vec<Expr>) {
        let expr = strip_parentheses(expr);
        let mut given = Vec::new();
        let mut take =
            |lower: &Self, operand: &mut Expr| lower.take(operand, (bound, &[]), &mut given);
        let arm = match self.handles.ask(expr) {
            Some(ask) => {
                let mut ask = ask_call(&ask);
                for (operand, is_handle) in operands_of(&mut ask) {
                    if !is_handle {
                        take(self, operand);
                    }
                }
                let key = ask.key.clone().or(key);
                let key = key.unwrap_or_else(|| default_key(&ask));
                Arm::Ask(Box::new(ask), key)
            }
            None => {
                let mut call = expr.clone();
                // What one of them changes is another value for each item.
                let mut touched = Vec::new();
                for operand in call_operands(&mut call) {
                    if !matches!(strip_parentheses(operand), Expr::Path(_)) {
                        touched.extend(may_change(operand));
                        touched.extend(Uses::of_expr(operand).assigns);
                    }
                }
                let mut take = |lower: &Self, operand: &mut Expr| {
                    lower.take(operand, (bound, &touched), &mut given)
                };
                for operand in call_operands(&mut call) {
                    if !self.is_of_request(operand) && !is_self(operand) {
                        take(self, operand);
                    }
                }
                Arm::Other(Box::new(call))
            }
        };
        (arm, given)
    }

    /// Replaces what an arm of `join_all` is given by what it is given of each item.
    fn take(
        &self,
        operand: &mut Expr,
        (bound, touched): (&[String], &[String]),
        given: &mut Vec<Expr>,
    ) {
        // What is the same for every item stays where it is.
        let mut names = Uses::of_expr(operand).reads.into_keys();
        // Of a variable each has a copy.
        let is_variable = || {
            root_name(operand)
                .is_some_and(|name| self.lookup(&name).is_some() && !touched.contains(&name))
                && matches!(strip_parentheses(operand), Expr::Path(_))
        };
        let is_bound = names.any(|name| bound.contains(&name));
        if !is_bound && (self.comes_again(operand, false) || is_variable()) {
            return prove_literal(operand);
        }
        take_parts(operand, given);
        prove_literal(operand);
    }

    /// An arm whose operands come again, or are kept where they must be evaluated once.
    fn arm(
        &mut self,
        expr: &Expr,
        key: Option<String>,
        behind: &[Expr],
        receivers: &mut Vec<Receiver>,
    ) -> Arm {
        let expr = strip_parentheses(expr);
        match self.handles.ask(expr) {
            Some(ask) => {
                let mut ask = ask_call(&ask);
                self.operands(&mut operands_of(&mut ask));
                for (operand, is_handle) in operands_of(&mut ask) {
                    match is_handle {
                        true if self.handles.is_handle(operand) => {}
                        // It is lent to the arm, not given.
                        true => *operand = self.spill(operand.clone()),
                        false => {
                            self.keep(operand, false);
                        }
                    }
                }
                let key = ask.key.clone().or(key);
                let key = key.unwrap_or_else(|| default_key(&ask));
                Arm::Ask(Box::new(ask), key)
            }
            None => {
                let asks = self.handles.passes(expr);
                let mut call = expr.clone();
                receivers.push(self.keep_operands(&mut call, behind).receiver);
                self.refuse_changed(&call, behind);
                self.keep_captures(&mut call);
                match asks {
                    true => Arm::Other(Box::new(call)),
                    false => Arm::Plain(Box::new(call)),
                }
            }
        }
    }

    /// The variable that takes what an arm gives.
    fn arm_result(&mut self, arm: &Arm, tries: bool) -> VarId {
        match arm {
            Arm::Ask(..) => self.record(),
            Arm::Other(_) | Arm::Plain(_) => {
                let result = self.hidden("result");
                self.vars[result.0].mutable = tries;
                if !tries {
                    self.vars[result.0].stands_for = StandsFor::Value;
                }
                result
            }
        }
    }

    /// The author's value of it.
    fn arm_value(&mut self, arm: &Arm, result: VarId, tries: bool) -> Expr {
        let record = self.path(result);
        match (arm, tries) {
            (_, true) => {
                let value = self.tried(arm, result);
                self.made_of(value)
            }
            (Arm::Ask(..), false) => self.made_of(syn::parse_quote!(#record.saga_output())),
            (Arm::Other(_) | Arm::Plain(_), false) => record,
        }
    }

    /// The same where no arm has failed.
    fn tried(&self, arm: &Arm, result: VarId) -> Expr {
        let record = self.path(result);
        let value = match arm {
            Arm::Ask(..) => syn::parse_quote!(::saga_runtime::__private::tried_value(&#record)),
            Arm::Other(_) | Arm::Plain(_) => {
                syn::parse_quote!(::saga_runtime::__private::taken_value(&mut #record))
            }
        };
        or_gone(&value)
    }

    fn await_all(&mut self, callee: Callee, results: &[VarId], key: String) {
        let block = self.new_block();
        self.terminate(Terminator::Goto(block));
        self.enter(block);
        let facts = self.callee_facts(&callee);
        let next = self.new_block();
        let awaits = match &callee {
            Callee::One(call) => shown_call(call),
            Callee::Join { arms, .. } => {
                let arms: Vec<_> = arms.iter().map(shown_arm).collect();
                format!("join({})", arms.join(", "))
            }
            Callee::Each { arm, tries, .. } => {
                let name = if *tries { "try_join_all" } else { "join_all" };
                format!("{name}({})", shown_arm(arm))
            }
        };
        let point = self.point(key, awaits, block);
        self.terminate(Terminator::Call {
            point,
            callee,
            limit: None,
            copies: Vec::new(),
            facts,
            results: results.to_vec(),
            next,
        });
        self.enter(next);
    }

    fn callee_facts(&mut self, callee: &Callee) -> Facts {
        let (arms, items, bound): (&[Arm], _, Vec<_>) = match callee {
            Callee::One(_) => (&[], None, Vec::new()),
            Callee::Join { arms, .. } => (arms, None, Vec::new()),
            Callee::Each {
                items, pat, arm, ..
            } => {
                let bound = pattern_bindings(pat).map(|binding| binding.ident.to_string());
                (std::slice::from_ref(&**arm), Some(items), bound.collect())
            }
        };
        let mut facts = Facts::default();
        for arm in arms {
            let more = match arm {
                Arm::Ask(ask, _) => self.ask_facts(ask),
                Arm::Other(call) | Arm::Plain(call) => self.facts(Uses::of_expr(call)),
            };
            facts.reads.extend(more.reads);
        }
        // A name that the closure binds is not the variable of that name outside.
        for name in bound {
            if let Some(var) = self.lookup(&name) {
                facts.reads.remove(&var);
            }
        }
        if let Some(items) = items {
            facts.reads.extend(self.facts(Uses::of_expr(items)).reads);
        }
        facts
    }

    /// What an arm has failed with, if one has.
    fn first_error(&self, arms: &[Arm], results: &[VarId]) -> Expr {
        let errors = arms.iter().zip(results).map(|(arm, result)| -> Expr {
            let record = self.path(*result);
            match arm {
                Arm::Ask(..) => {
                    syn::parse_quote!(::saga_runtime::__private::tried_error(&#record))
                }
                Arm::Other(_) | Arm::Plain(_) => {
                    syn::parse_quote!(::saga_runtime::__private::taken_error(&mut #record))
                }
            }
        });
        syn::parse_quote!([#(#errors),*].into_iter().flatten().next())
    }

    /// Ends the function with the error of an arm, as the `?` behind `try_join!` does.
    fn leave_on_error(&mut self, arms: &[Arm], results: &[VarId], tried: &ExprTry) {
        let error = self.first_error(arms, results);
        // With the author's attributes: it may leave an async block.
        let leave = Expr::Try(ExprTry {
            expr: syn::parse_quote! {
                ::core::result::Result::Err::<::core::convert::Infallible, _>(__saga_error)
            },
            ..tried.clone()
        });
        self.opaque(syn::parse_quote! {
            if let ::core::option::Option::Some(__saga_error) = #error {
                #leave;
            }
        });
    }
}

/// The value of an `Option` that is not empty.
fn or_gone(option: &Expr) -> Expr {
    syn::parse_quote! {
        match #option {
            ::core::option::Option::Some(__saga_value) => __saga_value,
            ::core::option::Option::None => { (&__saga).gone(); break '__saga_end; }
        }
    }
}

fn shown_arm(arm: &Arm) -> String {
    match arm {
        Arm::Ask(ask, _) => ask.shown.clone(),
        Arm::Other(call) | Arm::Plain(call) => shown_call(call),
    }
}

fn key_of(arm: &Arm) -> Option<String> {
    match arm {
        Arm::Ask(_, key) => Some(key.clone()),
        Arm::Other(_) | Arm::Plain(_) => None,
    }
}

/// What an arm of `join_all` calls the things that it is given.
fn each(index: usize) -> Ident {
    format_ident!("__saga_each_{index}")
}

/// What is put in an `Option`, a tuple or an array takes the type that is expected there, as it does in the author's code; the fields
/// of a struct have theirs, and it is taken apart where it lends something.
///
/// ```text
/// rate(cx, Some(&words[0]))   →   rate(cx, Some(each_0))
/// ```
fn take_parts(operand: &mut Expr, given: &mut Vec<Expr>) {
    let is_open = match &*operand {
        Expr::Lit(_) => return,
        Expr::Call(call) => ["Some", "Ok", "Err"]
            .iter()
            .any(|name| matches!(&*call.func, Expr::Path(path) if path.path.is_ident(name))),
        Expr::Reference(_) | Expr::Tuple(_) | Expr::Array(_) => true,
        Expr::Struct(literal) => {
            let mut values = literal
                .fields
                .iter()
                .map(|field| strip_parentheses(&field.expr));
            values.any(|value| matches!(value, Expr::Reference(_)))
        }
        _ => false,
    };
    name_fields(operand);
    if is_open && let Some(parts) = parts_of_literal_mut(operand) {
        parts.into_iter().for_each(|part| take_parts(part, given));
        return;
    }
    let name = each(given.len());
    given.push(std::mem::replace(operand, syn::parse_quote!(#name)));
}
