//! What ordinary and hostile functions do with loops.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// `for` over `filter` with a closure, laziness and order seen.
mod for_adapters_01 {
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
        async fn for_adapters_01(cx, t) {
            let list = t.effect(vec![1i64, 2, 3, 4]);
            let mut limit = 1;
            for n in list.iter().filter(|n| t.effect(**n) > 1) {
                limit += cx.peer.elicit::<Count>(format!("{n}?")).await?.ok_or("none")?.n;
                t.note("body");
            }
            Ok(format!("{limit}"))
        }
    }
}

/// `for` over `map` and `filter_map` with closures.
mod for_adapters_02 {
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
        async fn for_adapters_02(cx, t) {
            let words = vec![String::from("a=1"), String::from("b"), String::from("c=3")];
            let mut out = Vec::new();
            for (k, v) in words.iter().filter_map(|w| { t.note(w); w.split_once('=') }) {
                let ok = cx.peer.elicit::<Confirm>(format!("{k}?")).await?.ok_or("none")?.ok;
                out.push(format!("{k}{v}{ok}"));
            }
            for shout in words.iter().map(|w| { t.note("map"); w.to_uppercase() }) {
                let n = cx.peer.elicit::<Count>(shout.as_str()).await?.ok_or("none")?.n;
                out.push(format!("{shout}{n}"));
            }
            Ok(out.join(","))
        }
    }
}

/// `for` over `take_while`, `skip_while`, `inspect`, `flat_map`.
mod for_adapters_03 {
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
        async fn for_adapters_03(cx, t) {
            let list = vec![1i64, 2, 5, 1];
            for n in list.iter().take_while(|n| t.effect(**n) < 5) { let m = cx.peer.elicit::<Count>(format!("{n}")).await?.ok_or("none")?.n; t.effect(m); }
            for n in list.iter().skip_while(|n| **n < 5).inspect(|n| t.note(&format!("saw {n}"))) { let ok = cx.peer.elicit::<Confirm>(format!("{n}")).await?.ok_or("none")?.ok; t.effect(ok); }
            let nested = vec![vec![1i64, 2], vec![], vec![3]];
            let mut sum = 0;
            for n in nested.iter().flatten().map(|n| { t.note("tens"); n * 10 }) { sum += cx.peer.elicit::<Count>(format!("{n}")).await?.ok_or("none")?.n + n; }
            Ok(format!("{sum}"))
        }
    }
}

/// Adapters in a row, over an owned `into_iter()`, a closure that captures what changes in the body.
mod for_adapters_05 {
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
        async fn for_adapters_05(cx, t) {
            let names = vec![String::from("b"), String::from("a"), String::from("dd")];
            let min = cx.peer.elicit::<Count>("min?").await?.ok_or("none")?.n as usize;
            let mut seen = Vec::new();
            for (i, name) in names.into_iter().filter(|n| n.len() + 3 > min).map(|n| format!("<{n}>")).enumerate() {
                let ok = cx.peer.elicit::<Confirm>(name.as_str()).await?.ok_or("none")?.ok;
                t.effect((i, ok));
                seen.push(name);
            }
            Ok(format!("{seen:?}"))
        }
    }
}

/// `for` over `&HashMap`.
mod for_maps_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::collections::HashMap;

    tests::cases! {
        async fn for_maps_01(cx, t) {
            let prices = HashMap::from([(t.effect(String::from("only")), 4i64)]);
            let mut sum = 0;
            for (name, price) in &prices {
                sum += cx.peer.elicit::<Count>(format!("{name}?")).await?.ok_or("none")?.n * price;
                t.effect(sum);
            }
            let empty: HashMap<String, i64> = HashMap::new();
            for (name, _) in &empty { cx.peer.elicit::<Confirm>(name.as_str()).await?; }
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{sum} {ok}"))
        }
    }
}

/// `for` over a `&HashMap` of several (each step seen once; sums only).
mod for_maps_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::collections::HashMap;

    tests::cases! {
        async fn for_maps_02(cx, t) {
            let counts: HashMap<u32, i64> = (0..4).map(|i| (i, 1 << (4 * i))).collect();
            let mut keys = 0u32;
            let mut values = 0;
            for (key, value) in &counts {
                cx.peer.elicit::<Confirm>("go on?").await?;
                keys |= 1 << key;
                values += value;
            }
            t.effect((keys, values));
            Ok(format!("{keys} {values} {}", counts.len()))
        }
    }
}

/// `for` over `HashSet`, `values()`, `keys()`, `into_iter()` of a map.
mod for_maps_03 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::collections::{BTreeMap, HashSet};

    tests::cases! {
        async fn for_maps_03(cx, t) {
            let set: HashSet<i64> = HashSet::from([1, 2, 4]);
            let mut sum = 0;
            for n in &set { cx.peer.elicit::<Confirm>("more?").await?; sum += n; }
            t.effect(sum);
            let map = BTreeMap::from([("a", 1i64), ("b", 2)]);
            for value in map.values() { sum += value * cx.peer.elicit::<Count>(format!("{value}")).await?.ok_or("none")?.n; }
            for key in map.keys() { let ok = cx.peer.elicit::<Confirm>(*key).await?.ok_or("none")?.ok; t.effect((key, ok)); }
            for (key, value) in map { let n = cx.peer.elicit::<Count>(format!("{key}{value}")).await?.ok_or("none")?.n; t.effect(n); }
            for n in set { cx.peer.elicit::<Confirm>("own?").await?; sum += n; }
            Ok(format!("{sum}"))
        }
    }
}

/// `for` over any std iterator: `windows`, `char_indices`, `bytes`, a sorted heap, `VecDeque`.
mod for_std_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::collections::{BinaryHeap, VecDeque};

    tests::cases! {
        async fn for_std_01(cx, t) {
            let list = vec![1i64, 2, 4];
            for pair in list.windows(2) { let n = cx.peer.elicit::<Count>(format!("{pair:?}")).await?.ok_or("none")?.n; t.effect(n + pair[0]); }
            let text = String::from("é a");
            for (at, c) in text.char_indices() { let ok = cx.peer.elicit::<Confirm>(format!("{at}{c}")).await?.ok_or("none")?.ok; t.effect(ok); }
            let heap = BinaryHeap::from([3, 1, 2]);
            for n in heap.into_sorted_vec() { let ok = cx.peer.elicit::<Confirm>(format!("{n}")).await?.ok_or("none")?.ok; t.effect(ok); }
            let queue = VecDeque::from([1, 2, 3]);
            for n in &queue { let ok = cx.peer.elicit::<Confirm>(format!("{n}")).await?.ok_or("none")?.ok; t.effect(ok); }
            Ok(format!("{queue:?}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        for_adapters_01::all(),
        for_adapters_02::all(),
        for_adapters_03::all(),
        for_adapters_05::all(),
        for_maps_01::all(),
        for_maps_02::all(),
        for_maps_03::all(),
        for_std_01::all(),
    ];
    all.into_iter().flatten().collect()
}
