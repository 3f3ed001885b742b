//! The saga wire driven by `saga_runtime::client`.

use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::{
    ClientHandler, ErrorData, RoleClient, RoleServer, ServiceExt,
    model::{
        CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult,
        ElicitationAction, Implementation, InitializeRequestParams, ProtocolVersion,
        SamplingMessage,
    },
    service::{RequestContext, RunningService},
};
use saga_runtime::{
    SagaServer,
    client::{self, CallError, SagaCall},
};
use serde_json::json;

use super::{client::Replicas, server::Fixture};

/// Fills in every form; declines from the given question on.
struct Person {
    declines_from: usize,
    asked: AtomicUsize,
}

impl Person {
    fn new(declines_from: usize) -> Self {
        let asked = AtomicUsize::new(0);
        Self {
            declines_from,
            asked,
        }
    }
}

impl ClientHandler for Person {
    fn get_info(&self) -> InitializeRequestParams {
        InitializeRequestParams::new(tests::live::capable(), Implementation::new("alice", "1"))
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        if self.asked.fetch_add(1, Ordering::SeqCst) >= self.declines_from {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        }
        let ElicitRequestParams::FormElicitationParams {
            requested_schema, ..
        } = params
        else {
            return Err(ErrorData::invalid_params("not a form", None));
        };
        let asks_for = |name| requested_schema.properties.contains_key(name);
        let content = match (asks_for("text"), asks_for("ok")) {
            (true, _) => json!({ "text": "Ada" }),
            (_, true) => json!({ "ok": true }),
            _ => json!({ "n": 1 }),
        };
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(content))
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        if self.declines_from < 3 {
            return Err(ErrorData::invalid_request("no model today", None));
        }
        let message = SamplingMessage::assistant_text("go");
        Ok(CreateMessageResult::new(message, "m".into()))
    }
}

type Ends = (
    RunningService<RoleServer, SagaServer<Fixture>>,
    RunningService<RoleClient, Person>,
);

async fn connect(replicas: &Replicas, person: Person) -> Ends {
    let (near, far) = tokio::io::duplex(1 << 16);
    let (server, client) = tokio::join!(replicas.server().serve(near), person.serve(far));
    (server.unwrap(), client.unwrap())
}

#[tokio::test]
async fn a_call_goes_on_to_its_result() {
    let replicas = Replicas::new();
    let (_server, person) = connect(&replicas, Person::new(usize::MAX)).await;
    assert!(client::is_supported(&person));
    let result = SagaCall::new("three").run(&person).await.unwrap();
    let text = &result.content[0].as_text().unwrap().text;
    assert_eq!(text, r#"7 Some("Ada") Some(true) go"#);
    assert_eq!(replicas.effects(), ["7", "named", "confirmed", "advised"]);
}

#[tokio::test]
async fn what_the_handler_refuses_the_tool_is_told() {
    let replicas = Replicas::new();
    let (_server, person) = connect(&replicas, Person::new(1)).await;
    let result = SagaCall::new("three").run(&person).await.unwrap();
    let text = &result.content[0].as_text().unwrap().text;
    assert!(text.starts_with(r#"7 Some("Ada") UserDeclined"#), "{text}");
    assert!(text.contains("no model today"), "{text}");
}

#[tokio::test]
async fn rounds_are_bounded() {
    let replicas = Replicas::new();
    let (_server, person) = connect(&replicas, Person::new(usize::MAX)).await;
    let refused = SagaCall::new("three").max_rounds(2).run(&person).await;
    assert!(
        matches!(refused, Err(CallError::TooManyRounds(2))),
        "{refused:?}"
    );
    let result = SagaCall::new("three").max_rounds(3).run(&person).await;
    assert!(result.is_ok(), "{result:?}");
}

#[tokio::test]
async fn a_call_can_be_given_up() {
    let replicas = Replicas::new();
    let (_server, person) = connect(&replicas, Person::new(usize::MAX)).await;
    let call = SagaCall::new("three").run_until(&person, std::future::ready(()));
    assert!(matches!(call.await, Err(CallError::Cancelled)));
}

#[tokio::test]
async fn a_servers_error_is_the_calls() {
    let replicas = Replicas::new();
    let (_server, person) = connect(&replicas, Person::new(usize::MAX)).await;
    let refused = SagaCall::new("there is none").run(&person).await;
    assert!(matches!(refused, Err(CallError::Service(_))), "{refused:?}");
}
