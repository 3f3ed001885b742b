//! The saga methods: `tools/callSaga` and `tools/resumeSaga`.

use std::borrow::Cow;

use rmcp::{
    ServerHandler,
    model::{InitializeRequestParams, ProtocolVersion, SubscriptionFilter},
};
use saga_runtime::{SAGA_EXTENSION, SagaServer};
use serde_json::{Value, json};

use super::{
    client::{Replicas, Response, Wire, accept, everything, hello, reply},
    server::Fixture,
};

/// The proposal's call, by a client from before 2026-07-28: its requests have no `_meta`.
async fn request(replicas: &Replicas, method: &str, params: Value) -> Response {
    let mut wire = Wire::session(replicas.server(), replicas.capabilities.clone()).await;
    wire.request(method, params).await
}

async fn start(replicas: &Replicas) -> Value {
    let call = json!({ "name": "complex_tool", "arguments": { "initial_arg": "value" } });
    request(replicas, "tools/callSaga", call).await.unwrap()
}

async fn resume(replicas: &Replicas, before: &Value, steps: Value) -> Response {
    let params = json!({ "sagaToken": before["sagaToken"], "completedSteps": steps });
    request(replicas, "tools/resumeSaga", params).await
}

fn production() -> Value {
    json!({ "stepId": "target", "result": accept(json!({ "target": "production" })) })
}

fn green() -> Value {
    json!({ "stepId": "advice", "result": reply("Yes, all systems are green.") })
}

/// The message, once its token was seen to be one.
fn without_token(mut message: Value) -> Value {
    let token = message
        .as_object_mut()
        .unwrap()
        .remove("sagaToken")
        .unwrap();
    assert!(!token.as_str().unwrap().is_empty());
    message
}

#[tokio::test]
async fn the_example_of_the_proposal_word_for_word() {
    let replicas = Replicas::new();
    let first = start(&replicas).await;
    assert_eq!(
        without_token(first.clone()),
        json!({
            "state": "suspended",
            "steps": [{
                "type": "elicitation",
                "stepId": "target",
                "params": {
                    "message": "Please provide the deployment target:",
                    "requestedSchema": {
                        "type": "object",
                        "properties": { "target": { "type": "string" } },
                        "required": ["target"],
                    },
                },
            }],
        })
    );
    let second = resume(&replicas, &first, json!([production()]))
        .await
        .unwrap();
    assert_eq!(
        without_token(second.clone()),
        json!({
            "state": "suspended",
            "steps": [{
                "type": "sampling",
                "stepId": "advice",
                "params": {
                    "messages": [{
                        "role": "user",
                        "content": {
                            "type": "text",
                            "text": "Is deploying to 'production' safe right now?",
                        },
                    }],
                    "maxTokens": 100,
                },
            }],
        })
    );
    let last = resume(&replicas, &second, json!([production(), green()]))
        .await
        .unwrap();
    assert_eq!(
        last,
        json!({
            "content": [{
                "type": "text",
                "text": "Deployment to production initiated successfully based on confirmation.",
            }],
        })
    );
    assert_eq!(replicas.effects(), ["value", "Yes, all systems are green."]);
}

#[tokio::test]
async fn the_last_step_alone_is_enough() {
    let replicas = Replicas::new();
    let first = start(&replicas).await;
    let second = resume(&replicas, &first, json!([production()]))
        .await
        .unwrap();
    let last = resume(&replicas, &second, json!([green()])).await.unwrap();
    let text = last["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("to production "), "{text}");
    assert_eq!(replicas.effects(), ["value", "Yes, all systems are green."]);
}

#[tokio::test]
async fn a_request_of_2026_07_28_is_served_alike() {
    let replicas = Replicas::new();
    let call = json!({ "name": "complex_tool", "arguments": { "initial_arg": "value" } });
    let first = replicas.request("tools/callSaga", call).await.unwrap();
    assert_eq!(
        without_token(first.clone()),
        without_token(start(&replicas).await)
    );
    let steps = json!({ "sagaToken": first["sagaToken"], "completedSteps": [production()] });
    let second = replicas.request("tools/resumeSaga", steps).await.unwrap();
    assert_eq!(second["steps"][0]["stepId"], "advice");
}

#[tokio::test]
async fn a_step_taken_before_cannot_be_changed() {
    let replicas = Replicas::new();
    let first = start(&replicas).await;
    let second = resume(&replicas, &first, json!([production()]))
        .await
        .unwrap();
    let changed = json!({ "stepId": "target", "result": accept(json!({ "target": "elsewhere" })) });
    let last = resume(&replicas, &second, json!([changed, green()]))
        .await
        .unwrap();
    let text = last["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("to production "), "{text}");
}

#[tokio::test]
async fn an_unknown_step_is_ignored() {
    let replicas = Replicas::new();
    let first = start(&replicas).await;
    let unknown = json!({ "stepId": "another", "result": accept(json!({ "target": "x" })) });
    let again = resume(&replicas, &first, json!([unknown])).await.unwrap();
    assert_eq!(again["steps"], first["steps"]);
    let second = resume(&replicas, &first, json!([unknown, production()]))
        .await
        .unwrap();
    assert_eq!(second["steps"][0]["stepId"], "advice");
    assert_eq!(replicas.effects(), ["value"]);
}

#[tokio::test]
async fn no_steps_ask_again() {
    let replicas = Replicas::new();
    let first = start(&replicas).await;
    let again = resume(&replicas, &first, json!([])).await.unwrap();
    assert_eq!(again["steps"], first["steps"]);
    assert_eq!(replicas.effects(), ["value"]);
}

#[tokio::test]
async fn malformed_steps_are_refused_and_nothing_runs() {
    let replicas = Replicas::new();
    let first = start(&replicas).await;
    let error = json!({ "code": -1, "message": "no" });
    let result = accept(json!({ "target": "x" }));
    let malformed = [
        json!([{ "stepId": "target" }]),
        json!([{ "stepId": "target", "result": result, "error": error }]),
        json!([{ "result": result }]),
        json!([{ "stepId": 1, "result": result }]),
        json!([{ "stepId": "target", "error": { "message": "no code" } }]),
        json!([production(), production()]),
        json!([{ "stepId": "target", "error": error }, production()]),
        json!({ "target": result }),
        Value::Null,
    ];
    for steps in malformed {
        let refused = resume(&replicas, &first, steps.clone()).await.unwrap_err();
        assert_eq!(refused["code"], -32602, "{steps}: {refused}");
        assert_eq!(refused["data"]["reason"], "answers", "{steps}: {refused}");
    }
    assert_eq!(replicas.effects(), ["value"]);
}

#[tokio::test]
async fn malformed_calls_are_refused() {
    let replicas = Replicas::new();
    let malformed = [
        Value::Null,
        json!({}),
        json!({ "name": 1 }),
        json!({ "name": "complex_tool", "arguments": [] }),
        json!({ "name": "no_such_tool" }),
    ];
    for params in malformed {
        let refused = request(&replicas, "tools/callSaga", params.clone())
            .await
            .unwrap_err();
        assert_eq!(refused["code"], -32602, "{params}: {refused}");
    }
    assert!(replicas.effects().is_empty());
}

#[tokio::test]
async fn a_failed_step_reaches_the_tool_as_the_clients_error() {
    let replicas = Replicas::new();
    let first = start(&replicas).await;
    let failed =
        json!({ "stepId": "target", "error": { "code": -7, "message": "no user", "data": [1] } });
    let last = resume(&replicas, &first, json!([failed])).await.unwrap();
    assert_eq!(last["isError"], true);
    assert_eq!(last["content"][0]["text"], "McpError -7 no user [1]");

    let second = resume(&replicas, &first, json!([production()]))
        .await
        .unwrap();
    let failed = json!({ "stepId": "advice", "error": { "code": -8, "message": "no model" } });
    let last = resume(&replicas, &second, json!([failed])).await.unwrap();
    assert_eq!(last["content"][0]["text"], "McpError -8 no model null");
}

#[tokio::test]
async fn a_declined_step_reaches_the_tool() {
    let replicas = Replicas::new();
    let first = start(&replicas).await;
    let declined = json!({ "stepId": "target", "result": { "action": "decline" } });
    let last = resume(&replicas, &first, json!([declined])).await.unwrap();
    assert_eq!(last["content"][0]["text"], "UserDeclined");
}

#[tokio::test]
async fn a_tool_without_asks_completes() {
    let replicas = Replicas::new();
    let last = request(&replicas, "tools/callSaga", json!({ "name": "plain" }))
        .await
        .unwrap();
    assert_eq!(
        last,
        json!({ "content": [{ "type": "text", "text": "plain" }] })
    );
}

#[tokio::test]
async fn the_arguments_ride_in_the_token() {
    let replicas = Replicas::new();
    let all = [
        (
            "bound",
            json!({ "x": 1, "y": { "b": [1, 2.5, null, u64::MAX], "a": "ü" } }),
        ),
        (
            "bound",
            json!({ "x": -0.5, "y": [[], {}, true, 1e300], "more": 1 }),
        ),
        ("named", json!({})),
        ("named", Value::Null),
    ];
    for (tool, arguments) in all {
        let mut call = json!({ "name": tool });
        if !arguments.is_null() {
            call["arguments"] = arguments.clone();
        }
        let first = request(&replicas, "tools/callSaga", call).await.unwrap();
        let yes = json!([{ "stepId": "sure", "result": accept(json!({ "ok": true })) }]);
        let last = resume(&replicas, &first, yes).await.unwrap();
        let text = last["content"][0]["text"].as_str().unwrap();
        if tool == "bound" {
            assert_eq!(text, format!("{} {} true", arguments["x"], arguments["y"]));
        }
        assert!(text.ends_with(" true"), "{text}");
    }
}

#[tokio::test]
async fn roots_and_pages_are_steps_of_their_own_kind() {
    let replicas = Replicas::new();
    let roots = request(&replicas, "tools/callSaga", json!({ "name": "roots" }))
        .await
        .unwrap();
    assert_eq!(
        roots["steps"],
        json!([{ "type": "roots", "stepId": "roots", "params": {} }])
    );
    let page = request(&replicas, "tools/callSaga", json!({ "name": "page" }))
        .await
        .unwrap();
    assert_eq!(page["steps"][0]["params"]["mode"], "url");
}

#[tokio::test]
async fn a_client_is_given_no_step_that_it_cannot_take() {
    let replicas = Replicas::new().for_client(json!({}));
    let last = start(&replicas).await;
    assert_eq!(last["content"][0]["text"], "CapabilityNotSupported");
}

#[tokio::test]
async fn the_methods_are_advertised_in_every_lifecycle() {
    let replicas = Replicas::new();
    let methods = json!({ "methods": ["tools/callSaga", "tools/resumeSaga"] });
    let discovered = replicas
        .request("server/discover", json!({}))
        .await
        .unwrap();
    let info = serde_json::to_value(replicas.server().get_info()).unwrap();
    let mut wire = Wire::open(replicas.server());
    let greeted = wire
        .request("initialize", hello(everything()))
        .await
        .unwrap();
    let mut hello = InitializeRequestParams::default();
    hello.protocol_version = ProtocolVersion::V_2025_11_25;
    let negotiated = replicas.server().negotiate_initialize(&hello).unwrap();
    assert_eq!(negotiated.protocol_version, hello.protocol_version);
    let negotiated = serde_json::to_value(negotiated).unwrap();
    let extended = rmcp::Service::get_info(&replicas.server().extended());
    let extended = serde_json::to_value(extended).unwrap();
    for shown in [discovered, info, greeted, negotiated, extended] {
        assert_eq!(
            shown["capabilities"]["extensions"][SAGA_EXTENSION], methods,
            "{shown}"
        );
    }
}

#[tokio::test]
async fn other_custom_requests_go_to_the_wrapped_handler() {
    let replicas = Replicas::new();
    let refused = request(&replicas, "tools/saga", json!({}))
        .await
        .unwrap_err();
    assert_eq!(refused["code"], -32601);
}

#[tokio::test]
async fn what_is_none_of_ours_is_the_wrapped_handlers() {
    struct Listens;

    impl ServerHandler for Listens {
        fn accepted_subscription_filter(
            &self,
            requested: &SubscriptionFilter,
        ) -> Option<SubscriptionFilter> {
            Some(requested.clone())
        }

        fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
            Cow::Borrowed(&[ProtocolVersion::V_2025_06_18])
        }
    }

    let server = SagaServer::new(Listens);
    let mut filter = SubscriptionFilter::default();
    filter.tools_list_changed = Some(true);
    let accepted = server.accepted_subscription_filter(&filter);
    assert_eq!(accepted.unwrap().tools_list_changed, Some(true));
    let versions = rmcp::Service::supported_protocol_versions(&server.extended());
    assert_eq!(*versions, [ProtocolVersion::V_2025_06_18]);
}

#[tokio::test]
async fn a_tool_is_found_by_its_name_whoever_has_its_router() {
    let replicas = Replicas::new();
    let servers = [
        replicas.server(),
        replicas.server().with_router(Fixture::tool_router()),
    ];
    for server in servers {
        assert_eq!(server.get_tool("plain").unwrap().name, "plain");
        assert_eq!(server.get_tool("nothing"), None);
    }
}
