//! What ordinary and hostile functions do with borrowed.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// A pattern on a place: a reference into an enum of self.
mod ref_place_03 {
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

        pub enum Backend {
            Memory(Vec<i64>),
            #[allow(dead_code)]
            Disk {
                path: String,
            },
        }
        pub struct Server {
            backend: Backend,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    backend: Backend::Memory(vec![7, 8]),
                }
            }

            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let Backend::Memory(rows) = &self.backend else {
                    return Ok("disk".into());
                };
                let n = cx
                    .peer
                    .elicit::<Count>(format!("{} rows?", rows.len()))
                    .await?
                    .ok_or("none")?
                    .n;
                let row = rows.get(n as usize);
                let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
                match (&self.backend, row) {
                    (Backend::Memory(all), Some(row)) => {
                        let again = cx
                            .peer
                            .elicit::<Confirm>(format!("{row}"))
                            .await?
                            .ok_or("none")?
                            .ok;
                        Ok(format!("{row} {all:?} {ok} {again}"))
                    }
                    _ => Ok(format!("none {ok}")),
                }
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

        pub enum Backend {
            Memory(Vec<i64>),
            #[allow(dead_code)]
            Disk {
                path: String,
            },
        }
        pub struct Server {
            backend: Backend,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    backend: Backend::Memory(vec![7, 8]),
                }
            }

            #[saga_runtime::saga]
            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let Backend::Memory(rows) = &self.backend else {
                    return Ok("disk".into());
                };
                let n = cx
                    .peer
                    .elicit::<Count>(format!("{} rows?", rows.len()))
                    .await?
                    .ok_or("none")?
                    .n;
                let row = rows.get(n as usize);
                let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
                match (&self.backend, row) {
                    (Backend::Memory(all), Some(row)) => {
                        let again = cx
                            .peer
                            .elicit::<Confirm>(format!("{row}"))
                            .await?
                            .ok_or("none")?
                            .ok;
                        Ok(format!("{row} {all:?} {ok} {again}"))
                    }
                    _ => Ok(format!("none {ok}")),
                }
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
            name: "ref_place_03",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `&[T]` by `chunks`, `split_at`, `get(1..)`.
mod ref_slice_01 {
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
        async fn ref_slice_01(cx, t) {
            let list = t.effect(vec![1i64, 2, 3, 4, 5]);
            let (head, tail) = list.split_at(2);
            let rest = list.get(3..).unwrap_or(&[]);
            let n = cx.peer.elicit::<Count>(format!("{head:?}")).await?.ok_or("none")?.n;
            t.effect(tail);
            for chunk in list.chunks(2) {
                let ok = cx.peer.elicit::<Confirm>(format!("{chunk:?}?")).await?.ok_or("none")?.ok;
                t.effect((chunk, ok));
            }
            Ok(format!("{head:?} {tail:?} {rest:?} {n}"))
        }
    }
}

/// `&[T]` of a function.
mod ref_slice_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    fn page<'a>(t: &Trace, all: &'a [String], at: usize) -> &'a [String] {
        t.effect(at);
        &all[at.min(all.len())..(at + 2).min(all.len())]
    }

    tests::cases! {
        async fn ref_slice_02(cx, t) {
            let all: Vec<String> = (0..5).map(|i| format!("row {i}")).collect();
            let mut at = 0;
            loop {
                let rows = page(t, &all, at);
                if rows.is_empty() { break; }
                if !cx.peer.elicit::<Confirm>(rows.join(";")).await?.ok_or("none")?.ok { return Ok(format!("stopped at {rows:?}")); }
                at += rows.len();
            }
            Ok(format!("{at}"))
        }
    }
}

/// Values that borrow from what moves, in one process.
mod rehome_01 {
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
        async fn rehome_01(cx, t) {
            let first = cx.peer.elicit::<Text>("a?").await?.ok_or("none")?.text;
            let mut words: Vec<&str> = first.split(' ').collect();
            let second = cx.peer.elicit::<Text>("b?").await?.ok_or("none")?.text;
            words.extend(second.split(' '));
            let longest = words.iter().copied().max_by_key(|w| w.len());
            let moved = second.len();
            let ok = cx.peer.elicit::<Confirm>(longest.unwrap_or("none")).await?.ok_or("none")?.ok;
            let third = cx.peer.elicit::<Text>(words.join("+")).await?.ok_or("none")?.text;
            words.push(&third);
            t.effect(&words);
            Ok(format!("{words:?} {longest:?} {moved} {ok}"))
        }
    }
}

/// A struct that holds borrows of an owner in the same loop iteration.
mod rehome_02 {
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
    struct Field<'a> {
        #[serde(borrow)]
        key: &'a str,
        #[serde(borrow)]
        value: Option<&'a str>,
    }

    tests::cases! {
        async fn rehome_02(cx, t) {
            let mut kept = Vec::new();
            for line in ["a=1", "b", "c=3"] {
                let owned = t.effect(line.to_uppercase());
                let field = match owned.split_once('=') { Some((key, value)) => Field { key, value: Some(value) }, None => Field { key: &owned, value: None } };
                let ok = cx.peer.elicit::<Confirm>(format!("{field:?}")).await?.ok_or("none")?.ok;
                if ok { kept.push(format!("{}:{}", field.key, field.value.unwrap_or("-"))); }
            }
            Ok(format!("{kept:?}"))
        }
    }
}

/// `&str` that a method found in an owned text.
mod str_01 {
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
        async fn str_01(cx, t) {
            let path = t.effect(String::from("srv/www/index.html"));
            let file = path.rsplit('/').next().unwrap_or(&path);
            let ok = cx.peer.elicit::<Confirm>(format!("delete {file}?")).await?.ok_or("none")?.ok;
            let again = cx.peer.elicit::<Text>(file).await?.ok_or("none")?.text;
            Ok(format!("{file} {ok} {again} {path}"))
        }
    }
}

/// `&str` out of a function of the author's with effects.
mod str_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    fn shorten<'a>(t: &Trace, text: &'a str) -> &'a str {
        t.note("shorten");
        &text[..3]
    }

    tests::cases! {
        async fn str_02(cx, t) {
            let name = t.effect(String::from("production"));
            let short = shorten(t, &name);
            let n = cx.peer.elicit::<Count>(format!("{short}?")).await?.ok_or("none")?.n;
            t.note(short);
            Ok(format!("{short} {n} {name}"))
        }
    }
}

/// `&str` of one of two owners, chosen at run time.
mod str_03 {
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
        async fn str_03(cx, t) {
            let a = String::from("left");
            let b = String::from("right");
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let side = if n > 1 { a.as_str() } else { b.as_str() };
            t.note("picked");
            let ok = cx.peer.elicit::<Confirm>(format!("{side}?")).await?.ok_or("none")?.ok;
            Ok(format!("{side} {ok} {}", a.len() + b.len()))
        }
    }
}

/// `&str` that borrows from an answer.
mod str_04 {
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
        async fn str_04(cx, t) {
            let answer = cx.peer.elicit::<Text>("name?").await?.ok_or("none")?;
            let first = answer.text.split_whitespace().next().unwrap_or("nobody");
            let note = answer.note.as_deref().unwrap_or("-");
            let ok = cx.peer.elicit::<Confirm>(format!("greet {first}?")).await?.ok_or("none")?.ok;
            t.effect((first, note));
            Ok(format!("{first} {note} {ok}"))
        }
    }
}

/// `&mut`-ed owner between two uses of a `&str`.
mod str_05 {
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
        async fn str_05(cx, t) {
            let mut text = String::from("a,b,c");
            let mut seen = Vec::new();
            while let Some((head, tail)) = text.split_once(',') {
                let ok = cx.peer.elicit::<Confirm>(format!("{head}?")).await?.ok_or("none")?.ok;
                seen.push((head.to_string(), ok));
                t.note(head);
                text = tail.to_string();
            }
            Ok(format!("{seen:?} {text}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        ref_place_03::all(),
        ref_slice_01::all(),
        ref_slice_02::all(),
        rehome_01::all(),
        rehome_02::all(),
        str_01::all(),
        str_02::all(),
        str_03::all(),
        str_04::all(),
        str_05::all(),
    ];
    all.into_iter().flatten().collect()
}
