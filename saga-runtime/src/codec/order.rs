//! Whether there are maps in a value that keep the order in which they were filled.

use std::any::type_name;

use serde::Serialize;

use super::{
    encode::{Around, Wrapped},
    encode_in,
    sharing::{begins_with, pointed_to},
};

/// Maps and sets with an order of their own, which `Debug` shows as those of std without one.
const ORDERED: &[&str] = &[
    "indexmap::",
    "ordermap::",
    "linked_hash_map::",
    "hashlink::",
];

/// What ends the writing of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Look {
    /// Nothing.
    #[default]
    Through,
    /// A map or a set that has an order.
    ForOrderedMaps,
}

impl Look {
    /// Whether it ends at the name of a type.
    pub(super) fn ends_at<T: ?Sized>(self) -> bool {
        self == Self::ForOrderedMaps && begins_with(pointed_to(type_name::<T>()), ORDERED)
    }
}

/// Whether there are such, by the types that a value's `Serialize` shows.
pub(crate) fn has_ordered_maps<T: Serialize + ?Sized>(value: &T) -> bool {
    let looked = encode_in(&mut Vec::new(), |serializer| {
        Wrapped::around(value, Around::looking(Look::ForOrderedMaps)).serialize(serializer)
    });
    looked.is_err()
}
