//! What functions of strangers showed.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// `x @ Pattern` on a reference.
mod atref {
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
    enum E {
        A(i64),
        B,
    }
    tests::cases! {
      async fn atref(cx, t) {
        let e = E::A(2); let a = Some(3); let v = vec![None, Some(1), Some(5)];
        let s = match &e { w @ E::A(_) => { let k = cx.peer.elicit::<Count>("k?").await?.ok_or("none")?.n; format!("{w:?}{k}") } E::B => String::new() };
        if let x @ Some(_) = &a { cx.peer.elicit::<Count>("k?").await?; t.effect(format!("{x:?}")); }
        for o in &v { match o { y @ (None | Some(1)) => { cx.peer.elicit::<Count>("k?").await?; t.effect(format!("{y:?}")); } _ => {} } }
        Ok(s)
      }
    }
}

/// Blocks that end in a call that does not return.
mod diverge {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    fn fail() -> ! {
        panic!("x")
    }
    macro_rules! err {
        ($e:expr) => {
            return Err(Failure::from($e))
        };
    }
    tests::cases! {
      async fn diverge(cx, t) {
        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
        let m = match n { 0 => { cx.peer.elicit::<Confirm>("zero?").await?; 1 } 1 => { err!("one"); } _ => { cx.peer.elicit::<Confirm>("more?").await?; 3 } };
        t.effect(m);
        if m < 5 { return Ok(format!("{m}")); }
        fail();
      }
    }
}

/// A variable that only an async block assigns.
mod e0381 {
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
      async fn e0381(cx, t) {
        let mut y = String::new();
        let mut k = 0;
        loop {
            k += 1;
            if k > 3 { break; }
            if (async { y = t.fetch(String::from("s")).await; Ok::<bool, Failure>(true) }.await).unwrap_or_else(|_| false) && k > 1 {
                t.note("yes");
            } else if cx.peer.elicit::<Confirm>("a").await?.ok_or("none")?.ok { t.note("two"); } else { t.note("three"); }
        }
        Ok(String::new())
      }
    }
}

/// What is looked up in a collection to be changed.
mod getmut {
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
      async fn getmut(cx, t) {
        let mut m: std::collections::HashMap<String, Vec<i64>> = Default::default();
        m.insert("a".into(), vec![1]);
        let key = String::from("a");
        if let Some(list) = m.get_mut(&key) {
            let n = cx.peer.elicit::<Count>("x").await?.ok_or("none")?.n;
            list.push(n as i64);
            let k = cx.peer.elicit::<Count>("y").await?.ok_or("none")?.n;
            list.push(k as i64);
        }
        let Some(other) = m.get_mut("a") else { return Err("gone".into()) };
        let n = cx.peer.elicit::<Count>("x").await?.ok_or("none")?.n;
        other[0] += n as i64;
        let mut list = vec![1, 2, 3];
        let last = list.last_mut().ok_or("empty")?;
        let n = cx.peer.elicit::<Count>("x").await?.ok_or("none")?.n;
        *last += n as i64;
        let mut some = Some(4);
        if let Some(x) = some.as_mut() { *x += cx.peer.elicit::<Count>("z").await?.ok_or("none")?.n; *x += 1; }
        let none = list.get_mut(7).ok_or("none at 7")?;
        cx.peer.elicit::<Count>("never").await?;
        *none += 1;
        Ok(format!("{m:?} {list:?} {some:?}"))
      }
    }
}

/// A helper's arguments that cannot be stored: the call that is made again gives them again.
mod given {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::Deserialize;
    use std::sync::{Arc, Mutex};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    mod plain {
        use super::*;
        #[derive(Clone)]
        pub struct Client {
            base: String,
            open: Arc<Mutex<Vec<String>>>,
        }
        impl Client {
            fn new() -> Self {
                Self {
                    base: "http://x".into(),
                    open: Arc::default(),
                }
            }
            async fn get(&self, t: &Trace, path: &str) -> String {
                t.fetch(format!("{}/{path}", self.base)).await
            }
        }
        pub struct Desk {
            client: Client,
            lent: Arc<Mutex<Vec<String>>>,
        }
        /// One desk for all rounds of a call.
        fn desk(t: &Trace) -> Arc<Desk> {
            static DESK: Mutex<Option<Arc<Desk>>> = Mutex::new(None);
            let mut desk = DESK.lock().unwrap();
            if t.events().is_empty() {
                t.note("start");
                *desk = Some(Arc::new(Desk {
                    client: Client::new(),
                    lent: Arc::default(),
                }));
            }
            desk.clone().unwrap()
        }
        async fn fetch(
            client: Client,
            lent: Arc<Mutex<Vec<String>>>,
            peer: &Peer<RoleServer>,
            t: &Trace,
            name: String,
        ) -> Result<String, Failure> {
            let page = client.get(t, &name).await;
            lent.lock().unwrap().push(page.clone());
            let ok = peer
                .elicit::<Confirm>(page.as_str())
                .await?
                .ok_or("none")?
                .ok;
            lent.lock().unwrap().push(format!("{ok}"));
            let more = client.get(t, "more").await;
            let n = peer.elicit::<Count>(more).await?.ok_or("none")?.n;
            let count = lent.lock().unwrap().len();
            drop(client);
            Ok(format!("{name} {ok} {n} {count}"))
        }
        async fn within<F: Fn(i64) -> i64>(
            peer: &Peer<RoleServer>,
            change: F,
        ) -> Result<i64, Failure> {
            let n = peer.elicit::<Count>("within").await?.ok_or("none")?.n;
            Ok(change(n as i64))
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let desk = desk(t);
            serve(&desk, cx, t).await
        }
        async fn serve(
            desk: &Desk,
            cx: RequestContext<RoleServer>,
            t: &Trace,
        ) -> Result<String, Failure> {
            let text = fetch(
                desk.client.clone(),
                desk.lent.clone(),
                &cx.peer,
                t,
                "a".into(),
            )
            .await?;
            let changed = within(&cx.peer, |n| n * 2).await?;
            let all = desk.lent.lock().unwrap().clone();
            Ok(format!("{text} {changed} {all:?}"))
        }
    }
    mod saga {
        use super::*;
        #[derive(Clone)]
        pub struct Client {
            base: String,
            open: Arc<Mutex<Vec<String>>>,
        }
        impl Client {
            fn new() -> Self {
                Self {
                    base: "http://x".into(),
                    open: Arc::default(),
                }
            }
            async fn get(&self, t: &Trace, path: &str) -> String {
                t.fetch(format!("{}/{path}", self.base)).await
            }
        }
        pub struct Desk {
            client: Client,
            lent: Arc<Mutex<Vec<String>>>,
        }
        /// One desk for all rounds of a call.
        fn desk(t: &Trace) -> Arc<Desk> {
            static DESK: Mutex<Option<Arc<Desk>>> = Mutex::new(None);
            let mut desk = DESK.lock().unwrap();
            if t.events().is_empty() {
                t.note("start");
                *desk = Some(Arc::new(Desk {
                    client: Client::new(),
                    lent: Arc::default(),
                }));
            }
            desk.clone().unwrap()
        }
        #[saga_runtime::saga]
        async fn fetch(
            client: Client,
            lent: Arc<Mutex<Vec<String>>>,
            peer: &Peer<RoleServer>,
            t: &Trace,
            name: String,
        ) -> Result<String, Failure> {
            let page = client.get(t, &name).await;
            lent.lock().unwrap().push(page.clone());
            let ok = peer
                .elicit::<Confirm>(page.as_str())
                .await?
                .ok_or("none")?
                .ok;
            lent.lock().unwrap().push(format!("{ok}"));
            let more = client.get(t, "more").await;
            let n = peer.elicit::<Count>(more).await?.ok_or("none")?.n;
            let count = lent.lock().unwrap().len();
            drop(client);
            Ok(format!("{name} {ok} {n} {count}"))
        }
        #[saga_runtime::saga]
        async fn within<F: Fn(i64) -> i64>(
            peer: &Peer<RoleServer>,
            change: F,
        ) -> Result<i64, Failure> {
            let n = peer.elicit::<Count>("within").await?.ok_or("none")?.n;
            Ok(change(n as i64))
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let desk = desk(t);
            serve(&desk, cx, t).await
        }
        #[saga_runtime::saga]
        async fn serve(
            desk: &Desk,
            cx: RequestContext<RoleServer>,
            t: &Trace,
        ) -> Result<String, Failure> {
            let text = fetch(
                desk.client.clone(),
                desk.lent.clone(),
                &cx.peer,
                t,
                "a".into(),
            )
            .await?;
            let changed = within(&cx.peer, |n| n * 2).await?;
            let all = desk.lent.lock().unwrap().clone();
            Ok(format!("{text} {changed} {all:?}"))
        }
    }
    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "given",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `use` in a block.
mod imports {
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
    enum Path {
        Key(String),
        Index(i64),
        Root,
    }
    fn limit() -> i64 {
        100
    }
    mod small {
        pub fn limit() -> i64 {
            1
        }
    }
    tests::cases! {
      async fn imports(cx, t) {
        let all = vec![Path::Key("k".into()), Path::Index(2), Path::Root];
        t.effect(limit());
        for p in &all {
            use Path::*;
            use std::fmt::Write;
            let mut s = String::new();
            let shown = match p { Key(k) => { let ok = cx.peer.elicit::<Confirm>(k.as_str()).await?.ok_or("none")?.ok; write!(s, "{ok}").unwrap(); s } Index(i) if *i > 5 => "big".to_string(), Index(i) => format!("{i}"), Root => "root".into() };
            t.effect(shown);
        }
        if cx.peer.elicit::<Confirm>("small?").await?.ok_or("none")?.ok {
            use small::limit;
            t.effect(limit());
            let n = cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n;
            t.effect((n, limit()));
        }
        t.effect(limit());
        let v = { use small::*; let n = cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n; n as i64 + small::limit() };
        Ok(format!("{v} {}", limit()))
      }
    }
}

/// Destructuring assignments.
mod late {
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
      async fn late(cx, t) {
        let s; let n;
        (s, n) = ("x".to_string(), 5);
        let k = cx.peer.elicit::<Count>(s.as_str()).await?.ok_or("none")?.n;
        let (low, high);
        if k > 1 { (low, high) = (cx.peer.elicit::<Count>("low").await?.ok_or("none")?.n, 10); } else { (low, high) = (0, 5); }
        let mut v = vec![1, 2];
        let mut z = 0;
        (v[0], z, _) = (low as i64, high, 3);
        [v[1], ..] = [7, 8, 9];
        let ok = cx.peer.elicit::<Confirm>("c").await?;
        Ok(format!("{s}{n}{low}{high}{v:?}{z}"))
      }
    }
}

/// Temporaries that a `let` borrows from.
mod lend {
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
      async fn lend(cx, t) {
        let x = &t.fetch(String::from("s")).await;
        let ok = cx.peer.elicit::<Confirm>(x.as_str()).await?.ok_or("none")?.ok;
        t.effect(x.len());
        let v = &vec![1, 2, 3];
        let ok = cx.peer.elicit::<Confirm>(x.as_str()).await?.ok_or("none")?.ok;
        Ok(format!("{x} {v:?} {ok}"))
      }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        atref::all(),
        diverge::all(),
        e0381::all(),
        getmut::all(),
        given::all(),
        imports::all(),
        late::all(),
        lend::all(),
    ];
    all.into_iter().flatten().collect()
}
