//! What the runtime knows of the function.

use proc_macro2::TokenStream;
use quote::quote;

use super::machine::Machine;

use crate::analysis::{accepts::Accepted, graph::PointFacts, successors};

impl Machine<'_> {
    /// What the runtime knows of the function.
    pub(super) fn function(&self) -> TokenStream {
        let name = self.input.item.sig.ident.to_string();
        let fingerprint = self.input.fingerprint;
        let points = self.points.iter().map(|point| self.point(point));
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

    fn point(&self, point: &PointFacts) -> TokenStream {
        let PointFacts {
            key,
            awaits,
            next,
            fingerprint,
            layout,
            ..
        } = point;
        let accepts = point.accepts.iter().map(|accepted| {
            let Accepted {
                fingerprint,
                layout: from,
            } = accepted;
            quote! {
                ::saga_runtime::__private::Accepted {
                    fingerprint: #fingerprint,
                    from: &[#(#from),*],
                    to: &[#(#layout),*],
                }
            }
        });
        let stored = point.stored.iter().map(|var| self.flow.author_name(*var));
        quote! {
            ::saga_runtime::__private::Point {
                key: #key,
                awaits: #awaits,
                stored: &[#(#stored),*],
                next: &[#(#next),*],
                fingerprint: #fingerprint,
                accepts: &[#(#accepts),*],
            }
        }
    }
}
