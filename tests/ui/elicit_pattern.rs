use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Form {
    #[elicit(pattern = "[a-z")]
    open: String,
    #[elicit(pattern = "(?i)yes")]
    flag: String,
    #[elicit(pattern = r"\p{Greek}+")]
    script: String,
    #[elicit(pattern = "^a$", default = "b")]
    default: String,
    #[elicit(pattern = "^a$")]
    fits: Option<String>,
}

#[derive(Deserialize, Elicit)]
struct Other {
    #[elicit(pattern = "^1$")]
    number: u8,
}

fn main() {}
