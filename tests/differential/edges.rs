//! Where a lowering is likely to slip: names, order and state that lives long.

use std::collections::BTreeMap;

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count, Text},
    cases,
};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) items: Vec<String>,
    pub(super) note: Option<String>,
    pub(super) total: i64,
}

fn join(text: &str, more: bool) -> usize {
    text.len() + usize::from(more)
}

static CHANGES: std::sync::Mutex<Vec<i64>> = std::sync::Mutex::new(Vec::new());
static NUMBERS: [i64; 2] = [4, 5];

/// What a module of the author's may say of every type.
#[allow(dead_code, reason = "their names are what counts")]
trait Everywhere: Sized {
    fn form(&self) -> usize {
        size_of::<Self>()
    }
    fn source(&self) {}
    fn drain(&self) {}
    fn copied(&self) {}
    fn root(&self) {}
    fn again(&self) {}
    fn given(&self) {}
    fn lent(&self) {}
    fn unsaved(&self) {}
    fn at_ask(&self) {}
}

impl<T> Everywhere for T {}

cases! {
    async fn methods_of_every_type(cx, t) {
        let list = vec![1u8, 2];
        for n in &list { t.effect(cx.peer.elicit::<Confirm>(format!("{n}?")).await?.map(|c| c.ok)); }
        for n in list.clone() { t.effect((n, cx.peer.elicit::<Count>("n").await?.map(|c| c.n))); }
        Ok(format!("{} {}", list.form(), t.effect(1u16).form()))
    }

    async fn a_name_of_the_macros(cx, t) {
        let __saga = 5i64;
        let (__saga_state, mut __saga_n) = (t.effect("state"), 1);
        __saga_n += cx.peer.elicit::<Count>(format!("{__saga}{__saga_n}")).await?.map_or(0, |c| c.n);
        t.effect((__saga, __saga_state, __saga_n));
        let value = serde_json::json!({ "a": null, "b": cx.peer.elicit::<Count>("n?").await?.map(|c| c.n), "c": [null, __saga] });
        t.effect(value.to_string());
        return Ok(helper(__saga_n));
        fn helper(n: i64) -> String { format!("{n}") }
    }

    async fn guards_that_are_let_go(cx, t) {
        let lock = tokio::sync::Mutex::new(vec![1i64]);
        let first = { lock.lock().await.first().copied() };
        cx.peer.elicit::<Confirm>("a").await?;
        t.effect(first);
        Ok(String::from("s"))
    }

    async fn a_type_that_is_known_later(cx, t) {
        let mut department = None;
        let mut step = 0;
        loop {
            match step {
                0 => { let Ok(Some(_)) = cx.peer.elicit::<Confirm>("a").await else { return Ok(String::from("no")) }; department = Some(vec![1i64, 2]); step = 1; }
                _ => { for d in department.iter() { cx.peer.elicit::<Confirm>("b").await?; t.effect(d); } break; }
            }
        }
        Ok(format!("{department:?}"))
    }

    async fn asks_in_formats(cx, t) {
        let name = String::from("a");
        let mut count = 1i64;
        let text = format!("{name} {} {count} {} {more:?}", t.effect(1), cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n, more = cx.peer.elicit::<Confirm>("m").await?.map(|c| c.ok));
        count += 1;
        let list = vec![name.clone(), format!("{}", cx.peer.elicit::<Count>(format!("{name} {}", count)).await?.is_some()), t.effect(String::from("z"))];
        Ok(format!("{text} {list:?} {}", cx.peer.elicit::<Confirm>("last").await?.is_some()))
    }

    async fn async_move_with_its_own(cx, t) {
        let b = ({ let peer = cx.peer.clone(); async move {
            let mut s7 = vec![5i64, 6]; while let Some(kept) = s7.pop() { t.effect(kept); }
            peer.elicit::<Count>("s").await.ok().flatten().map_or(-1, |c| c.n)
        }.await });
        Ok(format!("{b}"))
    }

    async fn borrows_from_what_is_mutable(cx, t) {
        let mut a = t.effect(String::from("x"));
        let pair = tokio::join!(cx.peer.elicit::<Count>(a.as_str()), cx.peer.elicit::<Confirm>("s"));
        a.push('y');
        let order = join(a.as_str(), cx.peer.elicit::<Confirm>(a.as_str()).await?.is_some());
        let both = [a.trim().len(), join(a.trim(), cx.peer.elicit::<Confirm>("t").await?.is_some())];
        a.push('z');
        Ok(format!("{:?} {a} {order} {both:?}", pair.0?.map(|c| c.n)))
    }

    async fn a_tuple_of_values(cx, t) {
        let n: (i64, String) = (1i64, (if matches!(cx.peer.elicit::<Confirm>("s").await, Ok(Some(c)) if c.ok) { String::from("s") } else { String::from("u") }));
        let list = futures::future::join_all(vec![3i64, 1].into_iter().map(|name| cx.peer.elicit::<Text>(format!("q {name:?} n={n:?}")))).await;
        t.effect(list.len());
        Ok(format!("{n:?}"))
    }

    async fn an_arm_that_owns(cx, t) {
        let s = t.effect(String::from("x"));
        let (a, n) = tokio::join!(cx.peer.elicit::<Count>("d"), async move { t.effect(s.len()) });
        Ok(format!("{:?} {n}", a?.map(|a| a.n)))
    }

    async fn a_jump_past_a_shadow(cx, t) {
        for a in vec![String::from("s")].into_iter() {
            let d4; if true {
                t.effect(({ let mut k5 = 0; 'l6: loop {
                    if k5 > 2 { break cx.peer.elicit::<Count>(String::from("s")).await?.ok_or("none")?.n; }
                    k5 += 1;
                    let mut y = (if (if k5 > 1 { let a = vec![1i64]; t.effect(a); break 'l6 1i64 } else { true }) { 1i64 } else { 2i64 });
                    t.effect(y);
                } }));
                d4 = (1i64, format!("f a={a:?}"));
            } else { d4 = (2, String::new()); }
            t.effect(d4);
            loop {
                cx.peer.elicit::<Confirm>("u").await?;
                t.effect(join(a.as_str(), match a.len() { 1 => { let a = 5i64; t.effect(a); if a > 3 { break } true } _ => false }));
            }
            t.effect(a);
        }
        Ok(String::from("s"))
    }

    async fn async_move_changes_its_own(cx, t) {
        let mut n = 1i64;
        let mut list = [1i64, 2];
        let peer = cx.peer.clone();
        let ok = async move { n += 1; list[0] = 7; let sure = peer.elicit::<Confirm>("s").await.is_ok(); t.effect((n, list)); sure }.await;
        t.effect((n, list));
        cx.peer.elicit::<Confirm>("c").await?;
        let two = async { n += 1; list[1] = n; cx.peer.elicit::<Confirm>("d").await.is_ok() }.await;
        Ok(format!("{n} {list:?} {ok} {two}"))
    }

    async fn a_global_that_changes(cx, t) {
        let count = NUMBERS.len() + CHANGES.lock().map(|changes| changes.len()).unwrap_or_default() * 0;
        let all = futures::future::join_all(NUMBERS.iter().map(|n| cx.peer.elicit::<Count>(format!("{n}?")))).await;
        cx.peer.elicit::<Confirm>("c").await?;
        t.effect(all.len());
        for n in vec![{ let mut k = 0; loop { k += 1; if k > 3 { break 1i64; } } }] { cx.peer.elicit::<Confirm>("s").await?; t.effect(n); }
        Ok(format!("{count}"))
    }

    async fn texts(cx, t) {
        let n = cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n;
        let label = if n > 2 { "many" } else { "few" };
        let (name, size) = match n { 0 => ("zero", 0i64), 1 => ("one", 1), _ => return Ok(String::from(label)) };
        let mut status = "pending";
        let later;
        let sure = match cx.peer.elicit::<Confirm>(label).await? { Some(Confirm { ok: true }) => "sure", Some(_) => "unsure", None => "nothing" };
        t.effect((label, name, size, status, sure));
        if cx.peer.elicit::<Confirm>(sure).await?.is_some_and(|c| c.ok) { status = "confirmed"; later = "yes"; } else { later = "no"; }
        let level: &'static str = t.effect("level");
        let copy = status;
        for service in vec!["api", "web"] {
            cx.peer.elicit::<Confirm>(format!("{service} {status}")).await?;
            t.effect((service, copy, later));
            status = match service { "api" => "half", _ => { status } };
        }
        Ok(format!("{label} {name} {size} {status} {sure} {later} {level} {copy}"))
    }

    async fn macros_in_macros(cx, t) {
        let ok = matches!(cx.peer.elicit::<Confirm>(if matches!(cx.peer.elicit::<Confirm>("a").await, Ok(Some(_))) { "b" } else { "c" }).await, Ok(Some(_)));
        let (a, b) = tokio::join!(
            cx.peer.elicit::<Confirm>(if matches!(cx.peer.elicit::<Confirm>("d").await, Ok(Some(Confirm { ok: true }))) { "e" } else { "f" }),
            cx.peer.elicit::<Count>("g"),
        );
        t.effect(ok);
        Ok(format!("{:?} {:?}", a?.map(|a| a.ok), b?.map(|b| b.n)))
    }

    async fn a_closure_and_a_shadow_of_what_it_borrows(cx, t) {
        for a in vec![1i64].into_iter().rev() {
            let f4 = |q5: i64| (q5 + a) % 97; let a = f4(1i64) + f4(2);
            cx.peer.elicit::<Confirm>("s").await?;
            t.effect(a);
        }
        Ok(String::from("s"))
    }

    async fn a_borrow_ends_before_an_assignment(cx, t) {
        let mut n = 1i64;
        let mut list = vec![1i64, 2];
        let add = |q: i64| q + n;
        let largest = list.iter().max();
        t.effect(add(1));
        t.effect(format!("{largest:?}"));
        n += 1;
        list.push(n);
        cx.peer.elicit::<Confirm>("c").await?;
        Ok(format!("{n} {list:?}"))
    }

    async fn moved_then_assigned_in_a_loop(cx, t) {
        let mut y = String::from("s");
        if cx.peer.elicit::<Confirm>(y).await?.ok_or("none")?.ok {
            for (i, b) in vec![String::from("a"), String::from("b")].into_iter().enumerate() {
                y = format!("{b}{i}");
                t.effect(&y);
            }
        }
        Ok(String::from("s"))
    }

    async fn a_jump_in_the_head_of_an_inner_loop(cx, t) {
        for x in (0..6i64).step_by(2) {
            let y = cx.peer.elicit::<Count>("s").await?.ok_or("none")?;
            for y in (match Some(y.n) { Some(h) if h > 3 => { break } Some(h) => vec![h], None => continue }).into_iter().rev() { t.effect(y); }
            t.effect(x);
        }
        Ok(String::from("s"))
    }

    async fn a_jump_in_a_question(cx, t) {
        let mut n = 0;
        loop {
            n += 1;
            let ok = cx.peer.elicit::<Confirm>(match n { 1 => String::from("one"), 2 => { t.effect("two"); continue } 3 => String::from("three"), _ => break }).await?;
            t.effect(ok.is_some());
            if let Some(n) = (if n > 4 { break } else { Some(n) }) { t.effect(n); }
        }
        Ok(format!("{n}"))
    }

    async fn an_answer_without_its_error(cx, t) {
        let text = cx.peer.elicit::<Text>("s").await.ok().flatten();
        t.effect(text.is_some());
        cx.peer.elicit::<Confirm>("c").await?;
        Ok(format!("{:?}", text.map(|text| text.text)))
    }

    async fn a_parameter_is_shadowed(cx, t) {
        let t = t;
        let cx = cx;
        let n = cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n;
        t.effect(n);
        let n = n + cx.peer.elicit::<Count>("m").await?.ok_or("none")?.n;
        Ok(format!("{n}"))
    }

    async fn same_name_three_deep(cx, t) {
        let x = String::from("0");
        {
            let x = format!("{x}1");
            { let x = format!("{x}2"); cx.peer.elicit::<Confirm>(x.as_str()).await?; t.effect(x); }
            t.effect(&x);
            cx.peer.elicit::<Confirm>(x.as_str()).await?;
            t.effect(x);
        }
        cx.peer.elicit::<Confirm>(x.as_str()).await?;
        Ok(x)
    }

    async fn a_loop_remembers_the_last_answer(cx, t) {
        let mut last: Option<i64> = None;
        let mut seen = BTreeMap::new();
        loop {
            let count = cx.peer.elicit::<Count>(format!("{last:?}")).await?.ok_or("none")?;
            if let Some(previous) = last { t.effect(previous); *seen.entry(previous).or_insert(0) += 1; }
            last = Some(count.n);
            if count.n > 2 || seen.len() > 2 { break; }
        }
        Ok(format!("{last:?} {seen:?}"))
    }

    async fn a_struct_is_built_up(cx, t) {
        let mut order = Order::default();
        while order.items.len() < 2 {
            let item = cx.peer.elicit::<Text>("item").await?.ok_or("none")?.text;
            if item.is_empty() { t.note("empty"); order.note = Some("skipped".into()); break; }
            order.items.push(t.effect(item));
            order.total += cx.peer.elicit::<Count>("price").await?.ok_or("none")?.n;
        }
        let Order { items, note, total } = order;
        cx.peer.elicit::<Confirm>("place it?").await?;
        Ok(format!("{items:?} {note:?} {total}"))
    }

    async fn a_tuple_is_matched(cx, t) {
        let kind = t.effect(String::from("b"));
        let level = Some(3u8);
        let out = match (kind.as_str(), level) {
            ("a", _) => String::from("a"),
            ("b", Some(n)) => { let c = cx.peer.elicit::<Count>(format!("b{n}")).await?.ok_or("none")?; format!("{n}{}", c.n) }
            (other, None) => { cx.peer.elicit::<Confirm>(other).await?; other.to_string() }
            (other, Some(_)) => other.into(),
        };
        Ok(format!("{out} {kind}"))
    }

    async fn a_question_in_a_question(cx, t) {
        let name = cx.peer.elicit::<Text>("name").await?.ok_or("none")?.text;
        let n = cx.peer.elicit::<Count>(name + &cx.peer.elicit::<Text>("more").await?.ok_or("none")?.text).await?.ok_or("none")?.n;
        Ok(format!("{n}"))
    }

    async fn results_are_tried_late(cx, t) {
        let a = cx.peer.elicit::<Count>("a").await;
        let b = cx.peer.elicit::<Count>("b").await;
        t.note("both");
        let a = a?;
        let c = cx.peer.elicit::<Count>("c").await;
        let (b, c) = (b?, c?);
        Ok(format!("{a:?} {b:?} {c:?}"))
    }

    async fn held_to_the_end(cx, t) {
        let _kept = t.effect(String::from("kept"));
        let _ignored = cx.peer.elicit::<Confirm>("a").await?;
        { let _inner = vec![1]; cx.peer.elicit::<Confirm>("b").await?; }
        Ok("ok".into())
    }

    async fn breaks_out_of_everything(cx, t) {
        let value = 'all: {
            for i in 0..3 {
                loop {
                    let n = cx.peer.elicit::<Count>(format!("{i}")).await?.ok_or("none")?.n;
                    match n { 0 => break, 1 => continue, 4 => break 'all t.effect(Some(i)), _ => {} }
                    if t.effect(n) == 3 { break 'all None; }
                    break;
                }
            }
            Some(99)
        };
        Ok(format!("{value:?}"))
    }
}
