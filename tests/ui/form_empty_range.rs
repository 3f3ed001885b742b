use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Form {
    #[elicit(min = 9, max = 1)]
    replicas: u8,
}

fn main() {}
