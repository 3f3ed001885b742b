//! Where in a variable something is that another one refers to. Where both go on, the reference is found there again: of a copy,
//! what changes behind a shared reference would be lost.
//!
//! ```text
//! let host = hosts.iter().find(..); ask; host.hits.fetch_add(1, ..); ask; hosts[0].hits
//! ```

use std::marker::PhantomData;

use super::{
    Slot,
    borrowed::encode,
    found::{FoundIn, One, Same},
};
use crate::{
    activation::{Activation, Stop, suspension::Suspension},
    codec,
};

/// Where in one place what a variable refers to is, from block to block.
pub struct Referent<L> {
    at: Whereabouts,
    kind: PhantomData<fn() -> L>,
}

enum Whereabouts {
    /// It is not in this place.
    Nowhere,
    /// What leads to it there.
    At(Vec<u8>),
    /// It was there.
    Lost,
}

impl<L> std::fmt::Debug for Referent<L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_there = matches!(self.at, Whereabouts::At(_));
        f.debug_struct("Referent")
            .field("there", &is_there)
            .finish()
    }
}

/// It may be one of the items of the place.
#[derive(Debug)]
pub struct AmongItems;

/// It may be the place itself.
#[derive(Debug)]
pub struct Itself;

/// It is no reference to what is in the place, as its type says.
#[derive(Debug)]
pub struct Elsewhere;

/// How what is in a place is found there again.
pub trait Locate<'b, B: ?Sized, V> {
    /// Where it is.
    fn at(place: &'b B, value: &V) -> Option<Vec<u8>>;
    /// What is there.
    fn there(place: &'b B, at: &[u8]) -> Option<V>;
}

pub(super) fn at<B: Copy, V: FoundIn<B>>(place: B, value: &V) -> Option<Vec<u8>> {
    encode(&value.at(place)?).ok()
}

pub(super) fn there<B: Copy, V: FoundIn<B>>(place: B, at: &[u8]) -> Option<V> {
    V::there(place, &codec::decode(at).ok()?)
}

/// Kinds by what something is found in.
macro_rules! located {
    ($($kind:ident: $found_in:ty, |$place:ident| $items:expr;)*) => {
        $(
            impl<'b, B: ?Sized + 'b, V> $crate::persist::referent::Locate<'b, B, V> for $kind
            where
                V: $crate::persist::found::FoundIn<$found_in>,
            {
                fn at($place: &'b B, value: &V) -> Option<Vec<u8>> {
                    $crate::persist::referent::at($items, value)
                }

                fn there($place: &'b B, at: &[u8]) -> Option<V> {
                    $crate::persist::referent::there($items, at)
                }
            }

            impl $crate::persist::referent::Known for $kind {}
        )*
    };
}
pub(super) use located;

located! {
    AmongItems: Same<&'b B>, |place| Same(place);
    Itself: One<&'b B>, |place| One(place);
}

macro_rules! nowhere {
    ($($kind:ident)*) => {
        $(
            impl<'b, B: ?Sized, V> $crate::persist::referent::Locate<'b, B, V> for $kind {
                fn at(_: &'b B, _: &V) -> Option<Vec<u8>> {
                    None
                }

                fn there(_: &'b B, _: &[u8]) -> Option<V> {
                    None
                }
            }

            impl $crate::persist::referent::Known for $kind {
                const KNOWN: bool = false;
            }
        )*
    };
}

nowhere!(Elsewhere);
pub(super) use nowhere;

/// Whether a kind may have something.
pub trait Known {
    /// Whether it may.
    const KNOWN: bool = true;
}

impl<L> Referent<L> {
    /// In no place yet.
    #[allow(clippy::new_without_default, reason = "for generated code")]
    pub const fn new() -> Self {
        Self {
            at: Whereabouts::Nowhere,
            kind: PhantomData,
        }
    }

    /// Its kind, once the types are known.
    pub fn is(&self, _: L) {}

    /// Looks whether what `value` refers to is in the place.
    pub fn is_in<'b, B: ?Sized, V>(&mut self, place: &'b B, value: &V) -> bool
    where
        L: Locate<'b, B, V>,
    {
        self.at = L::at(place, value).map_or(Whereabouts::Nowhere, Whereabouts::At);
        matches!(self.at, Whereabouts::At(_))
    }

    /// What is in the place, if it was found there.
    pub fn there<'b, B: ?Sized, V>(&mut self, place: &'b B) -> Option<V>
    where
        L: Locate<'b, B, V>,
    {
        let Whereabouts::At(at) = &self.at else {
            return None;
        };
        let there = L::there(place, at);
        self.at = match there {
            Some(_) => Whereabouts::Nowhere,
            None => Whereabouts::Lost,
        };
        there
    }

    /// Whether it was in the place and is not there any more: the place has come back as another one.
    pub fn is_lost(&self) -> bool {
        matches!(self.at, Whereabouts::Lost)
    }

    /// It is somewhere else.
    pub fn clear(&mut self) {
        self.at = Whereabouts::Nowhere;
    }
}

/// Places of any kind.
pub trait Place {
    /// Whether something may be there.
    fn is_known(&self) -> bool;
    /// What leads to it, if it is there.
    fn noted(&self) -> Option<&[u8]>;
    /// It is there.
    fn put(&mut self, at: Vec<u8>);
}

impl<L: Known> Place for Referent<L> {
    fn is_known(&self) -> bool {
        L::KNOWN
    }

    fn noted(&self) -> Option<&[u8]> {
        match &self.at {
            Whereabouts::At(at) => Some(at),
            Whereabouts::Nowhere | Whereabouts::Lost => None,
        }
    }

    fn put(&mut self, at: Vec<u8>) {
        self.at = Whereabouts::At(at);
    }
}

/// MessagePack's marker of a list of one: the variable's value.
const VALUE: u8 = 0x91;

/// MessagePack's marker of a list of two: a place's number, and where in it.
const PLACE: u8 = 0x92;

/// Puts where a variable is in the frame, in place of the variable. Where it is nowhere, its value follows.
pub fn save_referent(places: &[&dyn Place], suspension: &mut Suspension) -> bool {
    if !places.iter().any(|place| place.is_known()) {
        return false;
    }
    let mut places = (0u32..).zip(places);
    let found = places.find_map(|(number, place)| Some((number, place.noted()?)));
    let Some((number, at)) = found else {
        suspension.precede(VALUE);
        return false;
    };
    suspension.write(
        |out| {
            out.push(PLACE);
            codec::encode(&number, out)?;
            codec::encode(serde_bytes::Bytes::new(at), out)
        },
        |_| Ok(()),
    );
    true
}

/// Takes where a variable is from the frame. Where it is nowhere, its value follows.
pub fn load_referent(places: &mut [&mut dyn Place], activation: &mut Activation) -> bool {
    if !places.iter().any(|place| place.is_known()) {
        return false;
    }
    let mut is_value = false;
    activation.loading(|activation| {
        let marker = activation.read(|input| {
            let (marker, rest) = input.split_first().ok_or("a variable is missing")?;
            *input = rest;
            Ok(*marker)
        })?;
        is_value = marker == VALUE;
        if is_value {
            return Ok(());
        }
        let number: u32 = activation.read_owned()?;
        let at: serde_bytes::ByteBuf = activation.read_owned()?;
        let place = usize::try_from(number).ok();
        let place = place.and_then(|number| places.get_mut(number));
        match place {
            Some(place) if marker == PLACE => {
                place.put(at.into_vec());
                Ok(())
            }
            _ => Err(Stop::Stale("a variable is in no place of its".to_owned())),
        }
    });
    !is_value
}

/// A place, and a variable that may refer to what is in it.
#[derive(Debug)]
pub struct Referring<'b, B: ?Sized, V>(PhantomData<&'b B>, PhantomData<V>);

impl<'b, B: ?Sized, V> Referring<'b, B, V> {
    /// This place, and the variable of this slot.
    pub fn of<F>(_: &'b B, _: &Slot<V, F>) -> Self {
        Self(PhantomData, PhantomData)
    }
}

/// Found first: what refers to items.
pub trait ReferringToItems {
    /// The kind.
    fn saga_referent(&self) -> AmongItems {
        AmongItems
    }
}

impl<'b, B: ?Sized + 'b, V: FoundIn<Same<&'b B>>> ReferringToItems for &&Referring<'b, B, V> {}

/// Found next: what refers to the place itself.
pub trait ReferringToIt {
    /// The kind.
    fn saga_referent(&self) -> Itself {
        Itself
    }
}

impl<'b, B: ?Sized + 'b, V: FoundIn<One<&'b B>>> ReferringToIt for &Referring<'b, B, V> {}

/// Found for everything else.
pub trait ReferringElsewhere {
    /// The kind.
    fn saga_referent(&self) -> Elsewhere {
        Elsewhere
    }
}

impl<B: ?Sized, V> ReferringElsewhere for Referring<'_, B, V> {}

/// A part of the way to a place: a variable, or a field.
#[derive(Debug)]
pub struct Way<'w, P: ?Sized>(PhantomData<&'w P>);

impl<'w, P: ?Sized> Way<'w, P> {
    /// This part.
    pub fn of(_: &'w P) -> Self {
        Self(PhantomData)
    }
}

/// What is behind it stays there while somebody refers to that: it is owned.
#[derive(Debug)]
pub struct Stays;

/// It may lead elsewhere by then: it is a reference, which can have another value.
#[derive(Debug)]
pub struct Moves;

/// Found first: a reference.
pub trait LeadsByReference {
    /// Where the variable is `mut`.
    fn saga_way(&self) -> Moves {
        Moves
    }
}

impl<T: ?Sized> LeadsByReference for &Way<'_, &T> {}
impl<T: ?Sized> LeadsByReference for &Way<'_, &mut T> {}

/// Found first: a reference by which things change.
pub trait LeadsByMut {
    /// Where the variable is not `mut`: what is behind this may be.
    fn saga_fixed_way(&self) -> Moves {
        Moves
    }
}

impl<T: ?Sized> LeadsByMut for &Way<'_, &mut T> {}

/// Found for everything else.
pub trait LeadsThere {
    /// Where the variable is `mut`.
    fn saga_way(&self) -> Stays {
        Stays
    }

    /// Where it is not.
    fn saga_fixed_way(&self) -> Stays {
        Stays
    }
}

impl<P: ?Sized> LeadsThere for Way<'_, P> {}

/// The kind of what a variable refers to by such a way.
pub trait ByWay<L> {
    /// The kind.
    type Kind;

    /// The kind.
    fn kind(self, kind: L) -> Self::Kind;
}

impl<L> ByWay<L> for Stays {
    type Kind = L;

    fn kind(self, kind: L) -> L {
        kind
    }
}

impl<L> ByWay<L> for Moves {
    type Kind = Elsewhere;

    fn kind(self, _: L) -> Elsewhere {
        Elsewhere
    }
}
