#![allow(clippy::unwrap_used, deprecated, reason = "tests")]

use rmcp::model::{ClientCapabilities, RootsCapabilities};
use serde_json::json;

use super::*;

fn frame(point: u64, on: Waiting) -> Frame {
    Frame {
        point,
        types: 0,
        values: Vec::new(),
        on,
    }
}

fn calls(point: u64, callee: Frame) -> Frame {
    frame(point, Waiting::Call(Box::new(callee)))
}

fn waits(frame: Frame) -> ArmState {
    ArmState::Waits(0, Box::new(frame))
}

fn asks(point: u64) -> Frame {
    frame(point, Waiting::Ask(0))
}

fn pending(key: &str, need: Need, due: Option<u64>) -> Pending {
    Pending {
        key: key.to_owned(),
        need,
        memo: Vec::new(),
        deadline: due.map(|due| (due, 1)),
        answer: None,
    }
}

fn continuation(frame: Frame, pending: Vec<Pending>) -> Continuation {
    Continuation {
        identity: Identity {
            id: CallId::from_bytes([1; 16]),
            leg: 1,
            begun: 0,
            passed: 0,
        },
        frame,
        pending,
        asked: GivenOut::new(),
    }
}

fn waiting(pending: Vec<Pending>) -> Continuation {
    continuation(asks(1), pending)
}

/// Can be asked for its roots, and for nothing else.
fn client() -> Client {
    let mut capabilities = ClientCapabilities::default();
    capabilities.roots = Some(RootsCapabilities::default());
    Client::with_capabilities(capabilities)
}

fn roots() -> Value {
    json!({ "roots": [] })
}

fn answers<const N: usize>(keys: [&str; N]) -> Answers {
    let answers = keys.map(|key| (key.to_owned(), Answer::Result(roots())));
    Answers::from(answers)
}

#[test]
fn a_stack_has_callers_before_what_they_call_and_arms_in_their_order() {
    let arms = vec![
        waits(calls(3, asks(4))),
        ArmState::Done(Vec::new()),
        waits(asks(5)),
    ];
    let deep = calls(1, frame(2, Waiting::Join(arms)));
    let stack = continuation(deep, Vec::new()).stack();
    let stack: Vec<_> = stack.iter().map(|at| (at.point, at.depth)).collect();
    assert_eq!(stack, [(1, 0), (2, 1), (3, 2), (4, 3), (5, 2)]);
}

#[test]
fn code_is_told_apart_by_each_point_and_their_order() {
    let code = |frame| continuation(frame, Vec::new()).code();
    let join = |first, second| {
        let arms = vec![waits(asks(first)), waits(asks(second))];
        code(frame(1, Waiting::Join(arms)))
    };
    let codes = [
        code(asks(1)),
        code(asks(2)),
        code(calls(1, asks(2))),
        code(calls(2, asks(1))),
        code(calls(1, calls(2, asks(3)))),
        join(2, 4),
        join(4, 2),
        join(3, 4),
    ];
    for (index, code) in codes.iter().enumerate() {
        assert!(!codes[..index].contains(code), "{codes:x?}");
    }
    // A store holds it: it is the same in every version.
    assert_eq!(code(asks(1)), 0xaf63_bc4c_8601_b62c);
}

#[test]
fn what_is_answered_has_an_answer_and_is_asked_of_this_client() {
    let mut taken = pending("taken", Need::Roots, None);
    taken.answer = Some(Answer::Result(roots()));
    let call = waiting(vec![
        pending("roots", Need::Roots, None),
        pending("open", Need::Roots, None),
        pending("page", Need::Url, None),
        pending("", Need::Pause, None),
        taken,
        pending("late", Need::Roots, Some(5_000)),
    ]);
    let now = time_of(5_000);
    let all = answers(["roots", "page", "", "taken", "late"]);
    assert!(call.answered(&all, &client(), now).eq(["roots"]));
    let before = time_of(4_999);
    assert!(call.answered(&all, &client(), before).eq(["roots", "late"]));
    let other = Answers::from([("roots".to_owned(), Answer::Result(json!({})))]);
    assert_eq!(call.answered(&other, &client(), now).count(), 0);
    // A pause has no answer, of whatever kind.
    let refused = Answers::from([(String::new(), Answer::Unsupported)]);
    assert_eq!(call.answered(&refused, &client(), now).count(), 0);
}

#[test]
fn a_call_is_due_when_the_first_of_its_times_is_over() {
    let due = |pending| waiting(pending).due();
    assert_eq!(due(vec![pending("roots", Need::Roots, None)]), None);
    let mut answered = pending("first", Need::Roots, Some(1_000));
    answered.answer = Some(Answer::Result(roots()));
    let times = [
        answered,
        pending("", Need::Pause, Some(3_000)),
        pending("roots", Need::Roots, Some(2_000)),
    ];
    assert_eq!(due(times.into()), Some(time_of(2_000)));
}

#[test]
fn a_call_rests_until_the_first_of_its_pauses_is_over_where_nobody_is_asked() {
    let now = time_of(1_000);
    let rests = |pending| waiting(pending).rests(now);
    let pause = |due| pending("", Need::Pause, Some(due));
    assert_eq!(
        rests(vec![pause(1_900), pause(1_700)]),
        Some(Duration::from_millis(700))
    );
    assert_eq!(rests(vec![pause(1_000), pause(1_700)]), None);
    assert_eq!(rests(vec![pause(900)]), None);
    assert_eq!(
        rests(vec![
            pause(1_700),
            pending("roots", Need::Roots, Some(1_500))
        ]),
        None
    );
    let mut answered = pending("roots", Need::Roots, Some(1_500));
    answered.answer = Some(Answer::Result(roots()));
    assert_eq!(
        rests(vec![answered, pause(1_700)]),
        Some(Duration::from_millis(700))
    );
}

#[test]
fn an_answer_is_delivered_to_the_open_question_of_its_key_in_its_time() {
    let mut call = waiting(vec![
        pending("", Need::Pause, None),
        pending("first", Need::Roots, None),
        pending("roots", Need::Roots, Some(1_000)),
    ]);
    let (before, after) = (time_of(999), time_of(1_000));
    assert!(!call.deliver("other", &roots(), before));
    assert!(!call.deliver("", &roots(), before));
    assert!(!call.deliver("roots", &json!({}), before));
    assert!(!call.deliver("roots", &roots(), after));
    assert!(call.pending.iter().all(|ask| ask.answer.is_none()));
    assert!(call.deliver("roots", &roots(), before));
    assert!(call.pending[1].answer.is_none());
    assert_eq!(call.pending[2].answer, Some(Answer::Result(roots())));
    assert!(!call.deliver("roots", &roots(), before), "it has one");
}

/// That so many keys of this name were given out.
fn given_out(name: &str, times: usize) -> RunState {
    let mut state = RunState::default();
    (0..times).for_each(|_| drop(state.unique_key(name)));
    state
}

#[test]
fn a_key_is_renewed_to_one_that_was_not_given_out() {
    let mut call = waiting(vec![
        pending("roots", Need::Pause, None),
        pending("first", Need::Roots, None),
        pending("roots", Need::Roots, None),
    ]);
    call.asked = given_out("roots", 3).asked;
    assert_eq!(call.renew_key("roots").as_deref(), Some("roots-4"));
    assert_eq!(call.renew_key("roots-4").as_deref(), Some("roots-5"));
    assert_eq!(call.renew_key("roots"), None);
    let keys: Vec<_> = call.pending.iter().map(|ask| ask.key.as_str()).collect();
    assert_eq!(keys, ["roots", "first", "roots-5"]);
}

#[test]
fn a_call_begins_again_under_its_name_and_with_other_keys() {
    let mut call = waiting(vec![pending("roots", Need::Roots, None)]);
    call.identity.passed = 7;
    call.asked = given_out("roots", 2).asked;
    let identity = call.identity;
    let again = call.from_start(["form-3"]);
    assert!(again.is_at_start());
    assert_eq!(
        again.identity,
        Identity {
            passed: 0,
            ..identity
        }
    );
    assert_eq!(again.keys().count(), 0);
    let mut state = RunState {
        asked: again.asked,
        ..RunState::default()
    };
    assert_eq!(state.unique_key("roots"), "roots-3");
    assert_eq!(state.unique_key("form-3"), "form-3-2");
}
