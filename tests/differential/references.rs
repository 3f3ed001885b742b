//! References that some code found, and what is made of them: they come back whatever found them.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
};

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count, Text},
    cases,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Book {
    title: String,
    pages: u32,
}

#[derive(Debug, Serialize, Deserialize)]
struct Plan<'a> {
    #[serde(borrow)]
    name: &'a str,
    size: u32,
}

impl<'a> Plan<'a> {
    fn of(name: &'a str) -> Self {
        Self { name, size: 4 }
    }
}

fn fetch(t: &Trace) -> Vec<Book> {
    let book = |title: &str| Book {
        title: title.to_owned(),
        pages: title.len() as u32,
    };
    t.effect(["a", "long one", "mid"].map(book).into())
}

fn longest(names: &[String]) -> &String {
    names.iter().max_by_key(|name| name.len()).unwrap()
}

cases! {
    async fn found_by_a_closure(cx, t) {
        let books = fetch(t);
        let longest = books.iter().max_by_key(|book| book.pages).ok_or("none")?;
        let mut log = vec!["asked"];
        for book in &books {
            if book.pages < 2 { continue }
            let n = cx.peer.elicit::<Count>(format!("{}?", book.title)).await?.ok_or("none")?.n;
            if n < 0 { continue }
            log.push(&book.title);
        }
        let sure = cx.peer.elicit::<Confirm>("sure?").await?.is_some();
        Ok(format!("{} {log:?} {sure}", longest.title))
    }

    async fn found_by_a_function(cx, t) {
        let names = t.effect(vec![String::from("a"), String::from("bb")]);
        let name = longest(&names);
        cx.peer.elicit::<Confirm>("ok?").await?;
        let again = name.clone();
        cx.peer.elicit::<Confirm>("ok?").await?;
        Ok(format!("{name} {again} {names:?}"))
    }

    async fn texts_inside_of_collections(cx, t) {
        let books = fetch(t);
        let by: HashMap<&str, u32> = books.iter().map(|book| (book.title.as_str(), book.pages)).collect();
        let mut groups: BTreeMap<&str, Vec<&Book>> = BTreeMap::new();
        for book in &books { groups.entry(&book.title[..1]).or_default().push(book); }
        let pair = ("list price", 3u32);
        let steps = [("build", 3), ("test", 5)];
        let first = books.first().map(|book| book.title.as_str());
        cx.peer.elicit::<Confirm>("ok?").await?;
        let mut titles: Vec<_> = by.keys().copied().collect();
        titles.sort();
        for (step, times) in steps {
            let n = cx.peer.elicit::<Count>(format!("{step} {times} {}", by["mid"])).await?.ok_or("none")?.n;
            t.effect((step, n));
        }
        Ok(format!("{titles:?} {groups:?} {pair:?} {first:?}"))
    }

    async fn structs_that_borrow(cx, t) {
        let books = fetch(t);
        let title = books[1].title.clone();
        let plan = Plan { name: &title, size: 3 };
        let other: Plan<'_> = Plan::of(&books[0].title);
        let plans: Vec<Plan<'_>> = vec![Plan::of("x"), Plan::of(&title)];
        cx.peer.elicit::<Confirm>(plan.name).await?;
        t.effect(other.size);
        cx.peer.elicit::<Confirm>(other.name).await?;
        Ok(format!("{plan:?} {other:?} {plans:?}"))
    }

    async fn texts_taken_apart(cx, t) {
        let raw = t.effect(String::from("key=api, web ,db"));
        let (key, rest) = raw.split_once('=').ok_or("none")?;
        let parts: Vec<&str> = rest.split(',').map(str::trim).collect();
        let long = parts.iter().max_by_key(|part| part.len());
        let (head, tail) = parts.split_at(1);
        let cow: Cow<'_, str> = Cow::Borrowed(&raw);
        let last = raw.rsplit(',').next().unwrap_or(&raw);
        cx.peer.elicit::<Confirm>(key).await?;
        t.effect(long);
        cx.peer.elicit::<Confirm>(last).await?;
        Ok(format!("{key} {parts:?} {long:?} {head:?} {tail:?} {cow}"))
    }

    async fn references_to_references(cx, t) {
        let books = fetch(t);
        let big: Vec<&Book> = books.iter().filter(|book| book.pages > 1).collect();
        let most = big.iter().max_by_key(|book| book.pages).copied();
        let value = serde_json::json!({"items": [1, {"name": "n"}], "unit": "cm"});
        let item = &value["items"][1];
        let unit = value.get("unit").and_then(|unit| unit.as_str()).unwrap_or("all");
        let name = value.pointer("/items/1/name").and_then(serde_json::Value::as_str);
        cx.peer.elicit::<Confirm>(unit).await?;
        t.effect(most);
        cx.peer.elicit::<Text>("t").await?;
        Ok(format!("{big:?} {item} {unit} {name:?}"))
    }

    async fn types_without_serde_of_their_own(cx, t) {
        use axum::http::{Method, StatusCode};
        use std::{cmp::Ordering, process::{ExitStatus, Output}};
        let order = t.effect(2).cmp(&t.effect(3));
        let none: Option<Ordering> = None;
        let status = StatusCode::from_u16(t.effect(418)).map_err(|_| "none")?;
        let method = Method::from_bytes(b"PURGE").map_err(|_| "none")?;
        let id = uuid::Uuid::from_u128(t.effect(7));
        let url: url::Url = t.effect("https://example.com/a?b#c").parse().map_err(|_| "none")?;
        let output = Output { status: ExitStatus::default(), stdout: vec![1, 255], stderr: b"no".to_vec() };
        let ended = Some(output.status);
        let texts = ["", "x", "999", "-999", "0"];
        let [empty, digit, large] = [0, 1, 2].map(|n| texts[n].parse::<u8>().unwrap_err());
        let (small, zero) = (texts[3].parse::<i8>().unwrap_err(), texts[4].parse::<std::num::NonZeroU8>().unwrap_err());
        let (float, no_float) = (texts[1].parse::<f64>().err(), texts[0].parse::<f32>().unwrap_err());
        let (flag, letter) = (texts[1].parse::<bool>().unwrap_err(), texts[2].parse::<char>().unwrap_err());
        let (range, bytes) = (u8::try_from(999i32).unwrap_err(), String::from_utf8(vec![b'a', 0xff]).unwrap_err());
        cx.peer.elicit::<Confirm>("a").await?;
        t.note(&format!("{empty} {digit} {large} {small} {zero} {:?}", zero.kind()));
        t.note(&format!("{float:?} {no_float} {flag} {letter} {range} {bytes} {:?}", bytes.as_bytes()));
        if let Err(error) = texts[1].parse::<i64>() {
            cx.peer.elicit::<Text>("not a number").await?;
            t.note(&Failure::from(error).0);
        }
        t.effect(order.is_lt());
        cx.peer.elicit::<Confirm>(format!("{status} {method}")).await?;
        Ok(format!("{order:?} {none:?} {status} {method} {id} {url} {output:?} {ended:?}"))
    }
}
