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

fn main() {}
