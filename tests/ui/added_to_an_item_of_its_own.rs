use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

#[derive(Serialize, Deserialize)]
struct Sum(i64);

impl std::ops::AddAssign<i64> for Sum {
    fn add_assign(&mut self, more: i64) {
        self.0 += more;
    }
}

#[saga]
async fn tool(peer: Peer<RoleServer>) -> i64 {
    let mut sums = vec![Sum(0), Sum(1)];
    let at = 1;
    sums[at] += i64::from(peer.elicit::<Confirm>("ok?").await.is_ok());
    sums[0].0
}

fn main() {}
