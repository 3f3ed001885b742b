//! The tasks, those created last first.

use std::sync::Arc;

use axum::{
    extract::{OriginalUri, Query, State as With},
    http::StatusCode,
    response::{Redirect, Response},
};
use maud::{Markup, html};
use serde::Deserialize;

use super::{
    Console, live,
    page::{Page, Refusal, answer, badge, distance, encoded, owner, word},
};
use crate::{
    record::{State, TaskId, TaskRecord, millis, time},
    store::{self, StoreError},
    tasks::Inner,
};

/// How many tasks a page has.
const LENGTH: usize = 50;

/// Which page it is.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Asked {
    state: Option<String>,
    /// The last task of the page before: its time of creation, a dot, its id.
    after: Option<String>,
}

/// One page, and whether there is another behind it.
pub(super) struct Listed {
    pub(super) records: Vec<TaskRecord>,
    more: bool,
}

impl Asked {
    fn state(&self) -> Option<State> {
        State::named(self.state.as_deref()?).ok()
    }

    fn query(&self) -> String {
        let state = self.state().map(|state| format!("state={}", state.name()));
        let after = self.after.as_deref().map(encoded);
        let after = after.map(|after| format!("after={after}"));
        let parts: Vec<_> = state.into_iter().chain(after).collect();
        parts.join("&")
    }

    pub(super) async fn listed(&self, tasks: &Inner) -> Result<Listed, StoreError> {
        let after = self.after.as_deref().and_then(|after| {
            let (created, id) = after.split_once('.')?;
            Some((created.parse().ok()?, TaskId::named(id)))
        });
        // One more says whether there are more.
        let mut page = store::Page::new(LENGTH + 1);
        page.state = self.state();
        page.after = after.as_ref().map(|(created, id)| (time(*created), id));
        let mut records = tasks.store.list(page).await?;
        let more = records.len() > LENGTH;
        records.truncate(LENGTH);
        Ok(Listed { records, more })
    }
}

/// The router's root leads to the list: below it, relative links are the same wherever it is mounted, be it with a slash at
/// its end or without.
pub(super) async fn root(OriginalUri(original): OriginalUri) -> Redirect {
    match original.path().rsplit_once('/') {
        Some((_, "")) | None => Redirect::temporary("tasks"),
        Some((_, last)) => Redirect::temporary(&format!("{last}/tasks")),
    }
}

pub(super) async fn page(
    With(console): With<Arc<Console>>,
    Query(asked): Query<Asked>,
) -> Response {
    match shown(&console, &asked).await {
        Ok(page) => answer(StatusCode::OK, &page),
        Err(error) => Refusal::from(error).page(""),
    }
}

async fn shown(console: &Console, asked: &Asked) -> Result<Markup, StoreError> {
    let listed = asked.listed(&console.tasks).await?;
    let now = console.tasks.store.now().await?;
    let query = asked.query();
    let seen = live::digest(&listed.records);
    let last = listed.records.last().filter(|_| listed.more);
    let next = last.map(|last| Asked {
        state: asked.state.clone(),
        after: Some(format!("{}.{}", millis(last.created), last.id)),
    });
    let main = html! {
        h1 { "Tasks" }
        (filters(asked.state()))
        section #tasks {
            @if listed.records.is_empty() {
                p .empty { "There are no tasks here." }
            } @else {
                table .list {
                    thead { tr {
                        th { "State" } th { "Task" } th { "Owner" } th .number { "Age" }
                        th .number { "Attempts" } th { "Due" } th { "Message" }
                    } }
                    tbody { @for record in &listed.records { (row(record, now)) } }
                }
            }
            nav .pages aria-label="Pages" {
                @if asked.after.is_some() {
                    @let first = Asked { after: None, ..asked.clone() };
                    a href={ "tasks?" (first.query()) } { "Newest" }
                }
                @if let Some(next) = next {
                    a rel="next" href={ "tasks?" (next.query()) } { "Older" }
                }
            }
        }
    };
    let (page, events) = (
        format!("tasks?{query}"),
        format!("events?{query}&seen={seen}"),
    );
    Ok(Page::new("Tasks", "").live(page, events).render(&main))
}

fn filters(chosen: Option<State>) -> Markup {
    let current = |is: bool| is.then_some("page");
    html! {
        nav .filters aria-label="States" {
            a href="tasks" aria-current=[current(chosen.is_none())] { "all" }
            @for (state, name) in State::NAMES {
                a href={ "tasks?state=" (name) } aria-current=[current(chosen == Some(state))] {
                    (word(state))
                }
            }
        }
    }
}

fn row(record: &TaskRecord, now: std::time::SystemTime) -> Markup {
    // While it runs, that is when its lease ends.
    let due = record.due.filter(|_| record.state != State::Leased);
    html! {
        tr {
            td data-label="State" { (badge(record)) }
            td .task data-label="Task" {
                a href={ "tasks/" (encoded(record.id.as_str())) } { (record.tool) }
                " " code { (record.id) }
            }
            td data-label="Owner" { (owner(record)) }
            td .number data-label="Age" { (distance(now, record.created)) }
            td .number.many[record.attempts > 1] data-label="Attempts" { (record.attempts) }
            td data-label="Due" {
                @if let Some(due) = due { (due_in(now, due)) } @else { span .none { "–" } }
            }
            td .message data-label="Message" { (record.status_message.as_deref().unwrap_or_default()) }
        }
    }
}

/// When a worker looks at it; what waits for ever has a time that is no time.
pub(super) fn due_in(now: std::time::SystemTime, due: std::time::SystemTime) -> Markup {
    match (due >= crate::leg::forever(), due <= now) {
        (true, _) => html! { span .none { "–" } },
        (_, true) => html! { "now" },
        _ => distance(now, due),
    }
}
