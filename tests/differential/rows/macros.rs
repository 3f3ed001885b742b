//! What ordinary and hostile functions do with macros.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// Asks in the arguments of `json!`.
mod macro_asks_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use serde_json::json;

    tests::cases! {
        async fn macro_asks_01(cx, t) {
            let name = t.effect("x");
            let v = json!({ "name": name, "n": cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n, "list": [t.effect(1), cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok], "nested": { "text": cx.peer.elicit::<Text>("text?").await?.ok_or("none")?.text } });
            let ok = cx.peer.elicit::<Confirm>(v.to_string()).await?.ok_or("none")?.ok;
            Ok(format!("{v} {ok}"))
        }
    }
}

/// Asks in the arguments of `write!`, `writeln!`.
mod macro_asks_03 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::fmt::Write;

    tests::cases! {
        async fn macro_asks_03(cx, t) {
            let mut out = String::new();
            writeln!(out, "{} {}", t.effect(1), cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n)?;
            write!(out, "{ok}", ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok)?;
            let _ = writeln!(&mut out, "{out_len}", out_len = cx.peer.elicit::<Text>("t?").await?.ok_or("none")?.text.len());
            Ok(out)
        }
    }
}

/// A `macro_rules!` of the file with an early return, outside of what asks.
mod macro_in_body_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    macro_rules! need {
        ($value:expr) => {
            match $value {
                Some(value) => value,
                None => return Ok("missing".into()),
            }
        };
    }

    tests::cases! {
        async fn macro_in_body_02(cx, t) {
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let small = need!((n < 4).then_some(n));
            t.effect(small);
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            let word = need!(ok.then(|| "yes"));
            let last = cx.peer.elicit::<Confirm>(word).await?.ok_or("none")?.ok;
            Ok(format!("{small} {word} {last}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        macro_asks_01::all(),
        macro_asks_03::all(),
        macro_in_body_02::all(),
    ];
    all.into_iter().flatten().collect()
}
