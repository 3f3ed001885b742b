//! Values of different types that are written as the same bytes.

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

pub mod slices {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let raw: Vec<u8> = vec![0xff, b'a', 0, 0xc3, 0x28, b'z'];
    let boxed: Box<[u8]> = raw[1..5].into();
    let n = num(&cx, "at").await?;
    let part: &[u8] = &raw[1..5];
    let other = part.iter().copied().filter(|n| *n > 1).collect::<Vec<_>>();
    let some: Option<&[u8]> = Some(part);
    let m = num(&cx, "at").await?;
    Ok(format!("{n} {boxed:?} {part:?} {other:?} {some:?}"))
}

}

pub mod arrays {
use super::*;
#[derive(serde::Serialize, serde::Deserialize, Debug)]
struct W([u8; 4]);
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let w = W([97, 0, 195, 40]);
    let n = num(&cx, "at").await?;
    let raw: Vec<u8> = vec![0xff, b'a', 0, 0xc3, 0x28, b'z'];
    let some: Vec<&[u8]> = vec![&raw[1..5], &raw[..2]];
    let m = num(&cx, "at").await?;
    Ok(format!("{n} {w:?} {some:?}"))
}

}

pub mod empty {
use super::*;
#[derive(serde::Serialize, serde::Deserialize, Debug, Clone)]
struct Row<'a> { #[serde(borrow)] name: &'a str }
fn rows(text: &str) -> Vec<Row<'_>> { text.split_whitespace().map(|name| Row { name }).collect() }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let words = String::new();
    let raw: Vec<u8> = vec![7];
    let found: Vec<Row<'_>> = rows(&words);
    let n = num(&cx, "at").await?;
    let rest: &[u8] = &raw[1..];
    let m = num(&cx, "at").await?;
    t.effect(rest);
    let k = num(&cx, "at").await?;
    Ok(format!("{n} {m} {k} {found:?} {rest:?}"))
}

}

pub mod empty_found {
use super::*;
#[derive(serde::Serialize, serde::Deserialize, Debug, Clone)]
struct Row<'a> { #[serde(borrow)] name: &'a str }
fn rows(text: &str) -> Vec<Row<'_>> { text.split_whitespace().map(|name| Row { name }).collect() }
fn rest(raw: &[u8]) -> &[u8] { &raw[1..] }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let words = String::new();
    let raw: Vec<u8> = vec![7];
    let rest: &[u8] = rest(&raw);
    let found: Vec<Row<'_>> = rows(&words);
    let n = num(&cx, "at").await?;
    let m = num(&cx, "at").await?;
    t.effect(rest);
    let k = num(&cx, "at").await?;
    Ok(format!("{n} {m} {k} {found:?} {rest:?}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(slices::run, arrays::run, empty::run, empty_found::run);
