//! State that changes behind a shared reference, in what is written: of that, what comes back would be a copy of its own.
//!
//! No trait of stable Rust says it of a type. But serde hands each part of a value over with its type, and a type has a name.

use std::any::type_name;

use super::Failure;

/// Types whose value is written as if they were not there. The others' parts are seen one by one.
const TRANSPARENT: &[&str] = &[
    "alloc::boxed::Box<",
    "core::num::wrapping::Wrapping<",
    "core::num::saturating::Saturating<",
    "core::cmp::Reverse<",
];

/// The same of what several may have.
const POINTERS: &[&str] = &[
    "&mut ",
    "&",
    "alloc::sync::Arc<",
    "alloc::rc::Rc<",
    "alloc::borrow::Cow<",
];

/// Where std has such state.
const OF_STD: &[&str] = &[
    "core::cell::",
    "core::sync::",
    "std::sync::",
    "alloc::sync::Weak<",
    "alloc::rc::Weak<",
];

/// Crates that have nothing else.
const CRATES: &[&str] = &[
    "arc_swap::",
    "async_lock::",
    "atomic_refcell::",
    "crossbeam_",
    "dashmap::",
    "lock_api::",
    "once_cell::",
    "papaya::",
    "parking_lot::",
    "portable_atomic::",
    "scc::",
    "spin::",
    "tokio::sync::",
];

/// Whether others may have what is in a `T`, too.
///
/// # Errors
/// They may, and what it is changes nevertheless.
#[inline]
pub(super) fn is_shared_in<T: ?Sized>(is_shared: bool, is_item: bool) -> Result<bool, Failure> {
    let name = type_name::<T>();
    let inside = match is_item {
        true => name.strip_prefix('&').unwrap_or(name),
        false => name,
    };
    if !is_shared && !begins_with(inside, POINTERS) && !begins_with(inside, TRANSPARENT) {
        return Ok(false);
    }
    look_inside(name, inside, is_shared)
}

/// The name of what is written in the place of a type that is a pointer.
pub(super) fn pointed_to(name: &str) -> &str {
    let mut inside = name;
    while let Some(behind) = without(inside, POINTERS).or_else(|| without(inside, TRANSPARENT)) {
        inside = behind;
    }
    inside
}

fn without<'n>(name: &'n str, starts: &[&str]) -> Option<&'n str> {
    starts.iter().find_map(|start| name.strip_prefix(start))
}

#[inline]
pub(super) fn begins_with(name: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| name.starts_with(start))
}

fn look_inside<'n>(
    name: &'n str,
    mut inside: &'n str,
    mut is_shared: bool,
) -> Result<bool, Failure> {
    loop {
        if let Some(behind) = without(inside, POINTERS) {
            (inside, is_shared) = (behind, true);
        } else if let Some(behind) = without(inside, TRANSPARENT) {
            inside = behind;
        } else {
            break;
        }
    }
    if is_shared && (begins_with(inside, OF_STD) || begins_with(inside, CRATES)) {
        return Err(format!(
            "there is `{name}` in it, which changes behind a shared reference: what comes back after the ask would be a copy, and \
             neither would see what changes in the other. Take it behind the ask again, from where it is, or keep it in `self` or the state"
        ));
    }
    Ok(is_shared)
}
