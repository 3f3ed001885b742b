//! Errors that tell a tool what rustc knows.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::machine::{Machine, located};

use crate::told::message;

impl Machine<'_> {
    /// The function itself, and the type of each slot: behind the blocks, where types are known.
    pub(super) fn telling(&self) -> TokenStream {
        let Some(told) = &self.input.told else {
            return TokenStream::new();
        };
        let own = self.input.fingerprint;
        let points = self.points.iter().map(|point| point.fingerprint);
        let prints: Vec<_> = std::iter::once(own).chain(points).collect();
        let (before, after) = message(told, &prints);
        let span = located(self.input.item.sig.ident.span());
        // In a body of its own: an error in this one may keep rustc from looking at its types.
        let mut tokens = quote_spanned! {span=>
            const _: () = {
                ::core::compile_error!(::core::concat!(#before, ::core::module_path!(), #after));
            };
        };
        let half = |number: u64| proc_macro2::Literal::u64_unsuffixed(number);
        let (high, low) = (half(own >> 32), half(own & 0xffff_ffff));
        for var in &self.slots {
            let slot = self.slot(*var);
            let (span, number) = (slot.span(), half(var.0 as u64));
            tokens.extend(quote_spanned! {span=>
                ::saga_runtime::__private::tell::<
                    ([(); #high], [(); #low], [(); #number]), _, _,
                >(&#slot);
            });
        }
        tokens
    }
}
