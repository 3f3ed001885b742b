//! `try_join!`: the first error ends all, and what stands beside it is asked no more.

use rmcp::{tool, tool_router};
use saga_runtime::{AskError, Cx, Elicit, SagaServer, saga};
use serde::Deserialize;
use serde_json::{Value, json};

use super::client::{Replicas, Reply, Wire, accept};

/// A yes or no.
#[derive(Debug, Deserialize, Elicit)]
struct Sure {
    ok: bool,
}

#[derive(Clone)]
struct Tries;

#[tool_router(server_handler)]
impl Tries {
    #[saga]
    #[tool(description = "Questions")]
    async fn questions(&self, cx: Cx) -> String {
        let both = self.try_questions(&cx).await;
        self.then(&cx, both.is_ok()).await
    }

    #[saga]
    async fn try_questions(&self, cx: &Cx) -> Result<bool, AskError> {
        let (one, other) = tokio::try_join!(
            cx.elicit::<Sure>("One?").key("one"),
            cx.elicit::<Sure>("Other?").key("other"),
        )?;
        Ok(one.ok && other.ok)
    }

    #[saga]
    #[tool(description = "Functions that ask")]
    async fn helpers(&self, cx: Cx) -> String {
        let both = self.try_helpers(&cx).await;
        self.then(&cx, both.is_ok()).await
    }

    #[saga]
    async fn try_helpers(&self, cx: &Cx) -> Result<bool, AskError> {
        let (one, other) = tokio::try_join!(self.asks(cx, "one"), self.asks(cx, "other"))?;
        Ok(one && other)
    }

    #[saga]
    #[tool(description = "A function that joins")]
    async fn nested(&self, cx: Cx) -> String {
        let both = self.try_nested(&cx).await;
        self.then(&cx, both.is_ok()).await
    }

    #[saga]
    async fn try_nested(&self, cx: &Cx) -> Result<bool, AskError> {
        let (others, one) = tokio::try_join!(self.pair(cx), self.asks(cx, "one"))?;
        Ok(one && others)
    }

    #[saga]
    async fn asks(&self, cx: &Cx, key: &str) -> Result<bool, AskError> {
        Ok(cx.elicit::<Sure>("Sure?").key(key).await?.ok)
    }

    #[saga]
    async fn pair(&self, cx: &Cx) -> Result<bool, AskError> {
        let (other, third) = tokio::join!(self.asks(cx, "other"), self.asks(cx, "third"));
        Ok(other? && third?)
    }

    #[saga]
    async fn then(&self, cx: &Cx, both: bool) -> String {
        let why = cx.elicit::<Sure>("Why?").key("why").await;
        format!("{both} {}", why.is_ok())
    }
}

async fn call(tool: &str, last: Option<&Reply>, answers: Value) -> Reply {
    let replicas = Replicas::new();
    let mut params = replicas.params(json!({ "name": tool }));
    if let Some(last) = last {
        params["requestState"] = json!(last.token());
        params["inputResponses"] = answers;
    }
    let server = SagaServer::new(Tries).with_settings(replicas.settings.clone());
    Reply(Wire::open(server).request("tools/call", params).await)
}

fn yes() -> Value {
    accept(json!({ "ok": true }))
}

#[tokio::test]
async fn what_stands_beside_an_error_is_asked_no_more() {
    // The one that waits is looked at before the error, or behind it.
    for (tool, key) in [
        ("questions", "one"),
        ("questions", "other"),
        ("helpers", "one"),
        ("helpers", "other"),
        ("nested", "one"),
    ] {
        let first = call(tool, None, Value::Null).await;
        assert_eq!(first.keys()[..2], ["one", "other"], "{tool}");
        let declined = json!({ key: { "action": "decline" } });
        let second = call(tool, Some(&first), declined).await;
        assert_eq!(second.keys(), ["why"], "{tool} {key}");
        let last = call(tool, Some(&second), json!({ "why": yes() })).await;
        assert_eq!(last.text(), "false true", "{tool} {key}");
    }
}

#[tokio::test]
async fn without_an_error_all_are_waited_for() {
    for tool in ["questions", "helpers", "nested"] {
        let first = call(tool, None, Value::Null).await;
        let second = call(tool, Some(&first), json!({ "one": yes() })).await;
        assert_eq!(second.keys()[0], "other", "{tool}");
        let both = json!({ "other": yes(), "third": yes() });
        let third = call(tool, Some(&second), both).await;
        assert_eq!(third.keys(), ["why"], "{tool}");
        let last = call(tool, Some(&third), json!({ "why": yes() })).await;
        assert_eq!(last.text(), "true true", "{tool}");
    }
}
