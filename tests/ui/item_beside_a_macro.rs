//! What a macro expands to, and a text in an attribute, may mean an item of a block that goes to the top.

use rmcp::{Peer, RoleServer, elicit_safe, service::ElicitationError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Port {
    port: u16,
}
elicit_safe!(Port);

const RATE: u16 = 10;

macro_rules! price {
    ($n:expr) => {
        $n * RATE
    };
}

fn first() -> u16 {
    7
}

#[saga_runtime::saga]
async fn expanded(peer: Peer<RoleServer>) -> Result<u16, ElicitationError> {
    let port = {
        const RATE: u16 = 3;
        peer.elicit::<Port>("Port?").await?.map_or(RATE, |it| it.port)
    };
    Ok(price!(port))
}

#[saga_runtime::saga]
async fn in_a_text(peer: Peer<RoleServer>) -> Result<u16, ElicitationError> {
    #[derive(Deserialize)]
    struct Given {
        #[serde(default = "first")]
        port: u16,
    }
    let port = {
        fn first() -> u16 {
            8
        }
        peer.elicit::<Port>("Port?").await?.map_or(first(), |it| it.port)
    };
    let given: Given = serde_json::from_str("{}").unwrap();
    Ok(port + given.port)
}

fn main() {}
