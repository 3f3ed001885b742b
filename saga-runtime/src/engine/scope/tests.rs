#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::ask::client::Need;

fn two_of(key: &str, error: Error) -> (&'static str, &'static str) {
    match error {
        Error::TwoOfOneKey {
            key: found,
            first,
            second,
        } if found == key => (first, second),
        other => unreachable!("{other}"),
    }
}

#[test]
fn a_key_is_chosen_once_while_an_ask_has_it() {
    let mut state = RunState::default();
    assert_eq!(state.chosen_key("one", "f").unwrap(), "one");
    state.chosen.push(("one".to_owned(), "f"));
    let twice = state.chosen_key("one", "g").unwrap_err();
    assert_eq!(two_of("one", twice), ("f", "g"));
    let waits = Pending {
        key: "other".to_owned(),
        need: Need::Roots,
        memo: Vec::new(),
        deadline: None,
        answer: None,
    };
    state.put.push(waits);
    let twice = state.chosen_key("other", "g").unwrap_err();
    assert_eq!(two_of("other", twice), ("an ask that still waits", "g"));
    assert_eq!(state.chosen_key("third", "g").unwrap(), "third");
}

#[test]
fn over_the_live_wire_a_key_is_free_again_behind_its_answer() {
    let mut state = RunState::default();
    state.open("one", "f").unwrap();
    state.open("other", "f").unwrap();
    let twice = state.open("one", "g").unwrap_err();
    assert_eq!(two_of("one", twice), ("f", "g"));
    state.close("one");
    state.open("one", "g").unwrap();
    let twice = state.open("other", "g").unwrap_err();
    assert_eq!(two_of("other", twice), ("f", "g"));
}

#[test]
fn a_key_that_was_put_counts_for_what_it_was_numbered_from() {
    let mut state = RunState::default();
    for base in ["one", "other", "other"] {
        state.unique_key(base);
    }
    assert_eq!(state.put_before("other-7"), "other");
    assert_eq!(state.put_before("other-4"), "other");
    // Nobody has numbered that.
    assert_eq!(state.put_before("new-7"), "new-7");
    for (base, next) in [
        ("one", "one-2"),
        ("other", "other-8"),
        ("new-7", "new-7-2"),
        ("new", "new"),
    ] {
        assert_eq!(state.unique_key(base), next);
    }
}
