#![allow(unused_macros)]

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::Confirm;

macro_rules! declare {
    ($name:ident, $value:expr) => {
        let $name = $value;
    };
}

macro_rules! bind {
    ($name:ident) => {
        Some($name)
    };
}

#[saga]
async fn a_variable(peer: &Peer<RoleServer>) -> u8 {
    let k = 1;
    {
        declare!(k, 2);
        let _ = peer.elicit::<Confirm>("More?").await;
    }
    k
}

#[saga]
async fn in_a_pattern(peer: &Peer<RoleServer>, given: Option<u8>) -> u8 {
    let k = 1;
    match given {
        bind!(k) => {
            let _ = peer.elicit::<Confirm>("More?").await;
        }
        _ => {}
    }
    k
}

fn main() {}
