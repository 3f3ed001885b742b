//! Loops keep their place.

use std::collections::{BTreeMap, HashMap, VecDeque};

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count, Text},
    cases,
};

fn grown(most: &mut usize) -> Vec<i64> {
    *most += 1;
    vec![5, 6, 7]
}

cases! {
    async fn a_number_of_an_adapter_is_read_behind_what_stands_before_it(cx, t) {
        let mut most = 1;
        let mut seen = Vec::new();
        for n in grown(&mut most).into_iter().take(most) { cx.peer.elicit::<Confirm>("c").await?; seen.push(n); }
        for n in { most += 1; vec![1, 2, 3, 4] }.into_iter().skip(1).take(most) { cx.peer.elicit::<Confirm>("d").await?; seen.push(n); }
        Ok(format!("{seen:?} {most}"))
    }

    async fn over_a_range(cx, t) {
        let mut sum = 0;
        for i in 0..3 { t.effect(i); sum += i * cx.peer.elicit::<Count>(format!("n{i}")).await?.ok_or("none")?.n; }
        Ok(format!("{sum}"))
    }

    async fn over_an_inclusive_range(cx, t) {
        let mut seen = vec![];
        for i in (t.effect(1u8)..=3).rev() { cx.peer.elicit::<Confirm>(format!("n{i}")).await?; seen.push(i); }
        for i in (0..10usize).step_by(4) { seen.push(i as u8); cx.peer.elicit::<Confirm>("s").await?; }
        Ok(format!("{seen:?}"))
    }

    async fn range_to_the_limit(cx, t) {
        let mut n = 0u8;
        for i in 254..=255 { cx.peer.elicit::<Confirm>("i").await?; n = n.wrapping_add(i); }
        Ok(format!("{n}"))
    }

    async fn over_a_borrow(cx, t) {
        let hosts = vec![String::from("a"), String::from("b"), String::from("c")];
        let mut done = Vec::new();
        for host in &hosts {
            t.effect(host);
            if cx.peer.elicit::<Confirm>(format!("{host}?")).await?.ok_or("none")?.ok { done.push(host.clone()); }
        }
        Ok(format!("{done:?} of {}", hosts.len()))
    }

    async fn over_iter_enumerate(cx, t) {
        let list = [10, 20, 30];
        let mut out = String::new();
        for (i, x) in list.iter().enumerate().skip(1) { let c = cx.peer.elicit::<Count>(format!("{i}")).await?.ok_or("none")?; out += &format!("{i}:{}", x + c.n); }
        for (a, b) in list.iter().zip(list.iter().rev()) { out += &format!("{a}{b}"); cx.peer.elicit::<Confirm>("z").await?; }
        Ok(out)
    }

    async fn over_chars_and_words(cx, t) {
        let name = t.effect(String::from("aé"));
        let mut out = Vec::new();
        for c in name.chars() { cx.peer.elicit::<Confirm>(format!("{c}")).await?; out.push(c); }
        for word in "x y".split(' ') { out.extend(word.chars()); cx.peer.elicit::<Confirm>(word).await?; }
        Ok(format!("{out:?}"))
    }

    async fn over_owned(cx, t) {
        let names = vec![t.effect(String::from("a")), String::from("b")];
        let mut out = Vec::new();
        for name in names { let c = cx.peer.elicit::<Count>(name.as_str()).await?.ok_or("none")?; t.effect(&name); out.push((name, c.n)); }
        Ok(format!("{out:?}"))
    }

    async fn over_owned_enumerate(cx, t) {
        let queue: VecDeque<u8> = [3, 4].into_iter().collect();
        let mut out = Vec::new();
        for (i, x) in queue.into_iter().enumerate() { cx.peer.elicit::<Confirm>("q").await?; out.push(i + x as usize); }
        Ok(format!("{out:?}"))
    }

    async fn over_a_map(cx, t) {
        let map = BTreeMap::from([("a".to_string(), 1), ("b".to_string(), 2)]);
        let mut out = Vec::new();
        for (key, value) in &map { cx.peer.elicit::<Confirm>(key.as_str()).await?; out.push(format!("{key}{value}")); }
        let one = HashMap::from([(1, "x".to_string())]);
        for (k, v) in one { cx.peer.elicit::<Confirm>(v.as_str()).await?; out.push(v); }
        Ok(format!("{out:?}"))
    }

    async fn break_with_value(cx, t) {
        let mut tries = 0;
        let answer = loop {
            tries += 1;
            let c = cx.peer.elicit::<Count>(format!("try {tries}")).await?.ok_or("none")?;
            if c.n > 1 { break c.n; }
            if tries == 3 { t.note("gave up"); break -1; }
        };
        Ok(format!("{answer} {tries}"))
    }

    async fn while_condition(cx, t) {
        let mut n = 0;
        while cx.peer.elicit::<Confirm>(format!("more {n}")).await?.ok_or("none")?.ok { n += 1; t.effect(n); if n == 3 { break; } }
        Ok(format!("{n}"))
    }

    async fn while_let(cx, t) {
        let mut stack = vec![1, 2];
        let mut out = Vec::new();
        while let Some(top) = stack.pop() {
            let n = cx.peer.elicit::<Count>(format!("{top}")).await?.ok_or("none")?.n;
            if n == 0 && out.len() < 2 { stack.push(9); }
            out.push((top, n));
        }
        while let Ok(Some(c)) = cx.peer.elicit::<Count>("w").await { if c.n > 0 { out.push((0, c.n)); break; } }
        Ok(format!("{out:?}"))
    }

    async fn labels(cx, t) {
        let mut out = Vec::new();
        'outer: for a in 0..3 {
            for b in ["x", "y"] {
                let n = cx.peer.elicit::<Count>(format!("{a}{b}")).await?.ok_or("none")?.n;
                if n == 0 { t.note("continue"); continue 'outer; }
                if n == 4 { t.note("break"); break 'outer; }
                if n == 3 { continue; }
                out.push(format!("{a}{b}{n}"));
            }
            out.push("|".into());
        }
        Ok(format!("{out:?}"))
    }

    async fn jumps_in_plain_code(cx, t) {
        let mut sum = 0;
        for i in 0..4 {
            let Some(even) = (i % 2 == 0).then_some(i) else { t.note("odd"); continue };
            let n = match cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n { 0 => continue, 4 => break, n => n };
            if n == 1 { for j in 0..5 { if j == 2 { break; } t.effect(j); } continue; }
            sum += even + n;
        }
        Ok(format!("{sum}"))
    }

    async fn jump_past_a_shadow(cx, t) {
        let x = 100;
        let mut sum = x;
        for i in 0..3 {
            match Some(i) { Some(x) if x == 1 => { t.effect(x); continue } Some(x) => sum += x, None => break }
            cx.peer.elicit::<Confirm>("c").await?;
            sum += x;
        }
        Ok(format!("{sum} {x}"))
    }

    async fn nested_loops_share_state(cx, t) {
        let grid = vec![vec![1, 2], vec![3]];
        let mut total = 0;
        for (r, row) in grid.iter().enumerate() {
            for cell in row { total += cell * cx.peer.elicit::<Count>(format!("{r}")).await?.ok_or("none")?.n; }
            t.effect(total);
        }
        Ok(format!("{total} {}", grid.len()))
    }

    async fn loop_in_loop_with_values(cx, t) {
        let best = loop {
            let inner = loop { if cx.peer.elicit::<Confirm>("i").await?.ok_or("none")?.ok { break t.effect(2); } else { break 3; } };
            let n = cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n;
            if n != 0 { break inner * n; }
        };
        Ok(format!("{best}"))
    }

    async fn mutable_borrow_loop(cx, t) {
        let mut list = vec![1, 2, 3];
        for x in &mut list { *x += cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n; }
        for x in list.iter_mut() { *x *= 2; }
        cx.peer.elicit::<Confirm>("c").await?;
        Ok(format!("{list:?}"))
    }

    async fn loop_over_an_answer(cx, t) {
        let text = cx.peer.elicit::<Text>("t").await?.ok_or("none")?;
        let mut out = Vec::new();
        for word in text.text.split_whitespace() { out.push(word.to_string()); cx.peer.elicit::<Confirm>(word).await?; }
        Ok(format!("{out:?} {:?}", text.note))
    }

    async fn empty_loops(cx, t) {
        let none: Vec<String> = vec![];
        for x in &none { cx.peer.elicit::<Confirm>(x.as_str()).await?; }
        for x in none { cx.peer.elicit::<Confirm>(x).await?; }
        for _ in 5..5 { cx.peer.elicit::<Confirm>("never").await?; }
        Ok("empty".into())
    }

    async fn loop_with_return(cx, t) {
        for i in 0.. { if cx.peer.elicit::<Count>(format!("{i}")).await?.ok_or("none")?.n > 2 { return Ok(format!("at {i}")); } t.effect(i); }
        unreachable!()
    }

    async fn numbers_of_adapters_are_constants(cx, t) {
        const SKIPPED: usize = 1;
        let names = vec![String::from("a"), String::from("bc"), String::from("d"), String::from("ef")];
        let mut most = 3;
        let mut seen = Vec::new();
        for name in names.iter().skip(SKIPPED).take(most) { cx.peer.elicit::<Confirm>(name.as_str()).await?; seen.push(name.clone()); most = 0; }
        for pair in names.chunks(SKIPPED as usize + 1) { t.effect(pair); cx.peer.elicit::<Confirm>("p").await?; seen.push(pair.concat()); }
        for pair in names.chunks(SKIPPED) { cx.peer.elicit::<Confirm>("q").await?; seen.push(pair.concat()); }
        for name in names.iter().step_by(SKIPPED as u8 as usize) { cx.peer.elicit::<Confirm>("r").await?; seen.push(name.clone()); }
        for pair in names.windows(SKIPPED).rev() { cx.peer.elicit::<Confirm>("s").await?; seen.push(pair.concat()); }
        Ok(format!("{seen:?} {most}"))
    }
}
