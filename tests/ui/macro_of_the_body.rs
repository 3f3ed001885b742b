use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::Confirm;

#[saga]
async fn count(peer: &Peer<RoleServer>, mut n: u8) -> u8 {
    macro_rules! bump {
        () => {
            n += 1
        };
    }
    bump!();
    let _ = peer.elicit::<Confirm>("More?").await;
    bump!();
    n
}

#[saga]
async fn ask(peer: &Peer<RoleServer>) -> bool {
    macro_rules! sure {
        ($question:expr) => {
            peer.elicit::<Confirm>($question).await.is_ok()
        };
    }
    let first = sure!("Sure?");
    peer.elicit::<Confirm>("Really?").await.is_ok() && first
}

fn main() {}
