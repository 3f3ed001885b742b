//! Variables that are given in a struct, a variant or a tuple, and have no serde, no `Clone`.

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

pub mod arguments_of_a_tool {
use super::*;
use schemars::JsonSchema;
use serde::Deserialize;
use rmcp::handler::server::wrapper::Parameters;
#[derive(Debug, Deserialize, JsonSchema)] struct Args { name: String, tags: Option<Vec<String>> }
struct Server;
impl Server {
    $(#[$mark])?
    async fn deploy(&self, cx: Context, Parameters(args): Parameters<Args>, t: &Trace) -> Result<String, Failure> {
        t.effect(&args);
        let ok = sure(&cx, &args.name).await?;
        t.effect((ok, &args.tags));
        Ok(format!("{} {ok}", args.name))
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let args = Args { name: t.effect("web".to_string()), tags: Some(vec!["a".into()]) };
    let s = Server.deploy(cx.clone(), Parameters(args), t).await?;
    let more = text(&cx, "more").await?;
    let args = Args { name: more, tags: None };
    let r = Server.deploy(cx, Parameters(args), t).await?;
    Ok(s + &r)
}

}

pub mod fields {
use super::*;
#[derive(Debug)] struct Item { name: String, n: i64 }
#[derive(Debug)] struct Order { first: Item, rest: Vec<Item>, note: Option<String> }
$(#[$mark])?
async fn place(cx: &Context, order: Order, t: &Trace) -> Result<String, Failure> {
    let ok = sure(cx, "place").await?;
    t.effect(&order);
    Ok(format!("{} {ok}", order.first.name))
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = Item { name: text(&cx, "first").await?, n: 1 };
    let mut rest = vec![];
    for i in 0..2 { rest.push(Item { name: text(&cx, "next").await?, n: i }); }
    let note = Some("x".to_string());
    let s = place(&cx, Order { first, rest, note: note.clone() }, t).await?;
    Ok(format!("{s} {note:?}"))
}

}

pub mod variants {
use super::*;
#[derive(Debug)] struct Item { name: String, n: i64 }
#[derive(Debug)] enum Job { One(Item), Two(Item, Item), None }
$(#[$mark])?
async fn act(cx: &Context, job: Job, t: &Trace) -> Result<i64, Failure> {
    let k = num(cx, "k").await?;
    let m = match job { Job::One(i) => { t.effect(&i); i.n }, Job::Two(a, b) => { t.effect((&a, &b)); a.n + b.n }, Job::None => 0 };
    Ok(m + k)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = Item { name: text(&cx, "first").await?, n: 1 };
    let b = Item { name: "b".into(), n: 5 };
    let c = Item { name: "c".into(), n: 7 };
    let x = act(&cx, Job::Two(a, b), t).await?;
    let y = act(&cx, Job::One(c), t).await? + act(&cx, Job::None, t).await?;
    let mut jobs = vec![];
    for i in 0..2 { let it = Item { name: format!("i{i}"), n: i }; jobs.push(act(&cx, if i == 0 { Job::None } else { Job::One(it) }, t).await?); }
    Ok(format!("{x} {y} {jobs:?}"))
}

}

pub mod tuples {
use super::*;
#[derive(Debug)] struct Item { name: String, n: i64 }
$(#[$mark])?
async fn act(cx: &Context, pair: (Item, i64), opt: Option<Item>, t: &Trace) -> Result<i64, Failure> {
    let k = num(cx, "k").await?;
    t.effect((&pair, &opt));
    Ok(k + pair.1)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = Item { name: text(&cx, "first").await?, n: 1 };
    let b = Item { name: "b".into(), n: 5 };
    let n = num(&cx, "n").await?;
    let x = act(&cx, (a, n), Some(b), t).await?;
    Ok(format!("{x} {n}"))
}


}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    arguments_of_a_tool::run,
    fields::run,
    variants::run,
    tuples::run
);
