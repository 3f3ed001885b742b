use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

#[derive(Clone)]
struct Client(u8);

struct Desk {
    name: String,
    http: Client,
}

struct Lease<'d> {
    desk: &'d Desk,
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        println!("{} is free", self.desk.name);
    }
}

#[saga]
async fn dropped_twice(peer: Peer<RoleServer>, desk: &Desk) -> u8 {
    let lease = Lease { desk };
    let _ = peer.elicit::<Confirm>("ok?").await;
    lease.desk.http.0
}

#[saga]
async fn inside(peer: Peer<RoleServer>, desk: &Desk) -> u8 {
    let lease = Some(Lease { desk });
    let _ = peer.elicit::<Confirm>("ok?").await;
    lease.map_or(0, |lease| lease.desk.http.0)
}

#[saga]
async fn changed(peer: Peer<RoleServer>, desk: &mut Desk) -> u8 {
    let http = desk.http.clone();
    desk.http = Client(9);
    let _ = peer.elicit::<Confirm>("ok?").await;
    http.0
}

fn main() {}
