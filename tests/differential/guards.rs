//! Asks in the guards of a `match`.

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count, Text},
    cases,
};

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
enum Command {
    Add(i64),
    Rename { from: String, to: String },
    Nested(Option<(i64, String)>),
    Stop,
}

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
enum Wrong {
    Short { have: i64, name: String },
    Gone,
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Short { have, name } => write!(f, "{have} of {name}"),
            Self::Gone => f.write_str("gone"),
        }
    }
}

fn taken(n: i64) -> Result<i64, Wrong> {
    match n {
        0 => Err(Wrong::Gone),
        1 | 3 => Err(Wrong::Short {
            have: n,
            name: format!("n{n}"),
        }),
        n => Ok(n),
    }
}

fn commands() -> Vec<Command> {
    let (from, to) = ("a".to_owned(), "b".to_owned());
    vec![
        Command::Add(2),
        Command::Rename { from, to },
        Command::Nested(Some((3, "x".to_owned()))),
        Command::Stop,
    ]
}

fn size<T>(_: &T) -> usize {
    std::mem::size_of::<T>()
}

trait Who {
    fn who(self) -> &'static str;
}

impl Who for i64 {
    fn who(self) -> &'static str {
        "value"
    }
}

impl Who for &i64 {
    fn who(self) -> &'static str {
        "reference"
    }
}

trait Describe {
    fn describe(&self) -> &'static str;
}

impl<T> Describe for Option<T> {
    fn describe(&self) -> &'static str {
        "option"
    }
}

impl<T> Describe for &T {
    fn describe(&self) -> &'static str {
        "reference"
    }
}

fn described(one: &impl Describe) -> &'static str {
    one.describe()
}

macro_rules! whose {
    ($of:expr) => {
        $of.who()
    };
}

cases! {
    async fn the_values_themselves(cx, t) {
        let (number, within, mut changed) = (Some(3i64), Some(Some(3i64)), Some(3i64));
        let a = match number {
            Some(n) if t.effect(size(&n)) == 8 && t.effect(n.who()) == "value" && t.effect(whose!(n)) == "value" && n.max(9) > 8 && &n == &3 && cx.peer.elicit::<Confirm>("a").await?.is_some_and(|c| c.ok) => "value",
            Some(n) if n.who() == "reference" => "reference",
            _ => "none",
        };
        let b = match &number {
            Some(n) if t.effect(n.who()) == "reference" && cx.peer.elicit::<Confirm>("b").await?.is_some_and(|c| c.ok) => "reference",
            Some(_) | None => "other",
        };
        let c = match within {
            Some(inner) if t.effect(described(&inner)) == "option" && cx.peer.elicit::<Confirm>("c").await?.is_some_and(|c| c.ok) => "option",
            _ => "other",
        };
        match &mut changed {
            Some(n) if t.effect(std::any::type_name_of_val(&n).contains("mut")) && *n > 2 && cx.peer.elicit::<Confirm>("d").await?.is_some_and(|c| c.ok) => *n += 1,
            Some(n) => *n = 0,
            None => {}
        }
        Ok(format!("{a} {b} {c} {changed:?}"))
    }

    async fn in_matches(cx, t) {
        let (number, name) = (Some(3i64), Some(String::from("a")));
        let mut sum = 0;
        while matches!(number, Some(n) if n > sum && cx.peer.elicit::<Confirm>("more?").await?.is_some_and(|c| c.ok)) {
            sum += 1;
        }
        let known = matches!(&name, Some(name) if name == "a" && cx.peer.elicit::<Confirm>(format!("{name}?")).await?.is_some_and(|c| c.ok));
        let answered = matches!(cx.peer.elicit::<Count>("n").await?, Some(count) if t.effect(count.n) > 1 && cx.peer.elicit::<Confirm>("so many?").await?.is_some());
        Ok(format!("{sum} {known} {answered} {name:?}"))
    }

    async fn what_is_not_copied(cx, t) {
        let known: std::collections::HashSet<String> = [String::from("a")].into();
        let mut names = vec![String::from("a"), String::from("b")];
        let first = match names.pop() {
            Some(name) if name == "b" && !known.contains(&name) && cx.peer.elicit::<Confirm>(format!("{name} of {}", name.len())).await?.is_some_and(|c| c.ok) => name,
            Some(name) if name == "b" => { t.note("no"); name + "!" }
            _ => String::from("none"),
        };
        match names.last_mut() {
            Some(name) if *name == "a" && cx.peer.elicit::<Count>(name.as_str()).await?.is_some_and(|c| c.n > name.len() as i64) => name.push('+'),
            Some(name) => name.push('-'),
            None => {}
        }
        Ok(format!("{first} {names:?}"))
    }

    async fn numbers(cx, t) {
        let mut sum = 0;
        for n in 0..4 {
            let got = match n {
                0 => { t.note("zero"); 10 }
                n if cx.peer.elicit::<Confirm>(format!("{n}?")).await?.is_some_and(|c| c.ok) => t.effect(n * 2),
                1 | 2 if t.effect(n) > 1 => 20,
                m @ 1..=2 if cx.peer.elicit::<Count>("m").await?.map_or(0, |c| c.n) > m => m + 30,
                other => { t.note("other"); other }
            };
            sum = sum * 10 + got;
        }
        Ok(format!("{sum}"))
    }

    async fn of_a_value(cx, t) {
        let mut lines = Vec::new();
        for n in 0..4 {
            let line = match taken(n) {
                Ok(n) if n > 5 => format!("never {n}"),
                Err(e) if cx.peer.elicit::<Confirm>(format!("{e}: ignore?")).await?.is_some_and(|c| c.ok) => format!("ignored {e}"),
                Err(Wrong::Short { have, name }) if have > 2 && cx.peer.elicit::<Confirm>(name.as_str()).await?.is_some() => { t.effect(&name); format!("{name} {have}") }
                Err(e) => { t.note("broken"); format!("broken {e}") }
                Ok(n) => format!("ok {n}"),
            };
            t.effect(&line);
            lines.push(line);
        }
        Ok(lines.join(","))
    }

    async fn of_places(cx, t) {
        let commands = commands();
        let mut total = 0;
        for command in &commands {
            total += match command {
                Command::Rename { from, .. } if cx.peer.elicit::<Confirm>(format!("rename {from}?")).await?.is_some_and(|c| c.ok) => from.len() as i64,
                Command::Rename { from, to } if cx.peer.elicit::<Text>(from.as_str()).await?.is_some_and(|a| a.text > *to) => { t.note(to); 7 }
                Command::Add(n) if *n > 1 && cx.peer.elicit::<Count>("n").await?.map_or(0, |c| c.n) > *n => n * 100,
                Command::Nested(Some((n, name))) if cx.peer.elicit::<Confirm>(format!("{n} {name}")).await?.is_some_and(|c| c.ok) => { t.note(name); *n }
                Command::Add(n) => *n,
                Command::Nested(None) | Command::Stop => 1000,
                _ => 0,
            };
            t.effect(total);
        }
        let mut owned = commands.into_iter().next().unwrap_or(Command::Stop);
        match owned {
            Command::Add(ref mut n) if cx.peer.elicit::<Confirm>("add").await?.is_some_and(|c| c.ok) => *n += 40,
            Command::Add(n) if cx.peer.elicit::<Count>(format!("add {n}")).await?.map_or(0, |c| c.n) == n => t.note("same"),
            _ => t.note("none"),
        }
        Ok(format!("{total} {owned:?}"))
    }

    async fn moved_in_the_arm(cx, t) {
        let mut names: Vec<String> = Vec::new();
        let mut pending = Some(String::from("first"));
        while names.len() < 3 {
            pending = match pending {
                Some(name) if name.is_empty() => { t.note("empty"); None }
                Some(name) if cx.peer.elicit::<Confirm>(format!("{name}")).await?.is_some_and(|c| c.ok) => { names.push(name); Some(String::from("next")) }
                Some(name) => { names.push(format!("not {name}")); None }
                None if cx.peer.elicit::<Confirm>("more?").await?.is_some_and(|c| c.ok) => Some(String::from("more")),
                None => break,
            };
        }
        let pair = (names.first().map(String::as_str), names.len());
        let shown = match (pair.0, pair.1) {
            (Some("first"), n) if cx.peer.elicit::<Count>("f").await?.map_or(0, |c| c.n) as usize > n => "few",
            (Some(name), 2 | 3) if cx.peer.elicit::<Confirm>(name).await?.is_some_and(|c| c.ok) => name,
            (None, _) => "none",
            _ => "rest",
        };
        Ok(format!("{names:?} {shown}"))
    }

    async fn within_each_other(cx, t) {
        let (a, b) = (Some(1i64), Some(2i64));
        let got = match a {
            Some(x) if match b { Some(y) if cx.peer.elicit::<Count>("y").await?.map_or(0, |c| c.n) > y => true, Some(y) => { t.effect(y); false } None => false } => x,
            Some(x) if { t.note("second"); cx.peer.elicit::<Confirm>("x").await?.is_some_and(|c| c.ok) } => match b {
                Some(y) if cx.peer.elicit::<Confirm>("in").await?.is_some_and(|c| c.ok) => x + y,
                _ => -x,
            },
            _ => 0,
        };
        Ok(format!("{got}"))
    }
}
