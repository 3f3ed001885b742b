//! Iterators over the pieces of a text: of the same pieces, with a separator that none of them has.

use std::str::{Lines, Split, SplitAsciiWhitespace, SplitN, SplitWhitespace};

use serde::Serializer;

use super::{
    arena::Arena,
    iterators::{OfItems, Steps},
};

/// Pieces of a text, and a text that is cut into the same ones.
struct Pieces {
    text: String,
    by: String,
    letter: char,
}

/// How pieces are made into one text.
enum Joined {
    /// With blanks between them.
    Blanks,
    /// Each a line. Of a line, one `\r` before its end is no part.
    Lines,
    /// With a letter between them that none of them has.
    Letter,
}

impl Pieces {
    fn of(pieces: &[String], joined: &Joined) -> Self {
        let letter = match joined {
            Joined::Blanks => ' ',
            Joined::Lines => '\n',
            Joined::Letter => separator(pieces),
        };
        let by = letter.to_string();
        let text = match joined {
            Joined::Blanks | Joined::Letter => pieces.join(&by),
            Joined::Lines => pieces.iter().flat_map(|line| [line, "\r\n"]).collect(),
        };
        Self { text, by, letter }
    }

    /// The text from the first to the last of some pieces, where they are pieces of this one.
    fn part(&self, first: &str, last: &str, joined: &Joined) -> Option<&str> {
        let start = self.text.as_ptr().addr();
        let from = first.as_ptr().addr().checked_sub(start)?;
        let to = last.as_ptr().addr().checked_sub(start)?;
        let end = match joined {
            Joined::Lines => 2,
            Joined::Blanks | Joined::Letter => 0,
        };
        let to = to.checked_add(last.len())?.checked_add(end)?;
        self.text.get(from..to)
    }
}

/// A letter that none of them has.
fn separator(pieces: &[String]) -> char {
    let mut letters = '\u{1}'..char::MAX;
    letters
        .find(|letter| pieces.iter().all(|piece| !piece.contains(*letter)))
        .unwrap_or(char::MAX)
}

/// Iterators over the pieces of a text.
macro_rules! pieces {
    ($([$($generics:tt)*] $ty:ty: $home:ty, $joined:ident, |$text:ident, $by:ident, $count:ident| $cut:expr;)*) => {
        $(
            impl<'s, 'i, $($generics)*> Steps<'s> for $ty {
                type Home = $home;
                type Left = Vec<String>;

                fn write<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                    out.collect_seq(self.clone())
                }

                fn over(left: Vec<String>, arena: &'s Arena<'s>) -> $home {
                    let $count = left.len();
                    let pieces = Pieces::of(&left, &Joined::$joined);
                    let $by = arena.keep_whole(pieces, |kept| kept.text.as_ptr().addr());
                    let $text = $by.text.as_str();
                    let mut items = $cut;
                    if $count == 0 {
                        items.next();
                    }
                    items
                }

                fn home(&self, arena: &'s Arena<'s>) -> Option<$home> {
                    Self::home_of(self.clone(), arena)
                }
            }

            impl<'s, 'i, $($generics)*> OfItems<'s> for $ty {
                fn write_items<S: Serializer>(
                    items: impl Iterator<Item = &'i str>,
                    out: S,
                ) -> Result<S::Ok, S::Error> {
                    out.collect_seq(items)
                }

                fn home_of(
                    items: impl Iterator<Item = &'i str>,
                    arena: &'s Arena<'s>,
                ) -> Option<$home> {
                    let items: Vec<&str> = items.collect();
                    let (first, last) = (items.first()?, items.last()?);
                    let $by: &'s Pieces = arena.find_whole(first.as_ptr().addr())?;
                    let $text = $by.part(first, last, &Joined::$joined)?;
                    let $count = items.len();
                    let home = $cut;
                    // Pieces may have been cut again, by something else.
                    home.clone().eq(items).then_some(home)
                }
            }
        )*
    };
}

pieces! {
    [] SplitWhitespace<'i>: SplitWhitespace<'s>, Blanks, |text, by, _count| text.split_whitespace();
    [] SplitAsciiWhitespace<'i>: SplitAsciiWhitespace<'s>, Blanks, |text, by, _count| text.split_ascii_whitespace();
    [] Lines<'i>: Lines<'s>, Lines, |text, by, _count| text.lines();
    [] Split<'i, char>: Split<'s, char>, Letter, |text, by, _count| text.split(by.letter);
    ['p] Split<'i, &'p str>: Split<'s, &'s str>, Letter, |text, by, _count| text.split(by.by.as_str());
    [] SplitN<'i, char>: SplitN<'s, char>, Letter, |text, by, count| text.splitn(count, by.letter);
    ['p] SplitN<'i, &'p str>: SplitN<'s, &'s str>, Letter, |text, by, count| text.splitn(count, by.by.as_str());
}
