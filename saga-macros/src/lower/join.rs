//! Several suspension points at once: `join!`, `try_join!` and `join_all`.

use std::collections::HashMap;

use syn::{Expr, ExprTry, Pat};

use super::{
    Lower,
    suspend::{ask_call, default_key, operands_of},
};
use crate::{
    asks::{Handles, Join, called, peel},
    model::{Arm, Callee, Facts, Origin, Step, Terminator, VarId},
    resolve::{Uses, pattern_bindings},
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
                if tries && tried.is_none() {
                    let at = match base {
                        Expr::Call(call) => &*call.func,
                        other => other,
                    };
                    self.errors.refuse(
                        at,
                        "`try_join!` without `?` behind it",
                        "its value would have to be stored before it is taken apart",
                        "`try_join!(…)?`, or `join!` and a look at each result",
                    );
                }
                self.join_arms(&arms, tried, &keys.unwrap_or_default())
            }
            Some(Join::Each(items, closure)) => {
                let (items, pat) = (items.clone(), closure.inputs.first().cloned());
                let body = peel(&closure.body).clone();
                match pat {
                    Some(pat) => self.join_each(items, pat, &body, key.clone()),
                    None => base.clone(),
                }
            }
            None => base.clone(),
        };
        self.key = key;
        joined
    }

    fn join_arms(
        &mut self,
        exprs: &[Expr],
        tried: Option<&ExprTry>,
        keys: &[Option<String>],
    ) -> Expr {
        let tries = tried.is_some();
        let mut arms = Vec::new();
        for (index, expr) in exprs.iter().enumerate() {
            let key = keys.get(index).cloned().flatten();
            let arm = self.arm(expr, key, true);
            arms.push(arm);
        }
        let keys: Vec<_> = arms.iter().filter_map(key_of).collect();
        let shown = keys.join(" + ");
        let (results, values): (Vec<_>, Vec<_>) =
            arms.iter().map(|arm| self.arm_result(arm, tries)).unzip();
        let callee = Callee::Join {
            arms: arms.clone(),
            tries,
        };
        self.await_all(callee, &results, &values, shown);
        if let Some(tried) = tried {
            self.leave_on_error(&arms, &results, tried);
            // What is made of the answers is made after that.
            self.boundary(&HashMap::new());
            for (arm, (result, value)) in arms.iter().zip(results.iter().zip(&values)) {
                self.take_value(arm, *result, *value);
            }
        }
        let values = values.iter().map(|value| self.path(*value));
        syn::parse_quote!((#(#values,)*))
    }

    fn join_each(&mut self, items: Expr, pat: Pat, body: &Expr, key: Option<String>) -> Expr {
        let mut items = self.residual(&items);
        if self.judge(|judge| judge.iterator(&items)).is_none() {
            let collect = syn::parse_quote! {
                ::core::iter::Iterator::collect::<::std::vec::Vec<_>>(#items)
            };
            let kept = self.spill(collect);
            items = syn::parse_quote!(::core::clone::Clone::clone(&#kept).into_iter());
        }
        self.open_scope();
        self.declare_from(&pat, None);
        let arm = self.arm(body, key, false);
        self.abandon_scope();
        if !is_quiet(body, self.handles) {
            self.errors.refuse(
                body,
                "an ask in `join_all` whose question does something else",
                "the questions are made again for each round of answers",
                "collect what they need first: `let questions: Vec<_> = …;`, and map over that",
            );
        }
        let shown = key_of(&arm).unwrap_or_default();
        let asks = matches!(arm, Arm::Ask(..));
        let result = self.hidden(if asks { "answer" } else { "result" }, None);
        let callee = Callee::Each {
            items: Box::new(items),
            pat: Box::new(pat),
            arm: Box::new(arm),
        };
        let record = self.path(result);
        let value = if asks {
            let outputs = syn::parse_quote!(::saga_runtime::__private::outputs(&#record));
            self.made_of(result, outputs)
        } else {
            result
        };
        self.await_all(callee, &[result], &[value], shown);
        self.path(value)
    }

    /// An arm whose operands come again, or are kept where they must be evaluated once.
    fn arm(&mut self, expr: &Expr, key: Option<String>, once: bool) -> Arm {
        let expr = peel(expr);
        match self.handles.ask(expr) {
            Some(ask) => {
                let mut ask = ask_call(&ask);
                if once {
                    self.operands(&mut operands_of(&mut ask));
                    for (operand, _) in operands_of(&mut ask) {
                        self.keep(operand, false);
                    }
                }
                let key = ask.key.clone().or(key);
                let key = key.unwrap_or_else(|| default_key(&ask));
                Arm::Ask(Box::new(ask), key)
            }
            None => {
                let mut call = expr.clone();
                if once {
                    self.keep_operands(&mut call);
                    self.keep_captures(&mut call);
                }
                Arm::Other(Box::new(call))
            }
        }
    }

    /// Lets an `async move` block be made again: it takes copies.
    fn keep_captures(&self, arm: &mut Expr) {
        let Expr::Async(block) = &*arm else { return };
        if block.capture.is_none() {
            return;
        }
        let names = Uses::of_block(&block.block).reads.into_keys();
        let stored = names.filter_map(|name| {
            let var = &self.vars[self.lookup(&name)?.0];
            (var.origin == Origin::Stored).then(|| var.ident.clone())
        });
        let stored: Vec<_> = stored.collect();
        if !stored.is_empty() {
            *arm = syn::parse_quote!({ #(let #stored = ::core::clone::Clone::clone(&#stored);)* #block });
        }
    }

    /// The variable that takes what an arm gives, and the one that is the author's value.
    fn arm_result(&mut self, arm: &Arm, tries: bool) -> (VarId, VarId) {
        let asks = matches!(arm, Arm::Ask(..));
        let result = self.hidden(if asks { "answer" } else { "result" }, None);
        let record = self.path(result);
        match (asks, tries) {
            (true, false) => {
                let init = syn::parse_quote!(#record.output());
                (result, self.made_of(result, init))
            }
            (true, true) => {
                let init = or_gone(&syn::parse_quote! {
                    ::saga_runtime::__private::tried_value(&#record)
                });
                (result, self.made_of(result, init))
            }
            (false, false) => (result, result),
            (false, true) => {
                self.vars[result.0].mutable = true;
                (result, self.hidden("value", None))
            }
        }
    }

    fn await_all(&mut self, callee: Callee, results: &[VarId], values: &[VarId], key: String) {
        let block = self.new_block();
        self.terminate(Terminator::Goto(block));
        self.enter(block);
        let facts = self.callee_facts(&callee);
        let next = self.new_block();
        let awaits = match &callee {
            Callee::One(call) => called(call),
            Callee::Join { arms, .. } => {
                let arms: Vec<_> = arms.iter().map(shown_arm).collect();
                format!("join({})", arms.join(", "))
            }
            Callee::Each { arm, .. } => format!("join_all({})", shown_arm(arm)),
        };
        let point = self.point(key, awaits, block);
        self.terminate(Terminator::Call {
            point,
            callee,
            facts,
            results: results.to_vec(),
            made: values.to_vec(),
            next,
        });
        self.enter(next);
    }

    fn callee_facts(&mut self, callee: &Callee) -> Facts {
        let (arms, items, bound): (&[Arm], _, Vec<_>) = match callee {
            Callee::One(_) => (&[], None, Vec::new()),
            Callee::Join { arms, .. } => (arms, None, Vec::new()),
            Callee::Each { items, pat, arm } => {
                let bound = pattern_bindings(pat).map(|binding| binding.ident.to_string());
                (std::slice::from_ref(&**arm), Some(items), bound.collect())
            }
        };
        let mut facts = Facts::default();
        for arm in arms {
            let more = match arm {
                Arm::Ask(ask, _) => self.ask_facts(ask),
                Arm::Other(call) => self.facts(Uses::of_expr(call)),
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

    /// Ends the function with the error of an arm, as the `?` behind `try_join!` does.
    fn leave_on_error(&mut self, arms: &[Arm], results: &[VarId], tried: &ExprTry) {
        let errors = arms.iter().zip(results).map(|(arm, result)| {
            let record = self.path(*result);
            let error: Expr = match arm {
                Arm::Ask(..) => {
                    syn::parse_quote!(::saga_runtime::__private::tried_error(&#record))
                }
                Arm::Other(_) => {
                    syn::parse_quote!(::saga_runtime::__private::taken_error(&mut #record))
                }
            };
            error
        });
        let errors: Vec<Expr> = errors.collect();
        // With the author's attributes: it may leave an async block.
        let leave = Expr::Try(ExprTry {
            expr: syn::parse_quote! {
                ::core::result::Result::Err::<::core::convert::Infallible, _>(__saga_error)
            },
            ..tried.clone()
        });
        self.verbatim(syn::parse_quote! {
            if let ::core::option::Option::Some(__saga_error) =
                [#(#errors),*].into_iter().flatten().next()
            {
                #leave;
            }
        });
    }

    /// The value of a call that did not fail.
    fn take_value(&mut self, arm: &Arm, result: VarId, value: VarId) {
        if let Arm::Other(_) = arm {
            let record = self.path(result);
            let taken = or_gone(&syn::parse_quote! {
                ::saga_runtime::__private::taken_value(&mut #record)
            });
            let mut facts = self.facts(Uses::of_expr(&taken));
            facts.defs.insert(value);
            self.step(Step::Define(value, Box::new(taken), facts));
        }
    }
}

/// The value of an `Option` that is not empty.
fn or_gone(option: &Expr) -> Expr {
    syn::parse_quote! {
        match #option {
            ::core::option::Option::Some(__saga_value) => __saga_value,
            ::core::option::Option::None => { __saga.gone(); break '__saga_end; }
        }
    }
}

fn shown_arm(arm: &Arm) -> String {
    match arm {
        Arm::Ask(ask, _) => ask.shown.clone(),
        Arm::Other(call) => called(call),
    }
}

fn key_of(arm: &Arm) -> Option<String> {
    match arm {
        Arm::Ask(_, key) => Some(key.clone()),
        Arm::Other(_) => None,
    }
}

/// Whether evaluating an ask's arguments does nothing but make a value.
fn is_quiet(expr: &Expr, handles: &Handles) -> bool {
    use syn::visit::Visit;
    /// Found so far, the whole, and the calls that the question is made of.
    struct Finder<'e>(bool, &'e Expr, Vec<*const syn::ExprMethodCall>);
    impl<'ast> Visit<'ast> for Finder<'_> {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            let whole = std::ptr::eq(expr, self.1);
            match expr {
                Expr::Await(_) | Expr::Try(_) | Expr::Assign(_) | Expr::Closure(_) => {
                    self.0 = false
                }
                Expr::MethodCall(call) if self.2.contains(&std::ptr::from_ref(call)) => {
                    syn::visit::visit_expr(self, expr);
                }
                Expr::MethodCall(call) if !whole && !crate::methods::gives_a_value(call) => {
                    self.0 = false;
                }
                Expr::Call(call) if !whole && !crate::asks::is_some(&call.func) => self.0 = false,
                Expr::Macro(invocation) if !invocation.mac.path.is_ident("format") => {
                    self.0 = false;
                }
                other => syn::visit::visit_expr(self, other),
            }
        }
    }
    let links = handles.ask(expr).into_iter().flat_map(|ask| ask.links());
    let links = links.map(std::ptr::from_ref).collect();
    let mut finder = Finder(true, expr, links);
    finder.visit_expr(expr);
    finder.0
}
