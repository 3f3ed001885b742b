//! Tools that a client can follow as tasks, where it declares the tasks extension.
//!
//! What asks is the same function either way: in a task its questions are put by `tasks/get` and
//! answered by `tasks/update`, without one in rounds of the call.

use std::{future::Future, time::Duration};

use rmcp::{
    ErrorData, Peer, RoleServer,
    handler::server::wrapper::Parameters,
    model::{CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CreateTaskResult},
    service::RequestContext,
    task_manager::{TaskContext, TaskExit, TaskFuture, TaskOptions},
    tool, tool_router,
};
use saga_runtime::{Answer, Answers, Client, Engine, Outcome, Suspended, join, saga};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::{task::JoinSet, time::sleep};

use crate::{
    answers::{Name, given, internal, text, without},
    server::Everything,
};

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Who is greeted
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Compute {
    /// How long it takes
    #[serde(default)]
    seconds: f64,
    /// What it is called
    #[serde(default)]
    label: String,
}

#[derive(Deserialize, JsonSchema)]
struct Delete {
    /// What is deleted
    #[serde(default)]
    filename: String,
}

#[derive(Deserialize, JsonSchema)]
struct Deletion {
    confirm: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Part {
    name: String,
}

rmcp::elicit_safe!(Deletion, Part);

#[tool_router(router = task_tools, vis = "pub(crate)")]
impl Everything {
    /// Greets at once
    #[tool]
    async fn greet(&self, Parameters(Greet { name }): Parameters<Greet>) -> String {
        format!("Hello, {name}!")
    }

    /// Computes for a while
    #[tool]
    async fn slow_compute(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(Compute { seconds, label }): Parameters<Compute>,
    ) -> Result<CallToolResponse, ErrorData> {
        let duration = Duration::try_from_secs_f64(seconds)
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let work = async move {
            sleep(duration).await;
            Ok(text(format!("Computed {label} in {seconds} s")))
        };
        match can_follow(&context) {
            true => Ok(self.start(work)),
            false => work.await.map(Into::into),
        }
    }

    /// Fails after a while, as a task only
    #[tool]
    async fn failing_job(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        must_follow(&context)?;
        Ok(self.start(async {
            sleep(Duration::from_secs(1)).await;
            Ok(CallToolResult::error(vec![ContentBlock::text(
                "The job failed",
            )]))
        }))
    }

    /// Breaks off after a while
    #[tool]
    async fn protocol_error_job(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let work = async {
            sleep(Duration::from_millis(200)).await;
            Err(ErrorData::internal_error("the job broke off", None))
        };
        match can_follow(&context) {
            true => Ok(self.start(work)),
            false => work.await.map(Into::into),
        }
    }

    /// Deletes a file where the user agrees
    #[saga]
    #[tool]
    async fn confirm_delete(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(Delete { filename }): Parameters<Delete>,
    ) -> Result<CallToolResponse, ErrorData> {
        if can_follow(&context) {
            return Ok(self.start_asking(&context, move |peer| {
                let filename = filename.clone();
                async move { confirmed_deletion(&peer, &filename).await }
            }));
        }
        let result = confirmed_deletion(&context.peer, &filename).await?;
        Ok(result.into())
    }

    /// Asks the user for two names at once
    #[saga]
    #[tool]
    async fn multi_input(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if can_follow(&context) {
            let asking = |peer| async move { two_names(&peer).await };
            return Ok(self.start_asking(&context, asking));
        }
        let result = two_names(&context.peer).await?;
        Ok(result.into())
    }

    /// Asks the user, and greets in a task
    #[saga]
    #[tool]
    async fn test_tool_with_task(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        must_follow(&context)?;
        let user_name = context.peer.elicit::<Name>("What is your name?").await;
        let Some(Name { name }) = given(user_name)? else {
            return Ok(without("a name").into());
        };
        Ok(self.start(async move {
            sleep(Duration::from_millis(200)).await;
            Ok(text(format!("Hello, {name}!")))
        }))
    }

    /// Does work in a task that ends where the client cancels it.
    fn start(
        &self,
        work: impl Future<Output = Result<CallToolResult, ErrorData>> + Send + 'static,
    ) -> CallToolResponse {
        self.spawn(|task| {
            Box::pin(async move {
                tokio::select! {
                    () = task.cancelled() => Err(TaskExit::Cancelled),
                    result = work => result.map_err(TaskExit::Error),
                }
            })
        })
    }

    /// Makes a task of a call that asks.
    fn start_asking<F>(
        &self,
        context: &RequestContext<RoleServer>,
        call: impl Fn(Peer<RoleServer>) -> F + Send + Sync + 'static,
    ) -> CallToolResponse
    where
        F: Future<Output = Result<CallToolResult, ErrorData>> + Send + 'static,
    {
        let client = Client::of(context);
        let peer = context.peer.clone();
        self.spawn(|task| {
            Box::pin(async move { drive(&task, client, || call(peer.clone())).await })
        })
    }

    fn spawn(&self, work: impl FnOnce(TaskContext) -> TaskFuture) -> CallToolResponse {
        let task = self.shared.tasks.spawn(TaskOptions::default(), work);
        CreateTaskResult::new(task).into()
    }
}

#[saga]
async fn confirmed_deletion(
    peer: &Peer<RoleServer>,
    filename: &str,
) -> Result<CallToolResult, ErrorData> {
    let confirm = peer.elicit::<Deletion>(format!("Delete {filename}?")).await;
    match given(confirm)? {
        Some(Deletion { confirm: true }) => Ok(text(format!("Deleted {filename}"))),
        _ => Ok(text(format!("Kept {filename}"))),
    }
}

#[saga]
async fn two_names(peer: &Peer<RoleServer>) -> Result<CallToolResult, ErrorData> {
    let (first, second) = join!(
        peer.elicit::<Part>("Who comes first?"),
        peer.elicit::<Part>("Who comes second?"),
    );
    match (given(first)?, given(second)?) {
        (Some(first), Some(second)) => Ok(text(format!("{} and {}", first.name, second.name))),
        _ => Ok(without("two names")),
    }
}

/// Runs a call that asks: what it asks becomes the task's input requests.
async fn drive<F>(
    task: &TaskContext,
    client: Client,
    call: impl Fn() -> F,
) -> Result<CallToolResult, TaskExit>
where
    F: Future<Output = Result<CallToolResult, ErrorData>>,
{
    let mut outcome = Engine::new(client.clone()).start(call()).await;
    let mut round = 0_u64;
    loop {
        let Suspended {
            asks, continuation, ..
        } = match outcome {
            Outcome::Done(result) => return result.map_err(TaskExit::Error),
            Outcome::Refused(error) => return Err(TaskExit::Error(error.into())),
            Outcome::Suspended(suspended) => suspended,
            _ => return Err(TaskExit::Error(internal("neither done nor suspended"))),
        };
        round += 1;
        let mut asked = JoinSet::new();
        for (key, request) in asks {
            let task = task.clone();
            // A task uses no key twice; a call asks again under the same one after no real answer.
            let once = format!("{key}-{round}");
            asked.spawn(async move {
                let result = task.request_input(once, request).await?;
                Ok::<_, TaskExit>((key, Answer::Result(result)))
            });
        }
        let mut answers = Answers::new();
        while let Some(answer) = asked.join_next().await {
            let (key, answer) = answer.map_err(|error| TaskExit::Error(internal(error)))??;
            answers.insert(key, answer);
        }
        let engine = Engine::new(client.clone());
        outcome = engine.resume(continuation, answers, call()).await;
    }
}

/// Whether the client follows tasks.
fn can_follow(context: &RequestContext<RoleServer>) -> bool {
    let client = context.client_capabilities();
    client.is_some_and(|client| client.supports_tasks())
}

fn must_follow(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    let required = ClientCapabilities::builder().enable_tasks().build();
    can_follow(context)
        .then_some(())
        .ok_or_else(|| ErrorData::missing_required_client_capability(required))
}
