use saga_runtime::{Cx, Elicit, saga};
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Form {
    name: String,
}

#[saga]
async fn tool(cx: Cx) -> bool {
    let question = cx.elicit::<Form>("Who?").key("who");
    question.await.is_ok()
}

fn main() {}
