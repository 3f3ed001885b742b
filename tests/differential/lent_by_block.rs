//! Structs of what their block lends them, without serde: they are put together again of what they refer to.

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count, Text},
};

type Context = RequestContext<RoleServer>;

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            asks!($(#[$mark])?);

pub mod asked {
use super::*;
struct D<'a> { title: &'a str, help: Option<&'a str>, n: i64 }
$(#[$mark])?
async fn show(cx: &Context, d: &D<'_>) -> Result<i64, Failure> { let n = num(cx, d.title).await?; let m = num(cx, d.help.unwrap_or("none")).await?; Ok(n + m + d.n) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let title = t.effect(format!("title"));
    let help = "help me";
    let d = D { title: &title, help: Some(help), n: 3 };
    let k = show(&cx, &d).await?;
    let k2 = show(&cx, &d).await?;
    Ok(format!("{k} {k2} {title}"))
}

}
pub mod nested {
use super::*;
struct S<T> { options: Vec<T> }
struct D<'a, T> { title: &'a str, typed: S<T> }
$(#[$mark])?
async fn show(cx: &Context, d: &D<'_, &str>) -> Result<i64, Failure> { let n = num(cx, d.title).await?; let m = num(cx, d.typed.options[0]).await?; Ok(n + m) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let title = t.effect(format!("title"));
    let confirm = format!("yes {title}");
    let reject = "no";
    for i in 0..2 {
        let d = D { title: &title, typed: S { options: [reject, &confirm].to_vec() } };
        let k = show(&cx, &d).await?;
        t.effect((k, d.typed.options.len()));
    }
    Ok(format!("{title}"))
}

}
pub mod reseated {
use super::*;
struct D<'a> { title: &'a str, n: i64, l: Vec<String> }
$(#[$mark])?
async fn show(cx: &Context, d: &mut D<'_>) -> Result<i64, Failure> { let n = num(cx, d.title).await?; d.n += n; d.l.push(d.title.to_string()); let m = num(cx, "x").await?; Ok(n + m) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let title = t.effect(format!("title"));
    let mut d = D { title: &title, n: 0, l: vec![] };
    let k = show(&cx, &mut d).await?;
    d.title = "other";
    let k2 = show(&cx, &mut d).await?;
    Ok(format!("{k} {k2} {} {:?}", d.n, d.l))
}

}
pub mod trimmed {
use super::*;
struct D<'a> { title: &'a str, n: i64 }
$(#[$mark])?
async fn show(cx: &Context, d: &D<'_>) -> Result<i64, Failure> { let n = num(cx, d.title).await?; Ok(n + d.n) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = t.effect(format!("  title, b "));
    let title = name.trim();
    let d = D { title, n: 3 };
    let k = show(&cx, &d).await?;
    let e = D { title: title.split(',').next().unwrap(), n: k };
    let k2 = show(&cx, &e).await?;
    Ok(format!("{k} {k2} {name}"))
}

}
pub mod by_value {
use super::*;
#[derive(Clone)]
struct Select<T> { options: Vec<T> }
#[derive(Debug, Clone)]
struct Dialog<'a, T> { message: &'a str, help: Option<&'a str>, typed: T }
impl<T: std::fmt::Display> Dialog<'_, Select<T>> {
    $(#[$mark])?
    pub async fn prompt(self, cx: &Context) -> Result<usize, Failure> {
        let mut message = self.message.to_string();
        for (i, option) in self.typed.options.iter().enumerate() { message.push_str(&format!("{i}: {option}")); }
        Ok(num(cx, &message).await?.rem_euclid(self.typed.options.len() as i64) as usize)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let message = t.effect(format!("title"));
    let dialog = Dialog { message: &message, help: Some("h"), typed: Select { options: ["a", &message].to_vec() } };
    let k = dialog.prompt(&cx).await?;
    Ok(format!("{k}"))
}

}
pub mod cows {
use super::*;
use std::borrow::Cow;
#[derive(Debug)]
struct P<'a> { s: Cow<'a, str>, o: Cow<'a, str>, n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = t.effect(format!("n"));
    let mut p = P { s: Cow::Borrowed(&name), o: Cow::Owned(format!("{name}x")), n: 3 };
    let n = num(&cx, "q").await?;
    p.n += n;
    let b = matches!(p.s, Cow::Borrowed(_)); let o = matches!(p.o, Cow::Borrowed(_));
    let n = num(&cx, "q").await?;
    Ok(format!("{p:?} {b} {o} {}", matches!(p.s, Cow::Borrowed(_))))
}

}
pub mod items {
use super::*;
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
struct Item { id: i64, tags: Vec<String> }
struct View<'a> { first: &'a Item, all: &'a [Item], tags: Vec<&'a str> }
$(#[$mark])?
async fn show(cx: &Context, v: &View<'_>) -> Result<i64, Failure> { let n = num(cx, &v.first.tags[0]).await?; Ok(n + v.all.len() as i64) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let items: Vec<Item> = (0..3).map(|id| Item { id: t.effect(id), tags: vec![format!("t{id}")] }).collect();
    let v = View { first: &items[1], all: &items[..2], tags: items.iter().flat_map(|i| i.tags.iter().map(|t| t.as_str())).collect() };
    let k = show(&cx, &v).await?;
    let k2 = show(&cx, &v).await?;
    t.effect(&v.tags);
    Ok(format!("{k} {k2} {}", items.len()))
}

}
pub mod services {
use super::*;
struct Svc { name: String }
struct D<'a> { svc: &'a Svc, title: &'a str, t: &'a Trace, n: i64 }
impl<'a> D<'a> {
    $(#[$mark])?
    async fn step(&mut self, cx: &Context) -> Result<(), Failure> { let n = num(cx, &format!("{} {}", self.svc.name, self.title)).await?; self.t.effect(n); self.n += n; Ok(()) }
}
$(#[$mark])?
async fn go(cx: &Context, t: &Trace, svc: &Svc) -> Result<i64, Failure> {
    let title = t.effect(format!("title"));
    let mut d = D { svc, title: &title, t, n: 0 };
    d.step(cx).await?;
    d.step(cx).await?;
    Ok(d.n)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let k = go(&cx, t, &Svc { name: "s".into() }).await?;
    Ok(format!("{k}"))
}

}
pub mod handle {
use super::*;
struct D<'a> { cx: &'a Context, title: &'a str, n: i64 }
impl<'a> D<'a> {
    $(#[$mark])?
    async fn step(&mut self) -> Result<(), Failure> { let n = num(self.cx, self.title).await?; self.n += n; Ok(()) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let title = t.effect(format!("title"));
    let mut d = D { cx: &cx, title: &title, n: 0 };
    d.step().await?;
    t.effect(d.n);
    d.step().await?;
    Ok(format!("{}", d.n))
}

}
pub mod listed {
use super::*;
enum Cmd<'a> { Add { name: &'a str, n: i64 }, Remove(&'a str), Nothing }
$(#[$mark])?
async fn exec(cx: &Context, c: &Cmd<'_>) -> Result<String, Failure> { Ok(match c { Cmd::Add { name, n } => { let k = num(cx, name).await?; format!("{name}{k}{n}") } Cmd::Remove(n) => { text(cx, n).await? } Cmd::Nothing => "".into() }) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let names = t.effect(vec!["a".to_string(), "b".into()]);
    let cmds = vec![Cmd::Add { name: &names[0], n: 2 }, Cmd::Remove(names[1].as_str()), Cmd::Nothing];
    let mut out = vec![];
    for c in &cmds { out.push(exec(&cx, c).await?); }
    for c in cmds { out.push(exec(&cx, &c).await?); }
    Ok(format!("{out:?} {names:?}"))
}


}
pub mod for_good {
use super::*;
struct D<'a> { kind: &'static str, title: &'a str }
fn stat(s: &'static str) -> usize { s.len() }
$(#[$mark])?
async fn show(cx: &Context, d: &D<'_>) -> Result<i64, Failure> { let n = num(cx, d.title).await?; Ok(n + stat(d.kind) as i64) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let title = t.effect(format!("title"));
    let first = num(&cx, "first").await?;
    let kind = if first > 1 { "big" } else { "small" };
    let d = D { kind, title: &title };
    let k = show(&cx, &d).await?;
    Ok(format!("{k} {title} {}", d.kind))
}

}
pub mod pushed_in_a_loop {
use super::*;
struct D<'a> { title: &'a str, n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let titles = t.effect(vec!["a".to_string(), "b".to_string()]);
    let mut all = Vec::new();
    for title in &titles {
        let n = num(&cx, title).await?;
        all.push(D { title, n });
    }
    let n = num(&cx, "end").await?;
    Ok(all.iter().map(|d| format!("{}{}", d.title, d.n)).collect::<Vec<_>>().join(","))
}

}
pub mod pushed {
use super::*;
struct D<'a> { title: &'a str, n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = t.effect(format!("a"));
    let b = t.effect(format!("b"));
    let mut all = vec![];
    all.push(D { title: &a, n: 1 });
    let n = num(&cx, "q").await?;
    if n > 0 { all.push(D { title: &b, n }); }
    let n = num(&cx, "end").await?;
    Ok(all.iter().map(|d| format!("{}{}", d.title, d.n)).collect::<Vec<_>>().join(","))
}

}
pub mod given {
use super::*;
struct D<'a> { title: &'a str, n: i64 }
$(#[$mark])?
async fn show(cx: &Context, d: D<'_>) -> Result<i64, Failure> { let n = num(cx, d.title).await?; Ok(n + d.n) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let title = t.effect(format!("title"));
    let mut sum = 0;
    for i in 0..2 {
        sum += show(&cx, D { title: &title, n: i }).await?;
    }
    let d = D { title: &title, n: 9 };
    sum += show(&cx, d).await?;
    Ok(format!("{sum}"))
}

}
pub mod options {
use super::*;
#[derive(Debug, Default)]
struct Opts<'a> { name: Option<&'a str>, tags: Vec<&'a str>, n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = t.effect(format!("title"));
    let tag = t.effect(format!("tag"));
    let mut o = Opts { name: None, tags: vec![], n: 0 };
    if sure(&cx, "name?").await? { o.name = Some(&name); }
    if sure(&cx, "tag?").await? { o.tags.push(&tag); }
    o.n = num(&cx, "n").await?;
    let last = text(&cx, "x").await?;
    Ok(format!("{o:?} {last}"))
}

}
pub mod request {
use super::*;
struct Req<'a> { path: &'a std::path::Path, args: &'a [String], env: Vec<(&'a str, String)> }
$(#[$mark])?
async fn exec(cx: &Context, t: &Trace, r: &Req<'_>) -> Result<i64, Failure> { t.effect(r.path.display().to_string()); let n = num(cx, &r.args.join(" ")).await?; t.effect(&r.env); Ok(n) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let path = std::path::PathBuf::from("/a/b");
    let args = t.effect(vec!["x".to_string(), "y".into()]);
    let key = format!("KEY");
    let r = Req { path: &path, args: &args, env: vec![(&key, "v".to_string())] };
    let a = exec(&cx, t, &r).await?;
    let b = exec(&cx, t, &r).await?;
    Ok(format!("{a} {b} {}", path.display()))
}

}
pub mod prompts {
use super::*;
use std::borrow::Cow;
struct Prompt<'a> { text: Cow<'a, str>, default: Option<&'a str> }
$(#[$mark])?
async fn ask(cx: &Context, p: Prompt<'_>) -> Result<String, Failure> { let a = text(cx, &p.text).await?; Ok(if a.is_empty() { p.default.unwrap_or("none").to_string() } else { a }) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = t.effect(format!("n"));
    let a = ask(&cx, Prompt { text: "static".into(), default: Some(&name) }).await?;
    let b = ask(&cx, Prompt { text: format!("owned {a}").into(), default: None }).await?;
    let p = Prompt { text: Cow::Borrowed(&name), default: Some("x") };
    let c = ask(&cx, p).await?;
    Ok(format!("{a} {b} {c}"))
}

}
pub mod view {
use super::*;
struct View<'a> { items: &'a [String], at: usize }
impl<'a> View<'a> { fn next(&mut self) -> Option<&'a str> { let i = self.items.get(self.at)?; self.at += 1; Some(i) } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let items = t.effect(vec!["a".to_string(), "b".to_string(), "c".to_string()]);
    let mut v = View { items: &items, at: 0 };
    let mut sum = 0;
    while let Some(q) = v.next() { sum += num(&cx, q).await?; t.effect(q); }
    Ok(format!("{sum} {}", v.at))
}

}
pub mod cursor {
use super::*;
struct Cursor<'a> { rest: &'a str }
impl<'a> Cursor<'a> { fn word(&mut self) -> Option<&'a str> { if self.rest.is_empty() { return None; } let (w, r) = self.rest.split_once(' ').unwrap_or((self.rest, "")); self.rest = r; Some(w) } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let text = t.effect("ab cd ef".to_string());
    let mut c = Cursor { rest: &text };
    let mut out = vec![];
    while let Some(w) = c.word() { let n = num(&cx, w).await?; out.push(format!("{w}{n}")); }
    Ok(out.join(","))
}


}
pub mod steps {
use super::*;
enum Step<'a> { Ask(&'a str), Say { what: &'a str, times: i64 }, End }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = t.effect(format!("a"));
    let mut step = Step::Ask(&a);
    let mut out = vec![];
    loop {
        step = match step {
            Step::Ask(q) => { let n = num(&cx, q).await?; out.push(format!("{q}{n}")); Step::Say { what: &a, times: n } }
            Step::Say { what, times } => { let m = num(&cx, what).await?; t.effect(times); if m > 3 { Step::End } else { Step::End } }
            Step::End => break,
        };
    }
    Ok(out.join(","))
}

}
pub mod chosen {
use super::*;
struct D<'a> { a: &'a str, how: &'static str, k: Option<i64> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = t.effect(String::from("a"));
    let b = t.effect(String::from("b"));
    let q = sure(&cx, "which").await?;
    let d = if q { D { a: &a, how: "A", k: None } } else { let k = num(&cx, "k").await?; D { a: &b, how: "B", k: Some(k) } };
    sure(&cx, d.a).await?;
    Ok(format!("{}{}{:?}", d.a, d.how, d.k))
}

}
pub mod matched {
use super::*;
struct D<'a> { a: &'a str, k: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = t.effect(String::from("a"));
    let d = match num(&cx, "k").await? { 0 => D { a: "zero", k: 0 }, k if k > 0 => D { a: &a, k }, k => { sure(&cx, "neg").await?; D { a: &a[..0], k: -k } } };
    let k = num(&cx, d.a).await?;
    Ok(format!("{}{}{k}", d.a, d.k))
}

}
pub mod broken {
use super::*;
struct D<'a> { a: &'a str }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let s = t.effect(String::from("s")); let d = loop { if sure(&cx, "q").await? { break D { a: &s }; } break D { a: "lit" }; }; sure(&cx, "r").await?; Ok(d.a.into()) }

}
pub mod in_a_block {
use super::*;
struct D<'a> { a: &'a str }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = t.effect(String::from("a"));
    let b = t.effect(String::from("b"));
    let d = { let k = num(&cx, "k").await?; if k > 1 { D { a: &a } } else { D { a: &b } } };
    sure(&cx, d.a).await?;
    Ok(format!("{}", d.a))
}

}
pub mod of_a_block {
use super::*;
struct D<'a> { a: Option<&'a str> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let s = t.effect(String::from("s")); let mut d = D { a: None }; sure(&cx, "q").await?; { let x = &s; d.a = Some(x); } sure(&cx, "r").await?; Ok(format!("{:?}", d.a)) }

}
pub mod machine {
use super::*;
enum E<'a> { A(&'a str), B { l: &'a [String], i: usize }, C }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let l: Vec<String> = t.effect(vec!["p".into(), "q".into()]);
    let mut e = E::A(&l[0]);
    loop {
        e = match e {
            E::A(s) => { if sure(&cx, s).await? { E::B { l: &l[1..], i: 0 } } else { E::C } }
            E::B { l, i } if i < l.len() => { num(&cx, &l[i]).await?; E::B { l, i: i + 1 } }
            E::B { .. } => E::C,
            E::C => break,
        };
        t.effect(std::mem::discriminant(&e) == std::mem::discriminant(&E::C));
    }
    Ok(format!("{}", l.len()))
}

}
pub mod states {
use super::*;
#[derive(Debug, Clone, Copy)]
enum St<'a> { Start, Ask(&'a str), Retry { q: &'a str, left: u8 }, Done(i64) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let q = t.effect(String::from("q"));
    let mut st = St::Start;
    let r = loop {
        st = match st {
            St::Start => St::Ask(&q),
            St::Ask(q) => match num(&cx, q).await? { n if n > 1 => St::Done(n), _ => St::Retry { q, left: 2 } },
            St::Retry { q, left: 0 } => { t.effect(q); St::Done(0) }
            St::Retry { q, left } => if sure(&cx, q).await? { St::Ask(q) } else { St::Retry { q, left: left - 1 } },
            St::Done(n) => break n,
        };
        t.effect(format!("{st:?}"));
        if num(&cx, "steps").await? > 3 { break 9; }
    };
    Ok(format!("{r} {st:?}"))
}

}
pub mod declared {
use super::*;
struct D<'a> { a: &'a str, n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = t.effect(String::from("p"));
    let b; let d;
    if sure(&cx, "q").await? { b = String::from("b"); d = D { a: &b, n: 1 }; } else { d = D { a: &a, n: 2 }; }
    sure(&cx, d.a).await?;
    Ok(format!("{} {}", d.a, d.n))
}

}
pub mod assigned {
use super::*;
struct D<'a> { a: &'a str, l: Vec<&'a str> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let x = t.effect(String::from("x"));
    let mut d = D { a: "d", l: Vec::with_capacity(3) };
    for i in 0..3 {
        if sure(&cx, d.a).await? { d = D { a: &x, l: d.l }; d.l.push("m"); } else { d.l.extend([d.a, &x]); d.l.dedup(); }
        if d.l.len() > 3 { d.l.truncate(1); continue; }
        d.a = if i % 2 == 0 { d.l.last().unwrap() } else { d.a };
    }
    Ok(format!("{} {:?}", d.a, d.l))
}

}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    asked::run,
    nested::run,
    reseated::run,
    trimmed::run,
    by_value::run,
    cows::run,
    items::run,
    services::run,
    handle::run,
    listed::run,
    for_good::run,
    pushed_in_a_loop::run,
    pushed::run,
    given::run,
    options::run,
    request::run,
    prompts::run,
    view::run,
    cursor::run,
    steps::run,
    chosen::run,
    matched::run,
    broken::run,
    in_a_block::run,
    of_a_block::run,
    machine::run,
    states::run,
    declared::run,
    assigned::run
);
