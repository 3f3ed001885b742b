//! Texts that the function gives away for good: a copy that the call has made would end with it.
//!
//! ```text
//! async fn labels(..) -> Vec<&'static str> { let mut all = Vec::new(); .. all.push("late"); ask; all }
//! ```

use serde::{Deserialize, Serialize};

use super::{
    choose::unreached,
    forms::{
        AsGiven, AsParts, AsPlain, AsReferences, AsSaid, AsSerde, AsSerdeLent, AsSerdeShown,
        AsStatic, AsSteps, AsStored, AsTextSteps, AsUntouched, AsWritten, Refused, Rematerialized,
        RematerializedShown, Unsaved,
    },
    handles::AsRequestHandle,
    in_scope::Witness,
    lent_parts::AsLentParts,
    shown::{AsSerdeLentShown, AsShownReferences},
};

/// What can be read with texts that are there for good.
#[derive(Debug)]
pub struct Lasting;

/// What cannot.
#[derive(Debug)]
pub struct Passing;

/// Found first.
pub trait TextsThatLast {
    /// They may be.
    fn saga_lasting(&self) -> Lasting {
        Lasting
    }
}

impl<T: Serialize + Deserialize<'static>> TextsThatLast for &Witness<T> {}

/// Found for everything else.
pub trait NoTexts {
    /// There is nothing to read.
    fn saga_lasting(&self) -> Passing {
        Passing
    }
}

impl<T> NoTexts for Witness<T> {}

/// The form of what is given away for good.
pub trait ForGood<Texts> {
    /// It.
    type Form;
}

macro_rules! as_they_are {
    ($($form:ident)*) => {
        $(impl<Texts> ForGood<Texts> for $form {
            type Form = Self;
        })*
    };
}

as_they_are! {
    AsGiven AsLentParts AsParts AsPlain AsRequestHandle AsSaid AsSerde AsSerdeLent AsSerdeLentShown AsSerdeShown AsStatic
    AsStored AsUntouched AsWritten Refused Rematerialized RematerializedShown Unsaved
}

macro_rules! with_texts {
    ($([$($generics:ident)?] $form:ty;)*) => {
        $(
            impl<$($generics)?> ForGood<Lasting> for $form {
                type Form = AsStatic;
            }

            impl<$($generics)?> ForGood<Passing> for $form {
                type Form = Self;
            }
        )*
    };
}

with_texts! {
    [K] AsReferences<K>;
    [K] AsShownReferences<K>;
    [] AsSteps;
    [] AsTextSteps;
}

/// The form of a variable of which that is seen.
pub fn for_good<Texts, Form: ForGood<Texts>>(_: Texts, _: Form) -> Form::Form {
    unreached()
}
