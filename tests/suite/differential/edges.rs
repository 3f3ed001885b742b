//! Where a lowering is likely to slip: names, moves, order and state that lives long.

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

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Order {
    items: Vec<String>,
    note: Option<String>,
    total: i64,
}

fn join(text: &str, more: bool) -> usize {
    text.len() + usize::from(more)
}

static CHANGES: std::sync::Mutex<Vec<i64>> = std::sync::Mutex::new(Vec::new());
static NUMBERS: [i64; 2] = [4, 5];

#[derive(Debug, Serialize, Deserialize)]
struct NoClone(i64);

#[derive(Debug, Serialize, Deserialize)]
struct Held {
    inner: NoClone,
    note: Option<i64>,
    total: i64,
}

cases! {
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
