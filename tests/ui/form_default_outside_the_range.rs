use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Form {
    #[elicit(min = 1, max = 9, default = 12)]
    replicas: u8,
}

fn main() {}
