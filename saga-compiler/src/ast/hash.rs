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

    /// Tokens, each as `token` writes it; doc comments are left out.
    pub(crate) fn stream(
        &mut self,
        tokens: TokenStream,
        token: &mut impl FnMut(&mut Self, &TokenTree),
    ) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(next) = tokens.next() {
            if let (TokenTree::Punct(punct), Some(TokenTree::Group(group))) = (&next, tokens.peek())
                && punct.as_char() == '#'
                && is_doc(group)
            {
                tokens.next();
                continue;
            }
            match next {
                TokenTree::Group(group) => {
                    self.text(&format!("{:?}", group.delimiter()));
                    self.stream(group.stream(), token);
                    self.text("end");
                }
                other => token(self, &other),
            }
        }
    }

    /// Tokens as they are written.
    pub(crate) fn verbatim(&mut self, tokens: TokenStream) {
        self.stream(tokens, &mut |hash, token| hash.text(&token.to_string()));
    }
}

/// `[doc = ".."]`
fn is_doc(group: &proc_macro2::Group) -> bool {
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket
        && matches!(first, Some(TokenTree::Ident(ident)) if ident == "doc")
}
