use saga_runtime::Elicit;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema, Elicit)]
struct Form {
    name: String,
}

fn main() {}
