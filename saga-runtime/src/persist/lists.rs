//! Lists that are stored item by item.

use std::collections::VecDeque;

use super::iterate::Remaining;

/// std's lists.
#[diagnostic::on_unimplemented(
    message = "a list of type `{Self}` is held across an ask, and it is not one of std's",
    label = "derive `serde::Serialize` and `serde::Deserialize` for its items, and for it"
)]
pub trait List {
    /// What is in it.
    type Item;
    /// All of it.
    fn all(&self) -> impl ExactSizeIterator<Item = &Self::Item>;
}

macro_rules! lists {
    ($($list:ident)*) => {
        $(impl<T> List for $list<T> {
            type Item = T;

            fn all(&self) -> impl ExactSizeIterator<Item = &T> {
                self.iter()
            }
        })*
    };
}

lists! { Vec VecDeque }

impl<T> List for Remaining<T> {
    type Item = T;

    fn all(&self) -> impl ExactSizeIterator<Item = &T> {
        self.0.iter()
    }
}

impl<T> FromIterator<T> for Remaining<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

/// The items of a list.
pub fn items<L: List>(list: &L) -> impl Iterator<Item = &L::Item> {
    list.all()
}

/// How many there are; of more than can be counted, there is no memory for one.
pub fn count<L: List>(list: &L) -> u32 {
    u32::try_from(list.all().len()).unwrap_or(u32::MAX)
}
