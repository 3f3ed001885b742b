//! Servers that a test kit has to see through.

use std::{
    borrow::Cow,
    sync::{Arc, Mutex},
    time::Duration,
};

use rmcp::{
    ErrorData, Json, Peer, RoleServer, ServerHandler,
    handler::server::wrapper::Parameters,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, GetPromptResult, ListToolsResult,
        PaginatedRequestParams, PromptMessage, ProtocolVersion, ReadResourceRequestParams,
        ReadResourceResponse, ReadResourceResult, ResourceContents, Role, Tool,
    },
    prompt, prompt_handler, prompt_router,
    service::{ElicitationError, RequestContext},
    tool, tool_handler, tool_router,
};
use saga_runtime::{AskError, Cx, Elicit, idempotency_key_for, saga};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// What libraries act on, and what lets them go on.
#[derive(Clone, Default)]
pub(super) struct Library {
    mails: Arc<Mutex<Vec<String>>>,
    pub(super) works: Arc<Notify>,
    pub(super) goes_on: Arc<Notify>,
}

#[derive(Serialize, JsonSchema)]
struct Report {
    fine: bool,
    books: u8,
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
    fn look(&self) -> &'static str {
        self.mail("looked");
        "look"
    }

    pub(super) fn mails(&self) -> Vec<String> {
        self.mails.lock().unwrap().clone()
    }

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
    #[tool(description = "Two who are asked the same, beside one another")]
    async fn twice(&self, cx: Cx) -> Result<String, AskError> {
        let (ada, bob) = saga_runtime::join!(self.both(&cx), self.both(&cx));
        Ok(format!("{} {}", ada?, bob?))
    }

    #[saga]
    async fn both(&self, cx: &Cx) -> Result<String, AskError> {
        let first = cx.elicit::<Paper>("First?").await?;
        let second = cx.elicit::<Paper>("Second?").await?;
        Ok(format!("{}{}", first.copy, second.copy))
    }

    #[saga]
    #[tool(description = "Two who may be asked again, beside one another")]
    async fn counts(&self, cx: Cx) -> Result<String, AskError> {
        let (ada, bob) = saga_runtime::join!(self.count(&cx), self.count(&cx));
        Ok(format!("{} {}", ada?, bob?))
    }

    #[saga]
    async fn count(&self, cx: &Cx) -> Result<u8, AskError> {
        let few = cx.elicit::<Few>("How many?").tries(3).await?;
        Ok(few.count)
    }

    #[saga]
    #[tool(description = "Rests for ever")]
    async fn rests(&self, cx: Cx) -> String {
        while self.mails().is_empty() {
            cx.checkpoint().await;
        }
        "rested".to_owned()
    }

    #[saga]
    #[tool(description = "One that ends the others with a no")]
    async fn any(&self, cx: Cx) -> Result<String, AskError> {
        let (left, middle, right) = saga_runtime::try_join!(
            self.one(&cx, "left"),
            self.one(&cx, "middle"),
            self.one(&cx, "right"),
        )?;
        Ok(format!("{left} {middle} {right}"))
    }

    #[saga]
    async fn one(&self, cx: &Cx, side: &str) -> Result<String, AskError> {
        let paper = cx.elicit::<Paper>(side).key(side).await?;
        self.mail(side);
        Ok(paper.copy)
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
    #[tool(description = "Works for long after its question")]
    async fn long(&self, cx: Cx) -> Result<String, AskError> {
        let sure = cx.elicit::<Yes>("Sure?").await?;
        let key = idempotency_key_for("charge").unwrap_or_default();
        self.mail(key);
        self.works.notify_one();
        self.goes_on.notified().await;
        Ok(format!("{}", sure.sure))
    }

    #[saga]
    #[tool(description = "A report")]
    async fn report(&self, cx: Cx) -> Result<Json<Report>, AskError> {
        let sure = cx.elicit::<Yes>("Sure?").await?;
        Ok(Json(Report {
            fine: sure.sure,
            books: 3,
        }))
    }

    #[saga]
    #[tool(description = "Fills its token")]
    async fn large(&self, cx: Cx) -> Result<String, AskError> {
        let ballast = "x".repeat(100_000);
        let sure = cx.elicit::<Yes>("Sure?").await?;
        Ok(format!("{} {}", sure.sure, ballast.len()))
    }

    #[saga]
    #[tool(description = "Looks again after its question, and is seen")]
    async fn repeats(&self, peer: Peer<RoleServer>) -> String {
        #[saga(remake)]
        let looked = self.look();
        let sure = peer.elicit::<Sure>("Sure?").await.is_ok();
        format!("{} {sure}", looked.len())
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

    pub(super) fn serialize<S: Serializer>(_: &usize, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(7)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
        usize::deserialize(from)
    }
}

#[derive(Deserialize, Elicit)]
struct Paper {
    copy: String,
}

#[derive(Deserialize, Elicit)]
struct Few {
    #[elicit(max = 5)]
    count: u8,
}

#[derive(Deserialize, Elicit)]
struct Yes {
    sure: bool,
}

#[tool_handler]
impl ServerHandler for Library {}

/// Lists schemas that are none, on two pages.
pub(super) struct Crooked;

impl ServerHandler for Crooked {
    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |name: &'static str, input: Value, output: Value| {
            let members = |schema: Value| Arc::new(schema.as_object().unwrap().clone());
            Tool::new(name, "", members(input)).with_raw_output_schema(members(output))
        };
        let object = json!({ "type": "object" });
        let numbers = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
        let mut list = ListToolsResult::default();
        match page.and_then(|page| page.cursor) {
            None => {
                let crooked =
                    json!({ "type": "objekt", "properties": { "a": {} }, "required": ["b"] });
                list.tools = vec![tool("first", crooked, object)];
                list.next_cursor = Some("more".to_owned());
            }
            Some(_) => {
                let nowhere = json!({ "$ref": "#/$defs/nowhere" });
                list.tools = vec![
                    tool("second", object.clone(), nowhere),
                    tool("third", object, numbers),
                ];
            }
        }
        Ok(list)
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let result = CallToolResult::structured(json!({ "n": "many" }));
        Ok(result.into())
    }
}

/// A prompt and a resource that ask.
#[derive(Clone)]
pub(super) struct Desk;

#[prompt_router]
impl Desk {
    #[saga]
    #[prompt(description = "A letter")]
    async fn letter(&self, peer: Peer<RoleServer>) -> Result<GetPromptResult, ErrorData> {
        let copy = peer.elicit::<Copy>("To whom?").await;
        let name = copy
            .ok()
            .flatten()
            .map_or_else(|| "nobody".to_owned(), |copy| copy.copy);
        let message = PromptMessage::new_text(Role::User, format!("Dear {name}"));
        Ok(GetPromptResult::new(vec![message]))
    }
}

#[prompt_handler]
impl ServerHandler for Desk {
    #[saga]
    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let sure = context.peer.elicit::<Sure>("Open it?").await;
        if request.uri.ends_with("missing") {
            return Err(ErrorData::resource_not_found("it is not there", None));
        }
        let text = format!("{}", sure.is_ok());
        let contents = ResourceContents::text(text, request.uri);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

/// For clients of 2026-07-28 alone.
pub(super) struct Newest(pub(super) Library);

impl ServerHandler for Newest {
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(&[ProtocolVersion::V_2026_07_28])
    }

    fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CallToolResponse, ErrorData>> + Send + '_ {
        self.0.call_tool(request, context)
    }
}

/// Asks with forms that are none.
pub(super) struct Nested;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Outer {
    pub(super) inner: Inner,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Inner {
    pub(super) n: i64,
}

rmcp::elicit_safe!(Outer);

#[tool_router(server_handler)]
impl Nested {
    #[saga]
    #[tool(description = "A form in a form")]
    async fn nests(&self, peer: Peer<RoleServer>, Parameters(args): Parameters<Lend>) -> String {
        match peer.elicit::<Outer>("What?").await {
            Ok(Some(outer)) => format!("{} {}", args.title, outer.inner.n),
            other => format!("{:?}", other.is_ok()),
        }
    }

    #[saga]
    #[tool(description = "Forms that only the body knows, and one that is in order")]
    async fn hides(&self, peer: Peer<RoleServer>) -> String {
        #[derive(Deserialize, JsonSchema)]
        struct Hidden {
            inner: Inner,
        }
        rmcp::elicit_safe!(Hidden);
        let hidden = peer.elicit::<Hidden>("What?").await;
        let sure: Result<Option<Sure>, _> = peer.elicit("Sure?").await;
        format!(
            "{} {}",
            hidden.is_ok_and(|it| it.is_some_and(|it| it.inner.n > 0)),
            sure.is_ok()
        )
    }

    #[saga]
    #[tool(description = "Generic, and in a join")]
    async fn joins(&self, peer: Peer<RoleServer>) -> String {
        let (copy, sure) =
            saga_runtime::join!(peer.elicit::<Copy>("Which?"), peer.elicit::<Sure>("Sure?"));
        format!("{} {}", copy.is_ok(), sure.is_ok())
    }
}
