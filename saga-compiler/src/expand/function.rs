//! What the runtime knows of the function.

use proc_macro2::TokenStream;
use quote::quote;

use super::machine::Machine;

use crate::{analysis::successors, cfg::VarId, syntax::fingerprint::with_layout};

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
                let next = successors::after(self.flow, index).into_iter();
                quote! {
                    ::saga_runtime::__private::Point {
                        key: #key,
                        awaits: #awaits,
                        stored: &[#(#stored),*],
                        next: &[#(#next),*],
                    }
                }
            });
        let first = successors::first(self.flow).into_iter();
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
}
