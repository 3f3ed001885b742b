//! The test kit on a server of its own.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use rmcp::{
    ErrorData, Peer, RoleServer, ServerHandler,
    handler::server::wrapper::Parameters,
    model::{GetPromptResult, PromptMessage, Role},
    prompt, prompt_handler, prompt_router,
    service::ElicitationError,
    tool, tool_handler, tool_router,
};
use saga_runtime::{
    AskError, Cx, Elicit, Keyring, MemoryGuard, SagaServer, Settings, idempotency_key_for, saga,
    testing::{Failure, FailureKind, Kit, QuestionKind, Reply},
    toolbox,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Default)]
struct World {
    mails: Arc<Mutex<Vec<String>>>,
}

#[derive(Clone)]
struct Library {
    mails: Arc<Mutex<Vec<String>>>,
}

#[derive(Deserialize, JsonSchema)]
struct Lend {
    title: String,
}

#[derive(Deserialize, JsonSchema)]
struct Copy {
    copy: String,
}

#[derive(Deserialize, JsonSchema)]
struct Sure {
    sure: bool,
}

rmcp::elicit_safe!(Copy, Sure);

impl Library {
    fn mail(&self, text: impl Into<String>) {
        self.mails.lock().unwrap().push(text.into());
    }
}

#[tool_router]
impl Library {
    #[saga]
    #[tool(description = "Lend a book")]
    async fn lend(
        &self,
        peer: Peer<RoleServer>,
        Parameters(args): Parameters<Lend>,
    ) -> Result<String, ErrorData> {
        self.mail(format!("look for {}", args.title));
        let copy = match peer.elicit::<Copy>("Which copy?").await {
            Ok(Some(answer)) => answer.copy,
            Err(ElicitationError::UserDeclined) => return Ok("nothing was lent".to_owned()),
            other => {
                return Err(ErrorData::internal_error(
                    format!("{:?}", other.err()),
                    None,
                ));
            }
        };
        let sure = peer.elicit::<Sure>(format!("Lend the {copy} one?")).await;
        if !sure.is_ok_and(|sure| sure.is_some_and(|sure| sure.sure)) {
            return Ok("nothing was lent".to_owned());
        }
        let key = idempotency_key_for("lend");
        self.mail(format!("lend {} {copy} {}", args.title, key.is_some()));
        Ok(format!("{}, {copy}", args.title))
    }

    #[saga]
    #[tool(description = "Two at once, one with little time")]
    async fn pair(&self, cx: Cx) -> Result<String, AskError> {
        let (copy, sure) = saga_runtime::join!(
            cx.elicit::<Paper>("Which?"),
            cx.elicit::<Yes>("Sure?").timeout(Duration::from_secs(60)),
        );
        self.mail("asked");
        Ok(format!("{} {}", copy?.copy, sure.is_ok()))
    }

    #[saga]
    #[tool(description = "Sleeps")]
    async fn remind(&self, cx: Cx) -> Result<String, AskError> {
        self.mail("before");
        saga_runtime::sleep(Duration::from_secs(5 * 3600)).await;
        self.mail("between");
        cx.checkpoint().await;
        let sure = cx.elicit::<Yes>("Still?").await?;
        saga_runtime::sleep(Duration::from_secs(5)).await;
        self.mail("after");
        Ok(format!("{}", sure.sure))
    }

    #[saga]
    #[tool(description = "Forgets where it is torn down: reads the world again")]
    async fn fickle(&self, peer: Peer<RoleServer>) -> String {
        let mails = self.mails.clone();
        #[saga(with = count)]
        let before = mails.lock().unwrap().len();
        let sure = peer.elicit::<Sure>("Sure?").await.is_ok();
        self.mail("again");
        format!("{before} {sure}")
    }
}

/// A form that is stored wrongly on purpose.
mod count {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(_: &usize, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(7)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
        usize::deserialize(from)
    }
}

#[derive(Deserialize, Elicit)]
struct Paper {
    copy: String,
}

#[derive(Deserialize, Elicit)]
struct Yes {
    sure: bool,
}

#[tool_handler]
impl ServerHandler for Library {}

fn kit() -> Kit<World> {
    let server = |world: &World| Library {
        mails: Arc::clone(&world.mails),
    };
    Kit::with_world(World::default, server).comparing(|world| world.mails.lock().unwrap().clone())
}

fn emma(kit: &Kit<World>) -> saga_runtime::testing::Request<World> {
    kit.tool("lend", json!({ "title": "Emma" }))
}

#[tokio::test]
async fn step_by_step() -> Result<(), Failure> {
    let kit = kit();
    let mut call = emma(&kit).await?;
    assert_eq!(call.question("copy")?.message(), "Which copy?");
    assert_eq!(call.question("copy")?.fields(), ["copy"]);
    assert_eq!(call.question("copy")?.kind(), QuestionKind::Form);
    assert!(
        call.token_bytes() > 50 && call.token_bytes() < 300,
        "{}",
        call.token_bytes()
    );
    assert_eq!(call.point(), Some(("lend", 1)));
    call.answer("copy", json!({ "copy": "paper" })).await?;
    assert_eq!(call.stored().first().map(|(name, _)| *name), Some("copy"));
    assert_eq!(*kit.world().mails.lock().unwrap(), ["look for Emma"]);
    call.answer("sure", json!({ "sure": true })).await?;
    assert_eq!(call.result()?.text(), "Emma, paper");
    assert_eq!(call.idempotency_keys().len(), 1);
    Ok(())
}

#[tokio::test]
async fn everywhere() -> Result<(), Failure> {
    let resumed = emma(&kit())
        .answer("copy", json!({ "copy": "paper" }))
        .answer("sure", json!({ "sure": true }))
        .resumed_everywhere()
        .await?;
    assert_eq!(resumed.runs(), 5);
    assert!(resumed.was_live());
    assert_eq!(resumed.result().text(), "Emma, paper");
    assert_eq!(
        resumed.ran().messages(),
        ["Which copy?", "Lend the paper one?"]
    );
    assert_eq!(resumed.ran().idempotency_keys().len(), 1);
    Ok(())
}

#[tokio::test]
async fn what_is_lost_shows() -> Result<(), Failure> {
    let failure = kit()
        .tool("fickle", Value::Null)
        .answer("sure", json!({ "sure": true }))
        .resumed_everywhere()
        .await
        .unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Differs);
    println!("{failure:?}");
    Ok(())
}

#[tokio::test]
async fn pairs_and_times() -> Result<(), Failure> {
    for (delay, text) in [(59, "paper true"), (61, "paper false")] {
        let ran = kit()
            .tool("pair", Value::Null)
            .answer("copy", Reply::accept(json!({ "copy": "paper" })))
            .answer(
                "sure",
                Reply::accept(json!({ "sure": true })).after(Duration::from_secs(delay)),
            )
            .resumed_everywhere()
            .await?;
        assert_eq!(ran.result().text(), text);
    }
    let sleeps = kit()
        .tool("remind", Value::Null)
        .answer("sure", json!({ "sure": true }))
        .resumed_everywhere()
        .await?;
    println!("{sleeps:?} {:?}", sleeps.runs());
    Ok(())
}
