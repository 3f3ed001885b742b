//! The handle in a field of a struct, given to a function that asks: its type says so.

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

struct Session {
    link: Peer<RoleServer>,
}

struct View<'a> {
    client: &'a Peer<RoleServer>,
}

#[saga]
async fn ask(peer: &Peer<RoleServer>) -> bool {
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

impl View<'_> {
    fn of(client: &Peer<RoleServer>) -> View<'_> {
        View { client }
    }
}

#[saga]
async fn lent(peer: Peer<RoleServer>) -> bool {
    let view = View::of(&peer);
    let sure = ask(view.client).await;
    sure && peer.elicit::<Confirm>("ok?").await.is_ok()
}

#[saga]
async fn owned(peer: Peer<RoleServer>, session: &Session) -> bool {
    let sure = ask(&session.link.clone()).await;
    sure && peer.elicit::<Confirm>("ok?").await.is_ok()
}

fn main() {}
