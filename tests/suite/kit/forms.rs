//! Forms that MCP does not allow, found before anybody is asked.

use rmcp::{
    Peer, RoleServer,
    handler::server::wrapper::Parameters,
    model::{PromptMessage, Role},
    prompt, prompt_router,
};
use saga_runtime::{
    resource, saga,
    testing::{Failure, Kit},
    toolbox,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::server::{Nested, Outer};

const NOT_ALLOWED: &str = "it asks with a form that MCP does not allow: `inner` of `";

#[saga]
async fn asked(peer: &Peer<RoleServer>) -> i64 {
    let outer = peer.elicit::<Outer>("What?").await;
    outer.map_or(0, |outer| outer.map_or(0, |outer| outer.inner.n))
}

#[derive(Deserialize, JsonSchema)]
struct Letter {
    to: String,
}

/// One of its own words is `meta`, and its text has `arguments`.
#[saga]
#[prompt(name = "letter", description = "arguments = none")]
async fn write(
    peer: Peer<RoleServer>,
    Parameters(letter): Parameters<Letter>,
) -> Vec<PromptMessage> {
    let outer = peer.elicit::<Outer>("What?").await;
    let text = format!("{} {}", letter.to, outer.is_ok());
    vec![PromptMessage::new_text(Role::User, text)]
}

/// Only a helper of it asks, which is not looked at.
#[saga]
#[prompt]
async fn helped(peer: Peer<RoleServer>) -> Vec<PromptMessage> {
    let text = asked(&peer).await.to_string();
    vec![PromptMessage::new_text(Role::User, text)]
}

#[saga]
#[resource("desk://shelf")]
async fn shelf(peer: Peer<RoleServer>) -> String {
    let outer = peer.elicit::<Outer>("What?").await;
    outer.is_ok().to_string()
}

#[saga]
#[resource("desk://{to}", name = "page", title = "A page")]
async fn read(peer: Peer<RoleServer>, Parameters(page): Parameters<Letter>) -> String {
    let outer = peer.elicit::<Outer>("What?").await;
    format!("{} {}", page.to, outer.is_ok())
}

struct Router;

#[prompt_router]
impl Router {
    #[saga]
    #[prompt]
    async fn routed(&self, peer: Peer<RoleServer>) -> Vec<PromptMessage> {
        let outer = peer.elicit::<Outer>("What?").await;
        vec![PromptMessage::new_text(
            Role::User,
            outer.is_ok().to_string(),
        )]
    }
}

#[rmcp::prompt_handler]
impl rmcp::ServerHandler for Router {}

async fn found(kit: Kit) -> Vec<String> {
    let text = kit.check_schemas().await.unwrap_err().to_string();
    let lines = text.lines().map(str::trim);
    let found = lines.filter_map(|line| line.split_once(NOT_ALLOWED));
    found.map(|(function, _)| function.to_owned()).collect()
}

#[tokio::test]
async fn of_a_tool() {
    assert_eq!(
        found(Kit::of(|| Nested)).await,
        ["tool `nests`, `elicit`: "]
    );
}

#[tokio::test]
async fn of_a_prompt_and_a_resource() {
    let kit = Kit::of(|| {
        let server = toolbox! { prompts: [write, helped], resources: [shelf, read] };
        server.unwrap().named("forms", "1")
    });
    let each = [
        "prompt `letter`, `elicit`: ",
        "resource `shelf`, `elicit`: ",
        "resource `page`, `elicit`: ",
    ];
    assert_eq!(found(kit).await, each);
    let of_a_router = Kit::of(|| saga_runtime::SagaServer::new(Router));
    assert_eq!(found(of_a_router).await, ["prompt `routed`, `elicit`: "]);
}

#[tokio::test]
async fn what_is_listed_has_its_own_arguments() -> Result<(), Failure> {
    let with_form = write_prompt_attr().arguments.unwrap();
    let names: Vec<_> = with_form.iter().map(|argument| &*argument.name).collect();
    assert_eq!(names, ["to", "io.github.saga-rs/forms"]);
    Ok(())
}
