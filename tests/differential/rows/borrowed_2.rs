//! What ordinary and hostile functions do with borrowed.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// References into arguments of a helper, found by functions.
mod ref_arg_01 {
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

        #[derive(Debug, Clone, Serialize, Deserialize)]
        pub struct Rule {
            name: String,
            weight: i64,
        }
        pub fn best<'a>(t: &Trace, rules: &'a [Rule]) -> Option<&'a Rule> {
            t.note("best");
            rules.iter().max_by_key(|r| r.weight)
        }
        async fn choose(
            peer: &Peer<RoleServer>,
            t: &Trace,
            rules: &[Rule],
        ) -> Result<String, Failure> {
            let Some(rule) = best(t, rules) else {
                return Ok("none".into());
            };
            let ok = peer
                .elicit::<Confirm>(format!("use {}?", rule.name))
                .await?
                .ok_or("none")?
                .ok;
            let n = peer
                .elicit::<Count>(format!("weight {}", rule.weight))
                .await?
                .ok_or("none")?
                .n;
            Ok(format!("{} {ok} {n}", rule.name))
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let rules = vec![
                Rule {
                    name: "a".into(),
                    weight: 2,
                },
                Rule {
                    name: "b".into(),
                    weight: t.effect(5),
                },
            ];
            let first = choose(&cx.peer, t, &rules).await?;
            let second = choose(&cx.peer, t, &rules[..1]).await?;
            Ok(format!("{first} {second}"))
        }
    }

    mod saga {
        use super::*;

        #[derive(Debug, Clone, Serialize, Deserialize)]
        pub struct Rule {
            name: String,
            weight: i64,
        }
        pub fn best<'a>(t: &Trace, rules: &'a [Rule]) -> Option<&'a Rule> {
            t.note("best");
            rules.iter().max_by_key(|r| r.weight)
        }
        #[saga_runtime::saga]
        async fn choose(
            peer: &Peer<RoleServer>,
            t: &Trace,
            rules: &[Rule],
        ) -> Result<String, Failure> {
            let Some(rule) = best(t, rules) else {
                return Ok("none".into());
            };
            let ok = peer
                .elicit::<Confirm>(format!("use {}?", rule.name))
                .await?
                .ok_or("none")?
                .ok;
            let n = peer
                .elicit::<Count>(format!("weight {}", rule.weight))
                .await?
                .ok_or("none")?
                .n;
            Ok(format!("{} {ok} {n}", rule.name))
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let rules = vec![
                Rule {
                    name: "a".into(),
                    weight: 2,
                },
                Rule {
                    name: "b".into(),
                    weight: t.effect(5),
                },
            ];
            let first = choose(&cx.peer, t, &rules).await?;
            let second = choose(&cx.peer, t, &rules[..1]).await?;
            Ok(format!("{first} {second}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "ref_arg_01",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `&T` that a function found, `T: Serialize`: stored into an arena.
mod ref_found_01 {
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
    struct User {
        id: u32,
        name: String,
    }
    fn longest<'a>(t: &Trace, users: &'a [User]) -> &'a User {
        t.note("longest");
        users.iter().max_by_key(|u| u.name.len()).unwrap()
    }

    tests::cases! {
        async fn ref_found_01(cx, t) {
            let users = vec![User { id: 1, name: "al".into() }, User { id: 2, name: "beatrix".into() }];
            let user = longest(t, &users);
            let ok = cx.peer.elicit::<Confirm>(format!("remove {}?", user.name)).await?.ok_or("none")?.ok;
            t.effect(user.id);
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            Ok(format!("{user:?} {ok} {n} {}", users.len()))
        }
    }
}

/// `Option<&T>` by `find`, with a counting closure.
mod ref_found_02 {
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
    struct Job {
        id: i64,
        state: String,
    }

    tests::cases! {
        async fn ref_found_02(cx, t) {
            let jobs = vec![Job { id: 1, state: "done".into() }, Job { id: 2, state: "open".into() }, Job { id: 3, state: "open".into() }];
            let open = jobs.iter().find(|job| t.effect(job.id) > 0 && job.state == "open");
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let more = jobs.iter().filter(|job| job.id >= n).last();
            let ok = cx.peer.elicit::<Confirm>(format!("{:?}?", open.map(|job| job.id))).await?.ok_or("none")?.ok;
            Ok(format!("{open:?} {more:?} {ok}"))
        }
    }
}

/// `Vec<&T>`.
mod ref_found_03 {
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
    struct Host {
        name: String,
        up: bool,
    }

    tests::cases! {
        async fn ref_found_03(cx, t) {
            let hosts = vec![Host { name: "a".into(), up: true }, Host { name: "b".into(), up: false }, Host { name: "c".into(), up: true }];
            let up: Vec<&Host> = hosts.iter().filter(|host| { t.note(&host.name); host.up }).collect();
            let mut stopped = Vec::new();
            for host in up.iter() {
                if cx.peer.elicit::<Confirm>(format!("stop {}?", host.name)).await?.ok_or("none")?.ok { stopped.push(host.name.clone()); }
            }
            let n = cx.peer.elicit::<Count>(format!("{} up", up.len())).await?.ok_or("none")?.n;
            Ok(format!("{stopped:?} {up:?} {n}"))
        }
    }
}

/// `Option<&T>` by a map's `get`, the map changes later.
mod ref_map_get_01 {
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
        async fn ref_map_get_01(cx, t) {
            use std::collections::BTreeMap;
            let mut stock = BTreeMap::from([(String::from("apple"), 3i64), (String::from("pear"), 5)]);
            let before = stock.get("pear");
            let ok = cx.peer.elicit::<Confirm>(format!("{before:?}")).await?.ok_or("none")?.ok;
            let had = before.copied();
            stock.insert("pear".into(), 9);
            let after = stock.get("pear");
            let n = cx.peer.elicit::<Count>(format!("{after:?}")).await?.ok_or("none")?.n;
            Ok(format!("{had:?} {after:?} {ok} {n}"))
        }
    }
}

/// `&T`: a place of self re-borrowed (`&self.http`), the type not Serialize.
mod ref_place_01 {
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

        pub struct Http {
            base: String,
        }
        impl Http {
            fn get(&self, t: &Trace, path: &str) -> String {
                t.note(path);
                format!("{}/{path}", self.base)
            }
        }
        pub struct Server {
            http: Http,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    http: Http {
                        base: "http://x".into(),
                    },
                }
            }

            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let http = &self.http;
                let a = http.get(t, "a");
                let n = cx.peer.elicit::<Count>(a).await?.ok_or("none")?.n;
                let b = http.get(t, &format!("b{n}"));
                let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
                Ok(format!("{b} {ok} {}", http.base))
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

        pub struct Http {
            base: String,
        }
        impl Http {
            fn get(&self, t: &Trace, path: &str) -> String {
                t.note(path);
                format!("{}/{path}", self.base)
            }
        }
        pub struct Server {
            http: Http,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    http: Http {
                        base: "http://x".into(),
                    },
                }
            }

            #[saga_runtime::saga]
            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let http = &self.http;
                let a = http.get(t, "a");
                let n = cx.peer.elicit::<Count>(a).await?.ok_or("none")?.n;
                let b = http.get(t, &format!("b{n}"));
                let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
                Ok(format!("{b} {ok} {}", http.base))
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
            name: "ref_place_01",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `&T`: `&list[i]`, `&v[i].field` with an index that changes afterwards.
mod ref_place_02 {
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
    struct Item {
        name: String,
        price: i64,
    }

    tests::cases! {
        async fn ref_place_02(cx, t) {
            let list = vec![Item { name: "a".into(), price: 1 }, Item { name: "b".into(), price: 2 }, Item { name: "c".into(), price: 3 }];
            let mut i = 1;
            let item = &list[i];
            let name = &list[i + 1].name;
            i += 1;
            let n = cx.peer.elicit::<Count>(name.as_str()).await?.ok_or("none")?.n;
            t.effect(&item.name);
            i += 10;
            let ok = cx.peer.elicit::<Confirm>(format!("{}", item.price)).await?.ok_or("none")?.ok;
            Ok(format!("{item:?} {name} {i} {n} {ok}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        ref_arg_01::all(),
        ref_found_01::all(),
        ref_found_02::all(),
        ref_found_03::all(),
        ref_map_get_01::all(),
        ref_place_01::all(),
        ref_place_02::all(),
    ];
    all.into_iter().flatten().collect()
}
