//! When values that no variable of the author's has are dropped: with their statement, as in plain Rust.

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count, Text},
};

use super::helpers::helper_cases;

/// Says when it is dropped.
struct Noisy<'t>(&'t Trace, &'static str);

impl Noisy<'_> {
    fn word(&self) -> Option<&'static str> {
        Some(self.1)
    }
}

impl Drop for Noisy<'_> {
    fn drop(&mut self) {
        self.0.note(self.1);
    }
}

fn noisy<'t>(t: &'t Trace, name: &'static str) -> Noisy<'t> {
    t.note("made");
    Noisy(t, name)
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Meter(i64);

impl Meter {
    fn add(&mut self, more: i64) -> i64 {
        self.0 += more;
        self.0
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Named {
    words: String,
    n: i64,
    more: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Total {
    n: i64,
    more: i64,
}

/// Of one function, whose runs come one after the other.
static LIST: tokio::sync::Mutex<Vec<i64>> = tokio::sync::Mutex::const_new(Vec::new());

macro_rules! grow {
    ($n:ident) => {
        $n += 1
    };
}

helper_cases! {
    async fn acquire<'t>(cx: &RequestContext<RoleServer>, t: &'t Trace) -> Result<Noisy<'t>, Failure> {
        cx.peer.elicit::<Count>("take it?").await?.ok_or("none")?;
        Ok(noisy(t, "acquired"))
    }

    async fn a_let_else_that_asks(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        for turn in 0..2 {
            let Some(word) = noisy(t, "looked at").word().filter(|_| turn == 0) else {
                t.effect(cx.peer.elicit::<Count>("none: which?").await?.ok_or("none")?.n);
                continue;
            };
            t.effect((turn, word));
        }
        let (Some(0) | None) = Some(noisy(t, "nested").word().map_or(1, str::len) as u8 - 6) else {
            return Ok(format!("{:?}", cx.peer.elicit::<Confirm>("which?").await?.map(|c| c.ok)));
        };
        t.note("behind");
        Ok("end".into())
    }

    async fn what_a_helper_gave(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        if acquire(&cx, t).await.is_ok() { t.note("in the condition's block"); }
        t.note("1");
        let _ = acquire(&cx, t).await;
        t.note("2");
        _ = acquire(&cx, t).await;
        t.note("3");
        match acquire(&cx, t).await { Ok(_) => t.note("arm"), Err(_) => t.note("other") }
        t.note("4");
        if let Ok(_held) = &acquire(&cx, t).await { t.note("held"); }
        t.note("5");
        let Ok(_) = acquire(&cx, t).await else { return Ok("declined".into()) };
        t.note("6");
        let word = acquire(&cx, t).await?.word();
        t.note("7");
        acquire(&cx, t).await?.word();
        t.note("8");
        Ok(format!("{word:?}"))
    }

    async fn an_else_that_asks(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        *LIST.lock().await = vec![1];
        for turn in 0..2 {
            let n = if let Some(n) = LIST.lock().await.pop() { t.effect(LIST.try_lock().is_ok()); n } else { t.effect(LIST.try_lock().is_ok()); cx.peer.elicit::<Count>("none: how many?").await?.ok_or("none")?.n };
            t.effect(n);
            if let Some("word") = noisy(t, "word").word().filter(|_| turn == 0) { t.note("then"); } else { t.note("else"); t.effect(cx.peer.elicit::<Confirm>("else?").await?.map(|c| c.ok)); }
        }
        Ok(format!("{:?}", LIST.lock().await))
    }

    async fn what_gets_its_value_later(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
        let _first = noisy(t, "first");
        let second;
        second = noisy(t, "second");
        let (third, fourth): (Noisy<'_>, _);
        if n > 1 { fourth = noisy(t, "fourth"); third = noisy(t, "third"); } else { (third, fourth) = (noisy(t, "3"), noisy(t, "4")); }
        t.effect(format!("{:?}", (second.word(), third.word(), fourth.word())));
        Ok("end".into())
    }

    async fn what_hides_another_one_and_gets_its_value_later(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
        let x = noisy(t, "x");
        t.effect(x.word());
        let x: Noisy<'_>;
        x = noisy(t, "another x");
        t.effect(x.word());
        let text = cx.peer.elicit::<Text>("which?").await?.ok_or("none")?.text;
        let length = text.len();
        let text;
        if length > 3 { text = "long"; } else { text = "short"; }
        for turn in 0..2 {
            let late;
            if turn == 0 { late = cx.peer.elicit::<Count>("late?").await?.map_or(0, |c| c.n); } else { late = n; }
            t.effect((text, late));
        }
        Ok(text.into())
    }

    async fn items_of_a_vec(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let items = vec![
            noisy(t, "a").word().map_or(0, str::len) as i64,
            cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n + noisy(t, "b").word().map_or(0, str::len) as i64,
            t.effect(LIST.try_lock().is_ok()) as i64 + noisy(t, "c").word().map_or(0, str::len) as i64,
        ];
        let held: Vec<Box<dyn std::fmt::Debug + Send>> = vec![Box::new(1), Box::new(cx.peer.elicit::<Text>("w?").await?.map(|w| w.text))];
        Ok(format!("{items:?} {held:?}"))
    }

    async fn what_nobody_takes(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let _ = if cx.peer.elicit::<Confirm>("a?").await?.ok_or("none")?.ok { t.effect(cx.peer.elicit::<Count>("n").await?.map(|c| c.n)); noisy(t, "a") } else { noisy(t, "b") };
        t.note("1");
        let _ = { cx.peer.elicit::<Confirm>("c?").await?; noisy(t, "c") };
        t.note("2");
        let _ = 'l: { if cx.peer.elicit::<Confirm>("d?").await?.ok_or("none")?.ok { break 'l noisy(t, "d"); } noisy(t, "e") };
        t.note("3");
        async { Ok::<_, Failure>({ cx.peer.elicit::<Confirm>("f?").await?; noisy(t, "f") }) }.await.is_ok();
        t.note("4");
        _ = match cx.peer.elicit::<Count>("g?").await?.ok_or("none")?.n { 1 => Some(noisy(t, "g")), _ => { cx.peer.elicit::<Confirm>("h?").await?; Some(noisy(t, "h")) } };
        t.note("5");
        Ok("end".into())
    }

    async fn parts_of_a_pattern(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let (_, n) = ((cx.peer.elicit::<Confirm>("a?").await?, noisy(t, "a")), 5);
        t.note("1");
        let (m, _) = (cx.peer.elicit::<Count>("b?").await?.map(|c| c.n), noisy(t, "b"));
        t.note("2");
        let (k, ..) = (1, (cx.peer.elicit::<Confirm>("c?").await?, noisy(t, "c")));
        t.note("3");
        Ok(format!("{n}{m:?}{k}"))
    }

    async fn an_item_at_an_index(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let mut lists = vec![vec![1i64], vec![2]];
        let mut meters = [Meter(1), Meter(2)];
        let (mut i, mut k) = (0, 1);
        while i < 2 {
            lists[i].push(cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n);
            t.effect(lists[{ i += 1; i - 1 }].contains(&cx.peer.elicit::<Count>("in it?").await?.ok_or("none")?.n));
            t.effect(meters[k].add(cx.peer.elicit::<Count>("more?").await?.ok_or("none")?.n));
            k -= k;
            // Of a value there is a copy.
            t.effect(lists[0][0].max({ lists[0][0] = 9; cx.peer.elicit::<Count>("max?").await?.ok_or("none")?.n }));
        }
        let mut words = std::collections::BTreeMap::from([("a".to_string(), String::new())]);
        let key = "a".to_string();
        words.get_mut(&key).ok_or("none")?.push_str("x");
        t.effect(words[&key].starts_with(&cx.peer.elicit::<Text>("which?").await?.ok_or("none")?.text));
        Ok(format!("{lists:?}{meters:?}{words:?}"))
    }

    async fn compared_before_it_changes(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let mut v = vec![3i64, 1, 2];
        let i = v.len() - 3;
        t.effect(v[i] == { v.sort(); cx.peer.elicit::<Count>("sorted").await?.map_or(3, |_| 3) });
        t.effect(v[0] < { v.iter_mut().for_each(|n| *n += 5); cx.peer.elicit::<Count>("greater").await?.map_or(2, |_| 2) });
        t.effect(v[i + 1].max({ v.reverse(); cx.peer.elicit::<Count>("turned").await?.map_or(0, |_| 0) }));
        let mut meter = (Meter(1), [4i64, 5]);
        t.effect(meter.0.0 == { meter.0.add(1); cx.peer.elicit::<Count>("more").await?.map_or(1, |_| 1) });
        t.effect(meter.1[i] == { meter.1.swap(0, 1); cx.peer.elicit::<Count>("swapped").await?.map_or(4, |_| 4) });
        let mut n = 7i64;
        t.effect(n == { grow!(n); cx.peer.elicit::<Count>("grown").await?.map_or(7, |_| 7) });
        let names = vec![String::from("a"), String::from("b")];
        let k = 1;
        t.effect(names[k] == cx.peer.elicit::<Text>("name").await?.map_or_else(String::new, |answer| answer.text));
        t.effect(names[k - 1..names.len()].contains(&cx.peer.elicit::<Text>("one").await?.map_or_else(String::new, |answer| answer.text)));
        let copies = std::collections::HashMap::from([((1, "k".to_string()), vec![4i64, 5])]);
        t.effect(copies[&(1, "k".to_string())][i + 1] < cx.peer.elicit::<Count>("copies").await?.map_or(9, |_| 9));
        t.effect(copies[&t.effect((1, "k".to_string()))].contains(&cx.peer.elicit::<Count>("copy").await?.map_or(4, |_| 4)));
        Ok(format!("{v:?}{meter:?}{n}{names:?}"))
    }

    async fn sum<'t>(cx: &RequestContext<RoleServer>, t: &'t Trace, first: i64, meter: Meter, more: i64) -> Result<i64, Failure> {
        let n = cx.peer.elicit::<Count>("sum?").await?.ok_or("none")?.n;
        Ok(t.effect(first * 100 + meter.0 * 10 + more + n))
    }

    async fn given_before_it_changes(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let mut meter = Meter(1);
        let mut n = 3i64;
        t.effect(sum(&cx, t, meter.0, meter, { meter.add(2); cx.peer.elicit::<Count>("more").await?.map_or(1, |c| c.n) }).await?);
        t.effect(sum(&cx, t, n, Meter(n), { n = 5; n.clone_from(&6); cx.peer.elicit::<Count>("other").await?.map_or(1, |c| c.n) }).await?);
        let mut words = String::from("a");
        words.push('b');
        let named = Named { words, n, more: cx.peer.elicit::<Count>("named").await?.map_or(1, |c| c.n) };
        let total = Total { n, more: { n += 1; cx.peer.elicit::<Count>("total").await?.map_or(1, |c| c.n) } };
        t.effect((total.n, total.more, n));
        let mut rows = Vec::new();
        for id in 0..2i64 { n += id; rows.push(Total { n, more: cx.peer.elicit::<Count>("row").await?.map_or(id, |c| c.n) }); }
        let mut list = vec![1i64, 2, 3];
        let i = 1usize;
        list[i + 1] += cx.peer.elicit::<Count>("added").await?.map_or(1, |c| c.n);
        list[i as usize] *= cx.peer.elicit::<Count>("times").await?.map_or(1, |c| c.n);
        // While it is borrowed for the call nothing changes it.
        list.push(list.len() as i64 + cx.peer.elicit::<Count>("pushed").await?.map_or(1, |c| c.n));
        Ok(format!("{named:?}{meter:?}{rows:?}{list:?}"))
    }

    async fn a_part_of_a_temporary(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let plan = |n| { t.note("planned"); Named { words: String::from("x y"), n, more: 0 } };
        for word in plan(1).words.split(' ') { t.effect(word); cx.peer.elicit::<Confirm>(word).await?; }
        for c in plan(2).words.chars() { t.effect(c); cx.peer.elicit::<Confirm>("c").await?; }
        Ok("end".into())
    }

    async fn given_a_value_before_a_jump(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let found;
        loop {
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(n);
            if n > 2 { found = n; break; }
        }
        let word;
        'l: {
            if cx.peer.elicit::<Confirm>("yes?").await?.ok_or("none")?.ok { word = "yes"; break 'l; }
            word = "no";
        }
        let mut last = None;
        let other: String;
        loop {
            match cx.peer.elicit::<Text>("text?").await? {
                Some(text) if last.is_some() => { other = text.text; break; }
                Some(text) => last = Some(text.text),
                None => { other = String::from("declined"); break; }
            }
        }
        Ok(format!("{found}{word}{last:?}{other}"))
    }

    async fn at_the_end_of_a_block(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        {
            let sure = cx.peer.elicit::<Confirm>("a").await?.is_some();
            let held = noisy(t, "held");
            t.note(&format!("in {sure} {:?}", held.word()));
        }
        t.note("after");
        let n = {
            let n = cx.peer.elicit::<Count>("b").await?.map_or(1, |b| b.n);
            let more = noisy(t, "more");
            let _ = more.word();
            n + t.effect(1)
        };
        t.note("and after");
        Ok(n.to_string())
    }

    cases: at_the_end_of_a_block, given_before_it_changes, a_part_of_a_temporary, a_let_else_that_asks, an_else_that_asks, what_a_helper_gave, what_nobody_takes, parts_of_a_pattern, an_item_at_an_index, compared_before_it_changes, given_a_value_before_a_jump
}
