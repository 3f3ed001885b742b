//! The server that the tests of this folder talk to. Each tool exists for one rule.

use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData, Peer, RoleServer, ServiceError, elicit_safe,
    handler::server::wrapper::Parameters,
    model::{CallToolResult, ContentBlock, CreateMessageRequestParams, SamplingMessage},
    service::{ElicitationError, RequestContext},
    tool, tool_router,
};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tests::{
    Trace,
    answers::{Confirm, Count, Text},
};

/// The fixture: tools, and the outside world they act on.
#[derive(Clone)]
pub(super) struct Fixture {
    world: Arc<Trace>,
}

impl Fixture {
    pub(super) fn new(world: Arc<Trace>) -> Self {
        Self { world }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct SeedArgs {
    initial_arg: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Target {
    target: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct HostName {
    host: String,
}

/// How fast a parcel goes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Speed {
    Slow,
    Fast,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Parcel {
    /// As fast as it may.
    speed: Speed,
    instead: Option<Speed>,
}

elicit_safe!(Target, HostName, Parcel);

#[derive(Debug, Deserialize, JsonSchema)]
struct BoundArgs {
    x: f64,
    y: Value,
}

/// Neither `Clone` nor `Serialize`, as arguments are.
#[derive(Debug, Deserialize, JsonSchema)]
struct HandedArgs {
    name: String,
    tags: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct BigArgs {
    bytes: usize,
}

fn prompt(text: &str) -> CreateMessageRequestParams {
    CreateMessageRequestParams::new(vec![SamplingMessage::user_text(text)], 100)
}

fn said(message: &rmcp::model::CreateMessageResult) -> String {
    let text = message
        .message
        .content
        .first()
        .and_then(|content| content.as_text());
    text.map(|text| text.text.clone()).unwrap_or_default()
}

/// The variant of the error, by name.
fn variant<T: std::fmt::Debug>(outcome: &Result<Option<T>, ElicitationError>) -> String {
    match outcome {
        Ok(answer) => format!("{answer:?}"),
        Err(ElicitationError::UserDeclined) => "UserDeclined".into(),
        Err(ElicitationError::UserCancelled) => "UserCancelled".into(),
        Err(ElicitationError::ParseError { data, .. }) => format!("ParseError {data}"),
        Err(ElicitationError::NoContent) => "NoContent".into(),
        Err(ElicitationError::CapabilityNotSupported) => "CapabilityNotSupported".into(),
        Err(ElicitationError::Service(error)) => service(error),
        Err(other) => format!("{other:?}"),
    }
}

fn service(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => {
            let data = error.data.clone().unwrap_or_default();
            format!("McpError {} {} {data}", error.code.0, error.message)
        }
        other => format!("{other:?}"),
    }
}

#[tool_router(server_handler, vis = "pub(super)")]
impl Fixture {
    #[saga]
    #[tool(description = "The tool of the proposal")]
    async fn complex_tool(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(args): Parameters<SeedArgs>,
    ) -> Result<CallToolResult, ErrorData> {
        self.world.note(&args.initial_arg);
        let target = match context
            .peer
            .elicit::<Target>("Please provide the deployment target:")
            .await
        {
            Ok(Some(answer)) => answer.target,
            other => {
                return Ok(CallToolResult::error(vec![ContentBlock::text(variant(
                    &other,
                ))]));
            }
        };
        let question = format!("Is deploying to '{target}' safe right now?");
        let advice = match context.peer.create_message(prompt(&question)).await {
            Ok(advice) => said(&advice),
            Err(error) => {
                return Ok(CallToolResult::error(vec![ContentBlock::text(service(
                    &error,
                ))]));
            }
        };
        self.world.note(&advice);
        let done = format!("Deployment to {target} initiated successfully based on confirmation.");
        Ok(CallToolResult::success(vec![ContentBlock::text(done)]))
    }

    #[saga]
    #[tool(description = "Three asks with effects around them")]
    async fn three(&self, context: RequestContext<RoleServer>) -> String {
        let order = self.world.fetch(7).await;
        let user_name = context.peer.elicit::<Text>("Who?").await;
        self.world.note("named");
        let sure = context.peer.elicit::<Confirm>("Sure?").await;
        self.world.note("confirmed");
        let advice = context.peer.create_message(prompt("Now?")).await;
        self.world.note("advised");
        let name = user_name.map(|name| name.map(|name| name.text));
        let sure = sure.map(|sure| sure.map(|sure| sure.ok));
        let advice = advice.map_or_else(|error| service(&error), |advice| said(&advice));
        format!("{order} {} {} {advice}", variant(&name), variant(&sure))
    }

    #[saga]
    #[tool(description = "Asks without an explicit key")]
    async fn keys(&self, peer: Peer<RoleServer>) -> String {
        let user_name = peer.elicit::<Text>("let").await;
        self.world.note(&variant(&user_name));
        let mut sum = 0;
        for i in 0..3 {
            let k = peer.elicit::<Count>(format!("loop {i}")).await;
            sum += k.ok().flatten().map_or(0, |k| k.n);
        }
        match peer.elicit::<HostName>("type").await {
            Ok(Some(answer)) => self.world.note(&answer.host),
            other => self.world.note(&variant(&other)),
        }
        if peer.create_message(prompt("neither")).await.is_err() {
            self.world.note("no model");
        }
        sum.to_string()
    }

    #[saga]
    #[tool(description = "Says how its only ask went")]
    async fn verdict(&self, peer: Peer<RoleServer>) -> String {
        self.world.note("before");
        let count = peer.elicit::<Count>("How many?").await;
        self.world.note("after");
        variant(&count)
    }

    #[saga]
    #[tool(description = "Hands its arguments on to a function that asks")]
    async fn handed(
        &self,
        peer: Peer<RoleServer>,
        Parameters(args): Parameters<HandedArgs>,
    ) -> String {
        self.world.note("first");
        self.handle(args, &peer).await
    }

    #[saga]
    async fn handle(&self, args: HandedArgs, peer: &Peer<RoleServer>) -> String {
        self.world.note(&args.name);
        let sure = matches!(
            peer.elicit::<Confirm>(args.name.as_str()).await,
            Ok(Some(Confirm { ok: true }))
        );
        format!("{sure} {} {:?}", args.name, args.tags)
    }

    #[saga]
    #[tool(description = "Asks for a form whose fields have types of their own")]
    async fn parcel(&self, peer: Peer<RoleServer>) -> String {
        match peer.elicit::<Parcel>("How?").await {
            Ok(Some(Parcel { speed, instead })) => format!("{speed:?} {instead:?}"),
            other => variant(&other),
        }
    }

    #[saga]
    #[tool(description = "Says how its only sampling went")]
    async fn sample(&self, peer: Peer<RoleServer>) -> String {
        self.world.note("before");
        let advice = peer.create_message(prompt("Well?")).await;
        advice.map_or_else(|error| service(&error), |advice| said(&advice))
    }

    #[saga]
    #[tool(description = "Says how its only list of roots went")]
    async fn roots(&self, peer: Peer<RoleServer>) -> String {
        let roots = peer.list_roots().await;
        match roots {
            Ok(roots) => roots.roots.iter().map(|root| root.uri.as_str()).collect(),
            Err(error) => service(&error),
        }
    }

    #[saga]
    #[tool(description = "Sends the user to a page")]
    async fn page(&self, peer: Peer<RoleServer>) -> String {
        let visit = peer
            .elicit_url("Please sign", "https://example.com/sign", "e-1")
            .await;
        match visit {
            Ok(action) => format!("{action:?}"),
            Err(ElicitationError::CapabilityNotSupported) => "CapabilityNotSupported".into(),
            Err(error) => error.to_string(),
        }
    }

    #[saga]
    #[tool(description = "Says what the client can do, before and after an ask")]
    async fn abilities(&self, peer: Peer<RoleServer>) -> String {
        let before = modes(&peer.supported_elicitation_modes());
        let tools_before = peer.supports_sampling_tools();
        let _ = peer.elicit::<Confirm>("Go on?").await;
        let after = modes(&peer.supported_elicitation_modes());
        let tools_after = peer.supports_sampling_tools();
        let name = peer.peer_info().map(|info| info.client_info.name.clone());
        format!("{before} {tools_before}, {after} {tools_after}, {name:?}")
    }

    #[saga]
    #[tool(description = "Bound to its arguments")]
    async fn bound(
        &self,
        peer: Peer<RoleServer>,
        Parameters(args): Parameters<BoundArgs>,
    ) -> String {
        self.world.note("before");
        let sure = peer.elicit::<Confirm>("Sure?").await;
        self.world.note("after");
        format!("{} {} {}", args.x, args.y, sure.is_ok())
    }

    #[saga]
    #[tool(description = "The same, by another name")]
    async fn bound_too(
        &self,
        peer: Peer<RoleServer>,
        Parameters(args): Parameters<BoundArgs>,
    ) -> String {
        self.world.note("before");
        let sure = peer.elicit::<Confirm>("Sure?").await;
        self.world.note("after");
        format!("{} {} {}", args.x, args.y, sure.is_ok())
    }

    #[saga]
    #[tool(description = "Says under which name it goes on")]
    async fn named(&self, peer: Peer<RoleServer>) -> String {
        self.world.note("before");
        let sure = peer.elicit::<Confirm>("Sure?").await;
        self.world.note("after");
        format!("{:?} {}", saga_runtime::idempotency_key(), sure.is_ok())
    }

    #[saga]
    #[tool(description = "Holds more than it should")]
    async fn big(&self, peer: Peer<RoleServer>, Parameters(args): Parameters<BigArgs>) -> String {
        let crumb = self.world.fetch(1u8).await;
        let haystack = "hay".repeat(args.bytes / 3);
        let sure = peer.elicit::<Confirm>("Sure?").await;
        format!("{crumb} {} {}", haystack.len(), sure.is_ok())
    }

    #[saga]
    #[tool(description = "Keeps the answer for later")]
    async fn keeps_an_answer(&self, peer: Peer<RoleServer>) -> String {
        let text = peer.elicit::<Text>("What?").await;
        let _ = peer.elicit::<Confirm>("Sure?").await;
        variant(&text.map(|text| text.map(|text| text.text)))
    }

    #[saga]
    #[tool(description = "Has no time to wait")]
    async fn hurried(&self, peer: Peer<RoleServer>) -> String {
        let count = peer
            .elicit_with_timeout::<Count>("Quick!", Some(Duration::ZERO))
            .await;
        variant(&count)
    }

    #[saga]
    #[tool(description = "Has no time to wait, and another branch that is not ready")]
    async fn hurried_beside(&self, peer: Peer<RoleServer>) -> String {
        tokio::select! {
            count = peer.elicit_with_timeout::<Count>("Quick!", Some(Duration::ZERO)) => variant(&count),
            () = std::future::pending::<()>() => "the other branch".to_owned(),
        }
    }

    #[saga]
    #[tool(description = "Has all the time there is")]
    async fn patient(&self, peer: Peer<RoleServer>) -> String {
        let count = peer
            .elicit_with_timeout::<Count>("Well?", Some(Duration::MAX))
            .await;
        variant(&count)
    }

    #[saga]
    #[tool(description = "Has a minute, and needs it")]
    async fn limited(&self, peer: Peer<RoleServer>) -> String {
        match tokio::time::timeout(Duration::ZERO, peer.elicit::<Count>("Quick!")).await {
            Ok(count) => variant(&count),
            Err(elapsed) => elapsed.to_string(),
        }
    }

    #[saga]
    #[tool(description = "Has no time for what a helper asks")]
    async fn limited_call(&self, peer: Peer<RoleServer>) -> String {
        self.world.note("before");
        let sure = tokio::time::timeout(Duration::ZERO, self.sure(&peer, "Sure?")).await;
        match sure {
            Ok(sure) => self.world.effect(format!("in time: {sure}")),
            Err(elapsed) => self.world.effect(format!("late: {elapsed}")),
        };
        let count = peer.elicit::<Count>("How many?").await;
        format!("{:?}", count.ok().flatten().map(|count| count.n))
    }

    #[saga]
    #[tool(description = "Has time for what a helper asks")]
    async fn limited_in_time(&self, peer: Peer<RoleServer>) -> String {
        self.world.note("before");
        let sure = tokio::time::timeout(Duration::MAX, self.sure(&peer, "Sure?")).await;
        sure.is_ok_and(|sure| sure).to_string()
    }

    #[saga]
    #[tool(description = "Has no time for what a helper does while it asks")]
    async fn limited_at_work(&self, peer: Peer<RoleServer>) -> String {
        match tokio::time::timeout(Duration::ZERO, self.asks_and_works(&peer)).await {
            Ok(sure) => sure.to_string(),
            Err(elapsed) => elapsed.to_string(),
        }
    }

    #[saga]
    async fn asks_and_works(&self, peer: &Peer<RoleServer>) -> bool {
        let (sure, ()) = tokio::join!(
            peer.elicit::<Confirm>("Sure?"),
            std::future::pending::<()>()
        );
        sure.is_ok()
    }

    #[saga]
    #[tool(description = "Asks two things at once, and one of them twice")]
    async fn pair(&self, peer: Peer<RoleServer>) -> String {
        self.world.note("before");
        let (count, sure) =
            tokio::join!(peer.elicit::<Count>("How many?"), self.sure(&peer, "Sure?"));
        self.world.note("after");
        let count = count.ok().flatten().map(|count| count.n);
        format!("{count:?} {sure}")
    }

    #[saga]
    async fn sure(&self, peer: &Peer<RoleServer>, message: &str) -> bool {
        for turn in 0..2 {
            let sure = peer.elicit::<Confirm>(format!("{message} {turn}")).await;
            self.world.effect(turn);
            if !matches!(sure, Ok(Some(Confirm { ok: true }))) {
                return false;
            }
        }
        true
    }

    #[tool(description = "Asks nothing")]
    async fn plain(&self) -> String {
        "plain".into()
    }
}

fn modes(modes: &std::collections::HashSet<rmcp::service::ElicitationMode>) -> String {
    let mut names: Vec<_> = modes.iter().map(|mode| format!("{mode:?}")).collect();
    names.sort();
    names.join("+")
}
