//! Arguments of a call that may be made again: what it is given is a copy of what is kept.

use std::{fmt::Debug, marker::PhantomData};

use serde::{Serialize, de::DeserializeOwned};

use crate::persist::{
    Slot,
    copied_parts::{self, Looked},
    forms::{AsGiven, AsParts, Refused, Unsaved},
    in_scope::Witness,
    kinds::Plain,
    lent_parts::AsLentParts,
    shown::shows_the_same,
};

/// Found first: what a call is given is a clone of what is kept of it.
pub trait CopyByClone<T> {
    /// A copy.
    fn saga_copied(&self, kept: &T) -> T;

    /// By whose type it is chosen how it is cloned.
    fn saga_cloned(&self) -> Looked<T>;
}

impl<T: Clone> CopyByClone<T> for &&&Witness<T> {
    fn saga_copied(&self, kept: &T) -> T {
        kept.clone()
    }

    fn saga_cloned(&self) -> Looked<T> {
        Looked::new()
    }
}

/// Found next: it is written and read, and shows the same.
pub trait CopyBySerdeShown<T> {
    /// A copy.
    fn saga_copied(&self, kept: &T) -> T;

    /// What makes one.
    fn saga_cloned(&self) -> WrittenShown<T>;
}

impl<T: Debug + Serialize + DeserializeOwned> CopyBySerdeShown<T> for &&Witness<T> {
    fn saga_copied(&self, kept: &T) -> T {
        self.saga_cloned().saga_part(kept)
    }

    fn saga_cloned(&self) -> WrittenShown<T> {
        WrittenShown::of_any()
    }
}

/// Copies what is written and read, and shows what it is.
#[derive(Debug)]
pub struct WrittenShown<T>(PhantomData<T>);

impl<T: Debug + Serialize + DeserializeOwned> WrittenShown<T> {
    pub(super) fn of_any() -> Self {
        Self(PhantomData)
    }

    /// A copy.
    #[allow(
        clippy::panic,
        reason = "the type's own serde is at fault, and no caller waits for an error"
    )]
    pub fn saga_part(&self, kept: &T) -> T {
        let copy = Written::of_any().saga_part(kept);
        match shows_the_same(kept, &copy) {
            true => copy,
            false => panic!(
                "an argument of type `{}` is copied by its serde, which gives another value, by its `Debug`",
                std::any::type_name::<T>()
            ),
        }
    }
}

/// Found next: it is written and read.
pub trait CopyBySerde<T> {
    /// A copy.
    fn saga_copied(&self, kept: &T) -> T;

    /// What makes one.
    fn saga_cloned(&self) -> Written<T>;
}

impl<T: Serialize + DeserializeOwned> CopyBySerde<T> for &Witness<T> {
    fn saga_copied(&self, kept: &T) -> T {
        self.saga_cloned().saga_part(kept)
    }

    fn saga_cloned(&self) -> Written<T> {
        Written::of_any()
    }
}

/// Copies what is written and read.
#[derive(Debug)]
pub struct Written<T>(PhantomData<T>);

impl<T: Serialize + DeserializeOwned> Written<T> {
    pub(super) fn of_any() -> Self {
        Self(PhantomData)
    }

    /// A copy.
    #[allow(
        clippy::panic,
        reason = "the type's own serde is at fault, and no caller waits for an error"
    )]
    pub fn saga_part(&self, kept: &T) -> T {
        match crate::persist::copied(kept) {
            Ok(copy) => copy,
            Err(detail) => panic!("an argument cannot be copied: {detail}"),
        }
    }
}

/// An argument of a call that may be made again.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` is given to a function that asks, and cannot be kept until that returns",
    label = "this argument is given again when the call goes on",
    note = "derive `serde::Serialize` and `serde::Deserialize` for it, write its literal in the call, with its fields, or hand over a reference to what is kept elsewhere; `#[saga(remake)] let options = Options::new();` before the call evaluates it again, with its effects",
    note = "a `&mut` that a function of yours returns is not looked for again: name its place in the call (`&mut list[i]`), or give what it is in and look for it in the function that asks"
)]
pub trait KeptForCall {}

/// Pointers to what several share: the call that is made again gives another one to the same.
#[diagnostic::on_unimplemented(
    message = "an argument of type `{Self}` is used after an ask: what changed in it before would be lost when the call is made again",
    label = "this variable is live after the ask",
    note = "take it by reference, or in an `Arc`"
)]
pub trait GivenAgain {}

impl<T: ?Sized> GivenAgain for std::sync::Arc<T> {}
impl<T: ?Sized> GivenAgain for std::sync::Weak<T> {}
impl<T: ?Sized> GivenAgain for std::rc::Rc<T> {}
impl<T: ?Sized> GivenAgain for std::rc::Weak<T> {}
impl<T: ?Sized> GivenAgain for &T {}
impl<T: GivenAgain> GivenAgain for Option<T> {}
impl<T: GivenAgain> GivenAgain for Vec<T> {}

/// Found for everything else.
pub trait CopyOther<T> {
    /// Does not compile.
    fn saga_copied(&self, kept: &T) -> T
    where
        T: KeptForCall;

    /// Neither does this.
    fn saga_cloned(&self) -> NotKept<T>
    where
        T: KeptForCall;
}

impl<T> CopyOther<T> for Witness<T> {
    fn saga_copied(&self, kept: &T) -> T
    where
        T: KeptForCall,
    {
        CopyOther::saga_cloned(self).saga_part(kept)
    }

    fn saga_cloned(&self) -> NotKept<T>
    where
        T: KeptForCall,
    {
        NotKept::of_any()
    }
}

/// Copies nothing.
#[derive(Debug)]
pub struct NotKept<T>(PhantomData<T>);

impl<T> NotKept<T> {
    pub(super) fn of_any() -> Self {
        Self(PhantomData)
    }

    /// No type has what leads here.
    #[allow(clippy::unreachable, reason = "no type has the bound")]
    pub fn saga_part(&self, _: &T) -> T {
        unreachable!("no type has the bound")
    }
}

/// Found in place of that, of a receiver that its method may take: it is lent.
pub trait ReceiverLent<T> {
    /// What lends it.
    fn saga_cloned(&self) -> LentReceiver<T>;
}

impl<T> ReceiverLent<T> for Witness<T> {
    fn saga_cloned(&self) -> LentReceiver<T> {
        LentReceiver(PhantomData)
    }
}

/// Lends a receiver.
#[derive(Debug)]
pub struct LentReceiver<T>(PhantomData<T>);

impl<T> LentReceiver<T> {
    /// It.
    pub fn saga_part<'k>(&self, kept: &'k T) -> &'k T {
        kept
    }
}

macro_rules! hand_by_clone {
    ($($(#[$doc:meta])* $name:ident { $self:ty, $($bounds:tt)* } |$value:ident| $copy:expr;)*) => {
        $(
            $(#[$doc])*
            pub trait $name<T> {
                /// What is given away.
                fn saga_handed<F>(&self, value: T, slot: &mut Slot<T, F>, keep: impl FnOnce(&T)) -> T;
            }

            impl<T: $($bounds)*> $name<T> for $self {
                fn saga_handed<F>(&self, value: T, slot: &mut Slot<T, F>, _: impl FnOnce(&T)) -> T {
                    let $value = &value;
                    slot.put($copy);
                    value
                }
            }
        )*
    };
}

hand_by_clone! {
    /// Found first: the slot keeps a clone of what is given away, as std makes it.
    HandPlain { &&&&&&Witness<T>, Clone + Plain } |value| value.clone();
    /// Found next: one that shows the same.
    HandShown { &&&&&Witness<T>, Clone + Debug } |value| copied_parts::shown(value);
    /// Found next: one that is written the same.
    HandWritten { &&&&Witness<T>, Clone + Serialize } |value| copied_parts::written(value);
    /// Found next: one of which nothing is known.
    HandByClone { &&&Witness<T>, Clone } |value| value.clone();
    /// Found next: one that is written and read, and shows the same.
    HandBySerdeShown { &&Witness<T>, Debug + Serialize + DeserializeOwned } |value| WrittenShown::of_any().saga_part(value);
}

/// Found next: one that is written and read.
pub trait HandBySerde<T> {
    /// What is given away.
    fn saga_handed<F>(&self, value: T, slot: &mut Slot<T, F>, keep: impl FnOnce(&T)) -> T;
}

impl<T: Serialize + DeserializeOwned> HandBySerde<T> for &Witness<T> {
    fn saga_handed<F>(&self, value: T, slot: &mut Slot<T, F>, _: impl FnOnce(&T)) -> T {
        slot.put(CopyBySerde::saga_copied(self, &value));
        value
    }
}

/// Found for everything else: nothing is left, but what `keep` takes of it.
pub trait HandWhole<T> {
    /// What is given away.
    fn saga_handed<F: LeftByParts<T>>(
        &self,
        value: T,
        slot: &mut Slot<T, F>,
        keep: impl FnOnce(&T),
    ) -> T;
}

impl<T> HandWhole<T> for Witness<T> {
    fn saga_handed<F: LeftByParts<T>>(
        &self,
        value: T,
        _: &mut Slot<T, F>,
        keep: impl FnOnce(&T),
    ) -> T {
        keep(&value);
        value
    }
}

/// Forms of a variable that need nothing of it once it is given away.
#[diagnostic::on_unimplemented(
    message = "a value of type `{T}` is given to a function that asks, and cannot be kept until that returns",
    label = "this argument is given again when the call goes on",
    note = "derive `serde::Serialize` and `serde::Deserialize` for it, write its literal in the call, with its fields, or hand over a reference to what is kept elsewhere; `#[saga(remake)] let options = Options::new();` before the call evaluates it again, with its effects"
)]
pub trait LeftByParts<T> {}

impl<T> LeftByParts<T> for AsParts {}
#[diagnostic::do_not_recommend]
impl<T> LeftByParts<T> for AsLentParts {}
impl<T> LeftByParts<T> for AsGiven {}
// Said already.
impl<T> LeftByParts<T> for Refused {}
impl<T> LeftByParts<T> for Unsaved {}

/// What nothing changes behind a shared reference, as far as that keeps it in one thread.
pub trait TakenUnchanging {
    /// Nothing.
    fn saga_taken(&self) {}
}

impl<T: Sync> TakenUnchanging for &Witness<T> {}

/// A value that a closure takes.
#[diagnostic::on_unimplemented(
    message = "a closure takes a value of type `{Self}`, which may change behind a shared reference, and is given to a function that asks: it is made again then, with what the value was before",
    label = "this is changed in the closure alone",
    note = "lend it to the closure (without `move`), or hold what changes in a variable of the function that asks"
)]
pub trait UnchangedInClosure {}

/// Found for everything else.
pub trait TakenChanging {
    /// What is taken.
    type Taken;
    /// Does not compile.
    fn saga_taken(&self)
    where
        Self::Taken: UnchangedInClosure,
    {
    }
}

impl<T> TakenChanging for Witness<T> {
    type Taken = T;
}
