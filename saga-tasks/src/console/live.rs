//! Server-sent events: a page hears that what it shows has changed, and fetches itself.

use std::{
    convert::Infallible,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::Arc,
    time::Duration,
};

use axum::{
    extract::{Query, State as With},
    http::HeaderMap,
    response::{IntoResponse, Sse, sse::Event},
};
use futures_util::stream;
use serde::Deserialize;
use tokio::time::{Instant, sleep};

use super::{Console, list::Asked};
use crate::{
    record::{TaskId, TaskRecord, millis},
    store::StoreError,
    tasks::Inner,
};

/// The shortest pause between two looks.
const SHORTEST: Duration = Duration::from_millis(100);
/// How many times as long as a look its pause is: a store that is slow has other things to do.
const SHARE: u32 = 10;
/// How long nothing is said at most: proxies close what is silent.
const SILENT: Duration = Duration::from_secs(15);

/// What of these tasks changes, as one word.
pub(super) fn digest<'a>(records: impl IntoIterator<Item = &'a TaskRecord>) -> String {
    let mut hasher = DefaultHasher::new();
    for record in records {
        // A note has no version, and a lease that ends is seen by its time.
        let times = (millis(record.updated), record.lease_until.map(millis));
        (record.id.as_str(), record.version, times).hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// What a page shows, and what it has seen of that.
#[derive(Debug, Deserialize)]
pub(super) struct Shown {
    task: Option<String>,
    #[serde(flatten)]
    asked: Asked,
    seen: Option<String>,
}

pub(super) async fn events(
    With(console): With<Arc<Console>>,
    headers: HeaderMap,
    Query(mut shown): Query<Shown>,
) -> impl IntoResponse {
    // A browser that comes back has seen more than its page had.
    let last = headers.get("last-event-id");
    if let Some(last) = last.and_then(|last| last.to_str().ok()) {
        shown.seen = Some(last.to_owned());
    }
    let tasks = Arc::clone(&console.tasks);
    Sse::new(stream::unfold((tasks, shown), |(tasks, mut shown)| async {
        let event = next(&tasks, &mut shown).await?;
        Some((Ok::<_, Infallible>(event), (tasks, shown)))
    }))
}

/// The next event; none where the process stops. It looks only while somebody listens.
async fn next(tasks: &Inner, shown: &mut Shown) -> Option<Event> {
    let silent = Instant::now() + SILENT;
    loop {
        let begun = Instant::now();
        // A store that is down is a change, too: the page says so.
        let now = look(tasks, shown).await.unwrap_or_default();
        let least = SHORTEST.max(begun.elapsed() * SHARE);
        if shown.seen.as_ref() != Some(&now) {
            shown.seen = Some(now.clone());
            return Some(Event::default().id(now).data("changed"));
        }
        if Instant::now() >= silent {
            return Some(Event::default().comment(""));
        }
        tokio::select! {
            () = tasks.stopping.cancelled() => return None,
            () = sleep(least.max(tasks.config.look)) => {}
            () = async {
                tasks.store.changed().await;
                sleep(least).await;
            } => {}
        }
    }
}

async fn look(tasks: &Inner, shown: &Shown) -> Result<String, StoreError> {
    match &shown.task {
        Some(id) => Ok(digest(&tasks.store.get(&TaskId::named(id.as_str())).await?)),
        None => Ok(digest(&shown.asked.listed(tasks).await?.records)),
    }
}
