//! What can be held across an ask: it comes back from the token as it was.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    fmt::Debug,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use rmcp::{Peer, RoleServer};
use saga_runtime::{
    Answers, Client, Continuation, Engine, Error, Outcome, Stored, Suspended, saga,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tests::{
    answers::Confirm,
    live::{Connection, capable},
};

#[saga]
async fn hold<T: Stored>(peer: Peer<RoleServer>, make: &dyn Fn() -> T) -> T {
    let value = make();
    let _ = peer.elicit::<Confirm>("Sure?").await;
    value
}

/// What comes back of what `make` made, and what of it was stored.
async fn held<T: Stored>(make: impl Fn() -> T) -> Result<T, Error> {
    let made = Cell::new(0);
    let make = || {
        made.set(made.get() + 1);
        make()
    };
    let connection = Connection::open(0).await;
    let engine = || Engine::new(Client::with_capabilities(capable()));
    let suspended: Suspended = match engine().start(hold(connection.peer(), &make)).await {
        Outcome::Suspended(suspended) => suspended,
        Outcome::Refused(error) => return Err(error),
        other => panic!("it did not ask: {}", matches!(other, Outcome::Done(_))),
    };
    assert_eq!(suspended.sizes.len(), 1);
    let bytes = suspended.continuation.encode()?;
    let continuation = Continuation::decode(&bytes)?;
    let decline = saga_runtime::Answer::Result(json!({ "action": "decline" }));
    let answers = Answers::from([("confirm".to_owned(), decline)]);
    match engine()
        .resume(continuation, answers, hold(connection.peer(), &make))
        .await
    {
        Outcome::Done(value) => {
            assert_eq!(made.get(), 1);
            Ok(value)
        }
        Outcome::Refused(error) => Err(error),
        _ => panic!("it asked again"),
    }
}

async fn survives<T: Stored + Clone + Debug + PartialEq>(value: T) {
    assert_eq!(held(|| value.clone()).await, Ok(value));
}

#[tokio::test]
async fn numbers_survive_at_their_ends() {
    survives((u8::MAX, i8::MIN, u16::MAX, i16::MIN, u32::MAX, i32::MIN)).await;
    survives((u64::MAX, i64::MIN, i64::MAX, usize::MAX, isize::MIN)).await;
    survives((u128::MAX, i128::MIN, i128::MAX, 0u128)).await;
    survives((
        f32::MAX,
        f32::MIN_POSITIVE,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
    ))
    .await;
    survives((f64::INFINITY, f64::NEG_INFINITY, f32::INFINITY)).await;
}

#[tokio::test]
async fn floats_survive_bit_by_bit() {
    for value in [
        f64::NAN,
        -f64::NAN,
        -0.0,
        f64::from_bits(0x7ff8_dead_beef_0001),
    ] {
        assert_eq!(held(|| value).await.unwrap().to_bits(), value.to_bits());
    }
}

#[tokio::test]
async fn texts_survive() {
    let every: String = (0..=char::MAX as u32)
        .filter_map(char::from_u32)
        .step_by(97)
        .collect();
    survives((String::new(), every)).await;
    survives(('\0', 'ß', '\u{ffff}', char::MAX)).await;
    survives((Box::<str>::from("boxed"), std::path::PathBuf::from("/a b"))).await;
}

#[tokio::test]
async fn bytes_survive() {
    survives((
        Vec::<u8>::new(),
        (0..=255).collect::<Vec<u8>>(),
        [7u8; 32],
        [0u8; 0],
    ))
    .await;
}

#[tokio::test]
async fn collections_survive() {
    survives((
        vec![vec![1, 2], vec![]],
        VecDeque::from([1]),
        BTreeSet::from([(1, 'a')]),
    ))
    .await;
    survives((
        Vec::<String>::new(),
        HashMap::<String, u8>::new(),
        BTreeMap::<u8, ()>::new(),
    ))
    .await;
    survives(HashMap::from([
        (0u32, "a".to_owned()),
        (u32::MAX, "b".to_owned()),
    ]))
    .await;
    survives(BTreeMap::from([
        ((1u8, 2u8), "a".to_owned()),
        ((1, 3), String::new()),
    ]))
    .await;
    survives(BTreeMap::from([(Id(1), true), (Id(2), false)])).await;
    survives((
        BTreeMap::from([(Some(1), 1), (None, 2)]),
        BTreeMap::from([('x', 1)]),
    ))
    .await;
}

#[tokio::test]
async fn what_std_has_survives() {
    survives((Duration::new(u64::MAX, 999_999_999), std::time::UNIX_EPOCH)).await;
    survives((1..5, 1..=5, std::ops::Bound::Included(1))).await;
    survives((
        std::net::IpAddr::from([127, 0, 0, 1]),
        std::num::NonZeroU8::new(3),
    ))
    .await;
    survives((Ok::<u8, String>(1), Err::<u8, String>("e".into()))).await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Unit;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Id(u64);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Inner {
    a: u8,
    b: Option<String>,
}

#[tokio::test]
async fn nothing_survives() {
    survives(((), Unit, ((), ((),)), vec![(), ()])).await;
    survives((None::<u8>, None::<()>, None::<Option<u8>>, Some(Some(1)))).await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Options {
    outer: Option<Option<u8>>,
    json: Option<Value>,
    unit: Option<()>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct FlatOptions {
    #[serde(flatten)]
    inner: Options,
}

#[tokio::test]
async fn something_that_is_nothing_is_not_nothing() {
    survives((
        Some(None::<u8>),
        Some(Some(None::<u8>)),
        Some(None::<Option<u8>>),
    ))
    .await;
    survives((
        Some(()),
        Some(Some(())),
        Some(Value::Null),
        vec![None, Some(None), Some(Some(1))],
    ))
    .await;
    survives(BTreeMap::from([
        (Some(None::<u8>), Some(Value::Null)),
        (None, None),
    ]))
    .await;
    for (outer, json, unit) in [
        (None, None, None),
        (Some(None), Some(Value::Null), Some(())),
    ] {
        let inner = Options { outer, json, unit };
        survives((inner.clone(), FlatOptions { inner })).await;
    }
}

#[tokio::test]
async fn json_survives() {
    survives(json!({
        "": null, "text": "ü", "list": [1, -1, 2.5, 1.0, true, [], {}],
        "most": u64::MAX, "least": i64::MIN, "float": f64::MAX, "deep": { "er": { "": [] } },
    }))
    .await;
    survives((Value::Null, Some(json!({})), vec![json!(null), json!(0)])).await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Flat {
    id: u8,
    #[serde(flatten)]
    inner: Inner,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[tokio::test]
async fn flattened_structs_survive() {
    for rest in [
        BTreeMap::new(),
        BTreeMap::from([("x".to_owned(), json!([1, null]))]),
    ] {
        survives(Flat {
            id: 1,
            inner: Inner { a: 2, b: None },
            rest,
        })
        .await;
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Text(String),
    List(Vec<f64>),
    Struct { a: Option<u8> },
}

#[tokio::test]
async fn untagged_enums_survive() {
    survives((Untagged::Number(-1), Untagged::Text("1".into()))).await;
    survives((Untagged::List(vec![1.5]), Untagged::Struct { a: None })).await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Internal {
    Unit,
    Struct { m: HashMap<u32, char> },
    Newtype(Inner),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    Tuple(u8, u8),
    Struct { a: Option<u8> },
}

#[tokio::test]
async fn tagged_enums_survive() {
    let inner = Inner {
        a: 1,
        b: Some("b".into()),
    };
    survives((Internal::Unit, Internal::Newtype(inner))).await;
    survives(Internal::Struct {
        m: HashMap::from([(1, 'x')]),
    })
    .await;
    survives((
        Adjacent::Unit,
        Adjacent::Tuple(1, 2),
        Adjacent::Struct { a: None },
    ))
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Tree {
    Leaf,
    Pair(Box<Tree>, Box<Tree>),
    Named { id: Id, next: Option<Box<Tree>> },
    Many(Vec<Tree>),
}

#[tokio::test]
async fn nested_enums_survive() {
    let named = Tree::Named {
        id: Id(1),
        next: Some(Box::new(Tree::Many(vec![Tree::Leaf]))),
    };
    survives(Tree::Pair(Box::new(named), Box::new(Tree::Many(vec![])))).await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Skipping {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    a: Option<u8>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    b: Vec<u8>,
    #[serde(rename = "ü")]
    c: u8,
}

#[tokio::test]
async fn structs_that_skip_fields_survive() {
    for a in [None, Some(1)] {
        for b in [vec![], vec![2]] {
            survives(Skipping { a, b, c: 3 }).await;
        }
    }
}

/// Nested arrays around a number.
fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(1), |inner, _| json!([inner]))
}

#[tokio::test]
async fn a_hundred_levels_of_nesting_survive() {
    survives(nested(100)).await;
}

#[tokio::test]
async fn nesting_beyond_the_limit_is_an_error() {
    for depth in [150, 1000] {
        assert!(held(|| nested(depth)).await.is_err(), "{depth}");
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Unwilling {
    #[serde(serialize_with = "refuse")]
    field: u8,
}

fn refuse<S: serde::Serializer>(_: &u8, _: S) -> Result<S::Ok, S::Error> {
    Err(serde::ser::Error::custom("not today"))
}

#[tokio::test]
async fn a_value_that_refuses_is_named() {
    let Err(Error::Store { variable, detail }) = held(|| Unwilling { field: 1 }).await else {
        panic!("it was stored");
    };
    assert_eq!((variable.as_str(), detail.as_str()), ("value", "not today"));
}

#[derive(Debug, Serialize, Deserialize)]
struct Session {
    name: String,
    by_name: HashMap<String, u8>,
    #[serde(skip)]
    changed: bool,
    #[serde(skip_serializing, default)]
    secret: String,
}

struct Office {
    sessions: Vec<Session>,
}

#[saga]
async fn leaves_out(peer: Peer<RoleServer>, make: fn(bool) -> Session, changed: bool) -> bool {
    let session = make(changed);
    let _ = peer.elicit::<Confirm>("Sure?").await;
    session.changed
}

#[tokio::test]
async fn what_serde_leaves_out_is_an_error_unless_it_is_its_default() {
    let make = |changed| Session {
        name: "a".to_owned(),
        by_name: (0..30).map(|n| (n.to_string(), n)).collect(),
        changed,
        secret: String::new(),
    };
    let connection = Connection::open(0).await;
    for (changed, expected) in [(false, None), (true, Some("session"))] {
        let engine = Engine::new(Client::with_capabilities(capable()));
        let outcome = engine
            .start(leaves_out(connection.peer(), make, changed))
            .await;
        let refused = match outcome {
            Outcome::Refused(Error::Store { variable, detail }) => {
                assert!(detail.contains("#[serde(skip)]"), "{detail}");
                Some(variable)
            }
            Outcome::Suspended(_) => None,
            other => panic!("it did not ask: {other:?}"),
        };
        assert_eq!(refused.as_deref(), expected);
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Tags {
    #[serde(deserialize_with = "sorted")]
    tags: Vec<u8>,
    by_name: HashMap<u8, u8>,
}

fn sorted<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Vec<u8>, D::Error> {
    let mut tags = Vec::deserialize(input)?;
    tags.sort_unstable();
    Ok(tags)
}

#[derive(Debug, Serialize, Deserialize)]
struct Sorted {
    #[serde(deserialize_with = "sorted")]
    tags: Vec<u8>,
}

#[saga]
async fn sorts(peer: Peer<RoleServer>, tags: fn() -> Vec<u8>) -> bool {
    let tags = Sorted { tags: tags() };
    let _ = peer.elicit::<Confirm>("Sure?").await;
    tags.tags.len() == 2
}

#[saga]
async fn hashes(peer: Peer<RoleServer>) -> bool {
    let tags = Tags {
        tags: vec![1, 2],
        by_name: (0..30).map(|n| (n, n)).collect(),
    };
    let _ = peer.elicit::<Confirm>("Sure?").await;
    tags.by_name.len() == tags.tags.len()
}

#[tokio::test]
async fn another_order_is_an_error_but_that_of_a_hash_table() {
    let connection = Connection::open(0).await;
    let engine = || Engine::new(Client::with_capabilities(capable()));
    match engine()
        .start(sorts(connection.peer(), || vec![2, 1]))
        .await
    {
        Outcome::Refused(Error::Store { variable, .. }) => assert_eq!(variable, "tags"),
        other => panic!("it was stored: {other:?}"),
    }
    let same = engine()
        .start(sorts(connection.peer(), || vec![1, 2]))
        .await;
    assert!(matches!(same, Outcome::Suspended(_)), "{same:?}");
    let hashed = engine().start(hashes(connection.peer())).await;
    assert!(matches!(hashed, Outcome::Suspended(_)), "{hashed:?}");
}

struct Desk<'a> {
    session: &'a Session,
    name: &'a str,
}

fn first(sessions: &[Session]) -> &Session {
    &sessions[0]
}

#[saga]
async fn leaves_out_behind_a_reference(peer: Peer<RoleServer>, make: fn(bool) -> Session) -> bool {
    let sessions = vec![make(true)];
    let session = first(&sessions);
    let _ = peer.elicit::<Confirm>("Sure?").await;
    session.changed
}

#[saga]
async fn leaves_out_behind_a_part(peer: Peer<RoleServer>, make: fn(bool) -> Session) -> bool {
    let (sessions, name) = (vec![make(true)], "a".to_owned());
    let desk = Desk {
        session: first(&sessions),
        name: &name,
    };
    let _ = peer.elicit::<Confirm>(desk.name).await;
    desk.session.changed
}

#[tokio::test]
async fn what_serde_leaves_out_behind_a_reference_is_an_error_also_live() {
    let make = |changed| Session {
        name: "a".to_owned(),
        by_name: HashMap::new(),
        changed,
        secret: String::new(),
    };
    let connection = Connection::open(0).await;
    let engine = || Engine::new(Client::with_capabilities(capable()));
    let peer = || connection.peer();
    for outcome in [
        engine()
            .start(leaves_out_behind_a_reference(peer(), make))
            .await,
        engine()
            .live(leaves_out_behind_a_reference(peer(), make))
            .await,
        engine().start(leaves_out_behind_a_part(peer(), make)).await,
        engine().live(leaves_out_behind_a_part(peer(), make)).await,
    ] {
        let Outcome::Refused(Error::Store { detail, .. }) = outcome else {
            panic!("it went on: {outcome:?}");
        };
        assert!(detail.contains("#[serde(skip)]"), "{detail}");
    }
}

#[saga]
async fn leaves_out_in_a_part(peer: Peer<RoleServer>, make: fn(bool) -> Session) -> bool {
    let office = Office {
        sessions: vec![make(true)],
    };
    let _ = peer.elicit::<Confirm>("Sure?").await;
    office
        .sessions
        .iter()
        .any(|session| session.secret.is_empty())
}

#[tokio::test]
async fn what_serde_leaves_out_of_a_part_is_an_error_as_well() {
    let make = |changed| Session {
        name: String::new(),
        by_name: HashMap::new(),
        changed: false,
        secret: if changed {
            "s".to_owned()
        } else {
            String::new()
        },
    };
    let connection = Connection::open(0).await;
    let engine = Engine::new(Client::with_capabilities(capable()));
    match engine
        .start(leaves_out_in_a_part(connection.peer(), make))
        .await
    {
        Outcome::Refused(Error::Store { variable, .. }) => assert_eq!(variable, "office"),
        other => panic!("it was stored: {other:?}"),
    }
}

#[tokio::test]
async fn a_value_does_not_depend_on_the_bytes_before_it() {
    for byte in 0..=u8::MAX {
        let before = u16::from_be_bytes([1, byte]);
        survives((before, Id(7), Some(Id(8)), Some(None::<u8>))).await;
    }
    survives(vec![Id(0xd4), Id(0xd4), Id(1)]).await;
}

#[saga]
async fn lends_what_is_shared(peer: Peer<RoleServer>) -> u64 {
    let hits = vec![("a".to_owned(), AtomicU64::new(0))];
    let first = (&hits[0], "first");
    let _ = peer.elicit::<Confirm>("Sure?").await;
    first.0.1.fetch_add(1, Ordering::Relaxed);
    hits[0].1.load(Ordering::Relaxed)
}

#[tokio::test]
async fn a_reference_to_what_is_shared_is_an_error_in_one_process_as_well() {
    let connection = Connection::open(0).await;
    let engine = Engine::new(Client::with_capabilities(capable()));
    match engine.live(lends_what_is_shared(connection.peer())).await {
        Outcome::Refused(Error::Store { detail, .. }) => {
            assert!(detail.contains("AtomicU64"), "{detail}");
        }
        other => panic!("it went on: {}", matches!(other, Outcome::Done(1))),
    }
}
