//! Constants that are lent, and have no cell in them.

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

pub mod none_lent {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = Some(text(&cx, "name").await?);
    let ok = sure(&cx, "ok").await?;
    let shown: &Option<String> = if ok { &name } else { &None };
    let n = num(&cx, "n").await?;
    t.effect((n, shown.as_deref().unwrap_or("nobody")));
    Ok(format!("{n} {shown:?}"))
}

}

pub mod none_in_a_struct {
use super::*;
struct Filter<'a> { name: &'a String, tag: &'a Option<String> }
impl Filter<'_> { fn shown(&self) -> String { format!("{} {:?}", self.name, self.tag) } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let filter = Filter { name: &name, tag: &None };
    let n = num(&cx, "n").await?;
    t.effect((n, filter.shown()));
    Ok(filter.shown())
}

}

pub mod constant_with_a_text {
use super::*;
struct Settings { name: String, most: i64 }
const PLAIN: Settings = Settings { name: String::new(), most: 3 };
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let settings = &PLAIN;
    let n = num(&cx, "n").await?;
    t.effect((n, settings.most, settings.name.len()));
    Ok(format!("{}", n.min(settings.most)))
}

}

pub mod constant_with_lists {
use super::*;
#[derive(Debug, Clone)]
struct Plan { name: String, items: Vec<i64> }
const EMPTY: Plan = Plan { name: String::new(), items: Vec::new() };
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let empty = &EMPTY;
    let ok = sure(&cx, "ok").await?;
    t.effect((empty, ok, n));
    Ok(format!("{} {}", empty.name, empty.items.len()))
}

}

pub mod constant_text_chosen {
use super::*;
const NOBODY: String = String::new();
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let given = text(&cx, "name").await?;
    let n = num(&cx, "first").await?;
    let name = if n > 1 { &given } else { &NOBODY };
    let ok = sure(&cx, "ok").await?;
    t.effect((name, ok));
    Ok(format!("{}", name.len()))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    none_lent::run,
    none_in_a_struct::run,
    constant_with_a_text::run,
    constant_with_lists::run,
    constant_text_chosen::run
);
