//! The `#[saga]` attribute of the `saga-runtime` crate; use it from there.
//!
//! The pipeline, one direction only: `syntax` → `check` → `lower` (to `cfg`) → `analysis` → `expand`; all of them know `ast`.

mod analysis;
mod ast;
mod cfg;
mod check;
mod elicit;
mod errors;
mod expand;
mod lower;
mod syntax;
mod toolbox;

use proc_macro2::TokenStream;

use crate::errors::Errors;

/// Compiles an `async fn` that asks the client into a resumable continuation.
///
/// Stands above rmcp's `#[tool]`, on a method or a free function that takes the client's handle
/// (`RequestContext<RoleServer>`, `Peer<RoleServer>`, or a reference to either). What it understands
/// and what it refuses is in `docs/language.md`.
///
/// ```text
/// #[saga]
/// #[tool(description = "Deploy a service")]
/// async fn deploy(&self, peer: Peer<RoleServer>) -> Result<CallToolResult, ErrorData> { … }
/// ```
#[proc_macro_attribute]
pub fn saga(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    let item = TokenStream::from(item);
    saga_impl(attribute.into(), item.clone())
        .unwrap_or_else(|errors| errors.into_tokens(&item))
        .into()
}

/// A form for elicitation, of a struct; a choice, of an enum without data. See `saga_runtime::Elicit`.
#[proc_macro_derive(Elicit, attributes(elicit, serde, schemars))]
pub fn derive_elicit(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    elicit::elicit(item.into())
        .unwrap_or_else(Errors::into_errors)
        .into()
}

/// A `Toolbox` of free functions, each with `#[tool]`: `toolbox![deploy, ops::restart]`. Gives a
/// `Result`: see `saga_runtime::Toolbox::of`.
#[proc_macro]
pub fn toolbox(functions: proc_macro::TokenStream) -> proc_macro::TokenStream {
    toolbox::toolbox(functions.into())
        .unwrap_or_else(Errors::into_errors)
        .into()
}

/// The whole pipeline.
fn saga_impl(attribute: TokenStream, item: TokenStream) -> Result<TokenStream, Errors> {
    if let Some(resolved) = syntax::conditional::resolved(&attribute, &item) {
        return Ok(resolved);
    }
    let input = syntax::function::parse(attribute, item)?;
    check::tool::check(&input)?;
    check::check(&input)?;
    let mut flow = lower::lower(&input)?;
    let live = analysis::liveness::compute(&flow);
    let plan = analysis::states::plan(&flow, &live);
    analysis::partial_moves::clone_instead(&mut flow, &plan);
    let expanded = expand::expand(&input, &flow, &plan);
    Ok(match &input.runtime {
        Some(runtime) => expand::at(runtime, expanded),
        None => expanded,
    })
}

#[cfg(test)]
mod tests;
