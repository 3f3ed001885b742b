//! From the plan to tokens. Nothing fails here.

mod blocks;
mod chosen;
mod copying;
mod entry;
mod forms;
mod function;
mod globals;
mod machine;
mod nested;
mod outliving;
mod parts;
mod question;
mod reborrowed;
mod receivers;
mod referents;
mod remade;
mod saved;
mod slots;
mod temporaries;
mod told;
mod types;

use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    analysis::{graph::PointFacts, states::Plan},
    ast::{keywords::is_keyword, tokens::grouped},
    cfg::Flow,
    syntax::function::{Input, Kind},
};

/// ```text
/// async fn f(…) -> T { … }   →   async fn f(…) -> T { let mut state = …; loop { … } }
/// ```
pub(crate) fn expand(
    input: &Input,
    flow: &Flow,
    plan: &Plan,
    points: &[PointFacts],
) -> TokenStream {
    let machine = machine::machine(input, flow, plan, points);
    let function = match input.kind {
        Kind::Helper => entry::helper(input, flow, &machine),
        Kind::Tool | Kind::Prompt | Kind::Resource => entry::routed(input, flow, &machine),
        Kind::Handler => entry::handler(input, flow, &machine),
    };
    let shown = input.shown.then(|| {
        let shown = machine::function(input, flow, plan, points);
        entry::flow(input, &shown)
    });
    quote!(#function #shown)
}

pub(crate) use nested::{nested, put_in};

/// On a declaration whose variable is used or changed in another state than where it stands: the lints that
/// look for that would not find it.
fn elsewhere() -> TokenStream {
    quote!(#[allow(unused_variables, unused_mut, unused_assignments)])
}

/// Lints that the shape of generated code would set off on the author's own tokens.
fn allowed() -> TokenStream {
    quote! {
        #[allow(
            unused_parens,
            unused_braces,
            unused_labels,
            unreachable_code,
            irrefutable_let_patterns,
            path_statements,
            dropping_references,
            clippy::useless_format
        )]
    }
}

/// The generated code with the runtime at another path.
pub(crate) fn at(runtime: &syn::Path, tokens: TokenStream) -> TokenStream {
    use proc_macro2::TokenTree;
    let mut out: Vec<TokenTree> = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(ident) if ident == "saga_runtime" && after_colons(&out) => {
                out.truncate(out.len() - 2);
                out.extend(quote!(#runtime));
            }
            TokenTree::Group(group) => {
                out.push(grouped(&group, at(runtime, group.stream())));
            }
            other => out.push(other),
        }
    }
    out.into_iter().collect()
}

/// Whether a path begins here: `::`, and nothing that it belongs to before it.
fn after_colons(tokens: &[proc_macro2::TokenTree]) -> bool {
    use proc_macro2::TokenTree;
    let colon =
        |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':');
    match tokens {
        [.., before, first, second] => {
            colon(first)
                && colon(second)
                && !matches!(before, TokenTree::Ident(ident) if !is_keyword(ident))
        }
        [first, second] => colon(first) && colon(second),
        _ => false,
    }
}
