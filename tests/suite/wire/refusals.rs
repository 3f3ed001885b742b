//! What a token opens, and what it does not: nothing of the tool runs on a token that is refused.

use std::time::Duration;

use saga_runtime::{Error, Keyring, Reason, Settings};
use serde_json::{Value, json};

use super::client::{Call, Replicas, Reply, Wire, accept};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

pub(super) fn yes() -> Value {
    json!({ "sure": accept(json!({ "ok": true })) })
}

pub(super) fn settings(id: &str, byte: u8) -> Settings {
    Settings::new(Keyring::new(id, [byte; 32]).unwrap())
}

pub(super) fn bound(replicas: &Replicas) -> Call<'_> {
    replicas.call_with("bound", json!({ "x": 1, "y": { "a": 1, "b": [2, null] } }))
}

/// Presents the token of a suspended `bound` to `call`, which must refuse it before anything runs. Gives the
/// reason that the server has.
pub(super) async fn refused(replicas: &Replicas, call: Call<'_>, token: &str) -> &'static str {
    let before = replicas.effects();
    let reply = call.resume(token, yes()).await;
    assert_eq!(replicas.effects(), before, "something ran: {reply:?}");
    why(replicas, &reply)
}

/// The reason that the server has for a refusal, of which the client is told no more than it needs.
fn why(replicas: &Replicas, reply: &Reply) -> &'static str {
    let reason = replicas.audit.error().reason().unwrap();
    let told = match reason {
        Reason::Expired => "expired",
        Reason::Stale => "stale",
        Reason::Used => "used",
        Reason::TooLarge => "too_large",
        _ => "invalid",
    };
    assert_eq!(reply.refusal(), told);
    let message = reply.error()["message"].as_str().unwrap();
    for secret in ["bound", "named", "first", "key", "principal", "argument"] {
        assert!(!message.contains(secret), "{message}");
    }
    reason.as_str()
}

/// The token with one of its bits the other way.
fn flipped(token: &str, at: usize, bit: usize) -> String {
    let mut bytes = token.as_bytes().to_vec();
    let value = ALPHABET
        .iter()
        .position(|digit| *digit == bytes[at])
        .unwrap();
    bytes[at] = ALPHABET[value ^ (1 << bit)];
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn a_token_with_any_bit_flipped_is_refused() {
    let replicas = Replicas::new();
    let call = bound(&replicas);
    let first = call.start().await;
    let token = first.token();
    let mut wire = Wire::open(replicas.server());
    let mut seen = std::collections::BTreeSet::new();
    for at in 0..token.len() {
        for bit in 0..6 {
            let token = flipped(token, at, bit);
            let params = replicas.params(call.params(Some(&token), yes()));
            let reply = Reply(wire.request("tools/call", params).await);
            seen.insert(why(&replicas, &reply).to_owned());
        }
    }
    let reasons: Vec<&str> = seen.iter().map(String::as_str).collect();
    // The version before this one is a bit away from it.
    assert_eq!(
        reasons,
        ["malformed", "mismatch", "stale", "tampered", "unknown_key"]
    );
    assert_eq!(replicas.effects(), ["before"]);
    assert_eq!(
        call.resume(token, yes()).await.text(),
        r#"1 {"a":1,"b":[2,null]} true"#
    );
}

#[tokio::test]
async fn a_token_that_was_cut_or_lengthened_is_refused() {
    let replicas = Replicas::new();
    let first = bound(&replicas).start().await;
    let token = first.token();
    for len in 0..token.len() {
        let reason = refused(&replicas, bound(&replicas), &token[..len]).await;
        assert!(["malformed", "tampered"].contains(&reason), "{reason}");
    }
    for more in ["A", "AA", "AAAA", "=", "-TAMPERED", " ", "\n", "\0"] {
        let reason = refused(&replicas, bound(&replicas), &format!("{token}{more}")).await;
        assert!(
            ["malformed", "tampered"].contains(&reason),
            "{more:?}: {reason}"
        );
    }
}

#[tokio::test]
async fn what_is_no_token_is_malformed() {
    let replicas = Replicas::new();
    for text in [
        "",
        "A",
        "AAAA",
        "not base64!",
        "ü",
        "{\"step\":1}",
        "+/+/",
        "AQID.BAUG",
    ] {
        let reason = refused(&replicas, bound(&replicas), text).await;
        assert_eq!(reason, "malformed", "{text:?}");
    }
    assert!(replicas.effects().is_empty());
}

#[tokio::test]
async fn a_token_is_its_tools_alone() {
    let replicas = Replicas::new();
    let arguments = json!({ "x": 1, "y": 2 });
    let first = replicas.call_with("bound", arguments.clone()).start().await;
    let other = replicas.call_with("bound_too", arguments);
    assert_eq!(refused(&replicas, other, first.token()).await, "mismatch");
}

#[tokio::test]
async fn a_token_is_for_its_arguments_alone() {
    let replicas = Replicas::new();
    let first = bound(&replicas).start().await;
    let others = [
        json!({ "x": 2, "y": { "a": 1, "b": [2, null] } }),
        json!({ "x": 1, "y": { "a": 1, "b": [null, 2] } }),
        json!({ "x": 1, "y": { "a": 1, "b": [2] } }),
        json!({ "x": 1, "y": { "a": "1", "b": [2, null] } }),
        json!({ "x": 1, "y": { "a": 1.5, "b": [2, null] } }),
        json!({ "x": 1, "y": { "b": 1, "a": [2, null] } }),
        json!({ "x": 1, "y": { "a": 1, "b": [2, null] }, "z": null }),
        json!({ "x": 1, "y": null }),
    ];
    for arguments in others {
        let call = replicas.call_with("bound", arguments.clone());
        assert_eq!(
            refused(&replicas, call, first.token()).await,
            "mismatch",
            "{arguments}"
        );
    }
}

/// The head of a token tells what it is bound to, in short; it is written in clear, so anybody can write another.
#[tokio::test]
async fn what_the_head_of_a_token_says_it_is_bound_to_is_not_believed() {
    let replicas = Replicas::new();
    let first = bound(&replicas).start().await;
    let others = [
        replicas.call_with("bound", json!({ "x": 2, "y": 2 })),
        replicas.call_with(
            "bound_too",
            json!({ "x": 1, "y": { "a": 1, "b": [2, null] } }),
        ),
    ];
    // Version, key and hint: seven bytes, which are nine digits and a bit of the tenth.
    let head = 10;
    for other in others {
        let theirs = other.start().await;
        let mut spliced = theirs.token()[..head].to_owned();
        spliced.push_str(&first.token()[head..]);
        let before = replicas.effects();
        let reply = other.resume(&spliced, yes()).await;
        assert_eq!(why(&replicas, &reply), "tampered");
        assert_eq!(replicas.effects(), before);
        // Another one with that head opens.
        other.resume(theirs.token(), yes()).await.text();
    }
}

#[tokio::test]
async fn arguments_may_be_written_in_another_way() {
    let replicas = Replicas::new();
    // As text, because a `Value` may sort its members by itself.
    let same = [
        r#"{"y":{"b":[2,null],"a":1},"x":1}"#,
        r#"{ "x": 1.0, "y": { "a": 1.0, "b": [2.0, null] } }"#,
        r#"{"x":1e0,"y":{"a":1,"b":[20e-1,null]}}"#,
        r#"{"\u0078":1,"y":{"a":1,"b":[2,null]}}"#,
    ];
    for arguments in same {
        let first = bound(&replicas).start().await;
        let params = replicas.params(bound(&replicas).params(Some(first.token()), yes()));
        let params = params.to_string().replacen(
            &serde_json::to_string(&params["arguments"]).unwrap(),
            arguments,
            1,
        );
        let mut wire = Wire::open(replicas.server());
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        assert!(line.contains(arguments));
        let result = wire.exchange(&line).await;
        assert_eq!(
            result["result"]["resultType"], "complete",
            "{arguments}: {result}"
        );
    }
}

#[tokio::test]
async fn absent_arguments_are_empty_ones() {
    let replicas = Replicas::new();
    let first = replicas.call("named").start().await;
    let params = json!({
        "name": "named", "requestState": first.token(), "inputResponses": yes(),
    });
    let last = Reply(replicas.request("tools/call", params).await);
    assert!(last.text().ends_with(" true"));
}

#[tokio::test]
async fn a_token_is_its_principals_alone() {
    let settings = settings("first", 1).with_principal(|request| Some(request.client_info()?.name));
    let alice = Replicas::with(settings);
    let mallory = Replicas {
        user: "mallory",
        ..alice.clone()
    };
    let first = bound(&alice).start().await;
    assert_eq!(
        refused(&mallory, bound(&mallory), first.token()).await,
        "mismatch"
    );
    assert!(
        bound(&alice)
            .resume(first.token(), yes())
            .await
            .text()
            .ends_with(" true")
    );
}

#[tokio::test]
async fn no_principal_is_a_principal_of_its_own() {
    let anonymous = Replicas::new();
    let named = |name: &'static str| {
        anonymous.reconfigured(settings("first", 1).with_principal(move |_| Some(name.into())))
    };
    let first = bound(&anonymous).start().await;
    for name in ["", "alice"] {
        let named = named(name);
        assert_eq!(
            refused(&named, bound(&named), first.token()).await,
            "mismatch"
        );
        let theirs = bound(&named).start().await;
        assert_eq!(
            refused(&anonymous, bound(&anonymous), theirs.token()).await,
            "mismatch"
        );
    }
}

#[tokio::test]
async fn a_token_past_its_time_is_expired() {
    let replicas = Replicas::with(settings("first", 1).with_ttl(Duration::ZERO));
    let first = bound(&replicas).start().await;
    assert_eq!(
        refused(&replicas, bound(&replicas), first.token()).await,
        "expired"
    );
    // The lifetime is in the token: a server that gives longer ones does not prolong it.
    let patient = replicas.reconfigured(settings("first", 1));
    assert_eq!(
        refused(&patient, bound(&patient), first.token()).await,
        "expired"
    );
}

#[tokio::test]
async fn an_endless_lifetime_does_not_overflow() {
    let replicas = Replicas::with(settings("first", 1).with_ttl(Duration::MAX));
    let first = bound(&replicas).start().await;
    assert!(
        bound(&replicas)
            .resume(first.token(), yes())
            .await
            .text()
            .ends_with(" true")
    );
}

#[tokio::test]
async fn a_token_that_is_too_large_is_not_even_decoded() {
    let replicas = Replicas::new();
    let first = bound(&replicas).start().await;
    let limit = first.token().len();
    let exact = replicas.reconfigured(settings("first", 1).with_max_token_bytes(limit));
    let less = replicas.reconfigured(settings("first", 1).with_max_token_bytes(limit - 1));
    assert_eq!(
        refused(&less, bound(&less), first.token()).await,
        "too_large"
    );
    assert_eq!(
        refused(&replicas, bound(&replicas), &"!".repeat(1 << 17)).await,
        "too_large"
    );
    assert!(
        bound(&exact)
            .resume(first.token(), yes())
            .await
            .text()
            .ends_with(" true")
    );
}

#[tokio::test]
async fn the_largest_token_is_as_large_as_the_settings_say() {
    let replicas = Replicas::new();
    for bytes in [30, 31, 32, 33] {
        let with = |limit: usize| {
            let settings = settings("first", 1).with_max_token_bytes(limit);
            replicas.reconfigured(settings)
        };
        let start = async |replicas: &Replicas| {
            let arguments = json!({ "bytes": bytes });
            replicas.call_with("big", arguments).start().await
        };
        let exact = start(&replicas).await.token().len();
        assert_eq!(start(&with(exact)).await.token().len(), exact);
        let less = with(exact - 1);
        let reply = start(&less).await;
        assert_eq!(reply.error()["data"]["reason"], "too_large");
        let Error::TooLarge { bytes, limit, .. } = less.audit.error() else {
            panic!("{:?}", less.audit.error());
        };
        assert_eq!((bytes, limit), (exact, exact - 1));
    }
}

#[tokio::test]
async fn a_token_that_would_be_too_large_names_the_largest_variables() {
    let replicas = Replicas::new();
    let reply = replicas
        .call_with("big", json!({ "bytes": 1 << 17 }))
        .start()
        .await;
    let error = reply.error();
    assert_eq!(error["code"], -32603, "{error}");
    assert_eq!(error["data"]["reason"], "too_large");
    assert!(!error.to_string().contains("haystack"), "{error}");
    let told = replicas.audit.error();
    assert!(told.to_string().contains("`haystack` (131"), "{told}");
    let Error::TooLarge { largest, .. } = &told else {
        panic!("{told}");
    };
    let names: Vec<&str> = largest.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["haystack", "crumb"]);
}

#[tokio::test]
async fn a_token_presented_twice_runs_twice_under_one_name() {
    let replicas = Replicas::new();
    let call = replicas.call("named");
    let first = call.start().await;
    let other = call.start().await;
    let once = call.resume(first.token(), yes()).await;
    let twice = call.resume(first.token(), yes()).await;
    let another = call.resume(other.token(), yes()).await;
    assert!(once.text().starts_with("Some(\""), "{}", once.text());
    assert_eq!(once.text(), twice.text());
    assert_ne!(once.text(), another.text());
    assert_eq!(
        replicas.effects(),
        ["before", "before", "after", "after", "after"]
    );
}

#[tokio::test]
async fn a_token_of_one_wire_is_refused_on_another() {
    let replicas = Replicas::new();
    let mrtr = replicas.call("named").start().await;
    let steps = json!({ "sagaToken": mrtr.token(), "completedSteps": [] });
    let reply = Reply(replicas.request("tools/resumeSaga", steps).await);
    assert_eq!(why(&replicas, &reply), "mismatch");
    let call = json!({ "name": "named", "arguments": {} });
    let saga = replicas.request("tools/callSaga", call).await.unwrap();
    let token = saga["sagaToken"].as_str().unwrap();
    assert_eq!(
        refused(&replicas, replicas.call("named"), token).await,
        "mismatch"
    );
}

#[tokio::test]
async fn the_saga_methods_refuse_what_the_others_refuse() {
    let replicas = Replicas::new();
    let call = json!({ "name": "named", "arguments": {} });
    let saga = replicas.request("tools/callSaga", call).await.unwrap();
    let token = saga["sagaToken"].as_str().unwrap();
    let present = async |replicas: &Replicas, token: &str| {
        let steps = json!({ "sagaToken": token, "completedSteps": [] });
        let reply = Reply(replicas.request("tools/resumeSaga", steps).await);
        why(replicas, &reply)
    };
    let last = token.len() - 2;
    let tampered = flipped(token, last, 3);
    let strangers = replicas.reconfigured(settings("other", 1));
    let principals =
        replicas.reconfigured(settings("first", 1).with_principal(|_| Some("x".into())));
    let small = replicas.reconfigured(settings("first", 1).with_max_token_bytes(64));
    assert_eq!(present(&replicas, &tampered).await, "tampered");
    assert_eq!(present(&replicas, "").await, "malformed");
    assert_eq!(present(&strangers, token).await, "unknown_key");
    assert_eq!(present(&principals, token).await, "mismatch");
    assert_eq!(present(&small, token).await, "too_large");
    assert_eq!(replicas.effects(), ["before"]);
}
