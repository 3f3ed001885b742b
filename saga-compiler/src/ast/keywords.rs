//! Words that are no names.

use std::borrow::Cow;

use proc_macro2::Ident;

/// Whether an expression begins anew behind it: what stands there is not called, and no path goes on.
pub(crate) fn is_keyword(ident: &Ident) -> bool {
    [
        "as", "break", "const", "dyn", "else", "for", "if", "impl", "in", "let", "match", "move",
        "mut", "ref", "return", "static", "unsafe", "use", "where", "while", "yield",
    ]
    .iter()
    .any(|word| ident == word)
}

/// The variable that a name in a format string means: `{type}` is `r#type`.
pub(crate) fn captured_name(name: &str) -> Cow<'_, str> {
    match syn::parse_str::<Ident>(name) {
        Ok(_) => name.into(),
        Err(_) if name == "self" => name.into(),
        Err(_) => format!("r#{name}").into(),
    }
}
