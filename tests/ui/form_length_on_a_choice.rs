use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
enum Size {
    Small,
    Large,
}

#[derive(Deserialize, Elicit)]
struct Form {
    #[elicit(min_length = 1)]
    size: Size,
}

fn main() {}
