//! Errors that tell a tool what rustc knows.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::machine::{Machine, located};

impl Machine<'_> {
    /// The function itself, and the type of each slot: behind the blocks, where types are known.
    pub(super) fn telling(&self) -> TokenStream {
        let Some(told) = &self.input.told else {
            return TokenStream::new();
        };
        let own = self.input.fingerprint;
        let points = self.points.iter().map(|point| point.fingerprint);
        let prints: Vec<_> = std::iter::once(own).chain(points).collect();
        let (before, after) = told.message(&prints);
        let span = located(self.input.item.sig.ident.span());
        // In a body of its own: an error in this one may keep rustc from looking at its types.
        let mut tokens = quote_spanned! {span=>
            const _: () = {
                ::core::compile_error!(::core::concat!(#before, ::core::module_path!(), #after));
            };
        };
        let number = |number: u64| proc_macro2::Literal::u64_unsuffixed(number);
        let function = number(told.number);
        for var in &self.slots {
            let slot = self.slot(*var);
            let (span, id) = (slot.span(), number(var.0 as u64));
            tokens.extend(quote_spanned! {span=>
                ::saga_runtime::__private::tell::<
                    ([(); #function], [(); #id]), _, _,
                >(&#slot);
            });
        }
        tokens
    }
}
