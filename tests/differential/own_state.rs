//! State that changes behind a shared reference, where it has one owner, or is used where it is.

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
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

pub mod owned {
use super::*;
use std::sync::Mutex;
#[derive(Serialize, Deserialize, Debug)] struct H { n: Mutex<Vec<i64>>, all: Vec<Mutex<i64>>, o: Option<Box<Mutex<u8>>> , m: std::collections::BTreeMap<String, Mutex<u8>> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let a = H { n: Default::default(), all: vec![Mutex::new(1)], o: Some(Box::new(Mutex::new(3))), m: [("a".to_string(), Mutex::new(9))].into() }; sure(&cx, "q").await?; a.n.lock().unwrap().push(1); *a.all[0].lock().unwrap() += 4; sure(&cx, "r").await?; Ok(format!("{a:?}")) }

}
pub mod place {
use super::*;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
#[derive(Serialize, Deserialize, Debug)] struct H { n: AtomicI64 }
$(#[$mark])?
async fn add(cx: &Context, h: &H) -> Result<(), Failure> { sure(cx, "q").await?; h.n.fetch_add(1, SeqCst); sure(cx, "s").await?; Ok(()) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let a = H { n: 0.into() }; let p = &a; add(&cx, p).await?; add(&cx, &a).await?; p.n.fetch_add(1, SeqCst); Ok(format!("{a:?}")) }

}
pub mod plain_behind_arcs {
use super::*;
use std::sync::Arc;
#[derive(Clone, Serialize, Deserialize, Debug)] struct H { n: Arc<Vec<String>> , k: Vec<Arc<str>>, e: E }
#[derive(Clone, Serialize, Deserialize, Debug)] enum E { A(Arc<E>), B { x: Arc<u8> }, C }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let a = H { n: Arc::new(vec!["a".into()]), k: vec!["a".into()], e: E::A(Arc::new(E::B { x: 1.into() })) }; let b = a.clone(); sure(&cx, "q").await?; Ok(format!("{b:?}{a:?}")) }

}
pub mod items {
use super::*;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
#[derive(Serialize, Deserialize, Debug)] struct H { n: AtomicI64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let list = vec![H { n: 0.into() }, H { n: 3.into() }]; let mut out = 0; for h in list { sure(&cx, "q").await?; h.n.fetch_add(1, SeqCst); out += h.n.load(SeqCst); } Ok(format!("{out}")) }

}
pub mod each_lent {
use super::*;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
#[derive(Serialize, Deserialize, Debug)] struct H { n: AtomicI64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let list = vec![H { n: 0.into() }, H { n: 3.into() }]; for h in list.iter().filter(|h| h.n.load(SeqCst) < 9) { sure(&cx, "q").await?; h.n.fetch_add(1, SeqCst); } for h in &list { sure(&cx, "q").await?; h.n.fetch_add(1, SeqCst); } Ok(format!("{list:?}")) }

}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    owned::run,
    place::run,
    plain_behind_arcs::run,
    items::run,
    each_lent::run
);
