use saga_runtime::Elicit;

#[derive(serde::Deserialize, Elicit, schemars::JsonSchema)]
struct Confirm {
    ok: bool,
}

fn main() {}
