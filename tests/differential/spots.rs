//! Items without serde that are found in a state, in a table, or in what is lent: they are found again by where they were.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Arc, LazyLock},
};

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Case, Failure, Trace,
    answers::{Count, Text},
};

type Result<T, E = Failure> = std::result::Result<T, E>;
type Context = RequestContext<RoleServer>;

#[derive(Debug)]
struct Plan {
    name: String,
    seats: i64,
    tags: Vec<String>,
}

struct Inner {
    rows: Vec<Plan>,
    map: HashMap<String, Vec<Plan>>,
}

struct Desk {
    plans: Vec<Plan>,
    extra: BTreeMap<String, Plan>,
    by: HashMap<u32, Plan>,
    main: Plan,
    tag: Option<Plan>,
    ring: VecDeque<Plan>,
    boxed: Box<[Plan]>,
    shared: Arc<Vec<Plan>>,
    inner: Inner,
    pair: [Plan; 2],
}

fn plan(name: &str, seats: i64) -> Plan {
    Plan {
        name: name.to_owned(),
        seats,
        tags: vec![name.to_uppercase()],
    }
}

static DESK: LazyLock<Desk> = LazyLock::new(|| Desk {
    plans: vec![plan("free", 1), plan("alpha", 7), plan("pro", 3)],
    extra: [
        ("alpha".to_owned(), plan("x", 9)),
        (String::new(), plan("y", 4)),
    ]
    .into(),
    by: [(2, plan("two", 2)), (0, plan("zero", 0))].into(),
    main: plan("main", 2),
    tag: Some(plan("tag", 5)),
    ring: [plan("r", 1), plan("s", 2)].into(),
    boxed: vec![plan("b", 3)].into(),
    shared: Arc::new(vec![plan("c", 8), plan("d", 9)]),
    inner: Inner {
        rows: vec![plan("i", 1), plan("j", 2)],
        map: [("alpha".to_owned(), vec![plan("k", 3), plan("l", 4)])].into(),
    },
    pair: [plan("m", 1), plan("n", 2)],
});

/// Without `Debug`.
struct Row {
    name: &'static str,
    seats: i64,
}

const ROWS: &[Row] = &[
    Row {
        name: "free",
        seats: 1,
    },
    Row {
        name: "alpha",
        seats: 7,
    },
];

static TABLE: [Row; 2] = [
    Row {
        name: "one",
        seats: 4,
    },
    Row {
        name: "alpha",
        seats: 6,
    },
];

const OTHER: Row = Row {
    name: "other",
    seats: 9,
};

impl Row {
    const ALL: [Row; 2] = [
        Row {
            name: "be",
            seats: 1,
        },
        Row {
            name: "alpha",
            seats: 2,
        },
    ];
}

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            pub struct Server(&'static Desk);

            $(#[$mark])?
            async fn num(cx: &Context) -> Result<i64> { Ok(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n)) }
            $(#[$mark])?
            async fn text(cx: &Context) -> Result<String> { Ok(cx.peer.elicit::<Text>("t?").await?.map_or_else(String::new, |c| c.text)) }
            $(#[$mark])?
            async fn pick(cx: &Context, plan: &Plan) -> Result<i64> { let n = num(cx).await?; Ok(n * plan.seats) }

            impl Server {
                $(#[$mark])?
                async fn once(&self, cx: &Context, t: &Trace) -> Result<String> {
                    let (w, n) = (text(cx).await?, num(cx).await?);
                    let a = self.0.ring.iter().rev().find(|p| p.seats < n);
                    let b = self.0.boxed.first();
                    let c = self.0.shared.iter().max_by_key(|p| p.seats).unwrap();
                    let d = self.0.inner.rows.iter().min_by(|a, b| a.seats.cmp(&b.seats)).unwrap();
                    let e = self.0.by.get(&(n as u32));
                    let g = self.0.inner.map.get(&w);
                    let h = self.0.pair.iter().skip(1).next().unwrap();
                    let k = self.0.extra.values().last().unwrap();
                    let m = self.0.extra.iter().next().unwrap();
                    let o = self.0.tag.as_ref().filter(|p| p.seats > n).unwrap_or(&self.0.main);
                    let q = self.0.plans.iter().filter(|p| p.seats > 1).collect::<Vec<_>>();
                    let r: Vec<&Plan> = self.0.plans.iter().rev().take(2).collect();
                    let (at, s) = self.0.plans.iter().enumerate().find(|(_, p)| p.seats > 1).unwrap();
                    let x = num(cx).await?;
                    t.effect((a.map(|p| &p.name), b.map(|p| &p.name), &c.name, &d.tags, e.map(|p| p.seats)));
                    let y = num(cx).await?;
                    Ok(format!("{} {} {} {} {} {} {q:?} {r:?} {x} {y} {at} {}", g.is_some(), h.name, k.name, m.0, m.1.name, o.name, s.name))
                }
                $(#[$mark])?
                async fn often(&self, cx: &Context, t: &Trace) -> Result<String> {
                    let mut total = 0;
                    for i in 0..3 {
                        let n = num(cx).await?;
                        let Some(plan) = self.0.plans.iter().find(|p| p.seats > n + i) else { t.effect("none"); continue };
                        let more = num(cx).await?;
                        total += plan.seats * more;
                        if let Some(e) = self.0.by.get(&(more as u32)) { total += num(cx).await? + e.seats; }
                        else if let Some(other) = self.0.plans.get(more as usize) { total += num(cx).await? * other.seats; }
                        while let Some(p) = self.0.plans.iter().find(|p| p.seats == total) { total += num(cx).await? + p.seats + 1; }
                    }
                    let best = self.0.plans.iter().max_by_key(|p| p.seats).unwrap();
                    Ok(format!("{total} {} {}", pick(cx, best).await?, pick(cx, best).await?))
                }
                $(#[$mark])?
                async fn chosen(&self, cx: &Context, t: &Trace) -> Result<String> {
                    let w = text(cx).await?;
                    let plans = &self.0.plans;
                    let mut seen = 0;
                    let first = plans.iter().find(|p| { seen += 1; t.effect(&p.name); p.seats > 2 }).ok_or_else(|| Failure("none".to_owned()))?;
                    let kind = match plans.iter().find(|p| p.name == w) {
                        Some(Plan { seats, tags, .. }) if *seats > 3 => { let n = num(cx).await?; format!("{seats} {tags:?} {n}") }
                        Some(p) => { let n = num(cx).await?; format!("{} {n}", p.name) }
                        None => { t.effect("none"); "none".to_owned() }
                    };
                    let n = num(cx).await?;
                    let price = plans.iter().find(|p| p.name == w).map(|p| p.seats).unwrap_or(n);
                    let m = num(cx).await?;
                    Ok(format!("{kind} {price} {n} {m} {} {seen}", first.name))
                }
            }

            $(#[$mark])?
            pub async fn in_a_state(cx: Context, t: &Trace) -> Result<String> { Server(&DESK).once(&cx, t).await }
            $(#[$mark])?
            pub async fn in_loops(cx: Context, t: &Trace) -> Result<String> { Server(&DESK).often(&cx, t).await }
            $(#[$mark])?
            pub async fn by_patterns(cx: Context, t: &Trace) -> Result<String> { Server(&DESK).chosen(&cx, t).await }
            $(#[$mark])?
            pub async fn in_tables(cx: Context, t: &Trace) -> Result<String> {
                let w = text(&cx).await?;
                let row = ROWS.iter().find(|row| row.name == w);
                let Some(other) = TABLE.iter().find(|row| row.name == w) else { return Ok(format!("{:?}", row.map(|row| row.name))) };
                let third = Row::ALL.iter().find(|row| row.name.starts_with(&w)).ok_or_else(|| Failure(w.clone()))?;
                let n = num(&cx).await?;
                let fourth = ROWS.get(n as usize).unwrap_or(&ROWS[0]);
                let fifth = ROWS.iter().find(|row| row.seats == n).unwrap_or(&OTHER);
                let all = ROWS.iter().filter(|row| row.seats > n).collect::<Vec<_>>();
                let m = num(&cx).await?;
                t.effect(row.map_or(0, |row| row.seats));
                t.effect(all.len());
                Ok(format!("{n} {m} {} {} {} {}", other.seats, third.seats, fourth.name, fifth.name))
            }
            $(#[$mark])?
            pub async fn or_else(cx: Context, t: &Trace) -> Result<String> {
                let n = num(&cx).await?;
                let a = ROWS.get(n.rem_euclid(3) as usize).unwrap_or(&OTHER);
                let b = match TABLE.get(t.effect(n) as usize) { Some(row) => row, None => &ROWS[0] };
                let c = if n > 2 { &TABLE[1] } else { ROWS.first().unwrap() };
                let d = if let Some(row) = ROWS.iter().find(|row| row.seats == n + 1) { row } else { t.effect("other"); &OTHER };
                let e = if let Some(row) = ROWS.iter().find(|row| row.seats == n + 1) { row } else { &OTHER };
                let f = TABLE.iter().find(|row| row.seats == n).or_else(|| { TABLE.last() }).unwrap();
                let g = TABLE.iter().find(|row| row.seats == n).or(ROWS.first());
                let (at, h) = ROWS.iter().enumerate().find(|(_, row)| row.seats == n + 1).unwrap_or((7, &OTHER));
                let i = match n { 0 => None, 1 => Some(&TABLE[0]), _ => TABLE.iter().rev().find(|row| row.seats > n) };
                let j = match ROWS.iter().find(|row| row.seats > n) { Some(row) => row, None => return Ok("none".to_owned()) };
                if let Some(row) = ROWS.iter().filter(|row| row.seats > n).last() { t.effect(num(&cx).await?); t.effect(row.name); }
                match TABLE.iter().filter(|row| row.seats > n).last() { Some(row) => { t.effect(num(&cx).await?); t.effect(row.name); } None => {} }
                let m = num(&cx).await?;
                t.effect((a.name, b.name, c.name, d.name, e.name, f.name, g.map(|row| row.name), h.name, i.map(|row| row.seats)));
                t.effect(std::ptr::eq(b, &TABLE[0]) || std::ptr::eq(c, &TABLE[1]));
                let o = num(&cx).await?;
                Ok(format!("{m} {o} {at} {} {} {}", a.seats, b.seats, j.name))
            }
            $(#[$mark])?
            async fn or_else_lent(desk: &Desk, plans: &[Plan], cx: &Context) -> Result<String> {
                let n = num(cx).await?;
                let a = desk.plans.iter().find(|p| p.seats == n).or_else(|| desk.ring.front()).unwrap();
                let b = match desk.by.get(&(n as u32)) { Some(p) => p, None => &desk.main };
                let c = if n > 2 { &plans[0] } else { desk.plans.last().unwrap() };
                let d = desk.tag.as_ref().filter(|p| p.seats > n).or_else(|| plans.iter().find(|p| p.seats == n)).unwrap_or_else(|| &desk.main);
                let m = num(cx).await?;
                Ok(format!("{m} {} {} {} {}", a.name, b.name, c.name, d.name))
            }
            $(#[$mark])?
            pub async fn or_else_in_what_is_lent(cx: Context, _: &Trace) -> Result<String> { or_else_lent(&DESK, &DESK.plans, &cx).await }
            $(#[$mark])?
            async fn lent(desk: &Desk, plans: &[Plan], cx: &Context) -> Result<String> {
                let plan = desk.plans.iter().find(|p| p.seats > 2).unwrap();
                let other = plans.iter().rfind(|p| p.seats > 2).unwrap();
                let n = num(cx).await?;
                Ok(format!("{} {n} {}", plan.name, other.name))
            }
            $(#[$mark])?
            pub async fn in_what_is_lent(cx: Context, _: &Trace) -> Result<String> { lent(&DESK, &DESK.plans, &cx).await }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    in_a_state,
    in_loops,
    by_patterns,
    in_tables,
    in_what_is_lent,
    or_else,
    or_else_in_what_is_lent
);
