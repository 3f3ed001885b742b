//! What ordinary and hostile functions do with conditional.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// `#[cfg(..)]` on statements.
mod cfg_01 {
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
        async fn cfg_01(cx, t) {
            let mut n = t.effect(1);
            #[cfg(windows)]
            { n += 100; t.note("windows"); }
            #[cfg(not(windows))]
            let label = "unix";
            #[cfg(windows)]
            let label = "windows";
            let m = cx.peer.elicit::<Count>(label).await?.ok_or("none")?.n;
            #[cfg(any())]
            t.note("never");
            #[cfg(not(any()))]
            t.note("always");
            #[cfg(windows)]
            return Ok("windows".into());
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{n} {m} {ok} {label}"))
        }
    }
}

/// `#[cfg(..)]` on a statement that asks.
mod cfg_02 {
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
        async fn cfg_02(cx, t) {
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            #[cfg(windows)]
            let extra = cx.peer.elicit::<Count>("extra on windows?").await?.ok_or("none")?.n;
            #[cfg(not(windows))]
            let extra = 0;
            #[cfg(target_os = "none")]
            {
                cx.peer.elicit::<Confirm>("never?").await?;
                t.note("never");
            }
            #[cfg(target_os = "none")]
            if cx.peer.elicit::<Confirm>("never?").await?.ok_or("none")?.ok { return Ok("never".into()); }
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{n} {extra} {ok}"))
        }
    }
}

/// `#[cfg(..)]` on arms of a `match` that asks.
mod cfg_03 {
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
        async fn cfg_03(cx, t) {
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let word = match n {
                #[cfg(any())]
                0 => { cx.peer.elicit::<Confirm>("never?").await?; "never" }
                0 => "zero",
                #[cfg(windows)]
                _ => { t.note("windows"); "windows" }
                #[cfg(not(windows))]
                1 => { if cx.peer.elicit::<Confirm>("one?").await?.ok_or("none")?.ok { "one" } else { "uno" } }
                _ => "many",
            };
            let ok = cx.peer.elicit::<Confirm>(word).await?.ok_or("none")?.ok;
            Ok(format!("{word} {ok}"))
        }
    }
}

/// `while` under `#[cfg(windows)]` must not loop for ever on Linux.
mod cfg_04 {
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
        async fn cfg_04(cx, t) {
            let mut round = 0;
            #[cfg(windows)]
            while round >= 0 { cx.peer.elicit::<Confirm>("windows?").await?; }
            #[cfg(windows)]
            loop { t.note("windows"); }
            #[cfg(not(windows))]
            while round < 2 { let n = cx.peer.elicit::<Count>(format!("{round}?")).await?.ok_or("none")?.n; t.effect(n); round += 1; }
            #[cfg(windows)]
            for i in 0..5 { cx.peer.elicit::<Confirm>("for?").await?; t.effect(i); }
            Ok(format!("{round}"))
        }
    }
}

/// `#[cfg(..)]` on tails.
mod cfg_05 {
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
        async fn cfg_05(cx, t) {
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(n);
            #[cfg(windows)]
            {
                let ok = cx.peer.elicit::<Confirm>("windows?").await?.ok_or("none")?.ok;
                Ok(format!("windows {ok}"))
            }
            #[cfg(not(windows))]
            {
                let ok = cx.peer.elicit::<Confirm>("unix?").await?.ok_or("none")?.ok;
                Ok(format!("unix {ok} {n}"))
            }
        }
    }
}

/// `#[cfg(..)]` on fields, arguments' struct literals and elements around an ask.
mod cfg_06 {
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
    struct Options {
        name: String,
        #[cfg(windows)]
        acl: String,
        n: i64,
    }

    tests::cases! {
        async fn cfg_06(cx, t) {
            let options = Options { name: t.effect(String::from("x")), #[cfg(windows)] acl: t.effect(String::from("acl")), n: cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n };
            let list = vec![#[cfg(not(any()))] 1, 2];
            let Options { name, #[cfg(windows)] acl, n } = &options;
            let ok = cx.peer.elicit::<Confirm>(name.as_str()).await?.ok_or("none")?.ok;
            Ok(format!("{options:?} {ok} {n} {}", list.len()))
        }
    }
}

/// `#[cfg(debug_assertions)]`, `cfg!`, `#[cfg(feature)]` around a `let … else` and an early return.
mod cfg_07 {
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
        async fn cfg_07(cx, t) {
            let text = cx.peer.elicit::<Text>("text?").await?.ok_or("none")?.text;
            #[cfg(feature = "strict")]
            let Some(first) = text.chars().next() else { cx.peer.elicit::<Confirm>("empty?").await?; return Ok("empty".into()) };
            #[cfg(not(feature = "strict"))]
            let first = text.chars().next().unwrap_or('-');
            if cfg!(windows) { return Ok("windows".into()); }
            #[cfg(debug_assertions)]
            t.note("debug");
            let ok = cx.peer.elicit::<Confirm>(first.to_string()).await?.ok_or("none")?.ok;
            Ok(format!("{first} {ok}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        cfg_01::all(),
        cfg_02::all(),
        cfg_03::all(),
        cfg_04::all(),
        cfg_05::all(),
        cfg_06::all(),
        cfg_07::all(),
    ];
    all.into_iter().flatten().collect()
}
