use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Form {
    #[elicit(max_length = 3, default = "four")]
    code: String,
}

fn main() {}
