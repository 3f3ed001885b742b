//! What became of an ask, or of a call.

use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    activation::suspension::Suspension,
    ask::{Ask, answer::Answer},
};

/// An ask that has its answer. Stored as the answer's record, whatever its type.
pub struct Answered<K> {
    record: Answer,
    ask: PhantomData<fn() -> K>,
}

impl<K> std::fmt::Debug for Answered<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.record.fmt(f)
    }
}

impl<K> Answered<K> {
    pub(crate) fn new(record: Answer) -> Self {
        Self {
            record,
            ask: PhantomData,
        }
    }
}

impl<K: Ask> Answered<K> {
    /// The author's value; parsed anew each time.
    pub fn saga_output(&self) -> K::Output {
        K::output(&self.record)
    }
}

impl<K> Serialize for Answered<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.record.serialize(serializer)
    }
}

impl<'de, K> Deserialize<'de> for Answered<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Answer::deserialize(deserializer).map(Self::new)
    }
}

/// What became of an ask.
#[derive(Debug)]
pub enum Asked {
    /// The answer is here.
    Answer(Answer),
    /// The client will answer in another request.
    Suspend(Suspension),
}

/// What became of a call.
#[derive(Debug)]
pub enum Called<T> {
    /// The callee returned.
    Done(T),
    /// The callee waits on an ask.
    Suspend(Suspension),
}
