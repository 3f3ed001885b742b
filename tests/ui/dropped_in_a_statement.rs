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

impl Turn {
    fn cards(&self) -> Vec<u8> {
        vec![1]
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        println!("the turn is over");
    }
}

#[saga]
async fn play(peer: Peer<RoleServer>) {
    for card in turn().cards() {
        let _ = peer.elicit::<Confirm>(format!("{card}?")).await;
    }
    if let [card, ..] = turn().cards()[..] {
        let _ = peer.elicit::<Confirm>(format!("{card}?")).await;
    }
}

#[saga]
async fn held(peer: Peer<RoleServer>) -> u8 {
    let numbered = Numbered { n: 1 };
    let doubled = double(numbered.n);
    let _ = peer.elicit::<Confirm>("sure?").await;
    doubled
}

fn double(n: u8) -> u8 {
    n * 2
}

struct Numbered {
    n: u8,
}

impl Drop for Numbered {
    fn drop(&mut self) {
        println!("{} is gone", self.n);
    }
}

fn turn() -> Turn {
    Turn
}

fn main() {}
