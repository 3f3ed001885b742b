//! What ordinary and hostile functions do with ordinary.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// `v.pointer(..).and_then(Value::as_str)`, `get(..).and_then(Value::as_array)`.
mod json_pointer_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use serde_json::{Value, json};

    tests::cases! {
        async fn json_pointer_01(cx, t) {
            let v: Value = serde_json::from_str(r#"{"a":{"b":"deep","list":[1,2,3]}}"#)?;
            let deep = v.pointer("/a/b").and_then(Value::as_str).unwrap_or("none");
            let list = v.get("a").and_then(|a| a.get("list")).and_then(Value::as_array);
            let ok = cx.peer.elicit::<Confirm>(deep).await?.ok_or("none")?.ok;
            t.effect(deep);
            for n in list.into_iter().flatten() { let m = cx.peer.elicit::<Count>(n.to_string()).await?.ok_or("none")?.n; t.effect(m); }
            let object = v.as_object().ok_or("no object")?;
            let again = cx.peer.elicit::<Confirm>(format!("{}", object.len())).await?.ok_or("none")?.ok;
            Ok(format!("{deep} {list:?} {ok} {again} {}", object.len()))
        }
    }
}

/// `fn label(&self) -> &'static str`.
mod label_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
    enum Level {
        Low,
        High,
    }
    impl Level {
        fn label(&self) -> &'static str {
            match self {
                Level::Low => "low",
                Level::High => "high",
            }
        }
        fn of(n: i64) -> Self {
            if n > 1 { Level::High } else { Level::Low }
        }
    }

    tests::cases! {
        async fn label_01(cx, t) {
            let level = Level::of(cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n);
            let label = level.label();
            let ok = cx.peer.elicit::<Confirm>(format!("{label}?")).await?.ok_or("none")?.ok;
            let shown = Level::of(0).label();
            t.effect((label, shown));
            let n = cx.peer.elicit::<Count>(shown).await?.ok_or("none")?.n;
            Ok(format!("{label} {shown} {level:?} {ok} {n}"))
        }
    }
}

/// `#[deny(warnings)]` of the module over clean code stays clean.
mod lints_05 {
    // by hand: the halves differ
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

        mod inner {

            use super::{Confirm, Count, Failure, RequestContext, RoleServer, Trace};
            pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
                let mut list = vec![t.effect(4)];
                let name = String::from("x");
                for i in 0..2 {
                    let n = cx
                        .peer
                        .elicit::<Count>(format!("{name} {i}?"))
                        .await?
                        .ok_or("none")?
                        .n;
                    if n > 1 {
                        list.push(n);
                    } else {
                        continue;
                    }
                    let Some(last) = list.last() else { break };
                    t.effect(*last);
                }
                let word = match list.len() {
                    1 => "one",
                    k if k > 2 => {
                        let sure = cx.peer.elicit::<Confirm>("sure?").await?.ok_or("none")?.ok;
                        if sure { "many" } else { "some" }
                    }
                    _ => "few",
                };
                Ok(format!("{list:?} {word} {name}"))
            }
        }
        pub use inner::run;
    }

    mod saga {
        use super::*;

        #[deny(warnings, unused, deprecated)]
        mod inner {
            use super::{Confirm, Count, Failure, RequestContext, RoleServer, Trace};
            #[saga_runtime::saga]
            pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
                let mut list = vec![t.effect(4)];
                let name = String::from("x");
                for i in 0..2 {
                    let n = cx
                        .peer
                        .elicit::<Count>(format!("{name} {i}?"))
                        .await?
                        .ok_or("none")?
                        .n;
                    if n > 1 {
                        list.push(n);
                    } else {
                        continue;
                    }
                    let Some(last) = list.last() else { break };
                    t.effect(*last);
                }
                let word = match list.len() {
                    1 => "one",
                    k if k > 2 => {
                        let sure = cx.peer.elicit::<Confirm>("sure?").await?.ok_or("none")?.ok;
                        if sure { "many" } else { "some" }
                    }
                    _ => "few",
                };
                Ok(format!("{list:?} {word} {name}"))
            }
        }
        pub use inner::run;
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "lints_05",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `max_by_key`, `min_by`, `find` giving references.
mod max_by_key_01 {
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
    struct Offer {
        who: String,
        price: i64,
    }

    tests::cases! {
        async fn max_by_key_01(cx, t) {
            let offers = vec![Offer { who: "a".into(), price: 5 }, Offer { who: "b".into(), price: 2 }, Offer { who: "c".into(), price: 9 }];
            let cheapest = offers.iter().min_by_key(|o| o.price).ok_or("none")?;
            let dearest = offers.iter().max_by(|a, b| a.price.cmp(&b.price));
            let ok = cx.peer.elicit::<Confirm>(format!("take {}?", cheapest.who)).await?.ok_or("none")?.ok;
            t.effect(cheapest.price);
            let second = offers.iter().find(|o| o.who != cheapest.who && o.price > COMPARE);
            const COMPARE: i64 = 3;
            let n = cx.peer.elicit::<Count>(second.map_or("none", |o| o.who.as_str())).await?.ok_or("none")?.n;
            Ok(format!("{cheapest:?} {dearest:?} {second:?} {ok} {n}"))
        }
    }
}

/// A file organiser: grouping by extension, a plan, per-group confirmation, results as JSON.
mod real_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use serde_json::{Value, json};
    use std::collections::BTreeMap;

    tests::cases! {
        async fn real_02(cx, t) {
            let listing = json!({ "root": "/srv", "files": [{ "path": "a/x.rs", "size": 3 }, { "path": "b.md", "size": 9 }, { "path": "c/y.rs", "size": 1 }, { "path": "noext" , "size": 4 }] });
            let root = listing["root"].as_str().ok_or("no root")?;
            let files = listing.get("files").and_then(Value::as_array).ok_or("no files")?;
            let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for file in files {
                let path = file["path"].as_str().unwrap_or_default();
                let ext = path.rsplit('/').next().unwrap_or(path).rsplit_once('.').map_or("none", |(_, ext)| ext);
                groups.entry(ext).or_default().push(path);
            }
            let mut moved = Vec::new();
            let mut skipped = 0usize;
            for (ext, paths) in groups.iter().filter(|(_, paths)| !paths.is_empty()) {
                let total: u64 = files.iter().filter(|f| paths.iter().any(|p| f["path"] == **p)).filter_map(|f| f["size"].as_u64()).sum();
                match cx.peer.elicit::<Confirm>(format!("Move {} .{ext} files ({total} B) under {root}?", paths.len())).await? {
                    Some(Confirm { ok: true }) => for path in paths { moved.push(json!({ "from": path, "to": format!("{root}/{ext}/{path}") })); t.note(path); },
                    Some(_) => skipped += paths.len(),
                    None => break,
                }
            }
            let summary = json!({ "moved": moved, "skipped": skipped, "note": cx.peer.elicit::<Text>("A note?").await?.ok_or("none")?.text });
            Ok(summary.to_string())
        }
    }
}

/// A helper chain with borrowed views: parse, validate, ask field by field, build.
mod real_03 {
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

        use std::borrow::Cow;
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum Need {
            Must,
            May,
        }
        pub struct Field {
            name: &'static str,
            need: Need,
            help: &'static str,
        }
        const FIELDS: &[Field] = &[
            Field {
                name: "host",
                need: Need::Must,
                help: "where",
            },
            Field {
                name: "port",
                need: Need::May,
                help: "which",
            },
        ];
        fn normalise(raw: &str) -> Cow<'_, str> {
            if raw.trim().len() == raw.len() {
                Cow::Borrowed(raw)
            } else {
                Cow::Owned(raw.trim().to_owned())
            }
        }
        async fn field(
            peer: &Peer<RoleServer>,
            t: &Trace,
            field: &Field,
            given: Option<&str>,
        ) -> Result<Option<String>, Failure> {
            if let Some(given) = given.map(normalise).filter(|given| !given.is_empty()) {
                t.note("given");
                return Ok(Some(given.into_owned()));
            }
            for attempt in 1.. {
                let answer = peer
                    .elicit::<Text>(format!(
                        "{} ({}), attempt {attempt}",
                        field.name, field.help
                    ))
                    .await?;
                let text = answer
                    .as_ref()
                    .map(|answer| normalise(&answer.text))
                    .unwrap_or_default();
                t.effect(text.len());
                match (field.need, text.is_empty()) {
                    (_, false) => return Ok(Some(text.into_owned())),
                    (Need::May, true) => return Ok(None),
                    (Need::Must, true) if attempt >= 2 => {
                        return Err(Failure(format!("no {}", field.name)));
                    }
                    (Need::Must, true) => continue,
                }
            }
            unreachable!()
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let raw = t.effect(String::from("host= , port=80"));
            let given: Vec<(&str, &str)> = raw
                .split(',')
                .filter_map(|part| part.trim().split_once('='))
                .collect();
            let mut out = Vec::new();
            for known in FIELDS {
                let value = given
                    .iter()
                    .find(|(name, _)| *name == known.name)
                    .map(|(_, value)| *value);
                let value = field(&cx.peer, t, known, value).await?;
                out.push(format!(
                    "{}={}",
                    known.name,
                    value.as_deref().unwrap_or("-")
                ));
            }
            let ok = cx
                .peer
                .elicit::<Confirm>(out.join(";"))
                .await?
                .ok_or("none")?
                .ok;
            Ok(format!("{out:?} {ok}"))
        }
    }

    mod saga {
        use super::*;

        use std::borrow::Cow;
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum Need {
            Must,
            May,
        }
        pub struct Field {
            name: &'static str,
            need: Need,
            help: &'static str,
        }
        const FIELDS: &[Field] = &[
            Field {
                name: "host",
                need: Need::Must,
                help: "where",
            },
            Field {
                name: "port",
                need: Need::May,
                help: "which",
            },
        ];
        fn normalise(raw: &str) -> Cow<'_, str> {
            if raw.trim().len() == raw.len() {
                Cow::Borrowed(raw)
            } else {
                Cow::Owned(raw.trim().to_owned())
            }
        }
        #[saga_runtime::saga]
        async fn field(
            peer: &Peer<RoleServer>,
            t: &Trace,
            field: &Field,
            given: Option<&str>,
        ) -> Result<Option<String>, Failure> {
            if let Some(given) = given.map(normalise).filter(|given| !given.is_empty()) {
                t.note("given");
                return Ok(Some(given.into_owned()));
            }
            for attempt in 1.. {
                let answer = peer
                    .elicit::<Text>(format!(
                        "{} ({}), attempt {attempt}",
                        field.name, field.help
                    ))
                    .await?;
                let text = answer
                    .as_ref()
                    .map(|answer| normalise(&answer.text))
                    .unwrap_or_default();
                t.effect(text.len());
                match (field.need, text.is_empty()) {
                    (_, false) => return Ok(Some(text.into_owned())),
                    (Need::May, true) => return Ok(None),
                    (Need::Must, true) if attempt >= 2 => {
                        return Err(Failure(format!("no {}", field.name)));
                    }
                    (Need::Must, true) => continue,
                }
            }
            unreachable!()
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let raw = t.effect(String::from("host= , port=80"));
            let given: Vec<(&str, &str)> = raw
                .split(',')
                .filter_map(|part| part.trim().split_once('='))
                .collect();
            let mut out = Vec::new();
            for known in FIELDS {
                let value = given
                    .iter()
                    .find(|(name, _)| *name == known.name)
                    .map(|(_, value)| *value);
                let value = field(&cx.peer, t, known, value).await?;
                out.push(format!(
                    "{}={}",
                    known.name,
                    value.as_deref().unwrap_or("-")
                ));
            }
            let ok = cx
                .peer
                .elicit::<Confirm>(out.join(";"))
                .await?
                .ok_or("none")?
                .ok;
            Ok(format!("{out:?} {ok}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "real_03",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        json_pointer_01::all(),
        label_01::all(),
        lints_05::all(),
        max_by_key_01::all(),
        real_02::all(),
        real_03::all(),
    ];
    all.into_iter().flatten().collect()
}
