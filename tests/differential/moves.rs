//! Where a lowering is likely to slip: assignments, moves and parts of values.

use std::collections::BTreeMap;

use rmcp::{
    RoleServer,
    service::{ElicitationError, RequestContext},
};
use serde::{Deserialize, Serialize};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count, Text},
    cases,
};

use super::edges::Order;

#[derive(Debug, Serialize, Deserialize)]
struct NoClone(i64);

#[derive(Debug, Serialize, Deserialize)]
struct Held {
    inner: NoClone,
    note: Option<i64>,
    total: i64,
}

cases! {
    async fn a_condition_assigns(cx, t) {
        let mut rounds = 0;
        let mut word = String::new();
        while { rounds += 1; rounds < 4 } && cx.peer.elicit::<Confirm>(format!("{rounds}{word}")).await?.ok_or("none")?.ok {
            word.push_str(&cx.peer.elicit::<Text>("w").await?.ok_or("none")?.text);
        }
        Ok(format!("{rounds} {word}"))
    }

    async fn assigned_in_a_branch(cx, t) {
        let mut target = String::from("staging");
        let result;
        if cx.peer.elicit::<Confirm>("production?").await?.ok_or("none")?.ok {
            target = t.effect("production".to_string());
            result = cx.peer.elicit::<Count>("how many?").await?.map(|c| c.n);
        } else {
            result = None;
        }
        cx.peer.elicit::<Confirm>(format!("{target}?")).await?;
        Ok(format!("{target} {result:?}"))
    }

    async fn borrowed_then_mutated(cx, t) {
        let mut names = vec![String::from("a")];
        let first = names[0].as_str();
        t.effect(first);
        names.push(t.effect(String::from("b")));
        for name in &names { cx.peer.elicit::<Confirm>(name.as_str()).await?; }
        names.clear();
        cx.peer.elicit::<Confirm>("c").await?;
        names.push("d".into());
        Ok(format!("{names:?}"))
    }

    async fn an_index_moves_on(cx, t) {
        let list = vec![3, 4, 5];
        let mut i = 0;
        while i < list.len() {
            let item = list[i];
            i += 1;
            let n = cx.peer.elicit::<Count>(format!("{item}")).await?.ok_or("none")?.n;
            t.effect((item, n));
            if n == 4 { i += 1; }
        }
        Ok(format!("{i}"))
    }

    async fn shadowed_in_a_loop(cx, t) {
        let name = String::from("outer");
        let mut all = vec![];
        for (i, name) in [format!("x{name}"), format!("y{name}")].into_iter().enumerate() {
            let name = format!("{name}{i}");
            if let Some(name) = name.strip_prefix('x').map(str::to_owned) { cx.peer.elicit::<Confirm>(name.as_str()).await?; all.push(name); }
            all.push(name);
        }
        cx.peer.elicit::<Confirm>(name.as_str()).await?;
        Ok(format!("{name} {all:?}"))
    }

    async fn a_block_in_an_operand(cx, t) {
        let a = 1 + { let x = cx.peer.elicit::<Count>("x").await?.ok_or("none")?.n; t.effect(x); x * 2 } - if cx.peer.elicit::<Confirm>("minus?").await?.ok_or("none")?.ok { 5 } else { t.effect(0) };
        let list = [a, match cx.peer.elicit::<Count>("y").await? { Some(c) => c.n, None => 0 }];
        Ok(format!("{list:?}"))
    }

    async fn unlikely_types(cx, t) {
        let wide = t.effect(u128::MAX - 1);
        let odd: Option<Option<()>> = Some(None);
        let nan = f64::NAN;
        let json = serde_json::json!({"a": [1, null, {"b": 2.5}]});
        let map: BTreeMap<(u8, char), Vec<Option<String>>> = BTreeMap::from([((1, 'x'), vec![None, Some("s".into())])]);
        cx.peer.elicit::<Confirm>("c").await?;
        Ok(format!("{wide} {odd:?} {} {json} {map:?}", nan.is_nan()))
    }

    async fn matches_on_an_ask(cx, t) {
        let yes = matches!(cx.peer.elicit::<Confirm>("a").await, Ok(Some(Confirm { ok: true })) | Err(ElicitationError::UserDeclined));
        if !yes && !matches!(cx.peer.elicit::<Count>("b").await, Ok(Some(c)) if c.n > 1) { t.note("no"); }
        Ok(format!("{yes}"))
    }

    async fn a_mutable_pattern(cx, t) {
        let (mut a, b) = (t.effect(1), t.effect(2));
        let Some(mut c) = Some(3) else { return Ok("never".into()) };
        a += cx.peer.elicit::<Count>("a").await?.ok_or("none")?.n;
        c += a;
        cx.peer.elicit::<Confirm>("c").await?;
        if let Some(mut d) = Some(c) { d += 1; cx.peer.elicit::<Confirm>("d").await?; a = d; }
        Ok(format!("{a} {b} {c}"))
    }

    async fn a_question_mark_in_the_middle(cx, t) {
        let parsed = t.effect("12").parse::<i64>()? + cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n;
        let text = cx.peer.elicit::<Text>("t").await?.ok_or("none")?.text;
        let n = text.parse::<i64>().map_err(|e| { t.note("not a number"); e.to_string() });
        cx.peer.elicit::<Confirm>("c").await?;
        Ok(format!("{parsed} {:?}", n.is_ok()))
    }

    async fn a_reference_to_a_reference(cx, t) {
        let names = [t.effect(String::from("a")), String::from("bb")];
        let longest = &names[1];
        let again = &longest;
        let part = &longest[..1];
        cx.peer.elicit::<Confirm>("c").await?;
        Ok(format!("{longest} {again} {part}"))
    }

    async fn the_answer_is_taken_apart(cx, t) {
        let Some(Text { text, note }) = cx.peer.elicit::<Text>("t").await? else { return Ok("none".into()) };
        cx.peer.elicit::<Confirm>(text.as_str()).await?;
        let note = note.unwrap_or_default();
        cx.peer.elicit::<Confirm>(note.as_str()).await?;
        Ok(text + &note)
    }

    async fn two_loops_in_a_row(cx, t) {
        let mut n = 0;
        for i in 0..2 { n += i; cx.peer.elicit::<Confirm>("a").await?; }
        for i in (0..2).rev() { n *= 2; n += i; cx.peer.elicit::<Confirm>("b").await?; }
        for (i, c) in "xy".chars().enumerate().skip(1) { t.effect((i, c)); cx.peer.elicit::<Confirm>("c").await?; }
        Ok(format!("{n}"))
    }

    async fn hidden_by_what_is_made_of_it(cx, t) {
        let name = t.effect(String::from(" ab "));
        let name = name.trim();
        let n = cx.peer.elicit::<Count>(format!("{name}?")).await?.ok_or("none")?.n;
        let list = vec![t.effect(n), 2, 3];
        let part = &list[1..];
        let list = part.len();
        let m = cx.peer.elicit::<Count>("m?").await?.ok_or("none")?.n;
        Ok(format!("{name} {part:?} {list} {n} {m}"))
    }

    async fn hidden_in_an_arm_by_what_is_made_of_it(cx, t) {
        let found = Some(t.effect(String::from("x")));
        let copy = found.as_deref();
        if let Some(found) = &found {
            let n = cx.peer.elicit::<Count>(format!("{found}?")).await?.ok_or("none")?.n;
            t.note(&format!("{found} {n} {copy:?}"));
        }
        match copy {
            Some(copy) => {
                let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
                Ok(format!("{copy} {n}"))
            }
            None => Ok("none".into()),
        }
    }

    async fn in_an_async_block(cx, t) {
        let base = t.effect(1);
        let sum = async {
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(n);
            if n == 0 {
                return Ok(base);
            }
            let m = cx.peer.elicit::<Count>(format!("{n} m?")).await?.ok_or("none")?.n;
            Ok::<i64, Failure>(n + m + base)
        }
        .await
        .map_err(|e| e.0);
        let ok = cx.peer.elicit::<Confirm>("ok?").await.is_ok();
        Ok(format!("{sum:?} {ok}"))
    }

    async fn in_an_async_move_block_in_a_loop(cx, t) {
        let mut all = Vec::new();
        for i in 0..3 {
            let label = format!("l{i}");
            let peer = cx.peer.clone();
            let found: Option<i64> = async move {
                let n = peer.elicit::<Count>(label.clone()).await.ok()??.n;
                t.note(&label);
                Some(n)
            }
            .await;
            if found.is_none() { continue; }
            all.push(found);
        }
        Ok(format!("{all:?}"))
    }

    async fn hidden_within_one_statement(cx, t) {
        let d;
        let out = match Some(t.effect(1i64)) {
            Some(b) if b > 0 => {
                if ({ let mut b = cx.peer.elicit::<Text>("t?").await?.ok_or("none")?.text; b.push('x'); b.len() > 3 }) {
                    d = b;
                } else {
                    d = b + 1;
                }
                format!("{b}")
            }
            Some(b) => { d = b; String::from("small") }
            None => { d = 0; String::from("none") }
        };
        Ok(format!("{out} {d}"))
    }

    async fn an_else_means_what_the_pattern_hides(cx, t) {
        let mut b = t.effect(1i64);
        let Some(Text { text: b, note }) = cx.peer.elicit::<Text>("t?").await? else {
            while b < 3 {
                b += cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n + 1;
            }
            return Err(Failure(format!("no text {b}")));
        };
        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
        Ok(format!("{b} {note:?} {n}"))
    }

    async fn fields_moved_before_an_ask(cx, t) {
        let order = Order { items: vec![t.effect(String::from("a")), String::from("b")], note: Some(String::from("n")), total: 3 };
        let items = order.items;
        let total = order.total;
        let sure = cx.peer.elicit::<Confirm>(items.join(",")).await?.is_some();
        let note = if sure { order.note.unwrap_or_default() } else { t.note("unsure"); return Ok(format!("{items:?} {}", order.total)) };
        cx.peer.elicit::<Confirm>(note.as_str()).await?;
        Ok(format!("{items:?} {note} {total} {}", order.total))
    }

    async fn fields_moved_into_calls_and_loops(cx, t) {
        let pair = (t.effect(String::from("a")), vec![1i64, 2]);
        let other = (pair.0.clone(), Order::default());
        let text = match cx.peer.elicit::<Text>(pair.0).await { Ok(Some(text)) => text.text, Ok(None) => other.0, Err(_) => String::from("e") };
        for n in pair.1 {
            t.effect(n);
            if cx.peer.elicit::<Confirm>(format!("{n}")).await?.is_none() { break; }
        }
        let mut order = other.1;
        order.items.push(text);
        let kept = vec![order.items, Vec::new()];
        order.items = vec![String::from("new")];
        let more = cx.peer.elicit::<Confirm>("m").await?.is_some();
        t.effect(order.total);
        Ok(format!("{kept:?} {more} {order:?}"))
    }

    async fn fields_moved_in_a_loop(cx, t) {
        let mut all = Vec::new();
        for i in 0..2i64 {
            let mut order = Order { items: vec![format!("{i}")], note: None, total: i };
            let first = order.items.into_iter().next();
            order.total += 1;
            let again = cx.peer.elicit::<Count>(first.clone().unwrap_or_default()).await?.map(|c| c.n);
            all.push((first, order.total, order.note, again));
            t.effect(all.len());
        }
        Ok(format!("{all:?}"))
    }

    async fn fields_moved_by_patterns(cx, t) {
        let order = Order { items: vec![t.effect(String::from("a"))], note: Some(String::from("n")), total: 3 };
        if let Some(note) = order.note {
            t.effect(&note);
            cx.peer.elicit::<Confirm>(note).await?;
        }
        let [item] = order.items.as_slice() else { return Ok(String::from("none")) };
        cx.peer.elicit::<Confirm>(item.as_str()).await?;
        let pair = (Some(t.effect(String::from("p"))), (String::from("q"), 4));
        match pair.0 {
            Some(text) if text.is_empty() => return Ok(text),
            Some(text) => { cx.peer.elicit::<Confirm>(text.as_str()).await?; t.effect(text); }
            None => {}
        }
        let (q, n) = pair.1;
        cx.peer.elicit::<Confirm>(q.as_str()).await?;
        Ok(format!("{} {n} {}", order.total, pair.1.1))
    }

    async fn fields_moved_where_nothing_follows(cx, t) {
        let held = Held { inner: NoClone(t.effect(1)), note: Some(2), total: 3 };
        if held.total > 5 { let inner = held.inner; return Ok(format!("{}", inner.0)); }
        let sure = match cx.peer.elicit::<Confirm>("a").await { Ok(sure) => sure.is_some(), Err(_) => { let inner = held.inner; return Ok(format!("{}", inner.0)) } };
        let note = held.note.map(|note| note + 1).ok_or("none")?;
        cx.peer.elicit::<Confirm>("b").await?;
        Ok(format!("{sure} {note} {} {}", held.total, held.inner.0))
    }
}
