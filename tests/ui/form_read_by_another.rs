use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
#[serde(remote = "Self")]
struct Moved {
    count: Option<u8>,
}

#[derive(Deserialize, Elicit)]
#[serde(field_identifier)]
enum Name {
    #[serde(skip, rename = "Second")]
    First,
    Second,
}

fn main() {}
