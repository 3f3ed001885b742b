//! What ordinary and hostile functions do with ordinary.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// `partition` into `(Vec<&T>, Vec<&T>)`, refs over a type without Serialize in self.
mod collect_refs_02 {
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

        pub struct Host {
            name: String,
            up: bool,
        }
        pub struct Server {
            hosts: Vec<Host>,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    hosts: ["a", "b", "c"]
                        .iter()
                        .enumerate()
                        .map(|(i, n)| Host {
                            name: n.to_string(),
                            up: i != 1,
                        })
                        .collect(),
                }
            }

            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let names: Vec<&str> = self
                    .hosts
                    .iter()
                    .filter(|host| host.up)
                    .map(|host| host.name.as_str())
                    .collect();
                let (short, long): (Vec<&str>, Vec<&str>) =
                    names.iter().copied().partition(|name| name.len() < 2);
                let ok = cx
                    .peer
                    .elicit::<Confirm>(names.join(", "))
                    .await?
                    .ok_or("none")?
                    .ok;
                t.effect((&short, &long));
                for name in &names {
                    let n = cx.peer.elicit::<Count>(*name).await?.ok_or("none")?.n;
                    t.effect(n);
                }
                Ok(format!("{names:?} {short:?} {ok}"))
            }
        }
        /// One server per run: all rounds of a call see the same one.
        fn server(t: &Trace) -> std::sync::Arc<Server> {
            static SERVER: std::sync::Mutex<Option<std::sync::Arc<Server>>> =
                std::sync::Mutex::new(None);
            let mut server = SERVER.lock().unwrap();
            if t.events().is_empty() {
                t.note("start");
                *server = Some(std::sync::Arc::new(Server::new()));
            }
            server.clone().unwrap()
        }

        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let server = server(t);
            server.serve(cx, t).await
        }
    }

    mod saga {
        use super::*;

        pub struct Host {
            name: String,
            up: bool,
        }
        pub struct Server {
            hosts: Vec<Host>,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    hosts: ["a", "b", "c"]
                        .iter()
                        .enumerate()
                        .map(|(i, n)| Host {
                            name: n.to_string(),
                            up: i != 1,
                        })
                        .collect(),
                }
            }

            #[saga_runtime::saga]
            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let names: Vec<&str> = self
                    .hosts
                    .iter()
                    .filter(|host| host.up)
                    .map(|host| host.name.as_str())
                    .collect();
                let (short, long): (Vec<&str>, Vec<&str>) =
                    names.iter().copied().partition(|name| name.len() < 2);
                let ok = cx
                    .peer
                    .elicit::<Confirm>(names.join(", "))
                    .await?
                    .ok_or("none")?
                    .ok;
                t.effect((&short, &long));
                for name in &names {
                    let n = cx.peer.elicit::<Count>(*name).await?.ok_or("none")?.n;
                    t.effect(n);
                }
                Ok(format!("{names:?} {short:?} {ok}"))
            }
        }
        /// One server per run: all rounds of a call see the same one.
        fn server(t: &Trace) -> std::sync::Arc<Server> {
            static SERVER: std::sync::Mutex<Option<std::sync::Arc<Server>>> =
                std::sync::Mutex::new(None);
            let mut server = SERVER.lock().unwrap();
            if t.events().is_empty() {
                t.note("start");
                *server = Some(std::sync::Arc::new(Server::new()));
            }
            server.clone().unwrap()
        }

        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let server = server(t);
            server.serve(cx, t).await
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "collect_refs_02",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// A `const` table looked up: values and places.
mod const_table_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    struct Plan {
        name: &'static str,
        price: i64,
    }
    const PLANS: &[Plan] = &[
        Plan {
            name: "free",
            price: 0,
        },
        Plan {
            name: "pro",
            price: 20,
        },
        Plan {
            name: "max",
            price: 90,
        },
    ];
    static NAMES: [(&str, i64); 2] = [("a", 1), ("b", 2)];
    const RATES: &[(&str, i64)] = &[("eur", 100), ("usd", 110)];

    tests::cases! {
        async fn const_table_01(cx, t) {
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let plan = &PLANS[(n % 3) as usize];
            let (name, value) = NAMES[(n % 2) as usize];
            let rate = RATES.iter().find(|(name, _)| *name == "usd").map(|(_, rate)| *rate).ok_or("none")?;
            let price = PLANS.iter().map(|plan| plan.price).max().unwrap_or_default();
            let ok = cx.peer.elicit::<Confirm>(format!("{} for {}?", plan.name, plan.price)).await?.ok_or("none")?.ok;
            t.effect((plan.name, name, value));
            let again = cx.peer.elicit::<Confirm>("again?").await?.ok_or("none")?.ok;
            Ok(format!("{} {} {name} {value} {rate} {price} {ok} {again}", plan.name, plan.price))
        }
    }
}

/// A `const` table of tuples, `find` giving `Option<&(&str, i64)>`.
mod const_table_03 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    const RATES: &[(&str, i64)] = &[("eur", 100), ("usd", 110), ("chf", 95)];

    tests::cases! {
        async fn const_table_03(cx, t) {
            let text = cx.peer.elicit::<Text>("which?").await?.ok_or("none")?.text;
            let found = RATES.iter().find(|(name, _)| text.starts_with(*name));
            let (name, rate) = found.copied().unwrap_or(("eur", 100));
            let ok = cx.peer.elicit::<Confirm>(format!("{name} at {rate}?")).await?.ok_or("none")?.ok;
            t.effect((name, rate));
            let n = cx.peer.elicit::<Count>(name).await?.ok_or("none")?.n;
            Ok(format!("{name} {rate} {n} {ok}"))
        }
    }
}

/// `Cow::Borrowed(&raw)`.
mod cow_01 {
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

    tests::cases! {
        async fn cow_01(cx, t) {
            let raw = cx.peer.elicit::<Text>("text?").await?.ok_or("none")?.text;
            let text = if raw.contains(' ') { Cow::Owned(raw.replace(' ', "-")) } else { Cow::Borrowed(&raw) };
            let ok = cx.peer.elicit::<Confirm>(format!("{text}?")).await?.ok_or("none")?.ok;
            t.note(&text);
            let slice: Cow<'_, [i64]> = Cow::Borrowed(&[1, 2]);
            let again = cx.peer.elicit::<Confirm>(format!("{}", slice.len())).await?.ok_or("none")?.ok;
            Ok(format!("{text} {ok} {again} {slice:?}"))
        }
    }
}

/// `first().map(String::as_str)`.
mod first_map_01 {
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
        async fn first_map_01(cx, t) {
            let names: Vec<String> = ["ann", "bob"].map(String::from).to_vec();
            let first = names.first().map(String::as_str);
            let last = names.last().map(String::as_str).unwrap_or("nobody");
            let ok = cx.peer.elicit::<Confirm>(format!("{first:?}")).await?.ok_or("none")?.ok;
            t.effect((first, last));
            Ok(format!("{first:?} {last} {ok}"))
        }
    }
}

/// `if let (Some(a), Some(b)) = (a, b)` over `Option<&T>` arguments.
mod if_let_pair_01 {
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

        async fn both(
            peer: &Peer<RoleServer>,
            t: &Trace,
            a: Option<&String>,
            b: Option<&i64>,
        ) -> Result<String, Failure> {
            if let (Some(a), Some(b)) = (a, b) {
                let n = peer
                    .elicit::<Count>(format!("{a} {b}"))
                    .await?
                    .ok_or("none")?
                    .n;
                t.effect((a, b));
                let ok = peer.elicit::<Confirm>(a.as_str()).await?.ok_or("none")?.ok;
                return Ok(format!("{a} {b} {n} {ok}"));
            }
            let ok = peer.elicit::<Confirm>("neither?").await?.ok_or("none")?.ok;
            Ok(format!("{:?} {:?} {ok}", a, b))
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let name = String::from("n");
            let count = t.effect(5i64);
            let x = both(&cx.peer, t, Some(&name), Some(&count)).await?;
            let y = both(&cx.peer, t, None, Some(&count)).await?;
            Ok(format!("{x} | {y}"))
        }
    }

    mod saga {
        use super::*;

        #[saga_runtime::saga]
        async fn both(
            peer: &Peer<RoleServer>,
            t: &Trace,
            a: Option<&String>,
            b: Option<&i64>,
        ) -> Result<String, Failure> {
            if let (Some(a), Some(b)) = (a, b) {
                let n = peer
                    .elicit::<Count>(format!("{a} {b}"))
                    .await?
                    .ok_or("none")?
                    .n;
                t.effect((a, b));
                let ok = peer.elicit::<Confirm>(a.as_str()).await?.ok_or("none")?.ok;
                return Ok(format!("{a} {b} {n} {ok}"));
            }
            let ok = peer.elicit::<Confirm>("neither?").await?.ok_or("none")?.ok;
            Ok(format!("{:?} {:?} {ok}", a, b))
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let name = String::from("n");
            let count = t.effect(5i64);
            let x = both(&cx.peer, t, Some(&name), Some(&count)).await?;
            let y = both(&cx.peer, t, None, Some(&count)).await?;
            Ok(format!("{x} | {y}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "if_let_pair_01",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `#![allow(..)]` in the body.
mod inner_allow_01 {
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
        async fn inner_allow_01(cx, t) {
            #![allow(unused_variables, clippy::all)]
            let unused = 3;
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(n);
            Ok(format!("{n}"))
        }
    }
}

/// `&v["items"][0]`.
mod json_index_01 {
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
        async fn json_index_01(cx, t) {
            let v = json!({ "items": [{ "id": 4, "name": "x" }, { "id": 5, "name": "y" }], "total": t.effect(2) });
            let item = &v["items"][0];
            let missing = &v["nope"]["deeper"];
            let ok = cx.peer.elicit::<Confirm>(format!("{}", item["id"])).await?.ok_or("none")?.ok;
            t.effect((item["name"].as_str(), missing.is_null()));
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n as usize;
            let other = &v["items"][n];
            let again = cx.peer.elicit::<Confirm>(other.to_string()).await?.ok_or("none")?.ok;
            Ok(format!("{item} {other} {ok} {again}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        collect_refs_02::all(),
        const_table_01::all(),
        const_table_03::all(),
        cow_01::all(),
        first_map_01::all(),
        if_let_pair_01::all(),
        inner_allow_01::all(),
        json_index_01::all(),
    ];
    all.into_iter().flatten().collect()
}
