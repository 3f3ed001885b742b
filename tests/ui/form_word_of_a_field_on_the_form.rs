use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
#[elicit(min_length = 1)]
struct Form {
    name: String,
}

fn main() {}
