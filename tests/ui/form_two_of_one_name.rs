use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
#[serde(rename_all = "camelCase")]
struct Form {
    #[serde(rename = "userName")]
    login: String,
    user_name: String,
}

fn main() {}
