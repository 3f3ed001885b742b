use rmcp::{Peer, RoleServer};
use saga_runtime::saga;

#[derive(serde::Serialize, serde::Deserialize)]
struct Counted(Vec<u32>, u32);

impl std::ops::Deref for Counted {
    type Target = Vec<u32>;

    fn deref(&self) -> &Vec<u32> {
        &self.0
    }
}

impl std::ops::DerefMut for Counted {
    fn deref_mut(&mut self) -> &mut Vec<u32> {
        self.1 += 1;
        &mut self.0
    }
}

#[derive(serde::Deserialize, saga_runtime::Elicit)]
struct Count {
    n: u32,
}

#[saga]
async fn fill(peer: Peer<RoleServer>) -> u32 {
    let mut list = Counted(Vec::new(), 0);
    let behind = &mut *list;
    if let Ok(Some(count)) = peer.elicit::<Count>("how many").await {
        behind.push(count.n);
    }
    list.1
}

fn main() {}
