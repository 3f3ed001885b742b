//! The test kit, on servers of its own.

mod forms;
mod server;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use rmcp::tool;
use saga_runtime::{
    AskError, Cx, Keyring, MemoryGuard, SagaServer, Settings, saga,
    testing::{Failure, FailureKind, Kit, QuestionKind, Reply, Request, Scripted},
    toolbox,
};
use serde_json::{Value, json};

use self::server::{Crooked, Desk, Library, Newest};

/// What libraries act on is what they share.
type World = Library;

fn kit() -> Kit<World> {
    Kit::with_world(World::default, World::clone).comparing(|world| world.mails())
}

fn emma(kit: &Kit<World>) -> Request<World> {
    kit.tool("lend", json!({ "title": "Emma" }))
}

#[tokio::test]
async fn step_by_step() -> Result<(), Failure> {
    let kit = kit();
    let mut call = emma(&kit).await?;
    assert_eq!(call.question("copy")?.message(), "Which copy?");
    assert_eq!(call.question("copy")?.fields(), ["copy"]);
    assert_eq!(call.question("copy")?.kind(), QuestionKind::Form);
    assert!(
        call.token_bytes() > 50 && call.token_bytes() < 300,
        "{}",
        call.token_bytes()
    );
    assert_eq!(call.point(), Some(("lend", 1)));
    call.answer("copy", json!({ "copy": "paper" })).await?;
    assert_eq!(call.stored().first().map(|(name, _)| *name), Some("copy"));
    assert_eq!(kit.world().mails(), ["look for Emma"]);
    call.answer("sure", json!({ "sure": true })).await?;
    assert_eq!(call.result()?.text(), "Emma, paper");
    assert_eq!(call.idempotency_keys().len(), 1);
    Ok(())
}

#[tokio::test]
async fn everywhere() -> Result<(), Failure> {
    let resumed = emma(&kit())
        .answer("copy", json!({ "copy": "paper" }))
        .answer("sure", json!({ "sure": true }))
        .resumed_everywhere()
        .await?;
    assert_eq!(resumed.runs(), 5);
    assert!(resumed.was_live());
    assert_eq!(resumed.result().text(), "Emma, paper");
    assert_eq!(
        resumed.ran().messages(),
        ["Which copy?", "Lend the paper one?"]
    );
    assert_eq!(resumed.ran().idempotency_keys().len(), 1);
    let compared: Vec<_> = resumed.compared().map(ToString::to_string).collect();
    let answers = r#"; answers: `copy` {"copy":"paper"}, `sure` {"sure":true}"#;
    let ways = [
        "over the live wire",
        "torn down nowhere",
        "torn down at `sure` (point 2 of `lend`)",
        "torn down at `copy` (point 1 of `lend`)",
        "torn down at `copy` (point 1 of `lend`), `sure` (point 2 of `lend`)",
    ];
    assert_eq!(compared, ways.map(|way| format!("{way}{answers}")));
    let last = resumed.compared().last();
    let torn_at = last.map(|run| run.torn_at().collect::<Vec<_>>());
    assert_eq!(torn_at, Some(vec!["copy", "sure"]));
    Ok(())
}

#[tokio::test]
async fn a_name_that_the_server_does_not_have_is_no_result() {
    let misspelt = kit().tool("lends", Value::Null).without_answers();
    let failure = misspelt.resumed_everywhere().await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Script);
    let text = failure.to_string();
    let what = "the server has no tool `lends`: call one of those that it lists: `";
    assert!(text.starts_with(what), "{text}");
    assert!(text.contains("`lend`"), "{text}");
    assert!(text.contains("kit/mod.rs:"), "{text}");
    let failure = kit().tool("lends", Value::Null).await.unwrap_err();
    assert!(failure.to_string().starts_with(what), "{failure}");
    let failure = kit().prompt("lend", Value::Null).await.unwrap_err();
    let what = "the server has no prompt `lend`: ";
    assert!(failure.to_string().starts_with(what), "{failure}");
}

#[tokio::test]
async fn what_differs_shows_with_its_point_and_both_results() {
    let fickle = kit().tool("fickle", Value::Null).answer("sure", sure());
    let failure = fickle.resumed_everywhere().await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Differs);
    let text = failure.to_string();
    let (text, place) = text.rsplit_once("\n  --> ").unwrap();
    assert_eq!(
        text,
        r#"`fickle` differs where it is torn down at `sure` (point 1 of `fickle`): end.result.content[0].text
  over the live wire: "0 true"
  torn down at `sure` (point 1 of `fickle`): "7 true""#
    );
    assert!(place.contains("kit/mod.rs:"), "{place}");
    let repeats = kit().tool("repeats", Value::Null).answer("sure", sure());
    let failure = repeats.resumed_everywhere().await.unwrap_err().to_string();
    let effects = "torn down at `sure` (point 1 of `repeats`): what it did to the world";
    assert!(failure.contains(effects), "{failure}");
    assert_eq!(failure.matches("looked").count(), 3, "{failure}");
}

fn sure() -> Value {
    json!({ "sure": true })
}

#[tokio::test]
async fn a_script_that_does_not_fit_is_told_so() -> Result<(), Failure> {
    let kit = kit();
    let failure = emma(&kit)
        .answer("copy", json!({ "copy": "paper" }))
        .run()
        .await
        .unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Script);
    let text = failure.to_string();
    assert!(
        text.starts_with(
            "`lend` asks `sure` (\"Lend the paper one?\"), and the test has no answer"
        ),
        "{text}"
    );
    assert!(text.contains("kit/mod.rs:"), "{text}");
    let failure = emma(&kit)
        .answer("copy", Reply::decline())
        .answer("shure", sure())
        .run()
        .await
        .unwrap_err();
    assert!(
        failure
            .to_string()
            .contains("did not ask for the answer `shure`: it asked [\"`copy`\"]"),
        "{failure}"
    );
    let failure = emma(&kit)
        .answer("copy", json!({ "copi": "paper" }))
        .run()
        .await
        .unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Schema);
    assert!(
        failure
            .to_string()
            .contains("does not fit the form of `copy`"),
        "{failure}"
    );
    let failure = emma(&kit)
        .answer("copy", Reply::result_of(json!({ "roots": [] })))
        .run()
        .await
        .unwrap_err();
    assert!(
        failure.to_string().contains("asks `copy` again"),
        "{failure}"
    );
    let mut call = emma(&kit).await?;
    let failure = call.question("sure").unwrap_err();
    assert!(
        failure
            .to_string()
            .contains("does not ask `sure` now: it asks `copy` (\"Which copy?\")"),
        "{failure}"
    );
    assert!(failure.to_string().contains("kit/mod.rs:"), "{failure}");
    let failure = call.answer("sure", sure()).await.unwrap_err();
    assert!(failure.to_string().contains("kit/mod.rs:"), "{failure}");
    assert!(
        call.result()
            .unwrap_err()
            .to_string()
            .contains("is not over")
    );
    assert!(
        call.wait()
            .await
            .unwrap_err()
            .to_string()
            .contains("does not wait for the clock")
    );
    call.answer("copy", Reply::decline()).await?;
    let failure = call.answer("copy", Reply::decline()).await.unwrap_err();
    assert!(
        failure.to_string().contains("it is over with Result"),
        "{failure}"
    );
    Ok(())
}

#[tokio::test]
async fn a_token_expires_and_a_user_says_no() -> Result<(), Failure> {
    let kit = kit();
    let mut late = emma(&kit).await?;
    let mut refused = emma(&kit).await?;
    refused.answer("copy", Reply::decline()).await?;
    assert_eq!(refused.result()?.text(), "nothing was lent");
    kit.clock().advance(Duration::from_secs(3601));
    late.answer("copy", json!({ "copy": "paper" })).await?;
    assert_eq!(late.result()?.refusal(), Some("expired"));
    assert!(late.result()?.is_request_error() && late.result()?.is_error());
    assert_eq!(late.server_errors().len(), 1);
    let mut again = emma(&kit).await?;
    again.retry().await?;
    assert_eq!(again.question("copy")?.turn(), 0);
    Ok(())
}

#[tokio::test]
async fn what_is_presented_twice_has_one_key_and_a_guard_refuses_it() -> Result<(), Failure> {
    let kit = kit();
    let mut call = emma(&kit).await?;
    call.answer("copy", json!({ "copy": "paper" })).await?;
    call.losing_the_response().answer("sure", sure()).await?;
    let [first, second] = &call.idempotency_keys()[..] else {
        unreachable!()
    };
    assert_eq!(first, second);
    assert_eq!(kit.world().mails().len(), 3);
    let guard = Arc::new(MemoryGuard::new(10).keeping(10_000));
    // Keys of its own for each server: those of the kit are in their place.
    let guarded = Kit::with_world(World::default, move |world| {
        let settings = Settings::new(Keyring::random().unwrap()).with_guard(Arc::clone(&guard));
        SagaServer::new(world.clone()).with_settings(settings)
    });
    let mut call = emma(&guarded).await?;
    call.answer("copy", json!({ "copy": "paper" })).await?;
    call.losing_the_response().answer("sure", sure()).await?;
    assert_eq!(call.result()?.text(), "Emma, paper");
    assert_eq!(guarded.world().mails().len(), 2);
    Ok(())
}

#[tokio::test]
async fn a_client_that_is_gone_comes_back() -> Result<(), Failure> {
    let kit = kit();
    let mut call = kit.tool("long", Value::Null).await?;
    let works = Arc::clone(&kit.world().works);
    tokio::select! {
        _ = call.answer("sure", sure()) => unreachable!(),
        () = works.notified() => {}
    }
    kit.world().goes_on.notify_one();
    tokio::task::yield_now().await;
    let goes_on = Arc::clone(&kit.world().goes_on);
    let (answered, ()) = tokio::join!(call.answer("sure", sure()), async {
        works.notified().await;
        goes_on.notify_waiters();
        goes_on.notify_one();
    });
    answered?;
    assert_eq!(call.result()?.text(), "true");
    let mails = kit.world().mails();
    assert_eq!((mails.len(), &mails[0]), (2, &mails[1]));
    Ok(())
}

#[tokio::test]
async fn results_are_of_their_schema_and_schemas_are_some() -> Result<(), Failure> {
    let kit = kit();
    kit.check_schemas().await?;
    let report = kit.tool("report", Value::Null).answer("sure", sure());
    let report = report.resumed_everywhere().await?;
    assert_eq!(
        report.result().structured(),
        Some(&json!({ "fine": true, "books": 3 }))
    );
    let crooked = Kit::of(|| Crooked);
    let failure = crooked.check_schemas().await.unwrap_err();
    let text = failure.to_string();
    let lines: Vec<_> = text.lines().map(str::trim).collect();
    assert!(
        lines[1].starts_with("tool `first`, `inputSchema`: at `/type`: \"objekt\" is not"),
        "{text}"
    );
    assert_eq!(
        lines[2],
        "tool `first`, `inputSchema`: its `type` is not `object`"
    );
    assert_eq!(
        lines[3],
        "tool `first`, `inputSchema`: `b` is required, and is not among its `properties`"
    );
    assert!(
        lines[4].starts_with("tool `second`, `outputSchema`: "),
        "{text}"
    );
    assert_eq!(lines.len(), 6, "{text}");
    let failure = crooked.tool("third", Value::Null).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Schema);
    assert!(
        failure
            .to_string()
            .contains("at `/n`: \"many\" is not of type \"integer\""),
        "{failure}"
    );
    Ok(())
}

#[tokio::test]
async fn prompts_and_resources() -> Result<(), Failure> {
    let kit = Kit::of(|| SagaServer::new(Desk));
    let letter = kit
        .prompt("letter", Value::Null)
        .answer("copy", json!({ "copy": "Ada" }));
    let letter = letter.resumed_everywhere().await?;
    assert_eq!((letter.result().text(), letter.runs()), ("Dear Ada", 3));
    let page = kit
        .resource("file:///a")
        .answer("sure", Reply::decline())
        .resumed_everywhere()
        .await?;
    assert_eq!((page.result().text(), page.runs()), ("false", 3));
    // It has another code over the live wire.
    let missing = kit.resource("file:///missing").answer("sure", sure());
    let missing = missing.resumed_everywhere().await?;
    assert_eq!(missing.result().text(), "it is not there");
    // Without `SagaServer`, a prompt cannot be continued: the kit sees it as clients do.
    let bare = Kit::of(|| Desk);
    let failure = bare
        .prompt("letter", Value::Null)
        .answer("copy", json!({ "copy": "Ada" }));
    let failure = failure.resumed_everywhere().await.unwrap_err();
    assert!(
        failure
            .to_string()
            .contains("needs `SagaServer` around its handler"),
        "{failure}"
    );
    Ok(())
}

/// Asks everybody.
#[saga]
#[tool]
async fn round(cx: Cx) -> Result<String, AskError> {
    let risk = cx.sample("How risky?").max_tokens(10).await?;
    let page = cx
        .elicit_url("Sign in", "https://example.org/in")
        .await
        .is_ok();
    let roots = cx.roots().await?;
    Ok(format!("{} {page} {}", risk.text(), roots.len()))
}

#[tokio::test]
async fn the_model_a_page_and_the_roots() -> Result<(), Failure> {
    let kit = Kit::of(|| toolbox![round].unwrap().named("round", "1"));
    let call = kit
        .tool("round", Value::Null)
        .answering(|question| match question.kind() {
            QuestionKind::Sampling => Reply::from("low"),
            QuestionKind::Url => {
                assert_eq!(question.url(), Some("https://example.org/in"));
                Reply::visit()
            }
            _ => Reply::from(json!(["file:///a", "file:///b"])),
        });
    let everywhere = call.resumed_everywhere().await?;
    let read = kit
        .tool("round", Value::Null)
        .answering_in_turn([json!("low"), json!({ "read": true })]);
    let failure = read.run().await.unwrap_err().to_string();
    assert!(
        failure.contains("has no content: `Reply::visit()`"),
        "{failure}"
    );
    assert_eq!(everywhere.result().text(), "low true 2");
    assert_eq!(everywhere.runs(), 9);
    assert_eq!(everywhere.ran().messages(), ["How risky?", "Sign in", ""]);
    let poor = kit.for_client(json!({})).tool("round", Value::Null).await?;
    assert!(poor.result()?.is_error());
    Ok(())
}

#[tokio::test]
async fn the_live_wire_is_left_out_where_it_is_not_spoken() -> Result<(), Failure> {
    let kit = Kit::with_world(World::default, |world| Newest(world.clone()));
    let call = emma(&kit).answering(|question| match question.key() {
        "copy" => json!({ "copy": "paper" }),
        _ => sure(),
    });
    let everywhere = call.resumed_everywhere().await?;
    assert!(!everywhere.was_live());
    assert_eq!(everywhere.runs(), 4);
    Ok(())
}

#[tokio::test]
async fn a_token_that_is_too_large_names_what_fills_it() -> Result<(), Failure> {
    let call = kit().tool("large", Value::Null).await?;
    assert!(call.result()?.is_request_error());
    assert!(
        call.server_errors()[0].contains("ballast"),
        "{:?}",
        call.server_errors()
    );
    Ok(())
}

#[tokio::test]
async fn many_points_are_not_all_choices() -> Result<(), Failure> {
    let lend = || {
        emma(&kit().every_choice_up_to(1)).answering_in_turn([json!({ "copy": "paper" }), sure()])
    };
    // Each alone, all but each, all, none; and live.
    assert_eq!(lend().resumed_everywhere().await?.runs(), 7);
    let live = lend().run_live().await?;
    let torn = lend().run().await?;
    assert_eq!(format!("{live:?}"), format!("{torn:?}"));
    assert_eq!(
        serde_json::to_string(&live).unwrap(),
        serde_json::to_string(&torn).unwrap()
    );
    assert_eq!((live.token_bytes().len(), torn.token_bytes().len()), (0, 2));
    Ok(())
}

#[tokio::test]
async fn pairs_and_times() -> Result<(), Failure> {
    for (delay, text) in [(59, "paper true"), (61, "paper false")] {
        let ran = kit()
            .tool("pair", Value::Null)
            .answer("copy", Reply::accept(json!({ "copy": "paper" })))
            .answer(
                "sure",
                Reply::accept(json!({ "sure": true })).after(Duration::from_secs(delay)),
            )
            .resumed_everywhere()
            .await?;
        assert_eq!(ran.result().text(), text);
    }
    let kit = kit();
    let sleeps = kit
        .tool("remind", Value::Null)
        .answer("sure", json!({ "sure": true }))
        .resumed_everywhere()
        .await?;
    assert_eq!(sleeps.result().text(), "true");
    // A question, a checkpoint and two sleeps; and the live wire.
    assert_eq!(sleeps.runs(), 17);
    let mut call = kit.tool("remind", Value::Null).await?;
    assert!(call.is_asleep() && kit.world().mails() == ["before"]);
    call.retry().await?;
    assert!(call.is_asleep());
    call.wait().await?;
    assert!(call.is_asleep() && kit.world().mails() == ["before", "between"]);
    call.wait().await?;
    call.answer("sure", sure()).await?;
    call.wait().await?;
    assert_eq!(call.result()?.text(), "true");
    Ok(())
}

/// Answers to `any`, of which one is a no.
fn any(no: &str) -> Scripted<World> {
    let sorted = kit().comparing(|world| world.mails().into_iter().collect::<BTreeSet<_>>());
    let mut any = sorted.tool("any", Value::Null).without_answers();
    for key in ["left", "middle", "right"] {
        any = match key == no {
            true => any.answer(key, Reply::decline()),
            false => any.answer(key, json!({ "copy": key })),
        };
    }
    any
}

#[tokio::test]
async fn arms_that_others_end_and_arms_that_ask_the_same() -> Result<(), Failure> {
    for no in ["left", "middle", "right"] {
        let ended = any(no).resumed_everywhere().await?;
        assert_eq!(ended.result().text(), "the user declined");
        // Where the one that says no is answered before the others, these never are: such runs are not compared.
        assert!(ended.runs() < 9, "{no}: {}", ended.runs());
    }
    assert_eq!(any("none").resumed_everywhere().await?.runs(), 9);

    let mut twice = kit().tool("twice", Value::Null).without_answers();
    for (key, copy) in [
        ("first", "a"),
        ("first-2", "b"),
        ("second", "c"),
        ("second-2", "d"),
    ] {
        twice = twice.answer(key, json!({ "copy": copy }));
    }
    let twice = twice.resumed_everywhere().await?;
    assert_eq!(twice.result().text(), "ac bd");
    assert_eq!(twice.runs(), 17);
    let in_turn = ["a", "b", "c", "d"].map(|copy| json!({ "copy": copy }));
    let in_turn = kit().tool("twice", Value::Null).answering_in_turn(in_turn);
    assert_eq!(in_turn.resumed_everywhere().await?.result().text(), "ac bd");

    // The first one's answer will not do, and is asked for again.
    let counts = kit()
        .tool("counts", Value::Null)
        .answer("few", Reply::accept(json!({ "count": 9 })))
        .answer("few-2", json!({ "count": 2 }))
        .answer("few-3", json!({ "count": 3 }));
    let counts = counts.resumed_everywhere().await?;
    assert_eq!(counts.result().text(), "3 2");
    assert_eq!(counts.runs(), 9);
    Ok(())
}

/// Asks for ever.
#[saga]
#[tool]
async fn nags(cx: Cx) -> Result<String, AskError> {
    loop {
        if cx.sample("Enough?").await?.text() == "yes" {
            return Ok("at last".to_owned());
        }
    }
}

macro_rules! of_tools {
    ($($tool:ident)*; $($path:path),*) => {
        toolbox![$($tool,)* $($path),*]
    };
}

#[tokio::test]
async fn a_call_without_an_end_has_one_in_a_test() -> Result<(), Failure> {
    let kit = Kit::of(|| of_tools![nags; self::round].unwrap().named("nags", "1"));
    let nagging = || kit.tool("nags", Value::Null).answering(|_| "no");
    for failure in [
        nagging().run().await.unwrap_err(),
        nagging().run_live().await.unwrap_err(),
    ] {
        assert!(
            failure.to_string().contains("it asks for ever"),
            "{failure}"
        );
    }
    let resting = self::kit().patience(Duration::from_millis(200));
    let resting = resting.tool("rests", Value::Null).without_answers();
    let failure = resting.run_live().await.unwrap_err();
    assert!(
        failure.to_string().contains("no answer within"),
        "{failure}"
    );
    Ok(())
}
