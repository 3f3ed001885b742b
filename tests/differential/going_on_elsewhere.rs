//! Futures of what goes on elsewhere, which what has the client's handle may give.

use rmcp::{Peer, RoleServer, service::RequestContext};
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

pub mod spawned {
use super::*;
async fn watch(peer: Peer<RoleServer>, n: i64) -> i64 { let _ = peer.is_transport_closed(); n + 1 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let task = tokio::spawn(watch(cx.peer.clone(), first));
    t.note("begun");
    let watched = task.await?;
    t.effect(watched);
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{first} {watched} {ok}"))
}

}

pub mod sent {
use super::*;
fn opened(cx: &Context) -> (tokio::sync::oneshot::Sender<i64>, tokio::sync::oneshot::Receiver<i64>) {
    let _ = cx.peer.is_transport_closed();
    tokio::sync::oneshot::channel()
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let (sender, receiver) = opened(&cx);
    t.note("opened");
    let _ = sender.send(first + 1);
    let got = receiver.await?;
    t.effect(got);
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{first} {got} {ok}"))
}

}

pub mod receiver_by_a_cell {
use super::*;
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct State { n: std::cell::Cell<usize> }
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Desk { name: String }
impl Desk {
    $(#[$mark])?
    async fn ask(&self, cx: &Context, t: &Trace, n: i64) -> Result<i64, Failure> { let more = num(cx, "more").await?; t.effect((&self.name, more, n)); Ok(more + n) }
}
fn bump(at: &State) -> i64 { at.n.set(1); 5 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let desks = vec![Desk { name: "a".to_owned() }, Desk { name: "b".to_owned() }];
    let at = State { n: std::cell::Cell::new(0usize) };
    let got = desks[at.n.get()].ask(&cx, t, bump(&at)).await?;
    t.effect((first, got, at.n.get()));
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{first} {got} {ok} {}", at.n.get()))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(spawned::run, sent::run, receiver_by_a_cell::run);
