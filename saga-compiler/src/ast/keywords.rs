//! Words behind which an expression begins anew.

use proc_macro2::Ident;

/// Whether it is one: what stands behind it is not called, and no path goes on.
pub(crate) fn is_keyword(ident: &Ident) -> bool {
    [
        "as", "break", "const", "dyn", "else", "for", "if", "impl", "in", "let", "match", "move",
        "mut", "ref", "return", "static", "unsafe", "use", "where", "while", "yield",
    ]
    .iter()
    .any(|word| ident == word)
}
