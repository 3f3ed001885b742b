#![deny(warnings)]
use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

struct Lock {
    _file: std::fs::File,
}

fn lock() -> Option<Lock> {
    let file = std::fs::File::create("lock").ok()?;
    file.try_lock().ok()?;
    Some(Lock { _file: file })
}

#[derive(Serialize)]
struct Door {
    number: u8,
}

#[saga]
async fn tool(peer: Peer<RoleServer>) -> bool {
    let lock_file = lock();
    if lock_file.is_none() {
        return false;
    }
    let (blocks, lock_of_door, permit) = (Lock::default, Door { number: 1 }, 3);
    println!("{} {permit} {}", lock_of_door.number, blocks().is_some());
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

impl Lock {
    fn default() -> Option<Self> {
        None
    }
}

fn main() {}
