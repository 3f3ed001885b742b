use std::ops::RangeInclusive;

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::Count;

#[saga]
async fn asked(peer: Peer<RoleServer>, n: i64) -> i64 {
    let more = peer.elicit::<Count>("more").await.ok().flatten().map_or(0, |one| one.n);
    n + more
}

#[saga]
async fn read_before_a_later_arm_changes_it(peer: Peer<RoleServer>) -> i64 {
    let mut x = asked(peer.clone(), 1).await;
    let (before, after) = tokio::join!(async move { x * 10 }, asked(peer.clone(), {
        x += 1;
        x
    }));
    before + after
}

fn planned(n: i64) -> Option<i64> {
    (n > 2).then_some(n)
}

async fn idle(n: i64) -> i64 {
    n
}

#[saga]
async fn chosen_by_what_is_called(peer: Peer<RoleServer>) -> i64 {
    let n = asked(peer.clone(), 1).await;
    let (chosen, after) = tokio::join!(
        match planned(n) {
            Some(n) => idle(n),
            None => idle(0),
        },
        asked(peer.clone(), planned(n).unwrap_or(3)),
    );
    chosen + after
}

#[saga]
async fn chosen_by_an_answer(peer: Peer<RoleServer>) -> i64 {
    let (chosen, after) = tokio::join!(
        if asked(peer.clone(), 1).await > 1 {
            idle(1)
        } else {
            idle(2)
        },
        asked(peer.clone(), 3),
    );
    chosen + after
}

#[saga]
async fn one_of_two_that_ask(peer: Peer<RoleServer>, first: bool) -> i64 {
    let (chosen, after) = tokio::join!(
        if first {
            asked(peer.clone(), 1)
        } else {
            asked(peer.clone(), 2)
        },
        asked(peer.clone(), 3),
    );
    chosen + after
}

#[saga]
async fn left_by_an_arm(peer: Peer<RoleServer>) -> i64 {
    let mut sum = 0;
    loop {
        let (n, more) = tokio::join!(if sum < 5 { idle(1) } else { break }, asked(peer.clone(), 3));
        sum += n + more;
    }
    sum
}

struct Desk {
    n: i64,
}

impl Desk {
    fn bump(&mut self) -> i64 {
        self.n += 1;
        self.n
    }

    #[saga]
    async fn with_what_a_method_changes(&mut self, peer: Peer<RoleServer>) -> i64 {
        let (before, after) = tokio::join!(
            {
                let now = self.n;
                idle(now)
            },
            asked(peer.clone(), self.bump()),
        );
        before + after
    }
}

async fn range(n: i64) -> RangeInclusive<i64> {
    1..=n
}

async fn shared(n: i64) -> std::sync::Arc<i64> {
    std::sync::Arc::new(n)
}

#[saga]
async fn with_a_range(peer: Peer<RoleServer>) -> i64 {
    let (range, more) = tokio::join!(range(3), asked(peer.clone(), 1));
    range.sum::<i64>() + more
}

#[saga]
async fn with_a_share(peer: Peer<RoleServer>) -> i64 {
    let (shared, more) = tokio::join!(shared(3), asked(peer.clone(), 1));
    *shared + more
}

struct Stack(Vec<i64>);

impl Stack {
    fn by_ref(&self) -> std::slice::Iter<'_, i64> {
        self.0.iter()
    }
}

#[saga]
async fn over_another_by_ref(peer: Peer<RoleServer>) -> i64 {
    let stack = Stack(vec![1, 2]);
    let mut sum = 0;
    for n in stack.by_ref() {
        sum += n + asked(peer.clone(), 1).await;
    }
    sum
}

fn main() {}
