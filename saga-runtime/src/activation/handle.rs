//! What an ask is awaited on: the client's handle, told by its type.

use std::sync::Arc;

use rmcp::{Peer, RoleServer, service::RequestContext};

/// The handle of the client, in any form.
#[diagnostic::on_unimplemented(
    message = "an ask is awaited on a value of type `{Self}`, which is not the client's handle",
    label = "not a `Peer<RoleServer>`, a `RequestContext<RoleServer>`, or a reference or `Arc` to one",
    note = "where the handle is inside of it, ask on that: `app.peer.elicit(..)`",
    note = "where the method of that name is another one, say so: `#[saga(plain(elicit))]`, or `#[saga(asks(elicit))]` where it asks itself"
)]
pub trait AsPeer {
    /// The peer; none where nobody is asked.
    fn as_peer(&self) -> Option<&Peer<RoleServer>>;
}

/// The same, less [`Cx`](crate::Cx), whose questions are its own.
#[diagnostic::on_unimplemented(
    message = "an ask is awaited on a value of type `{Self}`, which is not the client's handle",
    label = "not a `Peer<RoleServer>`, or a reference or `Arc` to one",
    note = "where the handle is inside of it, ask on that: `app.peer.elicit(..)`",
    note = "where the method of that name is another one, say so: `#[saga(plain(elicit))]`, or `#[saga(asks(elicit))]` where it asks itself"
)]
pub trait IsHandle: AsPeer {}

/// Never implemented: the questions of a [`Cx`](crate::Cx) are found by its name.
#[diagnostic::on_unimplemented(
    message = "a `Cx` is asked that is not seen to be one",
    label = "a field or a result, whose type `#[saga]` does not see",
    note = "instead: `let cx: Cx = desk.cx.clone();` and `cx.elicit(..)`; better, `cx: &Cx` as a parameter of the function in place of the field",
    note = "other errors about this question follow from this one"
)]
pub trait SeenAsCx<'a> {}

impl IsHandle for crate::Cx where for<'a> Nobody: SeenAsCx<'a> {}
impl IsHandle for Peer<RoleServer> {}
impl IsHandle for RequestContext<RoleServer> {}
impl<T: IsHandle + ?Sized> IsHandle for &T {}
impl<T: IsHandle + ?Sized> IsHandle for Arc<T> {}

/// Lets only handles through.
pub fn handle<T: IsHandle + ?Sized>(handle: &T) -> &T {
    handle
}

/// Lets only a `Cx` through, in any form.
pub fn cx<T: AsPeer + ?Sized>(cx: &T) -> &T {
    cx
}

impl AsPeer for Peer<RoleServer> {
    fn as_peer(&self) -> Option<&Peer<RoleServer>> {
        Some(self)
    }
}

impl AsPeer for RequestContext<RoleServer> {
    fn as_peer(&self) -> Option<&Peer<RoleServer>> {
        Some(&self.peer)
    }
}

impl<T: AsPeer + ?Sized> AsPeer for &T {
    fn as_peer(&self) -> Option<&Peer<RoleServer>> {
        (**self).as_peer()
    }
}

impl<T: AsPeer + ?Sized> AsPeer for Arc<T> {
    fn as_peer(&self) -> Option<&Peer<RoleServer>> {
        (**self).as_peer()
    }
}

/// On whom a pause is awaited.
#[derive(Debug)]
pub struct Nobody;

impl AsPeer for Nobody {
    fn as_peer(&self) -> Option<&Peer<RoleServer>> {
        None
    }
}

impl IsHandle for Nobody {}
