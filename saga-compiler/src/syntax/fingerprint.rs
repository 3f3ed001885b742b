//! A hash of a function's text that ignores comments and formatting.

use quote::ToTokens;

use crate::ast::hash::Hash;

/// Over signature and body.
pub(crate) fn fingerprint(signature: &syn::Signature, body: &syn::Block) -> u64 {
    let mut hash = Hash::new();
    hash.verbatim(signature.to_token_stream());
    hash.verbatim(body.to_token_stream());
    hash.finish()
}
