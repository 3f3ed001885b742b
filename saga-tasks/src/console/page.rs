//! What all pages have in common.

use std::time::{Duration, SystemTime};

use axum::{
    http::StatusCode,
    response::{Html, IntoResponse, Response},
};
use chrono::SecondsFormat;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::{
    record::{State, TaskRecord, date},
    store::StoreError,
};

/// Markup as an answer.
pub(super) fn answer(status: StatusCode, page: &Markup) -> Response {
    (status, Html(page.0.clone())).into_response()
}

/// Why there is no page.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The store does not answer.
    Down(StoreError),
    /// There is no such task.
    Missing,
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::Down(error)
    }
}

impl Refusal {
    pub(super) fn page(self, root: &str) -> Response {
        let (status, title, text) = match self {
            Self::Down(error) => {
                tracing::error!(%error, "the store of tasks");
                let text = "The store of the tasks does not answer, or cannot list them. The server's log says why.";
                (StatusCode::SERVICE_UNAVAILABLE, "No tasks now", text)
            }
            Self::Missing => {
                let text = "There is no such task: it may be over for so long that it was removed.";
                (StatusCode::NOT_FOUND, "No such task", text)
            }
        };
        let main = html! {
            section #refusal .card {
                h1 { (title) }
                p { (text) }
                p { a href={ (root) "tasks" } { "All tasks" } }
            }
        };
        answer(status, &Page::new(title, root).render(&main))
    }
}

/// A page around its main part.
pub(super) struct Page<'a> {
    title: &'a str,
    root: &'a str,
    /// Where it is fetched from and where it hears of changes, if it has any.
    live: Option<(String, String)>,
}

impl<'a> Page<'a> {
    pub(super) fn new(title: &'a str, root: &'a str) -> Self {
        let live = None;
        Self { title, root, live }
    }

    pub(super) fn live(mut self, page: String, events: String) -> Self {
        self.live = Some((page, events));
        self
    }

    pub(super) fn render(&self, main: &Markup) -> Markup {
        let (page, events) = self.live.clone().unzip();
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " · Saga" }
                    link rel="icon" href={ (self.root) "icon.svg" };
                    link rel="stylesheet" href={ (self.root) "style.css" };
                    script src={ (self.root) "script.js" } defer {}
                }
                body {
                    header .top {
                        a .brand href={ (self.root) "tasks" } {
                            (PreEscaped(super::ICON)) span { "Saga " b { "tasks" } }
                        }
                        span #live role="status" {}
                    }
                    main data-page=[page] data-events=[events] { (main) }
                }
            }
        }
    }
}

/// A text as one segment of a path, or one value of a query.
pub(super) fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Where a task stands, in a word.
pub(super) fn word(state: State) -> &'static str {
    match state {
        State::Leased => "running",
        other => other.name(),
    }
}

/// The state as a badge.
pub(super) fn badge(record: &TaskRecord) -> Markup {
    let cancelling = record.cancel && !record.state.is_final();
    html! {
        span class={ "badge " (record.state.name()) } { (word(record.state)) }
        @if cancelling { " " span .badge.cancelled { "cancelling" } }
    }
}

/// An owner, short.
pub(super) fn owner(record: &TaskRecord) -> Markup {
    let short: String = record.owner.as_str().chars().take(8).collect();
    html! { code title=(record.owner.as_str()) { (short) } }
}

pub(super) fn iso(at: SystemTime) -> String {
    date(at).to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// A time of day in UTC, to the second.
pub(super) fn clock(at: SystemTime) -> Markup {
    let shown = date(at).format("%Y-%m-%d %H:%M:%S");
    html! { time datetime=(iso(at)) { (shown.to_string()) } }
}

/// How far a time is from now.
pub(super) fn distance(now: SystemTime, at: SystemTime) -> Markup {
    let length = match at.duration_since(now) {
        Ok(ahead) if !ahead.is_zero() => format!("in {}", length(ahead)),
        _ => length(now.duration_since(at).unwrap_or_default()),
    };
    html! { time datetime=(iso(at)) title=(iso(at)) { (length) } }
}

/// A length of time in one unit: the one that says most.
pub(super) fn length(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 => format!("{} ms", time.as_millis()),
        1..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}
