use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::{Confirm, Count};

fn fee(n: i64) -> i64 {
    n + 1
}

fn high(n: i64) -> i64 {
    n * 10
}

fn scale(n: i64) -> i64 {
    n * 100
}

mod metric {
    pub fn scale(n: i64) -> i64 {
        n + 2
    }
}

mod ring {
    #[derive(Default)]
    pub struct VecDeque {
        pub room: usize,
    }

    impl VecDeque {
        pub fn with_capacity(room: usize) -> Self {
            Self { room }
        }
    }
}

enum Mode {
    Fast,
    Slow(i64),
}

struct Plan {
    mode: Mode,
    items: Vec<i64>,
}

struct Ring {
    mode: Mode,
    ring: ring::VecDeque,
}

struct Hook(fn(i64) -> i64);

impl Drop for Hook {
    fn drop(&mut self) {}
}

#[saga]
async fn hidden(peer: &Peer<RoleServer>) -> usize {
    let mut plan = Plan { mode: Mode::Fast, items: Vec::new() };
    let n = peer.elicit::<Count>("first?").await.map_or(0, |count| count.map_or(0, |count| count.n));
    {
        let plan = {
            plan.items.push(n);
            plan.items.len()
        };
        let _ = peer.elicit::<Confirm>("Sure?").await;
        let _ = plan;
    }
    if n > 100 {
        plan.mode = Mode::Slow(n);
    }
    plan.items.len()
}

#[saga]
async fn in_a_guard(peer: &Peer<RoleServer>) -> usize {
    let mut plan = Plan { mode: Mode::Fast, items: Vec::new() };
    let n = peer.elicit::<Count>("first?").await.map_or(0, |count| count.map_or(0, |count| count.n));
    match n {
        0 => {}
        n if {
            plan.items.push(n);
            n == 1
        } =>
        {
            let _ = peer.elicit::<Confirm>("Sure?").await;
        }
        _ => {
            let _ = peer.elicit::<Confirm>("Really?").await;
        }
    }
    if n > 100 {
        plan.mode = Mode::Slow(n);
    }
    plan.items.len()
}

#[saga]
async fn list_of_its_own(peer: &Peer<RoleServer>, fast: bool) -> usize {
    let mode = if fast { Mode::Fast } else { Mode::Slow(3) };
    let plan = Ring { mode, ring: ring::VecDeque::with_capacity(4) };
    let _ = peer.elicit::<Confirm>("Sure?").await;
    let _ = plan.mode;
    plan.ring.room
}

#[saga]
async fn imported_by_a_branch(peer: &Peer<RoleServer>, metric: bool) -> i64 {
    let of: fn(i64) -> i64 = if metric {
        use self::metric::scale;
        scale
    } else {
        fee
    };
    let _ = peer.elicit::<Confirm>("Sure?").await;
    of(1) + scale(1)
}

#[saga]
async fn function_and_variable(peer: &Peer<RoleServer>, up: bool) -> i64 {
    let charge = |n: i64| fee(n);
    let _ = peer.elicit::<Confirm>("Sure?").await;
    let fee: fn(i64) -> i64 = if up { high } else { scale };
    let _ = peer.elicit::<Confirm>("Really?").await;
    charge(1) + fee(1)
}

#[saga]
async fn made_again_of_a_function(peer: &Peer<RoleServer>) -> i64 {
    #[saga(remake)]
    let charged = fee(2);
    let _ = peer.elicit::<Confirm>("Sure?").await;
    let fee = charged;
    fee + charged
}

#[saga]
async fn dropped_in_a_list(peer: &Peer<RoleServer>) -> i64 {
    let hooks = [Hook(fee), Hook(high)];
    let _ = peer.elicit::<Confirm>("Sure?").await;
    (hooks[0].0)(1)
}

fn main() {}
