use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::Confirm;

struct Loud {
    run: fn(i64) -> i64,
}

impl Drop for Loud {
    fn drop(&mut self) {}
}

fn increased(n: i64) -> i64 {
    n + 1
}

#[saga]
async fn made_again(peer: &Peer<RoleServer>) -> i64 {
    let list = [Loud { run: increased }];
    let _ = peer.elicit::<Confirm>("Sure?").await;
    (list[0].run)(1)
}

struct Doc(i64);

impl Doc {
    fn get_mut(&mut self, _: &str) -> Option<&mut Self> {
        self.0 += 1;
        Some(self)
    }

    fn as_object_mut(&mut self) -> Option<&mut i64> {
        self.0 += 1;
        Some(&mut self.0)
    }
}

#[saga]
async fn looked_up_inside(peer: &Peer<RoleServer>, doc: &mut Doc) {
    if let Some(n) = doc.get_mut("servers").and_then(|doc| doc.as_object_mut()) {
        let _ = peer.elicit::<Confirm>("Sure?").await;
        *n += 1;
    }
}

fn main() {}
