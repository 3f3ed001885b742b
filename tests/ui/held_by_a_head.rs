#![deny(deprecated)]

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::{Mutex, MutexGuard, RwLock, Semaphore};

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

static LIST: Mutex<Vec<u8>> = Mutex::const_new(Vec::new());
static STOCK: RwLock<u8> = RwLock::const_new(0);
static TURNS: Semaphore = Semaphore::const_new(1);

async fn enter() -> MutexGuard<'static, Vec<u8>> {
    LIST.lock().await
}

struct Turn;

impl Drop for Turn {
    fn drop(&mut self) {
        println!("next");
    }
}

// What no pattern takes is held to the end of the `match`.
#[saga]
async fn a_guard(peer: Peer<RoleServer>) -> bool {
    match enter().await {
        _ => peer.elicit::<Confirm>("ok?").await.is_ok(),
    }
}

#[saga]
async fn in_a_result(peer: Peer<RoleServer>) -> bool {
    match STOCK.try_read() {
        Ok(_) => peer.elicit::<Confirm>("ok?").await.is_ok(),
        Err(_) => false,
    }
}

#[saga]
async fn a_permit(peer: Peer<RoleServer>) -> bool {
    if let Ok(_) = TURNS.try_acquire() {
        return peer.elicit::<Confirm>("ok?").await.is_ok();
    }
    false
}

#[saga]
async fn in_an_operand(peer: Peer<RoleServer>) -> (bool, bool) {
    (matches!(enter().await.first(), Some(1)), peer.elicit::<Confirm>("ok?").await.is_ok())
}

#[saga]
async fn a_value(peer: Peer<RoleServer>) -> bool {
    match Turn {
        Turn => {}
    }
    match (|| Turn)() {
        _ => peer.elicit::<Confirm>("ok?").await.is_ok(),
    }
}

#[saga]
async fn a_socket(peer: Peer<RoleServer>) -> std::io::Result<bool> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?);
    Ok(peer.elicit::<Confirm>("ok?").await.is_ok())
}

// What there was not is not held, and neither is what an arm takes.
#[saga]
async fn nothing(peer: Peer<RoleServer>) -> bool {
    match STOCK.try_read() {
        Ok(stock) => *stock > 1,
        Err(_) => peer.elicit::<Confirm>("ok?").await.is_ok(),
    }
}

fn main() {}
