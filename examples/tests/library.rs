//! The tests of `docs/testing.md`: its code is this file's.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use rmcp::{handler::server::wrapper::Parameters, tool, tool_router};
use saga_runtime::{
    AskError, Cx, Elicit, SagaServer, idempotency_key_for, saga,
    testing::{Failure, Kit, Reply},
};
use saga_tasks::testing::TaskKit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// What was done, and what outlives every server.
#[derive(Default)]
struct Ledger(Mutex<Vec<String>>);

impl Ledger {
    fn enter(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

#[derive(Clone)]
struct Library {
    ledger: Arc<Ledger>,
}

#[derive(Deserialize, JsonSchema)]
struct Lend {
    title: String,
}

#[derive(Deserialize, Elicit)]
struct Edition {
    copy: String,
}

#[derive(Deserialize, Elicit)]
struct Consent {
    agreed: bool,
}

#[tool_router(server_handler)]
impl Library {
    #[saga]
    #[tool(description = "Lend a book")]
    async fn lend(&self, cx: Cx, Parameters(args): Parameters<Lend>) -> Result<String, AskError> {
        self.ledger.enter(format!("reserve {}", args.title));
        let edition = cx.elicit::<Edition>("Which copy?").key("copy").await?;
        let consent = cx
            .elicit::<Consent>("Do you agree to the fee?")
            .key("fee")
            .timeout(Duration::from_secs(600))
            .await?;
        if !consent.agreed {
            return Ok("Nothing was lent.".to_owned());
        }
        let key = idempotency_key_for("charge").unwrap_or_default();
        self.ledger.enter(format!("charge under {key}"));
        Ok(format!("{}, on {}.", args.title, edition.copy))
    }

    #[saga(task)]
    #[tool(description = "Bind a year of a journal")]
    async fn bind(&self, cx: Cx) -> Result<String, AskError> {
        self.ledger.enter("collect");
        cx.checkpoint().await;
        let consent = cx.elicit::<Consent>("In leather?").key("leather").await?;
        self.ledger
            .enter(format!("bind in leather: {}", consent.agreed));
        Ok("Bound.".to_owned())
    }
}

fn kit() -> Kit<Arc<Ledger>> {
    let library = |ledger: &Arc<Ledger>| Library {
        ledger: Arc::clone(ledger),
    };
    Kit::with_world(Arc::<Ledger>::default, library).comparing(|ledger| ledger.lines())
}

#[tokio::test]
async fn a_book_is_lent() -> Result<(), Failure> {
    let kit = kit();
    let mut call = kit.tool("lend", json!({ "title": "Emma" })).await?;
    assert_eq!(call.question("copy")?.message(), "Which copy?");
    assert_eq!(call.question("copy")?.fields(), ["copy"]);
    call.answer("copy", json!({ "copy": "paper" })).await?;
    assert_eq!(kit.world().lines(), ["reserve Emma"]);
    call.answer("fee", json!({ "agreed": true })).await?;
    assert_eq!(call.result()?.text(), "Emma, on paper.");
    Ok(())
}

#[tokio::test]
async fn a_book_is_lent_wherever_the_server_is_torn_down() -> Result<(), Failure> {
    let everywhere = kit()
        .tool("lend", json!({ "title": "Emma" }))
        .answer("copy", json!({ "copy": "paper" }))
        .answer("fee", json!({ "agreed": true }))
        .resumed_everywhere()
        .await?;
    assert_eq!(everywhere.result().text(), "Emma, on paper.");
    assert!(everywhere.ran().largest_token() < 1000);
    let compared: Vec<_> = everywhere.compared().map(ToString::to_string).collect();
    assert_eq!(compared.len(), 5);
    assert_eq!(
        compared[3],
        "torn down at `copy` (point 1 of `lend`); \
         answers: `copy` {\"copy\":\"paper\"}, `fee` {\"agreed\":true}"
    );
    Ok(())
}

#[tokio::test]
async fn nothing_is_lent_to_those_who_decline_or_are_late() -> Result<(), Failure> {
    let agreed = || Reply::accept(json!({ "agreed": true }));
    for fee in [
        Reply::decline(),
        Reply::cancel(),
        agreed().after(Duration::from_secs(601)),
    ] {
        let lend = kit().tool("lend", json!({ "title": "Emma" }));
        let script = lend
            .answer("copy", json!({ "copy": "paper" }))
            .answer("fee", fee);
        let everywhere = script.resumed_everywhere().await?;
        assert!(everywhere.result().is_error());
        assert_eq!(everywhere.ran().world().lines(), ["reserve Emma"]);
    }
    Ok(())
}

#[tokio::test]
async fn a_token_is_good_for_an_hour() -> Result<(), Failure> {
    let kit = kit();
    let mut call = kit.tool("lend", json!({ "title": "Emma" })).await?;
    kit.clock().advance(Duration::from_secs(3601));
    call.answer("copy", json!({ "copy": "paper" })).await?;
    assert_eq!(call.result()?.refusal(), Some("expired"));
    Ok(())
}

#[tokio::test]
async fn a_lost_response_charges_under_the_same_key() -> Result<(), Failure> {
    let kit = kit();
    let mut call = kit.tool("lend", json!({ "title": "Emma" })).await?;
    call.answer("copy", json!({ "copy": "paper" })).await?;
    call.losing_the_response();
    call.answer("fee", json!({ "agreed": true })).await?;
    let lines = kit.world().lines();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[1], lines[2]);
    let again = call.send_again().await?;
    assert_eq!(again.result()?, call.result()?);
    Ok(())
}

#[tokio::test]
async fn the_tools_say_what_they_take() -> Result<(), Failure> {
    kit().check_schemas().await
}

#[tokio::test]
async fn a_journal_is_bound_wherever_the_process_is_killed() -> Result<(), Failure> {
    let server = |ledger: &Arc<Ledger>, tasks| {
        let ledger = Arc::clone(ledger);
        SagaServer::new(Library { ledger }).with_tasks(tasks)
    };
    let kit =
        TaskKit::with_world(Arc::<Ledger>::default, server).comparing(|ledger| ledger.lines());
    let bind = kit.tool("bind", json!({}));
    let killed = bind
        .answer("leather", json!({ "agreed": true }))
        .killed_everywhere()
        .await?;
    assert_eq!(killed.result().text(), "Bound.");
    assert_eq!(
        killed.effects(),
        [r#""collect""#, r#""bind in leather: true""#]
    );
    Ok(())
}
