//! Tools, a prompt and a handler's own method that ask by `Cx`.

use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        PromptMessage, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
        ResourceContents, Role, SamplingMessage, ServerCapabilities, ServerConfig, Tool,
    },
    prompt, prompt_handler, prompt_router,
    service::RequestContext,
    tool, tool_handler, tool_router,
};
use saga_runtime::{AskError, Cx, Elicit, Reply, saga};
use serde::Deserialize;
use tests::Trace;

#[derive(Clone)]
pub(super) struct Asker {
    world: Arc<Trace>,
}

impl Asker {
    pub(super) fn new(world: Arc<Trace>) -> Self {
        Self { world }
    }
}

#[derive(Debug, Deserialize, Elicit)]
struct Target {
    #[elicit(min_length = 3)]
    target: String,
}

#[derive(Debug, Deserialize, Elicit)]
struct Count {
    #[elicit(min = 0, max = 9)]
    n: u8,
    #[serde(default)]
    extra: bool,
}

#[derive(Debug, Deserialize, Elicit)]
enum Size {
    Small,
    Large,
}

#[derive(Debug, Deserialize, Elicit)]
struct Sizes {
    sizes: Vec<Size>,
}

/// What an author adds to the handle.
trait Asks {
    async fn how_many(&self, question: &str) -> Result<u8, AskError>;
}

impl Asks for Cx {
    #[saga]
    async fn how_many(&self, question: &str) -> Result<u8, AskError> {
        let cx: &Cx = self;
        let count = cx.elicit::<Count>(question).await?;
        Ok(count.n + u8::from(count.extra))
    }
}

#[tool_router]
impl Asker {
    #[saga]
    #[tool(description = "Asks by a method that the handle has from a trait")]
    async fn extended(&self, cx: Cx) -> Result<String, AskError> {
        self.world.note("before");
        let first = cx.how_many("How many?").await?;
        cx.progress(0.5, None, "half").await;
        let second = cx.how_many("And then?").await?;
        Ok(format!("{first} and {second}"))
    }

    #[saga]
    #[tool(description = "Asks the user, and then the model")]
    async fn deploy(&self, cx: Cx) -> Result<String, AskError> {
        self.world.note("before");
        let target = cx.elicit::<Target>("Where to?").await?;
        self.world.note(&target.target);
        let summary = cx
            .sample(format!("Announce {}", target.target))
            .system("You are brief.")
            .hint("small")
            .hint("large")
            .max_tokens(200)
            .temperature(0.5)
            .stop("END")
            .with(|params| params.metadata = Some(serde_json::json!({ "by": "deploy" })))
            .await?;
        Ok(format!(
            "{}: {} ({})",
            target.target,
            summary.text(),
            summary.model
        ))
    }

    #[saga]
    #[tool(description = "The same with the errors of JSON-RPC")]
    async fn strict(&self, cx: Cx) -> Result<String, ErrorData> {
        let target = cx
            .elicit::<Target>("Where to?")
            .key("where")
            .tries(1)
            .await?;
        Ok(target.target)
    }

    #[saga]
    #[tool(description = "Looks at the error")]
    async fn verdict(&self, cx: Cx) -> String {
        let count = cx.elicit::<Count>("How many?").tries(2).await;
        self.world.note("after");
        match count {
            Ok(count) => format!("{} {}", count.n, count.extra),
            Err(error) => format!("{}: {error}", error.reason()),
        }
    }

    #[saga]
    #[tool(description = "Has no time to wait")]
    async fn hurried(&self, cx: Cx) -> Result<String, AskError> {
        let count = cx.elicit::<Count>("Quick!").timeout(Duration::ZERO).await?;
        Ok(count.n.to_string())
    }

    #[saga]
    #[tool(description = "Asks three things at once")]
    async fn together(&self, cx: Cx) -> Result<String, AskError> {
        let (target, count, roots) = tokio::join!(
            cx.elicit::<Target>("Where to?").key("target-key"),
            cx.elicit::<Count>("How many?").key("count-key"),
            cx.roots().key("roots-key"),
        );
        self.world.note("after");
        Ok(format!("{} {} {}", target?.target, count?.n, roots?.len()))
    }

    #[saga]
    #[tool(description = "Asks the same three times")]
    async fn looped(&self, cx: Cx) -> Result<String, AskError> {
        let mut sum = 0;
        for i in 0..3 {
            let count = cx.elicit::<Count>(format!("{i}?")).key("n").await?;
            self.world.effect(i);
            sum += count.n;
        }
        Ok(sum.to_string())
    }

    #[saga]
    #[tool(description = "Two helpers choose one key")]
    async fn clash(&self, cx: Cx) -> Result<String, AskError> {
        let (left, right) = tokio::join!(self.left(&cx), self.right(&cx));
        Ok(format!("{} {}", left?, right?))
    }

    #[saga]
    async fn left(&self, cx: &Cx) -> Result<u8, AskError> {
        Ok(cx.elicit::<Count>("Left?").key("same").await?.n)
    }

    #[saga]
    async fn right(&self, cx: &Cx) -> Result<u8, AskError> {
        Ok(cx.elicit::<Count>("Right?").key("same").await?.n)
    }

    #[saga]
    #[tool(description = "Two helpers at once, and a question after both")]
    async fn sides(&self, cx: Cx) -> Result<String, AskError> {
        let (left, said) = tokio::join!(self.left(&cx), said(&cx));
        cx.elicit::<Count>("After?").key("after").await?;
        Ok(format!("{:?} {left:?}", said.ok().map(|said| said.text())))
    }

    #[saga]
    #[tool(description = "Has a helper that asks twice")]
    async fn helped(&self, cx: Cx) -> Result<String, AskError> {
        let sum = self.left(&cx).await? + add(&cx, 1).await?;
        self.world.effect(sum);
        Ok(sum.to_string())
    }

    #[saga]
    #[tool(description = "Sends the user to a page")]
    async fn page(&self, cx: Cx) -> Result<String, AskError> {
        cx.elicit_url("Please sign", "https://example.com/sign")
            .key("sign")
            .await?;
        self.world.note("signed");
        Ok("signed".to_owned())
    }

    #[saga]
    #[tool(description = "Sends the user nowhere")]
    async fn no_page(&self, cx: Cx) -> Result<String, ErrorData> {
        cx.elicit_url("Please sign", "example.com/sign")
            .id("e-1")
            .await?;
        Ok("signed".to_owned())
    }

    #[saga]
    #[tool(description = "Samples with tools, and a conversation")]
    async fn tooled(&self, cx: Cx) -> Result<String, ErrorData> {
        let messages = vec![
            SamplingMessage::user_text("Hello"),
            SamplingMessage::assistant_text("Hi"),
        ];
        let tool = Tool::new("clock", "Tells the time", serde_json::Map::new());
        let reply = cx.sample(messages).tools([tool]).key("talk").await?;
        Ok(reply.into_inner().model)
    }

    #[saga]
    #[tool(description = "Lists the client's roots")]
    async fn roots(&self, cx: Cx) -> Result<String, AskError> {
        let roots = cx.roots().await?;
        let uris: Vec<_> = roots.into_iter().map(|root| root.uri).collect();
        Ok(uris.join(" "))
    }

    #[saga]
    #[tool(description = "Says how far it is")]
    async fn progress(&self, cx: Cx) -> Result<String, AskError> {
        cx.progress(1.0, Some(2.0), "half").await;
        let count = cx.elicit::<Count>("How many?").await?;
        cx.progress(2.0, None, "").await;
        Ok(count.n.to_string())
    }

    #[saga]
    #[tool(description = "Says what the client can do, and its own name, before and after")]
    async fn facts(&self, cx: Cx) -> Result<String, AskError> {
        self.world.note(&facts(&cx));
        self.world.effect(cx.idempotency_key().is_some());
        let _ = cx.elicit::<Count>("Go on?").await?;
        let key = cx.idempotency_key();
        self.world.effect(key == cx.idempotency_key());
        Ok(facts(&cx))
    }

    #[saga]
    #[tool(description = "A choice of several, which old clients do not have")]
    async fn several(&self, cx: Cx) -> Result<String, AskError> {
        let sizes = cx.elicit::<Sizes>("Which?").await?.sizes;
        Ok(format!("{sizes:?}"))
    }

    #[tool(description = "Asks without `#[saga]`")]
    async fn plain(&self, cx: Cx) -> Result<String, AskError> {
        let question = cx.elicit::<Target>("Where to?").tries(2);
        Ok(question.await?.target)
    }

    #[tool(description = "The same with the errors of JSON-RPC")]
    async fn plain_strict(&self, cx: Cx) -> Result<String, ErrorData> {
        Ok(cx.elicit::<Target>("Where to?").await?.target)
    }
}

#[saga]
async fn said(cx: &Cx) -> Result<Reply, AskError> {
    cx.sample("Well?").key("said").await
}

#[saga]
async fn add(cx: &Cx, more: u8) -> Result<u8, AskError> {
    let mut sum = more;
    for _ in 0..2 {
        let count = cx.clone().elicit::<Count>("Add?").await?;
        sum += count.n;
    }
    Ok(sum)
}

fn facts(cx: &Cx) -> String {
    let client = cx.client();
    format!(
        "{} {} {} {} {} {}",
        client
            .version()
            .map(ToString::to_string)
            .unwrap_or_default(),
        client.can_elicit(),
        client.can_elicit_url(),
        client.can_sample(),
        client.can_sample_with_tools(),
        client.can_list_roots(),
    )
}

#[prompt_router]
impl Asker {
    /// Asks for a tone.
    #[saga]
    #[prompt(name = "toned")]
    async fn toned(&self, cx: Cx) -> Result<Vec<PromptMessage>, ErrorData> {
        let target = cx.elicit::<Target>("Of what?").await?;
        Ok(vec![PromptMessage::new_text(Role::User, target.target)])
    }
}

#[tool_handler]
#[prompt_handler]
impl ServerHandler for Asker {
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
        let cx = Cx::from(context);
        self.world.note("asked for");
        let count = cx
            .elicit::<Count>(format!("How much of {}?", request.uri))
            .await?;
        let contents = ResourceContents::text(count.n.to_string(), request.uri);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}
