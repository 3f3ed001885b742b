//! What ordinary and hostile functions do with serde.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// A HashMap over an ask, order not used.
mod hash_order_01 {
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
        async fn hash_order_01(cx, t) {
            use std::collections::HashMap;
            let prices: HashMap<String, i64> = (0..30).map(|i| (format!("k{i:02}"), i)).collect();
            let mut names: Vec<&String> = prices.keys().collect();
            names.sort();
            let n = cx.peer.elicit::<Count>(names[3].as_str()).await?.ok_or("none")?.n;
            let sum: i64 = prices.values().sum();
            t.effect(sum);
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{n} {ok} {}", names.len()))
        }
    }
}

/// NaN, infinities, -0.0, empty maps, unordered sets: no false alarm.
mod serde_06 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::collections::{HashMap, HashSet};
    #[derive(Debug, Clone, Serialize, Deserialize)]
    struct Odd {
        a: f64,
        b: f32,
        set: HashSet<u32>,
        map: HashMap<String, Vec<f64>>,
        unit: (),
        nested: Option<Vec<Option<i64>>>,
    }

    tests::cases! {
        async fn serde_06(cx, t) {
            let odd = Odd { a: f64::NAN, b: f32::NEG_INFINITY, set: (0..20).collect(), map: (0..20).map(|i| (format!("k{i}"), vec![i as f64, -0.0])).collect(), unit: (), nested: Some(vec![None, Some(-1)]) };
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let mut keys: Vec<_> = odd.map.keys().cloned().collect();
            keys.sort();
            t.effect((keys.len(), odd.set.len()));
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{} {} {:?} {n} {ok}", odd.a.is_nan(), odd.b, odd.nested))
        }
    }
}

/// `Option<Option<T>>` and `Option<()>` through a plain derive.
mod serde_08 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Patch {
        name: Option<Option<String>>,
        flag: Option<()>,
        deep: Vec<Option<Option<i64>>>,
    }

    tests::cases! {
        async fn serde_08(cx, t) {
            let wrapped = Patch { name: Some(None), flag: Some(()), deep: vec![None, Some(None), Some(Some(1))] };
            let loose: Option<Option<i64>> = Some(t.effect(None));
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(&wrapped);
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{wrapped:?} {loose:?} {n} {ok}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [hash_order_01::all(), serde_06::all(), serde_08::all()];
    all.into_iter().flatten().collect()
}
