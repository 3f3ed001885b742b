//! What has a value, and what has none, on every path.

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count, Text},
};

type Context = RequestContext<RoleServer>;

macro_rules! set {
    ($place:ident = $value:expr) => {
        $place = $value
    };
}

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            asks!($(#[$mark])?);

pub mod in_a_loop {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let found;
    let mut k = 0;
    'search: {
        loop {
            if k > 3 {
                break 'search;
            }
            if k * 2 >= n {
                if k >= 0 {
                    found = k + 10;
                }  else {
                    break 'search;
                }
                break;
            }
            k += 1;
        }
        let ok = sure(&cx, "ok").await?;
        t.note(&format!("{found} {ok}"));
    }
    t.effect(k);
    Ok(format!("{k}"))
}

}

pub mod in_an_initializer {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let x;
    'out: {
        let y = {
            x = n + 5;
            if n < 0 {
                break 'out;
            }
            n * 2
        };
        let more = num(&cx, "more").await?;
        t.effect((y, more, x));
    }
    t.effect(x);
    Ok(format!("{x}"))
}

}

pub mod in_a_condition {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let mut total = 0;
    for k in 0..3 {
        let half;
        if { half = (n + k) / 2; half > 1 } {
            continue;
        }
        let more = num(&cx, "more").await?;
        t.effect((half, more));
        total += half + more;
    }
    t.effect(total);
    Ok(format!("{total}"))
}

}

pub mod by_a_macro {
use super::*;

$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let label;
    if n > 1 {
        set!(label = format!("many {n}"));
    } else {
        set!(label = format!("few {n}"));
    }
    let ok = sure(&cx, "ok").await?;
    t.effect((&label, ok));
    Ok(label)
}

}

pub mod given_again {
use super::*;
fn length(text: String) -> usize {
    text.len()
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut name = text(&cx, "name").await?;
    t.effect(length(name));
    let n = num(&cx, "n").await?;
    let mut tries = 0;
    loop {
        name = format!("try {tries} of {n}");
        tries += 1;
        if tries > 2 {
            break;
        }
    }
    t.effect((&name, tries));
    Ok(name)
}

}

pub mod in_branches {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut name = text(&cx, "name").await?;
    let mut log = Vec::new();
    log.push(name);
    let n = num(&cx, "n").await?;
    let level = if n > 1 {
        name = format!("many {n}");
        2
    } else {
        name = format!("few {n}");
        1
    };
    t.effect((&name, level, &log));
    Ok(format!("{name} {level} {}", log.len()))
}

}

pub mod a_reference {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let mut list = vec![3, n, 5];
    let mut best = list.iter().max();
    t.effect(best);
    list.clear();
    list.push(n + 1);
    let ok = sure(&cx, "ok").await?;
    let count = if ok {
        best = list.first();
        list.len()
    } else {
        best = None;
        0
    };
    t.effect((best, count));
    Ok(format!("{best:?} {count}"))
}

}

pub mod subtracted {
use super::*;
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Money {
    cents: i64,
    unit: String,
}
impl std::ops::Sub for Money {
    type Output = Money;
    fn sub(self, other: Money) -> Money {
        Money { cents: self.cents - other.cents, unit: self.unit }
    }
}
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Order {
    total: Money,
    off: Money,
    id: i64,
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let money = |cents: i64| Money { cents, unit: String::from("EUR") };
    let order = Order { total: money(100 + n), off: money(5), id: n };
    let due = order.total - order.off;
    let ok = sure(&cx, "ok").await?;
    t.effect((&due, order.id, ok));
    Ok(format!("{} {} {}", due.cents, due.unit, order.id))
}

}

pub mod added {
use super::*;
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Tally {
    words: Vec<String>,
}
impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.words.extend(other.words);
    }
}
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Page {
    tally: Tally,
    number: i64,
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut all = Tally::default();
    for number in 0..2i64 {
        let word = text(&cx, "word").await?;
        let page = Page { tally: Tally { words: vec![word] }, number };
        all += page.tally;
        let ok = sure(&cx, "ok").await?;
        t.effect((page.number, ok, &all));
    }
    Ok(format!("{}", all.words.join(",")))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    in_a_loop::run,
    in_an_initializer::run,
    in_a_condition::run,
    by_a_macro::run,
    given_again::run,
    in_branches::run,
    a_reference::run,
    subtracted::run,
    added::run
);
