//! Keys by which something is looked up again: what they are lent from may be given away meanwhile.
//!
//! ```text
//! let left = stock.get_mut(name.as_str()); names.push(name); ask; *left -= 1;
//! ```

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};

use super::in_scope::Witness;

/// A key of its own, of one that was lent.
pub struct OwnedKey<T: ToOwned + ?Sized>(T::Owned);

impl<T: ToOwned + ?Sized> OwnedKey<T> {
    /// By which it is looked up.
    pub fn saga_key(&self) -> &T {
        std::borrow::Borrow::borrow(&self.0)
    }
}

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

/// Any other key.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlainKey<T>(T);

impl<T: Clone> PlainKey<T> {
    /// By which it is looked up.
    pub fn saga_key(&self) -> T {
        self.0.clone()
    }
}

/// Found first: what is lent is copied.
pub trait KeyLent<'a, T: ToOwned + ?Sized> {
    /// To be kept.
    fn saga_kept(&self, key: &'a T) -> OwnedKey<T> {
        OwnedKey(key.to_owned())
    }
}

impl<'a, T: ToOwned + ?Sized> KeyLent<'a, T> for &Witness<&'a T> where
    T::Owned: Serialize + DeserializeOwned
{
}

/// Found for everything else.
pub trait KeyOther<T> {
    /// To be kept.
    fn saga_kept(&self, key: T) -> PlainKey<T> {
        PlainKey(key)
    }
}

impl<T> KeyOther<T> for Witness<T> {}
