//! std's iterators in a variable: the items that are left are written, and gone through again.
//!
//! What an iterator was made of cannot be seen any more. So another one is made, of the same type and with the same items: of
//! a copy in the arena, or of the same vector.

use std::{
    fmt::Debug,
    iter::{Cloned, Copied, Peekable, Rev, Skip, Take},
    marker::PhantomData,
    slice,
    str::{CharIndices, Chars},
    vec,
};

use serde::{Serialize, Serializer, de::DeserializeOwned};

use super::{arena::Arena, borrowed::encode};

/// An iterator of std's.
pub trait Steps<'s>: Sized {
    /// The same type, borrowing from the arena.
    type Home;
    /// What is written.
    type Left: DeserializeOwned;

    /// Writes the items that are left.
    ///
    /// # Errors
    /// An item cannot be written.
    fn write<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error>;

    /// What the items that are left show of themselves; nothing where what is written of them is all that there is.
    fn shown(&self) -> String {
        String::new()
    }

    /// One over those items.
    fn over(left: Self::Left, arena: &'s Arena<'s>) -> Self::Home;

    /// Itself, where it borrows nothing.
    ///
    /// # Errors
    /// It may borrow.
    fn owned(self) -> Result<Self::Home, Self> {
        Err(self)
    }

    /// The same over what the arena has already: else each block would keep one more copy of what is left.
    fn home(&self, _: &'s Arena<'s>) -> Option<Self::Home> {
        None
    }
}

/// One that can be made of items alone.
pub trait OfItems<'s>: Iterator + Steps<'s> {
    /// Writes items as [`Steps::write`] does.
    ///
    /// # Errors
    /// An item cannot be written.
    fn write_items<S: Serializer>(
        items: impl Iterator<Item = Self::Item>,
        out: S,
    ) -> Result<S::Ok, S::Error>;

    /// What items show as [`Steps::shown`] does.
    fn shown_items(_: impl Iterator<Item = Self::Item>) -> String {
        String::new()
    }

    /// One over these items, which may be in the arena already.
    fn home_of(_: impl Iterator<Item = Self::Item>, _: &'s Arena<'s>) -> Option<Self::Home> {
        None
    }
}

/// What items show, one behind the other.
fn shown(items: impl IntoIterator<Item: Debug>) -> String {
    format!("{:?}", items.into_iter().collect::<Vec<_>>())
}

/// What is left of an iterator, as it is written.
pub(super) fn left_of<'s, T: Steps<'s>>(items: &T) -> impl Serialize + use<'_, 's, T> {
    struct LeftOf<'v, 's, T>(&'v T, PhantomData<fn() -> &'s ()>);
    impl<'s, T: Steps<'s>> Serialize for LeftOf<'_, 's, T> {
        fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
            self.0.write(out)
        }
    }
    LeftOf(items, PhantomData)
}

/// Writes items that others have, too, as what they are: where they change nevertheless, they are none to be copied.
fn lent<T: Serialize, S: Serializer>(items: &&[T], out: S) -> Result<S::Ok, S::Error> {
    out.serialize_newtype_struct("Items", items)
}

impl<'s, T: Debug + Serialize + DeserializeOwned> Steps<'s> for vec::IntoIter<T> {
    type Home = Self;
    type Left = Vec<T>;

    fn write<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(out)
    }

    fn shown(&self) -> String {
        shown(self.as_slice())
    }

    fn over(left: Vec<T>, _: &'s Arena<'s>) -> Self {
        left.into_iter()
    }

    fn owned(self) -> Result<Self, Self> {
        Ok(self)
    }
}

impl<'s, T: Debug + Serialize + DeserializeOwned> OfItems<'s> for vec::IntoIter<T> {
    fn write_items<S: Serializer>(
        items: impl Iterator<Item = T>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        items.collect::<Vec<_>>().serialize(out)
    }

    fn shown_items(items: impl Iterator<Item = T>) -> String {
        shown(items)
    }
}

impl<'s, T> Steps<'s> for slice::Iter<'_, T>
where
    T: Debug + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    type Home = slice::Iter<'s, T>;
    type Left = Vec<T>;

    fn write<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        lent(&self.as_slice(), out)
    }

    fn shown(&self) -> String {
        shown(self.as_slice())
    }

    fn over(left: Vec<T>, arena: &'s Arena<'s>) -> slice::Iter<'s, T> {
        arena.keep_whole(left, |kept| kept.as_ptr().addr()).iter()
    }

    fn home(&self, arena: &'s Arena<'s>) -> Option<slice::Iter<'s, T>> {
        part(self.as_slice(), arena).map(<[T]>::iter)
    }
}

/// A part of a vector that is in the arena, as such.
fn part<'s, T: 'static>(part: &[T], arena: &'s Arena<'s>) -> Option<&'s [T]> {
    let at = part.as_ptr().addr();
    let whole: &'s Vec<T> = arena.find_whole(at)?;
    let from = at
        .checked_sub(whole.as_ptr().addr())?
        .checked_div(size_of::<T>())?;
    whole.get(from..from.checked_add(part.len())?)
}

impl<'s, 'i, T> OfItems<'s> for slice::Iter<'i, T>
where
    T: Debug + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    fn write_items<S: Serializer>(
        items: impl Iterator<Item = &'i T>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        lent(&items.collect::<Vec<_>>().as_slice(), out)
    }

    fn shown_items(items: impl Iterator<Item = &'i T>) -> String {
        shown(items)
    }

    fn home_of(items: impl Iterator<Item = &'i T>, arena: &'s Arena<'s>) -> Option<Self::Home> {
        let items: Vec<&T> = items.collect();
        let first: &T = items.first()?;
        let whole: &'s Vec<T> = arena.find_whole(std::ptr::from_ref(first).addr())?;
        let from = whole.iter().position(|item| std::ptr::eq(item, first))?;
        let home = whole.get(from..from.checked_add(items.len())?)?.iter();
        let same = home.clone().zip(items).all(|(a, b)| std::ptr::eq(a, b));
        same.then_some(home)
    }
}

impl<'s> Steps<'s> for Chars<'_> {
    type Home = Chars<'s>;
    type Left = String;

    fn write<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(self.as_str())
    }

    fn over(left: String, arena: &'s Arena<'s>) -> Chars<'s> {
        arena.keep_whole(left, |kept| kept.as_ptr().addr()).chars()
    }

    fn home(&self, arena: &'s Arena<'s>) -> Option<Chars<'s>> {
        let left = self.as_str();
        let at = left.as_ptr().addr();
        let whole: &'s String = arena.find_whole(at)?;
        let from = at.checked_sub(whole.as_ptr().addr())?;
        let here = whole.get(from..from.checked_add(left.len())?)?;
        Some(here.chars())
    }
}

impl<'s> OfItems<'s> for Chars<'_> {
    fn write_items<S: Serializer>(
        items: impl Iterator<Item = char>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        items.collect::<String>().serialize(out)
    }

    fn home_of(items: impl Iterator<Item = char>, arena: &'s Arena<'s>) -> Option<Chars<'s>> {
        let left: String = items.collect();
        // Of letters nobody can see where they are; what is left of a text is at its end.
        let whole: &'s String = arena.find_newest(|kept: &String| kept.ends_with(&left))?;
        let here = whole.get(whole.len().checked_sub(left.len())?..)?;
        Some(here.chars())
    }
}

impl<'s> Steps<'s> for CharIndices<'_> {
    type Home = CharIndices<'s>;
    /// The index of the first, and the text from there on.
    type Left = (usize, String);

    fn write<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        (self.offset(), self.as_str()).serialize(out)
    }

    fn over((before, left): (usize, String), arena: &'s Arena<'s>) -> CharIndices<'s> {
        let mut all = " ".repeat(before);
        all.push_str(&left);
        let all = arena.keep_whole(all, |kept| kept.as_ptr().addr());
        indices_behind(all, before)
    }

    fn home(&self, arena: &'s Arena<'s>) -> Option<CharIndices<'s>> {
        let left = self.as_str();
        let whole: &'s String = arena.find_whole(left.as_ptr().addr())?;
        let before = self.offset();
        let here = left.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
        let all = whole.get(..before.checked_add(left.len())?)?;
        (here == before).then(|| indices_behind(all, before))
    }
}

/// What is left behind the first so many bytes.
fn indices_behind(text: &str, before: usize) -> CharIndices<'_> {
    let mut items = text.char_indices();
    while items.offset() < before && items.next().is_some() {}
    items
}

impl<'s> OfItems<'s> for CharIndices<'_> {
    fn write_items<S: Serializer>(
        items: impl Iterator<Item = (usize, char)>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        let mut items = items.peekable();
        let before = items.peek().map_or(0, |(index, _)| *index);
        let left: String = items.map(|(_, item)| item).collect();
        (before, left).serialize(out)
    }
}

/// Adapters that run nobody's code, or that of `Clone`: what they give is made of what is left for them.
macro_rules! adapters {
    ($($ty:ident [$($bound:tt)*]: |$items:ident| $left:expr, |$home:ident| $over:expr;)*) => {
        $(
            impl<'s, I: OfItems<'s> $($bound)*> Steps<'s> for $ty<I>
            where
                Self: Clone,
                I::Home: Iterator $($bound)*,
            {
                type Home = $ty<I::Home>;
                type Left = I::Left;

                fn write<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                    Self::write_items(self.clone(), out)
                }

                fn shown(&self) -> String {
                    Self::shown_items(self.clone())
                }

                fn over(left: I::Left, arena: &'s Arena<'s>) -> $ty<I::Home> {
                    let $home = I::over(left, arena);
                    $over
                }

                fn home(&self, arena: &'s Arena<'s>) -> Option<$ty<I::Home>> {
                    Self::home_of(self.clone(), arena)
                }
            }

            impl<'s, I: OfItems<'s> $($bound)*> OfItems<'s> for $ty<I>
            where
                Self: Clone,
                I::Home: Iterator $($bound)*,
            {
                fn write_items<S: Serializer>(
                    $items: impl Iterator<Item = I::Item>,
                    out: S,
                ) -> Result<S::Ok, S::Error> {
                    I::write_items($left, out)
                }

                fn shown_items($items: impl Iterator<Item = I::Item>) -> String {
                    I::shown_items($left)
                }

                fn home_of(
                    $items: impl Iterator<Item = I::Item>,
                    arena: &'s Arena<'s>,
                ) -> Option<$ty<I::Home>> {
                    let $home = I::home_of($left, arena)?;
                    Some($over)
                }
            }
        )*
    };
}

/// Nothing is skipped: that has been done.
const SKIPPED: usize = 0;

adapters! {
    Peekable []: |left| left, |items| items.peekable();
    Skip []: |left| left, |items| items.skip(SKIPPED);
    Take []: |left| left, |items| items.take(usize::MAX);
    Rev [+ DoubleEndedIterator]: |left| left.collect::<Vec<_>>().into_iter().rev(), |items| items.rev();
}

/// The items of a slice, each a copy.
macro_rules! copies {
    ($($ty:ident $bound:ident $method:ident;)*) => {
        $(
            impl<'s, T> Steps<'s> for $ty<slice::Iter<'_, T>>
            where
                T: Debug + $bound + Serialize + DeserializeOwned + Send + Sync + 'static,
            {
                type Home = $ty<slice::Iter<'s, T>>;
                type Left = Vec<T>;

                fn write<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                    Self::write_items(self.clone(), out)
                }

                fn shown(&self) -> String {
                    Self::shown_items(self.clone())
                }

                fn over(left: Vec<T>, arena: &'s Arena<'s>) -> Self::Home {
                    <slice::Iter<'_, T>>::over(left, arena).$method()
                }

                fn home(&self, arena: &'s Arena<'s>) -> Option<Self::Home> {
                    let left = encode(&left_of(self)).ok()?;
                    let end = |kept: &'s Vec<T>| kept.get(kept.len().checked_sub(self.len())?..);
                    // Of copies nobody can see where they are; what is left of a list is at its end.
                    let kept = arena.find_newest(|kept| {
                        end(kept).is_some_and(|end| encode(end).is_ok_and(|end| end == left))
                    })?;
                    end(kept).map(|end| end.iter().$method())
                }
            }

            impl<'s, T> OfItems<'s> for $ty<slice::Iter<'_, T>>
            where
                T: Debug + $bound + Serialize + DeserializeOwned + Send + Sync + 'static,
            {
                fn write_items<S: Serializer>(
                    items: impl Iterator<Item = T>,
                    out: S,
                ) -> Result<S::Ok, S::Error> {
                    items.collect::<Vec<_>>().serialize(out)
                }

                fn shown_items(items: impl Iterator<Item = T>) -> String {
                    shown(items)
                }
            }
        )*
    };
}

copies! {
    Cloned Clone cloned;
    Copied Copy copied;
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use crate::persist::{Rehome, forms::AsSteps};

    fn stepped<'s, T: Iterator + Steps<'s, Home = T>>(mut items: T, arena: &'s Arena<'s>) -> usize {
        let mut seen = 0;
        while items.next().is_some() {
            seen += 1;
            items = AsSteps::rehome(items, arena).unwrap();
        }
        seen
    }

    #[test]
    fn what_is_left_is_kept_once_however_often_it_moves() {
        let arena = Arena::new();
        let text = "a b\nc,d, e ".repeat(100);
        let list = (0..1000).collect::<Vec<i32>>();
        assert_eq!(stepped(list.iter(), &arena), 1000);
        assert_eq!(stepped(list.iter().copied(), &arena), 1000);
        assert_eq!(stepped(list.iter().rev().skip(1).peekable(), &arena), 999);
        assert_eq!(stepped(text.chars(), &arena), 1100);
        assert_eq!(stepped(text.chars().peekable(), &arena), 1100);
        assert_eq!(stepped(text.char_indices(), &arena), 1100);
        assert_eq!(stepped(text.split_whitespace(), &arena), 400);
        assert_eq!(stepped(text.lines().take(50), &arena), 50);
        assert_eq!(stepped(text.split(','), &arena), 201);
        assert_eq!(stepped(text.split(", ").peekable(), &arena), 101);
        assert_eq!(stepped(text.splitn(20, ','), &arena), 20);
        assert!(arena.kept() < 40, "{}", arena.kept());
    }
}
