//! Patterns on a field whose variable stays whole, of types without `Clone` and with it.

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count},
};

type Context = RequestContext<RoleServer>;

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            /// Without `Clone`: its bindings are copied.
            enum Room {
                Hall(i64),
                Office { desks: i64, name: &'static str },
                Pair(i64, Option<i64>),
                Lab,
            }

            /// With it: the whole is.
            #[derive(Clone)]
            enum Named {
                By(String),
                Both(String, i64),
                Nobody,
            }

            struct Plan {
                room: Room,
                next: Option<i64>,
                named: Named,
                name: String,
            }

            struct Deep {
                plan: Plan,
                n: i64,
            }

            fn plan(room: Room) -> Plan {
                Plan {
                    room,
                    next: Some(3),
                    named: Named::By("ada".into()),
                    name: "p".into(),
                }
            }

            $(#[$mark])?
            async fn sure(cx: &Context, question: &str) -> Result<bool, Failure> {
                Ok(cx.peer.elicit::<Confirm>(question).await?.is_some_and(|answer| answer.ok))
            }

            $(#[$mark])?
            async fn number(cx: &Context) -> Result<i64, Failure> {
                Ok(cx.peer.elicit::<Count>("how many?").await?.map_or(0, |answer| answer.n))
            }

            /// A `match` whose arm asks.
            $(#[$mark])?
            pub async fn looked_01(cx: Context, t: &Trace) -> Result<String, Failure> {
                let p = Plan { room: Room::Hall(3), next: None, named: Named::Nobody, name: "a".into() };
                match p.room {
                    Room::Hall(n) => {
                        if sure(&cx, "big?").await? {
                            t.effect(n);
                        }
                    }
                    Room::Office { desks, .. } => {
                        t.effect(desks);
                    }
                    Room::Pair(..) | Room::Lab => {}
                }
                let more = number(&cx).await?;
                Ok(format!("{} {more} {}", p.name, p.next.is_some()))
            }

            /// `if let` with an `else if let`, and a `mut` binding.
            $(#[$mark])?
            pub async fn looked_02(cx: Context, t: &Trace) -> Result<String, Failure> {
                let p = Plan { room: Room::Pair(1, Some(4)), next: Some(2), named: Named::Both("x".into(), 2), name: "b".into() };
                let mut all = 0;
                if let Room::Hall(n) = p.room {
                    all += n;
                } else if let Room::Pair(mut a, Some(b)) = p.room {
                    a += b;
                    if sure(&cx, "add?").await? {
                        a += number(&cx).await?;
                    }
                    all += t.effect(a);
                }
                if let Named::Both(name, n) = p.named {
                    all += n + name.len() as i64;
                    all += number(&cx).await?;
                }
                Ok(format!("{all} {} {:?}", p.name, p.next))
            }

            /// `let … else`, whose `else` asks.
            $(#[$mark])?
            pub async fn looked_03(cx: Context, t: &Trace) -> Result<String, Failure> {
                let hall = sure(&cx, "hall?").await?;
                let p = Plan { room: if hall { Room::Hall(2) } else { Room::Lab }, next: None, named: Named::Nobody, name: "c".into() };
                let Room::Hall(mut n) = p.room else {
                    let n = number(&cx).await?;
                    return Ok(format!("{} {n}", p.name));
                };
                n += number(&cx).await?;
                let Room::Hall(again) = p.room else { return Ok("never".into()) };
                Ok(format!("{} {n} {again} {}", p.name, t.effect(sure(&cx, "end?").await?)))
            }

            /// A value of it in one block, used behind an ask.
            $(#[$mark])?
            pub async fn looked_04(cx: Context, t: &Trace) -> Result<String, Failure> {
                let p = Plan { room: Room::Office { desks: 4, name: "north" }, next: Some(1), named: Named::By("n".into()), name: "d".into() };
                let (n, name) = match p.room {
                    Room::Office { desks: mut n, name } if n > 3 => {
                        n += 1;
                        (n, name)
                    }
                    Room::Office { desks, name } => (desks, name),
                    Room::Hall(n) | Room::Pair(n, _) => (n, "hall"),
                    Room::Lab => (0, "lab"),
                };
                let by = match p.named {
                    Named::By(by) | Named::Both(by, _) => by,
                    Named::Nobody => String::new(),
                };
                let more = number(&cx).await?;
                Ok(format!("{n} {name} {by} {more} {} {}", p.name, p.next.unwrap_or(0)))
            }

            /// A field of a field, in a loop.
            $(#[$mark])?
            pub async fn looked_05(cx: Context, t: &Trace) -> Result<String, Failure> {
                let deep = Deep {
                    plan: Plan { room: Room::Pair(5, None), next: Some(2), named: Named::Nobody, name: "e".into() },
                    n: 2,
                };
                let mut all = Vec::new();
                for at in 0..2 {
                    match deep.plan.room {
                        Room::Pair(a, None) if at < deep.n => {
                            all.push(a + at + number(&cx).await?);
                        }
                        Room::Pair(_, some) => all.push(some.unwrap_or(0)),
                        Room::Hall(_) | Room::Office { .. } | Room::Lab => all.push(t.effect(-1)),
                    }
                    if let Some(next) = deep.plan.next {
                        all.push(next);
                    }
                }
                Ok(format!("{all:?} {} {}", deep.plan.name, deep.n))
            }

            /// In a `while let`.
            $(#[$mark])?
            pub async fn looked_06(cx: Context, t: &Trace) -> Result<String, Failure> {
                let p = Plan { room: Room::Hall(2), next: Some(2), named: Named::Nobody, name: "f".into() };
                let mut all = Vec::new();
                while let Room::Hall(n) = p.room {
                    all.push(t.effect(n));
                    if all.len() > 2 || !sure(&cx, "again?").await? {
                        break;
                    }
                }
                let more = number(&cx).await?;
                Ok(format!("{all:?} {} {more} {:?}", p.name, p.next))
            }

            /// Bindings that patterns bind with `ref`, and `@`.
            $(#[$mark])?
            pub async fn looked_07(cx: Context, t: &Trace) -> Result<String, Failure> {
                let p = Plan { room: Room::Hall(7), next: Some(2), named: Named::By("g".into()), name: "g".into() };
                let n = match p.room {
                    Room::Hall(n @ 0..=9) => n,
                    Room::Hall(ref n) => *n + 1,
                    _ => 0,
                };
                let more = number(&cx).await?;
                if let Named::By(ref by) = p.named {
                    t.effect(by);
                }
                Ok(format!("{n} {more} {}", p.name))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    looked_01, looked_02, looked_03, looked_04, looked_05, looked_06, looked_07
);
