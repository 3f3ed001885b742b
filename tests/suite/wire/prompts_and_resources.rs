//! Prompts, resources and handlers' own methods suspend and go on like tools.

use std::sync::Arc;

use rmcp::{
    ErrorData, Peer, RoleServer, ServerHandler,
    handler::server::wrapper::Parameters,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, GetPromptResult,
        PromptMessage, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
        ResourceContents, Role, ServerCapabilities, ServerConfig,
    },
    prompt, prompt_handler, prompt_router,
    service::RequestContext,
};
use saga_runtime::{SagaServer, saga};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tests::{
    Trace,
    answers::{Confirm, Text},
};

use super::client::{Replicas, Reply, Wire, accept, everything};

#[derive(Clone)]
struct Library {
    world: Arc<Trace>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Summary {
    /// The book's title.
    book: String,
}

#[prompt_router]
impl Library {
    /// Summarizes a book.
    #[saga]
    #[prompt(name = "summary")]
    async fn summary(
        &self,
        peer: Peer<RoleServer>,
        Parameters(args): Parameters<Summary>,
    ) -> Result<GetPromptResult, ErrorData> {
        let shelf = self.world.effect(args.book.len());
        let tone = match peer.elicit::<Text>("In which tone?").await {
            Ok(Some(tone)) => tone.text,
            _ => "plain".to_owned(),
        };
        self.world.effect(&tone);
        let text = format!("{}, shelf {shelf}, {tone}", args.book);
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).with_description(args.book))
    }

    #[saga]
    #[prompt(description = "Asks two things at once")]
    async fn both(&self, context: RequestContext<RoleServer>) -> Vec<PromptMessage> {
        let (a, b) = tokio::join!(
            context.peer.elicit::<Text>("a?"),
            context.peer.elicit::<Text>("b?"),
        );
        let text = [a, b].map(|text| text.ok().flatten().map(|text| text.text));
        vec![PromptMessage::new_text(Role::User, format!("{text:?}"))]
    }
}

#[prompt_handler]
impl ServerHandler for Library {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources();
        ServerConfig::new(capabilities.build())
    }

    #[saga]
    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let page = self.world.effect(request.uri.len());
        let consent = context
            .peer
            .elicit::<Confirm>(format!("Read {}?", request.uri))
            .await;
        let Ok(Some(Confirm { ok: true })) = consent else {
            return Err(ErrorData::invalid_request("not allowed", None));
        };
        self.world.effect("read");
        let contents = ResourceContents::text(format!("page {page}"), request.uri);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    #[saga]
    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        RequestContext { peer, .. }: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        request.name = format!("{}!", request.name).into();
        let sure = matches!(
            peer.elicit::<Confirm>("Sure?").await,
            Ok(Some(Confirm { ok: true }))
        );
        let state = request.request_state.is_some();
        let text = format!("{} {sure} {state}", request.name);
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

/// Each request goes to a new server.
struct Shelf(Replicas);

impl Shelf {
    fn new() -> Self {
        Self(Replicas::new())
    }

    fn library(&self) -> Library {
        let world = Arc::clone(&self.0.world);
        Library { world }
    }

    fn server(&self) -> SagaServer<Library> {
        SagaServer::new(self.library()).with_settings(self.0.settings.clone())
    }

    async fn request(&self, method: &str, params: &Value, retry: Value) -> Reply {
        let mut wire = Wire::open(self.server());
        self.request_to(&mut wire, method, params, retry).await
    }

    async fn request_to(
        &self,
        wire: &mut Wire,
        method: &str,
        params: &Value,
        retry: Value,
    ) -> Reply {
        let mut params = self.0.params(params.clone());
        for (name, value) in retry.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        Reply(wire.request(method, params).await)
    }
}

fn retry(reply: &Reply, answers: Value) -> Value {
    json!({ "requestState": reply.token(), "inputResponses": answers })
}

fn summary() -> Value {
    json!({ "name": "summary", "arguments": { "book": "Emma" } })
}

#[test]
fn a_doc_comment_stays_the_description() {
    let description = Library::summary_prompt_attr().description;
    assert_eq!(description.as_deref(), Some("Summarizes a book."));
}

#[tokio::test]
async fn a_prompt_goes_on_in_another_server() {
    let shelf = Shelf::new();
    let first = shelf.request("prompts/get", &summary(), Value::Null).await;
    assert_eq!(first.keys(), ["tone"]);
    assert_eq!(shelf.0.effects(), ["4"]);
    let answer = json!({ "tone": accept(json!({ "text": "dry" })) });
    let last = shelf
        .request("prompts/get", &summary(), retry(&first, answer))
        .await;
    let result = last.result();
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["description"], "Emma");
    assert_eq!(
        result["messages"][0]["content"]["text"],
        "Emma, shelf 4, dry"
    );
    assert_eq!(shelf.0.effects(), ["4", "\"dry\""]);
}

#[tokio::test]
async fn a_prompt_takes_answers_without_a_state() {
    let shelf = Shelf::new();
    let params = json!({ "name": "both" });
    let answer = accept(json!({ "text": "x" }));
    let answers = json!({ "inputResponses": { "a": answer, "b": answer, "more": 1 } });
    let last = shelf.request("prompts/get", &params, answers).await;
    let text = &last.result()["messages"][0]["content"]["text"];
    assert_eq!(text, r#"[Some("x"), Some("x")]"#);
}

#[tokio::test]
async fn a_prompts_token_is_for_its_name_and_arguments() {
    let shelf = Shelf::new();
    let first = shelf.request("prompts/get", &summary(), Value::Null).await;
    let others = [
        json!({ "name": "summary", "arguments": { "book": "Ulysses" } }),
        json!({ "name": "both" }),
    ];
    for other in others {
        let refused = shelf
            .request("prompts/get", &other, retry(&first, json!({})))
            .await;
        assert_eq!(refused.refusal(), "invalid");
    }
    let tool = shelf
        .request("tools/call", &summary(), retry(&first, json!({})))
        .await;
    assert_eq!(tool.refusal(), "invalid");
    assert_eq!(shelf.0.effects(), ["4"]);
}

#[tokio::test]
async fn a_prompt_that_asks_needs_the_wrapper() {
    let shelf = Shelf::new();
    let mut wire = Wire::open(shelf.library());
    let refused = shelf
        .request_to(&mut wire, "prompts/get", &summary(), Value::Null)
        .await;
    let error = refused.error();
    assert_eq!(error["code"], -32603);
    assert!(
        error["message"].as_str().unwrap().contains("SagaServer"),
        "{error}"
    );
    assert!(shelf.0.effects().is_empty());
}

#[tokio::test]
async fn a_resource_goes_on_in_another_server() {
    let shelf = Shelf::new();
    let params = json!({ "uri": "book://emma" });
    let first = shelf.request("resources/read", &params, Value::Null).await;
    assert_eq!(first.keys(), ["consent"]);
    let yes = json!({ "consent": accept(json!({ "ok": true })) });
    let last = shelf
        .request("resources/read", &params, retry(&first, yes))
        .await;
    assert_eq!(last.result()["contents"][0]["text"], "page 11");
    assert_eq!(shelf.0.effects(), ["11", "\"read\""]);
}

#[tokio::test]
async fn a_resource_that_is_declined_is_the_handlers_error() {
    let shelf = Shelf::new();
    let params = json!({ "uri": "book://emma" });
    let first = shelf.request("resources/read", &params, Value::Null).await;
    let no = json!({ "consent": { "action": "decline" } });
    let last = shelf
        .request("resources/read", &params, retry(&first, no))
        .await;
    assert_eq!(last.error()["message"], "not allowed");
    assert_eq!(shelf.0.effects(), ["11"]);
}

#[tokio::test]
async fn a_resources_token_is_for_its_uri() {
    let shelf = Shelf::new();
    let params = json!({ "uri": "book://emma" });
    let first = shelf.request("resources/read", &params, Value::Null).await;
    let other = json!({ "uri": "book://eman" });
    let refused = shelf
        .request("resources/read", &other, retry(&first, json!({})))
        .await;
    assert_eq!(refused.refusal(), "invalid");
}

#[tokio::test]
async fn a_handler_of_its_own_goes_on() {
    let shelf = Shelf::new();
    let params = json!({ "name": "anything", "arguments": {} });
    let first = shelf.request("tools/call", &params, Value::Null).await;
    let yes = json!({ "sure": accept(json!({ "ok": true })) });
    let last = shelf
        .request("tools/call", &params, retry(&first, yes))
        .await;
    assert_eq!(last.text(), "anything! true false");
}

#[tokio::test]
async fn a_handler_of_its_own_needs_no_wrapper() {
    let shelf = Shelf::new();
    let params = json!({ "uri": "book://emma" });
    let mut wire = Wire::open(shelf.library());
    let first = shelf
        .request_to(&mut wire, "resources/read", &params, Value::Null)
        .await;
    let yes = json!({ "consent": accept(json!({ "ok": true })) });
    let again = retry(&first, yes);
    let last = shelf
        .request_to(&mut wire, "resources/read", &params, again)
        .await;
    assert_eq!(last.result()["contents"][0]["text"], "page 11");
}

#[tokio::test]
async fn older_clients_are_asked_live() {
    let shelf = Shelf::new();
    live(Wire::session(shelf.server(), everything()).await).await;
    // They need no wrapper, either.
    live(Wire::session(shelf.library(), everything()).await).await;
}

async fn live(mut wire: Wire) {
    let calls = [
        (
            "prompts/get",
            summary(),
            json!({ "text": "dry" }),
            "/messages/0/content/text",
        ),
        (
            "resources/read",
            json!({ "uri": "book://emma" }),
            json!({ "ok": true }),
            "/contents/0/text",
        ),
    ];
    let mut texts = Vec::new();
    for (method, params, content, pointer) in calls {
        let id = wire.put(method, params).await;
        let ask = wire.receive().await;
        assert_eq!(ask["method"], "elicitation/create");
        let answer = json!({ "jsonrpc": "2.0", "id": ask["id"], "result": accept(content) });
        wire.send(answer).await;
        let end = wire.receive().await;
        assert_eq!(end["id"], id);
        texts.push(end["result"].pointer(pointer).cloned().unwrap());
    }
    assert_eq!(texts, ["Emma, shelf 4, dry", "page 11"]);
}
