//! Items of a block that asks would be seen by the code around it.

use rmcp::{Peer, RoleServer, elicit_safe, service::ElicitationError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Port {
    port: u16,
}
elicit_safe!(Port);

const LIMIT: u16 = 9;

#[saga_runtime::saga]
async fn block(peer: Peer<RoleServer>) -> Result<u16, ElicitationError> {
    let before = LIMIT;
    {
        const LIMIT: u16 = 1;
        let port = peer.elicit::<Port>("Port?").await?.map_or(LIMIT, |it| it.port);
        Ok(before + port)
    }
}

#[saga_runtime::saga]
async fn branch(peer: Peer<RoleServer>, deep: bool) -> Result<u16, ElicitationError> {
    if deep {
        trait Limit {
            fn limit(&self) -> u16;
        }
        impl Limit for Peer<RoleServer> {
            fn limit(&self) -> u16 {
                1
            }
        }
        return Ok(peer.elicit::<Port>("Port?").await?.map_or(peer.limit(), |it| it.port));
    }
    Ok(LIMIT)
}

#[saga_runtime::saga]
async fn behind(peer: Peer<RoleServer>) -> Result<String, ElicitationError> {
    let before = format!("{}", 1);
    macro_rules! format {
        ($($any:tt)*) => {
            String::from("mine")
        };
    }
    peer.elicit::<Port>(before).await?;
    Ok(format!("{}", 2))
}

fn main() {}
