use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
enum Size {
    Small,
    Large,
}

#[derive(Deserialize, Elicit)]
struct Form {
    #[elicit(default = Size::Small)]
    size: Size,
}

fn main() {}
