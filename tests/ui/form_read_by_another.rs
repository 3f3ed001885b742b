use saga_runtime::Elicit;
use serde::{Deserialize, Deserializer};

#[derive(Deserialize, Elicit)]
#[serde(remote = "Self")]
struct Moved {
    count: Option<u8>,
}

impl<'de> Deserialize<'de> for Moved {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Moved::deserialize(deserializer)
    }
}

#[derive(Deserialize, Elicit)]
#[serde(field_identifier)]
enum Name {
    #[serde(skip, rename = "Second")]
    First,
    Second,
}

fn main() {}
