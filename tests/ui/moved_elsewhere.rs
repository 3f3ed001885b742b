use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::{Confirm, Text};

static LOCK: tokio::sync::Mutex<i64> = tokio::sync::Mutex::const_new(1);

#[saga]
async fn another_of_its_name(peer: &Peer<RoleServer>, other: Option<i64>) -> Option<i64> {
    let guard = LOCK.lock().await;
    let kept = if let Some(guard) = other {
        Some(guard)
    } else {
        drop(guard);
        None
    };
    let _ = peer.elicit::<Confirm>("Sure?").await;
    kept
}

#[saga]
async fn to_another_place(peer: &Peer<RoleServer>) -> String {
    let (mut a, mut b) = (String::from("a"), String::from("b"));
    let more: String;
    let mut name = &mut a;
    *name += {
        more = peer.elicit::<Text>("more?").await.ok().flatten().map_or_else(String::new, |text| text.text);
        name = &mut b;
        more.as_str()
    };
    name.push('!');
    format!("{a} {b}")
}

fn bump(n: &mut i64) {
    *n += 1;
}

#[saga]
async fn found_to_be_changed(peer: &Peer<RoleServer>, mut list: Vec<i64>) -> bool {
    let first = list.iter_mut().find(|n| **n > 1).unwrap();
    let same = *first == {
        bump(first);
        let _ = peer.elicit::<Confirm>("Sure?").await;
        3
    };
    bump(first);
    same
}

enum State {
    Off,
    On(i64),
}

impl State {
    #[saga]
    async fn of_itself(&mut self, peer: &Peer<RoleServer>) -> i64 {
        match self {
            Self::Off => 0,
            Self::On(n) => {
                let got = n.wrapping_mul({
                    bump(n);
                    let _ = peer.elicit::<Confirm>("Sure?").await;
                    3
                });
                bump(n);
                got
            }
        }
    }
}

fn main() {}
