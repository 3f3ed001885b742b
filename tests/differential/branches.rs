//! `if`, `match`, `let … else`, blocks and their values.

use rmcp::{
    RoleServer,
    service::{ElicitationError, RequestContext},
};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count, Text},
    cases,
};

cases! {
    async fn match_scrutinee(cx, t) {
        let id = t.effect(1);
        match cx.peer.elicit::<Count>("n").await {
            Ok(Some(count)) if count.n > 2 => { t.note("big"); Ok(format!("{id} big {}", count.n)) }
            Ok(Some(Count { n })) => Ok(format!("{id} {n}")),
            Ok(None) => Ok("none".into()),
            Err(ElicitationError::UserDeclined) => Ok(format!("{id} declined")),
            Err(other) => Err(other.into()),
        }
    }

    async fn match_arms_ask(cx, t) {
        let n = cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n;
        let text = match n {
            0 => String::from("zero"),
            1 => { t.note("one"); cx.peer.elicit::<Text>("which?").await?.ok_or("none")?.text }
            k if k > 2 => { let c = cx.peer.elicit::<Confirm>("sure?").await?.ok_or("none")?; format!("{k} {}", c.ok) }
            other => format!("other {other}"),
        };
        t.note("after");
        Ok(text)
    }

    async fn if_else_chain(cx, t) {
        let n = cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n;
        let word = if n == 0 { t.effect("zero").to_string() }
            else if cx.peer.elicit::<Confirm>("one?").await?.ok_or("none")?.ok { cx.peer.elicit::<Text>("word").await?.ok_or("none")?.text }
            else if n > 2 { String::from("many") }
            else { t.note("else"); String::from("few") };
        Ok(format!("{n} {word}"))
    }

    async fn if_without_else(cx, t) {
        let mut log = Vec::new();
        if cx.peer.elicit::<Confirm>("a").await?.ok_or("none")?.ok {
            log.push(t.effect(1));
            if cx.peer.elicit::<Confirm>("b").await?.ok_or("none")?.ok { log.push(2); }
            log.push(3);
        }
        log.push(4);
        Ok(format!("{log:?}"))
    }

    async fn if_let_on_an_ask(cx, t) {
        let before = t.effect(String::from("b"));
        if let Ok(Some(c)) = cx.peer.elicit::<Count>("n").await {
            t.effect(c.n);
            let again = cx.peer.elicit::<Count>("m").await?;
            return Ok(format!("{before} {} {again:?}", c.n));
        }
        Ok(before)
    }

    async fn let_chains(cx, t) {
        let limit = 1;
        if let Ok(Some(a)) = cx.peer.elicit::<Count>("a").await && a.n > limit && let Some(b) = cx.peer.elicit::<Count>("b").await? && b.n >= a.n {
            t.note("both");
            return Ok(format!("{} {}", a.n, b.n));
        } else {
            t.note("else");
        }
        Ok(format!("{limit}"))
    }

    async fn let_else(cx, t) {
        let Some(first) = cx.peer.elicit::<Count>("a").await? else { return Ok("no first".into()) };
        let Ok(Some(second)) = cx.peer.elicit::<Count>("b").await else { t.note("failed"); return Ok(format!("only {}", first.n)) };
        Ok(format!("{} {}", first.n, second.n))
    }

    async fn let_else_that_asks(cx, t) {
        let list = vec![t.effect(3)];
        let Some(x) = list.iter().find(|x| **x > 5).copied() else {
            let why = cx.peer.elicit::<Text>("why?").await?.ok_or("none")?.text;
            return Ok(format!("{why} {list:?}"));
        };
        Ok(format!("{x}"))
    }

    async fn block_value(cx, t) {
        let total = {
            let a = cx.peer.elicit::<Count>("a").await?.ok_or("none")?.n;
            let b = { t.note("inner"); cx.peer.elicit::<Count>("b").await?.ok_or("none")?.n };
            a * 10 + b
        };
        Ok(format!("{total}"))
    }

    async fn labelled_block(cx, t) {
        let found = 'search: {
            if cx.peer.elicit::<Confirm>("a").await?.ok_or("none")?.ok { break 'search t.effect(1); }
            let n = cx.peer.elicit::<Count>("b").await?.ok_or("none")?.n;
            if n > 2 { t.note("early"); break 'search 2; }
            3
        };
        Ok(format!("{found}"))
    }

    async fn nested_matches(cx, t) {
        let outer = match cx.peer.elicit::<Count>("a").await {
            Ok(Some(a)) => match cx.peer.elicit::<Confirm>(format!("b {}", a.n)).await {
                Ok(Some(Confirm { ok: true })) => a.n + 1,
                Ok(_) => { t.note("no"); -a.n }
                Err(e) => { t.effect(e.to_string()); 0 }
            },
            _ => 99,
        };
        Ok(format!("{outer}"))
    }

    async fn match_on_a_reference(cx, t) {
        let mode = Some(t.effect(String::from("fast")));
        let picked = match &mode {
            Some(name) => { let c = cx.peer.elicit::<Confirm>(format!("{name}?")).await?.ok_or("none")?; format!("{name} {}", c.ok) }
            None => String::from("none"),
        };
        Ok(format!("{picked} {mode:?}"))
    }

    async fn match_that_moves(cx, t) {
        let mode = Some(t.effect(String::from("fast")));
        let picked = match mode {
            Some(name) => { cx.peer.elicit::<Confirm>(format!("{name}?")).await?; name + "!" }
            None => String::from("none"),
        };
        Ok(picked)
    }

    async fn ref_binding(cx, t) {
        let pair = (t.effect(String::from("l")), 2u8);
        let (ref left, ref right) = pair;
        cx.peer.elicit::<Confirm>("ok?").await?;
        Ok(format!("{left}{right}{}", pair.0))
    }

    async fn arms_that_diverge(cx, t) {
        let n = match cx.peer.elicit::<Count>("n").await {
            Err(ElicitationError::UserCancelled) => return Ok("cancelled".into()),
            Err(e) => Err(e)?,
            Ok(None) => unreachable!(),
            Ok(Some(c)) => c.n,
        };
        let m = match cx.peer.elicit::<Count>("m").await { Ok(Some(c)) => c.n, _ => { t.note("x"); return Ok(format!("just {n}")) } };
        Ok(format!("{}", n + m))
    }

    async fn shadowed_in_arms(cx, t) {
        let x = t.effect(1);
        let y = match cx.peer.elicit::<Count>("n").await? {
            Some(x) => { cx.peer.elicit::<Confirm>("ok").await?; x.n * 2 }
            None => x,
        };
        if let Some(x) = cx.peer.elicit::<Text>("t").await? { t.effect(x.text.clone()); cx.peer.elicit::<Confirm>("more").await?; t.effect(x.note); }
        let z = { let y = format!("{x}"); cx.peer.elicit::<Confirm>("z").await?; y };
        Ok(format!("{x} {y} {z}"))
    }

    async fn shadowed_option(cx, t) {
        let name = Some(t.effect(String::from("n")));
        if let Some(name) = &name { cx.peer.elicit::<Confirm>(format!("{name}?")).await?; t.effect(name.len()); }
        let name = if let Some(name) = name { cx.peer.elicit::<Confirm>("again").await?; name } else { String::new() };
        Ok(name)
    }

    async fn typed_branches(cx, t) {
        let x: u64 = if cx.peer.elicit::<Confirm>("a").await?.ok_or("none")?.ok { 1 } else { 2 };
        let y: Option<String> = match x { 1 => None, _ => { cx.peer.elicit::<Confirm>("b").await?; Some("s".into()) } };
        cx.peer.elicit::<Confirm>("c").await?;
        Ok(format!("{} {y:?}", x << 40))
    }

    async fn inferred_late(cx, t) {
        let mut list = Vec::new();
        let mut sum = 0;
        cx.peer.elicit::<Confirm>("a").await?;
        if cx.peer.elicit::<Confirm>("b").await?.ok_or("none")?.ok { list.push(1u16); }
        sum += 3_000_000_000u32;
        cx.peer.elicit::<Confirm>("c").await?;
        Ok(format!("{list:?} {sum}"))
    }

    async fn tail_if(cx, t) {
        if cx.peer.elicit::<Confirm>("a").await?.ok_or("none")?.ok { Ok(cx.peer.elicit::<Text>("t").await?.ok_or("none")?.text) } else { Err(Failure("refused".into())) }
    }

    async fn unit_results(cx, t) {
        let unit = if cx.peer.elicit::<Confirm>("a").await?.ok_or("none")?.ok { t.note("y") } else { t.note("n") };
        match cx.peer.elicit::<Confirm>("b").await { Ok(_) => t.note("ok"), Err(_) => (), }
        Ok(format!("{unit:?}"))
    }

    async fn blocks_on_the_left_of_an_operator(cx, t) {
        let mut n = 0;
        let first = cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n) > 5
            || { n += 10; t.effect(n > 3) } && cx.peer.elicit::<Count>("b").await?.map_or(0, |c| c.n) > 0;
        let second = cx.peer.elicit::<Confirm>("c").await?.is_some_and(|c| c.ok)
            && if t.effect(n) > 3 { true } else { false } & (cx.peer.elicit::<Count>("d").await?.map_or(0, |c| c.n) < 9);
        if first || match n { 10 => t.effect(false), _ => true } && cx.peer.elicit::<Confirm>("e").await?.is_some() { n += 1; }
        Ok(format!("{first} {second} {n}"))
    }
}
