//! What ordinary and hostile functions do with own types.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// `INSTANCE.id` of a `LazyLock` of a struct whose Deref counts, `COPY` in capitals as a local.
mod upper_03 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::sync::LazyLock;
    #[derive(Clone, Copy)]
    struct Instance {
        id: u64,
    }
    struct Global(std::sync::atomic::AtomicU64);
    impl std::ops::Deref for Global {
        type Target = Instance;
        fn deref(&self) -> &Instance {
            let n = self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            Box::leak(Box::new(Instance { id: n }))
        }
    }
    static INSTANCE: Global = Global(std::sync::atomic::AtomicU64::new(0));

    tests::cases! {
        async fn upper_03(cx, t) {
            INSTANCE.0.store(5, std::sync::atomic::Ordering::SeqCst);
            let id = INSTANCE.id;
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(id);
            let second = INSTANCE.id;
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{id} {second} {n} {ok}"))
        }
    }
}

/// A `static mut`-like config: `let limit = LIMITS.max;` of a static with interior.
mod upper_04 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::sync::RwLock;
    #[derive(Clone, Copy, Debug, Serialize, Deserialize)]
    struct Limits {
        max: i64,
    }
    static LIMITS: RwLock<Limits> = RwLock::new(Limits { max: 3 });
    fn limits() -> Limits {
        *LIMITS.read().unwrap()
    }

    tests::cases! {
        async fn upper_04(cx, t) {
            LIMITS.write().unwrap().max = 3;
            let limit = limits().max;
            LIMITS.write().unwrap().max = 30;
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let over = n >= limit;
            t.effect((limit, over));
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            LIMITS.write().unwrap().max = 3;
            Ok(format!("{limit} {over} {ok}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [upper_03::all(), upper_04::all()];
    all.into_iter().flatten().collect()
}
