//! The machine: one state per head, in a loop.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{Expr, visit_mut::VisitMut};

use super::{
    elsewhere,
    parts::{handed, in_parts},
    referents::placed,
    saved::Saved,
    temporaries::Watch,
};

use crate::{
    analysis::{
        aggregates::Aggregates,
        borrowers::{Lent, lent},
        escaping::returned_as_they_are,
        graph::PointFacts,
        in_scope::{Held, held},
        named::named,
        outliving::{Outliving, outliving},
        referents::{Referent, referents},
        states::{Plan, State},
    },
    ast::{
        attributes::is_saga, patterns::pattern_bindings, rename::rename_pattern,
        tokens::token_names,
    },
    cfg::{Access, Facts, Flow, ParamId, VarId, alias, persistence::Persistence},
    syntax::{
        asks::{Ability, Handles},
        function::Input,
    },
};

/// What the runtime knows of the function, as a static.
pub(super) fn function(
    input: &Input,
    flow: &Flow,
    plan: &Plan,
    points: &[PointFacts],
) -> TokenStream {
    Machine::new(input, flow, plan, points).function()
}

/// The body of the function.
pub(super) fn machine(
    input: &Input,
    flow: &Flow,
    plan: &Plan,
    points: &[PointFacts],
) -> TokenStream {
    let machine = Machine::new(input, flow, plan, points);
    let (items, macros) = (&flow.items, &input.macros);
    let mentioned = machine.mentioned();
    let function = machine.function();
    let (witnesses, asked) = (machine.witnesses(), machine.asked());
    let (remade, globals) = (machine.remade(), machine.globals());
    let (slots, entering, chosen) = (machine.slots(), machine.entering(), machine.chosen());
    let (nowhere, located) = (machine.nowhere(), machine.located());
    let given_located = machine.given_located();
    let parts = machine.part_witnesses();
    let (load, save, told) = (machine.load(), machine.save(), machine.telling());
    let (arguments, rooted) = (machine.arguments(), machine.rooted());
    let arms = plan
        .states
        .iter()
        .enumerate()
        .map(|(index, state)| machine.arm(index, state));
    let arms: Vec<_> = arms.collect();
    let (watching, temporaries) = machine.watched();
    let (copyings, copying) = machine.copyings();
    let (generics, handle) = (machine.generics(), machine.handle_by_type());
    let step = quote! {
        // In a labelled block a `break` without a label, which a macro may hide, is an error.
        __saga_state = '__saga_step: {
            match __saga_state {
                #(#arms)*
                __saga_at if __saga_at & ::saga_runtime::__private::LOAD != 0 => {
                    #given_located
                    #chosen
                    #copying
                    #located
                    let __saga_point = __saga_at ^ ::saga_runtime::__private::LOAD;
                    #load
                }
                __saga_at => {
                    let __saga_point = __saga_at & !::saga_runtime::__private::SAVE;
                    #save
                }
            }
        };
    };
    // All asks are awaited in one place.
    let step = match flow.answers().is_empty() {
        true => step,
        false => quote! {
            let __saga_asking = '__saga_asked: {
                #step
                continue '__saga;
            };
            let __saga_asked = __saga_asking.await;
            __saga_state = (&mut __saga).asked(__saga_asked);
        },
    };
    // With the author's span rustc names it, where a reference to it is returned.
    let held = Ident::new("__saga_held_across_asks", input.item.sig.ident.span());
    quote! {
        #mentioned
        #(#items)*
        #[allow(unused_imports)]
        use ::saga_runtime::__private::{StdBehindMut as _, StdIndexedMut as _, StdItemsMut as _};
        #(#[allow(unused_imports)] use #macros as _;)*
        #function
        let mut __saga = ::saga_runtime::__private::Activation::enter(
            &__SAGA_FUNCTION,
            ::saga_runtime::__private::here(&|| ()),
        );
        #generics
        let #held = ::saga_runtime::__private::Arena::new();
        let __saga_arena = &#held;
        #slots
        #copyings
        #nowhere
        #parts
        #witnesses
        #globals
        #remade
        #watching
        #arguments
        '__saga_end: {
            #rooted
            let mut __saga_state = (&__saga).state();
            #handle
            #entering
            '__saga: loop {
                #step
            }
        }
        {
            match ::saga_runtime::__private::ended().await {};
            #asked
            #temporaries
            #told
        }
    }
}

pub(super) struct Machine<'a> {
    pub(super) input: &'a Input,
    pub(super) flow: &'a Flow,
    pub(super) plan: &'a Plan,
    pub(super) points: &'a [PointFacts],
    pub(super) held: Held,
    /// The variables that have a slot.
    pub(super) slots: BTreeSet<VarId>,
    /// The variables that may borrow from others that move.
    pub(super) lent: Lent,
    pub(super) saved: Saved,
    /// The variables that may cross a suspension in parts.
    pub(super) parts: Aggregates,
    /// Where what variables refer to may be.
    pub(super) places: BTreeMap<VarId, Vec<Referent>>,
    /// Where in what the function was given that may be which outlives it.
    pub(super) outliving: BTreeMap<VarId, Outliving>,
    /// The variables that calls which may be made again are given.
    pub(super) handed: BTreeSet<VarId>,
    /// The witnesses of temporaries, as far as the states have been written.
    pub(super) watched: RefCell<Vec<Watch>>,
    /// The variables that are copied for a call, as far as the states have been written.
    pub(super) copied: RefCell<BTreeMap<VarId, Span>>,
}

impl<'a> Machine<'a> {
    fn new(input: &'a Input, flow: &'a Flow, plan: &'a Plan, points: &'a [PointFacts]) -> Self {
        let (slots, saved, mut lent) = (plan.slots(), Saved::of(flow, plan), lent(flow));
        let is_stored = |var: &VarId| saved.pattern(*var).is_some();
        let passing = slots.iter().copied();
        let passing = passing.filter(|var| !is_stored(var) && lent.contains(*var));
        let passing: Vec<_> = passing.collect();
        // Most functions have none.
        if !passing.is_empty() {
            let left_with = returned_as_they_are(flow);
            let left_with = passing.into_iter().filter(|var| left_with.contains(var));
            left_with.for_each(|var| lent.remove(var));
        }
        let stored = slots.iter().copied().filter(is_stored);
        let passing = slots.iter().copied();
        let passing = passing.filter(|var| !is_stored(var) && lent.contains(*var));
        let parts = in_parts(flow, stored, passing);
        let named = named(flow);
        let mut outliving = outliving(flow, &named, &input.item.sig, &slots);
        outliving.retain(|var, _| saved.pattern(*var).is_some() && !parts.made.contains_key(var));
        let is_other = |var| parts.made.contains_key(&var) || outliving.contains_key(&var);
        let places = placed(referents(flow, &named, &lent, &slots), plan, is_other);
        Self {
            input,
            flow,
            plan,
            points,
            held: held(flow, plan),
            parts,
            places,
            outliving,
            handed: handed(flow),
            slots,
            lent,
            saved,
            watched: RefCell::default(),
            copied: RefCell::default(),
        }
    }
}

/// What variables go by at one place; their own name where nothing is said.
#[derive(Clone, Default)]
pub(super) struct Names {
    aliases: HashMap<VarId, Ident>,
    /// What is declared here.
    pub(super) present: BTreeSet<VarId>,
    /// What rests in its slot.
    pub(super) resting: BTreeSet<VarId>,
    /// What is declared here and gets its first value later.
    pub(super) uninitialized: BTreeSet<VarId>,
    /// The same, by the author's `let` in the code of this state.
    late: BTreeSet<VarId>,
}

impl Names {
    pub(super) fn of(&self, flow: &Flow, var: VarId) -> Ident {
        self.aliases
            .get(&var)
            .cloned()
            .unwrap_or_else(|| flow.var(var).ident.clone())
    }

    /// From here on these variables are declared under their own names.
    pub(super) fn declared(&mut self, facts: &Facts) {
        self.declare(&facts.defs);
    }

    fn declare<'v>(&mut self, vars: impl IntoIterator<Item = &'v VarId>) {
        for var in vars {
            self.aliases.remove(var);
            self.present.insert(*var);
        }
    }
}

impl Machine<'_> {
    /// Tells the types that the function is generic in: another one is other code.
    fn generics(&self) -> TokenStream {
        let params = self.input.item.sig.generics.type_params();
        let params = params.map(|param| &param.ident);
        quote!(#((&mut __saga).generic_in::<#params>();)*)
    }

    /// `0 => { …taken out, evaluated again…; …code…; …put back…; 1 }`
    fn arm(&self, index: usize, state: &State) -> TokenStream {
        let in_order = self.taken_in_order(state);
        let taken = in_order.iter().chain(&state.uninitialized).copied();
        let taken: BTreeSet<_> = taken.collect();
        let carried: BTreeSet<_> = state.carried.iter().copied().collect();
        let mut names = Names {
            resting: carried.difference(&taken).copied().collect(),
            present: taken,
            uninitialized: state.uninitialized.iter().copied().collect(),
            late: state.late.clone(),
            ..Names::default()
        };
        let scope = &self.flow.block(state.block).scope;
        let params = state
            .params
            .iter()
            .flat_map(|id| &self.flow.param(*id).vars);
        let reborrows = state
            .reborrows
            .keys()
            .flat_map(|id| &self.flow.reborrow(*id).vars);
        for var in state.entering.iter().chain(params).chain(reborrows) {
            let ident = &self.flow.var(*var).ident;
            let visible = scope.get(&ident.to_string()) == Some(var);
            let direct = match self.flow.var(*var).persistence {
                Persistence::Param(id) => {
                    matches!(self.flow.param(id).access, Access::Direct | Access::Rooted)
                }
                _ => false,
            };
            if !visible && !self.flow.var(*var).hidden && !direct {
                names.aliases.insert(*var, alias(ident, *var));
            }
        }
        let taken = in_order.iter().map(|var| self.taken(*var, state, &names));
        let taken: TokenStream = taken.collect();
        let params = state.params.iter().map(|id| self.param(*id, &names));
        let uninitialized = state.uninitialized.iter().map(|id| self.uninitialized(*id));
        let made: TokenStream = params.chain(uninitialized).collect();
        // What stands where other names are imported is made before those of this block mean anything.
        let imported = &self.flow.block(state.block).imports;
        let (here, before): (Vec<_>, Vec<_>) = state
            .reborrows
            .iter()
            .partition(|(id, _)| self.flow.reborrow(**id).imports == *imported);
        let before = before
            .into_iter()
            .map(|(id, needed)| self.reborrow_elsewhere(*id, needed, &names));
        let before: TokenStream = before.collect();
        let here = here
            .into_iter()
            .map(|(id, needed)| self.reborrow(*id, needed, &names));
        let here: TokenStream = here.collect();
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let code = self.code(state.block, names);
        match imported.is_empty() {
            true => quote!(#index => { #taken #made #before #here #code }),
            false => {
                let imports = self.imports(imported);
                quote!(#index => { #taken #made #before { #imports #here #code } })
            }
        }
    }

    /// `let x;`
    fn uninitialized(&self, id: VarId) -> TokenStream {
        let var = self.flow.var(id);
        let (name, ty) = (&var.ident, var.ty.iter());
        let mutable = var.mutable.then(|| quote!(mut));
        let typed = self.typed_as_declared(id);
        let elsewhere = elsewhere();
        quote!(#elsewhere let #mutable #name #(: #ty)*; #typed)
    }

    /// The author's, where the code of the state mentions what it declares.
    pub(super) fn declared_late(&self, facts: &Facts, names: &mut Names) -> TokenStream {
        let late: Vec<_> = facts.defs.intersection(&names.late).copied().collect();
        names.declare(&late);
        let declared = late.iter().map(|var| self.uninitialized(*var));
        let declared: TokenStream = declared.collect();
        // The witnesses know the types already.
        let told = self.told(&late);
        quote!(#declared #told)
    }

    pub(super) fn param(&self, id: ParamId, names: &Names) -> TokenStream {
        let param = self.flow.param(id);
        let mut pat = param.pat.clone();
        rename_pattern(&mut pat, &self.renames(&param.vars, names));
        let held = Flow::param_ident(id);
        let elsewhere = elsewhere();
        match param.access {
            Access::Direct | Access::Local | Access::Rooted => TokenStream::new(),
            Access::Copied => quote!(#elsewhere let #pat = #held;),
            Access::Reborrowed => quote!(#elsewhere let #pat = &mut *#held;),
            Access::Cloned => quote!(#elsewhere let #pat = ::core::clone::Clone::clone(&#held);),
            Access::Parsed => quote! {
                #elsewhere let ::core::option::Option::Some(#pat) = (&mut #held).take() else {
                    (&__saga).gone();
                    break '__saga_end;
                };
            },
        }
    }

    /// The parameters that macros of the body mention, under their names: what a macro mentions is what stands before it.
    ///
    /// ```text
    /// macro_rules! log { ($text:expr) => { trace.note($text) } }
    /// ```
    fn mentioned(&self) -> TokenStream {
        let mut names = HashSet::new();
        for item in &self.flow.items {
            if let syn::Item::Macro(item) = item {
                token_names(item.mac.tokens.clone(), &mut |name| {
                    names.insert(name.to_owned());
                });
            }
        }
        let params = self.flow.params.iter().enumerate();
        let mentioned = params.filter(|(_, param)| {
            let mut bound = pattern_bindings(&param.pat);
            let copied = matches!(param.access, Access::Copied);
            copied && bound.any(|binding| names.contains(&binding.ident.to_string()))
        });
        mentioned
            .map(|(index, _)| self.param(ParamId(index), &Names::default()))
            .collect()
    }

    pub(super) fn renames(&self, vars: &[VarId], names: &Names) -> HashMap<String, Ident> {
        let renamed = vars.iter().filter_map(|var| {
            let name = names.aliases.get(var)?;
            Some((self.flow.var(*var).ident.to_string(), name.clone()))
        });
        renamed.collect()
    }
}

/// The author's place in the text, with the names of generated code.
pub(super) fn located(span: Span) -> Span {
    span.resolved_at(Span::call_site())
}

/// ```text
/// answer?   →   (answer)?
/// ```
/// With the author's `?` around it: of an expression that begins with generated tokens rustc shows the attribute.
pub(super) struct Tries;

impl VisitMut for Tries {
    fn visit_expr_try_mut(&mut self, tried: &mut syn::ExprTry) {
        syn::visit_mut::visit_expr_try_mut(self, tried);
        let Expr::Path(path) = &*tried.expr else {
            return;
        };
        let hidden = path.path.get_ident();
        if !hidden.is_some_and(|name| name.to_string().starts_with("__saga_")) {
            return;
        }
        let expr = std::mem::replace(&mut *tried.expr, Expr::Verbatim(TokenStream::new()));
        *tried.expr = Expr::Paren(syn::ExprParen {
            attrs: Vec::new(),
            paren_token: syn::token::Paren(tried.question_token.span),
            expr: Box::new(expr),
        });
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Questions about the client's abilities go to the engine, which knows the request.
pub(super) struct Abilities<'a>(pub(super) &'a Handles);

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
