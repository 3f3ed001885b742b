//! What ordinary and hostile functions do with borrowed.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// A `Vec` of structs with `#[serde(borrow)]`.
mod borrow_struct_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::borrow::Cow;
    #[derive(Debug, Clone, Serialize, Deserialize)]
    struct Token<'a> {
        #[serde(borrow)]
        text: &'a str,
        #[serde(borrow)]
        lower: Cow<'a, str>,
    }

    tests::cases! {
        async fn borrow_struct_02(cx, t) {
            let line = t.effect(String::from("Deploy NOW please"));
            let tokens: Vec<Token<'_>> = line.split(' ').map(|text| Token { text, lower: text.to_lowercase().into() }).collect();
            let n = cx.peer.elicit::<Count>(format!("which of {}?", tokens.len())).await?.ok_or("none")?.n as usize;
            let picked = tokens.get(n).map(|token| token.text);
            let ok = cx.peer.elicit::<Confirm>(picked.unwrap_or("none")).await?.ok_or("none")?.ok;
            Ok(format!("{tokens:?} {picked:?} {ok}"))
        }
    }
}

/// `&[u8]` by a split.
mod bytes_01 {
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
        async fn bytes_01(cx, t) {
            let bytes = t.effect(b"GIF89a..".to_vec());
            let (magic, rest) = bytes.split_at(6);
            let n = cx.peer.elicit::<Count>(format!("{} bytes?", rest.len())).await?.ok_or("none")?.n;
            t.effect(magic);
            Ok(format!("{magic:?} {rest:?} {n}"))
        }
    }
}

/// `&[u8]` of a helper with effects.
mod bytes_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    fn header<'a>(t: &Trace, body: &'a [u8]) -> Option<&'a [u8]> {
        t.note("header");
        body.strip_prefix(b"id=")
    }

    tests::cases! {
        async fn bytes_02(cx, t) {
            let body = String::from("id=42");
            let Some(id) = header(t, body.as_bytes()) else { return Ok("none".into()) };
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{:?} {ok}", std::str::from_utf8(id)))
        }
    }
}

/// By-value argument that is Serialize and not Clone.
mod byvalue_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    mod plain {
        use super::*;

        #[derive(Debug, Serialize, Deserialize)]
        pub struct Order {
            id: u32,
            lines: Vec<String>,
        }
        async fn place(
            peer: Peer<RoleServer>,
            t: &Trace,
            mut order: Order,
        ) -> Result<Order, Failure> {
            let line = peer.elicit::<Text>("line?").await?.ok_or("none")?.text;
            order.lines.push(line);
            t.effect(order.id);
            if peer.elicit::<Confirm>("more?").await?.ok_or("none")?.ok {
                order.lines.push("more".into());
            }
            Ok(order)
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let order = Order {
                id: t.effect(9),
                lines: vec![],
            };
            let order = place(cx.peer.clone(), t, order).await?;
            let order = place(cx.peer.clone(), t, order).await?;
            Ok(format!("{order:?}"))
        }
    }

    mod saga {
        use super::*;

        #[derive(Debug, Serialize, Deserialize)]
        pub struct Order {
            id: u32,
            lines: Vec<String>,
        }
        #[saga_runtime::saga]
        async fn place(
            peer: Peer<RoleServer>,
            t: &Trace,
            mut order: Order,
        ) -> Result<Order, Failure> {
            let line = peer.elicit::<Text>("line?").await?.ok_or("none")?.text;
            order.lines.push(line);
            t.effect(order.id);
            if peer.elicit::<Confirm>("more?").await?.ok_or("none")?.ok {
                order.lines.push("more".into());
            }
            Ok(order)
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let order = Order {
                id: t.effect(9),
                lines: vec![],
            };
            let order = place(cx.peer.clone(), t, order).await?;
            let order = place(cx.peer.clone(), t, order).await?;
            Ok(format!("{order:?}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "byvalue_02",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// A closure given by value to a helper that uses it before its ask.
mod byvalue_03 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    mod plain {
        use super::*;

        async fn ask_for<F: Fn(i64) -> String + Send>(
            peer: &Peer<RoleServer>,
            t: &Trace,
            show: F,
        ) -> Result<i64, Failure> {
            let question = show(t.effect(3));
            let n = peer.elicit::<Count>(question).await?.ok_or("none")?.n;
            let m = peer.elicit::<Count>("m?").await?.ok_or("none")?.n;
            Ok(n + m)
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let base = t.effect(10);
            let a = ask_for(&cx.peer, t, |n| format!("{}?", n + base)).await?;
            Ok(format!("{a} {base}"))
        }
    }

    mod saga {
        use super::*;

        #[saga_runtime::saga]
        async fn ask_for<F: Fn(i64) -> String + Send>(
            peer: &Peer<RoleServer>,
            t: &Trace,
            show: F,
        ) -> Result<i64, Failure> {
            let question = show(t.effect(3));
            let n = peer.elicit::<Count>(question).await?.ok_or("none")?.n;
            let m = peer.elicit::<Count>("m?").await?.ok_or("none")?.n;
            Ok(n + m)
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let base = t.effect(10);
            let a = ask_for(&cx.peer, t, |n| format!("{}?", n + base)).await?;
            Ok(format!("{a} {base}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "byvalue_03",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `Cow` bound of a literal or an owned text.
mod cow_02 {
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
        async fn cow_02(cx, t) {
            use std::borrow::Cow;
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let title: Cow<'static, str> = if n > 1 { Cow::Borrowed("many") } else { Cow::Owned(t.effect(format!("just {n}"))) };
            let ok = cx.peer.elicit::<Confirm>(title.as_ref()).await?.ok_or("none")?.ok;
            Ok(format!("{title} {ok}"))
        }
    }
}

/// `Option<&str>`.
mod opt_str_01 {
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
        async fn opt_str_01(cx, t) {
            let line = t.effect(String::from("branch: main"));
            let branch = line.strip_prefix("branch: ");
            let ok = cx.peer.elicit::<Confirm>("push?").await?.ok_or("none")?.ok;
            let word = branch.unwrap_or("none");
            let n = cx.peer.elicit::<Count>(word).await?.ok_or("none")?.n;
            Ok(format!("{branch:?} {ok} {n}"))
        }
    }
}

/// `Option<&str>` out of JSON.
mod opt_str_02 {
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
        async fn opt_str_02(cx, t) {
            let v = serde_json::json!({ "user": { "name": "ada", "tags": ["x", "y"] } });
            let name = v.pointer("/user/name").and_then(serde_json::Value::as_str);
            let tag = v["user"]["tags"][1].as_str();
            let ok = cx.peer.elicit::<Confirm>(name.unwrap_or("?")).await?.ok_or("none")?.ok;
            t.effect((name, tag));
            Ok(format!("{name:?} {tag:?} {ok}"))
        }
    }
}

/// Owned, Serialize + Deserialize: stored.
mod owned_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    #[derive(Debug, Clone, Serialize, Deserialize)]
    struct Plan {
        name: String,
        steps: Vec<(String, u32)>,
        note: Option<String>,
    }

    tests::cases! {
        async fn owned_01(cx, t) {
            let mut plan = Plan { name: t.effect(String::from("release")), steps: vec![("build".into(), 3)], note: None };
            plan.steps.push(("test".to_string(), t.effect(5)));
            let n = cx.peer.elicit::<Count>(format!("how many of {}?", plan.steps.len())).await?.ok_or("none")?.n;
            plan.note = Some(format!("n={n}"));
            let ok = cx.peer.elicit::<Confirm>(plan.name.as_str()).await?.ok_or("none")?.ok;
            Ok(format!("{plan:?} {ok}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        borrow_struct_02::all(),
        bytes_01::all(),
        bytes_02::all(),
        byvalue_02::all(),
        byvalue_03::all(),
        cow_02::all(),
        opt_str_01::all(),
        opt_str_02::all(),
        owned_01::all(),
    ];
    all.into_iter().flatten().collect()
}
