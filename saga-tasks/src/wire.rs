//! A task as its client sees it (MCP tasks extension, SEP-2663).

use std::time::{Duration, SystemTime};

use chrono::SecondsFormat;
use rmcp::{
    ErrorData,
    model::{
        CreateTaskResult, DetailedTask, ErrorCode, GetTaskResult, JsonObject, Task, TaskPayload,
        TaskStatus,
    },
};
use serde_json::{Value, json};

use crate::{
    body::{Body, End},
    record::{State, TaskRecord, date},
};

/// The answer for an id that is nobody's, or another's: the same.
pub(crate) fn not_found() -> ErrorData {
    let data = Some(json!({ "reason": "not_found" }));
    ErrorData::invalid_params("Failed to retrieve task: Task not found", data)
}

/// An error of ours.
pub(crate) fn internal(message: impl Into<String>, reason: &str) -> ErrorData {
    let data = Some(json!({ "reason": reason }));
    ErrorData::new(ErrorCode::INTERNAL_ERROR, message.into(), data)
}

fn iso(time: SystemTime) -> String {
    date(time).to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn task(record: &TaskRecord, status: TaskStatus, poll: Duration) -> Task {
    let created = iso(record.created);
    let mut task = Task::new(record.id.as_str(), status, created, iso(record.updated));
    task.status_message.clone_from(&record.status_message);
    let ttl = record
        .expires
        .and_then(|at| at.duration_since(record.created).ok());
    task.ttl_ms = ttl.map(whole_millis);
    task.poll_interval_ms = Some(whole_millis(poll).max(1));
    task
}

pub(crate) fn whole_millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The answer to the call that it was made of.
pub(crate) fn created(record: &TaskRecord, body: &Body, poll: Duration) -> CreateTaskResult {
    CreateTaskResult::new(task(record, status(record, body), poll))
}

fn status(record: &TaskRecord, body: &Body) -> TaskStatus {
    match record.state {
        State::Completed => TaskStatus::Completed,
        State::Failed => TaskStatus::Failed,
        State::Cancelled => TaskStatus::Cancelled,
        // It may work on while it asks: the arms of a join.
        _ if !body.open.is_empty() => TaskStatus::InputRequired,
        _ => TaskStatus::Working,
    }
}

/// The answer to `tasks/get`.
pub(crate) fn shown(record: &TaskRecord, body: Body, poll: Duration) -> GetTaskResult {
    let status = status(record, &body);
    let payload = match (status, body.end) {
        (TaskStatus::Completed, Some(End::Result(result))) => TaskPayload::Completed {
            result: object(serde_json::to_value(result)),
        },
        (TaskStatus::Failed, Some(End::Error(error))) => TaskPayload::Failed {
            error: object(serde_json::to_value(error)),
        },
        (TaskStatus::InputRequired, _) => TaskPayload::InputRequired {
            input_requests: body.open,
        },
        (TaskStatus::Working, _) => TaskPayload::Working,
        (TaskStatus::Cancelled, _) => TaskPayload::Cancelled,
        _ => failed("its outcome is missing"),
    };
    GetTaskResult::new(DetailedTask::new(task(record, status, poll), payload))
}

/// A task whose row cannot be read.
pub(crate) fn unreadable(record: &TaskRecord, poll: Duration) -> GetTaskResult {
    let payload = failed("the task cannot be read");
    GetTaskResult::new(DetailedTask::new(
        task(record, TaskStatus::Failed, poll),
        payload,
    ))
}

fn failed(why: &str) -> TaskPayload {
    TaskPayload::Failed {
        error: object(serde_json::to_value(internal(why, "corrupt"))),
    }
}

fn object(value: serde_json::Result<Value>) -> JsonObject {
    match value {
        Ok(Value::Object(object)) => object,
        _ => JsonObject::new(),
    }
}
