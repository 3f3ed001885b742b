//! Borrows are made again; everything else is stored.

use std::collections::BTreeMap;

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count, Text},
    cases,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Host {
    name: String,
    port: Option<u16>,
    tags: Vec<String>,
}

fn host(t: &Trace) -> Host {
    Host {
        name: t.effect("h".to_string()),
        port: Some(80),
        tags: vec!["x".into(), "y".into()],
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum Status {
    Open,
    Closed,
}
impl Status {
    fn as_str(&self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}

cases! {
    async fn field_borrow(cx, t) {
        let host = host(t);
        let name = host.name.as_str();
        let tags = &host.tags;
        cx.peer.elicit::<Confirm>(name).await?;
        let first = &tags[0];
        cx.peer.elicit::<Confirm>(format!("{first}")).await?;
        Ok(format!("{name} {tags:?} {first}"))
    }

    async fn deref_borrow(cx, t) {
        let title: Option<String> = Some(t.effect("title".into()));
        let shown = title.as_deref().unwrap_or("none");
        let some = title.as_ref();
        cx.peer.elicit::<Confirm>(shown).await?;
        Ok(format!("{shown} {some:?}"))
    }

    async fn mutable_owner(cx, t) {
        let mut list = vec![1, 2];
        list.push(t.effect(3));
        let last = &list[2];
        cx.peer.elicit::<Confirm>("a").await?;
        t.effect(*last);
        list.push(4);
        cx.peer.elicit::<Confirm>("b").await?;
        let all = &mut list;
        cx.peer.elicit::<Confirm>("c").await?;
        all.push(5);
        Ok(format!("{list:?}"))
    }

    async fn borrow_in_branches(cx, t) {
        let host = host(t);
        if let Some(port) = &host.port { cx.peer.elicit::<Confirm>(format!("{port}")).await?; t.effect(*port); }
        if let Some(port) = host.port { cx.peer.elicit::<Confirm>("p").await?; t.effect(port); }
        let Host { name, tags, .. } = &host;
        cx.peer.elicit::<Confirm>(name.as_str()).await?;
        Ok(format!("{name} {tags:?}"))
    }

    async fn borrow_of_a_borrow(cx, t) {
        let hosts = vec![host(t), host(t)];
        for host in &hosts {
            let Host { name, .. } = host;
            let tag = host.tags.first().ok_or("no tag")?;
            cx.peer.elicit::<Confirm>(format!("{name} {tag}")).await?;
            for tag in &host.tags { cx.peer.elicit::<Confirm>(format!("{tag}")).await?; }
            t.effect((name, tag));
        }
        Ok(format!("{}", hosts.len()))
    }

    async fn lookup(cx, t) {
        let map = BTreeMap::from([("k".to_string(), host(t))]);
        let Some(found) = map.get("k") else { return Ok("missing".into()) };
        cx.peer.elicit::<Confirm>(found.name.as_str()).await?;
        let port = found.port;
        cx.peer.elicit::<Confirm>("again").await?;
        Ok(format!("{} {port:?}", found.name))
    }

    async fn answer_parts(cx, t) {
        let answer = cx.peer.elicit::<Text>("t").await?.ok_or_else(|| { t.note("never"); Failure("none".into()) })?;
        let text = answer.text;
        let note = answer.note.as_deref();
        cx.peer.elicit::<Confirm>("a").await?;
        let len = text.len();
        cx.peer.elicit::<Confirm>("b").await?;
        Ok(format!("{text} {note:?} {len}"))
    }

    async fn answer_errors_are_not_remade(cx, t) {
        let first = cx.peer.elicit::<Count>("a").await.map_err(|e| { t.note("err"); e.to_string() });
        let n = first.as_ref().map(|c| c.is_some()).unwrap_or(false);
        cx.peer.elicit::<Confirm>("b").await?;
        Ok(format!("{n}"))
    }

    async fn whole_result_is_kept(cx, t) {
        let first = cx.peer.elicit::<Count>("a").await;
        let second = cx.peer.elicit::<Count>("b").await;
        let third = cx.peer.elicit::<Count>("c").await;
        Ok(format!("{first:?} {second:?} {third:?}"))
    }

    async fn static_texts(cx, t) {
        let greeting = "hello";
        let n = cx.peer.elicit::<Count>(greeting).await?.ok_or("none")?.n;
        Ok(format!("{greeting} {n}"))
    }

    async fn integer_width_is_one(cx, t) {
        let n = 3;
        cx.peer.elicit::<Confirm>("a").await?;
        let wide: u64 = n;
        cx.peer.elicit::<Confirm>("b").await?;
        Ok(format!("{} {wide}", n << 33))
    }

    async fn moved_on_one_path(cx, t) {
        let name = t.effect(String::from("n"));
        let kept = if cx.peer.elicit::<Confirm>("move?").await?.ok_or("none")?.ok { Some(name) } else { drop(name); None };
        cx.peer.elicit::<Confirm>("b").await?;
        Ok(format!("{kept:?}"))
    }

    async fn closures_between(cx, t) {
        let base = t.effect(10i64);
        let add = |n: i64| n + base;
        let a = add(1);
        let n = cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n;
        let mul = move |m: i64| m * base;
        let list: Vec<_> = (0..3).map(|i| mul(i) + n).collect();
        cx.peer.elicit::<Confirm>("c").await?;
        Ok(format!("{a} {list:?}"))
    }

    async fn drop_order_of_plain_data(cx, t) {
        struct Noisy<'t>(&'t Trace, &'static str);
        impl Drop for Noisy<'_> { fn drop(&mut self) { self.0.note(self.1); } }
        { let _a = Noisy(t, "a"); let _b = Noisy(t, "b"); t.note("inside"); }
        cx.peer.elicit::<Confirm>("c").await?;
        { let _c = Noisy(t, "c"); }
        Ok("ok".into())
    }

    async fn many_variables(cx, t) {
        let (a, b, c, d, e, f) = (1u8, 2u16, 3u32, 4u64, 5i8, 6i16);
        let (g, h, i, j, k, l) = (7i32, 8i64, 9.5f32, 10.5f64, 'k', true);
        let (m, n, o, p, q, r) = ("m".to_string(), vec![1], Some(2), Some(()), [1, 2], (1, 'x'));
        cx.peer.elicit::<Confirm>("c").await?;
        Ok(format!("{a}{b}{c}{d}{e}{f}{g}{h}{i}{j}{k}{l}{m}{n:?}{o:?}{p:?}{q:?}{r:?}"))
    }

    async fn long_conversation(cx, t) {
        let mut history = Vec::new();
        for turn in 0..9 {
            let n = cx.peer.elicit::<Count>(format!("turn {turn}, so far {history:?}")).await.ok().flatten().map(|c| c.n);
            history.push(t.effect(n));
        }
        Ok(format!("{history:?}"))
    }

    async fn status_by_value(cx, t) {
        let status = Status::Open;
        let shown = status.as_str();
        cx.peer.elicit::<Confirm>(shown).await?;
        let status = Status::Closed;
        Ok(format!("{shown} {}", status.as_str()))
    }

    async fn temporaries_before_an_ask_in_the_same_call(cx, t) {
        fn join(text: &str, more: &mut Vec<i64>, n: i64) -> String {
            more.push(n);
            format!("{text} {more:?}")
        }
        let a = join(&t.effect(String::from("a")), &mut vec![1], cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n));
        let b = join(host(t).name.as_str(), &mut Vec::new(), cx.peer.elicit::<Count>("b").await?.map_or(0, |c| c.n));
        let c = join(&host(t).name, &mut t.effect(vec![2]), cx.peer.elicit::<Count>("c").await?.map_or(0, |c| c.n));
        let d = join(&host(t).tags[1], &mut vec![], { t.note("then"); cx.peer.elicit::<Count>("d").await?.map_or(0, |c| c.n) });
        let e = join(format!("{a}!").trim_end_matches('!'), &mut vec![], cx.peer.elicit::<Count>("e").await?.map_or(0, |c| c.n));
        let f = join(t.effect(String::from(" f ")).as_str().trim(), &mut vec![], cx.peer.elicit::<Count>("f").await?.map_or(0, |c| c.n));
        let g = join(host(t).tags.last().unwrap().as_str(), &mut vec![], cx.peer.elicit::<Count>("g").await?.map_or(0, |c| c.n));
        Ok(format!("{a} {b} {c} {d} {e} {f} {g}"))
    }

    async fn heads_that_borrow_from_temporaries(cx, t) {
        let mut seen = Vec::new();
        if let Some(first) = host(t).tags.first() {
            seen.push(first.len());
            cx.peer.elicit::<Confirm>(first.as_str()).await?;
            seen.push(first.len() + 1);
        }
        match host(t).name.as_str() {
            "no" => t.note("never"),
            name if name.len() == 1 => { cx.peer.elicit::<Confirm>(name).await?; t.note(name); }
            _ => t.note("never"),
        }
        if let Some((head, tail)) = t.effect(String::from(" a,b ")).trim().split_once(',') {
            cx.peer.elicit::<Confirm>(head).await?;
            seen.push(head.len() + tail.len());
        }
        match host(t).tags.first().ok_or("none")?.as_str() {
            tag => { cx.peer.elicit::<Confirm>(tag).await?; t.note("other"); }
        }
        for line in t.effect(String::from(" x\ny ")).trim().lines() { t.effect(line); cx.peer.elicit::<Confirm>(line).await?; }
        let rest = if let Some(["z"]) = host(t).tags.get(..1).map(|tags| [tags[0].as_str()]) {
            String::from("never")
        } else if let Some((head, tail)) = host(t).tags.split_first() {
            cx.peer.elicit::<Confirm>("split?").await?;
            format!("{head} {tail:?}")
        } else {
            String::from("never")
        };
        if let Some(text) = cx.peer.elicit::<Text>("which?").await?.ok_or("none")?.text.strip_prefix('o') {
            cx.peer.elicit::<Confirm>(text).await?;
            t.effect(text);
        }
        Ok(format!("{seen:?} {rest}"))
    }

    async fn items_that_are_lent_to_be_changed(cx, t) {
        let mut list = vec![1i64, 2, 3];
        let mut rows = vec![(String::from("a"), [4i64, 5])];
        let old = std::mem::replace(&mut list[t.effect(1)], cx.peer.elicit::<Count>("list").await?.map_or(0, |c| c.n));
        let cell = std::mem::replace(&mut rows[0].1[t.effect(0)], {
            t.note("then");
            cx.peer.elicit::<Count>("cell").await?.map_or(0, |c| c.n)
        });
        std::mem::swap(&mut list[2], &mut cx.peer.elicit::<Count>("swapped").await?.map_or(0, |c| c.n));
        let name = std::mem::replace(&mut rows[0].0, cx.peer.elicit::<Text>("name").await?.map_or_else(String::new, |text| text.text));
        Ok(format!("{old} {cell} {name} {list:?} {rows:?}"))
    }

    async fn asserted(cx, t) {
        let least = t.effect(0);
        assert!(cx.peer.elicit::<Count>("least?").await?.map_or(0, |c| c.n) >= least);
        assert!(cx.peer.elicit::<Count>("many?").await?.map_or(0, |c| c.n) < 1000, "too many: {least}");
        Ok(String::new())
    }
}
