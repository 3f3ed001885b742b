//! What was found in something that each process has: if it cannot be stored, it is stored where it was found, and found there
//! again where the call goes on.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    fmt::Debug,
    marker::PhantomData,
    ptr,
    sync::{Arc, LazyLock},
};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned, ser::Error as _,
};

use super::{
    again::{Again, Proof, Proves},
    borrowed::encode,
    shown::shown,
};
use crate::{codec, hash::fnv1a};

/// A collection that is lent, and knows where its items are.
pub trait Items<'a, T>: Copy {
    /// Where an item is.
    type At: Serialize + DeserializeOwned;
    /// Where this one is; `None` if it is in none of them.
    fn at(self, item: &'a T) -> Option<Self::At>;
    /// The item that is there.
    fn item(self, at: &Self::At) -> Option<&'a T>;
}

/// Items that are the same in each process: those of an argument.
#[derive(Debug, Clone, Copy)]
pub struct Same<B>(pub B);

/// A single value, which is what something refers to.
#[derive(Debug, Clone, Copy)]
pub struct One<B>(pub B);

/// A table of the program's text, which is the same in each process of its code; or what a `static` leads to.
#[derive(Debug, Clone, Copy)]
pub struct Table<B>(pub B);

/// Items, and a single one beside them, which stands in where nothing is found.
#[derive(Debug, Clone, Copy)]
pub struct Else<B, T>(pub B, pub T);

/// Items of the one or of the other.
#[derive(Debug, Clone, Copy)]
pub struct Both<A, B>(pub A, pub B);

/// The index, and of how many: in a list of another length, the item would be another one.
type Index = (usize, usize);

/// A list, in the two pieces in which it may be in memory.
type Pieces<'a, T> = [&'a [T]; 2];

fn index<T>([front, back]: Pieces<'_, T>, item: &T) -> Option<Index> {
    let behind = || Some(front.len() + index_in(back, item)?);
    let index = index_in(front, item).or_else(behind)?;
    Some((index, front.len() + back.len()))
}

fn index_in<T>(items: &[T], item: &T) -> Option<usize> {
    let start = items.as_ptr().addr();
    let offset = ptr::from_ref(item).addr().checked_sub(start)?;
    // Items without a size are all in one place.
    let index = offset.checked_div(size_of::<T>()).unwrap_or(0);
    let there = items.get(index)?;
    ptr::eq(there, item).then_some(index)
}

fn item_at<'a, T>([front, back]: Pieces<'a, T>, (index, length): Index) -> Option<&'a T> {
    let mut items = front.iter().chain(back);
    let is_same = front.len() + back.len() == length;
    is_same.then(|| items.nth(index)).flatten()
}

/// What an item shows, whatever the order in which a hash table in it is.
fn shown_hash(item: &impl Debug) -> u32 {
    let text = shown(item);
    let parts = text.split([',', '{', '}', '[', ']', '(', ')']);
    parts.fold(0, |hash, part| {
        hash.wrapping_add(fnv1a(part.trim().as_bytes()))
    })
}

macro_rules! lists {
    ($([$($generics:tt)*] $ty:ty: $pieces:expr;)*) => {
        $(
            impl<'a, T, $($generics)*> Items<'a, T> for Same<&'a $ty> {
                type At = Index;

                fn at(self, item: &'a T) -> Option<Index> {
                    let pieces: fn(&'a $ty) -> Pieces<'a, T> = $pieces;
                    index(pieces(self.0), item)
                }

                fn item(self, at: &Index) -> Option<&'a T> {
                    let pieces: fn(&'a $ty) -> Pieces<'a, T> = $pieces;
                    item_at(pieces(self.0), *at)
                }
            }

            /// Of a state. Another process may have made another one: the item shows whether it is the same.
            impl<'a, T: Debug, $($generics)*> Items<'a, T> for &'a $ty {
                type At = (Index, u32);

                fn at(self, item: &'a T) -> Option<Self::At> {
                    Some((Same(self).at(item)?, shown_hash(item)))
                }

                fn item(self, (index, hash): &Self::At) -> Option<&'a T> {
                    Same(self).item(index).filter(|item| shown_hash(item) == *hash)
                }
            }
        )*
    };
}

lists! {
    [] [T]: |list| [list, &[]];
    [] Vec<T>: |list| [list, &[]];
    [const N: usize] [T; N]: |list| [list, &[]];
    [] VecDeque<T>: |list| list.as_slices().into();
}

impl<'a, T> Items<'a, T> for &'a Option<T> {
    type At = ();

    fn at(self, item: &'a T) -> Option<()> {
        self.as_ref()
            .filter(|there| ptr::eq(*there, item))
            .map(|_| ())
    }

    fn item(self, (): &()) -> Option<&'a T> {
        self.as_ref()
    }
}

impl<'a, T> Items<'a, T> for One<&'a T> {
    type At = ();

    fn at(self, item: &'a T) -> Option<()> {
        ptr::eq(self.0, item).then_some(())
    }

    fn item(self, (): &()) -> Option<&'a T> {
        Some(self.0)
    }
}

/// A key as it is written: what it may lend from, the map has.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct WrittenKey(#[serde(with = "serde_bytes")] Vec<u8>);

impl WrittenKey {
    fn of(key: &impl Serialize) -> Option<Self> {
        encode(key).ok().map(Self)
    }

    /// The only key that is written so: `skip` may hide what tells two of them apart.
    fn find<'a, K: Serialize + 'a, T>(
        &self,
        entries: impl Iterator<Item = (&'a K, &'a T)>,
    ) -> Option<(&'a K, &'a T)> {
        let mut written = Vec::new();
        let mut alike = entries.filter(|(key, _)| {
            written.clear();
            codec::encode(*key, &mut written).is_ok() && written == self.0
        });
        alike.next().filter(|_| alike.next().is_none())
    }
}

/// Maps have their values by their keys.
macro_rules! maps {
    ($([$($generics:tt)*] $ty:ty;)*) => {
        $(
            impl<'a, K: Serialize, T, $($generics)*> Items<'a, T> for &'a $ty {
                type At = WrittenKey;

                fn at(self, item: &'a T) -> Option<WrittenKey> {
                    let mut entries = self.iter();
                    let (key, _) = entries.find(|(_, there)| ptr::eq(*there, item))?;
                    WrittenKey::of(key).filter(|key| key.find(self.iter()).is_some())
                }

                fn item(self, at: &WrittenKey) -> Option<&'a T> {
                    Some(at.find(self.iter())?.1)
                }
            }

            impl<'a, K: Serialize, T, $($generics)*> FoundIn<&'a $ty> for (&'a K, &'a T) {
                type At = WrittenKey;

                fn at(&self, items: &'a $ty) -> Option<WrittenKey> {
                    let at = WrittenKey::of(self.0)?;
                    let (key, item) = at.find(items.iter())?;
                    (ptr::eq(key, self.0) && ptr::eq(item, self.1)).then_some(at)
                }

                fn there(items: &'a $ty, at: &WrittenKey) -> Option<Self> {
                    at.find(items.iter())
                }
            }
        )*
    };
}

maps! {
    [] BTreeMap<K, T>;
    [S] HashMap<K, T, S>;
}

/// Those that lead to others, or are as others.
macro_rules! as_others {
    ($([$($generics:tt)*] $ty:ty => $to:ty, by $by:expr;)*) => {
        $(impl<'a, T, $($generics)*> Items<'a, T> for $ty
        where
            $to: Items<'a, T>,
        {
            type At = <$to as Items<'a, T>>::At;

            fn at(self, item: &'a T) -> Option<Self::At> {
                let to: fn(Self) -> $to = $by;
                Items::at(to(self), item)
            }

            fn item(self, at: &Self::At) -> Option<&'a T> {
                let to: fn(Self) -> $to = $by;
                Items::item(to(self), at)
            }
        })*
    };
}

as_others! {
    [B: ?Sized] &'a &'a B => &'a B, by |of| of;
    [B: ?Sized] &'a Box<B> => &'a B, by |of| of;
    [B: ?Sized] &'a Arc<B> => &'a B, by |of| of;
    [B, F: FnOnce() -> B] &'a LazyLock<B, F> => &'a B, by |of| of;
    [B: ?Sized] Same<&'a &'a B> => Same<&'a B>, by |of| Same(of.0);
    [B: ?Sized] Same<&'a Box<B>> => Same<&'a B>, by |of| Same(of.0);
    [] Same<&'a Option<T>> => &'a Option<T>, by |of| of.0;
    [K] Same<&'a BTreeMap<K, T>> => &'a BTreeMap<K, T>, by |of| of.0;
    [K, S] Same<&'a HashMap<K, T, S>> => &'a HashMap<K, T, S>, by |of| of.0;
    [const N: usize] Table<&'a [T; N]> => Same<&'a [T; N]>, by |of| Same(of.0);
    [] Table<&'a &'a [T]> => Same<&'a [T]>, by |of| Same(of.0);
    [const N: usize] Table<&'a &'a [T; N]> => Same<&'a [T; N]>, by |of| Same(of.0);
    [] Table<&'a Vec<T>> => &'a Vec<T>, by |of| of.0;
    [] Table<&'a VecDeque<T>> => &'a VecDeque<T>, by |of| of.0;
    [] Table<&'a Option<T>> => &'a Option<T>, by |of| of.0;
    [K] Table<&'a BTreeMap<K, T>> => &'a BTreeMap<K, T>, by |of| of.0;
    [K, S] Table<&'a HashMap<K, T, S>> => &'a HashMap<K, T, S>, by |of| of.0;
    [B: ?Sized] Table<&'a Box<B>> => &'a B, by |of| of.0;
    [B: ?Sized] Table<&'a Arc<B>> => &'a B, by |of| of.0;
    [B, F: FnOnce() -> B] Table<&'a LazyLock<B, F>> => &'a B, by |of| of.0;
}

impl<'a, T, B: Items<'a, T>> Items<'a, T> for Else<B, &'a T> {
    type At = Option<B::At>;

    fn at(self, item: &'a T) -> Option<Self::At> {
        match self.0.at(item) {
            None => ptr::eq(self.1, item).then_some(None),
            found => Some(found),
        }
    }

    fn item(self, at: &Self::At) -> Option<&'a T> {
        match at {
            None => Some(self.1),
            Some(at) => self.0.item(at),
        }
    }
}

impl<'a, T, A: Items<'a, T>, B: Items<'a, T>> Items<'a, T> for Both<A, B> {
    type At = Result<A::At, B::At>;

    fn at(self, item: &'a T) -> Option<Self::At> {
        match self.0.at(item) {
            None => self.1.at(item).map(Err),
            found => found.map(Ok),
        }
    }

    fn item(self, at: &Self::At) -> Option<&'a T> {
        match at {
            Ok(at) => self.0.item(at),
            Err(at) => self.1.item(at),
        }
    }
}

/// What may be found in such a collection.
pub trait FoundIn<B>: Sized {
    /// Where it is.
    type At: Serialize + DeserializeOwned;
    /// Where this one is.
    fn at(&self, items: B) -> Option<Self::At>;
    /// What is there.
    fn there(items: B, at: &Self::At) -> Option<Self>;
}

impl<'a, T, B: Items<'a, T>> FoundIn<B> for &'a T {
    type At = B::At;

    fn at(&self, items: B) -> Option<B::At> {
        items.at(self)
    }

    fn there(items: B, at: &B::At) -> Option<Self> {
        items.item(at)
    }
}

impl<B: Copy, V: FoundIn<B>> FoundIn<B> for Option<V> {
    type At = Option<V::At>;

    fn at(&self, items: B) -> Option<Self::At> {
        match self {
            None => Some(None),
            Some(found) => found.at(items).map(Some),
        }
    }

    fn there(items: B, at: &Self::At) -> Option<Self> {
        match at {
            None => Some(None),
            Some(at) => V::there(items, at).map(Some),
        }
    }
}

impl<B: Copy, V: FoundIn<B>> FoundIn<B> for Vec<V> {
    type At = Vec<V::At>;

    fn at(&self, items: B) -> Option<Self::At> {
        self.iter().map(|found| found.at(items)).collect()
    }

    fn there(items: B, at: &Self::At) -> Option<Self> {
        at.iter().map(|at| V::there(items, at)).collect()
    }
}

impl<B: Copy, V: FoundIn<B>, const N: usize> FoundIn<B> for [V; N] {
    type At = Vec<V::At>;

    fn at(&self, items: B) -> Option<Self::At> {
        self.iter().map(|found| found.at(items)).collect()
    }

    fn there(items: B, at: &Self::At) -> Option<Self> {
        Vec::there(items, at)?.try_into().ok()
    }
}

/// Its number among those that were looked through, and itself.
impl<B: Copy, V: FoundIn<B>> FoundIn<B> for (usize, V) {
    type At = (usize, V::At);

    fn at(&self, items: B) -> Option<Self::At> {
        Some((self.0, self.1.at(items)?))
    }

    fn there(items: B, (number, at): &Self::At) -> Option<Self> {
        Some((*number, V::there(items, at)?))
    }
}

/// Where something was found, which is worked out where it is written. What it can do is said where it is used: the lifetimes in a
/// type that lives across an `await` are told apart, and no bound on it can say that they are one.
#[derive(Debug)]
pub enum Spot<B, V, A> {
    /// It is at hand.
    Found(B, V),
    /// It was read.
    At(A),
}

impl<B: Copy, V: FoundIn<B, At = A>, A> Spot<B, V, A> {
    /// What is there now.
    pub fn saga_there<F>(&self, _: &Again<F>, items: B) -> Option<V> {
        match self {
            Self::Found(here, found) => V::there(items, &found.at(*here)?),
            Self::At(at) => V::there(items, at),
        }
    }
}

impl<B: Copy, V: FoundIn<B, At = A>, A: Serialize> Serialize for Spot<B, V, A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::At(at) => at.serialize(serializer),
            Self::Found(items, found) => match found.at(*items) {
                Some(at) => at.serialize(serializer),
                None => Err(S::Error::custom("it is not where it was looked for")),
            },
        }
    }
}

impl<'de, B, V, A: Deserialize<'de>> Deserialize<'de> for Spot<B, V, A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        A::deserialize(deserializer).map(Self::At)
    }
}

/// What was found, and in what.
#[derive(Debug)]
pub struct Seen<'v, B, V>(B, &'v V);

impl<'v, B, V> Seen<'v, B, V> {
    /// This, in that.
    pub fn of(items: B, found: &'v V) -> Self {
        Self(items, found)
    }
}

/// Of what can be found there again.
pub trait SeenThere {
    /// Where it is.
    type Spot;
    /// Where it is.
    fn saga_spot(&self) -> Self::Spot;
}

impl<B: Copy, V: FoundIn<B> + Clone> SeenThere for Seen<'_, B, V> {
    type Spot = Spot<B, V, V::At>;

    fn saga_spot(&self) -> Self::Spot {
        Spot::Found(self.0, self.1.clone())
    }
}

/// Of anything else.
pub trait SeenElsewhere {
    /// What it is.
    type Value;
    /// Nowhere.
    fn saga_spot(&self) -> Nowhere<Self::Value> {
        Nowhere(PhantomData)
    }
}

impl<B, V> SeenElsewhere for &Seen<'_, B, V> {
    type Value = V;
}

/// Where something was found that cannot be found again.
#[derive(Debug)]
pub struct Nowhere<V>(PhantomData<fn() -> V>);

impl<V> Nowhere<V> {
    /// Nothing; it is not called.
    pub fn saga_there<F: Proves<SearchOf<V>>, B>(&self, _: &Again<F>, _: B) -> Option<V> {
        None
    }
}

impl<V> Serialize for Nowhere<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl<'de, V> Deserialize<'de> for Nowhere<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <()>::deserialize(deserializer).map(|()| Self(PhantomData))
    }
}

/// A search that gave this.
#[derive(Debug)]
pub struct SearchOf<V>(PhantomData<V>);

impl<V: FoundAgain> Proof for SearchOf<V> {}

/// Never implemented.
#[diagnostic::on_unimplemented(
    message = "what was found here, of type `{Self}`, is held across an ask, and can neither be stored nor be found again after it",
    label = "found here",
    note = "for data of your own, derive `serde::Serialize` and `serde::Deserialize`: then it is stored",
    note = "derive `Debug` for an item of a list of your state: it is found again by its index, if it shows the same then. A value of a map is found again by its key, if that has serde",
    note = "look it up after the ask, or take a copy of what is needed: `let name = found.name.clone();`"
)]
pub trait FoundAgain {}

#[cfg(test)]
mod tests {
    use super::*;

    fn again<B: Copy, V: FoundIn<B>>(items: B, found: &V) -> Option<V> {
        let mut written = Vec::new();
        codec::encode(&found.at(items)?, &mut written).ok()?;
        V::there(items, &codec::decode(&written).ok()?)
    }

    #[derive(Debug, PartialEq)]
    struct Row(&'static str);
    const ROWS: &[Row] = &[Row("a"), Row("b"), Row("c")];

    #[test]
    fn items_are_found_again_where_they_were() {
        let list = vec![Row("x"), Row("y")];
        let mut ring = VecDeque::from([Row("p"), Row("q"), Row("r")]);
        ring.rotate_left(2);
        let map = HashMap::from([("k".to_owned(), Row("v")), ("l".to_owned(), Row("w"))]);
        let names = ["k".to_owned(), "l".to_owned()];
        let lent: BTreeMap<&str, Row> =
            names.iter().map(|name| (name.as_str(), Row("v"))).collect();
        let rows = &ROWS;
        assert!(again(Table(rows), &rows.last()) == Some(ROWS.last()));
        assert!(
            again(Table(rows), &rows.iter().collect::<Vec<_>>()).is_some_and(|all| all.len() == 3)
        );
        assert!(again(&list, &list.iter().enumerate().nth(1)) == Some(Some((1, &list[1]))));
        assert!(again(&list, &list.iter().find(|row| row.0 == "z")) == Some(None));
        for row in &ring {
            assert!(again(&ring, &row).is_some_and(|there| ptr::eq(there, row)));
        }
        assert!(again(&map, &map.get("l")) == Some(map.get("l")));
        assert!(again(&map, &map.iter().next()) == Some(map.iter().next()));
        assert!(again(&lent, &lent.get("k")) == Some(lent.get("k")));
        let spare = Row("spare");
        let or = Else(&list, &spare);
        for row in [&list[0], &spare] {
            assert!(again(or, &row).is_some_and(|there| ptr::eq(there, row)));
        }
        let more = vec![Row("m")];
        let both = Both(Table(rows), &more);
        for row in [&ROWS[1], &more[0]] {
            assert!(again(both, &row).is_some_and(|there| ptr::eq(there, row)));
        }
        assert!(again(both, &&spare).is_none());
        // What stands in is told from what an option has in it.
        for tag in [Some(Row("tag")), None] {
            let found = tag.as_ref().unwrap_or(&spare);
            let there = again(Else(&tag, &spare), &found);
            assert!(there.is_some_and(|there| ptr::eq(there, found)));
        }
        let shared = Arc::new(list);
        assert!(again(&shared, &&shared[1]).is_some_and(|there| ptr::eq(there, &shared[1])));
        assert!(again(&shared, &&spare).is_none());
    }

    #[test]
    fn items_without_a_size_are_found() {
        #[derive(Debug, PartialEq)]
        struct Mark;
        let marks = vec![Mark, Mark];
        assert!(again(Same(&marks), &marks.last()) == Some(Some(&Mark)));
        assert!(again(Same(&Vec::new()), &marks.last()).is_none());
    }

    #[test]
    fn a_list_of_another_length_has_none_of_its_items() {
        let (short, long) = (vec![Row("a")], vec![Row("a"), Row("b")]);
        let at = (&short[0]).at(&short).unwrap_or_default();
        assert!(<&Row>::there(&short, &at).is_some());
        assert!(<&Row>::there(&long, &at).is_none());
    }
}
