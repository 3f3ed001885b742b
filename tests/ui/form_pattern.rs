use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Form {
    #[schemars(regex(pattern = "^[a-z]+$"))]
    name: String,
}

fn main() {}
