//! The outside world, and the tools that act on it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use rmcp::{
    ErrorData,
    handler::server::wrapper::Parameters,
    model::{CallToolResult, MetaObject},
    tool, tool_router,
};
use saga_runtime::{AskError, Cx, Elicit, saga};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tests::Trace;
use tokio::sync::Semaphore;

/// What the tools act on, and what lets them go on.
pub(super) struct World {
    pub(super) trace: Trace,
    /// Lets the tools that wait for it go on.
    pub(super) gate: Semaphore,
    /// How many files there are.
    pub(super) files: AtomicUsize,
}

impl Default for World {
    fn default() -> Self {
        Self {
            trace: Trace::default(),
            gate: Semaphore::new(0),
            files: AtomicUsize::new(0),
        }
    }
}

impl World {
    pub(super) fn effects(&self) -> Vec<String> {
        self.trace.events()
    }

    /// An effect under its key.
    fn keyed(&self, name: &str) {
        let key = saga_runtime::idempotency_key_for(name).unwrap();
        self.trace.note(&format!("{key} {name}"));
    }

    pub(super) async fn pass(&self) {
        self.gate.acquire().await.unwrap().forget();
    }
}

/// A yes or no.
#[derive(Debug, Deserialize, Elicit)]
pub(super) struct Sure {
    pub(super) ok: bool,
}

/// Colours.
#[derive(Debug, Deserialize, Elicit)]
enum Colour {
    Red,
    #[elicit(title = "As the sea")]
    Blue,
}

/// <script>a field of each kind</script>
#[derive(Debug, Deserialize, Elicit)]
#[allow(dead_code, reason = "what is read is shown by `Debug`")]
struct Everything {
    /// <script>of the name</script>
    #[elicit(min_length = 2, max_length = 5, title = "<script>Name</script>")]
    name: String,
    #[elicit(format = "email")]
    mail: Option<String>,
    #[elicit(format = "date")]
    day: Option<String>,
    #[elicit(format = "uri")]
    page: Option<String>,
    #[elicit(format = "date-time")]
    at: Option<String>,
    notes: Option<String>,
    #[elicit(min = 1, max = 9, default = 3)]
    count: u8,
    #[elicit(min = 0.5)]
    share: Option<f64>,
    sure: bool,
    maybe: Option<bool>,
    colour: Colour,
    #[elicit(max_items = 1)]
    colours: Vec<Colour>,
}

/// How many.
#[derive(Debug, Deserialize, Elicit)]
struct Amount {
    #[elicit(min = 1)]
    n: i64,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Film {
    frames: u32,
}

/// What a tool says whose calls are best async.
fn prefers_async() -> MetaObject {
    let mut meta = MetaObject::default();
    meta.insert(saga_runtime::PREFER_ASYNC.to_owned(), json!(true));
    meta
}

/// The tools. Each exists for one rule.
#[derive(Clone)]
pub(super) struct Studio(pub(super) Arc<World>);

#[tool_router(server_handler)]
impl Studio {
    /// Asks in its middle.
    #[saga(task)]
    #[tool]
    async fn order(&self, cx: Cx) -> Result<String, AskError> {
        self.0.trace.note("before");
        let amount = cx.elicit::<Amount>("How many?").key("amount").await;
        let n = amount.inspect_err(|_| self.0.trace.note("undone"))?.n;
        self.0.trace.note("after");
        Ok(format!("{n} ordered"))
    }

    /// Works for long, sleeps, asks.
    #[saga(task)]
    #[tool]
    async fn film(&self, cx: Cx, Parameters(film): Parameters<Film>) -> Result<String, AskError> {
        let mut keys = Vec::new();
        for frame in 0..film.frames {
            cx.progress(f64::from(frame), Some(f64::from(film.frames)), "rendering")
                .await;
            let key = cx.idempotency_key().unwrap_or_default();
            self.0.trace.note(&format!("{frame} {key}"));
            keys.push(key);
            self.0.pass().await;
            cx.checkpoint().await;
        }
        saga_runtime::sleep(Duration::from_secs(86_400)).await;
        self.0.trace.note("slept");
        let sure = cx.elicit::<Sure>("Publish?").key("publish").await?;
        keys.dedup();
        Ok(format!("{} frames, {}", keys.len(), sure.ok))
    }

    /// Its questions are put together, and one arm works on.
    #[saga(task)]
    #[tool]
    async fn both(&self, cx: Cx) -> Result<String, AskError> {
        let (one, two, done) = tokio::join!(
            cx.elicit::<Sure>("One?").key("one"),
            cx.elicit::<Sure>("Two?").key("two"),
            self.work(&cx),
        );
        Ok(format!("{} {} {done}", one?.ok, two?.ok))
    }

    /// An arm that works.
    #[saga]
    async fn work(&self, cx: &Cx) -> bool {
        self.0.trace.note("works");
        self.0.pass().await;
        cx.checkpoint().await;
        self.0.trace.note("worked");
        true
    }

    /// Shows a question while it works, in its second leg.
    #[saga(task)]
    #[tool]
    async fn early(&self, cx: Cx) -> Result<String, AskError> {
        cx.checkpoint().await;
        let (sure, _) = tokio::join!(cx.elicit::<Sure>("Sure?").key("sure"), self.work(&cx));
        Ok(format!("{}", sure?.ok))
    }

    /// Every kind of suspension, each effect with its key.
    #[saga(task)]
    #[tool]
    async fn journey(&self, cx: Cx) -> Result<String, AskError> {
        let world = &self.0;
        world.keyed("start");
        let amount = cx.elicit::<Amount>("How many?").key("amount").await?.n;
        let mut legs = Vec::new();
        for leg in 0..amount {
            legs.push(format!("leg {leg}"));
            world.keyed(&format!("leg {leg}"));
            cx.checkpoint().await;
        }
        saga_runtime::sleep(Duration::from_millis(1100)).await;
        world.keyed("slept");
        let (sure, stops) = tokio::join!(
            cx.elicit::<Sure>("Sure?").key("sure"),
            self.stops(&cx, &legs),
        );
        world.keyed("end");
        Ok(format!("{} {stops}", sure?.ok))
    }

    /// An arm of it.
    #[saga]
    async fn stops(&self, cx: &Cx, legs: &[String]) -> usize {
        for leg in legs {
            self.0.keyed(&format!("stop at {leg}"));
            cx.checkpoint().await;
        }
        legs.len()
    }

    /// Only as a task, and it says that it failed.
    #[saga(task = required)]
    #[tool]
    async fn failing(&self) -> Result<CallToolResult, ErrorData> {
        Ok(CallToolResult::error(vec![
            rmcp::model::ContentBlock::text("no"),
        ]))
    }

    /// An error of the protocol.
    #[saga(task)]
    #[tool]
    async fn broken(&self) -> Result<String, ErrorData> {
        Err(ErrorData::resource_not_found("no such thing", None))
    }

    /// It sleeps, and has nothing to undo.
    #[saga(task)]
    #[tool]
    async fn rests(&self, cx: Cx) -> String {
        self.0.trace.note("before");
        saga_runtime::sleep(Duration::from_secs(3600)).await;
        self.0.trace.note("after");
        cx.checkpoint().await;
        "rested".to_owned()
    }

    /// It sleeps, and has something to undo, with a pause in that.
    #[saga(task)]
    #[tool]
    async fn holds(&self, cx: Cx) -> Result<String, ErrorData> {
        self.0.trace.note("held");
        if saga_runtime::try_sleep(Duration::from_secs(3600))
            .await
            .is_err()
        {
            cx.checkpoint().await;
            let asked = cx.elicit::<Sure>("Really?").key("sure").await;
            // As what is undone elsewhere takes a while.
            tokio::task::yield_now().await;
            self.0.trace.note(&format!("released {}", asked.is_err()));
            return Err(ErrorData::internal_error("not held", None));
        }
        Ok("held".to_owned())
    }

    /// It works, and is cancelled at its next checkpoint.
    #[saga(task)]
    #[tool]
    async fn works(&self, cx: Cx) -> String {
        for step in 0..3 {
            self.0.trace.note(&format!("step {step}"));
            self.0.pass().await;
            cx.checkpoint().await;
        }
        "worked".to_owned()
    }

    /// It says more than anybody writes down.
    #[saga(task)]
    #[tool]
    async fn chatters(&self, cx: Cx) -> String {
        let mut said = 0.0;
        while self.0.gate.try_acquire().is_err() {
            for _ in 0..10 {
                said += 1.0;
                cx.progress(said, None, "").await;
            }
            tokio::task::yield_now().await;
        }
        format!("{said}")
    }

    /// It panics.
    #[saga(task)]
    #[tool]
    async fn panics(&self) -> String {
        panic!("as it is meant to")
    }

    /// It does not end, and does not look at its token.
    #[saga(task)]
    #[tool]
    async fn stuck(&self) -> String {
        self.0.trace.note("stuck");
        std::future::pending().await
    }

    /// What is asked first is asked in the call.
    #[saga]
    #[tool]
    async fn composed(&self, cx: Cx) -> Result<String, AskError> {
        let amount = cx.elicit::<Amount>("How many?").key("amount").await?;
        self.0.trace.note("asked");
        cx.background().await;
        self.0.trace.note("in the background");
        let sure = cx.elicit::<Sure>("Sure?").key("amount").await?;
        Ok(format!("{} {}", amount.n, sure.ok))
    }

    /// Its second part becomes a task.
    #[saga(resume_token)]
    #[tool]
    async fn in_parts(&self, cx: Cx) -> Result<String, AskError> {
        self.0.trace.note("first");
        cx.partial("a part").await;
        self.0.trace.note("second");
        cx.background().await;
        let sure = cx.elicit::<Sure>("Sure?").key("sure").await?;
        Ok(format!("the rest, {}", sure.ok))
    }

    /// A task only where it takes long, or asks.
    #[saga(task(after = "60s"))]
    #[tool]
    async fn quick(&self, cx: Cx, Parameters(film): Parameters<Film>) -> Result<String, AskError> {
        self.0.trace.note("quick");
        if film.frames > 0 {
            cx.elicit::<Sure>("Sure?").key("sure").await?;
        }
        Ok("quickly".to_owned())
    }

    /// A task only where it sleeps for longer than a minute.
    #[saga(task(after = "60s"))]
    #[tool]
    async fn naps(&self, Parameters(film): Parameters<Film>) -> String {
        saga_runtime::sleep(Duration::from_millis(1100) * film.frames).await;
        "rested".to_owned()
    }

    /// A task only where it takes long, and it does.
    #[saga(task(after = "10ms"))]
    #[tool(meta = prefers_async())]
    async fn slow(&self) -> String {
        self.0.trace.note("slow");
        self.0.pass().await;
        "slowly".to_owned()
    }

    /// A form with a field of each kind, in hostile words.
    #[saga(task)]
    #[tool]
    async fn fills(&self, cx: Cx) -> Result<String, ErrorData> {
        cx.progress(1.0, None, "<script>progress</script>").await;
        let all = cx
            .elicit::<Everything>("<script>message</script>")
            .key("<script>key</script>")
            .await;
        let all = all.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(format!("<script>result</script> {all:?}"))
    }

    /// What is no form.
    #[saga(task)]
    #[tool]
    async fn others(&self, cx: Cx) -> Result<String, AskError> {
        let (signed, opened, said, roots) = tokio::join!(
            cx.elicit_url("Sign.", "https://sign.example/?a=1&b=2")
                .key("signed"),
            cx.elicit_url("Open.", "javascript:alert(1)").key("opened"),
            cx.sample("Say <script>something</script>.").key("said"),
            cx.roots().key("roots"),
        );
        let (said, roots) = (said.is_ok(), roots?.len());
        Ok(format!(
            "{} {} {said} {roots}",
            signed.is_ok(),
            opened.is_ok()
        ))
    }

    /// A question with a time.
    #[saga(task)]
    #[tool]
    async fn timed(&self, cx: Cx) -> String {
        let minute = Duration::from_secs(60);
        match cx.elicit::<Sure>("Sure?").key("sure").timeout(minute).await {
            Ok(sure) => format!("{}", sure.ok),
            Err(error) => error.to_string(),
        }
    }

    /// What it asks depends on what it finds, and another arm works meanwhile.
    #[saga(task)]
    #[tool]
    async fn cleanup(&self, cx: Cx) -> Result<String, AskError> {
        let files = self.0.files.load(Ordering::SeqCst);
        let (sure, done) = tokio::join!(
            cx.elicit::<Sure>(format!("Delete {files} files?"))
                .key("sure"),
            self.work(&cx),
        );
        let _ = done;
        Ok(format!("{files} {}", sure?.ok))
    }

    /// It keeps more at each checkpoint.
    #[saga(task)]
    #[tool]
    async fn grows(&self, cx: Cx) -> String {
        let mut kept = Vec::new();
        for step in 0..20 {
            self.0.trace.note(&format!("step {step}"));
            kept.push("x".repeat(2000));
            cx.checkpoint().await;
        }
        format!("{}", kept.len())
    }

    /// It asks when its first lease is long over, and works on.
    #[saga(task)]
    #[tool]
    async fn late(&self, cx: Cx) -> Result<String, AskError> {
        self.0.trace.note("begun");
        let (sure, ()) = tokio::join!(self.asks_late(&cx), self.works_for_long(&cx));
        Ok(format!("{}", sure?))
    }

    /// The same, and it is a task only because it asks.
    #[saga(task(after = "60s"))]
    #[tool]
    async fn late_in_the_call(&self, cx: Cx) -> Result<String, AskError> {
        self.0.trace.note("begun");
        let (sure, ()) = tokio::join!(self.asks_late(&cx), self.works_for_long(&cx));
        Ok(format!("{}", sure?))
    }

    /// An arm that asks late.
    #[saga]
    async fn asks_late(&self, cx: &Cx) -> Result<bool, AskError> {
        tokio::time::sleep(Duration::from_millis(500)).await;
        Ok(cx.elicit::<Sure>("Sure?").key("sure").await?.ok)
    }

    /// An arm that works on.
    #[saga]
    async fn works_for_long(&self, cx: &Cx) {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        cx.checkpoint().await;
    }

    /// A question with a time, and an arm that works.
    #[saga(task)]
    #[tool]
    async fn hurried(&self, cx: Cx) -> String {
        let (sure, done) = tokio::join!(
            cx.elicit::<Sure>("Sure?")
                .key("sure")
                .timeout(Duration::from_secs(60)),
            self.work(&cx),
        );
        let _ = done;
        match sure {
            Ok(sure) => format!("{}", sure.ok),
            Err(error) => error.to_string(),
        }
    }

    /// More than a row takes.
    #[saga(task)]
    #[tool]
    async fn large(&self, cx: Cx) -> Result<String, AskError> {
        let bytes = "x".repeat(10_000);
        cx.elicit::<Sure>("Sure?").key("sure").await?;
        Ok(bytes)
    }
}
