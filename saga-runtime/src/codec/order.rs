//! Whether what is in a value has an order: of a hash table, what comes back may have another one.

use std::any::type_name;

use serde::Serialize;

use super::{
    encode::{Around, Wrapped},
    encode_in,
    sharing::{begins_with, pointed_to},
};

/// Collections that keep it.
const ORDERED: &[&str] = &[
    "[",
    "alloc::vec::Vec<",
    "alloc::collections::",
    "saga_runtime::persist::iterators::",
    "indexmap::",
];

/// Whether the order of what is in a value is a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// All of it.
    Kept,
    /// There are hash tables in it.
    Varies,
    /// There is something in it that could be one.
    Unknown,
}

/// What ends the writing of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Look {
    /// Nothing.
    #[default]
    Through,
    /// A hash table.
    ForHashTables,
    /// What is not known to have an order.
    ForOrder,
    /// All but hash tables, which are left out.
    BesideHashTables,
}

impl Look {
    /// Whether it ends at the name of a type.
    pub(super) fn ends_at<T: ?Sized>(self) -> bool {
        self == Self::ForHashTables && is_hash_table(pointed_to(type_name::<T>()))
    }

    /// Whether it leaves the value of a type out.
    pub(super) fn leaves_out<T: ?Sized>(self) -> bool {
        self == Self::BesideHashTables && is_hash_table(pointed_to(type_name::<T>()))
    }

    /// Whether it ends at a collection of that type.
    pub(super) fn is_ordered<T: ?Sized>(self) -> bool {
        self != Self::ForOrder || begins_with(pointed_to(type_name::<T>()), ORDERED)
    }
}

fn is_hash_table(name: &str) -> bool {
    let head = name.split_once('<').map(|(head, _)| head);
    head.is_some_and(|head| head.ends_with("HashMap") || head.ends_with("HashSet"))
}

/// That of a value, by the types that its `Serialize` shows.
pub(crate) fn order_of<T: Serialize + ?Sized>(value: &T) -> Order {
    let goes_through = |look| {
        let looked = encode_in(&mut Vec::new(), |serializer| {
            Wrapped::around(value, Around::looking(look)).serialize(serializer)
        });
        looked.is_ok()
    };
    match (
        goes_through(Look::ForHashTables),
        goes_through(Look::ForOrder),
    ) {
        (false, _) => Order::Varies,
        (true, true) => Order::Kept,
        (true, false) => Order::Unknown,
    }
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
