use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Form {
    #[elicit(min = 0.5, max = 1.5)]
    replicas: u8,
}

fn main() {}
