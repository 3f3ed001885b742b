//! Slots: what moves from block to block, and how it crosses a suspension.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::{
    elsewhere,
    machine::{Machine, Names, located},
    saved::{pattern, ranges},
};

use crate::{
    analysis::{graph, states::State},
    ast::{
        tokens::never,
        types::{is_handle_type, may_be_handle_type},
        uses::Uses,
    },
    cfg::{
        Access, BlockId, Facts, Flow, ParamId, VarId,
        persistence::{Form, Rematerialization},
    },
};

pub(super) fn slot(var: VarId) -> Ident {
    format_ident!("__saga_slot_{}", var.0)
}

impl Machine<'_> {
    pub(super) fn slot(&self, var: VarId) -> Ident {
        let mut slot = slot(var);
        slot.set_span(located(self.flow.var(var).ident.span()));
        slot
    }

    /// The slots, empty.
    pub(super) fn slots(&self) -> TokenStream {
        let slots = self.slots.iter().map(|var| {
            let slot = slot(*var);
            let form = self.known_form(*var).map(|form| {
                let form = Ident::new(form, Span::call_site());
                quote!(::<_, ::saga_runtime::__private::#form>)
            });
            quote!(let mut #slot = ::saga_runtime::__private::Slot #form ::new();)
        });
        slots.collect()
    }

    /// The form of a slot that is known without its type: what is open until then takes rustc its time.
    pub(super) fn known_form(&self, var: VarId) -> Option<&'static str> {
        match self.flow.var(var).persistence.form() {
            Some(Form::With(_) | Form::Skip | Form::Reevaluated(_)) => Some("AsSaid"),
            Some(Form::Record | Form::Spot | Form::Number) => Some("AsPlain"),
            Some(Form::Untouched) => Some("AsUntouched"),
            Some(Form::Static) => Some("AsStatic"),
            _ if self.points_of(var).is_none() && !self.lent.contains(var) => Some("Unsaved"),
            _ => None,
        }
    }

    /// Puts the parameters that are variables like others into their slots.
    pub(super) fn entering(&self) -> TokenStream {
        let entry = self
            .plan
            .state(Flow::ENTRY)
            .map(|(_, state)| &state.carried);
        let carried = entry.into_iter().flatten();
        carried
            .map(|var| {
                let (slot, name) = (slot(*var), &self.flow.var(*var).ident);
                quote!((&mut #slot).put(#name);)
            })
            .collect()
    }

    /// The parameters that are made of the call's arguments.
    fn roots(&self) -> impl Iterator<Item = (Ident, &crate::cfg::Param)> {
        let params = self.flow.params.iter().enumerate();
        let roots =
            params.filter(|(_, param)| matches!(param.access, Access::Parsed | Access::Rooted));
        roots.map(|(index, param)| (Flow::param_ident(ParamId(index)), param))
    }

    /// Looks in the frame whether the arguments, made again, would be others than they were.
    pub(super) fn arguments(&self) -> TokenStream {
        let names = self.roots().map(|(name, _)| name);
        quote!(#((&mut #names).resume(&mut __saga);)*)
    }

    /// Binds the arguments that no block moves.
    pub(super) fn rooted(&self) -> TokenStream {
        let rooted = self
            .roots()
            .filter(|(_, param)| param.access == Access::Rooted);
        rooted
            .map(|(name, param)| {
                let pat = &param.pat;
                quote! {
                    let ::core::option::Option::Some(#pat) = (&mut #name).take() else {
                        (&__saga).gone();
                        break '__saga_end;
                    };
                }
            })
            .collect()
    }

    fn is_said(&self, var: VarId) -> bool {
        matches!(
            self.flow.var(var).persistence.form(),
            Some(Form::With(_) | Form::Skip | Form::Reevaluated(_))
        )
    }

    /// `let x = slot.take();`
    pub(super) fn taken(&self, var: VarId, state: &State, names: &Names) -> TokenStream {
        let (slot, name) = (slot(var), names.of(self.flow, var));
        let mutable = self.flow.var(var).mutable.then(|| quote!(mut));
        let elsewhere = elsewhere();
        let value = self.found_again(var, state, names, quote!((&mut #slot).take()));
        quote!(#elsewhere let #mutable #name = #value;)
    }

    /// Tells the slots the types of what has just been declared.
    pub(super) fn typed(&self, facts: &Facts) -> TokenStream {
        let declared = facts.defs.iter().filter(|var| self.is_lent(**var));
        declared
            .map(|var| {
                let (slot, name) = (slot(*var), &self.flow.var(*var).ident);
                quote!((&#slot).is(&#name);)
            })
            .collect()
    }

    fn is_lent(&self, var: VarId) -> bool {
        let number = matches!(self.flow.var(var).persistence.form(), Some(Form::Number));
        self.slots.contains(&var) && self.lent.contains(var) && !number && !self.is_said(var)
    }

    /// Fills the slots that `block` takes, and empties those that nobody needs from there on.
    pub(super) fn put(&self, block: BlockId, names: &Names) -> TokenStream {
        let Some((_, state)) = self.plan.state(block) else {
            return TokenStream::new();
        };
        let carried: BTreeSet<_> = state.carried.iter().copied().collect();
        let filled = carried.intersection(&names.present).copied().collect();
        let filled = self.borrowers_first(&filled).into_iter();
        let filled = filled.map(|var| {
            let (slot, name) = (slot(var), names.of(self.flow, var));
            if self.is_lent(var) {
                let told = names.uninitialized.contains(&var);
                let told = told.then(|| never(&quote!((&#slot).is(&#name);)));
                let rehomed = self.rehomed_in_parts(var, &name).unwrap_or_else(|| {
                    let told = self.flow.author_name(var);
                    quote!(::saga_runtime::__private::rehome(&mut #slot, #name, #told, &__saga, __saga_arena))
                });
                let placed = self.is_placed(var, &carried, names);
                let placed = placed.map(|placed| quote!(if #placed { (&mut #slot).clear(); } else));
                let unplaced = self.unplaced(var);
                quote! {
                    #told
                    #unplaced
                    #placed if !#rehomed {
                        break '__saga_end;
                    }
                }
            } else {
                quote!((&mut #slot).put(#name);)
            }
        });
        let emptied = names.resting.difference(&carried).map(|var| {
            let (slot, unplaced) = (slot(*var), self.unplaced(*var));
            quote!((&mut #slot).clear(); #unplaced)
        });
        filled.chain(emptied).collect()
    }

    /// Reads a frame into the slots; its value is the state to go on in.
    pub(super) fn load(&self) -> TokenStream {
        let asks = self.flow.points.iter().enumerate();
        let (mut answers, mut calls, mut resumes) = (Vec::new(), Vec::new(), Vec::new());
        for (index, point) in asks {
            let Some((state, _)) = self.plan.state(point.block) else {
                continue;
            };
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            let state = u32::try_from(state).unwrap_or(u32::MAX);
            resumes.push(quote!(#number => #state,));
            match self.answer_of(point.block) {
                Some(var) => {
                    let slot = slot(var);
                    answers.push(quote!(#number => ::saga_runtime::__private::load_answer(&mut #slot, &mut __saga),));
                }
                None => calls.push(number),
            }
        }
        let calls = (!calls.is_empty()).then(|| quote!(#(#calls)|* => (&mut __saga).load_call(),));
        let loaded = self.in_frame_order().into_iter();
        let loaded = loaded.map(|var| self.loaded(var));
        let again = self.slots.iter().map(|var| {
            let said = self.evaluated(*var);
            let rematerialized = self.rematerialized(*var);
            let found = self.found_in_given(*var);
            quote!(#said #rematerialized #found)
        });
        let handle = self
            .handle()
            .map(|name| quote!((&mut __saga).request(&#name);));
        quote! {
            let __saga_is_read = (&__saga).is_read();
            if __saga_is_read { #handle }
            if __saga_is_read { #(#loaded)* }
            match __saga_point {
                #(#answers)*
                #calls
                _ => (&mut __saga).load_nothing(),
            }
            if (&mut __saga).cannot_go_on() { break '__saga_end; }
            if __saga_is_read { #(#again)* }
            match __saga_point {
                #(#resumes)*
                _ => break '__saga_end,
            }
        }
    }

    /// The parameter that has the client's handle, where it is one name.
    fn handle(&self) -> Option<Ident> {
        self.params(is_handle_type).into_iter().next()
    }

    /// Notes the client's handle where no parameter is written as one: all may be, by their type.
    pub(super) fn handle_by_type(&self) -> Option<TokenStream> {
        if self.handle().is_some() {
            return None;
        }
        let names = self.params(may_be_handle_type);
        (!names.is_empty()).then(|| {
            quote! {
                if __saga_state != 0 {
                    #[allow(unused_imports)]
                    use ::saga_runtime::__private::{GivenNoRequest as _, GivenRequest as _};
                    #((&&::saga_runtime::__private::GivenPart(&#names)).saga_request(&mut __saga);)*
                }
            }
        })
    }

    /// Parameters of such types, where each is one name.
    fn params(&self, is_wanted: impl Fn(&syn::Type) -> bool) -> Vec<Ident> {
        let params = self.flow.params.iter().enumerate();
        let wanted = params.filter(|(_, param)| is_wanted(&param.ty));
        let names =
            wanted.filter_map(
                |(index, param)| match (param.access, param.vars.as_slice()) {
                    (Access::Direct | Access::Local, [var]) => {
                        Some(self.flow.var(*var).ident.clone())
                    }
                    (Access::Direct | Access::Local, _) => None,
                    _ => Some(Flow::param_ident(ParamId(index))),
                },
            );
        names.collect()
    }

    fn loaded(&self, var: VarId) -> TokenStream {
        let Some(points) = self.points_of(var) else {
            return TokenStream::new();
        };
        let slot = self.slot(var);
        let span = slot.span();
        let load = match self.flow.var(var).persistence.form() {
            Some(
                Form::ByType(_)
                | Form::Record
                | Form::Spot
                | Form::Number
                | Form::Untouched
                | Form::Static,
            ) => {
                let load = quote_spanned! {span=>
                    ::saga_runtime::__private::load(&mut #slot, &mut __saga, __saga_arena);
                };
                let load = self.loaded_in_parts(var, load);
                let load = self.loaded_as_given(var, load);
                self.loaded_in_place(var, load)
            }
            Some(Form::With(module)) => quote_spanned! {span=>
                ::saga_runtime::__private::load_with(&mut #slot, &mut __saga, |__saga_source| {
                    #module::deserialize(__saga_source)
                });
            },
            Some(Form::Skip) => {
                quote_spanned! {span=>
                    ::saga_runtime::__private::load_type(&#slot, &mut __saga);
                    (&mut #slot).put(::core::default::Default::default());
                }
            }
            Some(Form::Reevaluated(_)) => {
                quote!(::saga_runtime::__private::load_type(&#slot, &mut __saga);)
            }
            None => return TokenStream::new(),
        };
        match self.wanted(var) {
            None => at(&points, &load),
            Some(Wanted { points, by_type }) => at(
                &points,
                &quote!(if #by_type { #load } else { (&mut __saga).pass_none(); }),
            ),
        }
    }

    /// A record is in the frame only where something is picked out of it once more.
    fn wanted(&self, var: VarId) -> Option<Wanted> {
        if !self.flow.var(var).persistence.is_for_others() {
            return None;
        }
        let own = self.saved.points(var);
        let picks = graph::picks_of(self.flow, var).filter(|pick| self.slots.contains(pick));
        let picks: Vec<_> = picks.collect();
        let picked = picks.iter().flat_map(|pick| self.saved.points(*pick));
        let points: BTreeSet<_> = picked.filter(|point| own.contains(point)).collect();
        let by_type = picks.iter().filter_map(|pick| {
            let (points, slot) = (self.points_of(*pick)?, slot(*pick));
            Some(quote! {
                (match __saga_point {
                    #points => ::saga_runtime::__private::is_rematerialized(&#slot, __saga_arena),
                    _ => false,
                })
            })
        });
        let points = pattern(&ranges(points));
        Some(match points {
            Some(points) => Wanted {
                points,
                by_type: quote!(#(#by_type)||*),
            },
            None => Wanted {
                points: quote!(0),
                by_type: quote!(false),
            },
        })
    }

    /// The slots in the order in which a frame has them.
    fn in_frame_order(&self) -> Vec<VarId> {
        self.flow.in_frame_order(self.slots.iter().copied())
    }

    /// A variable that is evaluated again if its type cannot be stored.
    fn rematerialized(&self, var: VarId) -> TokenStream {
        self.evaluated_again(
            var,
            &quote!(is_rematerialized),
            |slot, name| quote!((&mut #slot).put(#name);),
        )
    }

    /// Whether it would be the same then, as far as its type shows that.
    fn compared(&self, var: VarId) -> TokenStream {
        self.evaluated_again(var, &quote!(is_compared), |slot, name| {
            quote! {
                ::saga_runtime::__private::compare(&#slot, &#name, &mut __saga_frame, __saga_arena);
            }
        })
    }

    /// Evaluates a variable where it is live and `by_type` says so, for what `then` does with it.
    fn evaluated_again(
        &self,
        var: VarId,
        by_type: &TokenStream,
        then: impl FnOnce(&Ident, &Ident) -> TokenStream,
    ) -> TokenStream {
        let again = self.flow.var(var).persistence.rematerialized();
        let (Some(points), Some(again)) = (self.points_of(var), again) else {
            return TokenStream::new();
        };
        let (slot, name) = (slot(var), &self.flow.var(var).ident);
        let value = self.again(again);
        let form = again
            .judged
            .then(|| quote!(let __saga_again = ::saga_runtime::__private::Again::of(&#slot);));
        let then = then(&slot, name);
        let picked = quote!(::saga_runtime::__private::#by_type(&#slot, __saga_arena));
        let evaluated = quote! {
            #form
            #value
            #then
        };
        at(&quote!(#points if #picked), &evaluated)
    }

    /// `let`s that evaluate it.
    fn again(&self, again: &Rematerialization) -> TokenStream {
        let records = again.records.iter().map(|record| {
            let (slot, name) = (slot(*record), &self.flow.var(*record).ident);
            (
                quote!(let #name = (&mut #slot).take();),
                quote!((&mut #slot).put(#name);),
            )
        });
        let (taken, put): (Vec<_>, Vec<_>) = records.unzip();
        let params = again
            .params
            .iter()
            .map(|id| self.param(*id, &Names::default()));
        let lets = again.lets.iter().map(|(var, value)| {
            let (name, ty) = (&self.flow.var(*var).ident, self.flow.var(*var).ty.iter());
            let typed = ty.filter(|_| value.bound.is_none() && again.makes);
            let value = self.tokens(&mut value.again());
            quote!(let #name #(: #typed)* = #value;)
        });
        quote! {
            #(#taken)*
            #(#params)*
            #(#lets)*
            #(#put)*
        }
    }

    /// A variable that is evaluated again; it may await, so that it is not read with the rest.
    fn evaluated(&self, var: VarId) -> TokenStream {
        let form = self.flow.var(var).persistence.form();
        let (Some(points), Some(Form::Reevaluated(init))) = (self.points_of(var), form) else {
            return TokenStream::new();
        };
        let slot = slot(var);
        let params = self.params_of(init).into_iter();
        let params = params.map(|id| self.param(id, &Names::default()));
        let value = self.tokens(&mut init.clone());
        let ty = self.flow.var(var).ty.iter();
        let evaluated = quote! {
            #(#params)*
            let __saga_value #(: #ty)* = #value;
            (&mut #slot).put(__saga_value);
        };
        at(&points, &evaluated)
    }

    /// The parameters that an expression mentions.
    fn params_of(&self, expr: &syn::Expr) -> Vec<ParamId> {
        let reads = Uses::of_expr(expr).reads;
        let params = self.flow.params.iter().enumerate();
        let mentioned = params.filter(|(_, param)| {
            let mut names = param
                .vars
                .iter()
                .map(|var| self.flow.var(*var).ident.to_string());
            names.any(|name| reads.contains_key(&name))
        });
        mentioned.map(|(index, _)| ParamId(index)).collect()
    }

    /// Writes the slots to a frame.
    pub(super) fn save(&self) -> TokenStream {
        let saved = self.in_frame_order().into_iter().map(|var| {
            let Some(points) = self.points_of(var) else {
                return TokenStream::new();
            };
            let slot = self.slot(var);
            let span = slot.span();
            let save = match self.flow.var(var).persistence.form() {
                Some(Form::Record) => quote! {
                    ::saga_runtime::__private::save_record(&#slot, &mut __saga_frame, __saga_arena);
                },
                Some(
                    form @ (Form::ByType(_)
                    | Form::Spot
                    | Form::Number
                    | Form::Untouched
                    | Form::Static),
                ) => {
                    let save = match form {
                        Form::ByType(_) | Form::Static => quote_spanned! {span=>
                            ::saga_runtime::__private::save_shown(
                                &#slot,
                                &mut __saga_frame,
                                __saga_arena,
                                (&&::saga_runtime::__private::ShownIn::slot(&#slot)).saga_shown(),
                            );
                        },
                        // A number of the macro's own.
                        _ => quote_spanned! {span=>
                            ::saga_runtime::__private::save(&#slot, &mut __saga_frame, __saga_arena);
                        },
                    };
                    let save = self.saved_in_parts(var, save);
                    let save = self.saved_as_given(var, save);
                    self.saved_in_place(var, save)
                }
                Some(Form::With(module)) => quote_spanned! {span=>
                    ::saga_runtime::__private::save_with(
                        &#slot,
                        &mut __saga_frame,
                        |__saga_value, __saga_sink| #module::serialize(__saga_value, __saga_sink),
                    );
                },
                Some(Form::Skip | Form::Reevaluated(_)) => {
                    quote!(::saga_runtime::__private::save_type(&#slot, &mut __saga_frame);)
                }
                None => return TokenStream::new(),
            };
            let compared = self.compared(var);
            let save = match self.wanted(var) {
                None => at(&points, &save),
                Some(Wanted { points, by_type }) => at(
                    &points,
                    &quote!(if #by_type { #save } else { __saga_frame.none(); }),
                ),
            };
            quote!(#save #compared)
        });
        let roots = self.roots().map(|(name, _)| name);
        quote! {
            if let ::core::option::Option::Some(mut __saga_frame) = (&mut __saga).stopped() {
                #[allow(unused_imports)]
                use ::saga_runtime::__private::{SlotNotShown as _, SlotShown as _};
                #((&#roots).save(&mut __saga_frame);)*
                #(#saved)*
                __saga_frame.stop();
            }
            break '__saga_end;
        }
    }

    /// The points at which a variable is saved, as a pattern.
    pub(super) fn points_of(&self, var: VarId) -> Option<TokenStream> {
        self.saved.pattern(var)
    }

    pub(super) fn answer_of(&self, resume: BlockId) -> Option<VarId> {
        self.saved.answer_of(resume)
    }
}

/// What is done at these points; not by `matches!`, which would be expanded once for each variable.
fn at(points: &TokenStream, code: &TokenStream) -> TokenStream {
    quote!(match __saga_point { #points => { #code } _ => {} })
}

/// Where a record may be in the frame, and what its variables' types must say.
struct Wanted {
    points: TokenStream,
    by_type: TokenStream,
}
