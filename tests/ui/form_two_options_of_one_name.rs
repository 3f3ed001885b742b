use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
#[serde(rename_all = "lowercase")]
enum Size {
    Small,
    #[serde(rename = "small")]
    Tiny,
}

fn main() {}
