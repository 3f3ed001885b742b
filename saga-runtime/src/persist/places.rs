//! Parts that are references to what comes with every request: they are taken from there again, and are not in the frame.

use std::{marker::PhantomData, sync::Arc};

use super::{
    Arena,
    again::Again,
    choose::unreached,
    forms::Rematerialized,
    parts::{Apart, LoadsPart, PartOf, Request, SavesPart, Together},
};
use crate::{activation::Stop, codec::Failure};

/// From its place.
#[derive(Debug)]
pub struct PlacePart;

impl<'s, T: ?Sized> SavesPart<'s, &T> for PlacePart {
    const IS_PLACE: bool = true;

    fn save(_: &&T, _: &mut Vec<u8>, _: &'s Arena<'s>) -> Result<(), Failure> {
        Ok(())
    }
}

impl<'s, 'p, T: ?Sized> LoadsPart<'s, &'p T> for PlacePart {
    const IS_PLACE: bool = true;

    fn load(_: &mut &'s [u8], _: Request<'_, 's>) -> Result<&'p T, Stop> {
        Err(Stop::Stale("it has no place".to_owned()))
    }
}

/// The type of a part that may be another reference by then.
#[derive(Debug)]
pub struct PlaceOf<P>(PhantomData<P>);

/// That of a part.
pub fn of_place<P, F>(_: &PartOf<P, F>) -> PlaceOf<P> {
    PlaceOf(PhantomData)
}

/// Found first, of texts and slices, which are often gone through: as what they are.
pub trait ChoosePlaceOfItems {
    /// In the form of the slot.
    fn saga_again<F>(&self, _: &Again<F>) -> Again<F> {
        unreached()
    }

    /// As that says.
    fn saga_place<F>(&self, form: F) -> F {
        form
    }
}

impl<T> ChoosePlaceOfItems for &PlaceOf<&[T]> {}
impl ChoosePlaceOfItems for &PlaceOf<&str> {}

/// Found for everything else.
pub trait ChoosePlace {
    /// In which form another choice has nothing to refuse.
    fn saga_again<F>(&self, _: &Again<F>) -> Again<Rematerialized> {
        unreached()
    }

    /// How it is stored.
    fn saga_place<F>(&self, _: F) -> PlacePart {
        PlacePart
    }
}

impl<P> ChoosePlace for PlaceOf<P> {}

impl<'s> Apart<'s> {
    /// The next part, which was taken from one of these places, of which not all need be there: it must still be in its own. It goes
    /// by the number of its place, whatever others there are; by none where there is one place alone, whose text is known otherwise.
    pub fn place<'p, 'q, T: ?Sized, F: SavesPart<'s, &'q T>>(
        &mut self,
        witness: &PartOf<&'p T, F>,
        part: &&'q T,
        numbers: &[u32],
        places: &[Option<&T>],
    ) {
        if !F::IS_PLACE {
            return self.part(witness, part);
        }
        let Some(at) = place_of(*part, places) else {
            return self.other();
        };
        if let Some(number) = numbers.get(at) {
            self.number(*number);
        }
    }
}

impl<'s> Together<'_, 's> {
    /// The next part, from its place.
    ///
    /// # Errors
    /// [`Stop::Stale`] where the one that it was taken from is none of these or not there, or where it does not decode.
    pub fn place<'p, T: ?Sized, F: LoadsPart<'s, &'p T>>(
        &mut self,
        witness: &PartOf<&'p T, F>,
        numbers: &[u32],
        places: &[Option<&'p T>],
    ) -> Result<&'p T, Stop> {
        if !F::IS_PLACE {
            return self.part(witness);
        }
        let at = match numbers {
            [] => Some(0),
            numbers => {
                let written = self.number()?;
                numbers.iter().position(|number| *number == written)
            }
        };
        let place = at.and_then(|at| places.get(at).copied().flatten());
        place.ok_or_else(|| self.other())
    }
}

/// What a method `as_ref` is called on.
#[derive(Debug)]
pub struct Lent<'p, T>(&'p T);

impl<'p, T> Lent<'p, T> {
    /// What is lent for it.
    pub fn of(lent: &'p T) -> Self {
        Self(lent)
    }
}

/// A type of std whose `as_ref` does nothing but look into it.
#[diagnostic::on_unimplemented(
    message = "`as_ref` of `{Self}` gives a reference that is held across an ask, and may give another one then",
    label = "this is called again",
    note = "name what it looks into (`match &self.field`), or hold a copy of what is needed: `.clone()`"
)]
pub trait LooksInto {
    /// What it gives.
    type Seen<'p>
    where
        Self: 'p;

    /// Calls it.
    fn look(&self) -> Self::Seen<'_>;
}

impl<T> LooksInto for Option<T> {
    type Seen<'p>
        = Option<&'p T>
    where
        T: 'p;

    fn look(&self) -> Option<&T> {
        self.as_ref()
    }
}

impl<T, E> LooksInto for Result<T, E> {
    type Seen<'p>
        = Result<&'p T, &'p E>
    where
        T: 'p,
        E: 'p;

    fn look(&self) -> Result<&T, &E> {
        self.as_ref()
    }
}

impl<T: ?Sized> LooksInto for Box<T> {
    type Seen<'p>
        = &'p T
    where
        T: 'p;

    fn look(&self) -> &T {
        self
    }
}

impl<T: ?Sized> LooksInto for Arc<T> {
    type Seen<'p>
        = &'p T
    where
        T: 'p;

    fn look(&self) -> &T {
        self
    }
}

/// Found for these.
pub trait LookedInto<'p> {
    /// What it gives.
    type Seen;

    /// Calls it.
    fn saga_as_ref(&self) -> Self::Seen;
}

impl<'p, T: LooksInto> LookedInto<'p> for &Lent<'p, T> {
    type Seen = T::Seen<'p>;

    fn saga_as_ref(&self) -> T::Seen<'p> {
        self.0.look()
    }
}

/// Found for others, whose method is not called again.
pub trait LookedIntoOther {
    /// The type that it is called on.
    type Lent;

    /// Refused.
    fn saga_as_ref<R>(&self) -> R
    where
        Self::Lent: LooksInto,
    {
        unreached()
    }
}

impl<T> LookedIntoOther for Lent<'_, T> {
    type Lent = T;
}

/// Which of these places a reference leads to.
///
/// Values without a size may be at one address: two `dyn` of them are told apart by their vtables. The vtable of one type need not
/// be at one address; where only one place is at that of the value, it is that one.
fn place_of<T: ?Sized>(part: &T, places: &[Option<&T>]) -> Option<usize> {
    let same = |place: &Option<&T>| place.is_some_and(|place| std::ptr::eq(part, place));
    if let Some(at) = places.iter().position(same) {
        return Some(at);
    }
    let there =
        |place: &T| std::ptr::addr_eq(part, place) && size_of_val(part) == size_of_val(place);
    let places = places.iter().enumerate();
    let mut all = places.filter(|(_, place)| place.is_some_and(there));
    match (all.next(), all.next()) {
        (Some((at, _)), None) => Some(at),
        _ => None,
    }
}
