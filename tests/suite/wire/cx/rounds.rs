//! Over Multi Round-Trip Requests, each round in another server.

use serde_json::{Value, json};

use super::{
    super::client::{accept, everything, reply},
    Desk, failure, question, retry,
};

fn target(target: &str) -> Value {
    accept(json!({ "target": target }))
}

fn count(n: i64) -> Value {
    accept(json!({ "n": n }))
}

#[tokio::test]
async fn a_method_that_the_handle_has_from_a_trait_asks() {
    let desk = Desk::new();
    let rounds = [json!({ "count": count(3) }), json!({ "count-2": count(4) })];
    let last = desk.run("extended", rounds).await;
    assert_eq!(last.text(), "3 and 4");
    assert_eq!(desk.0.world.events(), ["before"]);
}

#[tokio::test]
async fn what_is_said_of_a_question_reaches_the_client() {
    let desk = Desk::new();
    let first = desk.start("deploy").await;
    assert_eq!(first.keys(), ["target"]);
    assert_eq!(
        *question(&first, "target"),
        json!({
            "method": "elicitation/create",
            "params": {
                "mode": "form",
                "message": "Where to?",
                "requestedSchema": {
                    "type": "object",
                    "properties": { "target": { "type": "string", "minLength": 3 } },
                    "required": ["target"],
                },
            },
        })
    );
    let second = desk
        .resume("deploy", &first, json!({ "target": target("staging") }))
        .await;
    assert_eq!(second.keys(), ["summary"]);
    assert_eq!(
        *question(&second, "summary"),
        json!({
            "method": "sampling/createMessage",
            "params": {
                "messages": [
                    { "role": "user", "content": { "type": "text", "text": "Announce staging" } },
                ],
                "systemPrompt": "You are brief.",
                "modelPreferences": { "hints": [{ "name": "small" }, { "name": "large" }] },
                "maxTokens": 200,
                "temperature": 0.5,
                "stopSequences": ["END"],
                "metadata": { "by": "deploy" },
            },
        })
    );
    let last = desk
        .resume("deploy", &second, json!({ "summary": reply("done") }))
        .await;
    assert_eq!(last.text(), "staging: done (client-side-llm-v2)");
    assert_eq!(desk.0.effects(), ["before", "staging"]);
}

#[tokio::test]
async fn a_bad_answer_is_asked_again_with_the_reason_under_a_key_of_its_own() {
    let desk = Desk::new();
    let first = desk.start("verdict").await;
    assert_eq!(first.keys(), ["count"]);
    let second = desk
        .resume("verdict", &first, json!({ "count": count(12) }))
        .await;
    assert_eq!(second.keys(), ["count-2"]);
    assert_eq!(
        question(&second, "count-2")["params"]["message"],
        "How many?\n(`n` must be at most 9)"
    );
    // The answer to the question before is no answer to this one.
    let again = desk
        .resume("verdict", &second, json!({ "count": count(3) }))
        .await;
    assert_eq!(again.keys(), ["count-2"]);
    assert_eq!(question(&again, "count-2"), question(&second, "count-2"));
    let last = desk
        .resume("verdict", &again, json!({ "count-2": count(3) }))
        .await;
    assert_eq!(last.text(), "3 false");
    assert_eq!(desk.0.effects(), ["after"]);
}

#[tokio::test]
async fn a_bad_answer_that_came_along_with_the_call_counts_as_a_try() {
    let desk = Desk::new();
    let params = json!({ "name": "verdict" });
    let early = json!({ "inputResponses": { "count": count(12), "count-2": count(3) } });
    let first = desk.request("tools/call", params, &early).await;
    assert_eq!(first.keys(), ["count-2"]);
    let message = &question(&first, "count-2")["params"]["message"];
    assert_eq!(message, "How many?\n(`n` must be at most 9)");
    let last = desk
        .resume("verdict", &first, json!({ "count-2": count(11) }))
        .await;
    let text = "invalid: the answer does not fit: `n` must be at most 9";
    assert_eq!(last.text(), text);
}

#[tokio::test]
async fn what_is_no_answer_and_came_along_with_the_call_is_no_try() {
    let desk = Desk::new();
    let asked = desk.start("verdict").await;
    for no_answer in [json!({}), reply("3"), json!({ "action": "perhaps" })] {
        let params = json!({ "name": "verdict" });
        let early = json!({ "inputResponses": { "count": no_answer } });
        let first = desk.request("tools/call", params, &early).await;
        assert_eq!(question(&first, "count"), question(&asked, "count"));
    }
}

#[tokio::test]
async fn when_the_tries_are_used_up_the_tool_has_the_reason() {
    let desk = Desk::new();
    let rounds = [
        json!({ "count": count(12) }),
        json!({ "count-2": accept(json!({})) }),
    ];
    let last = desk.run("verdict", rounds).await;
    assert_eq!(
        last.text(),
        "invalid: the answer does not fit: `n` is needed"
    );
}

#[tokio::test]
async fn a_form_is_shown_three_times_where_nothing_is_said() {
    let desk = Desk::new();
    let mut last = desk.start("deploy").await;
    for _ in 0..3 {
        let key = last.keys()[0].to_owned();
        last = desk
            .resume("deploy", &last, json!({ key: target("ab") }))
            .await;
    }
    assert_eq!(
        failure(last.result()),
        "the answer does not fit: `target` must have at least 3 characters"
    );
    assert_eq!(desk.0.effects(), ["before"]);
}

#[tokio::test]
async fn every_outcome_is_defined() {
    let outcomes = [
        (
            json!({ "action": "decline" }),
            "declined: the user declined",
        ),
        (
            json!({ "action": "cancel" }),
            "dismissed: the user dismissed the question",
        ),
        (
            json!({ "action": "decline", "content": { "n": 3 } }),
            "declined: the user declined",
        ),
        // More than was asked for is not looked at; null is left empty; `3.0` is a whole number.
        (accept(json!({ "n": 3, "more": [{}] })), "3 false"),
        (accept(json!({ "n": 3, "extra": null })), "3 false"),
        (accept(json!({ "n": 3.0, "extra": true })), "3 true"),
    ];
    for (answer, verdict) in outcomes {
        let desk = Desk::new();
        let last = desk
            .run("verdict", [json!({ "count": answer, "nobody asked": 7 })])
            .await;
        assert_eq!(last.text(), verdict);
        assert_eq!(desk.0.effects(), ["after"]);
    }
}

#[tokio::test]
async fn what_is_no_answer_at_all_is_asked_again_as_it_was() {
    let desk = Desk::new();
    let mut last = desk.start("verdict").await;
    let asked = question(&last, "count").clone();
    for no_answer in [
        Value::Null,
        json!(7),
        json!({}),
        reply("3"),
        json!({ "action": "perhaps" }),
    ] {
        last = desk
            .resume("verdict", &last, json!({ "count": no_answer }))
            .await;
        assert_eq!(*question(&last, "count"), asked);
    }
}

#[tokio::test]
async fn an_answer_that_was_taken_stands_and_one_that_comes_twice_counts_once() {
    let desk = Desk::new();
    let first = desk.start("looped").await;
    let second = desk
        .resume("looped", &first, json!({ "n": count(1) }))
        .await;
    let answers = json!({ "n": count(9), "n-2": count(2) });
    let third = desk.resume("looped", &second, answers).await;
    let last = desk
        .resume(
            "looped",
            &third,
            json!({ "n-2": count(9), "n-3": count(4) }),
        )
        .await;
    assert_eq!(last.text(), "7");
    // The same token again: the tool goes on again from there, with the answers of this time.
    let other = desk
        .resume("looped", &third, json!({ "n-3": count(0) }))
        .await;
    assert_eq!(other.text(), "3");
}

#[tokio::test]
async fn an_answer_after_its_time_is_an_error_that_says_so() {
    let desk = Desk::new();
    let last = desk.run("hurried", [json!({ "count": count(3) })]).await;
    assert_eq!(failure(last.result()), "no answer within 0ns");
}

#[tokio::test]
async fn questions_that_are_joined_keep_their_keys() {
    let desk = Desk::new();
    let first = desk.start("together").await;
    assert_eq!(first.keys(), ["count-key", "roots-key", "target-key"]);
    // One answer is bad: only this question and the one without an answer are put again.
    let answers = json!({ "count-key": count(12), "target-key": target("staging") });
    let second = desk.resume("together", &first, answers).await;
    assert_eq!(second.keys(), ["count-key-2", "roots-key"]);
    let answers = json!({
        "count-key-2": count(4),
        "roots-key": { "roots": [{ "uri": "file:///a" }, { "uri": "file:///b" }] },
    });
    let last = desk.resume("together", &second, answers).await;
    assert_eq!(last.text(), "staging 4 2");
    assert_eq!(desk.0.effects(), ["after"]);
}

#[tokio::test]
async fn what_a_helper_gave_is_kept_while_others_wait() {
    let desk = Desk::new();
    let first = desk.start("sides").await;
    assert_eq!(first.keys(), ["said", "same"]);
    let declined = json!({ "same": { "action": "decline" } });
    let second = desk.resume("sides", &first, declined).await;
    assert_eq!(second.keys(), ["said"]);
    let said = json!({ "said": reply("done") });
    let third = desk.resume("sides", &second, said).await;
    assert_eq!(third.keys(), ["after"]);
    let after = json!({ "after": count(1) });
    let last = desk.resume("sides", &third, after).await;
    assert_eq!(last.text(), r#"Some("done") Err(Declined)"#);
}

#[tokio::test]
async fn a_key_in_a_loop_is_numbered() {
    let desk = Desk::new();
    let mut last = desk.start("looped").await;
    for (key, n) in [("n", 1), ("n-2", 2), ("n-3", 4)] {
        assert_eq!(last.keys(), [key]);
        last = desk.resume("looped", &last, json!({ key: count(n) })).await;
    }
    assert_eq!(last.text(), "7");
    assert_eq!(desk.0.effects(), ["0", "1", "2"]);
}

#[tokio::test]
async fn a_key_that_is_chosen_twice_in_a_round_is_an_error_that_names_both() {
    let desk = Desk::new();
    let refused = desk.start("clash").await;
    let error = refused.error();
    assert_eq!(error["code"], -32603);
    assert_eq!(error["data"]["reason"], "key");
    assert_eq!(
        error["message"],
        "the key `same` was chosen twice in one round, in `left` and in `right`"
    );
}

#[tokio::test]
async fn helpers_that_are_given_the_context_suspend_with_their_caller() {
    let desk = Desk::new();
    let rounds = [
        json!({ "same": count(1) }),
        json!({ "count": count(2) }),
        json!({ "count-2": count(3) }),
    ];
    let last = desk.run("helped", rounds).await;
    assert_eq!(last.text(), "7");
    assert_eq!(desk.0.effects(), ["7"]);
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_is_the_tools_error() {
    let desk = Desk::for_client(json!({ "elicitation": { "url": {} } }));
    for (tool, text) in [
        (
            "deploy",
            "the client cannot be asked this: it does not declare `elicitation`",
        ),
        (
            "roots",
            "the client cannot be asked this: it does not declare `roots`",
        ),
    ] {
        assert_eq!(failure(desk.start(tool).await.result()), text);
    }
    let desk = Desk::for_client(json!({ "elicitation": {} }));
    assert_eq!(
        failure(desk.start("page").await.result()),
        "the client cannot be asked this: it does not declare `elicitation.url`"
    );
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_is_32021_where_the_tool_says_so() {
    let without_tools = json!({ "sampling": {} });
    let cases = [
        ("strict", json!({}), json!({ "elicitation": {} })),
        ("tooled", json!({}), json!({ "sampling": { "tools": {} } })),
        (
            "tooled",
            without_tools,
            json!({ "sampling": { "tools": {} } }),
        ),
        (
            "no_page",
            json!({ "elicitation": {} }),
            json!({ "elicitation": { "url": {} } }),
        ),
    ];
    for (tool, capabilities, required) in cases {
        let refused = Desk::for_client(capabilities).start(tool).await;
        let error = refused.error();
        assert_eq!(error["code"], -32021, "{error}");
        assert_eq!(error["data"], json!({ "requiredCapabilities": required }));
    }
}

#[tokio::test]
async fn a_user_who_says_no_is_an_error_of_the_call_where_the_tool_says_so() {
    let cases = [
        (
            json!({ "action": "decline" }),
            "declined",
            "the user declined",
        ),
        (
            json!({ "action": "cancel" }),
            "dismissed",
            "the user dismissed the question",
        ),
        (
            target("ab"),
            "invalid",
            "the answer does not fit: `target` must have at least 3 characters",
        ),
    ];
    for (answer, reason, message) in cases {
        let refused = Desk::new()
            .run("strict", [json!({ "where": answer })])
            .await;
        let error = refused.error();
        assert_eq!(error["code"], -32600);
        assert_eq!(error["message"], message);
        assert_eq!(error["data"]["reason"], reason);
    }
}

#[tokio::test]
async fn a_page_is_asked_for_under_its_key() {
    let desk = Desk::new();
    let first = desk.start("page").await;
    let params = &question(&first, "sign")["params"];
    assert_eq!(params["mode"], "url");
    assert_eq!(params["url"], "https://example.com/sign");
    assert_eq!(params["message"], "Please sign");
    let last = desk
        .resume("page", &first, json!({ "sign": { "action": "accept" } }))
        .await;
    assert_eq!(last.text(), "signed");
    let declined = desk
        .resume("page", &first, json!({ "sign": { "action": "decline" } }))
        .await;
    assert_eq!(failure(declined.result()), "the user declined");
    assert_eq!(desk.0.effects(), ["signed"]);
}

#[tokio::test]
async fn a_page_without_a_url_is_not_asked_for() {
    let refused = Desk::new().start("no_page").await;
    let error = refused.error();
    assert_eq!(error["code"], -32602, "{error}");
    // What it says may be a secret.
    let message = "what `elicit_url` was given is no valid URL";
    assert_eq!(error["message"], message);
}

#[tokio::test]
async fn a_conversation_and_tools_reach_the_model() {
    let desk = Desk::new();
    let first = desk.start("tooled").await;
    let params = &question(&first, "talk")["params"];
    assert_eq!(params["messages"][1]["role"], "assistant");
    assert_eq!(params["tools"][0]["name"], "clock");
    assert_eq!(params["maxTokens"], 1024);
    let last = desk
        .resume("tooled", &first, json!({ "talk": reply("x") }))
        .await;
    assert_eq!(last.text(), "client-side-llm-v2");
}

#[tokio::test]
async fn roots_are_a_list() {
    let roots = json!({ "roots": { "roots": [{ "uri": "file:///a" }, { "uri": "file:///b" }] } });
    let last = Desk::new().run("roots", [roots]).await;
    assert_eq!(last.text(), "file:///a file:///b");
}

#[tokio::test]
async fn a_choice_of_several_is_a_list_of_names() {
    let desk = Desk::new();
    let first = desk.start("several").await;
    let schema = &question(&first, "sizes")["params"]["requestedSchema"];
    assert_eq!(
        schema["properties"]["sizes"],
        json!({ "type": "array", "items": { "type": "string", "enum": ["Small", "Large"] } })
    );
    let sizes = accept(json!({ "sizes": ["Large", "Small"] }));
    let last = desk
        .resume("several", &first, json!({ "sizes": sizes }))
        .await;
    assert_eq!(last.text(), "[Large, Small]");
}

#[tokio::test]
async fn what_the_client_can_do_is_said_by_each_request() {
    let desk = Desk::new();
    let first = desk.start("facts").await;
    let forms = Desk(desk.0.for_client(json!({ "elicitation": {} })));
    let last = forms
        .resume("facts", &first, json!({ "count": count(1) }))
        .await;
    assert_eq!(last.text(), "2026-07-28 true false false false false");
    assert_eq!(
        desk.0.effects(),
        ["2026-07-28 true true true true true", "true", "true"]
    );
}

#[tokio::test]
async fn a_prompt_takes_the_context() {
    let desk = Desk::new();
    let params = json!({ "name": "toned" });
    let first = desk
        .request("prompts/get", params.clone(), &Value::Null)
        .await;
    assert_eq!(first.keys(), ["target"]);
    let answer = json!({ "target": target("tea") });
    let last = desk
        .request("prompts/get", params, &retry(&first, answer))
        .await;
    assert_eq!(last.result()["messages"][0]["content"]["text"], "tea");
}

#[tokio::test]
async fn a_handlers_own_method_makes_the_context_of_its_request() {
    let desk = Desk::new();
    let params = json!({ "uri": "file:///a" });
    let first = desk
        .request("resources/read", params.clone(), &Value::Null)
        .await;
    assert_eq!(
        question(&first, "count")["params"]["message"],
        "How much of file:///a?"
    );
    let answer = json!({ "count": count(3) });
    let last = desk
        .request("resources/read", params, &retry(&first, answer))
        .await;
    assert_eq!(last.result()["contents"][0]["text"], "3");
    assert_eq!(desk.0.effects(), ["asked for"]);
}

#[tokio::test]
async fn without_saga_a_client_between_requests_is_an_error_that_says_what_to_do() {
    let desk = Desk::for_client(everything());
    let why = "this client is asked between requests: await the question where it is made, in a \
               `#[saga]` function";
    let result = desk.start("plain").await;
    assert_eq!(
        failure(result.result()),
        format!("the question was refused: {why}")
    );
    let refused = desk.start("plain_strict").await;
    assert_eq!(refused.error()["code"], -32603);
    assert_eq!(refused.error()["message"], why);
}

#[tokio::test]
async fn fields_are_in_the_order_of_the_struct_on_every_stateless_wire() {
    let desk = Desk::new();
    let names = |schema: &Value| -> Vec<String> {
        schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect()
    };
    let asked = desk.start("verdict").await;
    let asked = &question(&asked, "count")["params"]["requestedSchema"];
    assert_eq!(names(asked), ["n", "extra"]);
    let step = desk
        .request("tools/callSaga", json!({ "name": "verdict" }), &Value::Null)
        .await;
    let step = &step.0.unwrap()["steps"][0]["params"]["requestedSchema"];
    assert_eq!(names(step), ["n", "extra"]);
}
