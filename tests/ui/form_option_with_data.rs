use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
enum Size {
    Small,
    Custom(u32),
}

fn main() {}
