//! Methods that take `self` by value, and move it.

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count},
};

type Result<T, E = Failure> = std::result::Result<T, E>;

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            #[derive(Debug, Clone, Serialize, Deserialize)]
            struct Order {
                version: Option<String>,
                items: Vec<i64>,
                force: bool,
            }

            #[derive(Debug, Clone, Serialize, Deserialize)]
            enum Choice { All { names: Vec<String> }, None }

            #[async_trait::async_trait]
            trait Run: Sized {
                async fn run(self, cx: &RequestContext<RoleServer>, t: &Trace) -> Result<String>;
            }

            #[async_trait::async_trait]
            impl Run for Choice {
                $(#[$mark])?
                async fn run(self, cx: &RequestContext<RoleServer>, t: &Trace) -> Result<String> {
                    match self {
                        Self::All { names } => {
                            for name in names {
                                t.effect((&name, cx.peer.elicit::<Confirm>(name.as_str()).await?.map(|c| c.ok)));
                            }
                            Ok("all".into())
                        }
                        Self::None => Ok("none".into()),
                    }
                }
            }

            impl Order {
                $(#[$mark])?
                async fn part(self, cx: &RequestContext<RoleServer>, t: &Trace) -> Result<String> {
                    let version = self.version.unwrap_or_default();
                    let n = cx.peer.elicit::<Count>(format!("{version}?")).await?.ok_or("none")?.n;
                    t.effect((self.force, &self.items));
                    Ok(format!("{version}{n}{}", self.items.len()))
                }

                $(#[$mark])?
                async fn taken_apart(self, cx: &RequestContext<RoleServer>, t: &Trace) -> Result<String> {
                    let Self { version, mut items, .. } = self;
                    items.push(cx.peer.elicit::<Count>("more?").await?.ok_or("none")?.n);
                    for item in items {
                        t.effect((item, cx.peer.elicit::<Confirm>(format!("{item}?")).await?.map(|c| c.ok)));
                    }
                    Ok(format!("{version:?}"))
                }

                $(#[$mark])?
                async fn changed(mut self, cx: &RequestContext<RoleServer>, t: &Trace) -> Result<Self> {
                    self.items.push(t.effect(self.items.len() as i64));
                    let n = cx.peer.elicit::<Count>(format!("{self:?}")).await?.ok_or("none")?.n;
                    self.items.push(n);
                    self.force = !self.force;
                    t.note(&format!("{self:?}"));
                    Ok(self)
                }
            }

            fn order() -> Order {
                Order { version: Some("v1".into()), items: vec![1, 2], force: false }
            }

            $(#[$mark])?
            pub(super) async fn all(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String> {
                let a = order().part(&cx, t).await?;
                let b = order().taken_apart(&cx, t).await?;
                let c = order().changed(&cx, t).await?;
                let d = Order::changed(c, &cx, t).await?;
                let e = Choice::All { names: vec!["x".into(), "y".into()] }.run(&cx, t).await?;
                Ok(format!("{a} {b} {d:?} {e}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

pub(super) fn all() -> Vec<Case> {
    vec![Case {
        name: "by_value",
        plain: |cx, t| Box::pin(plain::all(cx, t)),
        saga: |cx, t| Box::pin(saga::all(cx, t)),
    }]
}
