//! Structs without serde of which a part refers to a `static` or a constant.

use std::sync::atomic::AtomicUsize;

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count, Text},
};

type Context = RequestContext<RoleServer>;

#[allow(dead_code)]
struct Ctx {
    tries: AtomicUsize,
}

static CTX: Ctx = Ctx {
    tries: AtomicUsize::new(0),
};

struct Plan {
    name: &'static str,
    steps: [u32; 2],
}

const PLAN: Plan = Plan {
    name: "p",
    steps: [1, 2],
};

mod inner {
    pub(super) static OTHER: super::Plan = super::Plan {
        name: "o",
        steps: [3, 4],
    };
}

struct Runner<'a> {
    ctx: &'a Ctx,
    plan: &'a Plan,
    other: Option<&'a Plan>,
    n: Vec<i64>,
}

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            asks!($(#[$mark])?);

pub mod beside_others {
use super::*;
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "q").await?;
    let mut runner = Runner { ctx: &CTX, plan: &PLAN, other: Some(&inner::OTHER), n: vec![n] };
    for i in 0..2 {
        let ok = sure(&cx, &format!("Sure {i}?")).await?;
        runner.n.push(i64::from(ok));
        let plan = if ok { &PLAN } else { &inner::OTHER };
        let pair = Runner { ctx: &CTX, plan, other: None, n: Vec::new() };
        let m = num(&cx, "r").await?;
        t.effect((pair.plan.name, m, std::ptr::eq(pair.ctx, &CTX)));
    }
    Ok(t.effect(format!("{:?} {} {:?} {:?}", runner.n, runner.plan.name, runner.other.map(|o| o.steps), std::ptr::eq(runner.ctx, &CTX))))
}
}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(beside_others::run);
