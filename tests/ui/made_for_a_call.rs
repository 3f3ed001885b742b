use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

struct Job<'j> {
    name: &'j str,
}

impl Drop for Job<'_> {
    fn drop(&mut self) {
        println!("{} is done", self.name);
    }
}

// It would be made each time that the call goes on, and be done each time that it waits.
#[saga]
async fn run(peer: &Peer<RoleServer>, job: Job<'_>) -> bool {
    println!("{}", job.name);
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

#[saga]
async fn tool(peer: Peer<RoleServer>) -> bool {
    run(&peer, Job { name: "build" }).await
}

fn begin(job: Job<'_>, ok: bool) -> bool {
    job.name.is_empty() || ok
}

#[saga]
async fn before_an_ask(peer: Peer<RoleServer>) -> bool {
    begin(Job { name: "test" }, peer.elicit::<Confirm>("ok?").await.is_ok())
}

fn main() {}
