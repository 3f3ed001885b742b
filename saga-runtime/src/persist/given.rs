//! Where in what a function was given something is that may outlive it: a copy would not.
//!
//! ```text
//! let best = cheapest(plans); ask; Ok(best)
//! ```

use super::{
    choose::unreached,
    found::{FoundIn, One},
    referent::{
        Elsewhere, Itself, Place, Referent, Referring, load_referent, located, nowhere,
        save_referent,
    },
    texts::{ByContent, Texts, TextsWithin, Within},
};
use crate::activation::{Activation, Stop, suspension::Suspension};

/// It may be one of the items of what an argument or `self` leads to: another process may have another one there, so that the item
/// has to show the same.
#[derive(Debug)]
pub struct AmongLent;

/// It may be a piece of a text that one of those leads to.
#[derive(Debug)]
pub struct InTexts;

/// It may be a piece of a text that is lent in one of those.
#[derive(Debug)]
pub struct InTextsWithin;

/// It may be a literal or a constant that is a text.
#[derive(Debug)]
pub struct Fixed;

/// It may be a constant that is something else, of which each mention is one of its own.
#[derive(Debug)]
pub struct Unknown;

located! {
    AmongLent: &'b B, |place| place;
    InTexts: Texts<&'b B>, |place| Texts(place);
    Fixed: Texts<&'b B>, |place| Texts(place);
    InTextsWithin: TextsWithin<&'b B>, |place| TextsWithin(place);
}
nowhere!(Unknown);

/// Found first, of a literal or a constant: texts.
pub trait FixedTexts {
    /// The kind.
    fn saga_lent_referent(&self) -> Fixed {
        Fixed
    }
}

impl<'b, T, V: FoundIn<Texts<&'b ByContent<T>>>> FixedTexts
    for &&&&&&Referring<'b, ByContent<T>, V>
{
}

/// Found next: a text, which what has none in it does not refer to.
pub trait FixedOther {
    /// The kind.
    fn saga_lent_referent(&self) -> Elsewhere {
        Elsewhere
    }
}

impl<V> FixedOther for &&&&&Referring<'_, ByContent<&&str>, V> {}

/// Found next, of such: what may be it, and cannot be told.
pub trait FixedElsewhere {
    /// The kind.
    fn saga_lent_referent(&self) -> Unknown {
        Unknown
    }
}

impl<T, V> FixedElsewhere for &&&&Referring<'_, ByContent<T>, V> {}

/// Found next, of what is lent in an argument.
pub trait LentWithin {
    /// The kind.
    fn saga_lent_referent(&self) -> InTextsWithin {
        InTextsWithin
    }
}

impl<'b, B, V: FoundIn<TextsWithin<&'b Within<B>>>> LentWithin for &&&&Referring<'b, Within<B>, V> {}

/// Found next: what refers to items of an argument's, which show what they are.
pub trait LentItems {
    /// The kind.
    fn saga_lent_referent(&self) -> AmongLent {
        AmongLent
    }
}

impl<'b, B: ?Sized, V: FoundIn<&'b B>> LentItems for &&&Referring<'b, B, V> {}

/// Found next: what refers to the argument itself.
pub trait LentItself {
    /// The kind.
    fn saga_lent_referent(&self) -> Itself {
        Itself
    }
}

impl<'b, B: ?Sized, V: FoundIn<One<&'b B>>> LentItself for &&Referring<'b, B, V> {}

/// Found next: what refers to pieces of its texts.
pub trait LentTexts {
    /// The kind.
    fn saga_lent_referent(&self) -> InTexts {
        InTexts
    }
}

impl<'b, B: ?Sized, V: FoundIn<Texts<&'b B>>> LentTexts for &Referring<'b, B, V> {}

/// Found for everything else.
pub trait LentElsewhere {
    /// The kind.
    fn saga_lent_referent(&self) -> Elsewhere {
        Elsewhere
    }
}

impl<B: ?Sized, V> LentElsewhere for Referring<'_, B, V> {}

/// Nothing was looked at yet.
#[derive(Debug)]
pub struct NoPlace;

/// Nothing was looked at yet, and it may be in a part of what was found: an item of the same type may be further inside.
#[derive(Debug)]
pub struct Inside;

/// The same, and there are texts, which are found wherever they are.
#[derive(Debug)]
pub struct TextsInside;

/// Texts, and nothing else.
#[derive(Debug)]
pub struct TextsAlone;

/// A place that the variable may refer to an item of, or to itself.
#[derive(Debug)]
pub struct WithItems;

/// What may have texts in it that are not found.
#[derive(Debug)]
pub struct Opaque;

/// What may be another one behind the ask, whatever else it may be.
#[derive(Debug)]
pub struct Untold;

/// What is known of a variable's places with one more.
pub trait Joins<Known> {
    /// It.
    type Joined;
}

macro_rules! joins {
    ($($kind:ident: $($known:ident => $joined:ident),*;)*) => {
        $($(impl Joins<$known> for $kind {
            type Joined = $joined;
        })*)*
    };
}

joins! {
    AmongLent: NoPlace => WithItems, TextsAlone => WithItems, WithItems => WithItems, Opaque => WithItems,
        Inside => Untold, TextsInside => Untold, Untold => Untold;
    Itself: NoPlace => WithItems, TextsAlone => WithItems, WithItems => WithItems, Opaque => WithItems,
        Inside => Untold, TextsInside => Untold, Untold => Untold;
    InTexts: NoPlace => TextsAlone, TextsAlone => TextsAlone, WithItems => WithItems, Opaque => Opaque,
        Inside => TextsInside, TextsInside => TextsInside, Untold => Untold;
    InTextsWithin: NoPlace => TextsAlone, TextsAlone => TextsAlone, WithItems => WithItems, Opaque => Opaque,
        Inside => TextsInside, TextsInside => TextsInside, Untold => Untold;
    Fixed: NoPlace => NoPlace, TextsAlone => TextsAlone, WithItems => WithItems, Opaque => Opaque,
        Inside => Inside, TextsInside => TextsInside, Untold => Untold;
    Unknown: NoPlace => Untold, TextsAlone => Untold, WithItems => Untold, Opaque => Untold,
        Inside => Untold, TextsInside => Untold, Untold => Untold;
    Elsewhere: NoPlace => Opaque, TextsAlone => Opaque, WithItems => WithItems, Opaque => Opaque,
        Inside => Untold, TextsInside => Untold, Untold => Untold;
}

/// What is known with one more place.
pub fn joined<L: Joins<Known>, Known>(_: &Referent<L>, _: Known) -> L::Joined {
    unreached()
}

/// Which of two forms a variable has: the one of what is found again, or its own.
pub trait Prefers<Found, Form> {
    /// It.
    type Form;
}

macro_rules! prefers {
    ($($known:ident: $form:ident;)*) => {
        $(impl<Found, Form> Prefers<Found, Form> for $known {
            type Form = $form;
        })*
    };
}

prefers! {
    NoPlace: Form;
    Inside: Form;
    TextsInside: Found;
    TextsAlone: Found;
    WithItems: Found;
    Opaque: Form;
    Untold: Form;
}

/// The form of a variable, by what is known of its places.
pub fn preferred<Known: Prefers<Found, Form>, Found, Form>(
    _: Known,
    _: Found,
    _: Form,
) -> Known::Form {
    unreached()
}

/// Puts in the frame where in what it was given a function has found what a variable refers to.
pub fn save_found(places: &[&dyn Place], suspension: &mut Suspension) {
    if places.iter().any(|place| place.noted().is_some()) {
        save_referent(places, suspension);
    } else {
        suspension.write(
            |_| Err("it may outlive the function, and it is neither an item nor a piece of a text of what the function was given by reference: hold an index in its place, or return a value".to_owned()),
            |_| Ok(()),
        );
    }
}

/// Takes that from the frame.
pub fn load_found(places: &mut [&mut dyn Place], activation: &mut Activation) {
    if !load_referent(places, activation) {
        let stale = "a variable is in no place of its".to_owned();
        activation.loading(|_| Err(Stop::Stale(stale)));
    }
}
