//! What methods do, by their names: no type is known here.

use syn::ExprMethodCall;

/// Methods that borrow from their receiver, whatever it is.
pub(crate) const BORROWS: &[&str] = &[
    "as_bytes",
    "as_deref",
    "as_mut",
    "as_path",
    "as_ref",
    "as_slice",
    "as_str",
    "trim",
    "trim_start",
    "trim_end",
    "iter",
];

/// Methods of collections that give references to what is in them; their result is checked to be one.
pub(crate) const LOOKUPS: &[&str] = &["first", "last", "get", "file_name", "extension", "to_str"];

/// Methods that give a new value and have no other effect.
pub(crate) const VALUES: &[&str] = &[
    "clone",
    "to_owned",
    "to_string",
    "to_vec",
    "len",
    "is_empty",
    "is_some",
    "is_none",
    "cloned",
    "copied",
    "unwrap_or_default",
    "unwrap_or",
    "to_lowercase",
    "to_uppercase",
    "ok",
    "flatten",
    "is_ok",
    "is_err",
    "into_bytes",
    "as_array",
    "as_object",
    "as_i64",
    "as_u64",
    "as_f64",
    "as_bool",
];

/// Methods that make an iterator of something; a loop's iterator is checked by its type.
pub(crate) const ITERATORS: &[&str] = &[
    "iter",
    "iter_mut",
    "into_iter",
    "chars",
    "char_indices",
    "bytes",
    "lines",
    "split_whitespace",
    "split_ascii_whitespace",
    "split",
    "rsplit",
    "splitn",
    "keys",
    "values",
    "values_mut",
    "into_keys",
    "into_values",
    "windows",
    "chunks",
    "chunks_exact",
];

/// Methods that make one iterator of others without running the author's code.
pub(crate) const ADAPTERS: &[&str] = &[
    "enumerate",
    "rev",
    "zip",
    "chain",
    "skip",
    "take",
    "step_by",
    "cloned",
    "copied",
    "into_iter",
];

/// Methods that take a value out of an `Option`, or another one for it.
pub(crate) const DEFAULTS: &[&str] = &["unwrap_or", "unwrap_or_default"];

/// Methods that only take a value out of an `Option` or a `Result`.
pub(crate) const UNWRAPS: &[&str] = &["unwrap", "expect"];

/// Methods that change only the error.
pub(crate) const ERROR_ONLY: &[&str] =
    &["map_err", "ok_or", "ok_or_else", "context", "with_context"];

pub(crate) fn is_one_of(call: &ExprMethodCall, names: &[&str]) -> bool {
    call.turbofish.is_none() && names.contains(&call.method.to_string().as_str())
}

/// Whether a method only gives a value, or a borrow.
pub(crate) fn gives_a_value(call: &ExprMethodCall) -> bool {
    is_one_of(call, BORROWS) || is_one_of(call, LOOKUPS) || is_one_of(call, VALUES)
}
