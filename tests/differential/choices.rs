//! Values that a `match` or an `if let` picks out of an answer: none of the answers is `Serialize`.

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count, Text},
    cases,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
struct User {
    name: String,
    tags: Vec<String>,
}

fn user() -> User {
    User {
        name: String::from("n"),
        tags: vec![String::from("t")],
    }
}

#[derive(Default)]
struct Store(());

impl Store {
    fn get(&self, id: i64) -> Option<String> {
        Some(format!("user {id}"))
    }
}

struct Wrap {
    total: i64,
}

fn wrap(wrap: Wrap) -> i64 {
    wrap.total + 1
}

cases! {
    async fn one_arm_goes_on(cx, t) {
        let text = match cx.peer.elicit::<Text>("a").await {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(String::from("none")),
            Err(error) => { t.note("failed"); return Err(error.into()) }
        };
        let more = cx.peer.elicit::<Confirm>(text.text.clone()).await?.is_some();
        Ok(format!("{text:?} {more}"))
    }

    async fn one_arm_with_a_guard_goes_on(cx, t) {
        let count = match cx.peer.elicit::<Count>("a").await? {
            Some(count) if count.n < 2 => return Ok(format!("low {}", count.n)),
            Some(count) if t.effect(count.n) > 2 => { t.note("high"); count }
            other => return Ok(format!("other {other:?}")),
        };
        let sure = cx.peer.elicit::<Confirm>("b").await?.is_some();
        let again = cx.peer.elicit::<Confirm>(format!("{}", count.n)).await?.is_some();
        Ok(format!("{count:?} {sure} {again}"))
    }

    async fn several_arms_give(cx, t) {
        let text = match cx.peer.elicit::<Text>("a").await {
            Ok(Some(Text { note: None, .. })) => return Ok(t.effect(String::from("no note"))),
            Ok(Some(text)) => Some(text),
            Ok(None) => None,
            Err(error) => { t.note("failed"); return Err(error.into()) }
        };
        let count = match cx.peer.elicit::<Count>("b").await { Ok(count) => count, Err(_) => None };
        let more = cx.peer.elicit::<Confirm>("c").await?.is_some();
        Ok(format!("{text:?} {count:?} {more}"))
    }

    async fn if_let_gives(cx, t) {
        let count = if let Ok(Some(count)) = cx.peer.elicit::<Count>("a").await { count } else { t.note("else"); return Ok(String::from("no")) };
        let text = if let Ok(Some(Text { note: Some(note), .. })) = cx.peer.elicit::<Text>("b").await { note } else { return Ok(format!("{count:?}")) };
        let more = cx.peer.elicit::<Confirm>(text.as_str()).await?.is_some();
        Ok(format!("{count:?} {text:?} {more}"))
    }

    async fn given_in_a_loop(cx, t) {
        let mut all = Vec::new();
        for i in 0..3i64 {
            let count = match cx.peer.elicit::<Count>(format!("{i}")).await { Ok(Some(count)) => count, Ok(None) => continue, Err(_) => break };
            t.effect(i);
            let text = match cx.peer.elicit::<Text>("t").await { Ok(Some(text)) if text.note.is_some() => text, _ => continue };
            if cx.peer.elicit::<Confirm>("c").await?.is_none() { break; }
            all.push(format!("{count:?} {text:?}"));
        }
        Ok(format!("{all:?}"))
    }

    async fn given_under_a_name_that_is_taken(cx, t) {
        let count = t.effect(7i64);
        let text = String::from("outer");
        let kept = match cx.peer.elicit::<Count>("a").await { Ok(Some(count)) => count, _ => return Ok(format!("{count}")) };
        let more = cx.peer.elicit::<Confirm>("b").await?.is_some();
        let text = match cx.peer.elicit::<Text>(text.as_str()).await? { Some(text) => text, None => return Ok(format!("{count} {text}")) };
        let last = cx.peer.elicit::<Confirm>("c").await?.is_some();
        Ok(format!("{count} {kept:?} {more} {text:?} {last}"))
    }

    async fn given_by_another_statement(cx, t) {
        let answer = cx.peer.elicit::<Text>("a").await;
        t.note("between");
        let text = match answer { Ok(Some(text)) => text, Ok(None) => return Ok(String::from("none")), Err(error) => return Err(error.into()) };
        cx.peer.elicit::<Confirm>("b").await?;
        let Text { text, note } = text;
        let more = cx.peer.elicit::<Confirm>("c").await?.is_some();
        Ok(format!("{text} {note:?} {more}"))
    }

    async fn given_and_changed(cx, t) {
        let mut list = match cx.peer.elicit::<Text>("a").await { Ok(Some(text)) => vec![text.text], _ => return Ok(String::from("none")) };
        list.push(String::from("x"));
        cx.peer.elicit::<Confirm>("b").await?;
        t.effect(list.len());
        let mut name = match cx.peer.elicit::<Text>("c").await? { Some(Text { note: Some(mut note), .. }) => { note.push('!'); note } Some(text) => text.text, None => String::new() };
        name.push('.');
        cx.peer.elicit::<Confirm>("d").await?;
        Ok(format!("{list:?} {name}"))
    }

    async fn borrowed_by_a_match(cx, t) {
        let users = vec![user(), user()];
        let last = Some(user());
        let user = match &users[1] { user => user };
        let last = match last.as_ref() { Some(last) => last, None => return Ok(String::from("none")) };
        cx.peer.elicit::<Confirm>("a").await?;
        t.effect(&user.name);
        let tag = if let [tag, ..] = user.tags.as_slice() { tag } else { return Ok(String::from("no tag")) };
        cx.peer.elicit::<Confirm>(tag.as_str()).await?;
        Ok(format!("{} {tag} {last:?}", user.name))
    }

    async fn loops_over_what_may_fail(cx, t) {
        let answer = cx.peer.elicit::<Text>("a").await;
        for (i, c) in answer?.ok_or("none")?.text.into_bytes().into_iter().enumerate() {
            t.effect((i, c));
            cx.peer.elicit::<Confirm>(format!("{i} {c}")).await?;
        }
        let more = cx.peer.elicit::<Text>("b").await;
        for line in match more { Ok(Some(text)) => text, _ => return Ok(t.effect(String::from("left"))) }.text.into_bytes() {
            t.effect(line);
            if cx.peer.elicit::<Confirm>(format!("{line}")).await?.is_none() { continue; }
            t.note("more");
        }
        Ok(String::from("end"))
    }

    async fn an_async_block_with_a_list_of_its_own(cx, t) {
        let count = { let peer = cx.peer.clone(); async move {
            let sure = peer.elicit::<Confirm>("s").await.is_ok();
            if sure { let mut k = 0; while k < 2 { let all = vec![format!("{k}"), t.effect(String::from("v"))]; k += all.len(); } }
            sure
        }.await };
        Ok(format!("{count}"))
    }

    async fn other_arms_ask(cx, t) {
        let confirm = match cx.peer.elicit::<Confirm>("a").await {
            Ok(None) => { t.note("none"); return Ok(String::from("none")) }
            Ok(Some(confirm)) if t.effect(confirm.ok) => { t.note("given"); confirm }
            _ => { cx.peer.elicit::<Confirm>("why").await?; return Ok(String::from("other")) }
        };
        let count = if let Ok(Some(count)) = cx.peer.elicit::<Count>("b").await { count } else {
            let text = cx.peer.elicit::<Text>("t").await?.ok_or("none")?.text;
            return Ok(format!("{confirm:?} {text}"));
        };
        let maybe: Option<Text> = match cx.peer.elicit::<Text>("c").await {
            Ok(Some(Text { note: None, .. })) => { cx.peer.elicit::<Confirm>("d").await?; return Ok(format!("{count:?}")) }
            Ok(Some(text)) => Some(text),
            Ok(None) => { t.note("none"); None }
            Err(error) => return Err(error.into()),
        };
        for _ in 0..2 {
            let Some(text) = (match cx.peer.elicit::<Text>("e").await { Ok(text) => text, Err(_) => { cx.peer.elicit::<Confirm>("f").await.ok(); continue } }) else { break };
            cx.peer.elicit::<Confirm>(text.text).await?;
        }
        Ok(format!("{confirm:?} {count:?} {maybe:?}"))
    }

    async fn names_in_macros(cx, t) {
        let item = t.effect(String::from("i"));
        let list = vec![item, String::from("s")];
        let more = cx.peer.elicit::<Confirm>(format!("{}", match Some(1i64) { Some(item) if item > 2 => item, Some(item) => item + 1, None => 0 })).await?.is_some();
        let taken = t.effect(String::from("t"));
        let text = format!("{} {}", list.len(), { let taken = taken; taken.len() });
        cx.peer.elicit::<Confirm>(text.as_str()).await?;
        Ok(format!("{text} {more} {list:?}"))
    }

    async fn left_while_choosing(cx, t) {
        let sure = async {
            'done: {
                let count = if let Ok(Some(count)) = cx.peer.elicit::<Count>("a").await { count } else { break 'done t.effect(true) };
                cx.peer.elicit::<Confirm>("b").await.is_ok() && count.n > 1
            }
        }.await;
        'names: for name in 0..2 {
            let a = match cx.peer.elicit::<Confirm>("c").await { Ok(None) => None, Ok(Some(name)) => Some(name), Err(_) => break 'names };
            t.effect(name);
            cx.peer.elicit::<Confirm>(format!("{a:?}")).await.ok();
        }
        return 'last: {
            let text = match cx.peer.elicit::<Text>("d").await { Ok(Some(text)) => text, _ => break 'last Ok(t.effect(format!("{sure}"))) };
            cx.peer.elicit::<Confirm>(text.text.as_str()).await?;
            Ok(format!("{text:?} {sure}"))
        };
    }

    async fn effects_in_arms_of_operands(cx, t) {
        let a = cx.peer.elicit::<Text>("a").await?.ok_or("none")?;
        let list = vec![t.effect(4i64), 5];
        let mut n = 0;
        for x in match a.note { Some(x) => { t.note("given"); Some(x) } None => { t.note("none"); None } } { cx.peer.elicit::<Confirm>(x).await?; }
        let two = (match list.first() { Some(x) => { n += 1; t.note("first"); Some(*x) } None => None }, { t.note("second"); cx.peer.elicit::<Confirm>(format!("{n}")).await?.is_some() });
        let more = n.max({ n = 1; cx.peer.elicit::<Count>("m").await?.map_or(0, |c| c.n) });
        let same = n == { n = 3; cx.peer.elicit::<Count>("s").await?.map_or(0, |c| c.n) };
        Ok(format!("{two:?} {more} {same} {n}"))
    }

    async fn lookups_that_give_values(cx, t) {
        let store = Store::default();
        let user = match store.get(1) { Some(user) => user, None => return Ok(String::from("none")) };
        let first = if let Some(&first) = [1i64, 2].first() { first } else { return Ok(String::from("empty")) };
        cx.peer.elicit::<Confirm>("a").await?;
        t.effect((&user, first));
        let map = std::collections::BTreeMap::from([(1i64, 2i64)]);
        let found = match map.get(&1) { Some(&found) => found, None => return Ok(String::from("none")) };
        cx.peer.elicit::<Confirm>("b").await?;
        Ok(format!("{user} {first} {found}"))
    }

    async fn texts_given_anew(cx, t) {
        let mut status = "pending";
        let rest = { let rest = &status[1..]; rest.len() };
        let both = (status.trim().len(), { status = "done"; cx.peer.elicit::<Confirm>(status).await?.is_some() });
        t.effect(status);
        let more = cx.peer.elicit::<Confirm>("b").await?.is_some();
        Ok(format!("{status} {rest} {both:?} {more}"))
    }

    async fn names_hidden_in_literals(cx, t) {
        let total = t.effect(1i64);
        let name = String::from("n");
        let out;
        {
            let total = wrap(Wrap { total });
            let name = vec!["{name}".replace("{name}", &name), "{name}".to_string(), format!("{name} {}", "{total}")].concat();
            let json = serde_json::json!({ "tpl": "Hi {name}", "name": format!("{name}"), "total": total }).to_string();
            t.effect(json);
            let all = vec![Wrap { total: 5 }].len();
            cx.peer.elicit::<Confirm>(format!("{total} {name}")).await?;
            t.effect((total, &name, all));
            out = total;
        }
        if let Some(total) = Some(wrap(Wrap { total })) { cx.peer.elicit::<Confirm>(format!("{total}")).await?; t.effect(total); }
        Ok(format!("{total} {out} {name}"))
    }

    async fn the_handle_named_in_a_macro(cx, t) {
        if matches!(({ let peer = cx.peer.clone(); async move { let mut k = 0; while let Ok(Some(count)) = peer.elicit::<Count>("a").await { k += 1; if k >= 2 { break; } t.effect(count.n); } 2u64 }.await }), 2) { t.effect(1); }
        let text = format!("{}", { let peer = &cx.peer; peer.elicit::<Confirm>("b").await?.is_some() });
        Ok(text)
    }
}
