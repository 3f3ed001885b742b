use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Form {
    #[elicit(minimum = 1)]
    replicas: u8,
}

fn main() {}
