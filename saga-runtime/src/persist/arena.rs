//! What restored and re-homed references point to, for as long as an activation lives.

use std::{
    any::{Any, TypeId},
    collections::{BTreeMap, HashMap},
    convert::Infallible,
    sync::{Mutex, OnceLock, PoisonError},
};

use elsa::sync::FrozenVec;

/// Owners of what an activation's references point to. It only grows: each distinct value once.
#[derive(Default)]
#[allow(
    clippy::redundant_allocation,
    clippy::box_collection,
    reason = "what is referred to stays where it is while more is put beside it"
)]
pub struct Arena<'s> {
    values: FrozenVec<Box<dyn Any + Send + Sync>>,
    index: Mutex<Index>,
    /// References to texts that are kept here, for references to those.
    texts: FrozenVec<Box<&'s str>>,
    lists: FrozenVec<Box<Vec<&'s str>>>,
    /// Which of the `Cow`s that are being read own what they are, the last one first.
    owning: Mutex<Vec<bool>>,
    /// The frame that was opened.
    frame: OnceLock<Vec<u8>>,
}

/// Of types of their own: a `Vec<u8>` or a `String` that is read of the same bytes is another value.
struct Written(Vec<u8>);

struct Text(String);

/// Where a value is, so that it is not kept twice.
#[derive(Default)]
struct Index {
    by_content: HashMap<(TypeId, Vec<u8>), usize>,
    by_address: HashMap<usize, usize>,
    /// What parts are found of, by the address of its first byte.
    wholes: BTreeMap<usize, usize>,
}

impl std::fmt::Debug for Arena<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Arena").finish_non_exhaustive()
    }
}

impl<'s> Arena<'s> {
    /// Without any.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps a value.
    #[allow(clippy::unreachable, reason = "it was put in as what it is taken for")]
    pub(super) fn keep<T: Send + Sync + 'static>(&self, value: T) -> &T {
        match self.values.push_get(Box::new(value)).downcast_ref() {
            Some(kept) => kept,
            None => unreachable!("a value is of its type"),
        }
    }

    /// The value that `content` stands for: one that is here, or the one that `make` makes of it.
    pub(super) fn intern<T: Send + Sync + 'static, E>(
        &self,
        content: Vec<u8>,
        make: impl FnOnce(&[u8]) -> Result<T, E>,
    ) -> Result<&T, E> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let content = (TypeId::of::<T>(), content);
        if let Some(known) = index.by_content.get(&content).and_then(|at| self.at(*at)) {
            return Ok(known);
        }
        let value = make(&content.1)?;
        let at = self.values.len();
        let kept = self.keep(value);
        index.by_content.insert(content, at);
        index.by_address.insert(address(kept), at);
        Ok(kept)
    }

    /// Bytes that were written, which are not what is read of them.
    pub(super) fn written(&self, written: Vec<u8>) -> &[u8] {
        self.interned(written, |written| Written(written.to_vec()))
            .0
            .as_slice()
    }

    /// A text by what it is, and not by how it is written.
    pub(super) fn text(&self, text: &str) -> &str {
        let make = |_: &[u8]| Text(text.to_owned());
        self.interned(text.as_bytes().to_vec(), make).0.as_str()
    }

    fn interned<T: Send + Sync + 'static>(
        &self,
        content: Vec<u8>,
        make: impl FnOnce(&[u8]) -> T,
    ) -> &T {
        match self.intern::<T, Infallible>(content, |content| Ok(make(content))) {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }

    /// The value itself, where it is one of this arena.
    pub(super) fn find<T: 'static>(&self, value: &T) -> Option<&T> {
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        self.at(*index.by_address.get(&address(value))?)
    }

    /// Keeps a value of which parts are looked for; `start` is the address of its first byte.
    pub(super) fn keep_whole<T: Send + Sync + 'static>(
        &self,
        value: T,
        start: impl FnOnce(&T) -> usize,
    ) -> &T {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let at = self.values.len();
        let kept = self.keep(value);
        index.wholes.insert(start(kept), at);
        kept
    }

    /// The value at or before an address.
    pub(super) fn find_whole<T: 'static>(&self, address: usize) -> Option<&T> {
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, at) = index.wholes.range(..=address).next_back()?;
        self.at(*at)
    }

    /// How many values it has.
    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        self.values.len()
    }

    /// The newest of the last few values that is what is looked for.
    pub(super) fn find_newest<'a, T: 'static>(
        &'a self,
        is: impl Fn(&'a T) -> bool,
    ) -> Option<&'a T> {
        let newest = (0..self.values.len()).rev().take(8);
        let mut newest = newest.filter_map(|at| self.at(at));
        newest.find(|value| is(value))
    }

    /// The frame that the activation goes on from.
    pub(crate) fn frame(&self, values: &[u8]) -> &[u8] {
        self.frame.get_or_init(|| values.to_vec())
    }

    pub(super) fn keep_text(&'s self, text: &'s str) -> &'s &'s str {
        self.texts.push_get(Box::new(text))
    }

    pub(super) fn keep_texts(&'s self, texts: Vec<&'s str>) -> &'s Vec<&'s str> {
        self.lists.push_get(Box::new(texts))
    }

    /// Reads a value in which these `Cow`s own what they are.
    pub(super) fn owning<T>(&self, mut owning: Vec<bool>, read: impl FnOnce() -> T) -> T {
        owning.reverse();
        *self.owning.lock().unwrap_or_else(PoisonError::into_inner) = owning;
        read()
    }

    /// Whether the next `Cow` owns what it is.
    pub(super) fn next_owns(&self) -> bool {
        let mut owning = self.owning.lock().unwrap_or_else(PoisonError::into_inner);
        owning.pop().unwrap_or(false)
    }

    fn at<T: 'static>(&self, at: usize) -> Option<&T> {
        self.values.get(at)?.downcast_ref()
    }
}

fn address<T>(value: &T) -> usize {
    std::ptr::from_ref(value).addr()
}
