use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
enum Size {
    Small,
    #[serde(other)]
    Unknown,
}

fn main() {}
