use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Form {
    #[elicit(min = 1, max = 9)]
    name: String,
}

fn main() {}
