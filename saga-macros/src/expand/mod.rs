//! From the plan to tokens. Nothing fails here.

mod blocks;
mod entry;
mod function;
mod machine;
mod question;
mod slots;
mod types;

use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    model::Flow,
    parse::{Input, Kind},
    plan::Plan,
};

/// ```text
/// async fn f(…) -> T { … }   →   async fn f(…) -> T { let mut state = …; loop { … } }
/// ```
pub(crate) fn expand(input: &Input, flow: &Flow, plan: &Plan) -> TokenStream {
    let machine = machine::machine(input, flow, plan);
    let function = match input.kind {
        Kind::Helper => entry::helper(input, flow, &machine),
        Kind::Tool | Kind::Prompt => entry::routed(input, flow, &machine),
        Kind::Handler => entry::handler(input, flow, &machine),
    };
    let shown = input.shown.then(|| {
        let shown = machine::function(input, flow, plan);
        entry::flow(input, &shown)
    });
    quote!(#function #shown)
}

/// Lints that the shape of generated code would set off on the author's own tokens.
fn allowed() -> TokenStream {
    quote! {
        #[allow(
            unused_mut,
            unused_variables,
            unused_assignments,
            unused_parens,
            unused_braces,
            unused_labels,
            unreachable_code,
            irrefutable_let_patterns,
            path_statements,
            dropping_references,
            deprecated,
            clippy::all
        )]
    }
}
