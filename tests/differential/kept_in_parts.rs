//! Values of one's own in lists and in fields that change, and what is taken out of them: all without serde.

use std::collections::{HashMap, VecDeque};

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count},
};

type Context = RequestContext<RoleServer>;

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            $(#[$mark])?
            async fn sure(cx: &Context, question: &str) -> Result<bool, Failure> {
                Ok(cx.peer.elicit::<Confirm>(question).await?.is_some_and(|answer| answer.ok))
            }

            $(#[$mark])?
            async fn num(cx: &Context, question: &str) -> Result<i64, Failure> {
                Ok(cx.peer.elicit::<Count>(question).await?.map_or(-1, |answer| answer.n))
            }

            pub mod in_a_for {
                use super::*;

                struct Step { title: String, n: i64 }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let steps = vec![Step { title: "a".into(), n: 1 }, Step { title: "b".into(), n: 2 }];
                    let mut sum = 0;
                    for s in steps { if sure(&cx, &s.title).await? { sum += s.n; } t.effect(s.title); }
                    Ok(format!("{sum}"))
                }
            }

            pub mod enumerated {
                use super::*;

                enum Step { Ask(String), Note { n: i64 }, End }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let mut steps = Vec::new();
                    steps.push(Step::Ask("q".into()));
                    if sure(&cx, "note?").await? { steps.push(Step::Note { n: 4 }); }
                    steps.push(Step::End);
                    steps.push(Step::Ask("z".into()));
                    let mut sum = 0;
                    for (i, s) in steps.into_iter().enumerate() {
                        match s {
                            Step::Ask(q) => { sum += num(&cx, &q).await?; }
                            Step::Note { n } => { t.effect(n); }
                            Step::End if i > 1 => break,
                            Step::End => { sum += num(&cx, "end").await?; }
                        }
                    }
                    Ok(format!("{sum}"))
                }
            }

            pub mod pushed_to_a_field {
                use super::*;

                struct Step { title: String, n: i64 }
                struct Plan { steps: Vec<Step>, name: String }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let mut p = Plan { steps: Vec::new(), name: "p".into() };
                    while sure(&cx, "more?").await? {
                        let n = num(&cx, "n").await?;
                        p.steps.push(Step { title: "x".into(), n });
                        if p.steps.len() > 2 { break; }
                    }
                    let z = num(&cx, "z").await?;
                    Ok(format!("{} {z} {}", p.name, p.steps.iter().map(|s| s.n).sum::<i64>()))
                }
            }

            pub mod field_assigned {
                use super::*;

                enum Mode { Fast, Slow(i64), Off }
                struct Plan { mode: Mode, n: i64 }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let mut p = Plan { mode: Mode::Fast, n: 1 };
                    let n = num(&cx, "n").await?;
                    p.mode = if n > 1 { Mode::Slow(n) } else { Mode::Off };
                    p.n += n;
                    let z = num(&cx, "z").await?;
                    let m = match p.mode { Mode::Fast => -1, Mode::Slow(n) => n, Mode::Off => 0 };
                    Ok(format!("{m} {z} {}", p.n))
                }
            }

            pub mod queue {
                use super::*;

                struct Task { name: String, depth: i64 }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let mut queue = VecDeque::new();
                    queue.push_back(Task { name: "root".into(), depth: 0 });
                    let mut out = vec![];
                    while let Some(task) = queue.pop_front() {
                        let n = num(&cx, &task.name).await?;
                        for i in 0..n.min(2) {
                            if task.depth < 2 { queue.push_back(Task { name: format!("{}{i}", task.name), depth: task.depth + 1 }); }
                        }
                        out.push(t.effect(format!("{}:{n}", task.name)));
                        if out.len() > 3 { break; }
                    }
                    Ok(format!("{out:?} {}", queue.len()))
                }
            }

            pub mod stack {
                use super::*;

                enum Task { One(i64), Two { a: String } }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let mut queue = vec![Task::One(1), Task::Two { a: "x".into() }];
                    let mut out = vec![];
                    while let Some(task) = queue.pop() {
                        match task {
                            Task::One(n) => { let m = num(&cx, "one").await?; out.push(format!("{}", n + m)); if m > 2 { queue.push(Task::One(0)); } }
                            Task::Two { a } => { if sure(&cx, &a).await? { queue.push(Task::One(9)); } out.push(a); }
                        }
                        if out.len() > 4 { break; }
                    }
                    let last = queue.pop();
                    let z = num(&cx, "z").await?;
                    Ok(format!("{out:?} {z} {}", last.is_some()))
                }
            }

            pub mod array_in_steps {
                use super::*;

                struct Step { title: String, n: i64 }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let steps = [Step { title: "a".into(), n: 1 }, Step { title: "b".into(), n: 2 }, Step { title: "c".into(), n: 3 }];
                    let mut sum = 0;
                    for s in steps.into_iter().rev().take(2) { if sure(&cx, &s.title).await? { sum += s.n; } t.effect(s.title); }
                    Ok(format!("{sum}"))
                }
            }

            pub mod option_and_list {
                use super::*;

                struct Item { k: i64 }
                struct Plan { items: Vec<Item>, best: Option<Item> }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let mut p = Plan { items: vec![], best: None };
                    for i in 0..3 {
                        let k = num(&cx, "k").await? + i;
                        if p.best.as_ref().is_none_or(|b| b.k < k) { p.best = Some(Item { k }); }
                        p.items.push(Item { k });
                    }
                    let z = num(&cx, "z").await?;
                    let last = p.items.pop();
                    let y = num(&cx, "y").await?;
                    Ok(format!("{:?} {z} {y} {} {:?}", p.best.map(|b| b.k), p.items.len(), last.map(|l| l.k)))
                }
            }

            pub mod chain {
                use super::*;

                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let o = Some(Some(String::from("a")));
                    if let Some(m) = o && let Some(s) = m { let n = num(&cx, &s).await?; return Ok(format!("{s} {n}")); }
                    Ok("none".into())
                }
            }

            pub mod chain_of_fields {
                use super::*;

                struct Reply { name: Option<String>, n: i64 }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let o = Some(Reply { name: Some("a".into()), n: 4 });
                    if let Some(m) = o && m.n > 3 && let Some(s) = m.name && s.len() < 4 { let n = num(&cx, &s).await?; return Ok(format!("{s} {n} {}", m.n)); }
                    Ok("none".into())
                }
            }

            pub mod chain_in_a_loop {
                use super::*;

                struct Reply { name: Option<String>, n: i64 }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let mut o = vec![Reply { name: Some("a".into()), n: 4 }, Reply { name: None, n: 4 }];
                    while let Some(m) = o.pop() && let Some(s) = m.name { let n = num(&cx, &s).await?; t.effect(m.n + n); }
                    let z = num(&cx, "z").await?;
                    Ok(format!("none {z}"))
                }
            }

            pub mod texts {
                use super::*;

                fn known(s: &'static str) -> &'static str { s }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let mut out = vec![];
                    for l in ["a", "b"] { let k = known(l); if sure(&cx, k).await? { out.push(k); } }
                    Ok(format!("{out:?}"))
                }
            }

            pub mod texts_in_tuples {
                use super::*;

                fn known(s: &'static str, n: i64) -> &'static str { s }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let mut out = vec![];
                    for (l, n) in [("a", 1), ("b", -2)] { if sure(&cx, l).await? { out.push((known(l, n), n)); } let z = num(&cx, l).await?; t.effect(z + n); }
                    Ok(format!("{out:?}"))
                }
            }

            pub mod texts_as_keys {
                use super::*;

                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let mut out: HashMap<&'static str, i64> = HashMap::new();
                    for l in ["a", "b"] { let z = num(&cx, l).await?; out.insert(l, z); }
                    let ok = sure(&cx, "ok").await?;
                    Ok(format!("{:?} {ok}", out.get("a")))
                }
            }

            pub mod collected {
                use super::*;

                enum Act { Keep(String), Drop { at: usize } }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let names = vec!["a".to_string(), "bb".to_string(), "c".to_string()];
                    let acts = names.iter().enumerate().map(|(at, n)| if n.len() > 1 { Act::Drop { at } } else { Act::Keep(n.clone()) }).rev().collect::<Vec<_>>();
                    let mut out = vec![];
                    for act in acts {
                        match act { Act::Keep(n) => if sure(&cx, &n).await? { out.push(n) }, Act::Drop { at } => { let z = num(&cx, "at").await?; out.push(format!("{at}{z}")); } }
                    }
                    Ok(format!("{out:?}"))
                }
            }

            pub mod collected_with_serde {
                use super::*;

                #[derive(Serialize, Deserialize)]
                struct Conf { name: String, n: Option<i64> }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let all: HashMap<String, Conf> = ["a", "b"].iter().map(|n| (n.to_string(), Conf { name: n.to_string(), n: None })).collect();
                    let ok = sure(&cx, "ok?").await?;
                    let vs: Vec<Conf> = all.into_values().map(|c| Conf { name: c.name, n: Some(1) }).filter(|c| c.name == "a").collect();
                    let ok2 = sure(&cx, "ok?").await?;
                    Ok(format!("{ok} {ok2} {}", vs.iter().map(|c| c.name.clone()).collect::<Vec<_>>().join(",")))
                }
            }

            pub mod all_at_once {
                use super::*;

                struct Conf { name: String, n: i64 }
                struct State { list: Vec<Conf>, cur: Option<Conf>, mode: &'static str }
                $(#[$mark])?
                async fn one(cx: &Context, st: &mut State, t: &Trace) -> Result<(), Failure> {
                    let n = num(cx, st.mode).await?;
                    st.list.push(Conf { name: t.effect("x".to_string()), n });
                    st.mode = if n > 1 { "many" } else { "few" };
                    Ok(())
                }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let mut st = State { list: vec![], cur: None, mode: "start" };
                    st.cur = Some(Conf { name: "c".into(), n: 1 });
                    let n = num(&cx, st.mode).await?;
                    st.mode = "next";
                    if n > 1 { st.cur = None; }
                    st.list.push(Conf { name: "y".into(), n });
                    let z = sure(&cx, "z").await?;
                    let names = st.list.iter().map(|c| format!("{}{}", c.name, c.n)).collect::<Vec<_>>();
                    Ok(format!("{names:?} {:?} {} {z}", st.cur.map(|c| c.n), st.mode))
                }
            }

            pub mod lists_of_numbers {
                use super::*;

                struct A { v: Vec<i64> }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let mut a = A { v: Vec::new() };
                    for i in 0..2 { let n = num(&cx, "n").await?; a.v.push(n + i); }
                    let b = A { v: Vec::new() };
                    let z = sure(&cx, "z").await?;
                    a.v.extend([9]);
                    let y = sure(&cx, "y").await?;
                    Ok(format!("{:?} {:?} {z} {y}", a.v, b.v))
                }
            }

            pub mod changed_in_items {
                use super::*;

                struct In { k: Option<String> }
                struct A { v: Vec<In> }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let mut a = A { v: Vec::new() };
                    a.v.push(In { k: None });
                    let n = num(&cx, "n").await?;
                    a.v[0].k = Some(format!("{n}"));
                    let z = sure(&cx, "z").await?;
                    if let Some(x) = a.v.get_mut(0) { x.k = None; }
                    let y = sure(&cx, "y").await?;
                    for i in a.v.iter_mut() { i.k = Some("q".into()); }
                    let w = sure(&cx, "w").await?;
                    Ok(format!("{:?} {z} {y} {w}", a.v[0].k))
                }
            }

            pub mod changed_elsewhere {
                use super::*;

                struct In { k: Option<String>, n: i64 }
                struct A { v: Vec<In>, one: Option<In> }
                fn poke(a: &mut A) { a.v.push(In { k: None, n: 8 }); a.one = None; }
                $(#[$mark])?
                pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
                    let mut a = A { v: Vec::new(), one: None };
                    a.v.push(In { k: None, n: 1 });
                    a.one = Some(In { k: Some("z".into()), n: 2 });
                    let n = num(&cx, "n").await?;
                    if n > 1 { poke(&mut a); }
                    let z = sure(&cx, "z").await?;
                    Ok(format!("{} {z} {} {:?}", a.v.len(), a.one.is_some(), a.v.last().map(|l| l.n)))
                }
            }

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

macro_rules! all {
    ($($name:ident),*) => {
        pub(super) fn all() -> Vec<Case> {
            vec![$(Case {
                name: stringify!($name),
                plain: |cx, t| Box::pin(plain::$name::run(cx, t)),
                saga: |cx, t| Box::pin(saga::$name::run(cx, t)),
            }),*]
        }
    };
}

all!(
    in_a_for,
    enumerated,
    pushed_to_a_field,
    field_assigned,
    queue,
    stack,
    array_in_steps,
    option_and_list,
    chain,
    chain_of_fields,
    chain_in_a_loop,
    texts,
    texts_in_tuples,
    texts_as_keys,
    collected,
    collected_with_serde,
    all_at_once,
    lists_of_numbers,
    changed_in_items,
    changed_elsewhere
);
