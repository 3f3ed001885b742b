//! Tokens of code that is not there any more.

use rmcp::{Peer, RoleServer, tool, tool_router};
use saga_runtime::{SagaServer, saga};
use serde_json::Value;
use tests::answers::Confirm;

use super::{
    client::{Replicas, Reply, Wire},
    refusals::yes,
};

#[tokio::test]
async fn a_token_of_a_helper_that_has_changed_is_stale() {
    let first = edited(helped::Server, None).await;
    let token = Some(first.token());
    assert_eq!(edited(helped_alike::Server, token).await.text(), "2 true");
    assert_eq!(
        edited(helped_otherwise::Server, token).await.refusal(),
        "stale"
    );
    assert_eq!(
        edited(no_longer_helped::Server, token).await.refusal(),
        "stale"
    );
}

/// Versions of one server, from before and after an edit.
macro_rules! version {
    ($name:ident, $(#[$meta:meta])* $vis:vis async fn $tool:ident(&self, $peer:ident: Peer<RoleServer>) -> String $body:block) => {
        #[derive(Clone)]
        struct $name;

        #[tool_router(server_handler)]
        impl $name {
            #[saga]
            #[tool(description = "Edited now and then")]
            $(#[$meta])*
            $vis async fn $tool(&self, $peer: Peer<RoleServer>) -> String $body
        }
    };
}

version! { Original, async fn edited(&self, peer: Peer<RoleServer>) -> String {
    let held = format!("{}", 1 + 1);
    let sure = peer.elicit::<Confirm>("Sure?").await;
    format!("{held} {}", sure.is_ok())
} }

version! { Reformatted,
    /// With a comment on it.
    async fn edited(&self, peer: Peer<RoleServer>) -> String {
        // Another comment.
        let held = format!("{}", /* and a third */ 1 + 1);
        let sure = peer
            .elicit::<Confirm>(
                "Sure?"
            )
            .await;

        format!("{held} {}", sure.is_ok())
    }
}

version! { Earlier, async fn edited(&self, peer: Peer<RoleServer>) -> String {
    let held = format!("{}", 1 + 2);
    let sure = peer.elicit::<Confirm>("Are you sure?").await;
    format!("{held} {}", sure.is_ok())
} }

version! { Rewritten, async fn edited(&self, peer: Peer<RoleServer>) -> String {
    let held = format!("{}", 1 + 1);
    let sure = peer.elicit::<Confirm>("Sure?").await;
    format!("{held}: {}", sure.is_ok())
} }

version! { Retyped, async fn edited(&self, peer: Peer<RoleServer>) -> String {
    let held = Box::<str>::from("2");
    let sure = peer.elicit::<Confirm>("Sure?").await;
    format!("{held} {}", sure.is_ok())
} }

version! { Asking, async fn edited(&self, peer: Peer<RoleServer>) -> String {
    let held = format!("{}", 1 + 1);
    let sure = peer.elicit::<Confirm>("Sure?").await;
    let _ = peer.elicit::<Confirm>("Really?").await;
    format!("{held} {}", sure.is_ok())
} }

version! { Silent, async fn edited(&self, peer: Peer<RoleServer>) -> String {
    if std::hint::black_box(false) {
        let _ = peer.elicit::<Confirm>("Sure?").await;
    }
    "no more questions".into()
} }

/// The same tool, with the helper that it calls in this version.
macro_rules! calling {
    ($version:ident, $($helper:tt)*) => {
        mod $version {
            use super::*;

            #[derive(Clone)]
            pub(super) struct Server;

            $($helper)*

            #[tool_router(server_handler)]
            impl Server {
                #[saga]
                #[tool(description = "Has it asked by another")]
                async fn edited(&self, peer: Peer<RoleServer>) -> String {
                    let sure = ask(&peer, 2).await;
                    format!("{sure}")
                }
            }
        }
    };
}

calling! { helped,
    #[saga]
    async fn ask(peer: &Peer<RoleServer>, times: u8) -> String {
        let sure = peer.elicit::<Confirm>("Sure?").await;
        format!("{times} {}", sure.is_ok())
    }
}

calling! { helped_alike,
    /// Not a word is different.
    #[saga]
    async fn ask(peer: &Peer<RoleServer>, times: u8) -> String {
        let sure = peer.elicit::<Confirm>("Sure?").await;
        format!("{times} {}", sure.is_ok())
    }
}

calling! { helped_otherwise,
    #[saga]
    async fn ask(peer: &Peer<RoleServer>, times: u8) -> String {
        let sure = peer.elicit::<Confirm>("Sure?").await;
        format!("{times}, {}", sure.is_ok())
    }
}

calling! { no_longer_helped,
    async fn ask(_: &Peer<RoleServer>, times: u8) -> String {
        format!("{times} unasked")
    }
}

/// One request to `edited` of this server.
async fn edited(server: impl rmcp::ServerHandler, token: Option<&str>) -> Reply {
    let replicas = Replicas::new();
    let params = replicas.params(replicas.call("edited").params(token, yes_if(token)));
    let server = SagaServer::new(server).with_settings(replicas.settings.clone());
    Reply(Wire::open(server).request("tools/call", params).await)
}

fn yes_if(token: Option<&str>) -> Value {
    token.map_or(Value::Null, |_| yes())
}

#[tokio::test]
async fn a_token_of_code_that_has_changed_is_stale() {
    let first = edited(Original, None).await;
    let token = Some(first.token());
    assert_eq!(edited(Original, token).await.text(), "2 true");
    // What was stored is what was computed then.
    assert_eq!(edited(Earlier, token).await.text(), "2 true");
    assert_eq!(edited(Rewritten, token).await.refusal(), "stale");
    assert_eq!(edited(Retyped, token).await.refusal(), "stale");
    assert_eq!(edited(Asking, token).await.refusal(), "stale");
}

#[tokio::test]
async fn comments_and_formatting_do_not_make_a_token_stale() {
    let first = edited(Original, None).await;
    assert_eq!(
        edited(Reformatted, Some(first.token())).await.text(),
        "2 true"
    );
}

#[tokio::test]
async fn a_token_of_a_tool_that_no_longer_asks_is_stale() {
    let first = edited(Original, None).await;
    assert_eq!(edited(Silent, Some(first.token())).await.refusal(), "stale");
}
