//! From the tree to source text.

use std::fmt::Write as _;

use crate::program::{Function, Kind, Node, Program};

/// What every batch has before its programs.
pub(crate) const PRELUDE: &str = r#"
pub use rmcp::{Peer, RoleServer, model::{CreateMessageRequestParams, SamplingMessage}, service::{ElicitationError, RequestContext}};
pub use serde::{Deserialize, Serialize};
pub use std::time::Duration;
pub use tokio::time::sleep;
pub use tests::{Failure, Trace, answers::{Confirm, Count, Text}};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Host { pub name: String, pub port: i64, pub tags: Vec<i64> }

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Level { Low, Mid(i64), High { label: String } }

/// An error that can be stored, as what a call in a `join!` gives has to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trouble(pub String);
impl<E: std::fmt::Display> From<E> for Trouble {
    fn from(error: E) -> Self { Self(error.to_string()) }
}
impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self { Self(trouble.0) }
}

/// Fails for some values.
pub fn checked<T: std::fmt::Debug>(t: &Trace, value: T) -> Result<T, Trouble> {
    let shown = format!("{value:?}");
    t.note(&format!("checked {shown}"));
    if shown.len() % 7 == 3 { Err(Trouble(shown)) } else { Ok(value) }
}

/// With the method names of std's collections, and effects of its own.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Shelf(pub Vec<i64>);
impl Shelf {
    pub fn iter(&self, t: &Trace) -> std::vec::IntoIter<i64> { t.note("iter"); self.0.clone().into_iter() }
    pub fn values(&self, t: &Trace) -> Vec<i64> { t.note("values"); self.0.clone() }
    pub fn get(&self, t: &Trace, n: usize) -> Option<i64> { t.effect(n); self.0.get(n).copied() }
    pub fn len(&self, t: &Trace) -> usize { t.effect(self.0.len()) }
    pub fn trim(&self, t: &Trace) -> &[i64] { t.note("trim"); self.0.get(1..).unwrap_or_default() }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Kind { First, Second { id: &'static str } }

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tagged {
    #[serde(default, skip_serializing_if = "Option::is_none")] pub maybe: Option<i64>,
    #[serde(rename = "at")] pub level: Level,
    pub name: &'static str,
}

/// Without serde: they are stored in parts.
#[derive(Debug)]
pub enum Way { Fast, Slow { n: i64 }, Named(String, Option<i64>) }
#[derive(Debug)]
pub struct Job { pub title: String, pub way: Way, pub back: Option<Way> }
#[derive(Debug)]
pub struct Draft { pub n: i64, pub list: Vec<i64> }

/// Without serde: what is found of them is found again.
#[derive(Debug)]
pub struct Plan { pub name: &'static str, pub seats: i64, pub tags: [i64; 2] }
pub static PLANS: [Plan; 4] = [
    Plan { name: "free", seats: 1, tags: [3, 1] }, Plan { name: "team", seats: 4, tags: [1, 5] },
    Plan { name: "pro", seats: 2, tags: [0, 2] }, Plan { name: "all", seats: 3, tags: [4, 4] },
];
pub const OTHER: Plan = Plan { name: "other", seats: 9, tags: [8, 8] };

/// Its methods take it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cart { pub lines: Vec<i64> }
impl Cart {
    pub fn with(mut self, n: i64) -> Self { self.lines.push(n); self }
    pub fn total(&self) -> i64 { self.lines.iter().fold(0, |sum, one| mix(sum, *one)) }
    pub fn closed(self, t: &Trace) -> i64 { t.effect(self.lines.len() as i64) }
}

pub const ROWS: [(&str, i64); 3] = [("first", 1), ("second", 2), ("third", 3)];
pub fn named(name: &'static str) -> &'static str { name }
pub fn sorted(mut list: Vec<i64>) -> Vec<i64> { list.sort(); list }

pub const LIMIT: i64 = 2;
pub const START: Host = Host { name: String::new(), port: 1, tags: Vec::new() };
pub static NUMBERS: [i64; 2] = [4, 2];
pub static HOST: Host = Host { name: String::new(), port: 7, tags: Vec::new() };

macro_rules! declared { ($name:ident, $value:expr) => { let $name = $value; }; }
macro_rules! pushed { ($list:expr, $value:expr) => { $list.push($value); }; }
macro_rules! noted { ($t:expr, $value:expr) => { $t.effect($value); }; }
pub(crate) use {declared, noted, pushed};

pub fn host() -> Host { Host { name: "h".to_string(), port: 80, tags: vec![1, 2] } }
/// What a branch may import in place of what has the same name here.
pub mod other {
    pub const LIMIT: i64 = 7;
    pub fn doubled(n: i64) -> i64 { n + 1 }
    pub fn mix(a: i64, b: i64) -> i64 { b - a }
}

pub fn doubled(n: i64) -> i64 { n * 2 % 97 }
pub fn mix(a: i64, b: i64) -> i64 { (a * 3 - b) % 97 }
pub fn join(a: String, n: i64, b: &str) -> String { format!("{a}-{n}-{b}") }
pub fn pick(yes: bool, a: String, b: String) -> String { if yes { a } else { b } }
"#;

/// The functions as the author would write them.
pub(crate) fn functions(program: &Program, attribute: &str) -> String {
    let mut out = String::new();
    for function in &program.functions {
        let _ = write!(out, "{attribute}pub async fn {} ", function.signature);
        node(&function.body, 0, &mut out);
        out.push_str("\n\n");
    }
    out
}

/// The program's module, and the lines from which on it is with the attribute: the program itself, then each edit of it, of
/// those that compile.
pub(crate) fn module(program: &Program, with_saga: bool, edits: &[bool]) -> (String, Vec<usize>) {
    let plain = functions(program, "");
    let saga = if with_saga {
        functions(program, "#[saga_runtime::saga]\n")
    } else {
        "pub use super::plain::case;".to_owned()
    };
    // Which error a `try_join!` of several gives is nobody's promise.
    let result = if plain.contains("try_join!(") {
        ".await.map_err(|_| tests::Failure(String::new()))"
    } else {
        ".await"
    };
    let mut text = format!("pub mod plain {{\nuse crate::prelude::*;\n{plain}}}\n");
    let mut lines = vec![text.lines().count() + 1];
    let _ = write!(text, "pub mod saga {{\nuse crate::prelude::*;\n{saga}}}\n");
    let mut pairs = String::new();
    for (number, edit) in program.edits.iter().enumerate() {
        lines.push(text.lines().count() + 1);
        if !with_saga || !edits.get(number).copied().unwrap_or_default() {
            continue;
        }
        let functions = functions(edit, "#[saga_runtime::saga]\n");
        let _ = write!(
            text,
            "pub mod edit_{number} {{\nuse crate::prelude::*;\n{functions}}}\n"
        );
        let name = format!("{}, edit {number}", name(program));
        for (way, before, after) in [
            ("", "saga", format!("edit_{number}")),
            (" undone", &*format!("edit_{number}"), "saga".to_owned()),
        ] {
            let _ = write!(
                pairs,
                "tests::deploys::Edit {{ name: \"{name}{way}\", \
                 before: |cx, t| Box::pin(async move {{ {before}::case(cx, t){result} }}), \
                 after: |cx, t| Box::pin(async move {{ {after}::case(cx, t){result} }}) }}, "
            );
        }
    }
    let _ = write!(
        text,
        "pub const CASE: tests::Case = tests::Case {{ name: \"{}\", \
         plain: |cx, t| Box::pin(async move {{ plain::case(cx, t){result} }}), \
         saga: |cx, t| Box::pin(async move {{ saga::case(cx, t){result} }}) }};\n\
         pub const EDITS: &[tests::deploys::Edit] = &[{pairs}];\n",
        name(program)
    );
    (text, lines)
}

/// The program's module name.
pub(crate) fn name(program: &Program) -> String {
    format!("p{}", program.index)
}

/// Whether asks of the program are put at once, so that their order is nobody's promise.
pub(crate) fn is_unordered(program: &Program) -> bool {
    if program.edits.iter().any(is_unordered) {
        return true;
    }
    let text = functions(program, "");
    text.contains("join!(") || text.contains("join_all(")
}

/// The text of a function.
pub(crate) fn text_of(function: &Function) -> String {
    format!("{} {}", function.signature, text(&function.body))
}

/// The text of a part.
pub(crate) fn text(part: &Node) -> String {
    let mut out = String::new();
    node(part, 0, &mut out);
    out
}

/// Asks and calls of helpers in the program.
pub(crate) fn points(program: &Program) -> usize {
    let text = functions(program, "");
    ["elicit", "create_message(", "list_roots(", "helper_"]
        .iter()
        .map(|ask| text.matches(ask).count())
        .sum::<usize>()
        - (program.functions.len() - 1)
}

fn node(node: &Node, depth: usize, out: &mut String) {
    if node.kind == Kind::Block {
        block(node, depth, out);
        return;
    }
    for (at, text) in node.text.iter().enumerate() {
        out.push_str(text);
        if let Some(child) = node.children.get(at) {
            self::node(child, depth, out);
        }
    }
}

fn block(block: &Node, depth: usize, out: &mut String) {
    let indent = "    ".repeat(depth + 1);
    out.push_str("{\n");
    for child in &block.children {
        out.push_str(&indent);
        node(child, depth + 1, out);
        out.push('\n');
    }
    out.push_str(&"    ".repeat(depth));
    out.push('}');
}
