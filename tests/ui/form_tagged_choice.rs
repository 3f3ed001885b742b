use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
#[serde(tag = "kind")]
enum Size {
    Small,
}

fn main() {}
