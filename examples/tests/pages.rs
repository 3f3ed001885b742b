//! The code that the README and the pages show, compiled: `tests/suite/documents.rs` compares the two. Nothing here runs.
#![allow(
    dead_code,
    deprecated,
    missing_docs,
    unreachable_pub,
    reason = "excerpts"
)]

mod ported {
    use rmcp::{
        ErrorData, RoleServer,
        handler::server::wrapper::Parameters,
        model::{CallToolResult, ContentBlock, CreateMessageRequestParams, SamplingMessage},
        service::{RequestContext, ServiceError},
        tool, tool_router,
    };
    use saga_runtime::saga;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    struct Build {
        id: u32,
        hosts: Vec<String>,
    }

    struct Ci;

    impl Ci {
        async fn latest_build(&self, service: &str) -> Result<Build, ErrorData> {
            let hosts = vec![service.to_owned()];
            Ok(Build { id: 42, hosts })
        }
    }

    #[derive(Deserialize, JsonSchema)]
    struct DeployArgs {
        service: String,
    }

    #[derive(Deserialize, JsonSchema)]
    struct Target {
        name: String,
    }

    rmcp::elicit_safe!(Target);

    fn refusal(text: &str) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(text)])
    }

    fn failed(error: ServiceError) -> ErrorData {
        ErrorData::internal_error(error.to_string(), None)
    }

    struct Deployer {
        ci: Ci,
    }

    #[tool_router(server_handler)]
    impl Deployer {
        #[saga]
        #[tool(description = "Deploy a service")]
        async fn deploy(
            &self,
            context: RequestContext<RoleServer>,
            Parameters(args): Parameters<DeployArgs>,
        ) -> Result<CallToolResult, ErrorData> {
            let build = self.ci.latest_build(&args.service).await?; // runs once
            let Ok(Some(target)) = context.peer.elicit::<Target>("Where to?").await else {
                return Ok(refusal("not deployed"));
            };
            let mut replies = Vec::new();
            for host in &build.hosts {
                let question = SamplingMessage::user_text(format!("Is {host} healthy?"));
                let ask = CreateMessageRequestParams::new(vec![question], 100);
                replies.push(context.peer.create_message(ask).await.map_err(failed)?);
            }
            let text = format!("{} to {}: {replies:?}", build.id, target.name);
            Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
        }
    }
}

mod new_tool {
    use std::time::Duration;

    use rmcp::{handler::server::wrapper::Parameters, tool};
    use saga_runtime::{AskError, Cx, Elicit, join, saga};
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(Deserialize, JsonSchema)]
    struct DeployArgs {
        service: String,
    }

    #[derive(Debug, Serialize, Deserialize, Elicit)]
    enum Environment {
        Staging,
        Production,
    }

    #[derive(Deserialize, Elicit)]
    struct Note {
        text: String,
    }

    /// Where to deploy.
    #[derive(Deserialize, Elicit)]
    struct Target {
        environment: Environment, // an enum without data: a choice
        /// How many replicas.
        #[elicit(min = 1, max = 9, default = 3)]
        replicas: u8, // checked at compile time, and in the answer
    }

    /// Deploys a service.
    #[saga]
    #[tool]
    async fn deploy(cx: Cx, Parameters(args): Parameters<DeployArgs>) -> Result<String, AskError> {
        let target = cx
            .elicit::<Target>("Where to?")
            .timeout(Duration::from_secs(600))
            .await?;
        let (risk, note) = join!(
            cx.sample(format!("How risky is {}?", args.service)),
            cx.elicit::<Note>("Anything to add?"),
        );
        let (risk, note) = (risk?, note?.text);
        Ok(format!(
            "{:?}, {} replicas. {risk:?} {note}",
            target.environment, target.replicas
        ))
    }
}

mod library {
    use std::path::Path;

    use rmcp::{handler::server::wrapper::Parameters, model::ErrorData, prompt, tool};
    use saga_runtime::{AskError, Cx, Elicit, State, Toolbox, resource, saga, toolbox};
    use schemars::JsonSchema;
    use serde::Deserialize;

    struct Desk {
        branch: String,
    }

    impl Desk {
        fn open(path: &Path) -> Result<Self, Box<dyn std::error::Error>> {
            let branch = path.display().to_string();
            Ok(Self { branch })
        }
    }

    #[derive(Deserialize, JsonSchema)]
    struct Loan {
        title: String,
    }

    #[derive(Deserialize, JsonSchema)]
    struct Book {
        title: String,
    }

    #[derive(Deserialize, Elicit)]
    struct Copy {
        paper: bool,
    }

    #[tool]
    async fn give_back(State(desk): State<Desk>) -> Result<String, ErrorData> {
        Ok(desk.branch.clone())
    }

    #[prompt]
    async fn recommend(
        State(desk): State<Desk>,
    ) -> Result<rmcp::model::GetPromptResult, ErrorData> {
        Err(ErrorData::internal_error(desk.branch.clone(), None))
    }

    #[resource("shelf://all")]
    async fn shelf(State(desk): State<Desk>) -> Result<String, ErrorData> {
        Ok(desk.branch.clone())
    }

    fn server(path: &Path) -> Result<Toolbox<Desk>, Box<dyn std::error::Error>> {
        let library = toolbox! {
            state: Desk::open(path)?,       // what State<Desk> is, in all of them
            tools: [lend, give_back],       // #[tool], with or without #[saga] above it
            prompts: [recommend],           // #[prompt]
            resources: [shelf, book],       // #[resource("..")]
        }?;
        Ok(library)
    }

    #[saga]
    #[tool]
    async fn lend(
        cx: Cx,
        State(desk): State<Desk>,
        Parameters(loan): Parameters<Loan>,
    ) -> Result<String, AskError> {
        let copy = cx.elicit::<Copy>("On paper?").await?;
        Ok(format!(
            "{} from {}, {}",
            loan.title, desk.branch, copy.paper
        ))
    }

    #[saga]
    #[resource("books://{title}", mime_type = "text/plain")]
    async fn book(
        cx: Cx,
        State(desk): State<Desk>,
        Parameters(book): Parameters<Book>,
    ) -> Result<String, AskError> {
        let copy = cx.elicit::<Copy>("On paper?").await?;
        Ok(format!("{} in {}, {}", book.title, desk.branch, copy.paper))
    }
}

mod tasks {
    use std::time::Duration;

    use rmcp::{handler::server::wrapper::Parameters, tool, tool_router};
    use saga_runtime::{AskError, Cx, Elicit, SagaServer, Settings, saga};
    use saga_tasks::{SqliteStore, Tasks};
    use schemars::JsonSchema;
    use serde::Deserialize;

    struct Farm;

    impl Farm {
        async fn render(&self, _frame: u32, _key: Option<String>) {}
    }

    #[derive(Deserialize, JsonSchema)]
    struct Job {
        frames: u32,
    }

    #[derive(Deserialize, Elicit)]
    struct Sure {
        yes: bool,
    }

    struct Renderer {
        farm: Farm,
    }

    #[tool_router(server_handler)]
    impl Renderer {
        #[saga(task)]
        #[tool(description = "Renders a film")]
        async fn render(
            &self,
            cx: Cx,
            Parameters(job): Parameters<Job>,
        ) -> Result<String, AskError> {
            for frame in 0..job.frames {
                self.farm.render(frame, cx.idempotency_key()).await; // again after a crash, under the same key
                cx.checkpoint().await; // 180 of 200 survive kill -9
            }
            saga_runtime::sleep(Duration::from_secs(86_400)).await; // no worker, no memory
            let ok = cx.elicit::<Sure>("Publish?").await?; // input_required, for as long as it takes
            Ok(format!("published: {}", ok.yes))
        }
    }

    fn server(renderer: Renderer) -> Result<impl rmcp::ServerHandler, Box<dyn std::error::Error>> {
        let tasks = Tasks::new(SqliteStore::open("tasks.db")?).workers(4);
        let server = SagaServer::new(renderer)
            .with_settings(Settings::from_env()?)
            .with_tasks(tasks); // or `Http::new(..).tasks(tasks)`
        Ok(server)
    }
}

mod parts {
    use rmcp::{handler::server::wrapper::Parameters, tool, tool_router};
    use saga_runtime::{AskError, Cx, saga};
    use schemars::JsonSchema;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema)]
    struct Rollout {
        service: String,
    }

    struct Cluster;

    impl Cluster {
        async fn first_pods(&self, _args: &Rollout) {}
        async fn other_pods(&self, _args: &Rollout) {}
    }

    #[tool_router(server_handler)]
    impl Cluster {
        #[saga(resume_token)]
        #[tool]
        async fn rollout(
            &self,
            cx: Cx,
            Parameters(args): Parameters<Rollout>,
        ) -> Result<String, AskError> {
            self.first_pods(&args).await;
            cx.partial("2 of 5 pods ready").await; // the call ends with this, and `nextResumeToken`
            self.other_pods(&args).await;
            Ok("5 of 5".to_owned())
        }
    }
}

mod client {
    use rmcp::{ClientHandler, RoleClient, model::CallToolResult, service::RunningService};
    use saga_runtime::client::{BegunCall, CallError, TaskCall};

    async fn render<H: ClientHandler>(
        service: RunningService<RoleClient, H>,
    ) -> Result<CallToolResult, CallError> {
        let result = match TaskCall::new("render").begin(&service).await? {
            BegunCall::Result(result) => *result,
            BegunCall::Task(task) => {
                let shown = |task: &_| println!("{task:?}");
                task.result(&service, shown).await?
            }
        };
        Ok(result)
    }
}

mod serving {
    use rmcp::ServerHandler;
    use saga_runtime::{
        Settings,
        serve::{Http, Limits, stopped},
    };

    #[derive(Clone)]
    struct Deployer;

    impl Deployer {
        fn new() -> Self {
            Self
        }
    }

    impl ServerHandler for Deployer {}

    async fn serve() -> Result<(), Box<dyn std::error::Error>> {
        // Http::from_env also reads SAGA_HOSTS.
        let server = Http::new(Deployer::new, Settings::from_env()?)
            .hosts(["tools.example.com"])
            .origins(["https://app.example.com"])
            .limits(Limits::default().connections(4096))
            .bind("0.0.0.0:8080")
            .await?;
        server.run(stopped()).await?;
        Ok(())
    }
}

mod twice {
    use saga_runtime::idempotency_key_for;

    struct Payments;

    impl Payments {
        async fn charge(&self, _key: Option<String>, _amount: u32) -> Result<(), ()> {
            Ok(())
        }
    }

    struct Shop {
        payments: Payments,
    }

    impl Shop {
        async fn pay(&self, amount: u32) -> Result<(), ()> {
            self.payments
                .charge(idempotency_key_for("charge"), amount)
                .await?;
            Ok(())
        }
    }
}

mod meant {
    use saga_runtime::{AskError, Cx, Elicit, saga};
    use serde::{Deserialize, Serialize};

    struct Vault;

    impl Vault {
        async fn lease(&self) -> Result<String, AskError> {
            Ok("leased".to_owned())
        }

        async fn open(&self, _: &str) -> String {
            "open".to_owned()
        }
    }

    #[derive(Debug, Serialize, Deserialize, Elicit)]
    struct Opening {
        sure: bool,
    }

    struct Desk {
        vault: Vault,
    }

    impl Desk {
        #[saga]
        async fn open(&self, cx: &Cx) -> Result<String, AskError> {
            // saga: allow(secret)
            let token = self.vault.lease().await?;
            let opening = cx.elicit::<Opening>("Open the vault?").await?;
            Ok(match opening.sure {
                true => self.vault.open(&token).await,
                false => "closed".to_owned(),
            })
        }
    }
}

mod straight {
    use rmcp::{RoleServer, service::RequestContext};
    use saga_runtime::saga;
    use schemars::JsonSchema;
    use serde::Deserialize;

    type Failure = Box<dyn std::error::Error + Send + Sync>;

    #[derive(Debug, Deserialize, JsonSchema)]
    struct Count {
        count: u32,
    }

    rmcp::elicit_safe!(Count);

    async fn fetch() -> Result<u32, Failure> {
        Ok(7)
    }

    #[saga]
    async fn straight(context: RequestContext<RoleServer>) -> Result<String, Failure> {
        let id = fetch().await?;
        let count = context.peer.elicit::<Count>("how many?").await?;
        Ok(format!("{id} {count:?}"))
    }
}
