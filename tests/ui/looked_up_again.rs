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
    id: u8,
}

struct Pool(Vec<Session>);

impl Pool {
    fn get(&self, place: usize) -> Option<&Session> {
        println!("takes one");
        self.0.get(place)
    }
}

struct Desk {
    pool: Pool,
}

impl Desk {
    #[saga]
    async fn tool(&self, peer: Peer<RoleServer>) -> u8 {
        let session = self.pool.get(1);
        let _ = peer.elicit::<Confirm>("ok?").await;
        session.map_or(0, |session| session.id)
    }
}

fn main() {}
