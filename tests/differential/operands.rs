//! What stands before an ask in one expression, and what a call that asks is given.

use std::{borrow::Cow, cell::Cell, collections::BTreeMap, fmt::Write, sync::Arc};

use rmcp::{Peer, RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tests::{
    Case, Failure, Trace,
    answers::{Count, Text},
};

type Result<T, E = Failure> = std::result::Result<T, E>;
/// No parameter is written as the handle.
type Context = RequestContext<RoleServer>;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Node {
    name: String,
    n: i64,
    next: Option<Box<Node>>,
}

fn node(name: &str, n: i64) -> Node {
    Node {
        name: name.to_owned(),
        n,
        next: None,
    }
}

/// An iterator that is never stored.
struct Down(i64);

impl Iterator for Down {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        self.0 -= 1;
        (self.0 >= 0).then_some(self.0)
    }
}

trait Shown: Sync {
    fn shown(&self) -> String;
}

impl Shown for i64 {
    fn shown(&self) -> String {
        format!("<{self}>")
    }
}

impl Shown for String {
    fn shown(&self) -> String {
        format!("<{self}>")
    }
}

fn of_slice(list: Option<&[i64]>, n: i64) -> i64 {
    list.map_or(0, <[i64]>::len) as i64 + n
}

fn of_shown(all: &[&dyn Shown], n: i64) -> String {
    let all: String = all.iter().map(|one| one.shown()).collect();
    format!("{all}{n}")
}

fn joined(text: &str, n: i64) -> String {
    format!("{text}{n}")
}

fn listed(texts: &[&str], first: Option<&str>, n: i64) -> String {
    format!("{texts:?}{first:?}{n}")
}

fn loud(t: &Trace, text: &str) -> String {
    t.note("loud");
    format!(" {text} ")
}

fn applied(
    f: &(dyn Fn(&str) -> String + Sync),
    g: Box<dyn Fn(i64) -> i64 + Send>,
    n: i64,
) -> String {
    f(&g(n).to_string())
}

/// Without serde.
#[derive(Debug)]
#[allow(dead_code, reason = "what is in it is shown by its `Debug`")]
struct Options<'o> {
    names: Vec<String>,
    first: &'o str,
    inner: Option<Box<Inner>>,
    retries: i64,
}

#[derive(Debug)]
#[allow(dead_code, reason = "what is in it is shown by its `Debug`")]
struct Inner(i64);

#[derive(Debug)]
#[allow(dead_code, reason = "what is in it is shown by its `Debug`")]
struct Wrapped<'w>(&'w [i64], Option<&'w str>);

fn with_options(options: Options<'_>, wrapped: Wrapped<'_>, n: i64) -> String {
    format!("{options:?}{wrapped:?}{n}")
}

/// A clone of it counts for itself.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Hits {
    n: i64,
    clones: u32,
}

impl Clone for Hits {
    fn clone(&self) -> Self {
        Self {
            n: self.n,
            clones: self.clones + 1,
        }
    }
}

impl Hits {
    fn record(&mut self, n: i64) {
        self.n += n + i64::from(self.clones) * 100;
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Desk {
    hits: Hits,
    at: usize,
    log: Vec<i64>,
    out: String,
}

fn of_hits(hits: &Hits, n: i64) -> i64 {
    hits.n + n
}

fn pushed(log: &mut Vec<i64>, n: i64) {
    log.push(n);
}

/// What the author calls on anything, by names that others have, too.
#[allow(dead_code, reason = "what is generated must not call it")]
trait Anything: Sized {
    fn put<A>(&self, _: A) {}
    fn take(&self) -> u8 {
        7
    }
    fn clear(&self) {}
    fn ask(self) -> Self {
        self
    }
    fn asked<A>(&self, _: A) -> u32 {
        9
    }
    fn state(self) -> u32 {
        9
    }
    fn output(self) -> Self {
        self
    }
    fn call<A>(self, _: u32, _: A) -> Self {
        self
    }
    fn join<A>(&self, _: u32, _: A) {}
    fn suspend<A>(&self, _: A) {}
    fn request<A>(&self, _: A) {}
    fn save<A>(self, _: A) {}
    fn resume<A>(&self, _: A) {}
    fn gone(self) {}
    fn is<A>(self, _: A) {}
}

impl<T> Anything for T {}

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            $(#[$mark])?
            async fn count(cx: &Context, of: &str) -> Result<i64> {
                Ok(cx.peer.elicit::<Count>(of).await?.map_or(0, |count| count.n))
            }

            $(#[$mark])?
            async fn by_value(peer: Peer<RoleServer>) -> Result<i64> {
                Ok(peer.elicit::<Count>("by value").await?.map_or(0, |count| count.n))
            }

            $(#[$mark])?
            async fn count_of(peer: &Peer<RoleServer>) -> Result<i64> {
                Ok(peer.elicit::<Count>("of").await?.map_or(0, |count| count.n))
            }

            $(#[$mark])?
            async fn whole(cx: Context) -> Result<i64> {
                Ok(cx.peer.elicit::<Count>("whole").await?.map_or(0, |count| count.n))
            }

            $(#[$mark])?
            async fn shared(peer: Arc<Peer<RoleServer>>) -> Result<i64> {
                let first = peer.elicit::<Count>("shared").await?.map_or(0, |count| count.n);
                let second = peer.elicit::<Count>("again").await?.map_or(0, |count| count.n);
                Ok(first * 10 + second)
            }

            $(#[$mark])?
            pub async fn places_in_macros(cx: Context, t: &Trace) -> Result<String> {
                let names = vec!["a".to_owned(), "b".to_owned()];
                let nodes = [node("x", 1), node("y", 2)];
                let pointed = &nodes[1].name;
                let width = 6;
                let line = format!(
                    "{} {} {} {} {:>4$}",
                    names[0], nodes[1].name, *pointed, count(&cx, "n").await?, width
                );
                let made = json!({ "name": names[1], "node": nodes[0].name, "n": count(&cx, "m").await? });
                assert_ne!(names[0], format!("{}!", count(&cx, "k").await?), "{}", nodes[0].n);
                Ok(format!("{line}{made}"))
            }

            $(#[$mark])?
            pub async fn what_led_to_a_place(cx: Context, t: &Trace) -> Result<String> {
                let (one, two) = (node("one", 1), node("two", 2));
                let mut current = &one;
                let mut out = format!("{} {} {}", current.name, current.n, { current = &two; count(&cx, "n").await? });
                let mut list = node("head", 3);
                list.next = Some(Box::new(node("tail", 4)));
                let mut at = &list;
                let line = format!("{from} -> {n}", from = at.name, n = {
                    if let Some(next) = &at.next { at = next; }
                    count(&cx, "m").await?
                });
                current = &one;
                write!(out, "{}{}", current.name, { current = &two; count(&cx, "k").await? })?;
                Ok(format!("{out}{line}{}{}", at.name, current.n))
            }

            $(#[$mark])?
            pub async fn pointers_and_parts(cx: Context, t: &Trace) -> Result<String> {
                let name = Some("alpha".to_owned());
                let map = BTreeMap::from([(1, 3_i64)]);
                let same = *name.as_ref().unwrap() == cx.peer.elicit::<Text>("t").await?.map_or_else(String::new, |t| t.text);
                let more = *map.get(&1).unwrap() > count(&cx, "n").await?;
                let (list, k) = (vec![1_i64, 2], 5_i64);
                let text = "text".to_owned();
                let some = of_slice(Some(&list), count(&cx, "some").await?);
                let shown = of_shown(&[&text, &k], count(&cx, "shown").await?);
                let mut m = 1;
                let pair = ((m, k), { m += 1; count(&cx, "pair").await? });
                Ok(format!("{same}{more}{some}{shown}{pair:?}"))
            }

            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
            enum Light {
                Off,
                On(i64),
            }

            impl Light {
                $(#[$mark])?
                async fn switch(&mut self, cx: &Context) -> Result<()> {
                    match self {
                        this @ Light::Off => {
                            let n = count(cx, "on?").await?;
                            if n > 0 { *this = Light::On(n); }
                        }
                        Light::On(n) => *n += 1,
                    }
                    Ok(())
                }
            }

            $(#[$mark])?
            async fn renamed(cx: &Context, node: &mut Node) -> Result<()> {
                for _ in 0..2 {
                    if let Some(text) = named(cx, &node.name).await? { node.name = text; }
                }
                Ok(())
            }

            $(#[$mark])?
            async fn named(cx: &Context, name: &str) -> Result<Option<String>> {
                Ok(cx.peer.elicit::<Text>(format!("{name}?")).await?.map(|text| text.text))
            }

            $(#[$mark])?
            pub async fn heads(cx: Context, t: &Trace) -> Result<String> {
                thread_local! { static SEEN: Cell<i64> = const { Cell::new(0) }; }
                let mut out = vec![];
                for n in Down(count(&cx, "head").await?) { out.push(n); }
                let mut map = BTreeMap::from([("a", vec![1_i64])]);
                if let Some(list) = map.get_mut("a") && let Some(first) = list.first_mut() {
                    *first += count(&cx, "first").await?;
                }
                let mut light = Light::Off;
                light.switch(&cx).await?;
                light.switch(&cx).await?;
                let mut node = node("n", 1);
                renamed(&cx, &mut node).await?;
                Ok(format!("{out:?}{map:?}{light:?}{}{}", node.name, SEEN.with(Cell::get)))
            }

            $(#[$mark])?
            pub async fn temporaries_of_temporaries(cx: Context, t: &Trace) -> Result<String> {
                let a = joined(&loud(t, "a").trim(), count(&cx, "a").await?);
                let b = joined(&*loud(t, "b"), count(&cx, "b").await?);
                let c = joined(&loud(t, "c").trim()[..], count(&cx, "c").await?);
                let d = listed(&[loud(t, "d").as_str(), "y", loud(t, "e").trim()], Some(&loud(t, "f")), count(&cx, "d").await?);
                Ok(format!("{a}{b}{c}{d}"))
            }

            $(#[$mark])?
            async fn given(cx: &Context, options: Options<'_>, wrapped: Wrapped<'_>, text: Cow<'_, str>) -> Result<String> {
                let first = count(&cx, options.first).await?;
                let second = count(&cx, &text).await?;
                Ok(format!("{options:?}{wrapped:?}{text}{first}{second}"))
            }

            $(#[$mark])?
            pub async fn structs(cx: Context, t: &Trace) -> Result<String> {
                let (mut x, name, list) = (1_i64, " n ".to_owned(), vec![1_i64, 2]);
                let a = with_options(
                    Options { names: t.effect(vec!["v".to_owned()]), first: &name, inner: None, retries: x },
                    Wrapped(&list, Some(&name)),
                    { x += 1; count(&cx, "a").await? },
                );
                let b = given(
                    &cx,
                    Options { retries: t.effect(x), first: name.trim(), names: vec![name.clone()], inner: None },
                    Wrapped(&list, None),
                    Cow::Borrowed(&name),
                ).await?;
                let c = given(
                    &cx,
                    Options { retries: count(&cx, "in").await?, names: Vec::new(), first: &name.to_uppercase(), inner: None },
                    Wrapped(&[3, 4], Some(name.trim())),
                    Cow::Owned(format!("{x}")),
                ).await?;
                Ok(format!("{a}{b}{c}"))
            }

            $(#[$mark])?
            async fn bumped(cx: &Context, n: &mut usize) -> Result<i64> {
                *n += 1;
                count(cx, "bumped").await
            }

            $(#[$mark])?
            async fn noted(desk: &mut Desk, cx: &Context) -> Result<()> {
                desk.log.push(bumped(cx, &mut desk.at).await?);
                desk.log.push({ desk.at += 1; count(cx, "noted").await? });
                Ok(())
            }

            $(#[$mark])?
            pub async fn other_fields(cx: Context, t: &Trace) -> Result<String> {
                let mut desk = Desk::default();
                desk.hits.record({ desk.at += 1; count(&cx, "hit").await? });
                of_hits(&desk.hits, { desk.at += 1; count(&cx, "hits").await? });
                pushed(&mut desk.log, { desk.at += 1; count(&cx, "log").await? });
                desk.out.push_str(&format!("{} {}", { desk.at += 1; desk.at }, count(&cx, "out").await?));
                noted(&mut desk, &cx).await?;
                let mut pair = (Hits::default(), 1_usize);
                pair.0.record({ pair.1 += 1; count(&cx, "pair").await? });
                let most = desk.at.max({ desk.log.clear(); count(&cx, "max").await?.unsigned_abs() as usize });
                Ok(format!("{desk:?}{pair:?}{most}"))
            }

            $(#[$mark])?
            async fn mapped(cx: &Context, f: &(dyn Fn(&str) -> String + Sync)) -> Result<String> {
                let first = f("first");
                Ok(f(&format!("{first}{}", count(cx, "mapped").await?)))
            }

            $(#[$mark])?
            async fn each(cx: &Context, f: &mut (dyn FnMut(i64) -> i64 + Send)) -> Result<i64> {
                let first = f(1);
                Ok(f(count(cx, "each").await?) * 10 + first)
            }

            $(#[$mark])?
            pub async fn closures(cx: Context, t: &Trace) -> Result<String> {
                let names = vec!["a".to_owned()];
                let add = |a, b| a + b;
                let show = |p: &_| format!("{p:?}");
                let finish = || { t.note("finish"); names };
                let n = count(&cx, "n").await?;
                let mut out = format!("{}{}", add(n, 1), show(&Some(n)));
                let m = count(&cx, "m").await?;
                out += &finish().concat();
                out += &applied(&|x| x.to_uppercase(), Box::new(move |x| x.pow(2) + m), count(&cx, "k").await?);
                out += &mapped(&cx, &|x| x.to_uppercase()).await?;
                let mut all = 5_i64;
                let sum = each(&cx, &mut |x| { all += x; all }).await?;
                Ok(format!("{out}{sum}{all}"))
            }

            $(#[$mark])?
            pub async fn handles_by_value(cx: Context, t: &Trace) -> Result<String> {
                let peer = cx.peer.clone();
                let first = by_value(peer).await?;
                let (all, some) = (Arc::new(cx.peer.clone()), Some(cx.peer.clone()));
                let second = shared(Arc::clone(&all)).await?;
                let third = all.elicit::<Count>("all").await?.map_or(0, |count| count.n);
                let fourth = match &some {
                    Some(peer) => peer.elicit::<Count>("some").await?.map_or(0, |count| count.n),
                    None => 0,
                };
                let fifth = whole(cx.clone()).await?;
                let RequestContext { peer, .. } = cx;
                let sixth = count_of(&peer).await? + peer.elicit::<Count>("moved").await?.map_or(0, |count| count.n);
                Ok(format!("{first}{second}{third}{fourth}{fifth}{sixth}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    places_in_macros,
    what_led_to_a_place,
    pointers_and_parts,
    heads,
    temporaries_of_temporaries,
    closures,
    structs,
    other_fields,
    handles_by_value
);
