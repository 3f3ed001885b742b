use saga_runtime::{AskError, Cx, Elicit, resource, saga};

#[derive(serde::Deserialize, Elicit)]
struct Name {
    name: String,
}

#[resource]
async fn none() -> String {
    String::new()
}

#[resource("books")]
async fn no_scheme() -> String {
    String::new()
}

#[resource("books://{title")]
async fn open() -> String {
    String::new()
}

#[resource("books://{title}{page}")]
async fn adjacent() -> String {
    String::new()
}

#[resource("books://{title}/{title}")]
async fn twice() -> String {
    String::new()
}

#[resource("books://{?title}")]
async fn query() -> String {
    String::new()
}

#[resource("books://all", mime = "text/plain")]
async fn word() -> String {
    String::new()
}

#[resource("books://asked")]
#[saga]
async fn below(cx: Cx) -> Result<String, AskError> {
    Ok(cx.elicit::<Name>("Who?").await?.name)
}

fn main() {}
