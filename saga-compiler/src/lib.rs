//! The compiler behind `#[saga]`, as a library: `saga-macros` is a thin shell around it, and tools that read saga
//! functions use it on source text. Authors of servers use the `saga-runtime` crate.
//!
//! The pipeline, one direction only: `syntax` → `check` → `lower` (to `cfg`) → `analysis` → `expand`; all of them know `ast`.

mod analysis;
mod around;
mod ast;
mod cfg;
mod check;
mod describe;
mod elicit;
mod errors;
mod expand;
mod lower;
mod resource;
mod syntax;
pub mod told;
mod toolbox;

use proc_macro2::TokenStream;
use syn::ImplItemFn;

use crate::{errors::Errors, told::Telling};

pub use ast::vocabulary::{is_ask, is_question};
pub use describe::{Function, Point, Variable, describe};

/// What `#[saga(attribute)]` makes of `item`: a resumable continuation, or errors on the author's own tokens.
pub fn saga(attribute: TokenStream, item: TokenStream) -> TokenStream {
    saga_impl(attribute, item.clone()).unwrap_or_else(|errors| errors.into_tokens(&item))
}

/// The same for a compilation that is to tell a tool what rustc knows, and to fail: an error for each function, with its text
/// as it stands once macros and conditions are resolved, and one for each variable, with its type. See [`told`].
pub fn saga_with_types(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let told = Telling::of(&attribute, &item);
    let tokens = expanded(attribute, item.clone(), Some(told));
    tokens.unwrap_or_else(|errors| errors.into_tokens(&item))
}

/// What `#[derive(Elicit)]` makes of `item`.
pub fn derive_elicit(item: TokenStream) -> TokenStream {
    elicit::elicit(item).unwrap_or_else(Errors::into_errors)
}

/// What `#[resource(attribute)]` makes of `item`.
pub fn resource(attribute: TokenStream, item: TokenStream) -> TokenStream {
    resource::resource(attribute, item.clone()).unwrap_or_else(|errors| errors.into_tokens(&item))
}

/// What `toolbox![functions]` makes of the paths in it.
pub fn toolbox(functions: TokenStream) -> TokenStream {
    toolbox::toolbox(functions).unwrap_or_else(|errors| {
        // Several errors are no expression.
        let errors = errors.into_errors();
        quote::quote!({ #errors })
    })
}

/// A function on its way from text to tokens.
struct Compiled {
    input: syntax::function::Input,
    flow: cfg::Flow,
    plan: analysis::states::Plan,
    points: Vec<analysis::graph::PointFacts>,
    /// The async blocks that ask where a call may stand.
    nested: Vec<(proc_macro2::Ident, Compiled)>,
}

fn saga_impl(attribute: TokenStream, item: TokenStream) -> Result<TokenStream, Errors> {
    expanded(attribute, item, None)
}

/// The whole pipeline; `told` is what a tool is told of the function.
fn expanded(
    attribute: TokenStream,
    item: TokenStream,
    told: Option<Telling>,
) -> Result<TokenStream, Errors> {
    let item = syntax::function::read(&item)?;
    if let Some(resolved) = syntax::conditional::resolved(&attribute, &item) {
        return Ok(resolved);
    }
    let Compiled {
        mut input,
        flow,
        plan,
        points,
        nested,
    } = compiled(attribute, item)?;
    input.told = told;
    let expanded = expand::expand(&input, &flow, &plan, &points);
    let nested = nested.iter().map(|(name, block)| {
        let machine = expand::nested(&block.input, &block.flow, &block.plan, &block.points);
        (name.clone(), machine)
    });
    let expanded = expand::put_in(expanded, &nested.collect());
    Ok(match &input.runtime {
        Some(runtime) => expand::at(runtime, expanded),
        None => expanded,
    })
}

/// All of it but the last step.
fn compiled(attribute: TokenStream, item: ImplItemFn) -> Result<Compiled, Errors> {
    continued(syntax::function::parse(attribute, item)?)
}

/// The same of a function that was read.
fn continued(mut input: syntax::function::Input) -> Result<Compiled, Errors> {
    check::tool::check(&input)?;
    check::questions::check(&input)?;
    check::check(&input)?;
    check::recursion::check(&input)?;
    let mut flow = lower::lower(&input)?;
    let live = analysis::liveness::compute(&flow);
    analysis::hidden::keep(&mut flow, &live);
    let plan = analysis::states::plan(&flow, &live);
    flow.steady = analysis::replaced::check(&flow, &live, &plan)?;
    analysis::doubts::settle(&mut flow, &live, &plan);
    analysis::partial_moves::clone_instead(&mut flow, &plan);
    analysis::given_receivers::give(&mut flow, &live);
    let mut points = analysis::graph::points(&input.item.sig, &flow, &plan);
    analysis::accepts::resolve(&input.accepts, &mut points)?;
    let nested = std::mem::take(&mut input.nested).into_iter();
    let nested = nested.map(|nested| Ok((nested.name, continued(nested.input)?)));
    Ok(Compiled {
        nested: nested.collect::<Result<_, Errors>>()?,
        input,
        flow,
        plan,
        points,
    })
}

#[cfg(test)]
mod tests;
