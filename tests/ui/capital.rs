#![allow(non_snake_case)]

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::Confirm;

#[saga]
async fn parameter(peer: &Peer<RoleServer>, N: u8) -> u8 {
    let N = N * 10;
    let _ = peer.elicit::<Confirm>("Sure?").await;
    N
}

#[saga]
async fn closure(peer: &Peer<RoleServer>) -> u8 {
    let MAKE = || 9;
    let _ = peer.elicit::<Confirm>("Sure?").await;
    MAKE()
}

fn main() {}
