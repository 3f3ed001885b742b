//! Keys by which something is looked up again: what they are lent from may be given away meanwhile.
//!
//! ```text
//! let left = stock.get_mut(name.as_str()); names.push(name); ask; *left -= 1;
//! ```

use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::in_scope::Witness;

/// A key of its own, of one that was lent.
pub struct OwnedKey<T: ToOwned + ?Sized>(T::Owned);

impl<T: ToOwned + ?Sized> Serialize for OwnedKey<T>
where
    T::Owned: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: ToOwned + ?Sized> Deserialize<'de> for OwnedKey<T>
where
    T::Owned: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::Owned::deserialize(deserializer).map(Self)
    }
}

/// Found first: what is lent is copied.
pub trait KeyLent<'a, T: ToOwned + ?Sized> {
    /// To be kept.
    fn saga_kept(&self, key: &'a T) -> OwnedKey<T> {
        OwnedKey(key.to_owned())
    }
}

impl<'a, T: KeyOfStd + ?Sized> KeyLent<'a, T> for &Witness<&'a T> {}

/// Keys without borrows: whether a type has some, the choice cannot see.
pub trait KeyOfStd: ToOwned {}

macro_rules! keys {
    ($($ty:ty)*) => {
        $(impl KeyOfStd for $ty {})*
    };
}

keys! {
    str String Path PathBuf [u8] Vec<u8> bool char
    i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize
}

/// Found for everything else: it is kept as it is.
pub trait KeyOther<T> {
    /// To be kept.
    fn saga_kept(&self, key: T) -> T {
        key
    }
}

impl<T> KeyOther<T> for Witness<T> {}

/// Found first: what is looked up by a key that was copied.
pub trait ByOwnedKey<T: ToOwned + ?Sized> {
    /// The key.
    fn saga_by<'k>(&self, kept: &'k OwnedKey<T>) -> &'k T {
        std::borrow::Borrow::borrow(&kept.0)
    }
}

impl<T: ToOwned + ?Sized> ByOwnedKey<T> for &Witness<OwnedKey<T>> {}

/// Found for everything else.
pub trait ByOtherKey<T: Clone> {
    /// The key.
    fn saga_by(&self, kept: &T) -> T {
        kept.clone()
    }
}

impl<T: Clone> ByOtherKey<T> for Witness<T> {}
