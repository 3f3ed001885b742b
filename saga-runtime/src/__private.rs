//! What generated code calls. Not an interface: it changes with the macro.

use std::{convert::Infallible, ops::ControlFlow};

pub use crate::{
    activation::{
        Activation, Answered, AsPeer, Asked, Asking, Called, IsHandle, Nobody, Stop, TimeLimit, cx,
        handle,
        join::{
            Arm, TryArm, all_taken, all_tried, ask_arm, outputs, taken_error, taken_value,
            tried_error, tried_value,
        },
        suspension::{Suspension, ended},
    },
    ask::{
        CreateElicitation, CreateMessage, Elicit, ElicitUrl, ListRoots,
        forms::{
            AnyForm, CHECKED, FormOf, arguments_with_forms, empty_input_schema, input_schema,
            report_forms, with_forms,
        },
        limit::{Limited, Raced},
        pause::{Question, Sleep, TrySleep},
        rest::{Beside, BesideOther, BesideRest, Cancellation, Rest, time_left},
    },
    background::TaskMode,
    codec::{ReadError, Sink, Source, WriteError},
    engine::{
        function::{Accepted, Function, Point},
        named::{Named, here},
    },
    persist::{
        adapted::{adapted_by_std, adapters},
        again::{
            Again, Cloned, ClonedBy, Maybe, PresentAsIs, PresentByProof, behind, by_clone,
            looked_up, optional, referred,
        },
        arms::{DroppedArm, LossyArm, MemoryArm, OtherArm, SharedArm, ShownArm, ValueOf},
        copied_parts::{
            ChangeableOfStd, ChangeableOther, Looked, OptionalPart, Part, PartCopied, PartOther,
            PartPlain, PartShared, PartShown, PartWritten, TakeBindings, TakeCopied, TakeWhole,
        },
        copying::{Copying, CopyingBy, CopyingOther},
        for_good::{NoTexts, TextsThatLast, for_good},
        found::{Both, Else, Same, Seen, SeenElsewhere, SeenThere, Table},
        given::{
            FixedElsewhere, FixedOther, FixedTexts, Inside, LentElsewhere, LentItems, LentItself,
            LentTexts, LentWithin, NoPlace, joined, load_found, preferred, save_found,
        },
        guards::matched_as_it_is,
        in_scope::{
            GivenHandle, GivenOther, Indexed, IndexedArray, IndexedByReference, IndexedOther,
            LeadsElsewhere, LeadsNowhereElse, LeftDrop, LeftGuard, LeftGuardPart, LeftGuardRest,
            LeftMemory, LeftOther, LeftResource, MadeOfParts, MadeWithDrop, NamedAsData,
            NamedAsLock, NamedWithDrop, ReadBehind, ReadCopied, ReadInPlace, Witness,
        },
        iterate::{
            ByRef, DrainOther, DrainOwned, Kept, Live, Remaining, SourceByKey, SourceKept,
            SourceLive, StdBehindMut, StdIndexedMut, StdItemsMut, std_behind, std_collection,
            std_indexed, std_items,
        },
        kept::{
            CopyByClone, CopyBySerde, CopyBySerdeShown, CopyOther, HandByClone, HandBySerde,
            HandBySerdeShown, HandPlain, HandShown, HandWhole, HandWritten, ReceiverLent,
            TakenChanging, TakenUnchanging,
        },
        keys::{ByOtherKey, ByOwnedKey, KeyLent, KeyOther},
        lasting::{LastingDropped, LastingMemory, LastingOther},
        led,
        lent_parts::rehome_parts,
        of_std::{
            OfCollection, OfOther, OnlyMethodsOfStdAreCalledAgain, Receiver, StdKey, std_by,
            std_key,
        },
        parts::{self, PartOf, TakenApart, is_in_parts, load_parts, save_parts},
        put_aside::{NotPutAside, PutAside},
        receivers::{ByTaking, NotTaken, ReceiverCopied, ReceiverOwned},
        referent::{
            ByWay, LeadsByMut, LeadsByReference, LeadsThere, Referent, Referring,
            ReferringElsewhere, ReferringToIt, ReferringToItems, Way, load_referent, save_referent,
        },
        root::{Root, RootChecked, RootShown, RootUnchecked},
        searched,
        shown::{ShownIn, SlotNotShown, SlotShown},
        signature::Signature,
        stepped::{IteratorNext, Next, Stepped, SteppedDrop, SteppedMemory, SteppedOther},
        texts::{ByContent, Within},
        *,
    },
    server::toolbox::{
        builder::ToolboxBuilder,
        resource::{ResourceAttr, ResourceContext},
    },
    wire::{
        Prompted, Serving,
        call::{BareCall, Call, CallWith, Params, ResumableCall},
        prompt_param,
        resume::{resumable_empty_schema, resumable_schema},
        serve_handler, serve_prompt, serve_resource, serve_tool, tool_param,
    },
};
pub use rmcp;
pub use schemars;

/// Never implemented: its error tells `cargo saga` the type of a variable.
#[diagnostic::on_unimplemented(message = "saga-type {Id} {Self}")]
pub trait Told<Id> {}

/// An error with the type of a slot's variable, under `--cfg saga_types`.
pub fn tell<Id, T: Told<Id>, F>(_: &Slot<T, F>) {}

/// Takes nothing but tokio's `timeout`, which is what the time limit around an ask does.
pub fn time_limit(
    _: fn(
        std::time::Duration,
        std::future::Ready<()>,
    ) -> tokio::time::Timeout<std::future::Ready<()>>,
) {
}

/// The same of `timeout_at`.
pub fn time_limit_at(
    _: fn(
        tokio::time::Instant,
        std::future::Ready<()>,
    ) -> tokio::time::Timeout<std::future::Ready<()>>,
) {
}

/// What `?`, `unwrap` and the like take the value out of.
pub trait Present {
    /// The value.
    type Value;
    /// The value, where there is one.
    fn present(self) -> Option<Self::Value>;
}

impl<T> Present for Option<T> {
    type Value = T;

    fn present(self) -> Self {
        self
    }
}

impl<T, E> Present for Result<T, E> {
    type Value = T;

    fn present(self) -> Option<T> {
        self.ok()
    }
}

/// What `?` does with a value, in an async block that became part of the function around it.
pub trait Branch {
    /// What goes on.
    type Output;
    /// What leaves the block.
    type Residual;
    /// One or the other.
    fn branch(self) -> ControlFlow<Self::Residual, Self::Output>;
}

/// What a block gives that is left by `?`.
pub trait FromResidual<R> {
    /// The value of the block.
    fn from_residual(residual: R) -> Self;
}

impl<T, E> Branch for Result<T, E> {
    type Output = T;
    type Residual = Result<Infallible, E>;

    fn branch(self) -> ControlFlow<Result<Infallible, E>, T> {
        match self {
            Ok(value) => ControlFlow::Continue(value),
            Err(error) => ControlFlow::Break(Err(error)),
        }
    }
}

impl<T, E, F: From<E>> FromResidual<Result<Infallible, E>> for Result<T, F> {
    fn from_residual(residual: Result<Infallible, E>) -> Self {
        match residual {
            Ok(never) => match never {},
            Err(error) => Err(error.into()),
        }
    }
}

impl<T> Branch for Option<T> {
    type Output = T;
    type Residual = Option<Infallible>;

    fn branch(self) -> ControlFlow<Option<Infallible>, T> {
        self.map_or(ControlFlow::Break(None), ControlFlow::Continue)
    }
}

impl<T> FromResidual<Option<Infallible>> for Option<T> {
    fn from_residual(_: Option<Infallible>) -> Self {
        None
    }
}

/// Numbers: their assigning operators evaluate the right side first.
#[diagnostic::on_unimplemented(
    message = "an ask on the right of an assigning operator of `{Self}`",
    label = "the operator is a type's own, so that this side is evaluated first",
    note = "`let added = …;` with the ask before it, and `… += added`"
)]
pub trait Number {}

macro_rules! numbers {
    ($($ty:ty)*) => {
        $(impl Number for $ty {})*
    };
}

numbers! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool }

/// Lets only numbers through.
pub fn number<T: Number>(place: &mut T) -> &mut T {
    place
}

/// The same of what is added to one.
pub fn added<T: Number>(value: T) -> T {
    value
}

/// `peer.supported_elicitation_modes()`, truthful on every wire.
pub fn supported_elicitation_modes(
    activation: &Activation,
    peer: &impl AsPeer,
) -> std::collections::HashSet<rmcp::service::ElicitationMode> {
    activation.client(peer).elicitation_modes()
}

/// `peer.supports_sampling_tools()`, truthful on every wire.
pub fn supports_sampling_tools(activation: &Activation, peer: &impl AsPeer) -> bool {
    activation.client(peer).can_sample_with_tools()
}

/// `peer.peer_info()`, truthful on every wire.
pub fn peer_info(
    activation: &Activation,
    peer: &impl AsPeer,
) -> Option<std::sync::Arc<rmcp::model::InitializeRequestParams>> {
    activation.client(peer).peer_info()
}

/// Refuses a guard that is held at an ask, and warns of a `Drop`.
#[doc(hidden)]
#[macro_export]
macro_rules! __left {
    ($witness:ident) => {{
        #[allow(unused_imports)]
        use $crate::__private::{
            LeftDrop as _, LeftGuard as _, LeftGuardPart as _, LeftGuardRest as _, LeftMemory as _,
            LeftOther as _, LeftResource as _,
        };
        #[warn(deprecated)]
        let () = (&&&&&&$witness).saga_at_ask();
    }};
}
pub use crate::__left as left;

/// Warns of what is named like a lock, where its type does not say that it is none.
#[doc(hidden)]
#[macro_export]
macro_rules! __left_named {
    ($witness:ident) => {{
        #[allow(unused_imports)]
        use $crate::__private::{NamedAsData as _, NamedAsLock as _, NamedWithDrop as _};
        #[warn(deprecated)]
        let () = (&&&&$witness).saga_named();
    }};
}
pub use crate::__left_named as left_named;

/// Refuses a future that is given the handle and not awaited where it is made.
#[doc(hidden)]
#[macro_export]
macro_rules! __put_aside {
    ($witness:ident) => {{
        #[allow(unused_imports)]
        use $crate::__private::{NotPutAside as _, PutAside as _};
        let () = (&&&&$witness).saga_put_aside();
    }};
}
pub use crate::__put_aside as put_aside;

/// The same of what a method may have taken: only a guard is refused.
#[doc(hidden)]
#[macro_export]
macro_rules! __left_in_part {
    ($witness:ident) => {{
        #[allow(unused_imports)]
        use $crate::__private::{
            LeftGuard as _, LeftGuardPart as _, LeftGuardRest as _, LeftOther as _,
        };
        let () = (&&&&&&$witness).saga_at_ask();
    }};
}
pub use crate::__left_in_part as left_in_part;

/// The same of a temporary that its statement would hold longer.
#[doc(hidden)]
#[macro_export]
macro_rules! __temporary {
    ($witness:ident) => {{
        #[allow(unused_imports)]
        use $crate::__private::{
            LeftDrop as _, LeftGuard as _, LeftGuardPart as _, LeftGuardRest as _, LeftMemory as _,
            LeftOther as _, LeftResource as _,
        };
        #[warn(deprecated)]
        let () = (&&&&&&$witness).saga_in_statement();
    }};
}
pub use crate::__temporary as temporary;

/// `vec!` of items one of which asks: as in an array, temporaries of each are held to the end of the statement.
pub fn vec_of<T, const N: usize>((): (), items: [T; N]) -> Vec<T> {
    items.into()
}

/// The value itself, out of the variable that stands for it: it is dropped where the author's would be.
pub fn value<T>(value: T) -> T {
    value
}

/// The value itself; its type is shown to a witness in code that is never reached.
pub fn seen<T>(value: T, _: impl FnOnce(&T)) -> T {
    value
}

/// The call, which an `await` takes: in a tuple it would live on to the end of the statement. What stands behind it is type-checked.
pub fn proven<T>(call: T, (): ()) -> T {
    call
}

/// What comes behind it is not reached.
#[allow(clippy::unreachable, reason = "nothing leads here")]
pub fn nowhere() -> ! {
    unreachable!("nothing leads here")
}

/// Refuses the handle where it is given to a function that is not taken for one that may suspend.
#[doc(hidden)]
#[macro_export]
macro_rules! __given {
    ($witness:ident) => {{
        #[allow(unused_imports)]
        use $crate::__private::{GivenHandle as _, GivenOther as _};
        let () = (&&$witness).saga_given();
    }};
}
pub use crate::__given as given;

/// The form of a slot of this kind.
#[doc(hidden)]
#[macro_export]
macro_rules! __form_of {
    ($slot:ident, $kind:ident) => {{
        #[allow(unused_imports)]
        use $crate::__private::choose::*;
        $crate::__private::choose::of_slot(&$slot)
            .saga_first()
            .$kind()
    }};
}
pub use crate::__form_of as form_of;

/// Chooses the form of a slot.
#[doc(hidden)]
#[macro_export]
macro_rules! __choose {
    ($slot:ident, $kind:ident) => {{
        #[allow(unused_imports)]
        use $crate::__private::choose::*;
        let __saga_form = $crate::__private::choose::of_slot(&$slot)
            .saga_first()
            .$kind();
        $crate::__private::chosen(&$slot, __saga_form);
    }};
}
pub use crate::__choose as choose_form;

/// Proves that a value which is taken apart has no `Drop` of its own.
#[doc(hidden)]
#[macro_export]
macro_rules! __apart {
    ($slot:ident, $value:ident) => {{
        #[allow(unused_imports)]
        use $crate::__private::parts::{ApartAsItIs as _, ApartWithDrop as _};
        (&&$crate::__private::Witness::of($value))
            .saga_apart(&$crate::__private::Again::of(&$slot));
    }};
}
pub use crate::__apart as apart;

/// Chooses how a part of a slot's variable is stored.
#[doc(hidden)]
#[macro_export]
macro_rules! __choose_part {
    ($slot:ident, $part:ident) => {{
        #[allow(unused_imports)]
        use $crate::__private::parts::*;
        let __saga_form = $crate::__private::parts::of_part(&$part)
            .saga_part(&$crate::__private::Again::of(&$slot));
        $part.chosen(__saga_form);
    }};
}
pub use crate::__choose_part as choose_part;

/// The same of one that is taken from a place.
#[doc(hidden)]
#[macro_export]
macro_rules! __choose_place {
    ($slot:ident, $part:ident) => {{
        #[allow(unused_imports)]
        use $crate::__private::parts::*;
        let __saga_place = $crate::__private::parts::of_place(&$part);
        let __saga_again = (&&__saga_place).saga_again(&$crate::__private::Again::of(&$slot));
        let __saga_form = $crate::__private::parts::of_part(&$part).saga_part(&__saga_again);
        $part.chosen((&&__saga_place).saga_place(__saga_form));
    }};
}
pub use crate::__choose_place as choose_place;

/// Hands on what it is given: macros that stand around it do not read it again.
#[doc(hidden)]
#[macro_export]
macro_rules! __as_is {
    ($($tokens:tt)*) => {
        $($tokens)*
    };
}
pub use crate::__as_is as as_is;
