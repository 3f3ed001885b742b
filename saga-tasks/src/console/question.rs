//! A question as a form, and what was sent of it as an answer.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use maud::{Markup, html};
use rmcp::model::{ElicitRequestParams, InputRequest};
use saga_runtime::{background, elicit::Format};
use serde_json::{Value, json};

use super::{
    fields::{Choice, Field, Kind, Sent, content, fields},
    page::encoded,
};

/// What an operator sent that is no answer, and what is wrong with it: by the name of the field; of none, with all of it.
pub(super) struct Problems {
    pub(super) key: String,
    pub(super) sent: Sent,
    pub(super) wrong: Vec<(String, String)>,
}

impl Problems {
    fn of(&self, field: &str) -> Option<&str> {
        let wrong = self.wrong.iter().find(|(name, _)| name == field);
        wrong.map(|(_, problem)| problem.as_str())
    }
}

/// The value that was sent under a name.
pub(super) fn sent_as<'a>(sent: &'a Sent, name: &str) -> Option<&'a str> {
    let value = sent.iter().find(|(known, _)| known == name);
    value.map(|(_, value)| value.as_str())
}

/// The answer to a question, in the form that a client's has.
///
/// # Errors
/// What is wrong with it.
#[allow(deprecated, reason = "sampling and roots are deprecated by SEP-2577")]
pub(super) fn response(
    question: &InputRequest,
    sent: &Sent,
) -> Result<Value, Vec<(String, String)>> {
    let whole = |problem: &str| vec![(String::new(), problem.to_owned())];
    let answer = match question {
        InputRequest::Elicitation(request) => {
            let action = sent_as(sent, "action").unwrap_or_default();
            match (&request.params, action) {
                (
                    ElicitRequestParams::FormElicitationParams {
                        requested_schema, ..
                    },
                    "accept",
                ) => {
                    let content = content(&fields(requested_schema), sent)?;
                    json!({ "action": action, "content": content })
                }
                _ => json!({ "action": action }),
            }
        }
        _ => {
            let result = sent_as(sent, "result").unwrap_or_default();
            serde_json::from_str(result).map_err(|error| whole(&format!("No JSON: {error}.")))?
        }
    };
    match background::answers(question, &answer) {
        true => Ok(answer),
        false => Err(whole(
            "This is not a result of the kind that was asked for.",
        )),
    }
}

/// A question with the form to answer it. `action` is where it is sent.
#[allow(deprecated, reason = "sampling and roots are deprecated by SEP-2577")]
pub(super) fn form(
    id: &str,
    root: &str,
    key: &str,
    question: &InputRequest,
    problems: Option<&Problems>,
) -> Markup {
    let name = name(key, question);
    let problems = problems.filter(|problems| problems.key == key);
    let all = problems.and_then(|problems| problems.of(""));
    let parts = match question {
        InputRequest::Elicitation(request) => elicitation(&name, &request.params, problems),
        InputRequest::CreateMessage(request) => {
            let sample = json!({ "role": "assistant", "model": "operator", "content": { "type": "text", "text": "" } });
            let asked = serde_json::to_value(&request.params).unwrap_or_default();
            written(
                &name,
                "What the model is to go on",
                &asked,
                &sample,
                problems,
            )
        }
        _ => {
            let asked = json!("The roots of the client.");
            written(
                &name,
                "Asked for",
                &asked,
                &json!({ "roots": [] }),
                problems,
            )
        }
    };
    html! {
        section .card.question id=(name) {
            h2 { "Question " code { (key) } }
            form method="post" action={ (root) "tasks/" (encoded(id)) "/answer" } {
                input type="hidden" name="key" value=(key);
                @if let Some(problem) = all { p .problem role="alert" { (problem) } }
                (parts)
            }
        }
    }
}

/// A name for this question: another one, of the same key, has another.
fn name(key: &str, question: &InputRequest) -> String {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    let question = serde_json::to_string(question).unwrap_or_default();
    question.hash(&mut hasher);
    format!("question-{:016x}", hasher.finish())
}

fn elicitation(name: &str, params: &ElicitRequestParams, problems: Option<&Problems>) -> Markup {
    match params {
        ElicitRequestParams::FormElicitationParams {
            message,
            requested_schema,
            ..
        } => html! {
            p .asked { (message) }
            @if let Some(title) = &requested_schema.title { p .schema { (title) } }
            @if let Some(description) = &requested_schema.description { p .help.about { (description) } }
            @for (at, each) in fields(requested_schema).iter().enumerate() {
                (field(&format!("{name}-{at}"), each, problems))
            }
            (buttons("Accept"))
        },
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
            let safe = url.starts_with("https://") || url.starts_with("http://");
            html! {
                p .asked { (message) }
                p .url {
                    @if safe {
                        a href=(url) target="_blank" rel="noopener noreferrer" { (url) }
                    } @else {
                        code { (url) }
                    }
                }
                (buttons("Accept"))
            }
        }
        _ => html! { p .asked { "A question of a kind that this console does not know." } },
    }
}

fn buttons(accept: &str) -> Markup {
    html! {
        div .buttons {
            button .primary name="action" value="accept" { (accept) }
            button name="action" value="decline" formnovalidate { "Decline" }
            button name="action" value="cancel" formnovalidate { "Dismiss" }
        }
    }
}

/// A question whose answer is written as JSON.
fn written(
    name: &str,
    title: &str,
    asked: &Value,
    sample: &Value,
    problems: Option<&Problems>,
) -> Markup {
    let sent = problems.and_then(|problems| sent_as(&problems.sent, "result"));
    let value = sent.map_or_else(|| pretty(sample), str::to_owned);
    html! {
        p .asked { (title) }
        pre { @match asked { Value::String(text) => (text), other => (pretty(other)) } }
        div .field {
            label for={ (name) "-result" } { "Result, as JSON" }
            textarea id={ (name) "-result" } name="result" rows="7" spellcheck="false" required { (value) }
        }
        div .buttons { button .primary { "Answer" } }
    }
}

pub(super) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn field(id: &str, field: &Field, problems: Option<&Problems>) -> Markup {
    let values = field.values(problems.map(|problems| &problems.sent));
    let problem = problems.and_then(|problems| problems.of(&field.name));
    let told = field.description.is_some().then(|| format!("{id}-help"));
    let wrong = problem.is_some().then(|| format!("{id}-problem"));
    let described: Vec<_> = told.iter().chain(&wrong).map(String::as_str).collect();
    let described = (!described.is_empty()).then(|| described.join(" "));
    let about = html! {
        (field.title)
        @if !field.required { " " span .optional { "optional" } }
    };
    let several = matches!(field.kind, Kind::Boolean | Kind::Choices { .. });
    html! {
        div .field.wrong[problem.is_some()] {
            @if several {
                fieldset aria-describedby=[&described] {
                    legend { (about) }
                    (picks(id, field, &values))
                }
            } @else {
                label for=(id) { (about) }
                (input(id, field, &values, described.as_deref(), problem.is_some()))
            }
            @if let Some(help) = &field.description { p .help id={ (id) "-help" } { (help) } }
            @if let Some(problem) = problem { p .problem id={ (id) "-problem" } { (problem) } }
        }
    }
}

/// One of two, or several of many.
fn picks(id: &str, field: &Field, values: &[String]) -> Markup {
    let has = |value: &str| values.iter().any(|known| known == value);
    let pick = |at: usize, kind: &str, value: &str, title: &str, required: bool| {
        html! {
            label .pick for={ (id) "-" (at) } {
                input id={ (id) "-" (at) } type=(kind) name=(field.input()) value=(value)
                    checked[has(value)] required[required];
                span { (title) }
            }
        }
    };
    match &field.kind {
        Kind::Choices { options, .. } => html! {
            @for (at, option) in options.iter().enumerate() {
                (pick(at, "checkbox", &option.value, &option.title, false))
            }
        },
        _ => html! {
            (pick(0, "radio", "true", "Yes", field.required))
            (pick(1, "radio", "false", "No", field.required))
            @if !field.required {
                label .pick for={ (id) "-2" } {
                    input id={ (id) "-2" } type="radio" name=(field.input()) value="" checked[values.is_empty()];
                    span { "No answer" }
                }
            }
        },
    }
}

fn input(
    id: &str,
    field: &Field,
    values: &[String],
    described: Option<&str>,
    wrong: bool,
) -> Markup {
    let value = values.first().map(String::as_str).unwrap_or_default();
    let invalid = wrong.then_some("true");
    let (name, required) = (field.input(), field.required);
    match &field.kind {
        Kind::Text { min, max, format } => {
            let (kind, sample) = match format {
                Some(Format::Email) => ("email", None),
                Some(Format::Uri) => ("url", None),
                Some(Format::Date) => ("date", None),
                Some(Format::DateTime) => ("text", Some("2026-07-28T12:00:00Z")),
                None => ("text", None),
            };
            // What may be long has more than a line.
            let long = format.is_none() && max.is_none_or(|max| max > 200);
            html! {
                @if long {
                    textarea id=(id) name=(name) rows="2" minlength=[min] maxlength=[max] required[required]
                        aria-describedby=[described] aria-invalid=[invalid] {
                        // The first end of a line is not the text's.
                        "\n" (value)
                    }
                } @else {
                    input id=(id) name=(name) type=(kind) value=(value) placeholder=[sample] minlength=[min]
                        maxlength=[max] required[required] aria-describedby=[described] aria-invalid=[invalid];
                }
            }
        }
        Kind::Number { whole, min, max } => {
            let step = if *whole { "1" } else { "any" };
            html! {
                input id=(id) name=(name) type="number" value=(value) step=(step) min=[min] max=[max]
                    required[required] aria-describedby=[described] aria-invalid=[invalid];
            }
        }
        Kind::Choice(options) => html! {
            select id=(id) name=(name) required[required] aria-describedby=[described] aria-invalid=[invalid] {
                option value="" selected[value.is_empty()] { "–" }
                @for Choice { value: each, title } in options {
                    option value=(each) selected[each == value] { (title) }
                }
            }
        },
        Kind::Boolean | Kind::Choices { .. } => html! {},
    }
}
