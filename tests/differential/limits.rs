//! Asks that a time or another future may end.

use std::time::Duration;

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count, Text},
};
use tokio::time::timeout;

tests::cases! {
    async fn within_a_time(cx, t) {
        let limit = t.effect(Duration::from_secs(3600));
        let first = timeout(limit, cx.peer.elicit::<Count>(t.effect("n?"))).await?;
        let n = first?.ok_or("none")?.n;
        let second = tokio::time::timeout(Duration::from_secs(60), cx.peer.elicit::<Confirm>(format!("{n} ok?"))).await;
        t.effect(n);
        match second {
            Ok(Ok(Some(Confirm { ok }))) => Ok(format!("{n} {ok}")),
            Ok(other) => Ok(format!("{n} {other:?}")),
            Err(elapsed) => Err(Failure::from(elapsed)),
        }
    }

    async fn an_answer_or_a_cancellation(cx, t) {
        let mut sum = 0;
        for i in 0..2 {
            let before = t.effect(i);
            let n = tokio::select! {
                answer = cx.peer.elicit::<Count>(format!("{i}?")) => answer?.ok_or("none")?.n,
                _ = cx.ct.cancelled() => {
                    t.note("cancelled");
                    return Ok("cancelled".into());
                }
            };
            sum += n + before;
        }
        Ok(format!("{sum}"))
    }

    async fn already_cancelled(cx, t) {
        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
        if n > 1 { cx.ct.cancel(); }
        tokio::select! {
            biased;
            _ = cx.ct.cancelled() => t.note("cancelled"),
            answer = cx.peer.elicit::<Text>("t?") => { t.note(&format!("{answer:?}")); }
        }
        let ok = cx.peer.elicit::<Confirm>("ok?").await.is_ok();
        Ok(format!("{n} {ok}"))
    }
}
