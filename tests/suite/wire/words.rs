//! `#[saga(asks(..))]` and `#[saga(plain(..))]`: what the author says of the functions that are called.

use std::{sync::Arc, time::Duration};

use rmcp::{
    Peer, RoleServer, ServerHandler, ServiceError, service::ElicitationError, tool, tool_handler,
    tool_router,
};
use saga_runtime::{SagaServer, saga};
use serde_json::{Value, json};
use tests::{
    Trace,
    answers::{Confirm, Count},
};

use super::client::{Replicas, Reply, Wire, accept, everything};

#[derive(Clone)]
struct Office {
    world: Arc<Trace>,
}

/// Keeps the peer, as servers do that were written for one session.
struct Desk {
    peer: Peer<RoleServer>,
}

impl Desk {
    fn of(peer: &Peer<RoleServer>) -> Self {
        Self { peer: peer.clone() }
    }

    #[saga]
    async fn confirm(&self, message: &str) -> bool {
        let first = self.peer.elicit::<Confirm>(message).await;
        matches!(first, Ok(Some(Confirm { ok: true })))
    }
}

impl Desk {
    #[saga]
    async fn reason(&self, message: &str) -> Result<bool, ElicitationError> {
        let sure = self.peer.elicit::<Confirm>(message).await?;
        Ok(sure.is_some_and(|sure| sure.ok))
    }
}

/// Not `Serialize`, and held across a call that is given the peer.
struct Receipt(u32);

async fn announce(_peer: &Peer<RoleServer>, world: &Trace, text: &str) -> Result<(), ServiceError> {
    world.note(text);
    Ok(())
}

#[saga]
async fn sure(peer: &Peer<RoleServer>) -> bool {
    matches!(
        peer.elicit::<Confirm>("Sure?").await,
        Ok(Some(Confirm { ok: true }))
    )
}

/// Of two functions between a tool and its ask, the one that has no `#[saga]`.
async fn unmarked(peer: &Peer<RoleServer>, world: &Trace) -> bool {
    world.note("unmarked");
    sure(peer).await
}

/// The same, which is no `async fn`.
fn unmarked_future<'a>(
    peer: &'a Peer<RoleServer>,
    world: &Trace,
) -> impl Future<Output = bool> + use<'a> {
    world.note("unmarked");
    sure(peer)
}

impl Desk {
    /// The same as a method.
    async fn unmarked(&self, peer: &Peer<RoleServer>) -> bool {
        self.confirm("Sure?").await && sure(peer).await
    }
}

#[tool_router]
impl Office {
    #[saga]
    #[tool(description = "Asks by one that was forgotten")]
    async fn by_function(&self, peer: Peer<RoleServer>) -> String {
        unmarked(&peer, &self.world).await.to_string()
    }

    #[saga]
    #[tool(description = "Asks by one that is not async")]
    async fn by_future(&self, peer: Peer<RoleServer>) -> String {
        unmarked_future(&peer, &self.world).await.to_string()
    }

    #[saga]
    #[tool(description = "Asks by a method that was forgotten")]
    async fn by_method(&self, peer: Peer<RoleServer>) -> String {
        #[saga(remake)]
        let desk = Desk::of(&peer);
        desk.unmarked(&peer).await.to_string()
    }

    #[saga]
    #[tool(description = "Asks by one that was forgotten, beside another")]
    async fn in_join(&self, peer: Peer<RoleServer>) -> String {
        let (one, other) = tokio::join!(unmarked(&peer, &self.world), sure(&peer));
        format!("{one} {other}")
    }

    #[saga]
    #[tool(description = "Asks by one that was forgotten, and has no time for it")]
    async fn in_limit(&self, peer: Peer<RoleServer>) -> String {
        let asked = tokio::time::timeout(Duration::ZERO, unmarked(&peer, &self.world)).await;
        self.world.note("behind");
        asked.is_ok().to_string()
    }

    #[saga(asks(confirm), plain(announce))]
    #[tool(description = "Asks by a peer that another holds")]
    async fn visit(&self, peer: Peer<RoleServer>) -> String {
        #[saga(remake)]
        let desk = Desk::of(&peer);
        let receipt = Receipt(7);
        let told = announce(&peer, &self.world, "come in").await.is_ok();
        let number = receipt.0;
        let sure = desk.confirm("Sure?").await;
        let count = peer.elicit::<Count>("How many?").await;
        let count = count.ok().flatten().map(|count| count.n);
        format!("{told} {number} {sure} {count:?}")
    }

    #[tool(description = "Was forgotten")]
    async fn forgotten(&self, peer: Peer<RoleServer>) -> String {
        let desk = Desk { peer };
        match desk.reason("Why?").await {
            Ok(sure) => sure.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[saga]
    #[tool(description = "Does not say that it asks")]
    async fn silent(&self, peer: Peer<RoleServer>) -> String {
        if std::hint::black_box(false) {
            let _ = peer.elicit::<Confirm>("Never?").await;
        }
        let desk = Desk::of(&peer);
        format!("{}", desk.confirm("Sure?").await)
    }
}

#[tool_handler]
impl ServerHandler for Office {}

async fn request(replicas: &Replicas, mut params: Value, retry: Value) -> Reply {
    for (name, value) in retry.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    let office = Office {
        world: Arc::clone(&replicas.world),
    };
    let server = SagaServer::new(office).with_settings(replicas.settings.clone());
    let params = replicas.params(params);
    Reply(Wire::open(server).request("tools/call", params).await)
}

#[tokio::test]
async fn a_function_that_is_said_to_ask_suspends_with_its_caller() {
    let replicas = Replicas::new();
    let params = json!({ "name": "visit", "arguments": {} });
    let first = request(&replicas, params.clone(), Value::Null).await;
    assert_eq!(first.keys(), ["first"]);
    let retry = |reply: &Reply, answers| json!({ "requestState": reply.token(), "inputResponses": answers });
    let answers = json!({ "first": accept(json!({ "ok": true })) });
    let second = request(&replicas, params.clone(), retry(&first, answers)).await;
    assert_eq!(second.keys(), ["count"]);
    let answers = json!({ "count": accept(json!({ "n": 3 })) });
    let last = request(&replicas, params, retry(&second, answers)).await;
    assert_eq!(last.text(), "true 7 true Some(3)");
    assert_eq!(replicas.effects(), ["come in"]);
}

#[tokio::test]
async fn a_tool_without_saga_is_told_so_by_its_helper() {
    let replicas = Replicas::new();
    let params = json!({ "name": "forgotten", "arguments": {} });
    let answer = request(&replicas, params, Value::Null).await;
    let text = answer.text();
    assert!(
        text.contains("`reason` asks") && text.contains("#[saga]"),
        "{text}"
    );
}

#[tokio::test]
async fn one_that_is_not_is_an_error_that_says_what_to_write() {
    let replicas = Replicas::new();
    let params = json!({ "name": "silent", "arguments": {} });
    let refused = request(&replicas, params, Value::Null).await;
    let error = refused.error();
    assert_eq!(error["data"]["reason"], "untracked");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("#[saga(asks(confirm))]"), "{message}");
}

/// In a debug build it is found by whoever tries the tool with a client of before, too.
#[tokio::test]
async fn one_that_is_not_is_an_error_over_the_live_wire_as_well() {
    let replicas = Replicas::new();
    let office = Office {
        world: Arc::clone(&replicas.world),
    };
    let server = SagaServer::new(office).with_settings(replicas.settings.clone());
    let mut wire = Wire::session(server, everything()).await;
    let params = json!({ "name": "silent", "arguments": {} });
    let error = wire.request("tools/call", params).await.unwrap_err();
    assert_eq!(error["data"]["reason"], "untracked");
}

/// Where the call goes on, what it did before would be done again.
#[tokio::test]
async fn a_function_in_between_without_saga_is_an_error() {
    for name in [
        "by_function",
        "by_future",
        "by_method",
        "in_join",
        "in_limit",
    ] {
        let replicas = Replicas::new();
        let params = json!({ "name": name, "arguments": {} });
        let refused = request(&replicas, params, Value::Null).await;
        let error = refused.error();
        assert_eq!(error["data"]["reason"], "untracked", "{name}");
        // Though the time for it is over.
        assert!(!replicas.effects().contains(&"behind".to_owned()));
    }
}
