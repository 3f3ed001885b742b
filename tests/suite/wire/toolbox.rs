//! Free functions with one state: tools, prompts and resources of a toolbox.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use rmcp::{
    handler::server::wrapper::Parameters,
    model::{PromptMessage, Role},
    prompt, tool,
};
use saga_runtime::{
    AskError, Cx, Elicit, SagaServer, State, Toolbox, ToolboxError, Uri, resource, saga, toolbox,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::client::{Replicas, Reply, Response, Wire, accept, everything};

/// The state of a server: each has its own. It could be stored, and is too large for a token.
#[derive(Debug, Serialize, Deserialize)]
struct Desk {
    branch: String,
    shelf: Vec<u8>,
    lent: AtomicUsize,
}

impl Desk {
    fn new(branch: &str) -> Self {
        Self {
            branch: branch.to_owned(),
            shelf: vec![b'x'; 1 << 20],
            lent: AtomicUsize::new(0),
        }
    }

    fn lend(&self) -> usize {
        self.lent.fetch_add(1, Ordering::Relaxed) + 1
    }
}

#[derive(Deserialize, Elicit)]
struct Answer {
    text: String,
}

#[derive(Deserialize, Elicit)]
struct Book {
    title: String,
}

#[saga]
async fn named(cx: &Cx, desk: &Desk, what: &str) -> Result<String, AskError> {
    let before = desk.branch.clone();
    let answer = cx.elicit::<Answer>(what).key("helper").await?;
    Ok(format!("{before}>{}:{}", desk.branch, answer.text))
}

/// Lends a book.
#[saga]
#[tool]
async fn lend(
    cx: Cx,
    State(desk): State<Desk>,
    Parameters(book): Parameters<Book>,
) -> Result<String, AskError> {
    let begun = desk.branch.clone();
    let branch = &desk.branch;
    let first = cx.elicit::<Answer>("Who?").key("who").await?;
    let second = format!("{branch}{}", desk.lend());
    let third = named(&cx, &desk, "And?").await?;
    let fourth = cx.elicit::<Answer>("Till when?").key("till").await?;
    Ok(format!(
        "{} {begun} {second} {third} {} {} {}",
        book.title,
        desk.branch,
        first.text.len(),
        fourth.text
    ))
}

/// The state whole, copied and moved.
#[saga]
#[tool]
async fn whole(cx: Cx, state: State<Desk>) -> Result<String, AskError> {
    let copy = Arc::clone(&state.0);
    let answer = cx.elicit::<Answer>("Who?").key("who").await?;
    let State(moved) = state;
    let more = cx.elicit::<Answer>("And?").key("and").await?;
    Ok(format!(
        "{} {} {}{}",
        copy.branch, moved.branch, answer.text, more.text
    ))
}

#[tool(description = "Asks nobody")]
async fn branch(State(desk): State<Desk>) -> String {
    desk.branch.clone()
}

#[tool(description = "Nor does it wait")]
fn lent(State(desk): State<Desk>, Parameters(book): Parameters<Book>) -> Result<String, String> {
    match book.title.as_str() {
        "" => Err("no title".to_owned()),
        title => Ok(format!("{title} {}", desk.lent.load(Ordering::Relaxed))),
    }
}

/// Recommends a book.
#[saga]
#[prompt]
async fn recommend(
    cx: Cx,
    State(desk): State<Desk>,
    Parameters(book): Parameters<Book>,
) -> Result<Vec<PromptMessage>, rmcp::ErrorData> {
    let before = desk.branch.clone();
    let answer = cx.elicit::<Answer>("For whom?").key("whom").await?;
    let text = format!("{} {before}>{} {}", book.title, desk.branch, answer.text);
    Ok(vec![PromptMessage::new_text(Role::User, text)])
}

#[prompt(name = "plain")]
async fn plain_prompt(State(desk): State<Desk>) -> Vec<PromptMessage> {
    vec![PromptMessage::new_text(Role::User, desk.branch.clone())]
}

/// All books.
#[resource("books://all", title = "All of them")]
async fn all(State(desk): State<Desk>) -> String {
    format!("books of {}", desk.branch)
}

/// What is known of a book.
#[saga]
#[resource("books://{title}", name = "book", mime_type = "text/markdown")]
async fn book(
    cx: Cx,
    State(desk): State<Desk>,
    Uri(uri): Uri,
    Parameters(book): Parameters<Book>,
) -> Result<String, AskError> {
    let before = desk.branch.clone();
    let answer = cx.elicit::<Answer>("Why?").key("why").await?;
    Ok(format!(
        "{uri} {} {before}>{} {}",
        book.title, desk.branch, answer.text
    ))
}

#[resource("files:///{+path}")]
fn file(Parameters(path): Parameters<std::collections::BTreeMap<String, String>>) -> String {
    path.values().cloned().collect()
}

fn library(at: &str) -> Result<Toolbox<Desk>, ToolboxError> {
    toolbox! {
        state: Desk::new(at),
        tools: [lend, whole, branch, lent],
        prompts: [recommend, plain_prompt],
        resources: [book, all, file],
    }
}

/// Each request goes to a new server of this branch.
async fn request(at: &str, method: &str, params: Value) -> Reply {
    let replicas = Replicas::new();
    let server = SagaServer::new(library(at).unwrap()).with_settings(replicas.settings.clone());
    let mut wire = Wire::open(server);
    Reply(wire.request(method, replicas.params(params)).await)
}

/// Goes on at another branch with each answer.
async fn walk(method: &str, params: Value, answers: &[(&str, &str)]) -> Reply {
    let mut reply = request("0", method, params.clone()).await;
    for (step, (key, text)) in answers.iter().enumerate() {
        assert_eq!(reply.keys(), [*key]);
        assert!(reply.token().len() < 2000, "the state is in the token");
        let mut again = params.clone();
        again["requestState"] = json!(reply.token());
        again["inputResponses"] = json!({ *key: accept(json!({ "text": text })) });
        reply = request(&(step + 1).to_string(), method, again).await;
    }
    reply
}

#[tokio::test]
async fn a_tool_goes_on_with_the_state_of_the_server_that_it_goes_on_in() {
    let params = json!({ "name": "lend", "arguments": { "title": "Emma" } });
    let answers = [("who", "me"), ("helper", "x"), ("till", "May")];
    let reply = walk("tools/call", params, &answers).await;
    // A reference into the state is one into the state of the server; what was copied out of it is stored.
    assert_eq!(reply.text(), "Emma 0 11 1>2:x 3 2 May");
}

#[tokio::test]
async fn the_state_as_one_parameter_is_no_more_stored_than_its_parts() {
    let params = json!({ "name": "whole", "arguments": {} });
    let reply = walk("tools/call", params, &[("who", "a"), ("and", "b")]).await;
    assert_eq!(reply.text(), "2 2 ab");
}

#[tokio::test]
async fn functions_that_do_not_ask_have_the_state_too() {
    let call = |name: &str, title: &str| json!({ "name": name, "arguments": { "title": title } });
    let reply = request("east", "tools/call", call("branch", "")).await;
    assert_eq!(reply.text(), "east");
    let reply = request("east", "tools/call", call("lent", "Emma")).await;
    assert_eq!(reply.text(), "Emma 0");
    let reply = request("east", "tools/call", call("lent", "")).await;
    assert_eq!(reply.result()["isError"], true);
    // What does not fit is the tool's own error, as in rmcp's router.
    let wrong = json!({ "name": "lent", "arguments": { "title": 7 } });
    let reply = request("east", "tools/call", wrong).await;
    assert_eq!(reply.result()["isError"], true);
}

#[tokio::test]
async fn a_prompt_goes_on_with_the_state() {
    let params = json!({ "name": "recommend", "arguments": { "title": "Emma" } });
    let reply = walk("prompts/get", params, &[("whom", "me")]).await;
    let text = &reply.result()["messages"][0]["content"]["text"];
    assert_eq!(text, "Emma 0>1 me");
    let reply = request("west", "prompts/get", json!({ "name": "plain" })).await;
    let text = &reply.result()["messages"][0]["content"]["text"];
    assert_eq!(text, "west");
}

#[tokio::test]
async fn a_prompt_of_a_toolbox_needs_no_wrapper() {
    let replicas = Replicas::new();
    let params = json!({ "name": "recommend", "arguments": { "title": "Emma" } });
    let mut wire = Wire::open(library("0").unwrap());
    let first = Reply(
        wire.request("prompts/get", replicas.params(params.clone()))
            .await,
    );
    assert_eq!(first.keys(), ["whom"]);
    let mut again = params;
    again["requestState"] = json!(first.token());
    again["inputResponses"] = json!({ "whom": accept(json!({ "text": "me" })) });
    let last = Reply(wire.request("prompts/get", replicas.params(again)).await);
    let text = &last.result()["messages"][0]["content"]["text"];
    assert_eq!(text, "Emma 0>0 me");
}

#[tokio::test]
async fn a_resource_goes_on_with_the_state_and_its_variables() {
    let uri = "books://Sense%20and%20Sensibility";
    let reply = walk("resources/read", json!({ "uri": uri }), &[("why", "so")]).await;
    let contents = &reply.result()["contents"][0];
    assert_eq!(
        contents["text"],
        format!("{uri} Sense and Sensibility 0>1 so")
    );
    assert_eq!(contents["uri"], uri);
    assert_eq!(contents["mimeType"], "text/markdown");
}

#[tokio::test]
async fn resources_are_found_by_their_uri_before_a_template() {
    let read = |uri: &'static str| request("north", "resources/read", json!({ "uri": uri }));
    let all = read("books://all").await;
    assert_eq!(all.result()["contents"][0]["text"], "books of north");
    let file = read("files:///a/b.txt").await;
    assert_eq!(file.result()["contents"][0]["text"], "a/b.txt");
    for unknown in ["books://", "books://a/b", "other://a", ""] {
        let none = read(unknown).await;
        assert_eq!(none.error()["data"]["uri"], unknown, "{none:?}");
    }
}

#[tokio::test]
async fn a_resources_token_is_for_its_uri() {
    let first = request("0", "resources/read", json!({ "uri": "books://Emma" })).await;
    let other = json!({ "uri": "books://Emmi", "requestState": first.token() });
    assert_eq!(
        request("0", "resources/read", other).await.refusal(),
        "invalid"
    );
}

#[tokio::test]
async fn all_of_it_is_listed() {
    let tools = request("0", "tools/list", json!({})).await;
    assert_eq!(tools.result()["tools"].as_array().unwrap().len(), 4);
    let prompts = request("0", "prompts/list", json!({})).await;
    let listed = &prompts.result()["prompts"];
    assert_eq!(listed.as_array().unwrap().len(), 2);
    assert_eq!(listed[1]["arguments"][0]["name"], "title");
    let resources = request("0", "resources/list", json!({})).await;
    assert_eq!(
        resources.result()["resources"],
        json!([{ "uri": "books://all", "name": "all", "title": "All of them", "description": "All books." }])
    );
    let templates = request("0", "resources/templates/list", json!({})).await;
    assert_eq!(
        templates.result()["resourceTemplates"],
        json!([
            {
                "uriTemplate": "books://{title}", "name": "book",
                "description": "What is known of a book.", "mimeType": "text/markdown"
            },
            { "uriTemplate": "files:///{+path}", "name": "file" },
        ])
    );
    for listed in [prompts, resources, templates] {
        let hints = (&listed.result()["ttlMs"], &listed.result()["cacheScope"]);
        assert_eq!(hints, (&json!(0), &json!("public")));
    }
}

#[tokio::test]
async fn older_clients_are_told_nothing_of_caches() {
    let server = SagaServer::new(library("0").unwrap());
    let mut wire = Wire::session(server, everything()).await;
    for list in ["prompts/list", "resources/list", "resources/templates/list"] {
        let listed = wire.request(list, json!({})).await.unwrap();
        assert!(listed.get("ttlMs").is_none(), "{listed}");
        assert!(listed.get("cacheScope").is_none(), "{listed}");
    }
}

#[tokio::test]
async fn only_what_is_there_is_advertised() {
    let alone = SagaServer::new(toolbox! { tools: [plain_tool] }.unwrap());
    let full = SagaServer::new(library("0").unwrap());
    let mut wire = Wire::open(alone);
    let tools = wire.request("server/discover", Replicas::new().params(json!({})));
    let tools = tools.await.unwrap()["capabilities"].clone();
    assert!(
        tools.get("prompts").is_none() && tools.get("resources").is_none(),
        "{tools}"
    );
    let mut wire = Wire::open(full);
    let all = wire.request("server/discover", Replicas::new().params(json!({})));
    let all = all.await.unwrap()["capabilities"].clone();
    assert!(
        all.get("prompts").is_some() && all.get("resources").is_some(),
        "{all}"
    );
}

#[tool(description = "Nothing")]
fn plain_tool() -> String {
    String::new()
}

#[tool(name = "with space", description = "Nothing")]
fn spaced() -> String {
    String::new()
}

#[prompt(name = "recommend")]
async fn another() -> Vec<PromptMessage> {
    Vec::new()
}

#[resource("books://all")]
async fn again() -> &'static str {
    ""
}

#[test]
fn a_name_that_the_specification_does_not_allow_is_told_when_the_server_is_made() {
    let misnamed = toolbox! { tools: [spaced] };
    let expected = ToolboxError::Name("with space".to_owned());
    assert_eq!(misnamed.err(), Some(expected));
}

#[test]
fn two_of_one_name_are_told_when_the_server_is_made() {
    let twice = toolbox! { prompts: [another, recommend], state: Desk::new("") };
    let expected = ToolboxError::DuplicatePrompt("recommend".to_owned());
    assert_eq!(twice.err(), Some(expected));
    let twice = toolbox! { resources: [again, all], state: Desk::new("") };
    let expected = ToolboxError::DuplicateResource("books://all".to_owned());
    assert_eq!(twice.err(), Some(expected));
}

#[tokio::test]
async fn older_clients_are_asked_live() {
    let server = SagaServer::new(library("south").unwrap());
    let mut wire = Wire::session(server, everything()).await;
    let calls = [
        (
            "tools/call",
            json!({ "name": "whole", "arguments": {} }),
            "/content/0/text",
            "south south xx",
        ),
        (
            "prompts/get",
            json!({ "name": "recommend", "arguments": { "title": "Emma" } }),
            "/messages/0/content/text",
            "Emma south>south x",
        ),
        (
            "resources/read",
            json!({ "uri": "books://Emma" }),
            "/contents/0/text",
            "books://Emma Emma south>south x",
        ),
    ];
    for (method, params, pointer, expected) in calls {
        let id = wire.put(method, params).await;
        let end = loop {
            let message = wire.receive().await;
            if message["id"] == id && message.get("method").is_none() {
                break message;
            }
            let answer = accept(json!({ "text": "x" }));
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer });
            wire.send(answer).await;
        };
        let result: Response = super::client::response(&end);
        assert_eq!(result.unwrap().pointer(pointer).unwrap(), expected);
    }
}
