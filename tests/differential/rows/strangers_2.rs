//! What functions of strangers showed.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// Closures that are called before and after an ask.
mod closures {
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
      async fn closures(cx, t) {
        let rate = t.effect(3i64);
        let names = vec![String::from("a"), String::from("bb")];
        let price = |n: i64| { t.effect(n); n * rate };
        let by = |i: usize| names.get(i).map(String::as_str).unwrap_or("none");
        let owned = names.clone();
        let first = price(2);
        let n = cx.peer.elicit::<Count>(format!("{} {first}", by(0))).await?.ok_or("none")?.n as i64;
        let rate = 100;
        let total: i64 = [n, 2].iter().map(|q| price(*q)).sum();
        for i in 0..2 {
            let ok = cx.peer.elicit::<Confirm>(by(i)).await?.ok_or("none")?.ok;
            t.effect((ok, price(i as i64), rate));
        }
        Ok(format!("{total} {} {}", by(1), by(7)))
      }
    }
}

/// Indices with effects, evaluated once and in their order.
mod indices {
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
        async fn bump(peer: &Peer<RoleServer>, s: &mut i64, by: i64) -> Result<(), Failure> {
            *s += by;
            let k = peer.elicit::<Count>("bump").await?.ok_or("none")?.n;
            *s += k as i64;
            Ok(())
        }
        async fn sum(peer: &Peer<RoleServer>, s: &[i64]) -> Result<i64, Failure> {
            let k = peer.elicit::<Count>("sum").await?.ok_or("none")?.n;
            Ok(s.iter().sum::<i64>() + k as i64)
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let mut grid = vec![vec![1, 2], vec![3, 4]];
            bump(
                &cx.peer,
                &mut grid[t.effect(1usize)][t.effect(0usize)],
                t.effect(5),
            )
            .await?;
            let list = vec![1, 2, 3, 4];
            let a = sum(&cx.peer, &list[t.effect(1usize)..]).await?;
            let b = sum(&cx.peer, &list[1..3]).await?;
            let c = sum(&cx.peer, &grid[t.effect(0usize)]).await?;
            Ok(format!("{grid:?} {a} {b} {c}"))
        }
    }
    mod saga {
        use super::*;
        #[saga_runtime::saga]
        async fn bump(peer: &Peer<RoleServer>, s: &mut i64, by: i64) -> Result<(), Failure> {
            *s += by;
            let k = peer.elicit::<Count>("bump").await?.ok_or("none")?.n;
            *s += k as i64;
            Ok(())
        }
        #[saga_runtime::saga]
        async fn sum(peer: &Peer<RoleServer>, s: &[i64]) -> Result<i64, Failure> {
            let k = peer.elicit::<Count>("sum").await?.ok_or("none")?.n;
            Ok(s.iter().sum::<i64>() + k as i64)
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let mut grid = vec![vec![1, 2], vec![3, 4]];
            bump(
                &cx.peer,
                &mut grid[t.effect(1usize)][t.effect(0usize)],
                t.effect(5),
            )
            .await?;
            let list = vec![1, 2, 3, 4];
            let a = sum(&cx.peer, &list[t.effect(1usize)..]).await?;
            let b = sum(&cx.peer, &list[1..3]).await?;
            let c = sum(&cx.peer, &grid[t.effect(0usize)]).await?;
            Ok(format!("{grid:?} {a} {b} {c}"))
        }
    }
    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "indices",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// Items of a collection, and parts of temporaries, given to a call that asks.
mod operands {
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
        #[derive(Debug, Serialize, Deserialize, Clone)]
        pub struct Item {
            n: i64,
        }
        impl Item {
            async fn edit(&mut self, peer: &Peer<RoleServer>, t: &Trace) -> Result<i64, Failure> {
                self.n += 1;
                let k = peer
                    .elicit::<Count>(format!("{}", self.n))
                    .await?
                    .ok_or("none")?
                    .n;
                self.n += k as i64;
                Ok(self.n)
            }
            async fn look(&self, peer: &Peer<RoleServer>, t: &Trace) -> Result<i64, Failure> {
                let k = peer
                    .elicit::<Count>(format!("l{}", self.n))
                    .await?
                    .ok_or("none")?
                    .n;
                Ok(self.n + k as i64)
            }
        }
        async fn see(peer: &Peer<RoleServer>, s: &str) -> Result<usize, Failure> {
            let k = peer.elicit::<Count>(s).await?.ok_or("none")?.n;
            Ok(s.len() + k as usize)
        }
        async fn sum(peer: &Peer<RoleServer>, s: &[i64]) -> Result<i64, Failure> {
            let k = peer.elicit::<Count>("sum").await?.ok_or("none")?.n;
            Ok(s.iter().sum::<i64>() + k as i64)
        }
        async fn bump(peer: &Peer<RoleServer>, s: &mut i64) -> Result<(), Failure> {
            *s += 1;
            let k = peer.elicit::<Count>("bump").await?.ok_or("none")?.n;
            *s += k as i64;
            Ok(())
        }
        fn make(t: &Trace) -> Vec<i64> {
            t.note("make");
            vec![1, 2, 3]
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let mut items = vec![Item { n: 1 }, Item { n: 2 }];
            let mut i = 0;
            let a = items[1].edit(&cx.peer, t).await?;
            let b = items[{
                i += 1;
                t.note("ix");
                i
            }]
            .look(&cx.peer, t)
            .await?;
            let name = String::from(" abc ");
            let c = see(&cx.peer, name.to_uppercase().trim()).await?;
            let d = see(&cx.peer, c.to_string().as_str()).await?;
            let e = sum(&cx.peer, &make(t)[1..]).await?;
            let mut list = vec![1, 2, 3];
            bump(&cx.peer, &mut list[0]).await?;
            i = 2;
            bump(&cx.peer, &mut list[i]).await?;
            let mut grid = vec![vec![1, 2], vec![3, 4]];
            bump(&cx.peer, &mut grid[1][i - 1]).await?;
            Ok(format!("{a} {b} {c} {d} {e} {items:?} {list:?} {grid:?}"))
        }
    }
    mod saga {
        use super::*;
        #[derive(Debug, Serialize, Deserialize, Clone)]
        pub struct Item {
            n: i64,
        }
        impl Item {
            #[saga_runtime::saga]
            async fn edit(&mut self, peer: &Peer<RoleServer>, t: &Trace) -> Result<i64, Failure> {
                self.n += 1;
                let k = peer
                    .elicit::<Count>(format!("{}", self.n))
                    .await?
                    .ok_or("none")?
                    .n;
                self.n += k as i64;
                Ok(self.n)
            }
            #[saga_runtime::saga]
            async fn look(&self, peer: &Peer<RoleServer>, t: &Trace) -> Result<i64, Failure> {
                let k = peer
                    .elicit::<Count>(format!("l{}", self.n))
                    .await?
                    .ok_or("none")?
                    .n;
                Ok(self.n + k as i64)
            }
        }
        #[saga_runtime::saga]
        async fn see(peer: &Peer<RoleServer>, s: &str) -> Result<usize, Failure> {
            let k = peer.elicit::<Count>(s).await?.ok_or("none")?.n;
            Ok(s.len() + k as usize)
        }
        #[saga_runtime::saga]
        async fn sum(peer: &Peer<RoleServer>, s: &[i64]) -> Result<i64, Failure> {
            let k = peer.elicit::<Count>("sum").await?.ok_or("none")?.n;
            Ok(s.iter().sum::<i64>() + k as i64)
        }
        #[saga_runtime::saga]
        async fn bump(peer: &Peer<RoleServer>, s: &mut i64) -> Result<(), Failure> {
            *s += 1;
            let k = peer.elicit::<Count>("bump").await?.ok_or("none")?.n;
            *s += k as i64;
            Ok(())
        }
        fn make(t: &Trace) -> Vec<i64> {
            t.note("make");
            vec![1, 2, 3]
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let mut items = vec![Item { n: 1 }, Item { n: 2 }];
            let mut i = 0;
            let a = items[1].edit(&cx.peer, t).await?;
            let b = items[{
                i += 1;
                t.note("ix");
                i
            }]
            .look(&cx.peer, t)
            .await?;
            let name = String::from(" abc ");
            let c = see(&cx.peer, name.to_uppercase().trim()).await?;
            let d = see(&cx.peer, c.to_string().as_str()).await?;
            let e = sum(&cx.peer, &make(t)[1..]).await?;
            let mut list = vec![1, 2, 3];
            bump(&cx.peer, &mut list[0]).await?;
            i = 2;
            bump(&cx.peer, &mut list[i]).await?;
            let mut grid = vec![vec![1, 2], vec![3, 4]];
            bump(&cx.peer, &mut grid[1][i - 1]).await?;
            Ok(format!("{a} {b} {c} {d} {e} {items:?} {list:?} {grid:?}"))
        }
    }
    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "operands",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// References beside values of types of one's own.
mod pairs {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::collections::{BTreeMap, HashMap};
    #[derive(Debug, Serialize, Deserialize, PartialEq)]
    struct Size(i64);
    #[derive(Debug, Serialize, Deserialize)]
    enum State {
        Up,
        Down(String),
    }
    tests::cases! {
      async fn pairs(cx, t) {
        let files = vec![String::from("a.rs"), String::from("b.rs")];
        let sizes: Vec<_> = files.iter().map(|f| (f.as_str(), Size(t.effect(f.len() as i64)))).collect();
        let mut states: BTreeMap<&str, State> = BTreeMap::new();
        let mut log: HashMap<&str, Vec<Size>> = HashMap::new();
        for file in &files {
            let ok = cx.peer.elicit::<Confirm>(file.as_str()).await?.ok_or("none")?.ok;
            states.insert(file, if ok { State::Up } else { State::Down(file.clone()) });
            log.entry(file.as_str()).or_default().push(Size(ok as i64));
        }
        let worst = sizes.iter().map(|(f, s)| (*f, s.0)).max_by_key(|(_, s)| *s);
        let held = (files[0].as_str(), Size(7), State::Up);
        let n = cx.peer.elicit::<Count>(format!("{worst:?}")).await?.ok_or("none")?.n;
        Ok(format!("{sizes:?} {states:?} {held:?} {n} {:?}", log.get("a.rs")))
      }
    }
}

/// A field that a `vec!` takes, and an answer that is held where something is imported.
mod parts {
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
      async fn parts(cx, t) {
        let answer = cx.peer.elicit::<Text>("part?").await?.ok_or("none")?;
        let taken = { let taken = vec![answer.text].remove(0); cx.peer.elicit::<Confirm>("more?").await?; t.effect(&answer.note); taken };
        let mut all = 0;
        {
            use std::cmp::max;
            if let (Ok(Some(count)), sure) = tokio::join!(cx.peer.elicit::<Count>("n"), cx.peer.elicit::<Confirm>("sure?")) {
                all = max(count.n, 1);
                cx.peer.elicit::<Confirm>("between").await?;
                t.effect(sure.is_ok());
            }
        }
        Ok(format!("{taken} {all}"))
      }
    }
}

/// Types with `&'static str` in them.
mod static_fields {
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
    struct Question {
        id: &'static str,
        most: i64,
    }
    #[derive(Debug, Serialize, Deserialize)]
    enum Step {
        Done,
        Failed(&'static str),
        Note {
            text: String,
            of: Option<&'static str>,
        },
    }
    const ALL: [Question; 2] = [
        Question {
            id: "like",
            most: 5,
        },
        Question {
            id: "again",
            most: 9,
        },
    ];
    fn named(id: &'static str) -> &'static str {
        id
    }
    tests::cases! {
      async fn static_fields(cx, t) {
        let mut steps = vec![Step::Done];
        let first = ALL[0];
        for question in ALL {
            let n = cx.peer.elicit::<Count>(question.id).await?.ok_or("none")?.n;
            steps.push(if n as i64 > question.most { Step::Failed(named(question.id)) } else { Step::Note { text: format!("{n}"), of: Some(question.id) } });
            t.effect(steps.len());
        }
        let ok = cx.peer.elicit::<Confirm>(first.id).await?.ok_or("none")?.ok;
        Ok(format!("{steps:?} {first:?} {ok} {}", named(first.id)))
      }
    }
}

/// `&'static str` in a collection, and an inclusive range that is only looked at.
mod statics {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    fn show(v: Option<&'static str>) -> String {
        format!("{v:?}")
    }
    fn rows(v: Vec<(&'static str, u32)>) -> String {
        format!("{v:?}")
    }
    tests::cases! {
      async fn statics(cx, t) {
        let m: Option<&'static str> = t.effect(Some("a"));
        let mut all: Vec<(&'static str, u32)> = Vec::new();
        all.push(("x", 1));
        let ok = cx.peer.elicit::<Confirm>("a?").await?.ok_or("none")?.ok;
        all.push(("y", 2));
        let n = cx.peer.elicit::<Count>("a?").await?.ok_or("none")?.n;
        let valid = 1..=3;
        let k = cx.peer.elicit::<Count>("k?").await?.ok_or("none")?.n;
        Ok(format!("{} {} {}", show(m), rows(all), valid.contains(&(k as i64))))
      }
    }
}

/// Loops over a temporary.
mod tmpiter {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    fn make(t: &Trace) -> Vec<String> {
        t.note("made");
        vec!["a".into(), "b".into()]
    }
    tests::cases! {
      async fn tmpiter(cx, t) {
        let mut n = 0;
        for x in make(t).iter() {
            if cx.peer.elicit::<Confirm>(x.as_str()).await?.ok_or("none")?.ok { n += x.len(); }
        }
        for (i, x) in make(t).iter().enumerate() {
            if cx.peer.elicit::<Confirm>(x.as_str()).await?.ok_or("none")?.ok { n += x.len() + i; }
        }
        Ok(format!("{n}"))
      }
    }
}

/// Loops that change values and chunks.
mod valuesmut {
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
      async fn valuesmut(cx, t) {
        let mut m: std::collections::BTreeMap<String, i64> = Default::default();
        m.insert("a".into(), 1); m.insert("b".into(), 2);
        for v in m.values_mut() { let n = cx.peer.elicit::<Count>("x").await?.ok_or("none")?.n; *v += n as i64; }
        for (k, v) in m.iter_mut() { let n = cx.peer.elicit::<Count>(k.as_str()).await?.ok_or("none")?.n; *v += n as i64; }
        for (k, v) in &mut m { let n = cx.peer.elicit::<Count>(k.as_str()).await?.ok_or("none")?.n; *v += n as i64; }
        let mut a = [1, 2, 3, 4, 5];
        for c in a.chunks_mut(2) { let n = cx.peer.elicit::<Count>("x").await?.ok_or("none")?.n; c[0] += n as i64; }
        Ok(format!("{m:?} {a:?}"))
      }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        closures::all(),
        indices::all(),
        operands::all(),
        pairs::all(),
        parts::all(),
        static_fields::all(),
        statics::all(),
        tmpiter::all(),
        valuesmut::all(),
    ];
    all.into_iter().flatten().collect()
}
