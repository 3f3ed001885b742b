//! A wizard that takes a new colleague on: forms, branches, a way back, a loop over what there is to
//! set up.

use std::{sync::Arc, time::Instant};

use rmcp::{
    ErrorData, Peer, RoleServer,
    handler::server::wrapper::Parameters,
    model::{CallToolResult, ContentBlock},
    service::{ElicitationError, RequestContext},
    tool, tool_router,
};
use saga_runtime::{idempotency_key, saga};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ported::world::{Department, World};

/// The server.
#[derive(Debug, Clone)]
pub struct Office {
    /// The directory, the departments, the shop.
    pub world: Arc<World>,
}

#[derive(Deserialize, JsonSchema)]
struct OnboardArgs {
    /// Who is responsible.
    manager: String,
}

#[derive(Deserialize, JsonSchema)]
struct Person {
    name: String,
    department: String,
    contractor: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Contract {
    until: String,
}

#[derive(Deserialize, JsonSchema)]
struct Role {
    role: String,
}

#[derive(Deserialize, JsonSchema)]
struct Review {
    next: Next,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
enum Next {
    Hire,
    Back,
    Stop,
}

rmcp::elicit_safe!(Person, Contract, Role, Review);

/// Where the wizard is.
enum Step {
    Person,
    Contract,
    Systems,
    Review,
}

/// What the user said so far.
#[derive(Default, Serialize, Deserialize)]
struct Draft {
    name: String,
    department: String,
    until: Option<String>,
    roles: Vec<(String, String)>,
}

#[tool_router(server_handler)]
impl Office {
    #[saga]
    #[tool(description = "Take a new colleague on")]
    async fn onboard(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(args): Parameters<OnboardArgs>,
    ) -> Result<CallToolResult, ErrorData> {
        let peer = &context.peer;
        let started = Instant::now();
        let ticket = self.open_ticket(&args.manager).await;
        let mut draft = Draft::default();
        let mut step = Step::Person;
        loop {
            step = match step {
                Step::Person => {
                    let Some(person) = ask::<Person>(peer, "Who starts?").await? else {
                        return self.give_up(&ticket, "nobody starts").await;
                    };
                    draft.name = person.name;
                    draft.department = person.department;
                    draft.until = None;
                    match self.department(&draft.department) {
                        None => Step::Person,
                        Some(_) if person.contractor => Step::Contract,
                        Some(_) => Step::Systems,
                    }
                }
                Step::Contract => match ask::<Contract>(peer, "Until when?").await? {
                    Some(contract) => {
                        draft.until = Some(contract.until);
                        Step::Systems
                    }
                    None => Step::Person,
                },
                Step::Systems => {
                    #[saga(remake)]
                    let found = self.department(&draft.department);
                    let Some(department) = found else {
                        return self.give_up(&ticket, "the department is gone").await;
                    };
                    draft.roles.clear();
                    for system in &department.systems {
                        let question = format!("Which role has {} in {system}?", draft.name);
                        match ask::<Role>(peer, question).await? {
                            Some(answer) => draft.roles.push((system.clone(), answer.role)),
                            None => continue,
                        }
                    }
                    Step::Review
                }
                Step::Review => {
                    match ask::<Review>(peer, summary(&draft))
                        .await?
                        .map(|answer| answer.next)
                    {
                        Some(Next::Hire) => break,
                        Some(Next::Back) => Step::Person,
                        Some(Next::Stop) | None => {
                            return self.give_up(&ticket, "not hired").await;
                        }
                    }
                }
            };
        }

        let enter = format!("enter {}", draft.name);
        self.world.act_once(idempotency_key(), enter).await;
        for (system, role) in &draft.roles {
            self.world.act(format!("grant {role} in {system}")).await;
        }
        self.world.act(format!("close {ticket}")).await;
        tracing::info!(waited = ?started.elapsed(), "a wizard is done");
        Ok(done(format!("{ticket}: {}", summary(&draft))))
    }
}

impl Office {
    async fn open_ticket(&self, manager: &str) -> String {
        self.world.act(format!("open a ticket for {manager}")).await;
        format!("HR-{}", manager.len())
    }

    fn department(&self, name: &str) -> Option<&Department> {
        self.world
            .departments
            .iter()
            .find(|known| known.name == name)
    }

    async fn give_up(&self, ticket: &str, why: &str) -> Result<CallToolResult, ErrorData> {
        self.world.act(format!("drop {ticket}: {why}")).await;
        Ok(CallToolResult::error(vec![ContentBlock::text(why)]))
    }
}

/// Fills in a form; `None` where the user would rather not.
#[saga]
async fn ask<T: rmcp::service::ElicitationSafe + serde::de::DeserializeOwned>(
    peer: &Peer<RoleServer>,
    question: impl Into<String>,
) -> Result<Option<T>, ErrorData> {
    match peer.elicit::<T>(question).await {
        Ok(answer) => Ok(answer),
        Err(ElicitationError::UserDeclined | ElicitationError::UserCancelled) => Ok(None),
        Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
    }
}

fn summary(draft: &Draft) -> String {
    let until = draft.until.as_deref().unwrap_or("further notice");
    let roles: Vec<_> = draft
        .roles
        .iter()
        .map(|(system, role)| format!("{system}: {role}"))
        .collect();
    format!("{} until {until} ({})", draft.name, roles.join(", "))
}

fn done(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}
