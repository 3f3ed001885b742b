use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::Confirm;

#[saga]
async fn count(peer: &Peer<RoleServer>, mut n: u8) -> u8 {
    macro_rules! bump {
        () => {
            let n = n + 1;
            n
        };
    }
    let more = bump!();
    let _ = peer.elicit::<Confirm>("More?").await;
    more + bump!()
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

#[saga]
async fn hidden_by_a_pattern(peer: &Peer<RoleServer>, list: &[Option<i64>]) -> bool {
    let n = 2;
    macro_rules! big {
        ($x:expr) => {
            $x > n
        };
    }
    let any = list.iter().any(|o| matches!(o, Some(n) if big!(*n)));
    peer.elicit::<Confirm>("Really?").await.is_ok() && any && big!(3)
}

#[saga]
async fn its_own_pattern(peer: &Peer<RoleServer>, some: Option<i64>) -> bool {
    let x = 5;
    macro_rules! same {
        ($a:expr, $b:expr) => {
            matches!($a, Some(x) if x == $b)
        };
    }
    let ok = same!(some, x);
    peer.elicit::<Confirm>("Really?").await.is_ok() && ok
}

#[saga]
async fn hidden_by_a_macro(peer: &Peer<RoleServer>) -> i64 {
    let x = 1;
    macro_rules! get {
        () => {
            x
        };
    }
    let first = {
        declare!(x, 2);
        x + get!()
    };
    let _ = peer.elicit::<Confirm>("Really?").await;
    first + get!()
}

macro_rules! declare {
    ($name:ident, $value:expr) => {
        let $name = $value;
    };
}
use declare;

fn main() {}
