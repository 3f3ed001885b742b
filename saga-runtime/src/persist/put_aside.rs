//! Futures that are given the client's handle and not awaited where they are made: nothing of what one asks later is seen.

use std::collections::VecDeque;

use super::in_scope::Witness;

/// Never implemented for a future that is given the handle.
#[diagnostic::on_unimplemented(
    message = "a future that is given the client's handle is put aside, and awaited later: if its function asks, this one could not go on from it",
    label = "a call that is not awaited where it is made",
    note = "`.await` behind the call, or the call itself in the `join!`, the `join_all` or the `select!`",
    note = "`#[saga(plain(name))]` above this function where the called one never asks"
)]
pub trait AwaitedWhereMade {}

/// Collections with futures in them.
pub trait Futures {}

impl<F: Future> Futures for Option<F> {}
impl<F: Future> Futures for Vec<F> {}
impl<F: Future> Futures for VecDeque<F> {}
impl<F: Future, const N: usize> Futures for [F; N] {}
impl<F: Future> Futures for (F,) {}
impl<F: Future, G: Future> Futures for (F, G) {}
impl<F: Future, G: Future, H: Future> Futures for (F, G, H) {}

macro_rules! put_aside {
    ($(#[doc = $found:literal] $name:ident { $self:ty, $bound:ident })*) => {
        $(
            #[doc = $found]
            pub trait $name {
                /// What is put aside.
                type Aside;
                /// Does not compile.
                fn saga_put_aside(&self)
                where
                    Self::Aside: AwaitedWhereMade;
            }

            impl<T: $bound> $name for $self {
                type Aside = T;

                fn saga_put_aside(&self)
                where
                    T: AwaitedWhereMade,
                {
                }
            }
        )*
    };
}

put_aside! {
    #[doc = "Found first: a future."]
    PutAside { &&Witness<T>, Future }
    #[doc = "Found next: several of them."]
    PutAsideTogether { &Witness<T>, Futures }
}

/// Found for everything else.
pub trait NotPutAside {
    /// Nothing to say.
    fn saga_put_aside(&self) {}
}

impl<T> NotPutAside for Witness<T> {}
