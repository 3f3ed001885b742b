//! The code of the blocks: what the author wrote, and where it goes on.

mod branches;
mod callees;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, Stmt, spanned::Spanned, visit_mut::VisitMut};

use super::{
    elsewhere,
    machine::{Abilities, Machine, Names, Tries, located},
    question::{handle, question},
    types::borrow_checked,
};

use crate::{
    analysis::aggregates::is_unit,
    ast::{
        calls::{callee, strip_parentheses},
        jumps,
        macros::is_known,
        uses::root,
    },
    cfg::{
        AskCall, AskLimit, BlockId, Callee, Facts, PointId, Step, Target, Terminator, VarId,
        persistence::{Form, Persistence},
    },
    syntax::asks::sleeps,
};

/// An expression that was rewritten as a statement: as one, a condition's `let` would be put in parentheses.
fn whole(stmt: Stmt) -> TokenStream {
    match stmt {
        Stmt::Expr(expr, _) => expr.into_token_stream(),
        other => other.into_token_stream(),
    }
}

/// The name of the function in a call, or where it begins.
fn called_at(call: &Expr) -> Span {
    match callee(call) {
        Expr::MethodCall(call) => call.method.span(),
        other => other.span(),
    }
}

/// Does not compile where a method changes a value that is made for its call: the call is made again with what the value was
/// before.
///
/// ```text
/// Order::new().fill(&cx).await
/// ```
fn receiver_unchanged(call: &Expr, is_variable: impl FnMut(&Ident) -> bool) -> TokenStream {
    let Expr::MethodCall(call) = callee(call) else {
        return TokenStream::new();
    };
    let at = located(call.method.span());
    let held = Ident::new("made_for_this_call", at.resolved_at(Span::mixed_site()));
    let mut again = call.clone();
    let receiver = strip_parentheses(&call.receiver);
    let is_place = match receiver {
        Expr::Path(path) => !is_unit(&path.path),
        other => matches!(other, Expr::Field(_) | Expr::Index(_) | Expr::Unary(_)),
    };
    let held = match root(receiver) {
        _ if !is_place => {
            *again.receiver = syn::parse_quote!(#held);
            quote_spanned!(at=> let #held = #receiver;)
        }
        // A constant is made for each mention; a static is not, and cannot be given away.
        Expr::Path(path) if !path.path.get_ident().is_some_and(is_variable) => {
            *again.receiver = syn::parse_quote_spanned!(at=> (*#held));
            quote_spanned!(at=> let #held = &#receiver;)
        }
        _ => return TokenStream::new(),
    };
    borrow_checked(at, &quote_spanned!(at=> #held let _ = #again;))
}

/// An operand that a variable is given away as: which one, and how.
pub(super) type Handed = (usize, VarId, TokenStream);

impl Machine<'_> {
    /// The code of a block and of those merged into it; its value is the next state.
    pub(super) fn code(&self, block: BlockId, mut names: Names) -> TokenStream {
        let steps: TokenStream = self
            .flow
            .block(block)
            .steps
            .iter()
            .filter(|step| !self.is_left_out(step, block))
            .map(|step| self.step(step, &mut names))
            .collect();
        let end = self.terminator(&self.flow.block(block).terminator, &names);
        quote!(#steps #end)
    }

    /// Where a closure is only made, nothing says of which type its parameters are, and what it consumes would be gone.
    fn is_left_out(&self, step: &Step, block: BlockId) -> bool {
        let Step::Code(stmt, facts) = step else {
            return false;
        };
        let is_closure = matches!(&**stmt, Stmt::Local(local)
            if local.init.as_ref().is_some_and(|init| matches!(strip_parentheses(&init.expr), Expr::Closure(_))));
        is_closure
            && facts
                .defs
                .iter()
                .any(|var| match self.flow.var(*var).persistence {
                    Persistence::Reborrowed(id) => {
                        self.plan.is_only_elsewhere(self.flow, block, id)
                    }
                    _ => false,
                })
    }

    fn step(&self, step: &Step, names: &mut Names) -> TokenStream {
        let elsewhere = elsewhere();
        match step {
            Step::Code(stmt, facts)
                if matches!(&**stmt, Stmt::Local(local) if local.init.is_none())
                    && self.is_used_elsewhere(facts) =>
            {
                self.declared_late(facts, names)
            }
            Step::Code(stmt, facts) => {
                let mut stmt = (**stmt).clone();
                self.rewrite(&mut stmt, &facts.jumps, names);
                let kept = self.kept(&stmt, facts, names);
                self.release(&mut stmt, facts);
                names.declared(facts);
                if let Stmt::Local(local) = &mut stmt
                    && self.is_used_elsewhere(facts)
                {
                    local.attrs.push(syn::parse_quote!(#elsewhere));
                }
                let witnessed = self.witnessed(facts);
                let remade = self.remade_here(facts);
                quote!(#kept #stmt #witnessed #remade)
            }
            Step::Define(var, expr, facts) => {
                let mut stmt = Stmt::Expr((**expr).clone(), None);
                self.rewrite(&mut stmt, &facts.jumps, names);
                self.release_into(*var, &mut stmt);
                self.watch_value(*var, &mut stmt);
                names.declared(facts);
                let var = self.flow.var(*var);
                let (name, ty) = (&var.ident, var.ty.iter());
                let mutable = var.mutable.then(|| quote!(mut));
                let witnessed = self.witnessed(facts);
                let remade = self.remade_here(facts);
                quote!(#elsewhere let #mutable #name #(: #ty)* = #stmt; #witnessed #remade)
            }
        }
    }

    /// Does not compile where a macro declares what would be taken for something else behind it.
    fn kept(&self, stmt: &Stmt, facts: &Facts, names: &Names) -> TokenStream {
        let Stmt::Macro(invocation) = stmt else {
            return TokenStream::new();
        };
        if is_known(&invocation.mac) {
            return TokenStream::new();
        }
        let at = located(invocation.mac.path.span());
        // An item would be there before its block, and gone in the next. Twice in one block it is there twice.
        let once = quote_spanned!(at=> if false { ::core::unreachable!(); #stmt #stmt });
        let hides_nothing = self.hides_nothing(stmt, facts, names, at);
        borrow_checked(at, &quote!(#once #hides_nothing))
    }

    /// A reference out of a block of its own outlives what a `let` declares there.
    fn hides_nothing(&self, stmt: &Stmt, facts: &Facts, names: &Names, at: Span) -> TokenStream {
        let kept = facts.keeps.iter().map(|var| {
            let mut name = names.of(self.flow, *var);
            name.set_span(name.span().located_at(at));
            quote_spanned!(at=> &#name)
        });
        let kept: TokenStream = kept.map(|one| quote!(#one,)).collect();
        if kept.is_empty() {
            return kept;
        }
        quote_spanned! {at=>
            let __saga_kept;
            {
                #stmt
                __saga_kept = (#kept);
            }
            ::core::mem::drop(__saga_kept);
        }
    }

    /// Whether what is declared here is used in another state.
    fn is_used_elsewhere(&self, facts: &Facts) -> bool {
        facts.defs.iter().any(|var| {
            let reborrowed = matches!(self.flow.var(*var).persistence, Persistence::Reborrowed(_));
            let mut states = self.plan.states.iter();
            self.slots.contains(var)
                || reborrowed
                || states.any(|state| state.uninitialized.contains(var))
        })
    }

    fn rewrite(&self, stmt: &mut Stmt, targets: &[Target], names: &Names) {
        let mut targets = targets.iter();
        jumps::rewrite(stmt, &mut |jump| {
            let target = targets.next()?;
            let value = match (target.result, jump.value) {
                (Some(var), value) => {
                    let name = &self.flow.var(var).ident;
                    let value = value.map_or_else(|| quote!(()), ToTokens::into_token_stream);
                    quote!(let #name = #value;)
                }
                (None, Some(value)) => quote!(let () = #value;),
                (None, None) => TokenStream::new(),
            };
            let mut names = names.clone();
            names.present.extend(target.result);
            names.uninitialized.extend(target.result);
            let next = self.goto(target.block, &names);
            Some(quote!({ #value __saga_state = { #next }; continue '__saga; }))
        });
        Abilities(&self.input.handles).visit_stmt_mut(stmt);
        Tries.visit_stmt_mut(stmt);
    }

    pub(super) fn tokens(&self, expr: &mut Expr) -> TokenStream {
        Abilities(&self.input.handles).visit_expr_mut(expr);
        expr.to_token_stream()
    }

    fn rewritten(&self, expr: &Expr, facts: &Facts, names: &Names) -> Stmt {
        let mut stmt = Stmt::Expr(expr.clone(), None);
        self.rewrite(&mut stmt, &facts.jumps, names);
        stmt
    }

    /// Whether all of a branch is in one piece with what leads to it.
    fn is_whole(&self, block: BlockId) -> bool {
        let ends = match &self.flow.block(block).terminator {
            Terminator::End => true,
            // A call that may suspend has a block of its own.
            Terminator::Goto(next) => {
                !matches!(self.flow.block(*next).terminator, Terminator::Call { .. })
            }
            _ => false,
        };
        ends && self.plan.state(block).is_none()
    }

    /// The state at `block`, or its code where it is merged.
    fn goto(&self, block: BlockId, names: &Names) -> TokenStream {
        match self.plan.state(block) {
            Some((index, _)) => {
                let put = self.put(block, names);
                let index = u32::try_from(index).unwrap_or(u32::MAX);
                quote!(#put #index)
            }
            None => self.code(block, names.clone()),
        }
    }

    fn terminator(&self, terminator: &Terminator, names: &Names) -> TokenStream {
        match terminator {
            Terminator::End => TokenStream::new(),
            Terminator::Goto(next) => self.goto(*next, names),
            Terminator::If {
                cond,
                facts,
                then,
                otherwise,
            } => self.branch(cond, facts, [*then, *otherwise], names),
            Terminator::Match {
                scrutinee,
                facts,
                arms,
                lets: true,
                copies,
            } => self.let_else(scrutinee, facts, (arms, *copies), names),
            Terminator::Match {
                scrutinee,
                facts,
                arms,
                lets: false,
                copies,
            } => self.matching(scrutinee, facts, (arms, *copies), names),
            Terminator::Ask {
                point, ask, resume, ..
            } => self.ask(*point, ask, *resume, names),
            Terminator::Call {
                point,
                callee,
                limit,
                copies,
                results,
                next,
                facts,
            } => {
                let PointId(number) = *point;
                let handed = copies.iter();
                let handed = handed.filter_map(|(index, var)| {
                    let given = self.handed(*var, names)?;
                    Some((*index, *var, given))
                });
                let handed: Vec<_> = handed.collect();
                // A method may give a reference to what it is called on.
                let mut all = copies.iter();
                let held = all.find(|(index, var)| *index == 0 && !self.flow.var(*var).hidden);
                let held = held.map(|(_, var)| *var);
                let awaited = self.awaited(
                    (number, limit.as_ref()),
                    callee,
                    (&handed, held),
                    facts,
                    names,
                );
                self.called(number, &awaited, &handed, (callee, results), *next, names)
            }
        }
    }

    /// What becomes of a call: it is done, or the function suspends with it.
    fn called(
        &self,
        number: u32,
        (receiver, awaited): &(TokenStream, TokenStream),
        handed: &[Handed],
        (callee, results): (&Callee, &[VarId]),
        next: BlockId,
        names: &Names,
    ) -> TokenStream {
        let block = self
            .flow
            .points
            .get(number as usize - 1)
            .map(|point| point.block);
        let mut left = self.without_made_anew(names);
        let mut after = names.clone();
        for (_, var, _) in handed {
            left.present.remove(var);
        }
        let stop = block.map(|block| self.put(block, &left));
        let lent_again = handed.iter().map(|handed| self.lent_again(handed));
        let lent_again: TokenStream = lent_again.collect();
        // No copy outlives the call.
        let cleared = handed.iter().map(|(_, var, _)| self.slot(*var));
        let cleared = quote!(#((&mut #cleared).clear();)*);
        after.present.extend(results.iter().copied());
        let told = self.told(results);
        let results = results.iter().map(|result| {
            let var = self.flow.var(*result);
            let (name, mutable) = (&var.ident, var.mutable.then(|| quote!(mut)));
            quote!(#mutable #name)
        });
        let result = match callee {
            Callee::Join { .. } => quote!((#(#results,)*)),
            _ => quote!(#(#results)*),
        };
        let next = self.goto(next, &after);
        // The callee is gone before anything is stored: it may hold what is.
        quote! {
            #receiver
            let __saga_called = #awaited;
            match __saga_called {
                ::saga_runtime::__private::Called::Done(#result) => { #cleared #told #next }
                ::saga_runtime::__private::Called::Suspend(__saga_suspension) => {
                    #lent_again
                    #stop
                    (&mut __saga).suspend(__saga_suspension);
                    ::saga_runtime::__private::SAVE | #number
                }
            }
        }
    }

    /// Without what comes back whatever it was here: it may have been given to the callee.
    fn without_made_anew(&self, names: &Names) -> Names {
        let mut kept = names.clone();
        let form = |var: &VarId| self.flow.var(*var).persistence.form();
        kept.present
            .retain(|var| !form(var).is_some_and(Form::is_made_anew));
        kept
    }

    fn ask(&self, point: PointId, ask: &AskCall, resume: BlockId, names: &Names) -> TokenStream {
        let PointId(number) = point;
        let question = question(ask, |expr| self.tokens(&mut expr.clone()));
        let receiver = self.tokens(&mut ask.handle.clone());
        let handle = handle(ask);
        let held = Ident::new("__saga_held", located(ask.handle.span()));
        let answer = self.answer_of(resume).map(super::slots::slot);
        // What is stored must not wait for the answer: it moves before all asks meet.
        let put = self.put(resume, names);
        let told = quote!((&#answer).answers(&__saga_question););
        let asking = match &ask.limit {
            // It has the last word on what is asked, by its type.
            Some(AskLimit::Race(other)) if sleeps(other).is_none() => {
                let at = located(other.span());
                let other = self.tokens(&mut other.clone());
                let raced = quote_spanned!(at=> (&&::saga_runtime::__private::Beside(&__saga_other)).saga_raced(__saga_question));
                quote! {
                    let __saga_asking = match #other {
                        __saga_other => {
                            #[allow(unused_imports)]
                            use ::saga_runtime::__private::{BesideOther as _, BesideRest as _};
                            let __saga_question = #raced;
                            #told
                            (&__saga).race(#number, __saga_handle, __saga_question, __saga_other).await
                        }
                    };
                }
            }
            _ => quote! {
                #told
                let __saga_asking = (&__saga).ask(#number, __saga_handle, __saga_question);
            },
        };
        quote! {
            let #held = &(#receiver);
            let __saga_handle = #handle(#held);
            let __saga_question = #question;
            #asking
            #put
            break '__saga_asked __saga_asking;
        }
    }
}
