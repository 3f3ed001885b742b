//! What ordinary and hostile functions do with ordinary.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// `k @ pattern` in a `match` (E0005).
mod at_pattern_01 {
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
        async fn at_pattern_01(cx, t) {
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let out = match n {
                k @ 0..=1 => { let ok = cx.peer.elicit::<Confirm>(format!("few {k}?")).await?.ok_or("none")?.ok; format!("few {k} {ok}") }
                k @ (2 | 3) if t.effect(k) == 2 => { let ok = cx.peer.elicit::<Confirm>(format!("two {k}?")).await?.ok_or("none")?.ok; format!("two {k} {ok}") }
                k => format!("many {k}"),
            };
            let last = cx.peer.elicit::<Confirm>(out.as_str()).await?.ok_or("none")?.ok;
            Ok(format!("{out} {last}"))
        }
    }
}

/// `all @ Some(x)`, `whole @ Point { .. }`, `list @ [first, ..]`.
mod at_pattern_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    #[derive(Debug, Clone, Copy, Serialize, Deserialize)]
    struct Point {
        x: i64,
        y: i64,
    }

    tests::cases! {
        async fn at_pattern_02(cx, t) {
            let point = Some(Point { x: t.effect(1), y: 2 });
            let a = match point {
                whole @ Some(Point { x: 1.., .. }) => { let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n; format!("{whole:?} {n}") }
                other @ Some(_) => format!("{other:?}"),
                None => String::from("none"),
            };
            let list = vec![1i64, 2, 3];
            let b = match list.as_slice() {
                all @ [first, rest @ ..] => { let ok = cx.peer.elicit::<Confirm>(format!("{first}")).await?.ok_or("none")?.ok; format!("{all:?} {rest:?} {ok}") }
                [] => String::new(),
            };
            if let id @ Some(p @ Point { y, .. }) = point.as_ref() { let m = cx.peer.elicit::<Count>(format!("{y}")).await?.ok_or("none")?.n; t.effect((id.is_some(), p.x, m)); }
            Ok(format!("{a} {b}"))
        }
    }
}

/// `#[allow(deprecated)] match peer.list_roots().await { … }` as a tail (E0658).
mod attr_tail_01 {
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
        async fn attr_tail_01(cx, t) {
            t.note("roots");
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            #[allow(deprecated)]
            match cx.peer.list_roots().await {
                Ok(roots) => Ok(format!("{n} {}", roots.roots.len())),
                Err(error) => Err(error.into()),
            }
        }
    }
}

/// `#[allow(..)]`, `#[expect(..)]`, `#[rustfmt::skip]` on a `let`, an `if`, a block, a `match` arm that ask.
mod attr_tail_02 {
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
        async fn attr_tail_02(cx, t) {
            #[allow(unused_variables, deprecated)]
            let roots = cx.peer.list_roots().await;
            #[allow(clippy::needless_bool)]
            if cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok { t.note("yes"); }
            #[rustfmt::skip]
            let n = match cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n {
                #[allow(clippy::manual_range_patterns)]
                0 | 1 => cx.peer.elicit::<Confirm>("few?").await?.ok_or("none")?.ok,
                _ => false,
            };
            #[allow(unused_mut)]
            { let mut x = cx.peer.elicit::<Count>("block?").await?.ok_or("none")?.n; t.effect(x); }
            Ok(format!("{} {n}", roots.is_ok()))
        }
    }
}

/// `BTreeMap<&str, _>` grouping over answers.
mod btree_group_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::collections::BTreeMap;
    #[derive(Debug, Serialize, Deserialize)]
    struct Sale {
        city: String,
        amount: i64,
    }

    tests::cases! {
        async fn btree_group_01(cx, t) {
            let sales = vec![Sale { city: "rome".into(), amount: 3 }, Sale { city: "oslo".into(), amount: 4 }, Sale { city: "rome".into(), amount: 5 }];
            let mut by_city: BTreeMap<&str, i64> = BTreeMap::new();
            for sale in &sales {
                let factor = cx.peer.elicit::<Count>(format!("factor for {}?", sale.city)).await?.ok_or("none")?.n;
                *by_city.entry(sale.city.as_str()).or_insert(0) += sale.amount * factor;
                t.effect(by_city.len());
            }
            let ok = cx.peer.elicit::<Confirm>(format!("{by_city:?}")).await?.ok_or("none")?.ok;
            Ok(format!("{by_city:?} {ok}"))
        }
    }
}

/// `BTreeMap<&str, Vec<&Sale>>` made before the ask.
mod btree_group_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::collections::BTreeMap;
    #[derive(Debug, Serialize, Deserialize)]
    struct Sale {
        city: String,
        amount: i64,
    }

    tests::cases! {
        async fn btree_group_02(cx, t) {
            let sales = vec![Sale { city: "rome".into(), amount: 3 }, Sale { city: "oslo".into(), amount: 4 }, Sale { city: "rome".into(), amount: 5 }];
            let mut groups: BTreeMap<&str, Vec<&Sale>> = BTreeMap::new();
            for sale in &sales { groups.entry(&sale.city).or_default().push(sale); }
            let mut report = Vec::new();
            for (city, sales) in &groups {
                let sum: i64 = sales.iter().map(|sale| sale.amount).sum();
                if cx.peer.elicit::<Confirm>(format!("{city}: {sum}?")).await?.ok_or("none")?.ok { report.push((*city, sum)); }
            }
            Ok(format!("{report:?}"))
        }
    }
}

/// `IpAddr` in an internally tagged enum.
mod codec_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::net::{IpAddr, SocketAddr};
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "kind")]
    enum Target {
        Host { addr: IpAddr, port: u16 },
        Socket { at: SocketAddr },
        None,
    }

    tests::cases! {
        async fn codec_01(cx, t) {
            let target = Target::Host { addr: t.effect("10.0.0.1".parse::<IpAddr>().unwrap()), port: 80 };
            let other = Target::Socket { at: "[::1]:9".parse().unwrap() };
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(&target);
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{target:?} {other:?} {n} {ok}"))
        }
    }
}

/// `Option<Option<_>>`.
mod codec_03 {
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
        async fn codec_03(cx, t) {
            let patch: Option<Option<i64>> = Some(t.effect(None));
            let list: Vec<Option<Option<String>>> = vec![None, Some(None), Some(Some("x".into()))];
            let unit: Option<()> = Some(());
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect((&patch, unit));
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{patch:?} {list:?} {unit:?} {n} {ok}"))
        }
    }
}

/// `filter().collect::<Vec<&T>>()`.
mod collect_refs_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    #[derive(Debug, Serialize, Deserialize)]
    struct Task {
        id: u32,
        open: bool,
    }

    tests::cases! {
        async fn collect_refs_01(cx, t) {
            let tasks: Vec<Task> = (1..=4).map(|id| Task { id, open: id % 2 == 0 }).collect();
            let open = tasks.iter().filter(|task| task.open).collect::<Vec<&Task>>();
            t.effect(open.len());
            let n = cx.peer.elicit::<Count>(format!("close how many of {}?", open.len())).await?.ok_or("none")?.n as usize;
            let chosen: Vec<&Task> = open.iter().copied().take(n).collect();
            let ok = cx.peer.elicit::<Confirm>(format!("{:?}", chosen.iter().map(|task| task.id).collect::<Vec<_>>())).await?.ok_or("none")?.ok;
            Ok(format!("{open:?} {chosen:?} {ok}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        at_pattern_01::all(),
        at_pattern_02::all(),
        attr_tail_01::all(),
        attr_tail_02::all(),
        btree_group_01::all(),
        btree_group_02::all(),
        codec_01::all(),
        codec_03::all(),
        collect_refs_01::all(),
    ];
    all.into_iter().flatten().collect()
}
