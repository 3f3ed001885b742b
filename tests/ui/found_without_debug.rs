//! An item of a list of the state that shows nothing: whether it is the same in another process, nobody could tell.

use rmcp::{RoleServer, service::RequestContext};
use saga_runtime::{Elicit, saga};
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Count {
    n: i64,
}

struct Plan {
    name: String,
}

struct Desk {
    plans: Vec<Plan>,
}

impl Desk {
    #[saga]
    async fn order(&self, cx: &RequestContext<RoleServer>) -> Result<String, rmcp::service::ElicitationError> {
        let plan = self.plans.iter().find(|plan| plan.name == "pro").unwrap();
        let count = cx.peer.elicit::<Count>("How many?").await?;
        Ok(format!("{} {}", plan.name, count.map_or(0, |count| count.n)))
    }
}

fn main() {}
