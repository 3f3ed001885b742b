//! Variables whose texts are literals, where something wants them for good.

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
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

pub mod one {
use super::*;
#[derive(Debug)] struct Out { via: Option<&'static str>, who: &'static str }
fn keep(name: &'static str) -> usize { name.len() }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let via = match num(&cx, "x").await? { 0..=3 => Some("low"), 4.. => Some("high"), _ => None };
    let mut who = "nobody";
    if sure(&cx, "q").await? { who = "me"; } else if sure(&cx, "r").await? { who = "you"; }
    t.note(who);
    let more = text(&cx, "s").await?;
    let o = Out { via, who };
    Ok(format!("{o:?} {more} {}", keep(who)))
}
}
pub mod in_lists {
use super::*;
fn keep(name: &'static str) -> usize { name.len() }
#[derive(Debug, Clone, Copy, Serialize, Deserialize)] struct Row { name: &'static str, n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut names = Vec::new();
    for (i, (name, values)) in [("ab", vec![1, 2]), ("c", vec![])].into_iter().enumerate() {
        if sure(&cx, name).await? { names.push(name); t.effect(keep(name)); }
        t.effect((i, values));
    }
    let first = names.first().copied().unwrap_or("none");
    let ok = sure(&cx, first).await?;
    let row = Row { name: first, n: 3 };
    let all: Vec<&'static str> = names.clone();
    let table = vec![("a", 1.5), ("b", 2.5)];
    let mut total = 0.0;
    for (name, w) in &table { if sure(&cx, name).await? { total += w * keep(name) as f64; } }
    let label = if ok { "yes" } else { first };
    let n = num(&cx, label).await?;
    Ok(format!("{row:?} {all:?} {ok} {total} {} {n}", keep(label)))
}
}
pub mod beside_others {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let own = text(&cx, "who").await?;
    let mut names = vec!["a", "b"];
    names.push(&own);
    let pick = if sure(&cx, "q").await? { names[0] } else { own.as_str() };
    let ok = sure(&cx, pick).await?;
    names.retain(|n| *n != pick);
    let r = sure(&cx, "again").await?;
    Ok(format!("{names:?} {pick} {ok} {r}"))
}
}
pub mod tables {
use super::*;

$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
let calls = [("ssh", serde_json::json!({"a": 1})), ("ftp", serde_json::json!({}))]; let mut out = vec![]; for (name, v) in calls { let ok = sure(&cx, name).await?; let r = rmcp::model::CallToolRequestParams::new(name); out.push(format!("{} {v} {ok}", r.name)); } Ok(format!("{out:?}"))
}
}
pub mod in_branches {
use super::*;
fn wants(t: &Trace, label: &'static str) -> &'static str { t.effect(label); &label[label.len().min(1)..] }
fn level(n: i64) -> &'static str { if n > 2 { "hi" } else { "lo" } }
$(#[$mark])?
async fn status(cx: &Context, t: &Trace, label: &'static str) -> Result<&'static str, Failure> {
    let n = num(cx, &format!("{label}, how far?")).await?;
    let reached = if n > 5 { level(n + 1) } else { level(n) };
    if sure(cx, &format!("Is it {reached}?")).await? {
        Ok(reached)
    } else {
        Ok(label)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { Ok(status(&cx, t, "x").await?.to_string()) }
}
pub mod said_by_types {
use super::*;
fn wants(t: &Trace, label: &'static str) -> &'static str {
    t.effect(label);
    &label[label.len().min(1)..]
}
fn level(n: i64) -> &'static str {
    match n {
        i64::MIN..0 => "below",
        0 => "zero",
        1..=5 => "some",
        _ => "many",
    }
}

$(#[$mark])?
async fn status(cx: &Context, t: &Trace, label: &'static str) -> Result<&'static str, Failure> {
    let n = num(cx, &format!("{label}, how far?")).await?;
    let reached = if n > 5 { wants(t, label) } else { level(n) };
    if sure(cx, &format!("Is it {reached}?")).await? {
        Ok(reached)
    } else {
        Ok(label)
    }
}

$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "N?").await?;
    let mut label = if n > 3 { "over" } else if n < 0 { "under" } else { "even" };
    let before = label;
    let other = level(n);
    let word = text(&cx, &format!("{label} {other}?")).await?;
    let cut = wants(t, label);
    if word.len() > 2 {
        label = wants(t, other);
    }
    let all: [&'static str; 3] = [label, other, "end"];
    let mut kept: Vec<&'static str> = Vec::new();
    for label in all {
        kept.push(status(&cx, t, label).await?);
        t.effect(kept.len());
    }
    let longest: &'static str = kept.iter().copied().max_by_key(|s| s.len()).unwrap_or("none");
    let maybe: Option<&'static str> = kept.first().copied().filter(|s| s.len() > 3);
    let last = text(&cx, longest).await?;
    let maybe = maybe.map_or("no", |s| wants(t, s));
    Ok(format!("{before} {label} {cut} {word} {kept:?} {} {maybe} {last}", wants(t, longest)))
}
}
pub mod handed_on {
use super::*;
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Mode {
    Read,
    Write,
}
impl Mode {
    const ALL: [Mode; 2] = [Mode::Read, Mode::Write];
    const fn name(self) -> &'static str {
        match self {
            Mode::Read => "read",
            Mode::Write => "write",
        }
    }
}
fn command(t: &Trace, word: &str) -> Result<&'static str, &'static str> {
    Ok(match t.effect(word) {
        "" => return Err("empty"),
        w if w.starts_with('a') => "add",
        w if w.len() > 3 => return Err("too long"),
        _ => "list",
    })
}

$(#[$mark])?
async fn mode(cx: &Context, t: &Trace, default: Option<&'static str>) -> Result<(&'static str, Mode), Failure> {
    for mode in Mode::ALL {
        if sure(cx, &format!("Mode {}?", mode.name())).await? {
            return Ok((mode.name(), mode));
        }
        t.effect(mode);
    }
    Ok((default.unwrap_or("any"), Mode::Read))
}

$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut history: VecDeque<Result<&'static str, &'static str>> = VecDeque::new();
    let mut last: Option<&'static str> = None;
    for round in 0..3 {
        let word = text(&cx, &format!("{} {round}>", last.unwrap_or("$"))).await?;
        let result = command(t, &word);
        history.push_front(result);
        last = match result {
            Ok(name @ "add") => {
                let (name, mode) = (name, mode(&cx, t, last).await?);
                history.push_back(Ok(mode.0));
                if mode.1 == Mode::Write { Some(mode.0) } else { Some(name) }
            }
            Ok(other) => last.or(Some(other)),
            Err("empty") => break,
            Err(why) => {
                let n = num(&cx, why).await?;
                if n > 2 { None } else { Some(why) }
            }
        };
        t.effect(last);
    }
    let good = history.iter().filter(|result| result.is_ok()).count();
    let text: &str = history.iter().rev().find_map(|result| result.err()).unwrap_or("fine");
    Ok(format!("{history:?} {last:?} {good} {text}"))
}
}
pub mod of_a_list {
use super::*;
static COLORS: &[&str] = &["red", "green", "blue"];

$(#[$mark])?
async fn color(cx: &Context, t: &Trace, skip: Option<&'static str>) -> Result<&'static str, Failure> {
    for color in COLORS {
        if Some(*color) == skip {
            t.note("skips");
            continue;
        }
        if sure(cx, &format!("{color}?")).await? {
            return Ok(*color);
        }
    }
    let n = num(cx, "Which number?").await?;
    Ok(COLORS.get(t.effect(n) as usize).copied().unwrap_or(if n < 0 { "dark" } else { "light" }))
}

$(#[$mark])?
async fn select<'a>(cx: &Context, t: &Trace, options: &[&'a str], default: &'a str) -> Result<(usize, &'a str), Failure> {
    let n = num(cx, &format!("One of {options:?}?")).await?;
    let at = t.effect(n.max(0) as usize);
    match options.get(at) {
        Some(option) => Ok((at, *option)),
        None if sure(cx, &format!("Then {default}?")).await? => Ok((options.len(), default)),
        None => Ok((0, "neither")),
    }
}

$(#[$mark])?
async fn both(cx: &Context, t: &Trace) -> Result<[&'static str; 2], Failure> {
    let first = color(cx, t, None).await?;
    Ok([first, color(cx, t, Some(first)).await?])
}

$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let [a, b] = both(&cx, t).await?;
    t.effect((a, b));
    let name = text(&cx, &format!("Name of {a} and {b}?")).await?;
    let fallback = format!("{name}-{a}");
    let options = [a, name.as_str(), b, fallback.split_at(fallback.find('-').unwrap_or(0)).1];
    let (at, chosen) = select(&cx, t, &options, &fallback).await?;
    let mut seen = vec![chosen];
    while seen.len() < 3 {
        let (_, next) = select(&cx, t, &options[seen.len()..], seen[0]).await?;
        if seen.contains(&next) {
            t.effect(next);
            break;
        }
        seen.push(next);
    }
    let upper: String = seen.iter().flat_map(|s| s.chars().take(2)).collect();
    Ok(format!("{a} {b} {at} {chosen} {seen:?} {upper} {}", if at > 3 { a } else { COLORS[at % 3] }))
}
}
pub mod beside_bytes {
use super::*;
fn keep(b: &'static [u8]) -> usize { b.len() }
fn bytes(n: i64) -> &'static [u8] { if n > 2 { b"even" } else { b"odd" } }
$(#[$mark])? async fn pick(cx: &Context) -> Result<(&'static str, usize), Failure> {
    let b = bytes(3); let name = "x"; let ok = sure(cx, "q").await?; Ok((name, if ok { keep(b"x") + b.len() } else { 3 })) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let p = pick(&cx).await?;
    let tables = [("a", b"xy"), ("b", b"zw")];
    let mut out = vec![];
    for (name, b) in tables { if sure(&cx, name).await? { out.push((name, b.len())); } }
    let chars = [('a', "x"), ('b', "y")];
    for (c, s) in chars { if sure(&cx, &format!("{c}{s}")).await? { out.push((s, 1)); } }
    Ok(format!("{p:?} {out:?}"))
}
}
pub mod beside_what_is_matched {
use super::*;
$(#[$mark])?
async fn words(cx: &Context, t: &Trace, line: &str) -> Result<usize, Failure> {
    let mut n = 0;
    for word in line.split(' ') {
        let kind: &'static str = match word { "add" => "A", _ => "B" };
        if sure(cx, word).await? { n += 1; }
        t.note(&format!("{word} {kind}"));
    }
    Ok(n)
}
$(#[$mark])?
async fn bytes(cx: &Context, t: &Trace, data: &[u8]) -> Result<usize, Failure> {
    let table: [(&str, &[u8]); 2] = [("a", &[1, 2]), ("b", &[3])];
    let mut out = vec![];
    for (name, bytes) in table { if sure(cx, name).await? { out.push(bytes.len()); } t.effect(bytes); }
    for chunk in data.chunks(2) {
        let kind: &'static str = match chunk { b"ab" => "x", _ => "y" };
        sure(cx, kind).await?;
        t.effect(chunk.len());
    }
    Ok(out.len())
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let w = words(&cx, t, "add b").await?;
    let b = bytes(&cx, t, b"abc").await?;
    let own = text(&cx, "who").await?;
    let pick = if sure(&cx, "q").await? { "none" } else { &own as &str };
    let ok = sure(&cx, pick).await?;
    Ok(format!("{w} {b} {pick} {ok}"))
}
}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    one::run,
    in_lists::run,
    beside_others::run,
    tables::run,
    in_branches::run,
    said_by_types::run,
    handed_on::run,
    of_a_list::run,
    beside_bytes::run,
    beside_what_is_matched::run
);
