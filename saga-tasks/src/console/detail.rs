//! One task: how it stands, its questions, its way so far; and what an operator does to it.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, SystemTime},
};

use axum::{
    Form,
    extract::{Path, State as With},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use maud::{Markup, PreEscaped, html};
use rmcp::{ErrorData, model::ContentBlock};
use saga_runtime::{
    Standing,
    flow::{Drawing, Function, Point},
};
use serde::Deserialize;

use super::{
    Console,
    fields::Sent,
    list::due_in,
    live,
    page::{Page, Refusal, answer as sent, badge, clock, distance, encoded, length, owner},
    question::{self, Problems, pretty, sent_as},
};
use crate::{
    body::{Body, BodyError, End, is_tampered},
    host::By,
    leg::history::{Ended, Past},
    record::{State, TaskId, TaskRecord, time},
    store::StoreError,
};

/// Which task a path is of; what it is mounted under may have parameters of its own.
#[derive(Deserialize)]
pub(super) struct Of {
    id: String,
}

/// A task as it is now.
struct Seen {
    record: TaskRecord,
    /// What is sealed; or why it cannot be opened.
    body: Result<Body, &'static str>,
    now: SystemTime,
}

/// What an operator is told above a task.
#[derive(Default)]
struct Told {
    notice: Option<String>,
    problems: Option<Problems>,
}

impl Console {
    async fn seen(&self, id: &str) -> Result<Seen, Refusal> {
        let record = self.tasks.store.get(&TaskId::named(id)).await?;
        let record = record.ok_or(Refusal::Missing)?;
        let now = self.tasks.store.now().await?;
        let settings = self.tasks.sealing();
        let body = match settings.map(|settings| Body::open(&settings, &record)) {
            Err(_) => Err("This process has no keys to open it."),
            Ok(Err(BodyError::Key(error))) if !is_tampered(&error) => {
                Err("It is sealed with a key that this process does not have, or has no more.")
            }
            Ok(Err(_)) => Err("It is damaged, or sealed with another key of the same id."),
            Ok(Ok(body)) => Ok(body),
        };
        Ok(Seen { record, body, now })
    }
}

pub(super) async fn page(With(console): With<Arc<Console>>, Path(Of { id }): Path<Of>) -> Response {
    match console.seen(&id).await {
        Ok(seen) => sent(
            StatusCode::OK,
            &shown(&console, &seen, "../", &Told::default()),
        ),
        Err(refusal) => refusal.page("../"),
    }
}

pub(super) async fn answer(
    With(console): With<Arc<Console>>,
    Path(Of { id }): Path<Of>,
    Form(form): Form<Sent>,
) -> Response {
    let root = "../../";
    match answered(&console, &id, form).await {
        Ok(None) => back(&id),
        Ok(Some((status, told))) => match console.seen(&id).await {
            Ok(seen) => sent(status, &shown(&console, &seen, root, &told)),
            Err(refusal) => refusal.page(root),
        },
        Err(refusal) => refusal.page(root),
    }
}

/// Gives an answer to its task; or what is wrong with it, and then nothing is stored.
async fn answered(
    console: &Console,
    id: &str,
    form: Sent,
) -> Result<Option<(StatusCode, Told)>, Refusal> {
    let seen = console.seen(id).await?;
    let key = sent_as(&form, "key").unwrap_or_default().to_owned();
    let question = seen.body.as_ref().ok().and_then(|body| body.open.get(&key));
    let Some(question) = question.filter(|_| !seen.record.cancel) else {
        return Ok(Some(too_late()));
    };
    let wrong = match question::response(question, &form) {
        Ok(response) => {
            let responses = BTreeMap::from([(key.clone(), response)]);
            match console.tasks.update(id, By::Operator, responses).await {
                Ok(true) => return Ok(None),
                Ok(false) => return Ok(Some(too_late())),
                Err(error) => vec![(String::new(), refused(error)?)],
            }
        }
        Err(wrong) => wrong,
    };
    let notice = Some("The answer does not fit, and was not stored.".to_owned());
    let problems = Some(Problems {
        key,
        sent: form,
        wrong,
    });
    Ok(Some((
        StatusCode::UNPROCESSABLE_ENTITY,
        Told { notice, problems },
    )))
}

/// The answer to what is not asked any more.
fn too_late() -> (StatusCode, Told) {
    let notice = "This question is not open any more. Nothing was stored.";
    let told = Told {
        notice: Some(notice.to_owned()),
        problems: None,
    };
    (StatusCode::CONFLICT, told)
}

/// What an operator is told of an error; one of the store is a page of its own.
fn refused(error: ErrorData) -> Result<String, Refusal> {
    let reason = error.data.as_ref().and_then(|data| data.get("reason"));
    match reason.and_then(|reason| reason.as_str()) {
        Some("store") => Err(Refusal::Down(StoreError::new(error.message))),
        _ => Ok(error.message.into_owned()),
    }
}

pub(super) async fn cancel(
    With(console): With<Arc<Console>>,
    Path(Of { id }): Path<Of>,
) -> Response {
    let root = "../../";
    let cancelled = async {
        console.seen(&id).await?;
        match console.tasks.cancel(&id, By::Operator).await {
            Ok(()) => Ok::<_, Refusal>(None),
            Err(error) => Ok(Some((console.seen(&id).await?, refused(error)?))),
        }
    };
    match cancelled.await {
        Ok(None) => back(&id),
        Ok(Some((seen, why))) => {
            let told = Told {
                notice: Some(format!("It was not cancelled: {why}.")),
                problems: None,
            };
            sent(StatusCode::CONFLICT, &shown(&console, &seen, root, &told))
        }
        Err(refusal) => refusal.page(root),
    }
}

/// To the task, from what was done to it.
fn back(id: &str) -> Response {
    Redirect::to(&format!("../{}", encoded(id))).into_response()
}

fn shown(console: &Console, seen: &Seen, root: &str, told: &Told) -> Markup {
    let Seen { record, body, now } = seen;
    let id = record.id.as_str();
    let main = html! {
        section #head {
            p .back { a href={ (root) "tasks" } { "← Tasks" } }
            h1 { (record.tool) " " (badge(record)) }
            p .id { code { (id) } }
            // An error's message is with the error.
            @if let Some(message) = record.status_message.as_ref().filter(|_| record.state != State::Failed) {
                p .message { (message) }
            }
        }
        @if let Some(notice) = &told.notice { section #notice .notice role="alert" { (notice) } }
        @match body {
            Err(why) => {
                section #sealed .notice {
                    strong { "This task cannot be opened here." } " " (why)
                }
                (facts(record, *now))
            }
            Ok(body) => {
                @if !record.cancel {
                    @for (key, asked) in &body.open {
                        (question::form(id, root, key, asked, told.problems.as_ref()))
                    }
                }
                (outcome(body))
                (facts(record, *now))
                (flow(console, record, body))
                (history(record, body, *now))
                (cancelling(record, root))
            }
        }
    };
    let at = encoded(id);
    let page = format!("{root}tasks/{at}");
    let events = format!("{root}events?task={at}&seen={}", live::digest([record]));
    Page::new(&record.tool, root)
        .live(page, events)
        .render(&main)
}

/// What the store says of it.
fn facts(record: &TaskRecord, now: SystemTime) -> Markup {
    let is_leased = record.state == State::Leased;
    let lease = record.lease_until.filter(|_| is_leased);
    let worker = record.worker.as_ref().filter(|_| is_leased);
    html! {
        section #facts .card {
            h2 { "Task" }
            dl {
                div { dt { "Created (UTC)" } dd { (clock(record.created)) " " span .ago { (distance(now, record.created)) " ago" } } }
                div { dt { "Updated (UTC)" } dd { (clock(record.updated)) " " span .ago { (distance(now, record.updated)) " ago" } } }
                @if let Some(due) = record.due.filter(|_| !is_leased) {
                    div { dt { "Due" } dd { (due_in(now, due)) } }
                }
                @if let Some(worker) = worker { div { dt { "Worker" } dd { code { (worker) } } } }
                @if let Some(lease) = lease {
                    div { dt { "Lease" } dd {
                        @if lease <= now { strong .late { "over: no sign of life" } } @else { (distance(now, lease)) }
                    } }
                }
                div { dt { "Attempts" } dd { (record.attempts) } }
                div { dt { "Owner" } dd { (owner(record)) } }
                div { dt { "Kept until (UTC)" } dd {
                    @match record.expires { Some(at) => (clock(at)), None => "for ever" }
                } }
            }
        }
    }
}

fn outcome(body: &Body) -> Markup {
    html! {
        @match &body.end {
            None => {}
            Some(End::Error(error)) => {
                section #outcome .card.failed {
                    h2 { "Error " code { (error.code.0) } }
                    p .asked { (error.message) }
                    @if let Some(data) = &error.data { pre { (pretty(data)) } }
                }
            }
            Some(End::Result(result)) => {
                section #outcome .card.failed[result.is_error == Some(true)] {
                    h2 { "Result" @if result.is_error == Some(true) { " " span .badge.failed { "error" } } }
                    @for text in result.content.iter().filter_map(ContentBlock::as_text) { pre { (text.text) } }
                    details {
                        summary { "As JSON" }
                        pre { (pretty(&serde_json::to_value(result).unwrap_or_default())) }
                    }
                }
            }
        }
    }
}

/// The pictures of the functions on its stack; of a call that does not stand anywhere, that of its tool.
fn flow(console: &Console, record: &TaskRecord, body: &Body) -> Markup {
    let stack = match body.continuation() {
        Ok(Some(continuation)) => continuation.stack(),
        _ => Vec::new(),
    };
    let tool = console
        .function_of(&record.tool)
        .filter(|_| stack.is_empty());
    // The arms of a join may stand in one function.
    let mut functions: Vec<Standings> = Vec::new();
    for Standing { point, depth, .. } in stack {
        let known = console.standing(point);
        let function = known.map(|(function, _)| function);
        let same = |standings: &&mut Standings| {
            let fingerprint = |function: &Function| function.fingerprint;
            function.is_some() && standings.function.map(fingerprint) == function.map(fingerprint)
        };
        let points = known.map(|(_, number)| number);
        match functions.iter_mut().find(same) {
            Some(standings) => standings.points.extend(points),
            None => functions.push(Standings {
                function,
                points: points.into_iter().collect(),
                depth,
            }),
        }
    }
    html! {
        @if !functions.is_empty() || tool.is_some() {
            section #flow .card {
                h2 { @if functions.is_empty() { "Its tool" } @else { "Where it stands" } }
                @if let Some(tool) = tool { div .picture tabindex="0" { (drawing(tool, &[])) } }
                @for standings in &functions { (standing(standings)) }
            }
        }
    }
}

/// Where a call stands in one function.
struct Standings {
    /// `None` where this process does not know it.
    function: Option<&'static Function>,
    points: Vec<u32>,
    depth: usize,
}

fn standing(standings: &Standings) -> Markup {
    let depth = standings.depth;
    // An arm of a join that is nothing but a question: the join has it already.
    let is_arm = |point: &Point| point.awaits.is_empty();
    let is_known = |function: &Function| function.points.iter().all(is_arm);
    if depth > 0 && standings.function.is_some_and(is_known) {
        return html! {};
    }
    html! {
        @if depth > 0 { p .called { "↳ in a function that it calls:" } }
        @match standings.function {
            Some(function) => div .picture tabindex="0" { (drawing(function, &standings.points)) },
            None => p .unknown {
                "At a point that this process does not know: of a function that it has not run yet and was not told of, or of other code."
            },
        }
    }
}

/// The points of a function, with those where a call stands.
fn drawing(function: &Function, stands: &[u32]) -> Markup {
    PreEscaped(Drawing::from(function).svg(stands))
}

fn history(record: &TaskRecord, body: &Body, now: SystemTime) -> Markup {
    let mut history = body.history.clone();
    if record.state == State::Leased {
        // A leg that has not come to a write yet.
        history.begin(record, record.updated.max(record.created));
    }
    let known = body.history.legs();
    html! {
        section #history .card {
            h2 { "Legs" }
            @if history.legs().is_empty() { p .empty { "None has begun." } } @else {
                table .legs {
                    thead { tr {
                        th { "Began (UTC)" } th .number { "Took" } th { "Worker" } th .number { "Attempt" } th { "Ended" }
                    } }
                    tbody { @for past in history.legs().iter().rev() { (leg(past, known.contains(past), record, now)) } }
                }
            }
        }
    }
}

/// One leg. The store does not know when one began that has written nothing.
fn leg(past: &Past, written: bool, record: &TaskRecord, now: SystemTime) -> Markup {
    let began = past
        .began
        .as_ref()
        .filter(|_| written || past.end.is_some());
    let (class, word) = match past.end {
        None if record.lease_until.is_some_and(|until| until <= now) => {
            ("failed", "no sign of life")
        }
        None if record.state != State::Leased => ("failed", "never ended"),
        None => ("leased", "running"),
        Some((_, ended)) => ended_as(ended),
    };
    let took = began
        .zip(past.end.as_ref())
        .filter(|(_, (_, ended))| *ended != Ended::TakenOver);
    let took = took.and_then(|((began, _), (end, _))| u64::try_from(end - began).ok());
    let worker = past.began.as_ref().map(|(_, worker)| worker.as_str());
    let short = |worker: &str| worker.chars().take(8).collect::<String>();
    html! {
        tr {
            td data-label="Began" { @match began { Some((at, _)) => (clock(time(*at))), None => span .none { "–" } } }
            td .number data-label="Took" {
                @match took { Some(took) => (length(Duration::from_millis(took))), None => span .none { "–" } }
            }
            td data-label="Worker" {
                @match worker { Some(worker) => code title=(worker) { (short(worker)) }, None => span .none { "unknown" } }
            }
            td .number.many[past.attempt > 1] data-label="Attempt" { (past.attempt) }
            td data-label="Ended" {
                span class={ "badge " (class) } { (word) }
                @if let (true, Some((at, Ended::TakenOver))) = (written, past.end) { " " span .ago { "at " (clock(time(at))) } }
            }
        }
    }
}

/// How a leg ended: a class and words.
fn ended_as(ended: Ended) -> (&'static str, &'static str) {
    match ended {
        Ended::Waiting => ("waiting", "waiting"),
        Ended::Sleeping => ("sleeping", "sleeping"),
        Ended::WentOn => ("ready", "went on"),
        Ended::Completed => ("completed", "completed"),
        Ended::Failed => ("failed", "failed"),
        Ended::Cancelled => ("cancelled", "cancelled"),
        Ended::Left => ("cancelled", "left to others"),
        Ended::TakenOver => ("failed", "never ended, taken over"),
    }
}

fn cancelling(record: &TaskRecord, root: &str) -> Markup {
    html! {
        @if !record.state.is_final() && !record.cancel {
            section #cancel .card {
                details {
                    summary { "Cancel this task…" }
                    p .help {
                        "Its tool may undo what it did, if it has heard of it in time. It cannot be taken back."
                    }
                    form method="post" action={ (root) "tasks/" (encoded(record.id.as_str())) "/cancel" } {
                        button .danger { "Cancel the task" }
                    }
                }
            }
        }
    }
}
