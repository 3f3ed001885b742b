//! What a variable refers to, found again in the place where it is, in each block to which both go.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Expr;

use super::{
    machine::{Machine, Names},
    slots::slot,
};
use crate::{
    analysis::{
        referents::Referent,
        states::{Plan, State},
    },
    ast::{rename::rename, tokens::never},
    cfg::VarId,
};

/// The places of variables, but of those that never go where such a place goes.
pub(super) fn placed(
    mut all: BTreeMap<VarId, Vec<Referent>>,
    plan: &Plan,
    in_parts: impl Fn(VarId) -> bool,
) -> BTreeMap<VarId, Vec<Referent>> {
    let goes_with = |var: VarId, base: VarId| {
        let mut states = plan.states.iter();
        states.any(|state| [var, base].iter().all(|var| state.carried.contains(var)))
    };
    all.retain(|var, places| {
        places.retain(|of| goes_with(*var, of.base));
        !places.is_empty() && !in_parts(*var)
    });
    all
}

/// What is there, in the first of these places in which it was; or `otherwise`.
pub(super) fn there(
    places: impl Iterator<Item = (Ident, TokenStream)>,
    otherwise: TokenStream,
) -> TokenStream {
    let places: Vec<_> = places.collect();
    let places = places.iter().rev();
    places.fold(otherwise, |otherwise, (at, place)| {
        quote! {
            match (&mut #at).there(&#place) {
                ::core::option::Option::Some(__saga_there) => __saga_there,
                ::core::option::Option::None => {
                    if (&#at).is_lost() {
                        (&__saga).gone();
                        break '__saga_end;
                    }
                    #otherwise
                }
            }
        }
    })
}

/// A place, and what it is in.
pub(super) fn parts_of_way(place: &Expr) -> Vec<&Expr> {
    let inside = match place {
        Expr::Field(field) => &field.base,
        Expr::Index(index) => &index.expr,
        Expr::Unary(unary) => &unary.expr,
        Expr::Reference(lent) => &lent.expr,
        Expr::Paren(paren) => &paren.expr,
        Expr::Group(group) => &group.expr,
        _ => return vec![place],
    };
    let mut parts = vec![place];
    parts.extend(parts_of_way(inside));
    parts
}

impl Machine<'_> {
    fn places(&self, var: VarId) -> impl Iterator<Item = (Ident, &Referent)> {
        let places = self.places.get(&var).into_iter().flatten().enumerate();
        places.map(move |(index, of)| (format_ident!("__saga_place_{}_{}", var.0, index), of))
    }

    /// Nothing is known of any yet.
    pub(super) fn nowhere(&self) -> TokenStream {
        let own = self.places.keys().flat_map(|var| self.places(*var));
        let own = own.map(|(at, _)| at);
        let given = self.outliving.keys();
        let given = given.flat_map(|var| self.given_places(*var));
        let all = own.chain(given.map(|(at, _)| at));
        all.map(|at| quote!(let mut #at = ::saga_runtime::__private::Referent::new();))
            .collect()
    }

    /// Chooses by the types what may be found again.
    pub(super) fn located(&self) -> TokenStream {
        let all = self.places.keys().flat_map(|var| {
            self.places(*var).map(|(at, of)| {
                let (base, slot_of) = (&self.flow.var(of.base).ident, slot(of.base));
                let (place, slot) = (&of.place, slot(*var));
                let kind = quote! {
                    (&&&::saga_runtime::__private::Referring::of(&#place, &#slot)).saga_referent()
                };
                let way = match self.flow.var(of.base).mutable {
                    true => quote!(saga_way),
                    false => quote!(saga_fixed_way),
                };
                let parts = parts_of_way(place).into_iter();
                let kind = parts.fold(kind, |kind, part| {
                    quote! {
                        ::saga_runtime::__private::ByWay::kind(
                            (&&::saga_runtime::__private::Way::of(&#part)).#way(), #kind
                        )
                    }
                });
                quote! {{
                    let #base = (&mut #slot_of).take();
                    use ::saga_runtime::__private::{
                        LeadsByMut as _, LeadsByReference as _, LeadsThere as _,
                        ReferringElsewhere as _, ReferringToIt as _, ReferringToItems as _,
                    };
                    (&#at).is(#kind);
                }}
            })
        });
        never(&all.collect())
    }

    /// A place by the name that its variable has there.
    fn place(&self, of: &Referent, names: &Names) -> TokenStream {
        let name = &self.flow.var(of.base).ident;
        let here = names.of(self.flow, of.base);
        let mut place = of.place.clone();
        rename(&mut place, &HashMap::from([(name.to_string(), here)]));
        self.tokens(&mut place)
    }

    /// Where what a variable refers to is, of what goes on with it; an expression. Nothing where nothing does.
    pub(super) fn is_placed(
        &self,
        var: VarId,
        carried: &BTreeSet<VarId>,
        names: &Names,
    ) -> Option<TokenStream> {
        let name = names.of(self.flow, var);
        let goes_on =
            |of: &Referent| carried.contains(&of.base) && names.present.contains(&of.base);
        let places = self.places(var).filter(|(_, of)| goes_on(of));
        let placed: Vec<_> = places
            .map(|(at, of)| {
                let place = self.place(of, names);
                quote!((&mut #at).is_in(&#place, &#name))
            })
            .collect();
        (!placed.is_empty()).then(|| quote!(#(#placed)||*))
    }

    /// Forgets where a variable was.
    pub(super) fn unplaced(&self, var: VarId) -> TokenStream {
        let places = self.places(var);
        places.map(|(at, _)| quote!((&mut #at).clear();)).collect()
    }

    /// The variables that a state takes, those that are found in others behind these.
    pub(super) fn taken_in_order(&self, state: &State) -> Vec<VarId> {
        let mut open: Vec<VarId> = state.taken.clone();
        open.extend(
            self.places
                .keys()
                .filter(|var| self.parts_ways(**var, state)),
        );
        let mut all: BTreeSet<VarId> = open.iter().copied().collect();
        while let Some(var) = open.pop() {
            let bases = self.places(var).map(|(_, of)| of.base);
            let carried = bases.filter(|base| state.carried.contains(base));
            open.extend(carried.filter(|base| all.insert(*base)));
        }
        if !all.iter().any(|var| self.places.contains_key(var)) {
            return all.into_iter().collect();
        }
        let mut order = self.borrowers_first(&all);
        order.reverse();
        order
    }

    /// Whether a variable goes on behind a state that is the last one for what it may be found in: from there on it is a copy.
    fn parts_ways(&self, var: VarId, state: &State) -> bool {
        let carries = |state: &State, var: VarId| state.carried.contains(&var);
        let leaves = |of: &Referent| {
            let next = self.plan.behind(self.flow, state.block);
            let mut next = next.filter_map(|block| Some(self.plan.state(block)?.1));
            carries(state, of.base)
                && next.any(|next| carries(next, var) && !carries(next, of.base))
        };
        carries(state, var) && self.places(var).any(|(_, of)| leaves(of))
    }

    /// Variables, each before those in which it is found again.
    pub(super) fn borrowers_first(&self, vars: &BTreeSet<VarId>) -> Vec<VarId> {
        let order = self.lent.borrowers_first(vars);
        let is_behind = |var: &VarId, base: VarId| {
            let mut from = order.iter().skip_while(|known| *known != var);
            from.any(|known| *known == base)
        };
        let mut places = order
            .iter()
            .flat_map(|var| self.places(*var).map(move |(_, of)| (var, of.base)));
        match places.all(|(var, base)| !vars.contains(&base) || is_behind(var, base)) {
            true => order,
            false => {
                let all = self.lent.borrowers_first(&self.slots).into_iter();
                all.filter(|var| vars.contains(var)).collect()
            }
        }
    }

    /// The value of a variable where a state begins: found again, or `otherwise`.
    pub(super) fn found_again(
        &self,
        var: VarId,
        state: &State,
        names: &Names,
        otherwise: TokenStream,
    ) -> TokenStream {
        let goes_on = |of: &Referent| state.carried.contains(&of.base);
        let places = self.places(var).filter(|(_, of)| goes_on(of));
        let places = places.map(|(at, of)| (at, self.place(of, names)));
        there(places, otherwise)
    }

    /// Writes where a variable is, or what `otherwise` writes.
    pub(super) fn saved_in_place(&self, var: VarId, otherwise: TokenStream) -> TokenStream {
        let places: Vec<_> = self.places(var).map(|(at, _)| at).collect();
        if places.is_empty() {
            return otherwise;
        }
        quote! {
            if !::saga_runtime::__private::save_referent(&[#(&#places),*], &mut __saga_frame) {
                #otherwise
            }
        }
    }

    /// The same where it is read.
    pub(super) fn loaded_in_place(&self, var: VarId, otherwise: TokenStream) -> TokenStream {
        let places: Vec<_> = self.places(var).map(|(at, _)| at).collect();
        if places.is_empty() {
            return otherwise;
        }
        quote! {
            if !::saga_runtime::__private::load_referent(&mut [#(&mut #places),*], &mut __saga) {
                #otherwise
            }
        }
    }
}
