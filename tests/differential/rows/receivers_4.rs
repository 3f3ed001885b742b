//! What ordinary and hostile functions do with receivers.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// The handle out of a function or a trait's method.
mod receiver_12 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    fn client(cx: &RequestContext<RoleServer>) -> Peer<RoleServer> {
        cx.peer.clone()
    }
    trait HasPeer {
        fn peer(&self) -> &Peer<RoleServer>;
    }
    impl HasPeer for RequestContext<RoleServer> {
        fn peer(&self) -> &Peer<RoleServer> {
            &self.peer
        }
    }

    tests::cases! {
        async fn receiver_12(cx, t) {
            t.note("a");
            let n = client(&cx).elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(n);
            let m = cx.peer().elicit::<Count>("m?").await?.ok_or("none")?.n;
            let peer = client(&cx);
            let ok = peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{n} {m} {ok}"))
        }
    }
}

/// An ask by its path: `Peer::elicit::<T>(&cx.peer, ..)`.
mod receiver_13 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    tests::cases! {
        async fn receiver_13(cx, t) {
            let n = Peer::<RoleServer>::elicit::<Count>(&cx.peer, "n?").await?.ok_or("none")?.n;
            t.effect(n);
            let peer = &cx.peer;
            let ok = <Peer<RoleServer>>::elicit::<Confirm>(peer, "ok?").await?.ok_or("none")?.ok;
            Ok(format!("{n} {ok}"))
        }
    }
}

/// `select!` with `() = token.cancelled()`.
mod select_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    tests::cases! {
        async fn select_01(cx, t) {
            let n = tokio::select! {
                answer = cx.peer.elicit::<Count>(t.effect("n?")) => answer?.ok_or("none")?.n,
                () = cx.ct.cancelled() => { t.note("cancelled"); return Ok("cancelled".into()) }
            };
            let ct = cx.ct.clone();
            let ok = tokio::select! {
                biased;
                () = ct.cancelled() => false,
                answer = cx.peer.elicit::<Confirm>(format!("{n}")) => answer?.ok_or("none")?.ok,
            };
            Ok(format!("{n} {ok}"))
        }
    }
}

/// A `select!` on `context.ct` without an ask stays as it is.
mod select_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::time::Duration;

    tests::cases! {
        async fn select_02(cx, t) {
            let mut rounds = 0;
            loop {
                tokio::select! {
                    _ = cx.ct.cancelled() => { t.note("cancelled"); break; }
                    _ = tokio::time::sleep(Duration::from_millis(1)) => { rounds += 1; t.effect(rounds); }
                }
                if rounds >= 2 { break; }
            }
            let n = cx.peer.elicit::<Count>(format!("{rounds}")).await?.ok_or("none")?.n;
            let done = tokio::select! {
                value = t.fetch(n) => value,
                _ = cx.ct.cancelled() => -1,
            };
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{done} {ok}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        receiver_12::all(),
        receiver_13::all(),
        select_01::all(),
        select_02::all(),
    ];
    all.into_iter().flatten().collect()
}
