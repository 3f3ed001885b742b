use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Limits {
    #[serde(alias = "n")]
    #[elicit(max = 9)]
    count: Option<u8>,
    #[serde(rename(deserialize = "a", deserialize = "b"))]
    twice: Option<u8>,
    #[serde(rename = "c")]
    #[serde(rename(deserialize = "d"))]
    in_two: Option<u8>,
}

#[derive(Deserialize, Elicit)]
enum Size {
    #[serde(alias = "Large")]
    Small,
    Large,
}

#[derive(Deserialize, Elicit)]
struct Nothing;

fn main() {}
