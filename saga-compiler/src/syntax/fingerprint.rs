//! A hash of a function's text that ignores comments, formatting and attributes.

use proc_macro2::{TokenStream, TokenTree};

use quote::ToTokens;

use syn::visit_mut::VisitMut;

/// 64-bit FNV-1a over the tokens of signature and body.
pub(crate) fn fingerprint(signature: &syn::Signature, body: &syn::Block) -> u64 {
    let mut body = body.clone();
    StripDocs.visit_block_mut(&mut body);
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    hash.stream(signature.to_token_stream());
    hash.stream(body.to_token_stream());
    hash.0
}

/// The same, with what the frames hold: another release may lay out the same text differently.
pub(crate) fn with_layout<'n>(fingerprint: u64, names: impl Iterator<Item = &'n str>) -> u64 {
    let mut hash = Hash(fingerprint);
    hash.bytes(env!("CARGO_PKG_VERSION").as_bytes());
    names.for_each(|name| hash.bytes(name.as_bytes()));
    hash.0
}

struct StripDocs;

impl VisitMut for StripDocs {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<syn::Attribute>) {
        attributes.retain(|attribute| !attribute.path().is_ident("doc"));
    }
}

struct Hash(u64);

impl Hash {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        // A separator that is in no token.
        self.0 = (self.0 ^ 0xff).wrapping_mul(0x0100_0000_01b3);
    }

    fn stream(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => {
                    self.bytes(format!("{:?}", group.delimiter()).as_bytes());
                    self.stream(group.stream());
                    self.bytes(b"end");
                }
                other => self.bytes(other.to_string().as_bytes()),
            }
        }
    }
}
