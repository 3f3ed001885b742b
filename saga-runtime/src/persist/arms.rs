//! What is asked of the value of an arm that is done while others wait: the same as of a variable that is held across an ask.

use std::{fmt::Debug, marker::PhantomData};

use serde::{Serialize, de::DeserializeOwned};

use super::{
    arena::Arena,
    choose::{DroppedOnce, HeldByOneOnly, WrittenWhole},
    forms,
    in_scope::Memory,
    kinds::{Lossy, Shared},
    shown,
};
use crate::codec::Failure;

/// Whether a value that was written comes back as it was.
pub(crate) type Check<T> = fn(&T, &[u8]) -> Result<(), Failure>;

/// The type of an arm's value.
#[derive(Debug)]
pub struct ValueOf<T>(PhantomData<fn(T) -> T>);

/// An arm, whichever way its errors go.
pub trait HasValue {
    /// Its type.
    type Value;

    /// It is checked so.
    fn check_by(&mut self, check: Check<Self::Value>);
}

impl ValueOf<()> {
    /// That of this arm.
    pub fn arm<A: HasValue>(_: &A) -> ValueOf<A::Value> {
        ValueOf(PhantomData)
    }
}

/// Does not compile: its type cannot be written whole.
pub trait LossyArm<T> {
    /// Refused.
    fn saga_arm<A: HasValue<Value = T>>(&self, _: &mut A)
    where
        T: WrittenWhole,
    {
    }
}

impl<T: Lossy> LossyArm<T> for &&&&&&ValueOf<T> {}

/// Does not compile: others have it too.
pub trait SharedArm<T> {
    /// Refused.
    fn saga_arm<A: HasValue<Value = T>>(&self, _: &mut A)
    where
        T: HeldByOneOnly,
    {
    }
}

impl<T: Shared> SharedArm<T> for &&&&&ValueOf<T> {}

/// What shows what it is: in two places, as what only frees memory is found before what has a `Drop` of its own.
pub trait ShownArm<T: Debug + Serialize + DeserializeOwned> {
    /// It has to show the same, and to be written the same.
    fn saga_arm<A: HasValue<Value = T>>(&self, arm: &mut A) {
        arm.check_by(|value, written| {
            let again: T = read_back(written)?;
            shown::same(value, &again)
        });
    }
}

impl<T: Memory + Debug + Serialize + DeserializeOwned> ShownArm<T> for &&&&ValueOf<T> {}
impl<T: Debug + Serialize + DeserializeOwned> ShownArm<T> for &ValueOf<T> {}

/// What only frees memory.
pub trait MemoryArm<T: Serialize + DeserializeOwned> {
    /// It has to be written the same.
    fn saga_arm<A: HasValue<Value = T>>(&self, arm: &mut A) {
        arm.check_by(|_, written| read_back::<T>(written).map(|_| ()));
    }
}

impl<T: Memory + Serialize + DeserializeOwned> MemoryArm<T> for &&&ValueOf<T> {}

/// Does not compile: its `Drop` would run here, and once more where the call goes on.
pub trait DroppedArm<T> {
    /// Refused.
    fn saga_arm<A: HasValue<Value = T>>(&self, _: &mut A)
    where
        T: DroppedOnce,
    {
    }
}

#[allow(
    drop_bounds,
    reason = "the types that implement it themselves are meant"
)]
impl<T: Drop> DroppedArm<T> for &&ValueOf<T> {}

/// Found for everything else: whether it can be stored is said where the arms are.
pub trait OtherArm<T> {
    /// Nothing is known.
    fn saga_arm<A: HasValue<Value = T>>(&self, _: &mut A) {}
}

impl<T> OtherArm<T> for ValueOf<T> {}

fn read_back<T: Serialize + DeserializeOwned>(written: &[u8]) -> Result<T, Failure> {
    forms::read_back(written, &Arena::new())
}
