//! Frames: what is stored where the function stops, and how it is restored.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};

use super::machine::{Machine, Names, located, variant};
use crate::{
    fingerprint::with_layout,
    graph,
    model::{BlockId, Flow, Keep, ParamId, Terminator, VarId},
    plan::State,
    resolve::Uses,
};

impl Machine<'_> {
    /// What the runtime knows of the function.
    pub(super) fn function(&self) -> TokenStream {
        let name = self.input.item.sig.ident.to_string();
        let points: Vec<(&str, Vec<String>)> = self
            .flow
            .points
            .iter()
            .map(|point| {
                let stored = self.stored_at(point.block).into_iter();
                (
                    point.key.as_str(),
                    stored.map(|var| self.shown(var)).collect(),
                )
            })
            .collect();
        let layout = points.iter().flat_map(|(key, stored)| {
            let names = stored.iter().map(String::as_str);
            ["point", key].into_iter().chain(names)
        });
        let fingerprint = with_layout(self.input.fingerprint, layout);
        let shown = self.flow.points.iter().enumerate();
        let points = points
            .iter()
            .zip(shown)
            .map(|((key, stored), (index, point))| {
                let awaits = &point.awaits;
                let next = graph::after(self.flow, index).into_iter();
                quote! {
                    ::saga_runtime::__private::Point {
                        key: #key,
                        awaits: #awaits,
                        stored: &[#(#stored),*],
                        next: &[#(#next),*],
                    }
                }
            });
        let first = graph::first(self.flow).into_iter();
        quote! {
            static __SAGA_FUNCTION: ::saga_runtime::__private::Function =
                ::saga_runtime::__private::Function {
                    name: #name,
                    fingerprint: #fingerprint,
                    points: &[#(#points),*],
                    first: &[#(#first),*],
                };
        }
    }

    /// A variable's name for people.
    fn shown(&self, var: VarId) -> String {
        let var = self.flow.var(var);
        let ident = var.ident.to_string();
        if !var.hidden {
            return ident;
        }
        let name = ident.trim_start_matches("__saga_");
        name.trim_end_matches(|c: char| c == '_' || c.is_ascii_digit())
            .to_owned()
    }

    /// The variables in the frame of a function that waits to go on in `block`.
    fn stored_at(&self, block: BlockId) -> Vec<VarId> {
        let mut kept = self.kept_at(block);
        kept.retain(|var| matches!(self.flow.var(*var).keep, Keep::Serde | Keep::With(_)));
        kept
    }

    /// The same, with those that come back by the author's word.
    fn kept_at(&self, block: BlockId) -> Vec<VarId> {
        let carried = self.plan.state(block).map(|(_, state)| &state.carried);
        let carried = carried.into_iter().flatten().copied();
        carried
            .filter(|var| Some(*var) != self.answer_of(block))
            .collect()
    }

    pub(super) fn answer_of(&self, resume: BlockId) -> Option<VarId> {
        self.flow
            .blocks
            .iter()
            .find_map(|block| match block.terminator {
                Terminator::Ask {
                    answer, resume: to, ..
                } if to == resume => Some(answer),
                _ => None,
            })
    }

    /// Where to begin: at the entry, or at a point with its frame.
    pub(super) fn dispatch(&self) -> TokenStream {
        let entry = self.plan.state(Flow::ENTRY).map(|(index, state)| {
            let carried = state.carried.iter().map(|var| &self.flow.var(*var).ident);
            let name = variant(index);
            quote!(__SagaState::#name((#(#carried,)*)))
        });
        let points = self.flow.points.iter().enumerate();
        let points = points.filter_map(|(index, point)| {
            let (state_index, state) = self.plan.state(point.block)?;
            let point_number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            Some((point_number, state_index, state))
        });
        // What is evaluated again may await, so it is not restored with the rest.
        let (anew, stored): (Vec<_>, Vec<_>) =
            points.partition(|(_, _, state)| self.has_anew(state));
        let of_stored = stored.into_iter().map(|(number, index, state)| {
            let restored = self.restore(state);
            let state = self.restored_state(index, state);
            quote!(#number => { #restored #state })
        });
        let of_anew = anew.into_iter().map(|(number, index, state)| {
            let restored = self.restore(state);
            let values = restored_names(state);
            let anew = self.kept_at(state.block).into_iter();
            let anew: TokenStream = anew.map(|var| self.evaluated(var)).collect();
            let state_again = self.restored_state(index, state);
            let kept: Vec<_> = values
                .iter()
                .zip(&state.carried)
                .filter(|(_, var)| !matches!(self.flow.var(**var).keep, Keep::Again(_)))
                .map(|(name, _)| name)
                .collect();
            quote! {
                #number => {
                    let __saga_restored = (|| -> ::core::result::Result<_, ::saga_runtime::__private::Stop> {
                        #restored
                        ::core::result::Result::Ok((#(#kept,)*))
                    })();
                    let (#(#kept,)*) = match __saga_restored {
                        ::core::result::Result::Ok(__saga_values) => __saga_values,
                        ::core::result::Result::Err(__saga_stop) => {
                            __saga.abandon(__saga_stop);
                            break '__saga_end;
                        }
                    };
                    #anew
                    #state_again
                }
            }
        });
        let placeholders = self.plan.states.iter().map(|_| quote!(_));
        quote! {
            match __saga.point() {
                0u32 => #entry,
                #(#of_anew)*
                __saga_point => {
                    let __saga_restored = (|| -> ::core::result::Result<
                        __SagaState<#(#placeholders),*>,
                        ::saga_runtime::__private::Stop,
                    > {
                        ::core::result::Result::Ok(match __saga_point {
                            #(#of_stored)*
                            _ => return ::core::result::Result::Err(
                                ::saga_runtime::__private::no_such_point()
                            ),
                        })
                    })();
                    match __saga_restored {
                        ::core::result::Result::Ok(__saga_state) => __saga_state,
                        ::core::result::Result::Err(__saga_stop) => {
                            __saga.abandon(__saga_stop);
                            break '__saga_end;
                        }
                    }
                }
            }
        }
    }

    fn has_anew(&self, state: &State) -> bool {
        let mut kept = self.kept_at(state.block).into_iter();
        kept.any(|var| matches!(self.flow.var(var).keep, Keep::Again(_)))
    }

    fn restored_state(&self, index: usize, state: &State) -> TokenStream {
        let values = restored_names(state);
        let name = variant(index);
        quote!(__SagaState::#name((#(#values,)*)))
    }

    /// Takes a state's variables from the frame, and its answer from the client; with `?`.
    fn restore(&self, state: &State) -> TokenStream {
        let restored = self.stored_at(state.block).into_iter().map(|var| {
            let local = restored_name(var);
            let span = located(self.flow.var(var).ident.span());
            let get = match &self.flow.var(var).keep {
                Keep::With(module) => quote_spanned! {span=>
                    ::saga_runtime::__private::restore_with(&mut __saga, |__saga_source| {
                        #module::deserialize(__saga_source)
                    })
                },
                _ => quote_spanned!(span=> ::saga_runtime::__private::restore(&mut __saga)),
            };
            quote!(let #local = #get?;)
        });
        let restored: TokenStream = restored.collect();
        let last = match self.answer_of(state.block) {
            Some(var) => {
                let local = restored_name(var);
                quote!(let #local = __saga.answer()?;)
            }
            None => quote!(__saga.restored_call()?;),
        };
        let skipped = self.kept_at(state.block).into_iter();
        let skipped: TokenStream = skipped.map(|var| self.skipped(var)).collect();
        quote!(#restored #last #skipped)
    }

    /// A variable whose default comes back.
    fn skipped(&self, var: VarId) -> TokenStream {
        let local = restored_name(var);
        let span = located(self.flow.var(var).ident.span());
        match &self.flow.var(var).keep {
            Keep::Skip => {
                quote_spanned!(span=> let #local = ::core::default::Default::default();)
            }
            _ => TokenStream::new(),
        }
    }

    /// A variable that is evaluated again.
    fn evaluated(&self, var: VarId) -> TokenStream {
        let local = restored_name(var);
        let Keep::Again(init) = &self.flow.var(var).keep else {
            return TokenStream::new();
        };
        let params = self.params_of(init).into_iter();
        let params = params.map(|id| self.param(id, &Names::default()));
        let value = self.tokens(&mut init.clone());
        let ty = self.flow.var(var).ty.iter();
        quote!(let #local #(: #ty)* = { #(#params)* #value };)
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

    /// Stores what is live at `block` and ends.
    pub(super) fn suspension(&self, block: BlockId, names: &Names) -> TokenStream {
        let stores = self.stored_at(block).into_iter().map(|var| {
            let name = names.of(self.flow, var);
            let span = located(self.flow.var(var).ident.span());
            match &self.flow.var(var).keep {
                Keep::With(module) => quote_spanned! {span=>
                    ::saga_runtime::__private::store_with(
                        &mut __saga_suspension,
                        &#name,
                        |__saga_value, __saga_sink| #module::serialize(__saga_value, __saga_sink),
                    );
                },
                _ => quote_spanned! {span=>
                    ::saga_runtime::__private::store(&mut __saga_suspension, &#name);
                },
            }
        });
        quote! {
            #(#stores)*
            __saga_suspension.stop();
            break '__saga_end;
        }
    }
}

/// What a variable of the frame goes by until the state has it.
fn restored_name(var: VarId) -> proc_macro2::Ident {
    format_ident!("__saga_restored_{}", var.0)
}

fn restored_names(state: &State) -> Vec<proc_macro2::Ident> {
    let names = state.carried.iter().map(|var| restored_name(*var));
    names.collect()
}
