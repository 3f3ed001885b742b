//! Texts before and after an edit: a call under way goes on as it was, or is refused before a line runs.

use rmcp::{Peer, RoleServer, service::RequestContext};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count, SCRIPTS, Text},
    deploys::{Deployed, Edit, check_edit},
};

/// What becomes of calls under way.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    GoOn,
    Strand,
    /// Some points are behind the edit, others before it.
    Part,
}

/// Pairs of texts, and what becomes of the calls of the first under the second.
macro_rules! edits {
    ($($name:ident: $fate:ident $(, accepts($($accepts:tt)*))? { $(use $helpers:ident { $($before_helper:item)* } { $($after_helper:item)* })? } ($cx:ident, $t:ident) { $($before:tt)* } { $($after:tt)* })*) => {
        $(
            #[allow(warnings, clippy::all)]
            mod $name {
                pub(super) mod before {
                    use super::super::*;
                    $($($before_helper)*)?
                    #[saga_runtime::saga]
                    pub(in super::super) async fn edited($cx: RequestContext<RoleServer>, $t: &Trace) -> Result<String, Failure> { $($before)* }
                }
                pub(super) mod after {
                    use super::super::*;
                    $($($after_helper)*)?
                    #[saga_runtime::saga$((accepts($($accepts)*)))?]
                    pub(in super::super) async fn edited($cx: RequestContext<RoleServer>, $t: &Trace) -> Result<String, Failure> { $($after)* }
                }
            }
        )*
        fn all() -> Vec<(Edit, Fate)> {
            vec![$((
                Edit {
                    name: stringify!($name),
                    before: |cx, t| Box::pin($name::before::edited(cx, t)),
                    after: |cx, t| Box::pin($name::after::edited(cx, t)),
                },
                Fate::$fate,
            )),*]
        }
    };
}

#[tokio::test]
async fn a_deploy_goes_on_as_before_or_strands() {
    let mut wrong = Vec::new();
    for (edit, fate) in all() {
        let deployed = check_edit(&edit, 0..SCRIPTS).await;
        let is = match deployed {
            Deployed { on: 0, .. } => Fate::Strand,
            Deployed { stranded: 0, .. } => Fate::GoOn,
            _ => Fate::Part,
        };
        if is != fate {
            wrong.push(format!("{}: {deployed:?}, not {fate:?}", edit.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

edits! {
    before_the_question: GoOn {} (cx, t) {
        let id = t.effect(7);
        let sure = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{id} {}", sure.is_ok()))
    } {
        t.note("new");
        let id = t.effect(8) + 1;
        let sure = cx.peer.elicit::<Confirm>("really sure?").await;
        Ok(format!("{id} {}", sure.is_ok()))
    }

    after_the_question: Strand {} (cx, t) {
        let id = t.effect(7);
        let sure = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{id} {}", sure.is_ok()))
    } {
        let id = t.effect(7);
        let sure = cx.peer.elicit::<Confirm>("sure?").await;
        t.note("new");
        Ok(format!("{id} {}", sure.is_ok()))
    }

    another_branch: GoOn {} (cx, t) {
        let n = if t.effect(true) {
            cx.peer.elicit::<Count>("n").await?.map_or(0, |n| n.n)
        } else {
            t.note("else");
            cx.peer.elicit::<Count>("m").await?.map_or(1, |n| n.n)
        };
        Ok(format!("{n}"))
    } {
        let n = if t.effect(true) {
            cx.peer.elicit::<Count>("n").await?.map_or(0, |n| n.n)
        } else {
            t.note("other");
            let extra = cx.peer.elicit::<Text>("t").await?.is_some();
            cx.peer.elicit::<Count>("m").await?.map_or(1, |n| n.n + i64::from(extra))
        };
        Ok(format!("{n}"))
    }

    between_two: Part {} (cx, t) {
        let a = cx.peer.elicit::<Count>("a").await?.map_or(0, |n| n.n);
        t.effect(a);
        let b = cx.peer.elicit::<Count>("b").await?.map_or(0, |n| n.n);
        Ok(format!("{a} {b}"))
    } {
        let a = cx.peer.elicit::<Count>("a").await?.map_or(0, |n| n.n);
        t.effect(a + 1);
        let b = cx.peer.elicit::<Count>("b").await?.map_or(0, |n| n.n);
        Ok(format!("{a} {b}"))
    }

    in_a_loop: Strand {} (cx, t) {
        let mut sum = 0;
        for n in 0..2 {
            t.effect(n);
            sum += cx.peer.elicit::<Count>("n").await?.map_or(0, |n| n.n);
        }
        Ok(format!("{sum}"))
    } {
        let mut sum = 0;
        for n in 0..2 {
            t.effect(n + 1);
            sum += cx.peer.elicit::<Count>("n").await?.map_or(0, |n| n.n);
        }
        Ok(format!("{sum}"))
    }

    before_a_loop: GoOn {} (cx, t) {
        let mut sum = 0;
        for n in 0..2 {
            t.effect(n);
            sum += cx.peer.elicit::<Count>("n").await?.map_or(0, |n| n.n);
        }
        Ok(format!("{sum}"))
    } {
        let first = t.effect(5);
        t.effect(first);
        let mut sum = first;
        for n in 0..2 {
            t.effect(n);
            sum += cx.peer.elicit::<Count>("n").await?.map_or(0, |n| n.n);
        }
        Ok(format!("{sum}"))
    }

    another_type: Strand {} (cx, t) {
        let n = t.effect(5i64);
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{:?}", n + n))
    } {
        let n = t.effect(5.0f64);
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{:?}", n + n))
    }

    another_answer_inferred: Strand {} (cx, t) {
        fn shown(n: Option<Count>) -> String { format!("{n:?}") }
        let n = cx.peer.elicit("n").await?;
        Ok(shown(n))
    } {
        fn shown(n: Option<Text>) -> String { format!("{n:?}") }
        let n = cx.peer.elicit("n").await?;
        Ok(shown(n))
    }

    declared_in_another_order: GoOn {} (cx, t) {
        let a = t.effect(1);
        let b = t.effect(2);
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{}", a - b))
    } {
        let b = t.effect(2);
        let a = t.effect(1);
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{}", a - b))
    }

    names_exchanged: Strand {} (cx, t) {
        let a = t.effect(1);
        let b = t.effect(2);
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{}", a - b))
    } {
        let a = t.effect(1);
        let b = t.effect(2);
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{}", b - a))
    }

    shadows_exchanged: Strand {} (cx, t) {
        let n = t.effect(1);
        let before = n;
        {
            let n = t.effect(2);
            let _ = cx.peer.elicit::<Confirm>("sure?").await;
            t.effect(n);
        }
        Ok(format!("{n} {before}"))
    } {
        let n = t.effect(1);
        let before = n;
        {
            let n = t.effect(2);
            let _ = cx.peer.elicit::<Confirm>("sure?").await;
            t.effect(before);
        }
        Ok(format!("{n} {before}"))
    }

    one_variable_more: Strand {} (cx, t) {
        let a = t.effect(1);
        let b = t.effect(2);
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{a}"))
    } {
        let a = t.effect(1);
        let b = t.effect(2);
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{a} {b}"))
    }

    another_place: Strand {} (cx, t) {
        let pair = (t.effect(String::from("x")), String::from("y"));
        let part = &pair.0;
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{part} {pair:?}"))
    } {
        let pair = (t.effect(String::from("x")), String::from("y"));
        let part = &pair.1;
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{part} {pair:?}"))
    }

    remade_otherwise: Strand {} (cx, t) {
        #[saga(remake)]
        let made = t.effect(1);
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{made}"))
    } {
        #[saga(remake)]
        let made = t.effect(2);
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{made}"))
    }

    two_alike: Part {} (cx, t) {
        let n = if t.effect(true) {
            let v = 1u32;
            let _ = cx.peer.elicit::<Confirm>("sure?").await;
            v.to_string()
        } else {
            let v = String::from("s");
            let _ = cx.peer.elicit::<Confirm>("sure?").await;
            v.to_string()
        };
        let _ = cx.peer.elicit::<Confirm>("last").await;
        Ok(n)
    } {
        let n = if t.effect(true) {
            let v = String::from("s");
            let _ = cx.peer.elicit::<Confirm>("sure?").await;
            v.to_string()
        } else {
            let v = 1u32;
            let _ = cx.peer.elicit::<Confirm>("sure?").await;
            v.to_string()
        };
        let _ = cx.peer.elicit::<Confirm>("last").await;
        Ok(n)
    }

    a_question_more_before: GoOn {} (cx, t) {
        let n = t.effect(3i64);
        let sure = cx.peer.elicit::<Confirm>("sure?").await.is_ok();
        Ok(format!("{n} {sure}"))
    } {
        let n = cx.peer.elicit::<Count>("new").await?.map_or(0, |n| n.n);
        let sure = cx.peer.elicit::<Confirm>("sure?").await.is_ok();
        Ok(format!("{n} {sure}"))
    }

    an_item_of_its_body: Strand {} (cx, t) {
        const STEP: i64 = 1;
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{}", t.effect(STEP)))
    } {
        const STEP: i64 = 2;
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{}", t.effect(STEP)))
    }

    in_a_helper_that_waits: Part {
        use helpers {
            #[saga_runtime::saga]
            pub(super) async fn ask(peer: &Peer<RoleServer>, t: &Trace) -> i64 {
                t.note("before");
                let n = peer.elicit::<Count>("n").await;
                t.note("after");
                n.ok().flatten().map_or(0, |n| n.n)
            }
        } {
            #[saga_runtime::saga]
            pub(super) async fn ask(peer: &Peer<RoleServer>, t: &Trace) -> i64 {
                t.note("before");
                let n = peer.elicit::<Count>("n").await;
                t.note("afterwards");
                n.ok().flatten().map_or(0, |n| n.n)
            }
        }
    } (cx, t) {
        let n = ask(&cx.peer, t).await;
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{n}"))
    } {
        let n = ask(&cx.peer, t).await;
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{n}"))
    }

    what_a_helper_gives: Strand {
        use helpers {
            #[saga_runtime::saga]
            pub(super) async fn ask(peer: &Peer<RoleServer>, t: &Trace) -> i64 {
                let n = peer.elicit::<Count>("n").await;
                n.ok().flatten().map_or(0, |n| n.n)
            }
        } {
            #[saga_runtime::saga]
            pub(super) async fn ask(peer: &Peer<RoleServer>, t: &Trace) -> f64 {
                let n = peer.elicit::<Count>("n").await;
                n.ok().flatten().map_or(0, |n| n.n) as f64
            }
        }
    } (cx, t) {
        let n = ask(&cx.peer, t).await;
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{n:?}"))
    } {
        let n = ask(&cx.peer, t).await;
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{n:?}"))
    }

    an_arm_before_a_join: GoOn {} (cx, t) {
        let x = t.effect(1);
        let (a, b) = saga_runtime::join!(cx.peer.elicit::<Count>("a"), cx.peer.elicit::<Count>("b"));
        Ok(format!("{x} {} {}", a.is_ok(), b.is_ok()))
    } {
        t.note("new");
        let _ = cx.peer.elicit::<Confirm>("first").await;
        let x = t.effect(2);
        let (a, b) = saga_runtime::join!(cx.peer.elicit::<Count>("a"), cx.peer.elicit::<Count>("b"));
        Ok(format!("{x} {} {}", a.is_ok(), b.is_ok()))
    }

    an_arm_more: Strand {} (cx, t) {
        let (a, b) = saga_runtime::join!(cx.peer.elicit::<Count>("a"), cx.peer.elicit::<Count>("b"));
        Ok(format!("{} {}", a.is_ok(), b.is_ok()))
    } {
        let (a, b, c) = saga_runtime::join!(cx.peer.elicit::<Count>("a"), cx.peer.elicit::<Count>("b"), cx.peer.elicit::<Count>("c"));
        Ok(format!("{} {}", a.is_ok(), b.is_ok()))
    }

    a_pause_of_its_own: GoOn {} (cx, t) {
        let x = t.effect(1);
        saga_runtime::sleep(std::time::Duration::from_nanos(60)).await;
        t.effect(x);
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{x}"))
    } {
        let x = t.effect(1 + 1);
        saga_runtime::sleep(std::time::Duration::from_nanos(90)).await;
        t.effect(x);
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{x}"))
    }

    accepted_by_name: GoOn, accepts(sure = "e1af4a151317ac45 elicit: kept, other") {} (cx, t) {
        let kept = t.effect(1i64);
        let other = t.effect(2);
        let sure = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{kept} {other} {}", sure.is_ok()))
    } {
        let kept = t.effect(1i64);
        let sure = cx.peer.elicit::<Confirm>("sure?").await.is_ok();
        let text = format!("{kept} 2 {sure}");
        Ok(text)
    }

    accepted_and_unreadable: Strand, accepts(sure = "e1af4a151317ac45 elicit: kept, other") {} (cx, t) {
        let kept = t.effect(1i64);
        let other = t.effect(2);
        let sure = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{kept} {other} {}", sure.is_ok()))
    } {
        let kept = t.effect(String::from("1"));
        let sure = cx.peer.elicit::<Confirm>("sure?").await.is_ok();
        Ok(format!("{kept} 2 {sure}"))
    }

    accepted_with_other_values: Strand, accepts(sure = "e1af4a151317ac45 elicit: kept") {} (cx, t) {
        let kept = t.effect(1i64);
        let other = t.effect(2);
        let sure = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{kept} {other} {}", sure.is_ok()))
    } {
        let kept = t.effect(1i64);
        let sure = cx.peer.elicit::<Confirm>("sure?").await.is_ok();
        Ok(format!("{kept} 2 {sure}"))
    }

    accepted_at_a_call: GoOn, accepts(ask = "3bf17acae9515580 ask: first, lent") {
        use helpers {
            #[saga_runtime::saga]
            pub(super) async fn ask(peer: &Peer<RoleServer>, t: &Trace) -> i64 {
                let n = peer.elicit::<Count>("n").await;
                n.ok().flatten().map_or(0, |n| n.n)
            }
        } {
            #[saga_runtime::saga]
            pub(super) async fn ask(peer: &Peer<RoleServer>, t: &Trace) -> i64 {
                let n = peer.elicit::<Count>("n").await;
                n.ok().flatten().map_or(0, |n| n.n)
            }
        }
    } (cx, t) {
        let lent = vec![t.effect(1i64)];
        let first = &lent[0];
        let n = ask(&cx.peer, t).await;
        Ok(format!("{first} {lent:?} {n}"))
    } {
        let extra = t.effect(5);
        let lent = vec![t.effect(1i64)];
        let n = ask(&cx.peer, t).await;
        let first = lent.first().copied().unwrap_or_default();
        Ok(format!("{first} {lent:?} {n}"))
    }

    how_many_items_a_loop_skips: GoOn {
        use helpers { const SKIPPED: usize = 1; } { const SKIPPED: usize = 0; }
    } (cx, t) {
        let names = vec![String::from("a"), String::from("b"), String::from("c")];
        for name in names.iter().skip(SKIPPED) {
            let sure = cx.peer.elicit::<Confirm>(name.as_str()).await;
            t.effect(format!("{name} {}", sure.is_ok()));
        }
        Ok(String::new())
    } {
        let names = vec![String::from("a"), String::from("b"), String::from("c")];
        for name in names.iter().skip(SKIPPED) {
            let sure = cx.peer.elicit::<Confirm>(name.as_str()).await;
            t.effect(format!("{name} {}", sure.is_ok()));
        }
        Ok(String::new())
    }

    a_comma_of_the_formatters: GoOn {} (cx, t) {
        let sure = cx.peer.elicit::<Confirm>("sure?").await;
        let list = vec![t.effect(1), t.effect(2)];
        t.effect((sure.is_ok(), list.len()));
        Ok(String::from("done"))
    } {
        let sure = cx.peer.elicit::<Confirm>("sure?",).await;
        let list = vec![t.effect(1), t.effect(2)];
        t.effect((sure.is_ok(), list.len(),),);
        Ok(String::from("done",))
    }

    a_comma_that_makes_a_tuple: Strand {} (cx, t) {
        let sure = cx.peer.elicit::<Confirm>("sure?").await.is_ok();
        let one = (sure);
        Ok(format!("{one:?}"))
    } {
        let sure = cx.peer.elicit::<Confirm>("sure?").await.is_ok();
        let one = (sure,);
        Ok(format!("{one:?}"))
    }

    a_variable_that_may_change_before_the_question: GoOn {} (cx, t) {
        let kept = t.effect(1i64);
        let sure = cx.peer.elicit::<Confirm>("sure?").await.is_ok();
        Ok(format!("{kept} {sure}"))
    } {
        let mut kept = t.effect(2i64);
        kept += 1;
        let sure = cx.peer.elicit::<Confirm>("sure?").await.is_ok();
        Ok(format!("{kept} {sure}"))
    }

    declared_before_and_set_after: Strand {} (cx, t) {
        let x: u8;
        let sure = cx.peer.elicit::<Confirm>("sure?").await;
        x = 200i64 as _;
        Ok(format!("{x} {}", sure.is_ok()))
    } {
        let x: i8;
        let sure = cx.peer.elicit::<Confirm>("sure?").await;
        x = 200i64 as _;
        Ok(format!("{x} {}", sure.is_ok()))
    }

    another_answer_to_a_later_question: Strand {} (cx, t) {
        let later: Option<Count>;
        let sure = cx.peer.elicit::<Confirm>("sure?").await;
        later = cx.peer.elicit("n").await?;
        Ok(format!("{later:?} {}", sure.is_ok()))
    } {
        let later: Option<Text>;
        let sure = cx.peer.elicit::<Confirm>("sure?").await;
        later = cx.peer.elicit("n").await?;
        Ok(format!("{later:?} {}", sure.is_ok()))
    }

    in_a_loop_that_overwrites: Strand {} (cx, t) {
        let mut best: Option<u8> = None;
        for _ in 0..2 {
            best = None;
            let _ = cx.peer.elicit::<Confirm>("sure?").await;
            best = Some(200i64 as _);
            t.effect(&best);
        }
        Ok(format!("{best:?}"))
    } {
        let mut best: Option<i8> = None;
        for _ in 0..2 {
            best = None;
            let _ = cx.peer.elicit::<Confirm>("sure?").await;
            best = Some(200i64 as _);
            t.effect(&best);
        }
        Ok(format!("{best:?}"))
    }

    what_a_waiting_helper_is_generic_in: Strand {
        use helpers {
            #[saga_runtime::saga]
            pub(super) async fn ask<M: std::fmt::Debug + Default>(peer: &Peer<RoleServer>, t: &Trace) -> String {
                let _ = peer.elicit::<Confirm>("sure?").await;
                format!("{:?}", M::default())
            }
            type Mode = u8;
        } {
            #[saga_runtime::saga]
            pub(super) async fn ask<M: std::fmt::Debug + Default>(peer: &Peer<RoleServer>, t: &Trace) -> String {
                let _ = peer.elicit::<Confirm>("sure?").await;
                format!("{:?}", M::default())
            }
            type Mode = f32;
        }
    } (cx, t) {
        Ok(ask::<Mode>(&cx.peer, t).await)
    } {
        Ok(ask::<Mode>(&cx.peer, t).await)
    }

    remade_as_another_type: Strand {
        use helpers { type Id = u8; } { type Id = i8; }
    } (cx, t) {
        #[saga(remake)]
        let made = 200i64 as Id;
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{made}"))
    } {
        #[saga(remake)]
        let made = 200i64 as Id;
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{made}"))
    }
}
