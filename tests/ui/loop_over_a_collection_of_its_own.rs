use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

#[derive(Serialize, Deserialize)]
struct Names(Vec<String>);

impl<'n> IntoIterator for &'n Names {
    type Item = &'n String;
    type IntoIter = std::slice::Iter<'n, String>;

    fn into_iter(self) -> Self::IntoIter {
        println!("gone over");
        self.0.iter()
    }
}

#[saga]
async fn tool(peer: Peer<RoleServer>, names: &Names) -> usize {
    let mut count = 0;
    for name in names {
        count += usize::from(peer.elicit::<Confirm>(name).await.is_ok());
    }
    count
}

fn main() {}
