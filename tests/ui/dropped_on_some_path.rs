#![deny(warnings)]

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

struct Turn;

impl Drop for Turn {
    fn drop(&mut self) {
        println!("the turn is over");
    }
}

#[saga]
async fn perhaps(peer: Peer<RoleServer>, ends: bool) -> bool {
    let turn = Turn;
    if ends {
        drop(turn);
    }
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

#[saga]
async fn later(peer: Peer<RoleServer>) -> bool {
    let turn;
    turn = Turn;
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

#[saga]
async fn taken(peer: Peer<RoleServer>) -> bool {
    let turn = Turn;
    let turns = vec![Some(turn)];
    drop(turns);
    let other = Turn;
    drop((1, other));
    Turn.finish();
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

impl Turn {
    fn of(&self) -> u32 {
        1
    }

    fn finish(self) {}
}

#[saga]
async fn looked_at(peer: Peer<RoleServer>) -> bool {
    let turn = Turn;
    let ended = Turn;
    println!("turn {}", turn.of());
    ended.finish();
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

fn main() {}
