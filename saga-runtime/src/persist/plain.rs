//! The form of numbers and texts, which most variables have: rustc need not look at the levels for those.

use super::{
    choose::{First, unreached},
    forms::{AsPlain, Unsaved},
    kinds::Plain,
};

/// Numbers and texts, which are nothing else.
pub trait ChoosePlain {
    /// What has the form.
    fn saga_first(&self) -> KnownPlain {
        unreached()
    }
}

impl<T: Plain> ChoosePlain for &First<'_, T> {}

/// The form of a plain type.
#[derive(Debug)]
pub struct KnownPlain;

impl KnownPlain {
    /// The form.
    pub fn saga_form(&self) -> AsPlain {
        AsPlain
    }

    /// The form of a value that may borrow from a block's own variables.
    pub fn saga_lent(&self) -> AsPlain {
        AsPlain
    }

    /// The form of a value that can be evaluated again.
    pub fn saga_again(&self) -> AsPlain {
        AsPlain
    }

    /// The form of one that is made again.
    pub fn saga_made(&self) -> AsPlain {
        AsPlain
    }

    /// The form of one that may be a reference which is returned.
    pub fn saga_found(&self) -> AsPlain {
        AsPlain
    }

    /// The form of an argument that is given again.
    pub fn saga_given(&self) -> AsPlain {
        AsPlain
    }

    /// The form of a value that the function puts together.
    pub fn saga_parts(&self) -> AsPlain {
        AsPlain
    }

    /// The form of one that may borrow from a block's own variables.
    pub fn saga_lent_parts(&self) -> AsPlain {
        AsPlain
    }

    /// The form of one of which that is seen.
    pub fn saga_lending_parts(&self) -> AsPlain {
        AsPlain
    }

    /// The form of one that would be put together of what a block lends it.
    pub fn saga_perhaps_lending_parts(&self) -> AsPlain {
        AsPlain
    }

    /// The form of such a value that is never there where the function stops.
    pub fn saga_unsaved(&self) -> Unsaved {
        Unsaved
    }

    /// The form of one of which it is seen that it refers to what its block owns.
    pub fn saga_passing_parts(&self) -> Unsaved {
        Unsaved
    }
}
