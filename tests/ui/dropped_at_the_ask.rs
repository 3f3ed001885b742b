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

struct Folder(u8);

impl Drop for Folder {
    fn drop(&mut self) {
        println!("the folder goes");
    }
}

#[saga]
async fn tool(peer: Peer<RoleServer>) -> bool {
    let folder = Folder(1);
    let shared = std::sync::Arc::new(vec![1]);
    println!("{} {shared:?}", folder.0);
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

fn main() {}
