//! What something is looked up by: in an item of a loop, which does not hold it, or lent by what is given away meanwhile.

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

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Step { name: String, at: usize, left: bool, by: i64 }

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Cut { at: usize }

fn steps_of(n: i64) -> Vec<Step> {
    vec![
        Step { name: "a".to_string(), at: 0, left: true, by: n },
        Step { name: "b".to_string(), at: 1, left: false, by: 5 },
    ]
}

pub mod by_an_item {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut steps = steps_of(first);
    let mut rows = vec![10, 20];
    for step in steps.iter() {
        if step.by > -5 {
            let row = rows.get_mut(step.at).ok_or("no such row")?;
            *row += step.by;
            steps[0].at = 1;
            let ok = sure(&cx, "ok").await?;
            *row += 100;
            t.effect((*row, ok));
            break;
        }
    }
    t.effect((&rows, &steps));
    Ok(format!("{rows:?}"))
}

}

pub mod cut_by_an_item {
use super::*;
$(#[$mark])?
async fn walk(cx: &Context, t: &Trace, names: &[String], steps: &mut Vec<Step>) -> Result<i64, Failure> {
    for step in steps.iter() {
        if step.by > -5 {
            let rest = &names[step.at..];
            steps[0].at = 1;
            let more = num(cx, "more").await?;
            t.effect((rest, more));
            return Ok(more);
        }
    }
    Ok(-3)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let names = vec!["zero".to_string(), "one".to_string()];
    let mut steps = steps_of(first);
    let more = walk(&cx, t, &names, &mut steps).await?;
    t.effect((more, &steps, &names));
    Ok(format!("{more}"))
}

}

pub mod chosen_by_an_item {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut steps = steps_of(first);
    let mut left = vec![first];
    let mut right = vec![9];
    for step in steps.iter() {
        if step.by > -5 {
            let side = if step.left { &mut left } else { &mut right };
            side.push(1);
            steps[0].left = false;
            let ok = sure(&cx, "ok").await?;
            side.push(2);
            t.effect((&*side, ok));
            break;
        }
    }
    t.effect((&left, &right, &steps));
    Ok(format!("{left:?} {right:?}"))
}

}

pub mod by_a_name_in_an_item {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut steps = steps_of(first);
    let mut counts = std::collections::BTreeMap::from([("a".to_string(), 10), ("b".to_string(), 20)]);
    for step in steps.iter() {
        if step.by > -5 {
            let count = counts.get_mut(&step.name).ok_or("no such count")?;
            *count += step.by;
            steps[0].name = "b".to_string();
            let ok = sure(&cx, "ok").await?;
            *count += 100;
            t.effect((*count, ok));
            break;
        }
    }
    t.effect((&counts, &steps));
    Ok(format!("{counts:?}"))
}

}

pub mod by_a_key {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut stock = std::collections::BTreeMap::from([("tea".to_string(), 10i64), ("cup".to_string(), 20)]);
    let mut keys = vec!["tea".to_string(), "cup".to_string()];
    for key in &keys {
        let Some(left) = stock.get_mut(key) else { continue };
        keys[0] = "cup".to_string();
        let more = num(&cx, "more").await?;
        *left += more;
        t.effect((*left, more));
        break;
    }
    let ok = sure(&cx, "ok").await?;
    t.effect((&stock, &keys, ok));
    Ok(format!("{stock:?} {keys:?}"))
}

}

pub mod by_a_field {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Job { key: String, by: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut jobs = vec![Job { key: "a".to_string(), by: 1 }, Job { key: "b".to_string(), by: first }];
    let mut sums = std::collections::BTreeMap::from([("a".to_string(), 1i64), ("b".to_string(), 2)]);
    for job in jobs.iter() {
        let by = job.by;
        let Some(sum) = sums.get_mut(&job.key) else { continue };
        jobs[0].key.push_str("-done");
        let more = num(&cx, "more").await?;
        *sum += more + by;
        t.effect(*sum);
        break;
    }
    t.effect((&sums, &jobs));
    Ok(format!("{sums:?}"))
}

}

pub mod by_a_pair {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut orders = vec![("ann".to_string(), 1i64), ("bob".to_string(), 2)];
    let mut paid = std::collections::BTreeMap::from([("ann".to_string(), 0i64), ("bob".to_string(), 0)]);
    for (name, amount) in &orders {
        let amount = *amount;
        if let Some(sum) = paid.get_mut(name) {
            orders[0] = ("bob".to_string(), 7);
            *sum += amount;
            let tip = num(&cx, "tip").await?;
            *sum += tip;
            t.effect((*sum, tip));
            break;
        }
    }
    let ok = sure(&cx, "ok").await?;
    t.effect((&paid, &orders, ok));
    Ok(format!("{paid:?}"))
}

}

pub mod split {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut list = vec![1i64, 2, 3, 4, 5];
    let mut cuts = vec![Cut { at: 1 }, Cut { at: 3 }];
    for cut in &cuts {
        let (head, tail) = list.split_at_mut(cut.at);
        cuts[0].at = 4;
        let more = num(&cx, "more").await?;
        tail[0] += more;
        t.effect((head.len(), tail.len(), tail[0]));
        break;
    }
    let ok = sure(&cx, "ok").await?;
    t.effect((&list, &cuts, ok));
    Ok(format!("{list:?}"))
}

}

pub mod split_text {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Format { mark: char }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let line = String::from("a,b;c,d;e");
    let mut formats = vec![Format { mark: ',' }, Format { mark: '|' }];
    let mut sum = 0;
    for form in &formats {
        for part in line.split(form.mark) {
            formats[0].mark = ';';
            let n = num(&cx, "n").await?;
            sum += n;
            t.effect((part, n));
        }
        break;
    }
    t.effect((sum, &formats));
    Ok(format!("{sum}"))
}

}

pub mod numbered {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut list = vec![1i64, 2, 3];
    let mut cuts = vec![Cut { at: 7 }, Cut { at: 0 }, Cut { at: 2 }];
    for (i, cut) in cuts.iter().enumerate() {
        let Some(item) = list.get_mut(cut.at) else { t.effect(i); continue };
        cuts[i].at = 2;
        let more = num(&cx, "more").await?;
        *item += more;
        t.effect((i, *item));
        break;
    }
    t.effect((&list, &cuts));
    Ok(format!("{list:?}"))
}

}

pub mod by_as_str {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let mut stock = std::collections::BTreeMap::from([(name.clone(), 3i64), ("other".to_string(), 4)]);
    let mut names: Vec<String> = Vec::new();
    let Some(left) = stock.get_mut(name.as_str()) else { return Ok("none".to_string()) };
    names.push(name);
    let more = num(&cx, "more").await?;
    *left += more;
    t.effect((*left, &names));
    t.effect(&stock);
    Ok(format!("{stock:?} {names:?}"))
}

}

pub mod in_a_document {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let key = text(&cx, "key").await?;
    let mut doc = serde_json::json!({ "plan": { "n": 1 } });
    let mut touched: Vec<String> = Vec::new();
    let entry = &mut doc[key.as_str()];
    touched.push(key);
    let n = num(&cx, "n").await?;
    *entry = serde_json::json!(n);
    t.effect((&touched, n));
    t.effect(doc.to_string());
    Ok(doc.to_string())
}

}

pub mod in_a_loop {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = text(&cx, "first").await?;
    let mut stock = std::collections::BTreeMap::from([(first.clone(), 3i64), ("cup".to_string(), 4)]);
    let (mut done, mut missing): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for name in vec![first, "pot".to_string(), "cup".to_string()] {
        let Some(left) = stock.get_mut(name.as_str()) else {
            missing.push(name);
            continue;
        };
        done.push(name);
        let taken = num(&cx, "taken").await?;
        *left -= taken;
        t.effect(*left);
    }
    t.effect((&stock, &done, &missing));
    Ok(format!("{stock:?} {done:?} {missing:?}"))
}

}

pub mod by_a_slice {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let mut counts = std::collections::HashMap::from([(name.clone(), 1i64)]);
    let mut log = Vec::new();
    if let Some(count) = counts.get_mut(&name[..]) {
        log.push(name);
        let more = num(&cx, "more").await?;
        *count += more;
        t.effect((*count, &log));
    }
    let total: i64 = counts.values().sum();
    t.effect(total);
    Ok(format!("{total} {log:?}"))
}

}

pub mod by_a_lent_field {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Order { name: String, n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut order = Order { name: text(&cx, "name").await?, n: 1 };
    let mut stock = std::collections::BTreeMap::from([(order.name.clone(), 5i64)]);
    let Some(left) = stock.get_mut(order.name.as_str()) else { return Ok("none".to_string()) };
    order.name = format!("{}!", order.name);
    let taken = num(&cx, "taken").await?;
    *left -= taken;
    t.effect((*left, &order));
    t.effect(&stock);
    Ok(format!("{stock:?} {}", order.n))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    by_an_item::run,
    cut_by_an_item::run,
    chosen_by_an_item::run,
    by_a_name_in_an_item::run,
    by_a_key::run,
    by_a_field::run,
    by_a_pair::run,
    split::run,
    split_text::run,
    numbered::run,
    by_as_str::run,
    in_a_document::run,
    in_a_loop::run,
    by_a_slice::run,
    by_a_lent_field::run
);
