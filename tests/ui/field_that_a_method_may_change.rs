use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

#[derive(Clone, Serialize, Deserialize)]
struct Grid(Vec<u8>);

impl Grid {
    fn map(&mut self, change: impl Fn(u8) -> u8) {
        for cell in &mut self.0 {
            *cell = change(*cell);
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Game {
    grid: Grid,
}

#[saga]
async fn tool(peer: Peer<RoleServer>, mut game: Game) -> Vec<u8> {
    game.grid.map(|cell| cell + 1);
    let _ = peer.elicit::<Confirm>("ok?").await;
    game.grid.0
}

#[derive(Clone)]
struct Price {
    cents: i64,
}

mod price {
    use super::*;

    pub fn serialize<S: serde::Serializer>(price: &Price, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i64(price.cents)
    }

    pub fn deserialize<'d, D: serde::Deserializer<'d>>(from: D) -> Result<Price, D::Error> {
        Ok(Price { cents: i64::deserialize(from)? })
    }
}

#[derive(Serialize, Deserialize)]
struct Order {
    name: String,
    #[serde(with = "price")]
    price: Price,
}

// A clone of what is changed before the ask is not taken again behind it.
#[saga]
async fn discount(peer: &Peer<RoleServer>, order: &mut Order) -> i64 {
    let before = order.price.clone();
    order.price.cents -= 10;
    let _ = peer.elicit::<Confirm>("ok?").await;
    before.cents - order.price.cents
}

#[saga]
async fn by_pattern(peer: &Peer<RoleServer>, order: &mut Order) -> i64 {
    let before = order.price.clone();
    let Order { price, name } = order;
    price.cents -= name.len() as i64;
    let _ = peer.elicit::<Confirm>("ok?").await;
    before.cents
}

// What is lent beside it is another field.
#[saga]
async fn beside(peer: &Peer<RoleServer>, order: &mut Order) -> i64 {
    let before = order.price.clone();
    let Order { name, .. } = order;
    name.push('!');
    let _ = peer.elicit::<Confirm>("ok?").await;
    before.cents
}

fn main() {}
