use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Rest {
    name: String,
}

#[derive(Deserialize, Elicit)]
struct Form {
    #[serde(flatten)]
    rest: Rest,
}

fn main() {}
