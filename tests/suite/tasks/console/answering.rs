//! What an operator does to a task, and what nobody else does.

use std::sync::Arc;

use axum::{
    body::Body,
    http::{Request, StatusCode, header},
};
use saga_tasks::{MemoryStore, TaskId, TaskStore};
use serde_json::json;

use super::{
    super::{
        process::{Process, quick},
        text,
        world::World,
    },
    open,
};

#[tokio::test]
async fn a_task_is_shown_and_answered() {
    let world = Arc::<World>::default();
    let (process, browser) = open(&world, quick(MemoryStore::new()));
    let id = process.begin("order", json!({})).await;
    process.until(&id, "input_required").await;
    let page = browser.get(&format!("/tasks/{id}")).await;
    page.has("How many?")
        .has("name=\"field.n\"")
        .has("min=\"1\"");
    // Where it stands, though nobody said how its tool looks.
    page.has("it stands at 1").has("elicit::&lt;Amount&gt;");
    page.has("<span class=\"badge waiting\">waiting</span>");
    let answer = format!("/tasks/{id}/answer");
    let fields = [("key", "amount"), ("action", "accept"), ("field.n", "4")];
    let sent = browser.post(&answer, &fields).await;
    assert_eq!(
        (sent.status, sent.location()),
        (StatusCode::SEE_OTHER, &*format!("../{id}"))
    );
    let done = process.until(&id, "completed").await;
    assert_eq!(text(&done), "4 ordered");
    let page = browser.get(&format!("/tasks/{id}")).await;
    page.has("4 ordered")
        .lacks("name=\"field.n\"")
        .lacks("Cancel the task");
    assert_eq!(page.body.matches("data-label=\"Began\"").count(), 2, "legs");
    // The question is not open any more.
    let late = browser.post(&answer, &fields).await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    late.has("This question is not open any more.");
}

#[tokio::test]
async fn every_kind_of_field_is_a_form_and_its_errors_are_shown() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let (process, browser) = open(&world, quick(store.clone()));
    let id = process.begin("fills", json!({})).await;
    process.until(&id, "input_required").await;
    let page = browser.get(&format!("/tasks/{id}")).await;
    for part in [
        "minlength=\"2\" maxlength=\"5\" required",
        "type=\"email\"",
        "type=\"date\"",
        "type=\"url\"",
        "placeholder=\"2026-07-28T12:00:00Z\"",
        "type=\"number\" value=\"3\" step=\"1\" min=\"1\" max=\"9\" required",
        "step=\"any\" min=\"0.5\"",
        "type=\"radio\" name=\"field.sure\" value=\"true\" required",
        "type=\"radio\" name=\"field.maybe\" value=\"\" checked",
        "<option value=\"Blue\">As the sea</option>",
        "type=\"checkbox\" name=\"field.colours\" value=\"Red\"",
    ] {
        page.has(part);
    }
    let before = store
        .get(&TaskId::named(id.as_str()))
        .await
        .unwrap()
        .unwrap();
    let answer = format!("/tasks/{id}/answer");
    let wrong = [
        ("key", "<script>key</script>"),
        ("action", "accept"),
        ("field.name", "<script>"),
        ("field.mail", "nobody"),
        ("field.day", "tomorrow"),
        ("field.page", "no page"),
        ("field.at", "noon"),
        ("field.count", "10"),
        ("field.share", "0.25"),
        ("field.maybe", "perhaps"),
        ("field.colour", "Green"),
        ("field.colours", "Red"),
        ("field.colours", "Blue"),
    ];
    let refused = browser.post(&answer, &wrong).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    for problem in [
        "At most 5 characters.",
        "An e-mail address.",
        "A date like",
        "A URI",
        "A time like",
        "At most 9.",
        "At least 0.5.",
        "This is needed.",
        "Yes or no.",
        "One of the choices.",
        "At most 1 of the choices.",
        "value=\"nobody\"",
    ] {
        refused.has(problem);
    }
    assert_eq!(refused.body.matches("class=\"problem\"").count(), 11);
    refused
        .lacks("<script>n")
        .lacks("<script>\"")
        .lacks("<script><");
    let after = store
        .get(&TaskId::named(id.as_str()))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(after, before, "nothing is stored");
    let right = [
        ("key", "<script>key</script>"),
        ("action", "accept"),
        ("field.name", "Ada"),
        ("field.mail", ""),
        ("field.notes", "one\r\ntwo"),
        ("field.count", "2"),
        ("field.share", "1"),
        ("field.sure", "false"),
        ("field.maybe", ""),
        ("field.colour", "Blue"),
        ("field.colours", "Red"),
    ];
    let sent = browser.post(&answer, &right).await;
    assert_eq!(sent.status, StatusCode::SEE_OTHER, "{}", sent.body);
    let done = process.until(&id, "completed").await;
    let all = "name: \"Ada\", mail: None, day: None, page: None, at: None, notes: Some(\"one\\ntwo\"), count: 2, share: Some(1.0), sure: false, maybe: None, colour: Blue, colours: [Red]";
    assert!(text(&done).contains(all), "{}", text(&done));
}

#[tokio::test]
async fn what_is_no_form_is_answered_too() {
    let world = Arc::<World>::default();
    let (process, browser) = open(&world, quick(MemoryStore::new()));
    let capabilities = json!({
        "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {},
        "extensions": { "io.modelcontextprotocol/tasks": {} },
    });
    let params = json!({ "name": "others", "arguments": {} });
    let call = process.request_of("alice", capabilities, "tools/call", params);
    let id = call.await.unwrap()["taskId"].as_str().unwrap().to_owned();
    process.until(&id, "input_required").await;
    let page = browser.get(&format!("/tasks/{id}")).await;
    let link =
        "href=\"https://sign.example/?a=1&amp;b=2\" target=\"_blank\" rel=\"noopener noreferrer\"";
    page.has(link)
        .has("<code>javascript:alert(1)</code>")
        .lacks("href=\"javascript");
    let answer = format!("/tasks/{id}/answer");
    for (key, result, problem) in [
        ("said", "{", "No JSON"),
        ("roots", "{}", "This is not a result of the kind"),
    ] {
        let refused = browser
            .post(&answer, &[("key", key), ("result", result)])
            .await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
        refused.has(problem);
    }
    let message =
        json!({ "role": "assistant", "model": "me", "content": { "type": "text", "text": "yes" } });
    for fields in [
        [("key", "signed"), ("action", "accept")],
        [("key", "opened"), ("action", "decline")],
        [("key", "said"), ("result", &message.to_string())],
        [
            ("key", "roots"),
            ("result", r#"{"roots":[{"uri":"file:///a"}]}"#),
        ],
    ] {
        let sent = browser.post(&answer, &fields).await;
        assert_eq!(
            sent.status,
            StatusCode::SEE_OTHER,
            "{fields:?} {}",
            sent.body
        );
    }
    let done = process.until(&id, "completed").await;
    assert_eq!(text(&done), "true false true 1");
}

#[tokio::test]
async fn a_task_is_cancelled_by_a_process_that_runs_none() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let works = Process::start(&world, store.clone());
    let (_idle, browser) = open(&world, quick(store).workers(0));
    let id = works.begin("order", json!({})).await;
    works.until(&id, "input_required").await;
    let page = browser.get(&format!("/tasks/{id}")).await;
    page.has("that this process does not know");
    // Only a form of its own page does it.
    let path = format!("/tasks/{id}/cancel");
    assert_eq!(
        browser.get(&path).await.status,
        StatusCode::METHOD_NOT_ALLOWED
    );
    assert_eq!(browser.post(&path, &[]).await.status, StatusCode::SEE_OTHER);
    works.until(&id, "cancelled").await;
    assert_eq!(world.effects(), ["before", "undone"]);
    browser
        .get(&format!("/tasks/{id}"))
        .await
        .has("badge cancelled");
    assert_eq!(
        browser.post("/tasks/none/cancel", &[]).await.status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn another_site_changes_nothing() {
    let world = Arc::<World>::default();
    let (process, browser) = open(&world, quick(MemoryStore::new()));
    let id = process.begin("order", json!({})).await;
    process.until(&id, "input_required").await;
    let kind = (header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    let post = async |headers: &[(&str, &str)]| {
        let mut request =
            Request::post(format!("/tasks/{id}/answer")).header(kind.0.clone(), kind.1);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = Body::from("key=amount&action=accept&field.n=4");
        browser.send(request.body(body).unwrap()).await.status
    };
    for foreign in [
        &[][..],
        &[("host", "console.example")],
        &[("sec-fetch-site", "cross-site")],
        &[
            ("sec-fetch-site", "same-site"),
            ("host", "a.example"),
            ("origin", "https://a.example"),
        ],
        &[("sec-fetch-site", "none")],
        &[
            ("host", "console.example"),
            ("origin", "https://evil.example"),
        ],
        &[
            ("host", "console.example"),
            ("origin", "https://console.example:8443"),
        ],
        &[("host", "console.example"), ("origin", "null")],
    ] {
        assert_eq!(post(foreign).await, StatusCode::FORBIDDEN, "{foreign:?}");
    }
    assert_eq!(process.get(&id).await["status"], "input_required");
    let own = [
        ("host", "console.example"),
        ("origin", "http://Console.example"),
    ];
    assert_eq!(post(&own).await, StatusCode::SEE_OTHER);
    process.until(&id, "completed").await;
}
