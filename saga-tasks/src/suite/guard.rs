//! What every guard has to do.

#![allow(clippy::panic, reason = "a check that fails says so by a panic")]

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, SystemTime},
};

use saga_runtime::{Consumed, Guard, GuardError, Leg};

use super::{WRITERS, all, call};

fn good<T>(result: Result<T, GuardError>) -> T {
    result.unwrap_or_else(|error| panic!("the guard failed: {error}"))
}

fn leg(number: u32) -> Leg {
    let now = SystemTime::now();
    Leg::new(call(), number, now + Duration::from_secs(600), now)
}

/// All checks of a guard, as two replicas have it.
///
/// # Panics
/// Where a check fails, with what it found.
pub async fn run<G: Guard>(one: &G, other: &G) {
    a_leg_is_consumed_once(one, other).await;
    an_outcome_is_kept(one, other).await;
    a_leg_is_given_back(one, other).await;
}

/// Of many who want one leg, one has it, whichever replica they are at.
async fn a_leg_is_consumed_once<G: Guard>(one: &G, other: &G) {
    let (first, mut next) = (leg(1), leg(1));
    let firsts = AtomicUsize::new(0);
    let takers = (0..WRITERS).map(|at| async move {
        let guard = if at % 2 == 0 { one } else { other };
        good(guard.consume(&first).await)
    });
    all(takers.map(|taken| async {
        match taken.await {
            Consumed::First => {
                firsts.fetch_add(1, Ordering::SeqCst);
            }
            known => assert_eq!(known, Consumed::Again),
        }
    }))
    .await;
    assert_eq!(firsts.into_inner(), 1, "one of {WRITERS} has it");
    next.call = first.call;
    next.number = 2;
    assert_eq!(
        good(other.consume(&next).await),
        Consumed::First,
        "another leg of the call"
    );
    assert_eq!(
        good(other.consume(&leg(1)).await),
        Consumed::First,
        "another call"
    );
}

/// What came of a leg is there for who presents it again; the first outcome stands.
async fn an_outcome_is_kept<G: Guard>(one: &G, other: &G) {
    let leg = leg(3);
    assert_eq!(good(one.consume(&leg).await), Consumed::First);
    good(one.keep(&leg, vec![0, 1, 255]).await);
    good(other.keep(&leg, vec![2]).await);
    good(other.release(&leg).await);
    let kept = match one.keeps() {
        true => Consumed::Kept(vec![0, 1, 255]),
        false => Consumed::Again,
    };
    assert_eq!(good(other.consume(&leg).await), kept);
}

/// A leg of which nothing ran is anybody's again.
async fn a_leg_is_given_back<G: Guard>(one: &G, other: &G) {
    let leg = leg(0);
    assert_eq!(good(one.consume(&leg).await), Consumed::First);
    good(one.release(&leg).await);
    assert_eq!(good(other.consume(&leg).await), Consumed::First);
    assert_eq!(good(one.consume(&leg).await), Consumed::Again);
}
