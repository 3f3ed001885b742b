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
    /// Nothing: hash tables are left out.
    BesideHashTables,
}

impl Look {
    /// Whether it ends at the name of a type.
    pub(super) fn ends_at<T: ?Sized>(self) -> bool {
        self == Self::ForOrderedMaps && begins_with(pointed_to(type_name::<T>()), ORDERED)
    }

    /// Whether it leaves the value of a type out.
    pub(super) fn leaves_out<T: ?Sized>(self) -> bool {
        self == Self::BesideHashTables && is_hash_table(pointed_to(type_name::<T>()))
    }
}

/// Whether there are such, by the types that a value's `Serialize` shows.
pub(crate) fn has_ordered_maps<T: Serialize + ?Sized>(value: &T) -> bool {
    let looked = encode_in(&mut Vec::new(), |serializer| {
        Wrapped::around(value, Around::looking(Look::ForOrderedMaps)).serialize(serializer)
    });
    looked.is_err()
}

fn is_hash_table(name: &str) -> bool {
    let head = name.split_once('<').map(|(head, _)| head);
    head.is_some_and(|head| head.ends_with("HashMap") || head.ends_with("HashSet"))
}

/// What a value is written as, less the hash tables in it.
pub(crate) fn beside_hash_tables<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    // What cannot be written is as far as it can.
    let _ = encode_in(&mut out, |serializer| {
        Wrapped::around(value, Around::looking(Look::BesideHashTables)).serialize(serializer)
    });
    out
}
