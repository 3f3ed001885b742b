use std::collections::HashMap;

use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Form {
    labels: HashMap<String, String>,
}

fn main() {}
