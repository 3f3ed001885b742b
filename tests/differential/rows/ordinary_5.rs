//! What ordinary and hostile functions do with ordinary.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// Helpers given `&[&a, b.as_str()]`.
mod slice_arg_01 {
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

        async fn choose(
            peer: &Peer<RoleServer>,
            t: &Trace,
            options: &[&str],
        ) -> Result<String, Failure> {
            t.effect(options.len());
            for option in options {
                if peer.elicit::<Confirm>(*option).await?.ok_or("none")?.ok {
                    return Ok(option.to_string());
                }
            }
            let n = peer
                .elicit::<Count>(options.join("/"))
                .await?
                .ok_or("none")?
                .n;
            Ok(options
                .get(n as usize)
                .copied()
                .unwrap_or("none")
                .to_string())
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = t.effect(String::from("alpha"));
            let b = String::from("beta");
            let first = choose(&cx.peer, t, &[&a, b.as_str()]).await?;
            let second = choose(&cx.peer, t, &["x", &first, &format!("{a}{b}")]).await?;
            Ok(format!("{first} {second}"))
        }
    }

    mod saga {
        use super::*;

        #[saga_runtime::saga]
        async fn choose(
            peer: &Peer<RoleServer>,
            t: &Trace,
            options: &[&str],
        ) -> Result<String, Failure> {
            t.effect(options.len());
            for option in options {
                if peer.elicit::<Confirm>(*option).await?.ok_or("none")?.ok {
                    return Ok(option.to_string());
                }
            }
            let n = peer
                .elicit::<Count>(options.join("/"))
                .await?
                .ok_or("none")?
                .n;
            Ok(options
                .get(n as usize)
                .copied()
                .unwrap_or("none")
                .to_string())
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = t.effect(String::from("alpha"));
            let b = String::from("beta");
            let first = choose(&cx.peer, t, &[&a, b.as_str()]).await?;
            let second = choose(&cx.peer, t, &["x", &first, &format!("{a}{b}")]).await?;
            Ok(format!("{first} {second}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "slice_arg_01",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// Helpers given `&names.iter().map(..).collect::<Vec<_>>()`, `Some(&x)`, `&(a, b)`.
mod slice_arg_02 {
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

        async fn ask(
            peer: &Peer<RoleServer>,
            t: &Trace,
            list: &[&str],
            note: Option<&str>,
            pair: &(i64, String),
        ) -> Result<i64, Failure> {
            t.effect((list.len(), note));
            let n = peer
                .elicit::<Count>(note.unwrap_or("n?"))
                .await?
                .ok_or("none")?
                .n;
            t.effect(&pair.1);
            let m = peer
                .elicit::<Count>(list.first().copied().unwrap_or("m?"))
                .await?
                .ok_or("none")?
                .n;
            Ok(n + m + pair.0)
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let names = vec![String::from("x"), String::from("y")];
            let note = t.effect(String::from("note"));
            let a = ask(
                &cx.peer,
                t,
                &names.iter().map(|n| n.as_str()).collect::<Vec<_>>(),
                Some(&note),
                &(t.effect(1), "p".into()),
            )
            .await?;
            let b = ask(&cx.peer, t, &[], None, &(a, note.clone())).await?;
            Ok(format!("{a} {b}"))
        }
    }

    mod saga {
        use super::*;

        #[saga_runtime::saga]
        async fn ask(
            peer: &Peer<RoleServer>,
            t: &Trace,
            list: &[&str],
            note: Option<&str>,
            pair: &(i64, String),
        ) -> Result<i64, Failure> {
            t.effect((list.len(), note));
            let n = peer
                .elicit::<Count>(note.unwrap_or("n?"))
                .await?
                .ok_or("none")?
                .n;
            t.effect(&pair.1);
            let m = peer
                .elicit::<Count>(list.first().copied().unwrap_or("m?"))
                .await?
                .ok_or("none")?
                .n;
            Ok(n + m + pair.0)
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let names = vec![String::from("x"), String::from("y")];
            let note = t.effect(String::from("note"));
            let a = ask(
                &cx.peer,
                t,
                &names.iter().map(|n| n.as_str()).collect::<Vec<_>>(),
                Some(&note),
                &(t.effect(1), "p".into()),
            )
            .await?;
            let b = ask(&cx.peer, t, &[], None, &(a, note.clone())).await?;
            Ok(format!("{a} {b}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "slice_arg_02",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `let (head, tail) = bytes.split_at(2)`.
mod split_at_01 {
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
        async fn split_at_01(cx, t) {
            let bytes = t.effect(vec![1u8, 2, 3, 4]);
            let (head, tail) = bytes.split_at(2);
            let ok = cx.peer.elicit::<Confirm>(format!("{head:?}")).await?.ok_or("none")?.ok;
            t.effect(tail);
            Ok(format!("{head:?} {tail:?} {ok}"))
        }
    }
}

/// `split_once`, `strip_prefix`, `strip_suffix`, `find`.
mod split_once_01 {
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
        async fn split_once_01(cx, t) {
            let spec = cx.peer.elicit::<Text>("spec?").await?.ok_or("none")?.text + "=x.rs";
            let Some((key, value)) = spec.split_once('=') else { return Ok("bad".into()) };
            let stem = value.strip_suffix(".rs").unwrap_or(value);
            let at = spec.find('=');
            let ok = cx.peer.elicit::<Confirm>(format!("{key}: {stem}?")).await?.ok_or("none")?.ok;
            t.effect((key, at));
            let n = cx.peer.elicit::<Count>(stem).await?.ok_or("none")?.n;
            Ok(format!("{key} {value} {stem} {at:?} {ok} {n}"))
        }
    }
}

/// `if let Some((a, b)) = …split_once` and `let … else` with `strip_prefix` in a loop.
mod split_once_02 {
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
        async fn split_once_02(cx, t) {
            let lines = vec![String::from("set a=1"), String::from("del b"), String::from("set c=3")];
            let mut out = Vec::new();
            for line in &lines {
                let Some(rest) = line.strip_prefix("set ") else { t.note("skipped"); continue };
                if let Some((k, v)) = rest.split_once('=') {
                    let ok = cx.peer.elicit::<Confirm>(format!("{k}={v}?")).await?.ok_or("none")?.ok;
                    out.push((k, v, ok));
                }
            }
            Ok(format!("{out:?}"))
        }
    }
}

/// `let steps = [("build", 3), ("test", 5)]` looped over.
mod steps_table_01 {
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
        async fn steps_table_01(cx, t) {
            let steps = [("build", 3), ("test", 5)];
            let mut done = Vec::new();
            for (name, minutes) in steps {
                if !cx.peer.elicit::<Confirm>(format!("{name} for {minutes} min?")).await?.ok_or("none")?.ok { break; }
                done.push(name);
                t.effect(minutes);
            }
            for (i, (name, _)) in steps.iter().enumerate() { let n = cx.peer.elicit::<Count>(format!("{i} {name}")).await?.ok_or("none")?.n; t.effect(n); }
            Ok(format!("{done:?} {steps:?}"))
        }
    }
}

/// A `Vec` of `(&str, String)`, an array of `(&str, bool)` with an inner loop.
mod steps_table_02 {
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
        async fn steps_table_02(cx, t) {
            let env = t.effect(String::from("prod"));
            let pairs = vec![("env", env.clone()), ("who", String::from("me"))];
            for (key, value) in pairs.iter() {
                for (step, risky) in [("migrate", true), ("restart", false)] {
                    if risky { let ok = cx.peer.elicit::<Confirm>(format!("{step} {key}={value} on {env}?")).await?.ok_or("none")?.ok; t.effect(ok); }
                }
            }
            for (key, value) in pairs { let n = cx.peer.elicit::<Count>(format!("{key}={value}")).await?.ok_or("none")?.n; t.effect(n); }
            Ok(env)
        }
    }
}

/// `let (label, fare) = if … { ("first", 3) } else { … }`.
mod tuple_of_if_01 {
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
        async fn tuple_of_if_01(cx, t) {
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let (label, fare) = if n > 2 { ("first", 3) } else if n > 0 { ("second", t.effect(2)) } else { ("bus", 1) };
            let mut total = fare;
            let ok = cx.peer.elicit::<Confirm>(format!("{label} for {fare}?")).await?.ok_or("none")?.ok;
            if ok { total += fare; }
            let (word, rest) = match label { "first" => ("one", vec![1]), other => (other, vec![]) };
            let again = cx.peer.elicit::<Confirm>(word).await?.ok_or("none")?.ok;
            Ok(format!("{label} {total} {word} {rest:?} {again}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        slice_arg_01::all(),
        slice_arg_02::all(),
        split_at_01::all(),
        split_once_01::all(),
        split_once_02::all(),
        steps_table_01::all(),
        steps_table_02::all(),
        tuple_of_if_01::all(),
    ];
    all.into_iter().flatten().collect()
}
