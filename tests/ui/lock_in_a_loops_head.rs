use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::{Mutex, MutexGuard};

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

struct Desk(Mutex<Vec<u8>>);

impl Desk {
    async fn open(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().await
    }
}

#[saga]
async fn copies(peer: Peer<RoleServer>, desk: &Desk) {
    for copy in desk.0.lock().await.clone() {
        let _ = peer.elicit::<Confirm>(format!("{copy}?")).await;
    }
}

#[saga]
async fn numbers(peer: Peer<RoleServer>, limit: &Mutex<u8>) {
    for number in 0..*limit.lock().await {
        let _ = peer.elicit::<Confirm>(format!("{number}?")).await;
    }
}

#[saga]
async fn by_a_function(peer: Peer<RoleServer>, desk: &Desk) -> (usize, bool) {
    if let Some(copy) = desk.open().await.pop() {
        let _ = peer.elicit::<Confirm>(format!("{copy}?")).await;
    }
    (desk.open().await.len(), peer.elicit::<Confirm>("sure?").await.is_ok())
}

/// The first branch asks by way of another function.
#[saga]
async fn in_a_helper(peer: Peer<RoleServer>, desk: &Desk) {
    if let Some(copy) = desk.open().await.pop() {
        sure(&peer, copy).await;
    }
}

#[saga]
async fn sure(peer: &Peer<RoleServer>, copy: u8) {
    let _ = peer.elicit::<Confirm>(format!("{copy}?")).await;
}

#[saga]
async fn in_the_head_of_an_operand(peer: Peer<RoleServer>, desk: &Desk) -> (u8, bool) {
    (
        match desk.open().await.pop() {
            Some(copy) => copy,
            None => 0,
        },
        peer.elicit::<Confirm>("sure?").await.is_ok(),
    )
}

#[saga]
async fn in_a_chain(peer: Peer<RoleServer>, desk: &Desk) {
    if let Some(copy) = desk.open().await.pop()
        && copy > 1
    {
        sure(&peer, copy).await;
    }
}

#[saga]
async fn in_a_list(peer: Peer<RoleServer>, desk: &Desk) -> (Vec<usize>, bool) {
    (vec![desk.open().await.len()], peer.elicit::<Confirm>("sure?").await.is_ok())
}

/// Held to the end of the loop, as what is looked up in it shows.
#[saga]
async fn looked_up(peer: Peer<RoleServer>, groups: &std::sync::Mutex<std::collections::BTreeMap<u8, Vec<u8>>>) {
    for copy in groups.lock().unwrap().get_mut(&1).unwrap().clone() {
        sure(&peer, copy).await;
    }
}

/// It is gone when the `else` asks, and behind it.
#[saga]
async fn with_an_else(peer: Peer<RoleServer>, desk: &Desk) -> bool {
    let Some(_) = desk.open().await.pop() else {
        return peer.elicit::<Confirm>("none?").await.is_ok();
    };
    desk.open().await.is_empty()
}

fn main() {}
