//! A stable hash of tokens that ignores comments and formatting.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::keywords::is_keyword;

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

    /// Tokens as they are written, less what only says how.
    pub(crate) fn verbatim(&mut self, tokens: TokenStream) {
        each(tokens, &mut |piece| match piece {
            Piece::Open(delimiter) => self.text(&format!("{delimiter:?}")),
            Piece::Leaf(token) => self.text(&token.to_string()),
            Piece::Close => self.text("end"),
        });
    }
}

/// A piece of a text.
pub(crate) enum Piece<'t> {
    Open(Delimiter),
    Leaf(&'t TokenTree),
    Close,
}

/// The pieces of a text, but for doc comments, and for a comma at the end of a list: a formatter puts it there, or takes it away.
pub(crate) fn each(tokens: TokenStream, seen: &mut impl FnMut(Piece<'_>)) {
    walk(tokens, LastComma::MayMakeATuple, seen);
}

/// What a comma at the end of a group says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastComma {
    /// Nothing.
    IsStyle,
    /// That there is a tuple, where it is the only one.
    MayMakeATuple,
    /// What a macro takes it for.
    IsGiven,
}

impl LastComma {
    /// In a group, behind this token of a text where it says so much.
    fn within(self, group: &Group, before: Option<&TokenTree>) -> Self {
        match (self, group.delimiter(), before) {
            (Self::IsGiven, _, _) => Self::IsGiven,
            (_, _, Some(TokenTree::Punct(punct))) if punct.as_char() == '!' => Self::IsGiven,
            (_, Delimiter::Brace | Delimiter::Bracket, _) => Self::IsStyle,
            // Of a call, a pattern or a type.
            (_, Delimiter::Parenthesis, Some(TokenTree::Ident(ident))) if !is_keyword(ident) => {
                Self::IsStyle
            }
            (_, Delimiter::Parenthesis | Delimiter::None, _) => Self::MayMakeATuple,
        }
    }
}

fn walk(tokens: TokenStream, last: LastComma, seen: &mut impl FnMut(Piece<'_>)) {
    let mut tokens = tokens.into_iter().peekable();
    let mut before: Option<TokenTree> = None;
    let mut commas = 0;
    while let Some(next) = tokens.next() {
        match &next {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                if tokens.next_if(is_doc).is_some() {
                    continue;
                }
                seen(Piece::Leaf(&next));
            }
            TokenTree::Punct(punct) if punct.as_char() == ',' => {
                let is_style = match last {
                    LastComma::IsStyle => true,
                    LastComma::MayMakeATuple => commas > 0,
                    LastComma::IsGiven => false,
                };
                if !is_style || tokens.peek().is_some() {
                    seen(Piece::Leaf(&next));
                }
                commas += 1;
            }
            TokenTree::Group(group) => {
                let within = last.within(group, before.as_ref());
                seen(Piece::Open(group.delimiter()));
                walk(group.stream(), within, seen);
                seen(Piece::Close);
            }
            leaf => seen(Piece::Leaf(leaf)),
        }
        before = Some(next);
    }
}

/// `[doc = ".."]`
fn is_doc(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else {
        return false;
    };
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket
        && matches!(first, Some(TokenTree::Ident(ident)) if ident == "doc")
}

#[cfg(test)]
mod tests {
    use super::Hash;

    /// Nothing where it is no text.
    fn hash(text: &str) -> Option<u64> {
        let mut hash = Hash::new();
        hash.verbatim(text.parse().ok()?);
        Some(hash.finish())
    }

    #[test]
    fn a_comma_that_a_formatter_puts_says_nothing() {
        for (text, formatted) in [
            ("f(a)", "f(a,)"),
            ("x.f(a, b)", "x.f(a, b,)"),
            ("x.f::<A>(a, b)", "x.f::<A>(a, b,)"),
            ("S { a, b: (c, d) }", "S { a, b: (c, d,), }"),
            ("[a, b]", "[a, b,]"),
            (
                "match x { Some(a) => b, None => c }",
                "match x { Some(a,) => b, None => c, }",
            ),
            ("/// A.\nlet x = 5;", "let x = 5;"),
        ] {
            assert!(hash(text).is_some(), "{text}");
            assert_eq!(hash(text), hash(formatted), "{text}");
        }
    }

    #[test]
    fn a_comma_that_makes_a_tuple_or_is_given_to_a_macro_counts() {
        for (text, other) in [
            ("(a)", "(a,)"),
            ("return (a);", "return (a,);"),
            ("f((a))", "f((a,))"),
            ("x = (a)", "x = (a,)"),
            ("m!(a)", "m!(a,)"),
            ("m!(f(a))", "m!(f(a,))"),
            ("m![[a, b]]", "m![[a, b,]]"),
            ("f(a, b)", "f(a b)"),
            ("[a, b]", "[a,, b]"),
        ] {
            assert!(hash(text).is_some() && hash(other).is_some(), "{text}");
            assert_ne!(hash(text), hash(other), "{text}");
        }
    }
}
