//! What something was found by, or what a loop goes over, and is another one at the ask.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt::Write as _,
};

use rmcp::{RoleServer, service::RequestContext};
use tests::{Failure, Trace, answers::Text, cases};

fn table() -> BTreeMap<String, i64> {
    BTreeMap::from([
        ("a".to_owned(), 1),
        ("ab".to_owned(), 2),
        ("b".to_owned(), 3),
    ])
}

fn numbers() -> BTreeMap<u32, i64> {
    BTreeMap::from([(1, 1), (2, 2), (3, 3)])
}

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Desk {
    at: u32,
    name: String,
    lists: Vec<Vec<i64>>,
}

fn desk() -> Desk {
    Desk {
        at: 1,
        name: "a".to_owned(),
        lists: vec![vec![1, 2], vec![3, 4], vec![5]],
    }
}

/// With names of `Option`'s methods.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Account {
    n: i64,
}

impl Account {
    fn map_err(&mut self) -> i64 {
        self.n += 1;
        self.n
    }

    fn ok_or(&mut self, more: i64) -> i64 {
        self.n += more;
        self.n
    }
}

cases! {
    async fn what_a_method_of_ones_own_gives_of_what_is_looked_up(cx, t) {
        let mut list = vec![Account { n: 0 }];
        let mut map = BTreeMap::from([(1, Account { n: 5 })]);
        let a = list.last_mut().ok_or("none")?.map_err();
        let first = cx.peer.elicit::<Text>("1").await?.is_some();
        let b = list.get_mut(0).unwrap().ok_or(10);
        let c = map.get_mut(&1).unwrap().ok_or(20);
        let d = map.entry(2).or_insert(Account { n: 7 }).map_err();
        t.effect((first, cx.peer.elicit::<Text>("2").await?.is_some()));
        Ok(format!("{a} {b} {c} {d} {list:?} {map:?}"))
    }

    async fn a_key_that_goes_on(cx, t) {
        let (mut m, mut id) = (numbers(), 1);
        let Some(found) = m.get_mut(&id) else { return Ok("none".to_owned()) };
        id += 1;
        *found += 100 + cx.peer.elicit::<Text>("a").await?.map_or(0, |a| a.text.len() as i64);
        t.note(&format!("{m:?} {id}"));
        let found = m.get_mut(&{ id }).ok_or("none")?;
        id += 5;
        *found += cx.peer.elicit::<Text>("b").await?.map_or(0, |b| b.text.len() as i64);
        Ok(format!("{m:?} {id}"))
    }

    async fn a_key_that_grows(cx, t) {
        let (mut m, mut key) = (table(), "a".to_owned());
        let found = m.get_mut(&key).unwrap();
        key.push('b');
        *found += 10 + cx.peer.elicit::<Text>("a").await?.map_or(0, |a| a.text.len() as i64);
        if let Some(found) = m.get_mut(&key) {
            key.clear();
            write!(key, "b").unwrap();
            cx.peer.elicit::<Text>("b").await?;
            *found += 20;
        }
        match m.get_mut(&key) {
            Some(found) => {
                let mut grow = || key.push('c');
                grow();
                cx.peer.elicit::<Text>("c").await?;
                *found += 30;
            }
            None => t.note("none"),
        }
        let ref mut lent = key;
        let found = m.get_mut(&*lent);
        t.note(&format!("{}", found.is_none()));
        Ok(format!("{m:?} {key}"))
    }

    async fn a_key_that_is_given_away(cx, t) {
        let (mut m, key) = (table(), "a".to_owned());
        let found = m.get_mut(&key).unwrap();
        let kept = vec![key];
        *found += cx.peer.elicit::<Text>("a").await?.map_or(0, |a| a.text.len() as i64);
        t.note(&kept[0]);
        let text = String::from("ab");
        m.get_mut(&text).unwrap().clone_from(&cx.peer.elicit::<Text>("b").await?.map_or(0, |b| b.text.len() as i64));
        drop(text);
        Ok(format!("{m:?}"))
    }

    async fn a_key_behind_a_reference(cx, t) {
        let (mut m, x) = (numbers(), 1);
        let id = &x;
        let found = m.get_mut(id).unwrap();
        *found += cx.peer.elicit::<Text>("a").await?.map_or(50, |a| a.text.len() as i64);
        let mut desk = desk();
        let found = m.get_mut(&desk.at).unwrap();
        desk.at += 2;
        *found += cx.peer.elicit::<Text>("b").await?.map_or(50, |b| b.text.len() as i64);
        for id in [1, 2] {
            let found = m.get_mut(&id).unwrap();
            *found += cx.peer.elicit::<Text>("c").await?.map_or(70, |c| c.text.len() as i64);
        }
        t.note(&format!("{x}"));
        Ok(format!("{m:?} {}", desk.at))
    }

    async fn an_index_that_goes_on(cx, t) {
        let (mut desk, mut n) = (desk(), 0);
        let list = &mut desk.lists[n];
        n += 1;
        list.push(cx.peer.elicit::<Text>("a").await?.map_or(50, |a| a.text.len() as i64));
        let item = &mut desk.lists[n][n];
        n += 1;
        *item += cx.peer.elicit::<Text>("b").await?.map_or(50, |b| b.text.len() as i64);
        let part = &mut desk.lists[0][n - 1..];
        n = 0;
        part[0] += cx.peer.elicit::<Text>("c").await?.map_or(50, |c| c.text.len() as i64);
        let mut all = vec![desk.clone(), desk];
        let name = &mut all[n + 1].name;
        n += 7;
        name.push_str(&cx.peer.elicit::<Text>("d").await?.map_or(String::new(), |d| d.text));
        t.note(&format!("{n}"));
        Ok(format!("{all:?}"))
    }

    async fn what_a_loop_goes_over_is_another_one(cx, t) {
        let (a, b) = (desk(), Desk { name: "x y".to_owned(), lists: vec![vec![9], vec![8]], ..desk() });
        let mut cur = &a;
        for list in cur.lists.iter() {
            cur = &b;
            cx.peer.elicit::<Text>("a").await?;
            t.note(&format!("{list:?}"));
        }
        let (one, two) = ("p,q,r".to_owned(), "1,2,3".to_owned());
        let mut text = one.as_str();
        for (n, part) in text.split(',').enumerate() {
            text = &two;
            cx.peer.elicit::<Text>("b").await?;
            t.note(&format!("{n} {part}"));
        }
        for character in text.chars().rev().skip(1) {
            text = "";
            cx.peer.elicit::<Text>("c").await?;
            t.note(&character.to_string());
        }
        let mut bytes: &[u8] = b"abc";
        for byte in bytes.iter() {
            use std::io::Read as _;
            bytes.read_exact(&mut [0]).unwrap();
            cx.peer.elicit::<Text>("d").await?;
            t.note(&byte.to_string());
        }
        let mut slice = &a.lists[..];
        for pair in slice.windows(2) {
            (slice, _) = (&b.lists, 1);
            cx.peer.elicit::<Text>("e").await?;
            t.note(&format!("{pair:?}"));
        }
        Ok(format!("{} {text} {bytes:?} {slice:?}", cur.name))
    }

    async fn a_cow_stays_what_it_is(cx, t) {
        let lossy = String::from_utf8_lossy(b"f\xff");
        let name = t.effect("name".to_owned());
        let lent: Cow<'_, str> = Cow::Borrowed(&name);
        let several = vec![Some(lent.clone()), None, Some(Cow::Owned("z".to_owned()))];
        let by_name: HashMap<&str, Cow<'_, str>> = ["a", "b", "c", "d", "e"].into_iter().map(|key| (key, match key {
            "a" | "d" => Cow::Owned(key.to_owned()),
            key => Cow::Borrowed(key),
        })).collect();
        let set: HashSet<Cow<'_, str>> = ["k", "l", "m"].into_iter().map(|key| if key == "l" { Cow::Owned(key.to_owned()) } else { Cow::Borrowed(key) }).collect();
        let pair = (1, BTreeSet::from([Cow::Borrowed("q"), Cow::Owned("r".to_owned())]), Cow::Borrowed(&name[1..]));
        cx.peer.elicit::<Text>("a").await?;
        let which = |cow: &Cow<'_, str>| if matches!(cow, Cow::Owned(_)) { format!("owned {cow}") } else { format!("lent {cow}") };
        t.note(&which(&lossy));
        t.note(&which(&lent));
        for one in several.into_iter().flatten() {
            cx.peer.elicit::<Text>("b").await?;
            t.note(&which(&one));
        }
        let mut all: Vec<_> = by_name.values().chain(&set).chain(&pair.1).map(which).collect();
        all.sort();
        Ok(format!("{all:?} {} {}", pair.0, which(&pair.2)))
    }

    async fn what_a_search_has_found(cx, t) {
        let mut all = vec![desk(), Desk { at: 5, name: "five".to_owned(), lists: vec![vec![7]] }, Desk { at: 7, ..desk() }];
        let mut wanted = 3;
        if let Some(found) = all.iter_mut().find(|desk| { t.note("looks"); desk.at > wanted }) {
            wanted = 9;
            found.at = 0;
            cx.peer.elicit::<Text>("a").await?;
            found.name.push_str("!");
        }
        let found = all.iter_mut().rev().find(|desk| desk.at < 7).ok_or("none")?;
        found.at = 9;
        found.name = cx.peer.elicit::<Text>("b").await?.map_or("none".to_owned(), |b| b.text);
        match all.iter_mut().skip(1).find(|desk| desk.name == "c") {
            Some(desk) => desk.at = 1,
            None => { cx.peer.elicit::<Text>("c").await?; t.note("none"); }
        }
        let Some(list) = all[0].lists.iter_mut().find(|list| list.len() == 2) else { return Ok("no list".to_owned()) };
        list.clear();
        list.push(cx.peer.elicit::<Text>("d").await?.map_or(0, |d| d.text.len() as i64));
        all.iter_mut().find(|desk| desk.at == wanted).unwrap().name.push_str(&cx.peer.elicit::<Text>("e").await?.map_or(String::new(), |e| e.text));
        Ok(format!("{all:?} {wanted}"))
    }

    async fn what_is_split_and_behind(cx, t) {
        let mut list = vec![1i64, 2, 3, 4];
        let mut n = 1;
        let (left, right) = list.split_at_mut(n);
        n += 1;
        left[0] += right[0] + cx.peer.elicit::<Text>("a").await?.map_or(0, |a| a.text.len() as i64);
        if let Some((first, rest)) = list.split_first_mut() {
            *first += 10;
            cx.peer.elicit::<Text>("b").await?;
            rest[n] += *first;
        }
        let k = 1;
        let part = list.get_mut(k..k + 2).ok_or("short")?;
        part[1] += cx.peer.elicit::<Text>("part").await?.map_or(0, |c| c.text.len() as i64);
        let slice = list.as_mut_slice();
        slice[3] = cx.peer.elicit::<Text>("c").await?.map_or(0, |c| c.text.len() as i64);
        let mut boxed = Some(Box::new(desk()));
        if let Some(inner) = boxed.as_deref_mut() {
            inner.at += 1;
            cx.peer.elicit::<Text>("d").await?;
            inner.name.push('d');
        }
        let mut whole = Box::new(desk());
        let inner = &mut *whole;
        inner.at = 77;
        inner.name.push_str(&cx.peer.elicit::<Text>("e").await?.map_or(String::new(), |e| e.text));
        let mut text = "t".to_owned();
        let lent = &mut text;
        let again = &mut *lent;
        again.push('u');
        again.push_str(&cx.peer.elicit::<Text>("f").await?.map_or(String::new(), |f| f.text));
        lent.push('v');
        t.note(&text);
        Ok(format!("{list:?} {boxed:?} {whole:?} {n}"))
    }

    async fn bound_by_ref(cx, t) {
        let mut all = Some(vec![desk()]);
        if let Some(ref mut list) = all {
            list[0].at = 3;
            cx.peer.elicit::<Text>("a").await?;
            list.push(desk());
        }
        let ref mut whole = all;
        cx.peer.elicit::<Text>("b").await?;
        if let Some(list) = whole { list[0].name.push('b'); }
        match t.effect(Some(desk())) {
            Some(Desk { ref name, mut at, .. }) if at == 1 => {
                at += cx.peer.elicit::<Text>(name).await?.map_or(5, |c| c.text.len() as u32);
                t.note(&format!("{name} {at}"));
            }
            _ => t.note("none"),
        }
        if let Some(ref found) = t.effect(Some("found".to_owned())) {
            cx.peer.elicit::<Text>(found).await?;
            t.note(found);
        }
        match all {
            Some(ref mut list) => { let first = &mut list[0]; cx.peer.elicit::<Text>("d").await?; first.at += 1; }
            None => {}
        }
        Ok(format!("{all:?}"))
    }

    async fn one_of_two_places(cx, t) {
        let (mut a, mut b, mut n) = (desk(), Desk { at: 9, ..desk() }, 3u32);
        let chosen = if t.effect(n) > 2 { &mut a } else { &mut b };
        n = 0;
        chosen.at += cx.peer.elicit::<Text>("a").await?.map_or(50, |a| a.text.len() as u32);
        let kind = if n == 0 { "b" } else { "a" };
        let list = match kind { "a" => &mut a.lists, _ => &mut b.lists };
        list.push(vec![7]);
        cx.peer.elicit::<Text>("b").await?;
        list.push(vec![8]);
        let mut first = true;
        let name = if first { &a.name } else { &b.name };
        first = false;
        let other = &mut (if first { a.lists.len() } else { b.lists.len() });
        cx.peer.elicit::<Text>(name).await?;
        t.note(&format!("{name} {first}"));
        Ok(format!("{a:?} {b:?} {n}"))
    }

    async fn loops_over_parts(cx, t) {
        let (mut desk, mut n) = (desk(), 0);
        for item in desk.lists[n].iter_mut() {
            n += 1;
            *item += cx.peer.elicit::<Text>("a").await?.map_or(10, |a| a.text.len() as i64);
        }
        for item in &mut desk.lists[n - 1] {
            n = 1;
            cx.peer.elicit::<Text>("b").await?;
            *item *= 2;
        }
        let b = desk.name.clone();
        for name in ["x".to_owned(), b].iter() {
            cx.peer.elicit::<Text>(name).await?;
            t.note(name);
        }
        for n in &[n, n + 1] {
            cx.peer.elicit::<Text>(format!("{n}")).await?;
        }
        let path = std::path::PathBuf::from("a/b/c.txt");
        let dir = path.parent().ok_or("no parent")?;
        cx.peer.elicit::<Text>("c").await?;
        let rest = path.strip_prefix(dir)?;
        cx.peer.elicit::<Text>("d").await?;
        Ok(format!("{desk:?} {} {}", dir.display(), rest.display()))
    }

    async fn a_loop_over_what_a_field_refers_to(cx, t) {
        let (a, b) = (vec![1i64, 2], vec![3i64, 4]);
        let mut pair = (&a, 0i64);
        for x in pair.0.iter() {
            pair.0 = &b;
            pair.1 += x * 10 + cx.peer.elicit::<Text>("a").await?.map_or(5, |a| a.text.len() as i64);
        }
        let mut texts = ("a b c", 1);
        for word in texts.0.split(' ') {
            std::mem::swap(&mut texts.0, &mut "");
            cx.peer.elicit::<Text>(word).await?;
            t.note(word);
        }
        let (one, two) = (desk(), Desk { lists: vec![vec![9]], name: "x".to_owned(), at: 3 });
        let mut cursor = (&one, "l");
        for list in &cursor.0.lists {
            cursor = (&two, "m");
            cx.peer.elicit::<Text>("c").await?;
            t.note(&format!("{list:?} {}", cursor.1));
        }
        let mut at = &a;
        let lent = &mut at;
        for x in lent.iter() {
            *lent = &b;
            cx.peer.elicit::<Text>("d").await?;
            t.note(&format!("{x}"));
        }
        Ok(format!("{pair:?} {texts:?} {at:?}"))
    }

    async fn what_is_looked_at_behind_a_reference(cx, t) {
        let (one, two) = (desk(), Desk { lists: vec![vec![9], vec![8]], name: "x".to_owned(), at: 3 });
        let mut cur = &one;
        let lent = &mut cur;
        let (lists, at) = (&lent.lists, &lent.at);
        *lent = &two;
        cx.peer.elicit::<Text>("a").await?;
        t.note(&format!("{lists:?} {at}"));
        let (a, b) = (vec![1i64, 2], vec![3i64, 4]);
        let mut refs = [&a, &b];
        for one in refs.iter_mut() {
            let first = &one[0];
            *one = &b;
            cx.peer.elicit::<Text>("b").await?;
            t.note(&format!("{first}"));
        }
        let mut cursor = (one.name.as_str(), 0);
        let head = &cursor.0[..1];
        cursor.0 = &cursor.0[1..];
        cx.peer.elicit::<Text>("c").await?;
        t.note(head);
        Ok(format!("{refs:?} {cursor:?}"))
    }
}

/// Helpers that are given a `&mut` of a reference, as tokenizers are.
pub(super) mod helped {
    use rmcp::{RoleServer, service::RequestContext};
    use tests::{Failure, Trace, answers::Text};

    use crate::helpers::helper_cases;

    #[derive(Debug, serde::Serialize, serde::Deserialize)]
    struct Reader<'a> {
        #[serde(borrow)]
        rest: &'a str,
        count: usize,
    }

    helper_cases! {
        async fn word(cx: &RequestContext<RoleServer>, rest: &mut &str) -> Result<String, Failure> {
            let end = rest.find(' ').unwrap_or(rest.len());
            let word = &rest[..end];
            *rest = rest[end..].trim_start();
            let n = cx.peer.elicit::<Text>(word).await?.map_or(0, |n| n.text.len());
            Ok(format!("{word}{n}"))
        }

        async fn letters(cx: &RequestContext<RoleServer>, rest: &mut &str) -> Result<String, Failure> {
            let mut out = String::new();
            for letter in rest.chars() {
                *rest = &rest[letter.len_utf8()..];
                cx.peer.elicit::<Text>(format!("{letter} {rest}")).await?;
                out.push(letter);
            }
            Ok(out)
        }

        async fn take(cx: &RequestContext<RoleServer>, reader: &mut Reader<'_>) -> Result<String, Failure> {
            let first = &reader.rest[..1];
            reader.rest = &reader.rest[1..];
            reader.count += 1;
            cx.peer.elicit::<Text>(first).await?;
            Ok(format!("{first}{}", reader.count))
        }

        async fn reads(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let (mut rest, mut letter) = ("ab cd ef", "xyz");
            let mut words = Vec::new();
            while !rest.is_empty() {
                words.push(word(&cx, &mut rest).await?);
            }
            t.note(&letters(&cx, &mut letter).await?);
            let mut reader = Reader { rest: "xyz", count: 0 };
            let first = take(&cx, &mut reader).await?;
            let second = take(&cx, &mut reader).await?;
            Ok(format!("{words:?} {letter:?} {first} {second} {reader:?}"))
        }

        cases: reads
    }
}
