//! Suspension points that ask nobody.

use std::time::Duration;

use rmcp::{RoleServer, service::RequestContext};
use saga_runtime::Cx;
use tests::{
    Failure, Trace,
    answers::{Confirm, Count},
};

use super::questions::Number;

/// A moment.
const MOMENT: Duration = Duration::from_millis(1);

/// A helper that is not given the handle.
#[saga_runtime::saga]
async fn rest(t: &Trace, times: u32) -> u32 {
    for i in 0..times {
        t.effect(i);
        saga_runtime::sleep(MOMENT).await;
    }
    times * 2
}

/// A helper with a context.
#[saga_runtime::saga]
async fn frames(cx: &Cx, t: &Trace, from: u32, to: u32) -> Vec<u32> {
    let mut done = Vec::new();
    for frame in from..to {
        done.push(t.effect(frame * frame));
        cx.checkpoint().await;
    }
    done
}

tests::cases! {
    async fn sleeps_and_checkpoints(cx, t) {
        let cx = Cx::from(cx);
        let mut words = vec![t.effect("a".to_owned())];
        saga_runtime::sleep(MOMENT).await;
        words.push(t.effect("b".to_owned()));
        cx.checkpoint().await;
        let n = cx.elicit::<Number>("n?").tries(1).await.map(|n| n.n);
        t.effect(&n);
        cx.checkpoint().await;
        words.push(format!("{n:?}"));
        saga_runtime::sleep(t.effect(MOMENT)).await;
        Ok(words.join(","))
    }

    async fn a_loop_of_frames(cx, t) {
        let cx = Cx::from(cx);
        let total = t.effect(3);
        let mut sum = 0;
        for frame in 0..total {
            sum += t.effect(frame * 10);
            cx.progress(f64::from(frame), Some(3.0), "rendering").await;
            cx.checkpoint().await;
        }
        let more = frames(&cx, t, 1, 4).await;
        cx.partial(format!("{sum} so far")).await;
        Ok(format!("{sum} {more:?}"))
    }

    async fn with_the_peer_alone(cx, t) {
        let mut all = Vec::new();
        while all.len() < 2 {
            all.push(t.effect(all.len()));
            saga_runtime::sleep(MOMENT).await;
            let ok = cx.peer.elicit::<Confirm>(format!("{all:?}")).await.ok().flatten();
            if ok.is_none_or(|ok| !ok.ok) { break; }
            saga_runtime::sleep(MOMENT * 2).await;
        }
        t.note("after");
        Ok(format!("{all:?}"))
    }

    async fn in_a_match_and_an_async_block(cx, t) {
        let cx = Cx::from(cx);
        let text = match t.effect(2) {
            1 => "one".to_owned(),
            n => {
                cx.background().await;
                let text = format!("many: {n}");
                saga_runtime::sleep(if n > 1 { MOMENT } else { Duration::ZERO }).await;
                t.effect(text)
            }
        };
        let shown = async {
            let text = text.as_str();
            cx.checkpoint().await;
            t.note(text);
            text.len()
        }
        .await;
        Ok(format!("{text} {shown}"))
    }

    async fn an_answer_or_a_long_sleep(cx, t) {
        let mut seen = Vec::new();
        for i in 0..2 {
            tokio::select! {
                answer = cx.peer.elicit::<Count>(format!("{i}?")) => {
                    seen.push(format!("{:?}", answer.ok().flatten().map(|count| count.n)));
                }
                _ = saga_runtime::sleep(Duration::from_secs(3600)) => {
                    t.note("nobody");
                    break;
                }
            }
            t.effect(i);
        }
        Ok(seen.join(","))
    }
}

pub(super) mod helped {
    use super::*;

    tests::cases! {
        async fn a_helper_without_a_handle(cx, t) {
            let cx = Cx::from(cx);
            let before = t.effect(1);
            let rested = helper(&cx, t).await;
            let n = cx.elicit::<Number>("n?").tries(1).await.map_or(0, |n| n.n);
            Ok(format!("{before} {rested} {n}"))
        }
    }

    /// Says of the one below that it rests.
    #[saga_runtime::saga(asks(rest))]
    async fn helper(_cx: &Cx, t: &Trace) -> u32 {
        let rested = rest(t, 2).await;
        t.effect(rested + 1)
    }
}

pub(super) mod joined {
    use super::*;

    tests::cases! {
        async fn a_question_beside_a_checkpoint(cx, t) {
            let cx = Cx::from(cx);
            let (number, done) = tokio::join!(
                cx.elicit::<Number>("n?").tries(1),
                frames(&cx, t, 0, 3),
            );
            Ok(format!("{:?} {done:?}", number.map(|number| number.n)))
        }

        async fn two_that_rest(cx, t) {
            let cx = Cx::from(cx);
            let (one, two) = tokio::join!(frames(&cx, t, 0, 2), frames(&cx, t, 5, 9));
            let n = cx.elicit::<Number>("n?").tries(1).await.map(|n| n.n);
            Ok(format!("{one:?} {two:?} {n:?}"))
        }

        async fn a_sleep_beside_a_question(cx, t) {
            let cx = Cx::from(cx);
            let ((), number) = tokio::join!(
                saga_runtime::sleep(MOMENT),
                cx.elicit::<Number>("n?").tries(1),
            );
            t.note("both");
            Ok(format!("{:?}", number.map(|number| number.n)))
        }
    }
}
