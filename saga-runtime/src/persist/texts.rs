//! Pieces of texts, by where they are in them.

use std::collections::BTreeMap;

use super::found::FoundIn;
use crate::hash::fnv1a;

/// A text, or a list of some, in which pieces are found.
#[derive(Debug, Clone, Copy)]
pub struct Texts<B>(pub B);

/// What has texts in it, each time in the same order.
pub trait HasTexts {
    /// What a text is says which one it is: wherever a literal is written, it may be somewhere else in memory.
    const BY_CONTENT: bool = false;

    /// Each of them.
    fn each<'a>(&'a self, see: &mut dyn FnMut(&'a str));
}

macro_rules! texts {
    ($([$($generics:tt)*] $ty:ty: |$value:ident, $see:ident| $each:expr;)*) => {
        $(impl<$($generics)*> HasTexts for $ty {
            fn each<'a>(&'a self, $see: &mut dyn FnMut(&'a str)) {
                let $value = self;
                $each
            }
        })*
    };
}

texts! {
    [] str: |text, see| see(text);
    [] String: |text, see| see(text);
    [T: HasTexts + ?Sized] &T: |lent, see| (**lent).each(see);
    [T: HasTexts + ?Sized] Box<T>: |boxed, see| (**boxed).each(see);
    [T: HasTexts] Option<T>: |items, see| items.iter().for_each(|item| item.each(see));
    [T: HasTexts] [T]: |items, see| items.iter().for_each(|item| item.each(see));
    [T: HasTexts] Vec<T>: |items, see| items.iter().for_each(|item| item.each(see));
    [T: HasTexts, const N: usize] [T; N]: |items, see| items.iter().for_each(|item| item.each(see));
    [K: HasTexts, V: HasTexts] BTreeMap<K, V>: |entries, see| entries.iter().for_each(|(key, value)| {
        key.each(see);
        value.each(see);
    });
    [A: HasTexts, B: HasTexts] (A, B): |both, see| {
        both.0.each(see);
        both.1.each(see);
    };
    [A: HasTexts, B: HasTexts, C: HasTexts] (A, B, C): |all, see| {
        all.0.each(see);
        all.1.each(see);
        all.2.each(see);
    };
}

/// Literals and constants.
#[derive(Debug)]
pub struct ByContent<T>(pub T);

impl<T: HasTexts> HasTexts for ByContent<T> {
    const BY_CONTENT: bool = true;

    fn each<'a>(&'a self, see: &mut dyn FnMut(&'a str)) {
        self.0.each(see);
    }
}

macro_rules! without_texts {
    ($($ty:ty)*) => {
        $(impl HasTexts for $ty {
            fn each<'a>(&'a self, _: &mut dyn FnMut(&'a str)) {}
        })*
    };
}

without_texts!(bool char f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// Of which text, where it begins and how long it is, and what it is: another process may have another text there.
type Piece = (usize, usize, usize, u32);

fn offset(text: &str, piece: &str) -> Option<usize> {
    let start = piece.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    (start.checked_add(piece.len())? <= text.len()).then_some(start)
}

/// What shows each text of something.
type Each<'e, 't> = &'e dyn Fn(&mut dyn FnMut(&'t str));

/// The first of the texts in which a piece begins, as `start` says.
fn piece_at<'t>(
    each: Each<'_, 't>,
    piece: &str,
    start: impl Fn(&str) -> Option<usize>,
) -> Option<Piece> {
    let (mut number, mut found) = (0, None);
    each(&mut |text| {
        if let (None, Some(start)) = (found, start(text)) {
            found = Some((number, start, piece.len(), fnv1a(piece.as_bytes())));
        }
        number += 1;
    });
    found
}

/// The piece that is there now, if that is the same.
fn piece_there<'t>(each: Each<'_, 't>, (number, start, length, hash): &Piece) -> Option<&'t str> {
    let (mut at, mut found) = (0, None);
    each(&mut |text| {
        if at == *number {
            found = Some(text);
        }
        at += 1;
    });
    let piece: &'t str = found?.get(*start..start.checked_add(*length)?)?;
    (fnv1a(piece.as_bytes()) == *hash).then_some(piece)
}

impl<'a, B: HasTexts + ?Sized> FoundIn<Texts<&'a B>> for &'a str {
    type At = Piece;

    fn at(&self, texts: Texts<&'a B>) -> Option<Piece> {
        piece_at(&|see| texts.0.each(see), self, |text| match B::BY_CONTENT {
            true => (text == *self).then_some(0),
            false => offset(text, self),
        })
    }

    fn there(texts: Texts<&'a B>, at: &Piece) -> Option<Self> {
        piece_there(&|see| texts.0.each(see), at)
    }
}

impl<'a, B, V, W> FoundIn<Texts<&'a B>> for (V, W)
where
    B: ?Sized,
    V: FoundIn<Texts<&'a B>>,
    W: FoundIn<Texts<&'a B>>,
{
    type At = (V::At, W::At);

    fn at(&self, texts: Texts<&'a B>) -> Option<Self::At> {
        Some((self.0.at(texts)?, self.1.at(texts)?))
    }

    fn there(texts: Texts<&'a B>, at: &Self::At) -> Option<Self> {
        Some((V::there(texts, &at.0)?, W::there(texts, &at.1)?))
    }
}

/// What a reference leads to that ends before the texts do which are lent in it: `&[&'a str]`.
#[derive(Debug)]
pub struct Within<B>(pub B);

/// The texts that are lent in something, in which pieces are found.
#[derive(Debug, Clone, Copy)]
pub struct TextsWithin<B>(pub B);

/// What lends texts, each time in the same order.
pub trait LendsTexts<'t> {
    /// Each of them.
    fn each(&self, see: &mut dyn FnMut(&'t str));
}

macro_rules! lends {
    ($([$($generics:tt)*] $ty:ty: |$value:ident, $see:ident| $each:expr;)*) => {
        $(impl<'t, $($generics)*> LendsTexts<'t> for $ty {
            fn each(&self, $see: &mut dyn FnMut(&'t str)) {
                let $value = self;
                $each
            }
        })*
    };
}

lends! {
    ['a: 't] &'a str: |text, see| see(text);
    [T: LendsTexts<'t> + ?Sized] &T: |lent, see| (**lent).each(see);
    [T: LendsTexts<'t>] Option<T>: |items, see| items.iter().for_each(|item| item.each(see));
    [T: LendsTexts<'t>] [T]: |items, see| items.iter().for_each(|item| item.each(see));
    [T: LendsTexts<'t>] Vec<T>: |items, see| items.iter().for_each(|item| item.each(see));
    [T: LendsTexts<'t>, const N: usize] [T; N]: |items, see| items.iter().for_each(|item| item.each(see));
    [A: LendsTexts<'t>, B: LendsTexts<'t>] (A, B): |both, see| {
        both.0.each(see);
        both.1.each(see);
    };
    [A: LendsTexts<'t>, B: LendsTexts<'t>, C: LendsTexts<'t>] (A, B, C): |all, see| {
        all.0.each(see);
        all.1.each(see);
        all.2.each(see);
    };
}

macro_rules! lends_none {
    ($($ty:ty)*) => {
        $(impl<'t> LendsTexts<'t> for $ty {
            fn each(&self, _: &mut dyn FnMut(&'t str)) {}
        })*
    };
}

lends_none!(bool char f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize String);

impl<'t, 'b, B: LendsTexts<'t>> FoundIn<TextsWithin<&'b Within<B>>> for &'t str {
    type At = Piece;

    fn at(&self, texts: TextsWithin<&'b Within<B>>) -> Option<Piece> {
        piece_at(&|see| texts.0.0.each(see), self, |text| offset(text, self))
    }

    fn there(texts: TextsWithin<&'b Within<B>>, at: &Piece) -> Option<Self> {
        piece_there(&|see| texts.0.0.each(see), at)
    }
}

impl<'b, B, V, W> FoundIn<TextsWithin<&'b Within<B>>> for (V, W)
where
    V: FoundIn<TextsWithin<&'b Within<B>>>,
    W: FoundIn<TextsWithin<&'b Within<B>>>,
{
    type At = (V::At, W::At);

    fn at(&self, texts: TextsWithin<&'b Within<B>>) -> Option<Self::At> {
        Some((self.0.at(texts)?, self.1.at(texts)?))
    }

    fn there(texts: TextsWithin<&'b Within<B>>, at: &Self::At) -> Option<Self> {
        Some((V::there(texts, &at.0)?, W::there(texts, &at.1)?))
    }
}

/// Texts with numbers beside them, by themselves and in a map.
macro_rules! with_numbers {
    ($($number:ty)*) => {
        $(
            impl<'b, B, V: FoundIn<TextsWithin<&'b Within<B>>>> FoundIn<TextsWithin<&'b Within<B>>> for (V, $number) {
                type At = (V::At, $number);

                fn at(&self, texts: TextsWithin<&'b Within<B>>) -> Option<Self::At> {
                    Some((self.0.at(texts)?, self.1))
                }

                fn there(texts: TextsWithin<&'b Within<B>>, at: &Self::At) -> Option<Self> {
                    Some((V::there(texts, &at.0)?, at.1))
                }
            }

            impl<'b, B, K: Ord + FoundIn<TextsWithin<&'b Within<B>>>> FoundIn<TextsWithin<&'b Within<B>>>
                for BTreeMap<K, $number>
            {
                type At = Vec<(K::At, $number)>;

                fn at(&self, texts: TextsWithin<&'b Within<B>>) -> Option<Self::At> {
                    self.iter().map(|(key, number)| Some((key.at(texts)?, *number))).collect()
                }

                fn there(texts: TextsWithin<&'b Within<B>>, at: &Self::At) -> Option<Self> {
                    at.iter().map(|(key, number)| Some((K::there(texts, key)?, *number))).collect()
                }
            }
        )*
    };
}

with_numbers!(bool char f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_found_where_they_are() {
        let texts = vec![
            ("a b".to_owned(), Some("c d".to_owned())),
            ("a b".to_owned(), None),
        ];
        let piece = texts[0]
            .1
            .as_deref()
            .and_then(|text| text.split(' ').next_back());
        let at = piece.at(Texts(&texts)).unwrap_or_default();
        assert_eq!(at, Some((1, 2, 1, fnv1a(b"d"))));
        assert_eq!(Option::<&str>::there(Texts(&texts), &at), Some(Some("d")));
        // Of two that are the same, each is itself.
        let second = texts[1].0.as_str();
        let at = second.at(Texts(&texts)).unwrap_or_default();
        assert_eq!(at.0, 2);
        assert!(<&str>::there(Texts(&texts), &at).is_some_and(|there| std::ptr::eq(there, second)));
        assert_eq!("a b".at(Texts(&texts)), None);
    }

    #[test]
    fn a_place_with_another_text_has_none_of_its_pieces() {
        let text = "one two".to_owned();
        let at = (&text[4..]).at(Texts(text.as_str())).unwrap_or_default();
        assert_eq!(<&str>::there(Texts("one two"), &at), Some("two"));
        for other in ["one six", "one", ""] {
            assert_eq!(<&str>::there(Texts(other), &at), None);
        }
    }

    #[test]
    fn a_literal_is_told_by_what_it_is() {
        let owned = "none".to_owned();
        let texts = ByContent(["", "none"]);
        let at = owned.as_str().at(Texts(&texts));
        assert_eq!(at, Some((1, 0, 4, fnv1a(b"none"))));
        assert_eq!("other".at(Texts(&texts)), None);
    }
}
