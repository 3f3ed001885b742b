//! What is made again where a call goes on has to be what it was.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
};

use rmcp::{Peer, RoleServer, handler::server::wrapper::Parameters, service::RequestContext, tool};
use saga_runtime::{AskError, Cx, Elicit, SagaServer, saga, toolbox};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Value, json};

use super::client::{Replicas, Wire, accept};

/// A yes or no.
#[derive(Debug, Deserialize, Elicit)]
struct Sure {
    ok: bool,
}

static COUNTED: AtomicU64 = AtomicU64::new(0);

/// Another one each time, and it cannot be stored.
#[derive(Debug, PartialEq, JsonSchema)]
struct Counted(u64);

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer)?;
        Ok(Self::next())
    }
}

impl Counted {
    fn next() -> Self {
        Self(COUNTED.fetch_add(1, Ordering::Relaxed))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Restless {
    #[serde(default = "Counted::next")]
    counted: Counted,
}

#[saga]
#[tool(description = "Has arguments that are others each time")]
async fn restless(
    cx: Cx,
    Parameters(Restless { counted }): Parameters<Restless>,
) -> Result<String, AskError> {
    let sure = cx.elicit::<Sure>("Sure?").key("sure").await?;
    Ok(format!("{counted:?} {}", sure.ok))
}

#[tokio::test]
async fn arguments_that_are_others_each_time_are_an_error_before_anybody_is_asked() {
    let replicas = Replicas::new();
    let toolbox = toolbox! { tools: [restless] };
    let server = SagaServer::new(toolbox.unwrap()).with_settings(replicas.settings.clone());
    let params = replicas.params(json!({ "name": "restless", "arguments": {} }));
    let refused = Wire::open(server).request("tools/call", params).await;
    assert_eq!(refused.unwrap_err()["data"]["reason"], "store");
    let told = replicas.audit.error().to_string();
    assert!(told.contains("another value each time"), "{told}");
}

/// A part of it is another one each time.
#[derive(Debug, Deserialize, JsonSchema)]
struct Picked {
    #[allow(dead_code, reason = "a form has a field")]
    note: Option<String>,
    #[serde(default = "Counted::next")]
    #[schemars(skip)]
    counted: Counted,
}
rmcp::elicit_safe!(Picked);

#[saga]
#[tool(description = "Picks something out of an answer that is another one each time")]
async fn picks(peer: Peer<RoleServer>) -> String {
    let Ok(Some(picked)) = peer.elicit::<Picked>("Which?").await else {
        return "none".to_owned();
    };
    let counted = picked.counted;
    let sure = peer.elicit::<Picked>("Sure?").await.is_ok();
    format!("{counted:?} {sure}")
}

static IS_OTHER: AtomicBool = AtomicBool::new(false);

/// What is in it can be neither stored nor shown.
struct Opaque(bool);

#[derive(JsonSchema)]
#[schemars(with = "Picked")]
enum Changing {
    One(Opaque),
    Other,
}
rmcp::elicit_safe!(Changing);

impl<'de> Deserialize<'de> for Changing {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer)?;
        Ok(match IS_OTHER.load(Ordering::Relaxed) {
            false => Self::One(Opaque(true)),
            true => Self::Other,
        })
    }
}

#[saga]
#[tool(description = "Looks for something in an answer that is there no more")]
async fn looks(peer: Peer<RoleServer>) -> String {
    let Ok(Some(Changing::One(opaque))) = peer.elicit::<Changing>("Which?").await else {
        return "none".to_owned();
    };
    let sure = peer.elicit::<Picked>("Sure?").await.is_ok();
    format!("{} {sure}", opaque.0)
}

/// Its serde does not read what it writes.
#[derive(Serialize)]
struct OneWay(u32);

impl<'de> Deserialize<'de> for OneWay {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom("the way back is closed"))
    }
}

#[saga]
#[tool(description = "Holds references to what cannot be read back")]
async fn refers(peer: Peer<RoleServer>) -> String {
    let all = vec![OneWay(1), OneWay(2)];
    let large: Vec<&OneWay> = all.iter().filter(|one| one.0 > 1).collect();
    let mut sure = true;
    for turn in 0..2 {
        if turn > 0 {
            sure = peer.elicit::<Picked>("Sure?").await.is_ok();
        }
        sure &= large.len() == 1;
    }
    sure.to_string()
}

#[derive(Serialize, Deserialize)]
struct Hits {
    n: AtomicU32,
}

#[saga]
#[tool(description = "Counts behind a reference that is no place")]
async fn counts(peer: Peer<RoleServer>) -> String {
    let (hits, other) = (Hits { n: 0.into() }, Hits { n: 1.into() });
    let least = |hits: &&Hits| hits.n.load(Ordering::Relaxed);
    let lower = (std::cmp::min_by_key(&hits, &other, least), "lower");
    let sure = peer.elicit::<Picked>("Sure?").await.is_ok();
    lower.0.n.fetch_add(5, Ordering::Relaxed);
    format!("{sure} {}", hits.n.into_inner())
}

#[derive(Clone, Default, Serialize, Deserialize)]
struct Lent {
    titles: Arc<Mutex<Vec<String>>>,
}

#[saga]
#[tool(description = "Has a clone of what it changes")]
async fn lends(peer: Peer<RoleServer>) -> String {
    let lent = Lent::default();
    let same = lent.clone();
    let sure = peer.elicit::<Picked>("Sure?").await.is_ok();
    lent.titles.lock().unwrap().push("Emma".to_owned());
    format!("{sure} {}", same.titles.lock().unwrap().len())
}

fn kept<T>(value: T) -> T {
    value
}

#[saga]
#[tool(description = "Has its request in a variable of its own")]
async fn holds(context: RequestContext<RoleServer>) -> String {
    let held = kept(context.clone());
    let first = held.id.clone();
    let sure = context.peer.elicit::<Picked>("Sure?").await.is_ok();
    format!("{sure} {}", first != held.id && held.id == context.id)
}

/// A server of those, asked by a client of its own for each request.
async fn asked(
    replicas: &Replicas,
    tool: &str,
    token: Option<&str>,
    answers: Value,
) -> Result<Value, Value> {
    let toolbox = toolbox! { tools: [picks, looks, refers, counts, lends, holds] };
    let server = SagaServer::new(toolbox.unwrap()).with_settings(replicas.settings.clone());
    let mut params = json!({ "name": tool, "arguments": {}, "inputResponses": answers });
    if let Some(token) = token {
        params["requestState"] = token.into();
    }
    let mut wire = Wire::open(server);
    // Each has a number of its own.
    if token.is_some() {
        let _ = wire.request("ping", json!({})).await;
    }
    wire.request("tools/call", replicas.params(params)).await
}

fn token(response: &Result<Value, Value>) -> String {
    let response = response.as_ref().expect("a question");
    response["requestState"]
        .as_str()
        .expect("a token")
        .to_owned()
}

/// One for each question.
fn answers(response: &Result<Value, Value>) -> Value {
    let response = response.as_ref().expect("a question");
    let questions = response["inputRequests"].as_object().expect("questions");
    let answer = |key: &String| (key.clone(), accept(json!({})));
    questions.keys().map(answer).collect()
}

#[tokio::test]
async fn a_part_of_an_answer_that_is_another_one_each_time_is_an_error_before_the_next_question() {
    let replicas = Replicas::new();
    let first = asked(&replicas, "picks", None, json!({})).await;
    let refused = asked(&replicas, "picks", Some(&token(&first)), answers(&first)).await;
    assert_eq!(refused.unwrap_err()["data"]["reason"], "store");
    let told = replicas.audit.error().to_string();
    assert!(told.contains("picked out of an answer"), "{told}");
}

#[tokio::test]
async fn what_is_found_no_more_is_another_codes() {
    let replicas = Replicas::new();
    let first = asked(&replicas, "looks", None, json!({})).await;
    let second = asked(&replicas, "looks", Some(&token(&first)), answers(&first)).await;
    let (answer, second) = (answers(&second), token(&second));
    let found = asked(&replicas, "looks", Some(&second), answer.clone()).await;
    assert_eq!(found.expect("a result")["content"][0]["text"], "true true");
    IS_OTHER.store(true, Ordering::Relaxed);
    let refused = asked(&replicas, "looks", Some(&second), answer).await;
    assert_eq!(refused.unwrap_err()["data"]["reason"], "stale");
    let told = replicas.audit.error().to_string();
    assert!(told.contains("a value is not there any more"), "{told}");
}

#[tokio::test]
async fn a_reference_to_what_cannot_be_read_back_is_an_error() {
    let replicas = Replicas::new();
    let refused = asked(&replicas, "refers", None, json!({})).await;
    assert_eq!(refused.unwrap_err()["data"]["reason"], "store");
    let told = replicas.audit.error().to_string();
    assert!(told.contains("`large`"), "{told}");
    assert!(told.contains("the way back is closed"), "{told}");
}

#[tokio::test]
async fn what_is_shared_and_changes_is_an_error_where_serde_shows_it() {
    let replicas = Replicas::new();
    for (tool, variable, shared) in [
        ("counts", "`lower`", "AtomicU32"),
        ("lends", "`lent`", "Mutex<"),
    ] {
        let refused = asked(&replicas, tool, None, json!({})).await;
        assert_eq!(refused.unwrap_err()["data"]["reason"], "store");
        let told = replicas.audit.error().to_string();
        assert!(told.contains(variable) && told.contains(shared), "{told}");
    }
}

#[tokio::test]
async fn a_request_in_a_variable_is_that_which_goes_on() {
    let replicas = Replicas::new();
    let first = asked(&replicas, "holds", None, json!({})).await;
    let result = asked(&replicas, "holds", Some(&token(&first)), answers(&first)).await;
    assert_eq!(result.expect("a result")["content"][0]["text"], "true true");
}
