//! The console of tasks, as a browser without scripts has it.

mod answering;

use std::{fmt::Write as _, sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{HeaderMap, Request, StatusCode, header},
};
use futures::StreamExt;
use saga_runtime::{CallId, Keyring};
use saga_tasks::{
    MemoryStore, Owner, SqliteStore, State, TaskId, TaskRecord, TaskStore, Tasks, console::Console,
};
use serde_json::json;
use tower::ServiceExt;

use super::{
    process::{Process, accept, quick},
    world::World,
};

/// What came back.
struct Page {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

impl Page {
    #[track_caller]
    fn has(&self, text: &str) -> &Self {
        assert!(self.body.contains(text), "no {text} in: {}", self.body);
        self
    }

    #[track_caller]
    fn lacks(&self, text: &str) -> &Self {
        assert!(!self.body.contains(text), "{text} in: {}", self.body);
        self
    }

    fn location(&self) -> &str {
        self.headers[header::LOCATION].to_str().unwrap()
    }
}

/// A browser at a console.
struct Browser(Router);

impl Browser {
    fn at(tasks: &Tasks) -> Self {
        Self(Console::new(tasks).router())
    }

    async fn send(&self, request: Request<Body>) -> Page {
        let answer = self.0.clone().oneshot(request).await.unwrap();
        let (head, body) = answer.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        Page {
            status: head.status,
            headers: head.headers,
            body: String::from_utf8(body.to_vec()).unwrap(),
        }
    }

    async fn get(&self, path: &str) -> Page {
        let request = Request::get(path).body(Body::empty()).unwrap();
        self.send(request).await
    }

    async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        let mut body = String::new();
        for (name, value) in fields {
            let _ = write!(body, "{}={}&", encoded(name), encoded(value));
        }
        let request = Request::post(path)
            .header("sec-fetch-site", "same-origin")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.send(request.body(Body::from(body)).unwrap()).await
    }

    /// The page of a task until it says this.
    async fn until(&self, id: &str, text: &str) -> Page {
        for _ in 0..3000 {
            let page = self.get(&format!("/tasks/{id}")).await;
            if page.body.contains(text) {
                return page;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!(
            "never {text}: {}",
            self.get(&format!("/tasks/{id}")).await.body
        );
    }
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// A process and a browser at its console.
fn open(world: &Arc<World>, tasks: Tasks) -> (Process, Browser) {
    let browser = Browser::at(&tasks);
    (Process::with(world, tasks), browser)
}

/// A record without a call behind it.
async fn put(store: &impl TaskStore, number: u8, change: impl FnOnce(&mut TaskRecord)) {
    let now = store.now().await.unwrap() - Duration::from_secs(60);
    let created = now + Duration::from_millis(number.into());
    let id = TaskId::named(format!("id-{number:03}"));
    let call = CallId::from_bytes([number; 16]);
    let mut record = TaskRecord::new(
        id,
        call,
        Owner::of(None),
        format!("tool-{number:03}"),
        created,
    );
    (record.state, record.due) = (State::Completed, None);
    change(&mut record);
    store.create(&record).await.unwrap();
}

#[tokio::test]
async fn tasks_are_listed_page_by_page() {
    let store = MemoryStore::new();
    for number in 0..120 {
        put(&store, number, |record| {
            if number % 40 == 7 {
                (record.state, record.attempts) = (State::Failed, 3);
                record.status_message = Some(format!("broken-{number}"));
            }
        })
        .await;
    }
    let browser = Browser::at(&Tasks::new(store));
    let first = browser.get("/tasks").await;
    assert_eq!(first.status, StatusCode::OK);
    first.has("tool-119").has("tool-070").lacks("tool-069");
    let (mut page, mut seen) = (first, Vec::new());
    loop {
        let names = page.body.split("data-label=\"Task\"").skip(1);
        seen.extend(names.map(|row| row.split_once("tool-").unwrap().1[..3].to_owned()));
        let Some((_, next)) = page.body.split_once("rel=\"next\" href=\"") else {
            break;
        };
        let next = next.split_once('"').unwrap().0.replace("&amp;", "&");
        page = browser.get(&format!("/{next}")).await;
    }
    let all: Vec<_> = (0..120)
        .rev()
        .map(|number| format!("{number:03}"))
        .collect();
    assert_eq!(seen, all);
    page.has("Newest");
    let failed = browser.get("/tasks?state=failed").await;
    failed.has("broken-7").has("broken-87").lacks("tool-119");
    assert_eq!(failed.body.matches("data-label=\"Task\"").count(), 3);
    let none = browser.get("/tasks?state=sleeping&after=nonsense").await;
    none.has("There are no tasks here.");
}

#[tokio::test]
async fn nothing_of_a_task_is_markup() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let (process, browser) = open(&world, quick(store.clone()));
    let id = process.begin("fills", json!({})).await;
    process.until(&id, "input_required").await;
    put(&store, 9, |record| {
        record.tool = "<script>tool</script>".to_owned();
        record.owner = Owner::written("\"><script>owner</script>");
        record.id = TaskId::named("a/b?<script>id</script>\"");
        record.status_message = Some("<script>status</script>".to_owned());
    })
    .await;
    let odd = format!("/tasks/{}", encoded("a/b?<script>id</script>\""));
    let page = browser.get(&format!("/tasks/{id}")).await;
    for word in [
        "progress",
        "message",
        "key",
        "Name",
        "of the name",
        "a field of each kind",
    ] {
        page.has(&format!("&lt;script&gt;{word}"));
    }
    let list = browser.get("/tasks").await;
    for word in ["tool", "status", "progress"] {
        list.has(&format!("&lt;script&gt;{word}"));
    }
    let broken = browser.get(&odd).await;
    broken
        .has("&lt;script&gt;tool")
        .has("This task cannot be opened here.");
    let params = json!({ "<script>key</script>": accept(json!({ "name": "Ada", "count": 1, "sure": true, "colour": "Red", "colours": [] })) });
    process.answer(&id, params).await.unwrap();
    let done = browser.until(&id, "badge completed").await;
    done.has("&lt;script&gt;result");
    for page in [
        &page,
        &list,
        &broken,
        &done,
        &browser
            .get("/tasks?after=1.%3Cscript%3E&state=%3Cscript%3E")
            .await,
    ] {
        assert_eq!(page.body.matches("<script").count(), 1, "{}", page.body);
        page.has("script.js\" defer></script>")
            .lacks(" style=")
            .lacks("onerror=");
    }
}

#[tokio::test]
async fn every_answer_has_its_headers() {
    let browser = Browser::at(&Tasks::new(MemoryStore::new()));
    for path in [
        "/",
        "/tasks",
        "/tasks/none",
        "/style.css",
        "/script.js",
        "/icon.svg",
        "/tasks/none/answer",
        "/tasks?after=%FF",
    ] {
        let page = browser.get(path).await;
        let policy = page.headers[header::CONTENT_SECURITY_POLICY]
            .to_str()
            .unwrap();
        assert!(policy.starts_with("default-src 'none'; "), "{path}");
        for part in [
            "style-src 'self'",
            "script-src 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        ] {
            assert!(policy.contains(part), "{part}");
        }
        assert!(!policy.contains("unsafe"));
        assert_eq!(page.headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert_eq!(page.headers[header::REFERRER_POLICY], "same-origin");
        assert_eq!(page.headers[header::CACHE_CONTROL], "no-store");
    }
    assert_eq!(
        browser.get("/tasks/none").await.status,
        StatusCode::NOT_FOUND
    );
    let refused = browser
        .send(
            Request::post("/tasks/none/cancel")
                .body(Body::empty())
                .unwrap(),
        )
        .await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert!(
        refused
            .headers
            .contains_key(header::CONTENT_SECURITY_POLICY)
    );
}

#[tokio::test]
async fn a_row_that_cannot_be_opened_is_shown_as_such() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let process = Process::start(&world, store.clone());
    let id = process.begin("order", json!({})).await;
    process.until(&id, "input_required").await;
    let tasks = quick(store.clone()).workers(0);
    let browser = Browser::at(&tasks);
    let _other = Process::of(&world, tasks, Keyring::new("other", [9; 32]).unwrap());
    let page = browser.get(&format!("/tasks/{id}")).await;
    assert_eq!(page.status, StatusCode::OK);
    page.has("sealed with a key that this process does not have")
        .has("badge waiting")
        .lacks("<form");
    let fields = [("key", "amount"), ("action", "accept"), ("field.n", "4")];
    let answered = browser.post(&format!("/tasks/{id}/answer"), &fields).await;
    assert_eq!(answered.status, StatusCode::CONFLICT);
    put(&store, 1, |record| record.sealed = b"broken".to_vec()).await;
    let broken = browser.get("/tasks/id-001").await;
    broken.has("It is damaged").has("tool-001");
    browser.get("/tasks").await.has("tool-001").has("order");
}

#[tokio::test]
async fn a_store_that_is_down_is_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.db");
    let store = SqliteStore::open(&path).unwrap();
    let browser = Browser::at(&Tasks::new(store));
    assert_eq!(browser.get("/tasks").await.status, StatusCode::OK);
    let file = rusqlite::Connection::open(&path).unwrap();
    file.execute_batch("DROP TABLE saga_task").unwrap();
    for path in ["/tasks", "/tasks/any"] {
        let page = browser.get(path).await;
        assert_eq!(page.status, StatusCode::SERVICE_UNAVAILABLE, "{path}");
        page.has("The store of the tasks does not answer")
            .lacks("SQLite");
    }
    let fields = [("key", "a"), ("action", "accept")];
    for path in ["/tasks/any/answer", "/tasks/any/cancel"] {
        assert_eq!(
            browser.post(path, &fields).await.status,
            StatusCode::SERVICE_UNAVAILABLE
        );
    }
}

#[tokio::test]
async fn its_links_hold_wherever_it_is_mounted() {
    let store = MemoryStore::new();
    put(&store, 1, |_| {}).await;
    let console = Console::new(&Tasks::new(store)).router();
    for (mount, leads) in [("/a/console", "console/tasks"), ("/a/console/", "tasks")] {
        let browser = Browser(Router::new().nest(mount, console.clone()));
        let root = browser.get(mount).await;
        assert_eq!(root.status, StatusCode::TEMPORARY_REDIRECT);
        assert_eq!(root.location(), leads, "{mount}");
        let list = browser.get("/a/console/tasks").await;
        list.has("href=\"tasks/id-001\"").has("href=\"style.css\"");
        let task = browser.get("/a/console/tasks/id-001").await;
        task.has("href=\"../tasks\"")
            .has("href=\"../style.css\"")
            .has("data-events=\"../events?task=id-001&amp;seen=");
        assert_eq!(
            browser.get("/a/console/style.css").await.status,
            StatusCode::OK
        );
    }
    let root = Browser(console.clone()).get("/").await;
    assert_eq!(root.location(), "tasks");
    // What it is mounted under may have parameters.
    let browser = Browser(Router::new().nest("/{tenant}/console", console));
    let task = browser.get("/acme/console/tasks/id-001").await;
    assert_eq!(task.status, StatusCode::OK);
}

#[tokio::test]
async fn a_row_of_an_impossible_time_does_not_take_the_others_along() {
    let store = MemoryStore::new();
    put(&store, 1, |_| {}).await;
    put(&store, 2, |record| {
        record.created += Duration::from_secs(9_000_000_000_000);
    })
    .await;
    let browser = Browser::at(&Tasks::new(store));
    browser.get("/tasks").await.has("id-001").has("id-002");
}

/// The events that a page names.
async fn events(browser: &Browser, page: &Page) -> axum::body::BodyDataStream {
    let (_, events) = page.body.split_once("data-events=\"").unwrap();
    let events = events.split_once('"').unwrap().0.replace("&amp;", "&");
    let events = format!("/{}", events.trim_start_matches("../"));
    let request = Request::get(events).body(Body::empty()).unwrap();
    let answer = browser.0.clone().oneshot(request).await.unwrap();
    assert_eq!(answer.headers()[header::CONTENT_TYPE], "text/event-stream");
    answer.into_body().into_data_stream()
}

#[tokio::test]
async fn a_page_hears_that_it_has_changed() {
    let world = Arc::<World>::default();
    let tasks = quick(MemoryStore::new());
    let (process, browser) = open(&world, tasks.clone());
    let id = process.begin("order", json!({})).await;
    process.until(&id, "input_required").await;
    let list = browser.get("/tasks").await;
    let page = browser.get(&format!("/tasks/{id}")).await;
    let (mut of_list, mut of_task) = (events(&browser, &list).await, events(&browser, &page).await);
    // Nothing has happened yet.
    let quiet = tokio::time::timeout(Duration::from_millis(300), of_task.next());
    assert!(quiet.await.is_err());
    process
        .answer(&id, json!({ "amount": accept(json!({ "n": 1 })) }))
        .await
        .unwrap();
    for stream in [&mut of_list, &mut of_task] {
        let event = stream.next().await.unwrap().unwrap();
        let event = String::from_utf8(event.to_vec()).unwrap();
        assert!(event.contains("data: changed"), "{event}");
    }
    process.until(&id, "completed").await;
    // What a page has not seen, it hears at once.
    let mut late = events(&browser, &page).await;
    assert!(late.next().await.is_some());
    tasks.stop(Duration::from_secs(5)).await;
    while late.next().await.is_some() {}
}

#[tokio::test]
async fn the_legs_of_a_task_are_told_also_those_that_never_ended() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let process = Process::start(&world, store.clone());
    let id = process.begin("film", json!({ "frames": 3 })).await;
    world.gate.add_permits(1);
    let legs = async || {
        let events = world.effects();
        events
            .iter()
            .filter(|event| event.starts_with("1 "))
            .count()
    };
    while legs().await == 0 {
        tokio::task::yield_now().await;
    }
    process.kill();
    // Its lease ends, and the second process takes it over; it is killed before it writes anything.
    let second = Process::start(&world, store.clone());
    while legs().await == 1 {
        tokio::task::yield_now().await;
    }
    second.kill();
    let tasks = quick(store.clone());
    let _third = Process::with(&world, tasks.clone());
    // Who is killed may run a little longer: nobody goes on before the second one's lease is over.
    while legs().await == 2 {
        tokio::task::yield_now().await;
    }
    world.gate.add_permits(10);
    let browser = Browser::at(&tasks);
    let page = browser
        .until(&id, "badge sleeping\">sleeping</span></td>")
        .await;
    let ended: Vec<_> = page
        .body
        .split("data-label=\"Ended\"")
        .skip(1)
        .map(|row| {
            row.split("\">")
                .nth(1)
                .unwrap()
                .split('<')
                .next()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(
        ended,
        [
            "sleeping",
            "went on",
            "went on",
            "never ended, taken over",
            "never ended, taken over",
            "went on"
        ]
    );
    page.has(">unknown<");
}
