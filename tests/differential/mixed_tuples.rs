//! Tuples of references and values of one's own.

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

pub mod of_three {
use super::*;
use serde::{Deserialize, Serialize};
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Own { n: i64 }
fn own(n: i64) -> Own { Own { n } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let all = vec![name.clone(), "b".to_string()];
    let rro: Vec<(&str, &str, Own)> = all.iter().map(|x| (x.as_str(), &x[..], own(1))).collect();
    let ror: Vec<(&str, Own, &String)> = all.iter().map(|x| (x.as_str(), own(2), x)).collect();
    let orr: Vec<(Own, &str, &str)> = all.iter().map(|x| (own(3), x.as_str(), x.trim())).collect();
    let roo: Vec<(&str, Own, Own)> = all.iter().map(|x| (x.as_str(), own(4), own(5))).collect();
    let oro: Option<(Own, &str, Own)> = all.first().map(|x| (own(6), x.as_str(), own(7)));
    let oor: (Own, Own, &String) = (own(8), own(9), &all[1]);
    let mut sum = 0;
    for (a, b, one) in &rro {
        let n = num(&cx, a).await?;
        t.effect((b, one, n));
        sum += one.n;
    }
    t.effect((&rro, &ror, &orr));
    num(&cx, "again").await?;
    t.effect((&roo, &oro, &oor));
    Ok(format!("{sum} {:?}", all))
}


}

pub mod of_two {
use super::*;
 use serde::{Deserialize, Serialize};
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
enum Right { Read, Write, Admin }
fn diff<'a>(old: &'a [String]) -> Vec<(&'a str, Right)> { old.iter().map(|k| (k.as_str(), Right::Read)).collect() }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let matrix = vec!["a".to_string()];
    let changes = diff(&matrix);
    let k = num(&cx, "k").await?;
    Ok(format!("{changes:?} {k}"))
}

}

pub mod of_maps {
use super::*;
 use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
enum Right { Read, Write, Admin }
type Matrix = BTreeMap<String, BTreeSet<Right>>;
fn diff<'a>(old: &'a Matrix, new: &'a Matrix) -> Vec<(&'a str, &'a str, Vec<Right>)> { old.keys().map(|k| (k.as_str(), k.as_str(), vec![Right::Read])).collect() }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut matrix: Matrix = BTreeMap::new();
    matrix.entry("a".to_string()).or_default();
    let before = matrix.clone();
    let changes = diff(&before, &matrix);
    if changes.is_empty() { return Ok("nothing changed".into()); }
    let mut applied = 0;
    for (role, res, added) in &changes {
        if sure(&cx, &format!("grant on {res} to {role}?")).await? { t.effect((role, res, added)); applied += added.len(); }
    }
    let empty = matrix.values().filter(|r| r.is_empty()).count();
    Ok(format!("{applied} {empty}"))
}

}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(of_three::run, of_two::run, of_maps::run);
