//! Keys: which of them open what, which are none, and how they change.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use saga_runtime::{KeyError, KeyProvider, Keyring, Reason, Settings};
use serde_json::json;

use super::{
    client::{Replicas, accept},
    refusals::{bound, refused, settings, yes},
};

#[tokio::test]
async fn a_key_that_is_not_held_is_unknown() {
    let replicas = Replicas::new();
    let first = bound(&replicas).start().await;
    let others = replicas.reconfigured(settings("other", 1));
    let reason = refused(&others, bound(&others), first.token()).await;
    assert_eq!(reason, "unknown_key");
    let told = others.audit.error().to_string();
    assert!(told.contains("its key is not held here"), "{told}");
}

#[tokio::test]
async fn another_key_of_the_same_name_does_not_open() {
    let replicas = Replicas::new();
    let first = bound(&replicas).start().await;
    let others = replicas.reconfigured(settings("first", 2));
    let reason = refused(&others, bound(&others), first.token()).await;
    assert_eq!(reason, "tampered");
}

#[tokio::test]
async fn a_random_key_of_another_process_is_told_as_such() {
    let random = || Settings::new(Keyring::random().unwrap());
    let replicas = Replicas::with(random());
    let first = bound(&replicas).start().await;
    for others in [random(), settings("first", 1)] {
        let others = replicas.reconfigured(others);
        let reason = refused(&others, bound(&others), first.token()).await;
        assert_eq!(reason, "unknown_key");
        let told = others.audit.error().to_string();
        assert!(told.contains("set the same SAGA_KEYS everywhere"), "{told}");
    }
}

#[test]
fn a_key_that_is_none_is_refused_and_not_shown() {
    let secret = "ab".repeat(32);
    for id in [
        "",
        "with space",
        "ü",
        "a:b",
        &secret,
        &secret[..32],
        &"x".repeat(65),
    ] {
        let error = Keyring::new(id, [1; 32]).unwrap_err();
        assert_eq!(error, KeyError::Id, "{id}");
        assert!(id.is_empty() || !error.to_string().contains(id));
        assert_eq!(Keyring::generate(id), Err(KeyError::Id));
    }
    let ring = Keyring::new("a", [1; 32]).unwrap();
    assert_eq!(
        ring.and("b", [1; 32]).unwrap_err(),
        KeyError::Same("b".into())
    );
    let ring = Keyring::new("a", [1; 32]).unwrap();
    assert_eq!(
        ring.and("a", [2; 32]).unwrap_err(),
        KeyError::Duplicate("a".into())
    );
    assert_eq!(
        Keyring::new("a", [0; 32]).unwrap_err(),
        KeyError::Zeros("a".into())
    );
    let turned = Keyring::parse(&format!("{secret}:{secret}")).unwrap_err();
    assert!(!turned.to_string().contains("abab"), "{turned}");
}

#[test]
fn the_digits_of_a_key_are_its_bytes() {
    // Among them each digit in each place.
    let key: [u8; 32] = std::array::from_fn(|index| (index * 0x1d + 1).to_le_bytes()[0]);
    let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    let token = Settings::new(Keyring::new("first", key).unwrap()).seal(&[], b"body");
    for digits in [digits.to_uppercase(), digits] {
        let read = Settings::new(Keyring::parse(&format!("first:{digits}")).unwrap());
        let opened = read.open(&[], token.as_ref().unwrap());
        assert_eq!(opened.unwrap(), b"body", "{digits}");
    }
}

#[test]
fn an_entry_that_is_no_key_is_named_by_its_place() {
    let good = format!("first:{}", "ab".repeat(32));
    for bad in ["second", "second:abcd"] {
        let entries = format!("{good},{bad}");
        assert_eq!(Keyring::parse(&entries).unwrap_err(), KeyError::Form(2));
        assert_eq!(Keyring::parse(bad).unwrap_err(), KeyError::Form(1));
    }
}

#[tokio::test]
async fn keys_can_change_while_the_server_runs() {
    #[derive(Clone)]
    struct Changing(Arc<Mutex<Arc<Keyring>>>);

    impl KeyProvider for Changing {
        fn keys(&self) -> Result<Arc<Keyring>, KeyError> {
            Ok(Arc::clone(&self.0.lock().unwrap()))
        }
    }

    let ring = |id: &str, byte| Keyring::new(id, [byte; 32]).unwrap();
    let changing = Changing(Arc::new(Mutex::new(Arc::new(ring("first", 1)))));
    let replicas = Replicas::with(Settings::provided(changing.clone()).unwrap());
    let first = bound(&replicas).start().await;
    *changing.0.lock().unwrap() = Arc::new(ring("second", 2).and("first", [1; 32]).unwrap());
    let second = bound(&replicas).start().await;
    bound(&replicas).resume(first.token(), yes()).await.text();
    *changing.0.lock().unwrap() = Arc::new(ring("second", 2));
    let reason = refused(&replicas, bound(&replicas), first.token()).await;
    assert_eq!(reason, "unknown_key");
    bound(&replicas).resume(second.token(), yes()).await.text();
}

#[tokio::test]
async fn keys_rotate_without_losing_a_call() {
    let before = Replicas::new();
    let ring = Keyring::new("second", [2; 32])
        .unwrap()
        .and("first", [1; 32])
        .unwrap();
    let during = before.reconfigured(Settings::new(ring));
    let after = before.reconfigured(settings("second", 2));
    let asked = before.call("three").start().await;
    let answer = json!({ "user_name": accept(json!({ "text": "Ada" })) });
    let old = during
        .call("three")
        .resume(asked.token(), answer.clone())
        .await;
    assert_eq!(old.keys(), ["sure"]);
    // Sealed with the new key: it opens without the old one, and not with the old one alone.
    assert_eq!(
        refused(&before, before.call("three"), old.token()).await,
        "unknown_key"
    );
    let new = after.call("three").resume(old.token(), yes()).await;
    assert_eq!(new.keys(), ["advice"]);
    assert_eq!(
        refused(&after, after.call("three"), asked.token()).await,
        "unknown_key"
    );
}

#[test]
fn what_a_server_seals_itself_opens_for_its_purpose_alone() {
    let ours = settings("first", 1);
    let token = ours.seal(&[b"ab", b"c"], b"body").unwrap();
    assert_eq!(ours.open(&[b"ab", b"c"], &token).unwrap(), b"body");
    let purposes: [&[&[u8]]; 5] = [
        &[],
        &[b"abc"],
        &[b"a", b"bc"],
        &[b"ab", b"c", b""],
        &[b"c", b"ab"],
    ];
    for purpose in purposes {
        let error = ours.open(purpose, &token).unwrap_err();
        assert_eq!(error.reason(), Some(Reason::Mismatch));
    }
    let brief = settings("first", 1).with_ttl(Duration::ZERO);
    let token = brief.seal(&[], b"").unwrap();
    assert_eq!(
        ours.open(&[], &token).unwrap_err().reason(),
        Some(Reason::Expired)
    );
}
