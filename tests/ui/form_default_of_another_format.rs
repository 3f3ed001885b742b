use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Form {
    #[elicit(format = "date", default = "2026-02-30")]
    day: String,
}

fn main() {}
