use saga_runtime::{Cx, Elicit, saga};
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Form {
    #[elicit(format = "phone")]
    number: String,
}

#[saga]
async fn tool(cx: Cx) -> bool {
    cx.elicit::<Form>("Which?").await.is_ok()
}

fn main() {}
