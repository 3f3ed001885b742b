//! A call that may be made again is given a copy of a variable. How it is copied is chosen behind the blocks, where the type is known:
//! what is copied may have one only where it goes (`ask(&cx, "a".into())`).

use std::{fmt::Debug, marker::PhantomData};

use serde::{Serialize, de::DeserializeOwned};

use super::{
    Slot,
    copied_parts::{shown, written},
    in_scope::Witness,
    kept::{KeptForCall, NotKept, Written, WrittenShown},
    kinds::{Plain, Shared},
};

/// Copies a variable, in a way that is chosen later.
#[derive(Debug)]
pub struct Copying<T, W>(PhantomData<fn() -> (T, W)>);

impl<T, W> Copying<T, W> {
    /// In a way that is not known yet.
    #[allow(clippy::new_without_default, reason = "for generated code")]
    pub fn new() -> Self {
        Self(PhantomData)
    }

    /// Has the type of the slot's variable.
    pub fn of<F>(&self, _: &Slot<T, F>) {}

    /// Takes the way.
    pub fn by(&self, _: W) {}

    /// A copy.
    pub fn copied(&self, kept: &T) -> T
    where
        W: Way<T>,
    {
        W::copied(kept)
    }
}

/// A way to copy.
pub trait Way<T> {
    /// A copy.
    fn copied(kept: &T) -> T;
}

/// Found where one of them is: the first that the type allows.
pub trait CopyingBy {
    /// The way.
    type Way;
    /// It.
    fn saga_copying(&self) -> Self::Way;
}

macro_rules! ways {
    ($(#[doc = $found:literal] $way:ident { $self:ty, $($bounds:tt)* } |$kept:ident| $copy:expr;)*) => {
        $(
            #[doc = $found]
            #[derive(Debug)]
            pub struct $way;

            impl<T: $($bounds)*> Way<T> for $way {
                fn copied($kept: &T) -> T {
                    $copy
                }
            }

            impl<T: $($bounds)*> CopyingBy for $self {
                type Way = $way;

                fn saga_copying(&self) -> $way {
                    $way
                }
            }
        )*
    };
}

ways! {
    #[doc = "Found first: its bits are copied."]
    Bits { &&&&&&&&Witness<T>, Copy } |kept| *kept;
    #[doc = "Found next: std's `Clone` gives the same."]
    PlainClone { &&&&&&&Witness<T>, Clone + Plain } |kept| kept.clone();
    #[doc = "Found next: of what several share it gives the same."]
    SharedClone { &&&&&&Witness<T>, Clone + Shared } |kept| kept.clone();
    #[doc = "Found next: a clone that shows the same."]
    ShownClone { &&&&&Witness<T>, Clone + Debug } |kept| shown(kept);
    #[doc = "Found next: a clone that is written the same."]
    WrittenClone { &&&&Witness<T>, Clone + Serialize } |kept| written(kept);
    #[doc = "Found next: a clone of which nothing is known."]
    AnyClone { &&&Witness<T>, Clone } |kept| kept.clone();
    #[doc = "Found next: it is written and read, and shows the same."]
    BySerdeShown { &&Witness<T>, Debug + Serialize + DeserializeOwned } |kept| WrittenShown::of_any().saga_part(kept);
    #[doc = "Found next: it is written and read."]
    BySerde { &Witness<T>, Serialize + DeserializeOwned } |kept| Written::of_any().saga_part(kept);
}

/// Found for everything else.
pub trait CopyingOther<T> {
    /// Does not compile.
    fn saga_copying(&self) -> NotKept<T>
    where
        T: KeptForCall;
}

impl<T> CopyingOther<T> for Witness<T> {
    fn saga_copying(&self) -> NotKept<T>
    where
        T: KeptForCall,
    {
        NotKept::of_any()
    }
}

impl<T> Way<T> for NotKept<T> {
    fn copied(kept: &T) -> T {
        NotKept::of_any().saga_part(kept)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    macro_rules! copied {
        ($value:expr) => {{
            let (copying, kept) = (Copying::new(), $value);
            // As in generated code, before the way is known.
            let copy = copying.copied(&kept);
            copying.by((&&&&&&&&&Witness::of(&kept)).saga_copying());
            copy
        }};
    }

    #[derive(Debug, PartialEq)]
    struct Counted(u32);

    impl Clone for Counted {
        fn clone(&self) -> Self {
            Self(0)
        }
    }

    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    struct WithoutClone(String);

    #[derive(Serialize)]
    struct Written(u32);

    impl Clone for Written {
        fn clone(&self) -> Self {
            Self(0)
        }
    }

    #[derive(Clone)]
    struct SaysNothing(u32);

    #[test]
    fn what_is_the_same_is_copied() {
        assert_eq!(copied!(7), 7);
        assert_eq!(copied!("a".to_owned()), "a");
        let shared = Arc::new(SaysNothing(3));
        assert!(Arc::ptr_eq(&copied!(Arc::clone(&shared)), &shared));
        assert_eq!(copied!(Counted(0)), Counted(0));
        assert_eq!(copied!(Written(0)).0, 0);
        assert_eq!(copied!(SaysNothing(4)).0, 4);
        assert_eq!(copied!(WithoutClone("b".to_owned())).0, "b");
    }

    #[test]
    #[should_panic(expected = "its `Clone` gives another value")]
    fn a_clone_that_shows_something_else_is_none() {
        copied!(Counted(1));
    }

    #[test]
    #[should_panic(expected = "its `Clone` gives another value")]
    fn nor_is_one_that_is_written_otherwise() {
        copied!(Written(1));
    }
}
