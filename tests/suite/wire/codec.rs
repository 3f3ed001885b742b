//! What can be held across an ask: it comes back from the token as it was.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    fmt::Debug,
    time::Duration,
};

use rmcp::{Peer, RoleServer};
use saga_runtime::{Answers, Client, Continuation, Engine, Error, Outcome, Stored, Suspended, saga};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tests::{answers::Confirm, live::{Connection, capable}};

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
    match engine().resume(continuation, answers, hold(connection.peer(), &make)).await {
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
async fn probe() {
    macro_rules! p { ($($e:expr),* $(,)?) => { $( { let v = $e; let r = held(|| $e).await; println!("{} {} -> {:?}", if r.as_ref() == Ok(&v) { "OK " } else { "BAD" }, stringify!($e), r); } )* } }
    p!(
        Some(None::<u8>), Some(Some(1u8)), None::<Option<u8>>, Some(()), None::<()>, (), Unit, Newtype(7), Tuple(1, "x".into()),
        vec![Some(None::<u8>), None, Some(Some(2))],
        Some(Unit), Some(Value::Null), Some(Newtype2(None)), Some(Newtype2(Some(1))),
        u128::MAX, i128::MIN, i128::MAX, u64::MAX, i64::MIN, f32::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY, -0.0f64,
        'ß', '\u{10ffff}', '\0', vec![0u8, 255], [1u8; 32], [0u8; 0], Vec::<u8>::new(), String::new(), "\u{0}\u{7f}\u{80}\u{ffff}\u{10ffff}é𝄞".to_string(),
        json!({"a": [1, -1, 2.5, null, true, {"b": {}}], "": "", "n": u64::MAX, "m": i64::MIN, "f": 1.0}),
        Flat { id: 1, rest: Inner { a: 2, b: None }, more: BTreeMap::from([("x".to_string(), json!([1]))]) },
        Untagged::A(1), Untagged::B("b".into()), Untagged::C { c: vec![1.5] }, Untagged::D(vec![1,2]),
        Internal::Unit, Internal::Struct { a: 1, b: Some("x".into()) }, Internal::New(Inner { a: 1, b: Some(2) }),
        Adjacent::Unit, Adjacent::Tuple(1, 2), Adjacent::Struct { a: None },
        Nested::Leaf, Nested::Pair(Box::new(Nested::Leaf), Box::new(Nested::Named { n: Some(Box::new(Nested::Many(vec![]))) })),
        HashMap::from([(1u32, "a".to_string()), (u32::MAX, "b".to_string())]),
        BTreeMap::from([((1u8, 2u8), "a".to_string())]), BTreeMap::from([(Newtype(1), 1)]), BTreeMap::from([(true, 1)]), BTreeMap::from([(Some(1), 1), (None, 2)]), BTreeMap::from([('x', 1)]),
        BTreeSet::from([(1, 'a')]), VecDeque::from([1, 2]), HashMap::<String, String>::new(), BTreeMap::<u8, ()>::new(),
        Skips { a: None, b: vec![], c: 7 }, Skips { a: Some(1), b: vec![2], c: 0 }, Skips { a: None, b: vec![3], c: 0 },
        Ok::<u8, String>(1), Err::<u8, String>("e".into()), Duration::new(u64::MAX, 999_999_999), std::time::UNIX_EPOCH,
        std::net::IpAddr::from([127, 0, 0, 1]), std::path::PathBuf::from("/a b"), (1u8, "x".to_string(), [1.5f32; 3], ((), ((),))),
        std::num::NonZeroU8::new(3), std::cmp::Reverse(1), 1..5, 1..=5, std::ops::Bound::Included(1), std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok().map(|_| 1),
        Box::<str>::from("x"), std::borrow::Cow::<'static, str>::Owned("x".into()), Renamed { fine: 1 }, Big { n: u128::MAX, i: i128::MIN },
        UntaggedBig::N(u128::MAX), FlatBig { id: 1, inner: Big { n: 5, i: -5 } }, FlatOpt { a: 1, inner: Some(Inner{a:1,b:None}) }, FlatOpt { a: 1, inner: None },
        FlatEnum { a: 1, kind: InternalB::Struct { a: 3, b: None } }, InternalMap::M { m: HashMap::from([(1u32, 2u32)]) },
        UntaggedBytes::S("x".into()), FlatIntMap { a: 1, inner: IntMap { m: BTreeMap::from([(1, 2)]) } }, FlatChar { a: 1, inner: CharF { c: 'x', o: Some(Some(1)), u: () } },
        DefaultTuple(1, 0), json!(1.0), json!(f64::MAX), json!(null), Some(json!({"a":null})),
    );
    let nan = held(|| f64::NAN).await; println!("nan {nan:?}");
}
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct Unit;
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)] struct Newtype(u64);
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct Newtype2(Option<u8>);
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct Tuple(u8, String);
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct DefaultTuple(u8, #[serde(default)] u8);
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct Inner { a: u8, b: Option<u8> }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct Flat { id: u8, #[serde(flatten)] rest: Inner, #[serde(flatten)] more: BTreeMap<String, Value> }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] #[serde(untagged)] enum Untagged { A(u8), B(String), C { c: Vec<f64> }, D(Vec<u8>) }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] #[serde(tag = "type")] enum Internal { Unit, Struct { a: u8, b: Option<String> }, New(Inner) }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] #[serde(tag = "t", content = "c")] enum Adjacent { Unit, Tuple(u8, u8), Struct { a: Option<u8> } }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] enum Nested { Leaf, Pair(Box<Nested>, Box<Nested>), Named { n: Option<Box<Nested>> }, Many(Vec<Nested>) }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct Skips { #[serde(skip_serializing_if = "Option::is_none", default)] a: Option<u8>, #[serde(skip_serializing_if = "Vec::is_empty", default)] b: Vec<u8>, c: u8 }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct Renamed { #[serde(rename = "ü")] fine: u8 }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct Big { n: u128, i: i128 }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] #[serde(untagged)] enum UntaggedBig { N(u128) }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct FlatBig { id: u8, #[serde(flatten)] inner: Big }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct FlatOpt { a: u8, #[serde(flatten)] inner: Option<Inner2> }
type Inner2 = Inner;
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct FlatEnum { a: u8, #[serde(flatten)] kind: Internal2 }
type Internal2 = InternalB;
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] #[serde(tag = "type")] enum InternalB { Struct { a: u8, b: Option<String> } }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] #[serde(tag = "type")] enum InternalMap { M { m: HashMap<u32, u32> } }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] #[serde(untagged)] enum UntaggedBytes { V(Vec<u8>), S(String) }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct IntMap { m: BTreeMap<u8, u8> }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct FlatIntMap { a: u8, #[serde(flatten)] inner: IntMap }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct CharF { c: char, o: Option<Option<u8>>, u: () }
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct FlatChar { a: u8, #[serde(flatten)] inner: CharF }
