//! Values that nobody named, and that what is used beside an ask borrows from.

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Failure, Trace,
    answers::{Confirm, Text},
    cases,
};

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Book {
    title: String,
    copies: usize,
    tags: Vec<String>,
}

fn book(t: &Trace) -> Book {
    t.note("book");
    Book {
        title: " Emma ".to_owned(),
        copies: 2,
        tags: vec!["novel".to_owned(), "old".to_owned()],
    }
}

fn found(t: &Trace) -> Option<Book> {
    t.note("found");
    Some(book(t))
}

fn shelves(t: &Trace) -> Vec<Vec<String>> {
    t.note("shelves");
    vec![vec!["yes".to_owned(), "b".to_owned()], vec![]]
}

fn same(text: &str) -> &str {
    text
}

fn both(first: &str, second: String) -> String {
    format!("{first}/{second}")
}

fn three(first: &str, second: &str, third: String) -> String {
    format!("{first}/{second}/{third}")
}

cases! {
    async fn in_the_arguments_of_a_macro(cx, t) {
        let a = format!("{} {}", book(t).title.as_str().trim(), cx.peer.elicit::<Text>("a").await?.map_or(String::new(), |a| a.text));
        let b = format!("{}{}", t.effect(1), cx.peer.elicit::<Text>("b").await?.map(|b| b.text).unwrap_or_default().trim());
        let c = format!("{:?} {}", found(t).as_ref().map(|book| book.title.as_str()), cx.peer.elicit::<Confirm>("c").await?.is_some());
        Ok(format!("{a} {b} {c}"))
    }

    async fn before_an_ask_in_a_call(cx, t) {
        let a = both(same(&book(t).title), cx.peer.elicit::<Text>("a").await?.map_or(String::new(), |a| a.text));
        let b = both(Some(book(t).title.as_str()).unwrap_or("none"), cx.peer.elicit::<Text>("b").await?.map_or(String::new(), |a| a.text));
        let c = [book(t).title.as_str(), &cx.peer.elicit::<Text>("c").await?.map_or(String::new(), |a| a.text)].concat();
        Ok(format!("{a} {b} {c}"))
    }

    async fn under_a_method_that_is_given_an_answer(cx, t) {
        let a = shelves(t)[0].contains(&cx.peer.elicit::<Text>("a").await?.map_or("yes".to_owned(), |a| a.text));
        let b = book(t).tags.contains(&cx.peer.elicit::<Text>("b").await?.map_or("old".to_owned(), |a| a.text));
        let c = book(t).title.as_str().starts_with(&*cx.peer.elicit::<Text>("c").await?.map_or(" ".to_owned(), |a| a.text));
        let d = shelves(t)[t.effect(1)].len() + cx.peer.elicit::<Text>("d").await?.map_or(0, |a| a.text.len());
        Ok(format!("{a} {b} {c} {d}"))
    }

    async fn in_a_chain_of_conditions(cx, t) {
        let mut out = Vec::new();
        if let Some(book) = found(t).as_ref() && book.copies > t.effect(1) && let Some(tag) = book.tags.first() {
            if cx.peer.elicit::<Confirm>(format!("{tag}")).await?.is_some() { out.push(book.title.clone()); }
            out.push(tag.clone());
        } else {
            out.push("else".to_owned());
        }
        let mut rounds = 0;
        while rounds < 2 && let Some(tag) = book(t).tags.first() {
            rounds += 1;
            out.push(cx.peer.elicit::<Text>(tag).await?.map_or(String::new(), |a| a.text));
            t.note(tag);
        }
        if t.effect(false) && let Some(tag) = book(t).tags.first() {
            cx.peer.elicit::<Text>(tag).await?;
        } else if let Some(tag) = book(t).tags.first() {
            out.push(cx.peer.elicit::<Text>(tag).await?.map_or(tag.clone(), |a| a.text));
        }
        Ok(format!("{out:?}"))
    }

    async fn under_a_match(cx, t) {
        let a = match book(t).tags.first() {
            Some(tag) if tag.len() > t.effect(2) => cx.peer.elicit::<Text>(tag).await?.map_or(tag.len(), |a| a.text.len()),
            _ => 0,
        };
        let b = if let Some(tag) = book(t).tags.first() { cx.peer.elicit::<Confirm>(tag).await?; tag.len() } else { 1 };
        Ok(format!("{a} {b}"))
    }

    async fn beside_an_effect(cx, t) {
        let v = [" v ".to_owned(), "w".to_owned()];
        let a = three(&v[t.effect(0)], &book(t).title, cx.peer.elicit::<Text>("a").await?.map_or(String::new(), |a| a.text));
        let b = three(&shelves(t)[0][t.effect(1)], &book(t).title, cx.peer.elicit::<Text>("b").await?.map_or(String::new(), |b| b.text));
        let c = three(&book(t).tags[0], &v[t.effect(1)], cx.peer.elicit::<Text>("c").await?.map_or(String::new(), |c| c.text));
        let d = shelves(t)[t.effect(0)].contains(&cx.peer.elicit::<Text>("d").await?.map_or("b".to_owned(), |d| d.text));
        Ok(format!("{a} {b} {c} {d}"))
    }

    async fn in_a_tuple_beside_effects(cx, t) {
        let mut n = 1;
        let (a, m, b, c) = (&book(t), n, { n += t.effect(1); n }, &shelves(t));
        cx.peer.elicit::<Text>("a").await?;
        t.note(&format!("{} {m} {b} {c:?} {n}", a.title));
        let (d, shown): (&Book, Box<dyn Fn() -> usize>) = (&book(t), Box::new(|| 7));
        t.note(&format!("{} {}", d.title, shown()));
        Ok(a.tags.join("-"))
    }

    async fn lent_to_be_changed(cx, t) {
        let pair = &mut (1_i64, String::from("p"));
        let two = &mut (1_i64, 2_i64);
        let three = &mut [1_i64, 2];
        let shown = &(3_i64, String::from("q"));
        cx.peer.elicit::<Confirm>("a").await?;
        pair.0 += t.effect(2);
        pair.1.push('x');
        two.1 += 3;
        three[1] += pair.0;
        cx.peer.elicit::<Confirm>("b").await?;
        pair.0 += two.1;
        Ok(format!("{pair:?} {two:?} {three:?} {shown:?}"))
    }

    async fn a_cursor_beside_the_trace(cx, t) {
        let words: Vec<String> = "one two three four five".split_whitespace().map(str::to_owned).collect();
        let mut rest = &words[..];
        let mut out = String::new();
        while let [head, tail @ ..] = rest {
            rest = tail;
            if head.len() > 3 && cx.peer.elicit::<Confirm>(head).await?.is_some_and(|a| a.ok) {
                continue;
            }
            out.push_str(head);
            match rest {
                [] => break,
                [only] => {
                    t.effect(only);
                    rest = &[];
                }
                _ => {}
            }
        }
        t.effect((rest, &out));
        Ok(out)
    }
}
