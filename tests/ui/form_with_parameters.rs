use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Form<T> {
    value: T,
}

fn main() {}
