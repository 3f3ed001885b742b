//! The macros of the `saga-runtime` crate; use them from there. What they do is in `saga-compiler`.

/// Compiles an `async fn` that asks the client into a resumable continuation.
///
/// Stands above rmcp's `#[tool]`, on a method or a free function that takes the client's handle
/// (`RequestContext<RoleServer>`, `Peer<RoleServer>`, or a reference to either). What it understands
/// and what it refuses is in `docs/language.md` and `docs/refused.md`.
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
    let (attribute, item) = (attribute.into(), item.into());
    match tells_types() {
        true => saga_compiler::saga_with_types(attribute, item).into(),
        false => saga_compiler::saga(attribute, item).into(),
    }
}

/// Whether `cargo saga` compiles this crate for what rustc knows of it: `--cfg saga_types`, which cargo, unlike a variable of the
/// environment, tells from a compilation without it.
fn tells_types() -> bool {
    std::env::args_os().any(|argument| argument == "saga_types")
}

/// A form for elicitation, of a struct; a choice, of an enum without data. See `saga_runtime::Elicit`.
#[proc_macro_derive(Elicit, attributes(elicit, serde, schemars))]
pub fn derive_elicit(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    saga_compiler::derive_elicit(item.into()).into()
}

/// A `Toolbox` of free functions: `toolbox![deploy, ops::restart]` of tools alone, or with all there is:
///
/// ```text
/// toolbox! {
///     state: Desk::open(path)?,       // what `State<Desk>` is, in all of them
///     tools: [lend, give_back],       // each with `#[tool]`
///     prompts: [recommend],           // each with `#[prompt]`
///     resources: [shelf, book],       // each with `#[resource("..")]`
/// }?
/// ```
///
/// Every part may be left out. Gives a `Result`: see `saga_runtime::ToolboxError`.
#[proc_macro]
pub fn toolbox(functions: proc_macro::TokenStream) -> proc_macro::TokenStream {
    saga_compiler::toolbox(functions.into()).into()
}

/// A function that reads a resource of a `Toolbox`; below `#[saga]` where it asks.
///
/// ```text
/// /// A page of a book.
/// #[saga]
/// #[resource("books://{title}/{page}", mime_type = "text/plain")]
/// async fn page(cx: Cx, Parameters(page): Parameters<Page>) -> Result<String, AskError> { … }
/// ```
///
/// The URI may have variables: `{name}` stands for text without `/`, `?` and `#`, `{+name}` for any text. `Parameters<T>`
/// has them by name, as decoded text: `%2F` is a slash there, so check what becomes a path. `Uri` has what the
/// client sent. Behind the URI: `name` (the function's, where none is given), `title`, `description` (the doc
/// comment), `mime_type`.
#[proc_macro_attribute]
pub fn resource(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    saga_compiler::resource(attribute.into(), item.into()).into()
}
