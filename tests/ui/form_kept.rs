use saga_runtime::{Cx, Elicit, saga};
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Form {
    name: String,
}

#[saga]
async fn tool(cx: Cx) -> bool {
    let question = cx.elicit::<Form>("Who?").key("who");
    let asking = Some(question);
    match asking {
        Some(question) => question.await.is_ok(),
        None => false,
    }
}

fn main() {}
