use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::Mutex;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

#[saga]
async fn later(peer: Peer<RoleServer>, counter: &Mutex<u8>) -> bool {
    let guard;
    guard = counter.lock().await;
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

#[saga]
async fn behind(peer: Peer<RoleServer>, list: &Mutex<Vec<u8>>) -> bool {
    let list = &mut *list.lock().await;
    list.push(1);
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

#[saga]
async fn read(peer: Peer<RoleServer>, list: &Mutex<Vec<u8>>) -> usize {
    let list = &*list.lock().await;
    let _ = peer.elicit::<Confirm>("ok?").await;
    list.len()
}

#[saga]
async fn by_ref(peer: Peer<RoleServer>, counter: &Mutex<u8>) -> bool {
    let ref guard = counter.lock().await;
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

#[saga]
async fn in_part(peer: Peer<RoleServer>, counter: &Mutex<u8>) -> bool {
    let pair = (String::new(), counter.lock().await);
    drop(pair.0);
    let _last = (1, 2, counter.try_lock().ok());
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

fn main() {}
