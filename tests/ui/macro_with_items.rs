#![allow(unused_macros)]

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::Confirm;

const LIMIT: u8 = 1;

macro_rules! constant {
    ($name:ident, $value:expr) => {
        const $name: u8 = $value;
    };
}

macro_rules! table {
    () => {
        static TABLE: [u8; 2] = [1, 2];
    };
}

macro_rules! helper {
    ($value:expr) => {
        let _ = $value;
        fn helper() -> u8 {
            1
        }
    };
}

#[saga]
async fn leaves_its_block(peer: &Peer<RoleServer>) -> u8 {
    {
        constant!(LIMIT, 2);
        let _ = peer.elicit::<Confirm>("More?").await;
    }
    LIMIT
}

#[saga]
async fn without_a_name(peer: &Peer<RoleServer>) -> u8 {
    table!();
    let _ = peer.elicit::<Confirm>("More?").await;
    2
}

#[saga]
async fn beside_a_statement(peer: &Peer<RoleServer>) {
    let name = String::from("a");
    helper!(name);
    let _ = peer.elicit::<Confirm>("More?").await;
}

fn main() {}
