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

/// Futures of what goes on elsewhere: nothing runs where they are awaited.
pub trait Elsewhere {}

impl<T> Elsewhere for tokio::task::JoinHandle<T> {}
impl<T> Elsewhere for tokio::sync::oneshot::Receiver<T> {}

/// Found for futures, and for several of them.
pub trait PutAside {
    /// What is put aside.
    type Aside;
    /// Does not compile.
    fn saga_put_aside(&self)
    where
        Self::Aside: AwaitedWhereMade;
}

impl<T: Future> PutAside for &&Witness<T> {
    type Aside = T;

    fn saga_put_aside(&self)
    where
        T: AwaitedWhereMade,
    {
    }
}

impl<T: Futures> PutAside for &Witness<T> {
    type Aside = T;

    fn saga_put_aside(&self)
    where
        T: AwaitedWhereMade,
    {
    }
}

/// Found first for what goes on elsewhere, and for everything else.
pub trait NotPutAside {
    /// Nothing to say.
    fn saga_put_aside(&self) {}
}

impl<T: Elsewhere> NotPutAside for &&&Witness<T> {}
impl<T> NotPutAside for Witness<T> {}
