//! Async blocks that are continued as functions are: where they are called, they stand.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::quote;
use syn::FnArg;

use super::{entry::rename_params, machine};
use crate::{
    analysis::{graph::PointFacts, states::Plan},
    ast::tokens::grouped,
    cfg::Flow,
    syntax::function::Input,
};

/// What takes the arguments, and the block.
pub(crate) struct Machine {
    params: TokenStream,
    block: TokenStream,
}

/// The block, as it is written where it is called.
pub(crate) fn nested(input: &Input, flow: &Flow, plan: &Plan, points: &[PointFacts]) -> Machine {
    let mut sig = input.item.sig.clone();
    rename_params(&mut sig, flow);
    let params = sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(param) => Some(&param.pat),
        FnArg::Receiver(_) => None,
    });
    let machine = machine::machine(input, flow, plan, points);
    Machine {
        params: params.map(|param| quote!(#param,)).collect(),
        block: quote!(async move { #machine }),
    }
}

/// Writes each block where it is called; what it is given has its types before they are asked for.
///
/// ```text
/// block_0(&list, n)   →   match (&list, n,) { (list, n,) => async move { … } }
/// ```
pub(crate) fn put_in(tokens: TokenStream, nested: &BTreeMap<Ident, Machine>) -> TokenStream {
    if nested.is_empty() {
        return tokens;
    }
    let mut out: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(name) => match (nested.get(&name), tokens.peek()) {
                (Some(machine), Some(TokenTree::Group(given)))
                    if given.delimiter() == Delimiter::Parenthesis =>
                {
                    let given = put_in(given.stream(), nested);
                    let comma = (!given.is_empty()).then(|| quote!(,));
                    tokens.next();
                    let (params, block) = (&machine.params, put_in(machine.block.clone(), nested));
                    let stands = quote!({
                        match (#given #comma) {
                            #[allow(unused_mut, unused_variables)]
                            (#params) => #block,
                        }
                    });
                    out.extend(stands);
                }
                _ => out.push(name.into()),
            },
            TokenTree::Group(group) => {
                out.push(grouped(&group, put_in(group.stream(), nested)));
            }
            other => out.push(other),
        }
    }
    out.into_iter().collect()
}
