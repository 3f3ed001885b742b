//! The client's handle in a slot: it comes with the request, and is not in the frame.

use std::sync::Arc;

use rmcp::{Peer, RoleServer, service::RequestContext};

use super::{
    Arena, Persist, Rehome,
    kinds::{self, RequestHandle},
};
use crate::{
    activation::{Activation, Stop, suspension::Suspension},
    codec::Failure,
    cx::Cx,
};

/// The client's handle: that of the present request.
#[derive(Debug)]
pub struct AsRequestHandle;

impl<'s, T: RequestHandle<'s>> Persist<'s, T> for AsRequestHandle {
    const OF_REQUEST: bool = true;
    const TYPED: bool = false;

    fn save(value: &T, suspension: &mut Suspension, _: &'s Arena<'s>) {
        suspension.store(&value.is_there(), |_| Ok(()));
    }

    fn load(activation: &mut Activation, arena: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        let there: bool = activation.read_owned()?;
        match there {
            true => T::of_request(activation, arena).map(Some),
            false => T::none().map(Some),
        }
    }
}

/// The handle moves; what refers to it gets one of its own.
macro_rules! handles {
    ($([$($generics:tt)*] $ty:ty;)*) => {
        $(
            impl<'s, $($generics)*> Rehome<'s, $ty, $ty> for AsRequestHandle {
                fn rehome(value: $ty, _: &'s Arena<'s>) -> Result<$ty, Failure> {
                    Ok(value)
                }
            }

            impl<'s, $($generics)*> Rehome<'s, &$ty, &'s $ty> for AsRequestHandle
            where
                $ty: Send + Sync + 'static,
            {
                fn rehome(value: &$ty, arena: &'s Arena<'s>) -> Result<&'s $ty, Failure> {
                    Ok(arena.keep(value.clone()))
                }
            }
        )*
    };
}

handles! {
    [] Peer<RoleServer>; [] RequestContext<RoleServer>; [] Cx; [T: kinds::Handle] Arc<T>;
}

impl<'s, 'o, 'i, T> Rehome<'s, &'o &'i T, &'o &'i T> for AsRequestHandle {
    fn rehome(value: &'o &'i T, _: &'s Arena<'s>) -> Result<&'o &'i T, Failure> {
        Ok(value)
    }
}

impl<'s, T, U> Rehome<'s, Option<T>, Option<U>> for AsRequestHandle
where
    Self: Rehome<'s, T, U>,
{
    fn rehome(value: Option<T>, arena: &'s Arena<'s>) -> Result<Option<U>, Failure> {
        let value = value.map(|value| <Self as Rehome<'s, T, U>>::rehome(value, arena));
        value.transpose()
    }
}
