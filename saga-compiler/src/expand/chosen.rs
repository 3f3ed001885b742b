//! Which choice a slot's type makes.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use super::machine::Machine;
use crate::{
    analysis::{escaping::escaping, for_good::for_good},
    ast::{
        tokens::never,
        types::{is_handle_type, is_shared_reference, is_unique_reference},
    },
    cfg::{Access, VarId, persistence::Form},
    syntax::function::Kind,
};

impl Machine<'_> {
    /// Chooses the forms of the slots by their types, which the author's code has told by then; what comes behind it knows
    /// them.
    pub(super) fn chosen(&self) -> TokenStream {
        let escaping = escaping(self.flow, &self.input.item.sig.output);
        let for_good = for_good(self.flow, &self.input.item.sig.output);
        let open = self.slots.iter();
        let open = open.filter(|var| self.known_form(**var).is_none());
        let chosen: TokenStream = open
            .map(|var| {
                let slot = self.slot(*var);
                let span = slot.span();
                let persistence = &self.flow.var(*var).persistence;
                let hints = persistence.hints();
                let again = persistence.rematerialized();
                let kind = match self.points_of(*var) {
                    None if self.is_lending(*var) => "saga_passing_parts",
                    None => "saga_unsaved",
                    Some(_) if hints.is_some_and(|hints| hints.given) => "saga_given",
                    Some(_) if again.is_some_and(|again| again.makes) => "saga_made",
                    Some(_) if again.is_some() && escaping.contains(var) => "saga_found",
                    Some(_) if again.is_some() => "saga_again",
                    Some(_)
                        if self.lent.contains(*var) && hints.is_some_and(|hints| hints.borrows) =>
                    {
                        match self.parts.made.contains_key(var) {
                            true if self.is_lending(*var) => "saga_lending_parts",
                            true => "saga_lent_parts",
                            false => "saga_lent",
                        }
                    }
                    Some(_) if self.is_lending(*var) => "saga_perhaps_lending_parts",
                    Some(_) if self.parts.made.contains_key(var) => "saga_parts",
                    Some(_) => "saga_form",
                };
                let in_parts = kind.ends_with("_parts");
                let parts = in_parts.then(|| self.chosen_parts(*var));
                let kind = Ident::new(kind, span);
                let form = match (self.chosen_outliving(*var, &kind), for_good.contains(var)) {
                    (None, false) => {
                        quote_spanned!(span=> ::saga_runtime::__private::choose_form!(#slot, #kind);)
                    }
                    (Some(form), false) => {
                        quote_spanned!(span=> ::saga_runtime::__private::chosen(&#slot, #form);)
                    }
                    (None, true) => lasting(
                        &slot,
                        &quote_spanned!(span=> ::saga_runtime::__private::form_of!(#slot, #kind)),
                    ),
                    (Some(form), true) => lasting(&slot, &form),
                };
                quote!(#form #parts)
            })
            .collect();
        let remade = self.slots.iter().filter(|var| {
            let form = self.flow.var(**var).persistence.form();
            matches!(form, Some(Form::Reevaluated(_)))
        });
        // A lock that is taken again is another one: what was seen under the first may have changed.
        let remade = remade.map(|var| {
            let slot = self.slot(*var);
            let span = slot.span();
            let witness = Ident::new("__saga_remade", span);
            quote_spanned! {span=> {
                let #witness = ::saga_runtime::__private::Witness::of_slot(&#slot);
                ::saga_runtime::__private::left_in_part!(#witness);
            }}
        });
        let kept = self.kept_params();
        never(&quote!(#chosen #(#remade)* #kept))
    }

    /// Has rustc look whether what a helper is given by value, and keeps where it is, may be given once more: a guard may not.
    fn kept_params(&self) -> TokenStream {
        let kept = self.flow.params.iter().filter(|param| {
            self.input.kind == Kind::Helper
                && param.access == Access::Direct
                && !is_shared_reference(&param.ty)
                && !is_unique_reference(&param.ty)
                && !is_handle_type(&param.ty)
        });
        let looked_at = kept.flat_map(|param| &param.vars).map(|var| {
            let (slot, name) = (self.slot(*var), &self.flow.var(*var).ident);
            quote_spanned! {slot.span()=>
                let #slot = ::saga_runtime::__private::Slot::new();
                (&#slot).is(&#name);
                ::saga_runtime::__private::choose_form!(#slot, saga_given);
            }
        });
        looked_at.collect()
    }

    /// Whether a variable that is stored in parts refers to what its block owns.
    pub(super) fn is_lending(&self, var: VarId) -> bool {
        let persistence = &self.flow.var(var).persistence;
        let hints = persistence.hints();
        self.lent.contains(var)
            && self.parts.lending.contains(&var)
            && persistence.rematerialized().is_none()
            && hints.is_some_and(|hints| !hints.given)
    }
}

/// The form of what the function gives away for good, of the one that it would have.
fn lasting(slot: &Ident, form: &TokenStream) -> TokenStream {
    let span = slot.span();
    quote_spanned! {span=> {
        #[allow(unused_imports)]
        use ::saga_runtime::__private::{NoTexts as _, TextsThatLast as _};
        let __saga_lasting = (&&::saga_runtime::__private::Witness::of_slot(&#slot)).saga_lasting();
        ::saga_runtime::__private::chosen(&#slot, ::saga_runtime::__private::for_good(__saga_lasting, #form));
    }}
}
