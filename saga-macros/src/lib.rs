//! The macros of the `saga-runtime` crate; use them from there. What they do is in `saga-compiler`.

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
    saga_compiler::saga(attribute.into(), item.into()).into()
}

/// A form for elicitation, of a struct; a choice, of an enum without data. See `saga_runtime::Elicit`.
#[proc_macro_derive(Elicit, attributes(elicit, serde, schemars))]
pub fn derive_elicit(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    saga_compiler::derive_elicit(item.into()).into()
}

/// A `Toolbox` of free functions, each with `#[tool]`: `toolbox![deploy, ops::restart]`. Gives a
/// `Result`: see `saga_runtime::Toolbox::of`.
#[proc_macro]
pub fn toolbox(functions: proc_macro::TokenStream) -> proc_macro::TokenStream {
    saga_compiler::toolbox(functions.into()).into()
}
