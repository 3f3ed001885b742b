//! The machine: one state per head, in a loop.

use std::collections::{BTreeSet, HashMap};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Expr, Pat, Stmt, visit_mut::VisitMut};

use crate::{
    asks::{Ability, Handles, Method},
    fingerprint::with_layout,
    held::{Held, held},
    jumps,
    lower::keep::is_saga,
    model::{
        Access, Arm, AskCall, AskLimit, BlockId, Callee, Facts, Flow, Origin, ParamId, PointId,
        RecipeId, Step, Target, Terminator, VarId, alias,
    },
    parse::Input,
    plan::{Plan, State},
    rename::{rename, rename_pattern},
};

/// What the runtime knows of the function, as a static.
pub(super) fn function(input: &Input, flow: &Flow, plan: &Plan) -> TokenStream {
    Machine::new(input, flow, plan).function()
}

/// The body of the function.
pub(super) fn machine(input: &Input, flow: &Flow, plan: &Plan) -> TokenStream {
    let machine = Machine::new(input, flow, plan);
    let (items, macros) = (&flow.items, &input.macros);
    let function = machine.function();
    let (witnesses, asked) = (machine.witnesses(), machine.asked());
    let names: Vec<_> = (0..plan.states.len()).map(variant).collect();
    let dispatch = machine.dispatch();
    let arms = plan
        .states
        .iter()
        .enumerate()
        .map(|(index, state)| machine.arm(index, state));
    quote! {
        #(#items)*
        #(#[allow(unused_imports)] use #macros as _;)*
        #function
        #[allow(non_camel_case_types)]
        enum __SagaState<#(#names),*> { #(#names(#names)),* }
        let mut __saga = ::saga_runtime::__private::Activation::enter(&__SAGA_FUNCTION);
        #witnesses
        '__saga_end: {
            let mut __saga_state = #dispatch;
            '__saga: loop {
                // In a labelled block a `break` without a label, which a macro may hide, is an error.
                __saga_state = '__saga_step: {
                    match __saga_state {
                        #(#arms)*
                    }
                };
            }
        }
        {
            match ::saga_runtime::__private::ended().await {};
            #asked
        }
    }
}

pub(super) fn variant(index: usize) -> Ident {
    format_ident!("S{index}")
}

pub(super) struct Machine<'a> {
    pub(super) input: &'a Input,
    pub(super) flow: &'a Flow,
    pub(super) plan: &'a Plan,
    pub(super) held: Held,
}

impl<'a> Machine<'a> {
    fn new(input: &'a Input, flow: &'a Flow, plan: &'a Plan) -> Self {
        Self {
            input,
            flow,
            plan,
            held: held(flow, plan),
        }
    }
}

/// What variables go by at one place; their own name where nothing is said.
#[derive(Clone, Default)]
pub(super) struct Names {
    aliases: HashMap<VarId, Ident>,
    /// What has a value here.
    pub(super) present: BTreeSet<VarId>,
}

impl Names {
    pub(super) fn of(&self, flow: &Flow, var: VarId) -> Ident {
        self.aliases
            .get(&var)
            .cloned()
            .unwrap_or_else(|| flow.var(var).ident.clone())
    }

    /// From here on these variables are declared under their own names.
    fn declared(&mut self, facts: &Facts) {
        for var in &facts.defs {
            self.aliases.remove(var);
            self.present.insert(*var);
        }
    }
}

impl Machine<'_> {
    /// `State::S((a, b)) => { …made again…; …code… }`
    fn arm(&self, index: usize, state: &State) -> TokenStream {
        let mut names = Names {
            present: state.carried.iter().copied().collect(),
            ..Names::default()
        };
        let scope = &self.flow.block(state.block).scope;
        let params = state
            .params
            .iter()
            .flat_map(|id| &self.flow.param(*id).vars);
        let recipes = state
            .recipes
            .iter()
            .flat_map(|id| &self.flow.recipe(*id).vars);
        for var in state.entering.iter().chain(params).chain(recipes) {
            let ident = &self.flow.var(*var).ident;
            let visible = scope.get(&ident.to_string()) == Some(var);
            let direct = match self.flow.var(*var).origin {
                Origin::Param(id) => self.flow.param(id).access == Access::Direct,
                _ => false,
            };
            if !visible && !self.flow.var(*var).hidden && !direct {
                names.aliases.insert(*var, alias(ident, *var));
            }
        }
        let carried = state.carried.iter().map(|var| {
            let name = names.of(self.flow, *var);
            let mutable = (self.flow.var(*var).mutable).then(|| quote!(mut));
            quote!(#mutable #name)
        });
        let carried: Vec<_> = carried.collect();
        let params = state.params.iter().map(|id| self.param(*id, &names));
        let recipes = state.recipes.iter().map(|id| self.recipe(*id, &names));
        let uninitialized = state.uninitialized.iter().map(|var| {
            let var = self.flow.var(*var);
            let name = &var.ident;
            let ty = var.ty.iter();
            let mutable = var.mutable.then(|| quote!(mut));
            quote!(let #mutable #name #(: #ty)*;)
        });
        let name = variant(index);
        let made: TokenStream = params.chain(recipes).chain(uninitialized).collect();
        let code = self.code(state.block, names);
        quote! {
            __SagaState::#name((#(#carried,)*)) => { #made #code }
        }
    }

    pub(super) fn param(&self, id: ParamId, names: &Names) -> TokenStream {
        let param = self.flow.param(id);
        let mut pat = param.pat.clone();
        rename_pattern(&mut pat, &self.renames(&param.vars, names));
        let held = Flow::param_ident(id);
        match param.access {
            Access::Direct | Access::Local => TokenStream::new(),
            Access::Copied => quote!(let #pat = #held;),
            Access::Reborrowed => quote!(let #pat = &mut *#held;),
            Access::Cloned => quote!(let #pat = ::core::clone::Clone::clone(&#held);),
            Access::Parsed => quote! {
                let ::core::option::Option::Some(#pat) = #held.take() else {
                    __saga.gone();
                    break '__saga_end;
                };
            },
        }
    }

    fn renames(&self, vars: &[VarId], names: &Names) -> HashMap<String, Ident> {
        let renamed = vars.iter().filter_map(|var| {
            let name = names.aliases.get(var)?;
            Some((self.flow.var(*var).ident.to_string(), name.clone()))
        });
        renamed.collect()
    }

    fn recipe(&self, id: RecipeId, names: &Names) -> TokenStream {
        let recipe = self.flow.recipe(id);
        let mut init = recipe.init.clone();
        rename(&mut init, &self.renames(&recipe.deps, names));
        let mut pat = recipe.pat.clone();
        rename_pattern(&mut pat, &self.renames(&recipe.vars, names));
        let init = self.tokens(&mut init);
        let init = if recipe.checked {
            quote_spanned!(located(syn::spanned::Spanned::span(&recipe.pat))=> ::saga_runtime::__private::borrowed(#init))
        } else {
            init
        };
        match &pat {
            Pat::Ident(_) => quote!(let #pat = #init;),
            Pat::Type(_) => quote!(let #pat = #init;),
            _ => quote!(let (#pat) = (#init) else { __saga.gone(); break '__saga_end; };),
        }
    }

    /// The code of a block and of those merged into it; its value is the next state.
    fn code(&self, block: BlockId, mut names: Names) -> TokenStream {
        let steps: TokenStream = self
            .flow
            .block(block)
            .steps
            .iter()
            .map(|step| self.step(step, &mut names))
            .collect();
        let end = self.terminator(&self.flow.block(block).terminator, &names);
        quote!(#steps #end)
    }

    fn step(&self, step: &Step, names: &mut Names) -> TokenStream {
        match step {
            Step::Code(stmt, facts) => {
                let mut stmt = (**stmt).clone();
                self.rewrite(&mut stmt, &facts.jumps, names);
                names.declared(facts);
                let witnessed = self.witnessed(facts);
                quote!(#stmt #witnessed)
            }
            Step::Define(var, expr, facts) => {
                let mut stmt = Stmt::Expr((**expr).clone(), None);
                self.rewrite(&mut stmt, &facts.jumps, names);
                names.declared(facts);
                let var = self.flow.var(*var);
                let (name, ty) = (&var.ident, var.ty.iter());
                let mutable = var.mutable.then(|| quote!(mut));
                let witnessed = self.witnessed(facts);
                quote!(let #mutable #name #(: #ty)* = #stmt; #witnessed)
            }
        }
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
            let next = self.goto(target.block, names);
            Some(quote!({ #value __saga_state = #next; continue '__saga; }))
        });
        Abilities(&self.input.handles).visit_stmt_mut(stmt);
    }

    pub(super) fn tokens(&self, expr: &mut Expr) -> TokenStream {
        Abilities(&self.input.handles).visit_expr_mut(expr);
        expr.to_token_stream()
    }

    fn expression(&self, expr: &Expr, facts: &Facts, names: &Names) -> TokenStream {
        let mut stmt = Stmt::Expr(expr.clone(), None);
        self.rewrite(&mut stmt, &facts.jumps, names);
        match stmt {
            // As a statement a condition's `let` would be put in parentheses.
            Stmt::Expr(expr, _) => expr.into_token_stream(),
            other => other.into_token_stream(),
        }
    }

    /// The state at `block`, or its code where it is merged.
    fn goto(&self, block: BlockId, names: &Names) -> TokenStream {
        match self.plan.state(block) {
            Some((index, state)) => {
                let name = variant(index);
                let values = state.carried.iter().map(|var| names.of(self.flow, *var));
                quote!(__SagaState::#name((#(#values,)*)))
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
            } => {
                let cond = self.expression(cond, facts, names);
                let mut inside = names.clone();
                inside.declared(facts);
                let then = self.goto(*then, &inside);
                let otherwise = self.goto(*otherwise, names);
                let witnessed = self.witnessed(facts);
                quote!(if #cond { #witnessed #then } else { #otherwise })
            }
            Terminator::Match {
                scrutinee,
                facts,
                arms,
            } => {
                let scrutinee = self.expression(scrutinee, facts, names);
                let arms = arms.iter().map(|(pat, bound, body)| {
                    let mut inside = names.clone();
                    inside.declared(bound);
                    let body = self.goto(*body, &inside);
                    let witnessed = self.witnessed(bound);
                    quote!(#pat => { #witnessed #body })
                });
                quote!(match #scrutinee { #(#arms)* })
            }
            Terminator::Ask {
                point, ask, resume, ..
            } => self.ask(*point, ask, *resume, names),
            Terminator::Call {
                point,
                callee,
                results,
                next,
                facts,
                ..
            } => {
                let PointId(number) = *point;
                let awaited = self.awaited(number, callee, facts, names);
                let block = self
                    .flow
                    .points
                    .get(number as usize - 1)
                    .map(|point| point.block);
                let stop = block.map(|block| self.suspension(block, names));
                let results = results.iter().map(|result| {
                    let var = self.flow.var(*result);
                    let (name, mutable) = (&var.ident, var.mutable.then(|| quote!(mut)));
                    quote!(#mutable #name)
                });
                let result = match callee {
                    Callee::Join { .. } => quote!((#(#results,)*)),
                    _ => quote!(#(#results)*),
                };
                let next = self.goto(*next, names);
                // The callee is gone before anything is stored: it may hold what is.
                quote! {
                    let __saga_called = #awaited;
                    match __saga_called {
                        ::saga_runtime::__private::Called::Done(#result) => { #next }
                        ::saga_runtime::__private::Called::Suspend(mut __saga_suspension) => { #stop }
                    }
                }
            }
        }
    }

    fn awaited(&self, point: u32, callee: &Callee, facts: &Facts, names: &Names) -> TokenStream {
        let arm = |index: usize, arm: &Arm, kind: &TokenStream| {
            let future = self.arm_future(point, index, arm);
            quote!(::saga_runtime::__private::#kind::new(#future))
        };
        match callee {
            Callee::One(callee) => {
                let callee = self.expression(callee, facts, names);
                quote! {
                    match ::core::pin::pin!(#callee) {
                        __saga_callee => __saga.call(#point, __saga_callee).await,
                    }
                }
            }
            Callee::Join { arms, tries } => {
                let kind = if *tries { quote!(TryArm) } else { quote!(Arm) };
                let arms = arms.iter().enumerate();
                let arms = arms.map(|(index, one)| arm(index, one, &kind));
                quote!(__saga.join(#point, (#(#arms,)*)).await)
            }
            Callee::Each {
                items,
                pat,
                arm: one,
            } => {
                let items = self.tokens(&mut items.clone());
                let arm = arm(0, one, &quote!(Arm));
                // Made before the activation is borrowed: a question may ask it about the client.
                quote! {{
                    let __saga_arms: ::std::vec::Vec<_> = ::core::iter::Iterator::collect(
                        ::core::iter::Iterator::map(#items, |#pat| #arm)
                    );
                    __saga.join(#point, __saga_arms).await
                }}
            }
        }
    }

    fn arm_future(&self, point: u32, index: usize, arm: &Arm) -> TokenStream {
        match arm {
            Arm::Other(call) => self.tokens(&mut call.clone()),
            Arm::Ask(ask, key) => {
                let question = question(ask, |expr| self.tokens(&mut expr.clone()));
                let handle = &ask.handle;
                let name = self.input.item.sig.ident.to_string();
                let point = point.to_string();
                let place = [point, index.to_string(), key.clone()];
                let place = place.iter().map(String::as_str);
                let fingerprint = with_layout(self.input.fingerprint, place);
                quote! {{
                    static __SAGA_ARM: ::saga_runtime::__private::Function =
                        ::saga_runtime::__private::Function {
                            name: #name,
                            fingerprint: #fingerprint,
                            points: &[::saga_runtime::__private::Point {
                                key: #key,
                                awaits: "",
                                stored: &[],
                                next: &[0],
                            }],
                            first: &[1],
                        };
                    ::saga_runtime::__private::ask_arm(&__SAGA_ARM, &(#handle), #question)
                }}
            }
        }
    }

    fn ask(&self, point: PointId, ask: &AskCall, resume: BlockId, names: &Names) -> TokenStream {
        let PointId(number) = point;
        let question = question(ask, |expr| self.tokens(&mut expr.clone()));
        let handle = &ask.handle;
        let answer = self
            .answer_of(resume)
            .map(|var| self.flow.var(var).ident.clone());
        let next = self.goto(resume, names);
        let stop = self.suspension(resume, names);
        let asked = match &ask.limit {
            Some(AskLimit::Race(other)) => {
                let other = self.tokens(&mut other.clone());
                quote!(__saga.race(#number, &(#handle), __saga_question, #other))
            }
            _ => quote!(__saga.ask(#number, &(#handle), __saga_question)),
        };
        quote! {{
            let __saga_question = #question;
            match #asked.await {
                ::saga_runtime::__private::Asked::Answer(#answer) => #next,
                ::saga_runtime::__private::Asked::Suspend(mut __saga_suspension) => { #stop }
            }
        }}
    }
}

/// The author's place in the text, with the names of generated code.
pub(super) fn located(span: Span) -> Span {
    span.resolved_at(Span::call_site())
}

/// The runtime's form of an ask.
fn question(ask: &AskCall, tokens: impl Fn(&Expr) -> TokenStream) -> TokenStream {
    let arguments = ask.arguments.iter().map(&tokens);
    let (kind, constructor) = match ask.method {
        Method::Question => return limited(ask, quote!(#(#arguments)*), &tokens),
        Method::Elicit => ("Elicit", "new"),
        Method::ElicitWithTimeout => ("Elicit", "with_timeout"),
        Method::ElicitUrl => ("ElicitUrl", "new"),
        Method::ElicitUrlWithTimeout => ("ElicitUrl", "with_timeout"),
        Method::CreateElicitation => ("CreateElicitation", "new"),
        Method::CreateElicitationWithTimeout => ("CreateElicitation", "with_timeout"),
        Method::CreateMessage => ("CreateMessage", "new"),
        Method::ListRoots => ("ListRoots", "new"),
    };
    let (kind, constructor) = (format_ident!("{kind}"), format_ident!("{constructor}"));
    let answer = match (&ask.turbofish, ask.method) {
        (Some(turbofish), _) => {
            let arguments = &turbofish.args;
            quote!(::<#arguments>)
        }
        (None, Method::Elicit | Method::ElicitWithTimeout) => quote!(::<_>),
        _ => TokenStream::new(),
    };
    let question = quote!(::saga_runtime::__private::#kind #answer ::#constructor(#(#arguments),*));
    limited(ask, question, &tokens)
}

/// The question with what may end it before its answer.
fn limited(
    ask: &AskCall,
    question: TokenStream,
    tokens: impl Fn(&Expr) -> TokenStream,
) -> TokenStream {
    match &ask.limit {
        None => question,
        Some(AskLimit::Timeout(time)) => {
            let time = tokens(time);
            // The time is evaluated before what is asked.
            quote! {
                match #time {
                    __saga_time => ::saga_runtime::__private::Limited::new(__saga_time, #question),
                }
            }
        }
        Some(AskLimit::Race(_)) => quote!(::saga_runtime::__private::Raced::new(#question)),
    }
}

/// Questions about the client's abilities go to the engine, which knows the request.
struct Abilities<'a>(&'a Handles);

impl VisitMut for Abilities<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::MethodCall(call) = expr
            && let Some(ability) = self.0.ability(call)
        {
            let handle = &call.receiver;
            let function = match ability {
                Ability::ElicitationModes => quote!(supported_elicitation_modes),
                Ability::SamplingTools => quote!(supports_sampling_tools),
                Ability::PeerInfo => quote!(peer_info),
            };
            *expr =
                Expr::Verbatim(quote!(::saga_runtime::__private::#function(&__saga, &(#handle))));
            return;
        }
        syn::visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        local.attrs.retain(|attribute| !is_saga(attribute.path()));
        syn::visit_mut::visit_local_mut(self, local);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
