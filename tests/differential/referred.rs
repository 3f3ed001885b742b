//! What is referred to behind std's pointers, whatever it is.

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

pub mod by_pointers {
use super::*;
pub trait Exec: Send + Sync { fn name(&self, n: i64) -> String; }
struct Real(i64);
impl Exec for Real { fn name(&self, n: i64) -> String { format!("real {}", self.0 + n) } }
pub struct Zot { polls: i64 }
pub struct Server { exec: std::sync::Arc<dyn Exec>, boxed: Box<dyn Exec>, zot: Option<std::sync::Arc<Zot>>, z: std::sync::Arc<Zot> }
impl Server {
    $(#[$mark])?
    async fn work(&self, cx: &Context, exec: &dyn Exec, zot: Option<&Zot>) -> Result<String, Failure> {
        let n = num(cx, "n").await?;
        Ok(format!("{} {:?}", exec.name(n), zot.map(|z| z.polls)))
    }
    $(#[$mark])?
    async fn tool(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let a = self.work(&cx, self.exec.as_ref(), self.zot.as_deref()).await?;
        let exec = self.boxed.as_ref();
        let zot = self.zot.as_ref();
        t.note(&format!("{}", zot.is_some()));
        let z: &Zot = self.z.as_ref();
        let b = self.work(&cx, exec, self.zot.as_deref()).await?;
        let c = self.work(&cx, &*self.exec, Some(z)).await?;
        let n = num(&cx, "last").await?;
        Ok(format!("{a} {b} {c} {n} {} {:?}", exec.name(1), zot.map(|z| z.polls)))
    }
}
static SERVER: std::sync::LazyLock<Server> = std::sync::LazyLock::new(|| Server { exec: std::sync::Arc::new(Real(1)), boxed: Box::new(Real(2)), zot: Some(std::sync::Arc::new(Zot { polls: 3 })), z: std::sync::Arc::new(Zot { polls: 4 }) });
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    SERVER.tool(cx, t).await
}
}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(by_pointers::run);
