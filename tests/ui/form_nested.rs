use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize)]
struct Address {
    street: String,
}

#[derive(Deserialize, Elicit)]
struct Form {
    address: Address,
}

fn main() {}
