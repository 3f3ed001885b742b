//! Methods of one's own with the names of asks, which ask by a handle that they hold.

use rmcp::{Peer, RoleServer, service::RequestContext};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count, Text},
};

type Context = RequestContext<RoleServer>;

macro_rules! text {
    ($module:ident $(#[$mark:meta], #[$own:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            asks!($(#[$mark])?);

struct Desk { peer: Peer<RoleServer>, place: String }
impl Desk {
$(#[$mark])? async fn elicit(&self, t: &Trace, question: &str) -> Result<i64, Failure> {
    t.note(question);
    Ok(self.peer.elicit::<Count>(format!("{} {question}", self.place)).await?.map_or(-1, |a| a.n))
}
}

pub mod beside_a_handle {
use super::*;
$(#[$own])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let desk = Desk { peer: cx.peer.clone(), place: String::from("desk") };
    let n = desk.elicit(t, "n").await?;
    t.effect(n);
    let sure = sure(&cx, &format!("sure {n}")).await?;
    let m = cx.peer.elicit::<Count>("m").await?.map(|a| a.n);
    let again = desk.elicit(t, "again").await?;
    Ok(format!("{n} {sure} {m:?} {again} {}", desk.place))
}
}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga], #[saga_runtime::saga(asks(elicit))]);

written_twice!(beside_a_handle::run);
