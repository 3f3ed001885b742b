use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Form {
    #[elicit(default = "three")]
    replicas: u8,
}

fn main() {}
