//! Parts that are references to what comes with every request: they are taken from there again, and are not in the frame.

use std::marker::PhantomData;

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
    /// The next part, which was taken from one of these places: it must still be there.
    pub fn place<'p, 'q, T: ?Sized, F: SavesPart<'s, &'q T>>(
        &mut self,
        witness: &PartOf<&'p T, F>,
        part: &&'q T,
        places: &[&T],
    ) {
        if !F::IS_PLACE {
            return self.part(witness, part);
        }
        match places.iter().position(|place| is_place(*part, place)) {
            Some(_) if places.len() == 1 => {}
            Some(at) => self.number(u32::try_from(at).unwrap_or(u32::MAX)),
            None => self.other(),
        }
    }
}

impl<'s> Together<'_, 's> {
    /// The next part, from its place.
    ///
    /// # Errors
    /// [`Stop::Stale`] where it is taken from none of these, and does not decode.
    pub fn place<'p, T: ?Sized, F: LoadsPart<'s, &'p T>>(
        &mut self,
        witness: &PartOf<&'p T, F>,
        places: &[&'p T],
    ) -> Result<&'p T, Stop> {
        let place = match places {
            _ if !F::IS_PLACE => return self.part(witness),
            [place] => Some(place),
            places => places.get(self.number()? as usize),
        };
        place.copied().ok_or_else(|| self.other())
    }
}

/// Whether a reference is this one.
fn is_place<T: ?Sized>(part: &T, place: &T) -> bool {
    std::ptr::addr_eq(part, place) && size_of_val(part) == size_of_val(place)
}
