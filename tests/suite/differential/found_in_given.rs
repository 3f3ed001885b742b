//! References that outlive a function and that it has found by functions of its own, in loops, or collected: they are found again in what it was given.

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

            $(#[$mark])?
            async fn sure(cx: &Context, question: &str) -> Result<bool, Failure> {
                Ok(cx.peer.elicit::<Confirm>(question).await?.is_some_and(|answer| answer.ok))
            }

            $(#[$mark])?
            async fn num(cx: &Context, question: &str) -> Result<i64, Failure> {
                Ok(cx.peer.elicit::<Count>(question).await?.map_or(-1, |answer| answer.n))
            }

            $(#[$mark])?
            async fn text(cx: &Context, question: &str) -> Result<String, Failure> {
                Ok(cx.peer.elicit::<Text>(question).await?.map_or_else(String::new, |answer| answer.text))
            }

pub mod by_an_own_function {
use super::*;
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Plan { name: String, price: u32 }
fn cheapest(plans: &[Plan]) -> &Plan { plans.iter().min_by_key(|p| p.price).unwrap() }
$(#[$mark])?
async fn choose<'a>(cx: &Context, plans: &'a [Plan]) -> Result<&'a Plan, Failure> {
    let best = cheapest(plans);
    if sure(cx, &format!("take {}?", best.name)).await? { return Ok(best); }
    sure(cx, "other?").await?;
    Ok(best)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let plans = vec![Plan { name: "a".into(), price: 3 }, Plan { name: "b".into(), price: 1 }];
    let got = choose(&cx, &plans).await?;
    sure(&cx, "end?").await?;
    Ok(format!("{got:?} {}", std::ptr::eq(got, &plans[1])))
}

}
pub mod one_of_two_texts {
use super::*;
$(#[$mark])?
async fn longest<'a>(cx: &Context, a: &'a str, b: &'a str) -> Result<&'a str, Failure> {
    let long = pick(a, b);
    if sure(cx, long).await? { Ok(long) } else { sure(cx, "sure?").await?; Ok(long.trim_start_matches('b')) }
}
fn pick<'a>(a: &'a str, b: &'a str) -> &'a str { if a.len() > b.len() { a } else { b } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let (a, b) = ("aaa".to_string(), "bbbb".to_string());
    let got = longest(&cx, &a, &b).await?;
    Ok(format!("{got}"))
}

}
pub mod kept_in_a_loop {
use super::*;
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Plan { name: String, price: u32 }
$(#[$mark])?
async fn choose<'a>(cx: &Context, plans: &'a [Plan]) -> Result<Option<&'a Plan>, Failure> {
    let mut best = None;
    for p in plans {
        if sure(cx, &format!("like {}?", p.name)).await? { best = Some(p); }
    }
    sure(cx, "done?").await?;
    Ok(best)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let plans = vec![Plan { name: "a".into(), price: 3 }, Plan { name: "b".into(), price: 1 }];
    let got = choose(&cx, &plans).await?;
    Ok(format!("{got:?}"))
}

}
pub mod collected {
use super::*;
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct User { name: String }
$(#[$mark])?
async fn keep<'a>(cx: &Context, users: &'a [User]) -> Result<Vec<&'a User>, Failure> {
    let mut v = Vec::new();
    for u in users.iter() { if sure(cx, &u.name).await? { v.push(u); } }
    Ok(v)
}
$(#[$mark])?
async fn words<'a>(cx: &Context, text: &'a str) -> Result<Vec<&'a str>, Failure> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut out = vec![];
    for i in 0..words.len() { if sure(cx, words[i]).await? { out.push(words[i]); } }
    sure(cx, "all?").await?;
    Ok(out)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let users = vec![User { name: "a".into() }, User { name: "b".into() }];
    let got = keep(&cx, &users).await?;
    let w = words(&cx, "one two").await?;
    Ok(format!("{got:?} {w:?}"))
}

}
pub mod in_self {
use super::*;
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Plan { name: String, price: u32, alias: Option<String> }
struct Shop { plans: Vec<Plan>, name: String }
impl Shop {
    fn best(&self) -> Option<&Plan> { self.plans.iter().max_by_key(|p| p.price) }
    $(#[$mark])?
    async fn choose(&self, cx: &Context) -> Result<Option<&Plan>, Failure> {
        let mut got = self.best();
        for p in &self.plans { if sure(cx, &p.name).await? { got = Some(p); } }
        sure(cx, "ok?").await?;
        Ok(got)
    }
    $(#[$mark])?
    async fn label<'s>(&'s self, cx: &Context, p: &'s Plan) -> Result<&'s str, Failure> {
        let alias = p.alias.as_deref().unwrap_or(&self.name);
        sure(cx, alias).await?;
        Ok(alias)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let shop = Shop { plans: vec![Plan { name: "a".into(), price: 3, alias: None }, Plan { name: "b".into(), price: 1, alias: Some("bb".into()) }], name: "shop".into() };
    work(&cx, &shop).await
}
$(#[$mark])?
async fn work(cx: &Context, shop: &Shop) -> Result<String, Failure> {
    let got = shop.choose(cx).await?;
    let a = shop.label(cx, &shop.plans[0]).await?;
    let b = shop.label(cx, &shop.plans[1]).await?;
    Ok(format!("{got:?} {a} {b}"))
}

}
pub mod pushed {
use super::*;
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Plan { name: String, price: u32 }
fn cheapest(plans: &[Plan]) -> &Plan { plans.iter().min_by_key(|p| p.price).unwrap() }
$(#[$mark])?
async fn add<'a>(cx: &Context, plans: &'a [Plan], out: &mut Vec<&'a Plan>) -> Result<(), Failure> {
    let best = cheapest(plans);
    if sure(cx, "add?").await? { out.push(best); }
    Ok(())
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let plans = vec![Plan { name: "a".into(), price: 3 }, Plan { name: "b".into(), price: 1 }];
    let mut out = Vec::new();
    add(&cx, &plans, &mut out).await?;
    add(&cx, &plans[..1], &mut out).await?;
    Ok(format!("{out:?}"))
}

}
pub mod beside_texts_of_its_own {
use super::*;
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Plan { name: String, price: u32 }
$(#[$mark])?
async fn choose<'a>(cx: &Context, names: &'a [String], pre: &str) -> Result<&'a String, Failure> {
    let label = format!("{pre}{}", names.len());
    let short: &str = label.trim();
    let mut best = &names[0];
    sure(cx, short).await?;
    best = if short.len() > 3 { &names[1] } else { best };
    sure(cx, short).await?;
    let first = names.first().map(|s| s.as_str()).unwrap_or(short);
    sure(cx, first).await?;
    Ok(best)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let names = vec!["x".to_string(), "y".to_string()];
    let a = choose(&cx, &names, "a").await?;
    let b = choose(&cx, &names, "aaaa").await?;
    Ok(format!("{a} {b}"))
}


}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

pub(super) fn all() -> Vec<Case> {
    macro_rules! cases {
        ($($name:ident),*) => {
            vec![$(Case {
                name: stringify!($name),
                plain: |cx, t| Box::pin(plain::$name::run(cx, t)),
                saga: |cx, t| Box::pin(saga::$name::run(cx, t)),
            }),*]
        };
    }
    cases!(
        by_an_own_function,
        one_of_two_texts,
        kept_in_a_loop,
        collected,
        in_self,
        pushed,
        beside_texts_of_its_own
    )
}
