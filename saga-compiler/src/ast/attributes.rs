//! Attributes, by their names.

use syn::Attribute;

/// `#[saga(…)]`.
pub(crate) fn is_saga(path: &syn::Path) -> bool {
    path.segments
        .last()
        .is_some_and(|last| last.ident == "saga")
}

/// `#[tool]`, `#[rmcp::tool]`.
pub(crate) fn is_named(attribute: &Attribute, name: &str) -> bool {
    attribute
        .path()
        .segments
        .last()
        .is_some_and(|last| last.ident == name)
}
