//! A stable hash of tokens that ignores comments and formatting.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// 64-bit FNV-1a.
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn of(start: u64) -> Self {
        Self(start)
    }

    pub(crate) fn finish(&self) -> u64 {
        self.0
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        // A separator that is in no token.
        self.0 = (self.0 ^ 0xff).wrapping_mul(0x0100_0000_01b3);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(crate) fn number(&mut self, number: usize) {
        self.bytes(&(number as u64).to_le_bytes());
    }

    /// Tokens as they are written; doc comments are left out.
    pub(crate) fn verbatim(&mut self, tokens: TokenStream) {
        for token in undocumented(tokens) {
            match token {
                TokenTree::Group(group) => {
                    self.text(&format!("{:?}", group.delimiter()));
                    self.verbatim(group.stream());
                    self.text("end");
                }
                other => self.text(&other.to_string()),
            }
        }
    }
}

/// The tokens of a stream but its doc comments.
pub(crate) fn undocumented(tokens: TokenStream) -> impl Iterator<Item = TokenTree> {
    let mut tokens = tokens.into_iter().peekable();
    std::iter::from_fn(move || {
        loop {
            let next = tokens.next()?;
            match (&next, tokens.peek()) {
                (TokenTree::Punct(punct), Some(TokenTree::Group(group)))
                    if punct.as_char() == '#' && is_doc(group) =>
                {
                    tokens.next();
                }
                _ => return Some(next),
            }
        }
    })
}

/// `[doc = ".."]`
fn is_doc(group: &proc_macro2::Group) -> bool {
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket
        && matches!(first, Some(TokenTree::Ident(ident)) if ident == "doc")
}
