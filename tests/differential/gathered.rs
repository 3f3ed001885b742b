//! Futures that are gathered before they are awaited together.

use rmcp::{RoleServer, service::RequestContext};
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

pub mod in_a_variable {
use super::*;
use futures::future::{join_all, try_join_all};
$(#[$mark])?
async fn check(cx: &Context, t: &Trace, name: &str, n: usize) -> Result<i64, String> {
    t.effect((name, n));
    let k = num(cx, name).await.map_err(|e| e.0)?;
    if k > 8 { return Err(format!("{name} {k}")) }
    Ok(k + n as i64)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let names = ["db", "web", "mq"].map(String::from);
    let futures = names.iter().map(|name| check(&cx, t, name, 1));
    let all = join_all(futures).await;
    t.note("all");
    let futures: Vec<_> = names.iter().enumerate().map(|(i, name)| check(&cx, t, name, i)).collect();
    let sum: i64 = join_all(futures).await.into_iter().flatten().sum();
    let mut made = 0;
    let counted = join_all(names.iter().map(|name| {
        made += 1;
        let of = names.len() - made;
        check(&cx, t, name, of * 10 + made)
    }))
    .await;
    let futures = names.iter().take(2).map(|name| check(&cx, t, name, made)).collect::<Vec<_>>();
    let tried = try_join_all(futures).await.map(|all| all.len());
    let shorter: Vec<_> = names.iter().map(|name| &name[..1]).collect();
    let n = num(&cx, "n").await?;
    Ok(format!("{all:?} {sum} {counted:?} {made} {tried:?} {shorter:?} {n}"))
}
}

pub mod in_a_list {
use super::*;
use futures::future::{join_all, try_join_all};
$(#[$mark])?
async fn check(cx: &Context, n: i64) -> i64 { num(cx, "n").await.unwrap_or(-7) + n }
/// Its error has no serde.
$(#[$mark])?
async fn small(cx: &Context, label: &str) -> Result<i64, Failure> {
    match num(cx, label).await? { n if n < 100 => Ok(n), n => Err(Failure(format!("{label} {n}"))) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let all = join_all(vec![check(&cx, n), check(&cx, 2)]).await;
    let more: i64 = join_all([check(&cx, n + 1), check(&cx, 3), check(&cx, all[0])]).await.iter().sum();
    let tried = try_join_all([cx.peer.elicit::<Count>("count of it?"), cx.peer.elicit::<Count>("number of it?")]).await;
    let tried = match tried { Ok(all) => all.into_iter().flatten().map(|c| c.n).sum(), Err(_) => -9 };
    let small = try_join_all(vec![small(&cx, "y"), small(&cx, "w")]).await.map_or(-1, |all| all[1]);
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{all:?} {more} {tried:?} {small:?} {ok}"))
}
}

pub mod of_parts {
use super::*;
use futures::future::join_all;
#[derive(Clone, serde::Serialize, serde::Deserialize)]
struct Item { n: i64, name: String }
$(#[$mark])?
async fn count(cx: &Context, t: &Trace, item: Item, more: Option<(&str, i64)>) -> i64 { t.effect((item.n, more)); num(cx, &item.name).await.unwrap_or(-7) + item.n }
#[derive(Clone, Copy)]
struct Pair<'a> { left: &'a str, right: Option<&'a str> }
$(#[$mark])?
async fn rate(cx: &Context, t: &Trace, word: &str, next: Option<&str>) -> i64 { t.effect((word, next)); num(cx, word).await.unwrap_or(-7) }
$(#[$mark])?
async fn compare(cx: &Context, t: &Trace, pair: Pair<'_>, both: (&str, i64)) -> i64 { t.effect((pair.right, both)); num(cx, pair.left).await.unwrap_or(-7) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let words = ["ant", "bee", "cat"].map(String::from);
    let next = join_all(words.windows(2).zip(5..).map(|(two, n)| rate(&cx, t, &two[0], Some(&two[(n % 2) as usize])))).await;
    let pairs = join_all(words.chunks(2).map(|part| compare(&cx, t, Pair { left: &part[0], right: part.get(1).map(String::as_str) }, (&part[0], t.effect(4))))).await;
    let (n, left) = (100, "outer");
    let shorthand = join_all([1i64, 2].into_iter().zip(&words).map(|(n, left)| { let name = left.clone(); count(&cx, t, Item { n, name }, Some((left, n))) })).await;
    let lent = join_all(words.iter().map(|left| { let right = Some("r"); compare(&cx, t, Pair { right, left: &left[1..] }, (left, n)) })).await;
    let (mut last, mut seen) = (0, Vec::new());
    let counted = join_all([5i64, 6].into_iter().map(|one| { last += 1; seen.push(one); count(&cx, t, Item { n: one, name: format!("i{one}") }, Some(("z", last))) })).await;
    t.effect((n, left, last, &seen));
    let n = num(&cx, "n").await?;
    Ok(format!("{next:?} {pairs:?} {shorthand:?} {lent:?} {counted:?} {n}"))
}
}

pub mod of_blocks {
use super::*;
use futures::future::join_all;
$(#[$mark])?
async fn check(cx: &Context, t: &Trace, name: String, n: i64) -> i64 {
    t.effect((&name, n));
    num(cx, &name).await.unwrap_or(-7) + n
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut list = vec![3, 1];
    let first = num(&cx, "first").await?;
    list.push(first);
    let asked = list.iter().map(|n| {
        t.effect(n);
        cx.peer.elicit::<Count>(format!("q{n}"))
    });
    let asked = join_all(asked).await.into_iter().map(|a| a.ok().flatten().map_or(-1, |c| c.n)).collect::<Vec<i64>>();
    let n = list.len() as i64;
    let results = {
        let checks = list.into_iter().map(|i| { let n = n + i; check(&cx, t, format!("c{i}"), n) });
        join_all(checks).await
    };
    Ok(format!("{asked:?} {results:?}"))
}
}

pub mod with_errors_of_any_type {
use super::*;
#[derive(Debug)]
enum Wrong { Asked(Failure), Io(std::io::Error) }
impl From<Failure> for Wrong { fn from(f: Failure) -> Self { Wrong::Asked(f) } }
impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self { Wrong::Asked(_) => Ok(()), Wrong::Io(e) => write!(f, "{e}") }
    }
}
$(#[$mark])?
async fn check(cx: &Context, t: &Trace, name: &str) -> Result<i64, Wrong> {
    t.effect(name);
    let n = num(cx, name).await?;
    if n > 1_000 { return Err(Wrong::Io(std::io::Error::other(format!("{name} three")))) }
    Ok(n * 10)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let tried = futures::future::try_join_all(["a", "b", "c"].iter().map(|name| check(&cx, t, name))).await;
    let tried = tried.map_err(|e| format!("{e:?}"));
    t.note(&format!("{tried:?}"));
    let pair: Result<i64, Wrong> = async {
        let (a, b) = tokio::try_join!(check(&cx, t, "d"), check(&cx, t, "e"))?;
        Ok(a - b)
    }
    .await;
    let pair = pair.map_err(|e| format!("{e:?}"));
    let n = num(&cx, "n").await?;
    Ok(format!("{tried:?} {pair:?} {n}"))
}
}

pub mod with_a_result_that_is_looked_at {
use super::*;
struct Guard<'a>(&'a Trace);
impl Drop for Guard<'_> { fn drop(&mut self) { self.0.note("dropped"); } }
/// Its error has no serde, and its value is no copy.
$(#[$mark])?
async fn named(cx: &Context, t: &Trace, label: &str) -> Result<Vec<i64>, std::io::Error> {
    let n = num(cx, label).await.map_err(|e| std::io::Error::other(e.0))?;
    t.effect((label, n));
    if n > 1_000 { Err(std::io::Error::other(format!("{label} {n}"))) } else { Ok(vec![n, 1]) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut kept = vec![4];
    let asked = tokio::try_join!(cx.peer.elicit::<Count>("count of it?"), cx.peer.elicit::<Text>("number of it?"));
    let shown = match &asked {
        Ok((count, text)) => format!("{:?} {:?}", count.as_ref().map(|c| c.n), text.as_ref().map(|t| &t.text)),
        Err(error) => format!("no {error}"),
    };
    t.note(&shown);
    let both = tokio::try_join!(named(&cx, t, "count of it?"), named(&cx, t, "q"), async { kept.push(5); Ok(t.effect(kept.len())) })
        .map(|(p, q, n)| { let _guard = Guard(t); (p.len() + q.len(), p.concat(q), n) });
    if let Ok((_, list, _)) = &both { kept.extend(list) }
    let both = both.map_err(|e| e.to_string());
    let ok = sure(&cx, "ok").await?;
    let Ok((left, _)) = futures::try_join!(named(&cx, t, "number of it?"), named(&cx, t, "s")) else { return Ok(format!("{shown} {ok} {both:?} {kept:?}")) };
    let last = num(&cx, "last").await?;
    Ok(format!("{shown} {ok} {both:?} {kept:?} {left:?} {last}"))
}
trait Concat { fn concat(self, other: Vec<i64>) -> Vec<i64>; }
impl Concat for Vec<i64> { fn concat(mut self, other: Vec<i64>) -> Vec<i64> { self.extend(other); self } }
}

pub mod with_something_said_first {
use super::*;
use futures::future::join_all;
struct Plant { seen: std::sync::Mutex<Vec<String>>, rate: i64 }
impl Plant {
    fn note(&self, name: &str) { self.seen.lock().unwrap().push(name.to_string()); }
    $(#[$mark])?
    async fn check(&self, cx: &Context, t: &Trace, name: &str, n: i64) -> i64 {
        t.effect((name, n));
        num(cx, name).await.unwrap_or(-7) + n * self.rate
    }
    $(#[$mark])?
    async fn all(&self, cx: &Context, t: &Trace, names: &[String]) -> Vec<i64> {
        let mut n = 0;
        join_all(names.iter().map(|name| {
            t.note("begins");
            self.note(name);
            n += 1;
            self.check(cx, t, name, n)
        }))
        .await
    }
}
static PLANT: Plant = Plant { seen: std::sync::Mutex::new(Vec::new()), rate: 2 };
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let names = ["db", "web", "mq"].map(String::from);
    let all = PLANT.all(&cx, t, &names).await;
    let n = num(&cx, "n").await?;
    Ok(format!("{all:?} {n}"))
}
}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    in_a_variable::run,
    in_a_list::run,
    of_parts::run,
    of_blocks::run,
    with_errors_of_any_type::run,
    with_a_result_that_is_looked_at::run,
    with_something_said_first::run
);
