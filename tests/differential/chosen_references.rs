//! References to one of several places, which is found again by where it leads.

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

struct Client { name: String }
impl Client { fn send(&self, t: &Trace, v: &str) { t.effect(format!("{}:{v}", self.name)); } }
fn c(n: &str) -> Client { Client { name: n.into() } }

pub mod of_a_chain {
use super::*;

struct Srv { prod: Client, staging: Client, dev: Client, spare: Option<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let n = num(&cx, "env").await?;
        let client = if n > 5 { &self.prod } else if n > 1 { &self.staging } else { &self.dev };
        client.send(t, "before");
        let v = text(&cx, "v").await?;
        client.send(t, &v);
        let v = text(&cx, "w").await?;
        client.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: c("p"), staging: c("s"), dev: c("d"), spare: Some(c("x")) });
    SRV.go(cx, t).await
}

}

pub mod of_an_arm {
use super::*;

struct Srv { prod: Client, staging: Client, dev: Client, spare: Option<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let client = match &self.spare { Some(s) => s, None => &self.prod };
        client.send(t, "before");
        let v = text(&cx, "v").await?;
        client.send(t, &v);
        let v = text(&cx, "w").await?;
        client.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: c("p"), staging: c("s"), dev: c("d"), spare: Some(c("x")) });
    SRV.go(cx, t).await
}

}

pub mod behind_effects {
use super::*;

struct Srv { prod: Client, staging: Client, dev: Client, spare: Option<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let swap = sure(&cx, "env").await?;
        let client = if swap { t.effect("prod"); &self.prod } else { let n = 3; t.effect(n); &self.dev };
        client.send(t, "before");
        let v = text(&cx, "v").await?;
        client.send(t, &v);
        let v = text(&cx, "w").await?;
        client.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: c("p"), staging: c("s"), dev: c("d"), spare: Some(c("x")) });
    SRV.go(cx, t).await
}

}

pub mod behind_a_guard {
use super::*;

struct Srv { prod: Client, staging: Client, dev: Client, spare: Option<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let n = num(&cx, "n").await?;
        let client = match &self.spare { Some(s) if n > 1 => s, _ => &self.prod };
        client.send(t, "before");
        let v = text(&cx, "v").await?;
        client.send(t, &v);
        let v = text(&cx, "w").await?;
        client.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: c("p"), staging: c("s"), dev: c("d"), spare: Some(c("x")) });
    SRV.go(cx, t).await
}

}

pub mod of_a_pattern_and_a_chain {
use super::*;

struct Srv { prod: Client, staging: Client, dev: Client, spare: Option<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let n = num(&cx, "n").await?;
        let client = if let Some(s) = &self.spare { s } else if n > 1 { &self.dev } else { &self.prod };
        client.send(t, "before");
        let v = text(&cx, "v").await?;
        client.send(t, &v);
        let v = text(&cx, "w").await?;
        client.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: c("p"), staging: c("s"), dev: c("d"), spare: Some(c("x")) });
    SRV.go(cx, t).await
}

}

pub mod through_as_ref {
use super::*;

struct Srv { prod: Client, staging: Client, dev: Client, spare: Option<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let n = num(&cx, "n").await?;
        let client = match self.spare.as_ref() { Some(s) if n > 1 => s, Some(_) => &self.dev, None => &self.prod };
        client.send(t, "before");
        let v = text(&cx, "v").await?;
        client.send(t, &v);
        let v = text(&cx, "w").await?;
        client.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: c("p"), staging: c("s"), dev: c("d"), spare: Some(c("x")) });
    SRV.go(cx, t).await
}

}

pub mod where_a_branch_asks {
use super::*;

struct Srv { prod: Client, staging: Client, dev: Client, spare: Option<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let n = num(&cx, "n").await?;
        let client = if n > 2 { sure(&cx, "really").await?; &self.prod } else { &self.dev };
        client.send(t, "before");
        let v = text(&cx, "v").await?;
        client.send(t, &v);
        let v = text(&cx, "w").await?;
        client.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: c("p"), staging: c("s"), dev: c("d"), spare: Some(c("x")) });
    SRV.go(cx, t).await
}

}

pub mod where_heads_ask {
use super::*;

struct Srv { prod: Client, staging: Client, dev: Client, spare: Option<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let client = if sure(&cx, "really").await? { &self.prod } else if num(&cx, "n").await? > 2 { &self.staging } else { &self.dev };
        client.send(t, "before");
        let v = text(&cx, "v").await?;
        client.send(t, &v);
        let v = text(&cx, "w").await?;
        client.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: c("p"), staging: c("s"), dev: c("d"), spare: Some(c("x")) });
    SRV.go(cx, t).await
}

}

pub mod by_ref {
use super::*;

struct Srv { prod: Client, staging: Client, dev: Client, spare: Option<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let client = match self.spare { Some(ref s) => s, None => &self.prod };
        client.send(t, "before");
        let v = text(&cx, "v").await?;
        client.send(t, &v);
        let v = text(&cx, "w").await?;
        client.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: c("p"), staging: c("s"), dev: c("d"), spare: Some(c("x")) });
    SRV.go(cx, t).await
}

}

pub mod in_a_chain_of_conditions {
use super::*;

struct Srv { prod: Client, staging: Client, dev: Client, spare: Option<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let client = if let Some(s) = &self.spare && s.name != "x" { s } else { &self.prod };
        client.send(t, "before");
        let v = text(&cx, "v").await?;
        client.send(t, &v);
        let v = text(&cx, "w").await?;
        client.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: c("p"), staging: c("s"), dev: c("d"), spare: Some(c("x")) });
    SRV.go(cx, t).await
}

}

pub mod where_an_arm_asks {
use super::*;

struct Srv { prod: Client, staging: Client, dev: Client, spare: Option<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let client = match &self.spare { Some(s) => { sure(&cx, "spare?").await?; s } None => &self.prod };
        client.send(t, "before");
        let v = text(&cx, "v").await?;
        client.send(t, &v);
        let v = text(&cx, "w").await?;
        client.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: c("p"), staging: c("s"), dev: c("d"), spare: Some(c("x")) });
    SRV.go(cx, t).await
}

}

pub mod of_variants {
use super::*;
enum Kind { Two(Client, Client), One { it: Client }, No }
struct Srv { kind: Kind, dev: Client }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let n = num(&cx, "n").await?;
        let client = match &self.kind { Kind::Two(a, _) if n > 3 => a, Kind::Two(_, b) => b, Kind::One { it } => it, Kind::No => &self.dev };
        client.send(t, "before");
        let v = text(&cx, "v").await?;
        client.send(t, &v);
        let v = text(&cx, "w").await?;
        client.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { kind: Kind::Two(c("a"), c("b")), dev: c("d") });
    SRV.go(cx, t).await
}

}

pub mod of_variants_in_an_arc {
use super::*;
enum Kind { Two(Client, Client), No }
struct Srv { kind: std::sync::Arc<Kind>, dev: Client }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let n = num(&cx, "n").await?;
        let client = match self.kind.as_ref() { Kind::Two(a, _) if n > 3 => a, Kind::Two(_, b) => b, Kind::No => &self.dev };
        client.send(t, "before");
        let v = text(&cx, "v").await?;
        client.send(t, &v);
        let v = text(&cx, "w").await?;
        client.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { kind: std::sync::Arc::new(Kind::Two(c("a"), c("b"))), dev: c("d") });
    SRV.go(cx, t).await
}

}

pub mod in_an_option {
use super::*;

struct Srv { prod: Client, staging: Client, dev: Client, spare: Option<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let client = match &self.spare { Some(s) => Some(s), None if self.prod.name == "p" => Some(&self.prod), None => None };
        let n = num(&cx, "n").await?;
        if let Some(client) = client { client.send(t, "x"); }
        Ok(String::new())
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: c("p"), staging: c("s"), dev: c("d"), spare: Some(c("x")) });
    SRV.go(cx, t).await
}

}

pub mod assigned_in_an_arm {
use super::*;

struct Srv { prod: Client, staging: Client, dev: Client, spare: Option<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let n = num(&cx, "n").await?;
        let mut client = &self.prod;
        if let Some(s) = &self.spare { client = s; }
        client.send(t, "before");
        let v = text(&cx, "v").await?;
        client.send(t, &v);
        let v = text(&cx, "w").await?;
        client.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: c("p"), staging: c("s"), dev: c("d"), spare: Some(c("x")) });
    SRV.go(cx, t).await
}

}

pub mod by_breaks {
use super::*;

struct Srv { prod: Client, staging: Client, dev: Client, spare: Option<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let n = num(&cx, "n").await?;
        let client = loop {
            let k = num(&cx, "k").await?;
            if k > 2 { break &self.prod; }
            if let Some(s) = &self.spare { if k > 1 { break s; } }
            if k < 0 { break &self.dev; }
        };
        client.send(t, "before");
        let v = text(&cx, "v").await?;
        client.send(t, &v);
        let v = text(&cx, "w").await?;
        client.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: c("p"), staging: c("s"), dev: c("d"), spare: Some(c("x")) });
    SRV.go(cx, t).await
}


}

pub mod of_two_at_one_address {
use super::*;
trait Ship { fn cost(&self, w: i64) -> i64; }
struct Air; struct Sea;
impl Ship for Air { fn cost(&self, w: i64) -> i64 { w.wrapping_mul(9) } }
impl Ship for Sea { fn cost(&self, w: i64) -> i64 { w.wrapping_add(7) } }
struct Srv { air: Air, sea: Sea }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let kind = text(&cx, "kind").await?;
        let mut ship: &(dyn Ship + Sync) = &self.air;
        if kind.len() > 1 { ship = &self.sea; }
        let w = num(&cx, "w").await?;
        t.effect(ship.cost(w));
        Ok(kind)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { air: Air, sea: Sea });
    SRV.go(cx, t).await
}

}

pub mod of_two_in_a_chain {
use super::*;
trait Ship { fn cost(&self, w: i64) -> i64; }
struct Air; struct Sea;
impl Ship for Air { fn cost(&self, w: i64) -> i64 { w.wrapping_mul(9) } }
impl Ship for Sea { fn cost(&self, w: i64) -> i64 { w.wrapping_add(7) } }
struct Srv { air: Air, sea: Sea }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let kind = text(&cx, "kind").await?;
        let ship: &(dyn Ship + Sync) = if kind.len() > 2 { &self.air } else if kind.len() > 0 { &self.sea } else { return Ok("none".into()) };
        t.effect(ship.cost(2));
        let w = num(&cx, "w").await?;
        t.effect(ship.cost(w));
        Ok(kind)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { air: Air, sea: Sea });
    SRV.go(cx, t).await
}


}

pub mod of_constants {
use super::*;
struct Plan { name: &'static str, seats: i64, tags: &'static [i64] }
const PLANS: [Plan; 4] = [Plan { name: "a", seats: 1, tags: &[1] }, Plan { name: "b", seats: 2, tags: &[] }, Plan { name: "c", seats: 3, tags: &[1, 2] }, Plan { name: "d", seats: 4, tags: &[3] }];
const OTHER: Plan = Plan { name: "o", seats: 9, tags: &[9] };
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let plan = if n > 2 { &PLANS[1] } else if n > 0 { &OTHER } else { t.note("third"); &PLANS[3] };
    let v = num(&cx, "v").await?;
    t.effect((plan.name, v, plan.tags));
    let plan = match n { 1 => &PLANS[0], 2 | 3 => { t.note("two"); &PLANS[2] } _ => &OTHER };
    let v = num(&cx, "v").await?;
    t.effect((plan.seats, v));
    let k = n.rem_euclid(4) as usize;
    let plan = if v > 2 { &PLANS[k] } else { sure(&cx, "other?").await?; &OTHER };
    num(&cx, "v").await?;
    Ok(plan.name.to_string())
}

}
pub mod to_be_changed {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let (mut left, mut right) = (vec![1i64], vec![2i64]);
    let n = num(&cx, "n").await?;
    let one = if n > 2 { &mut left } else if sure(&cx, "right?").await? { t.note("right"); &mut right } else { num(&cx, "m").await?; &mut left };
    one.push(n);
    let m = num(&cx, "m").await?;
    one.push(m);
    let shown = match m { 0 => &left, 1 | 2 => { sure(&cx, "shown?").await?; &right } _ if n > 1 => &left, _ => return Ok("none".into()) };
    sure(&cx, "end").await?;
    Ok(format!("{shown:?} {left:?} {right:?}"))
}


}
pub mod beside_copies {
use super::*;
struct Srv { limit: Option<i64>, name: Option<String>, pair: (i64, String), rows: Vec<i64>, dflt: i64 }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let a = match &self.limit { &Some(n) => n, None => 3 };
        let b = match self.limit.as_ref() { Some(&n) => n, None => 3 };
        let c = match &self.limit { Some(n) => *n, None => 3 };
        let d = match self.limit { Some(n) if n > 2 => n, _ => 3 };
        let e = if let Some(&n) = self.limit.as_ref() { n } else { self.dflt };
        let f = match &self.pair { (n, _) if *n > 3 => n, _ => &self.dflt };
        let g = match &self.pair { &(n, _) => n };
        let h = match &self.name { Some(n) => n, None => "none" };
        let i = match &self.name { Some(n) => n.as_str(), None => "none" };
        let j = if let Some(ref n) = self.name { n } else { &self.pair.1 };
        let k = match (&self.name, self.limit) { (Some(n), Some(1)) => n, (None, _) => &self.pair.1, (Some(n), _) => n };
        let l = match &self.name { Some(n) if n.len() > 3 => n.clone(), _ => self.pair.1.clone() };
        let m = match &self.name { n @ Some(_) => n, None => &None };
        let o = match self.rows.first() { Some(n) => n, None => &self.dflt };
        let v = text(&cx, "v").await?;
        t.effect((a, b, c, d, e, f, g, h, i, j, k)); t.effect((l, m, o));
        Ok(v)
    }
}
static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { limit: Some(4), name: Some("abc".into()), pair: (7, "x".into()), rows: vec![8], dflt: 9 });
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { SRV.go(cx, t).await }

}
pub mod behind_an_ampersand {
use super::*;
#[derive(Debug)]
enum Kind { A(i64), B(i64, String), C(Option<i64>) }
struct Srv { kind: Kind, two: Option<Kind> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let a = match &self.kind { &Kind::A(n) if n > 3 => n, &Kind::A(n) => n, &Kind::B(n, _) if t.effect(n) > 2 => n, &Kind::B(n, _) => n, _ => return Ok("c".into()) };
        let mut b = match self.two.as_ref() { Some(&Kind::A(n)) if n > 3 => n, Some(&Kind::A(n)) => n, Some(&Kind::B(n, _)) => n, _ => return Ok("c".into()) };
        let v = text(&cx, "v").await?;
        if let &Kind::B(n, _) = &self.kind { b = n; }
        t.effect((a, b));
        text(&cx, "w").await?;
        t.effect((a, b));
        Ok(v)
    }
}
static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { kind: Kind::B(4, "x".into()), two: Some(Kind::A(5)) });
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { SRV.go(cx, t).await }


}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    of_a_chain::run,
    of_an_arm::run,
    behind_effects::run,
    behind_a_guard::run,
    of_a_pattern_and_a_chain::run,
    through_as_ref::run,
    where_a_branch_asks::run,
    where_heads_ask::run,
    by_ref::run,
    in_a_chain_of_conditions::run,
    where_an_arm_asks::run,
    of_variants::run,
    of_variants_in_an_arc::run,
    in_an_option::run,
    assigned_in_an_arm::run,
    by_breaks::run,
    of_two_at_one_address::run,
    of_two_in_a_chain::run,
    of_constants::run,
    to_be_changed::run,
    beside_copies::run,
    behind_an_ampersand::run
);
