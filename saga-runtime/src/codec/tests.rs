#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::HashMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::*;

fn survives<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: T) {
    let mut bytes = Vec::new();
    encode(&value, &mut bytes).unwrap();
    assert_eq!(decode::<T>(&bytes), Ok(value), "{bytes:x?}");
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Unit;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Newtype(Option<u8>);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Fields {
    a: Option<Option<u8>>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    b: Option<u8>,
    c: Option<()>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Payload {
    Tuple(Option<()>, Option<Option<u8>>),
    Newtype(Option<Option<()>>),
    Struct { a: Option<Unit> },
    Plain,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Flat {
    n: u8,
    #[serde(flatten)]
    rest: HashMap<String, Option<Option<u8>>>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Deep { deep: Option<Option<u8>> },
    Text(String),
}

#[test]
fn nothing_inside_an_option_is_something() {
    for value in [None, Some(None), Some(Some(None)), Some(Some(Some(1u8)))] {
        survives(value);
    }
    for value in [None, Some(None), Some(Some(()))] {
        survives(value);
    }
    survives(Some(Unit));
    survives(Some(Newtype(None)));
    survives(Some(Newtype(Some(1))));
    survives(vec![Some(()), None, Some(())]);
    survives(Fields {
        a: Some(None),
        b: None,
        c: Some(()),
    });
    survives((Payload::Tuple(Some(()), Some(None)), Payload::Plain));
    survives(Payload::Newtype(Some(None)));
    survives(Payload::Struct { a: Some(Unit) });
    survives(HashMap::from([(1u32, Some(None::<u8>)), (2, None)]));
}

#[test]
fn an_option_of_json_keeps_its_null() {
    survives(Some(Value::Null));
    survives(None::<Value>);
    survives(Some(json!([null, { "a": null }])));
}

#[test]
fn options_survive_in_buffers_of_serde() {
    for deep in [None, Some(None), Some(Some(7))] {
        survives(Untagged::Deep { deep });
        survives(Flat {
            n: 1,
            rest: HashMap::from([("x".to_owned(), deep)]),
        });
    }
    survives(Untagged::Text("t".to_owned()));
}

#[test]
fn what_was_not_written_here_is_refused() {
    for bytes in [
        &[0xd4u8, 0, 1][..],
        &[0xd4],
        &[0xd4, 0],
        &[0xc1],
        &[0x91],
        &[0xc7, 0, 0],
        &[],
    ] {
        assert!(decode::<u8>(bytes).is_err(), "{bytes:x?}");
        assert!(decode::<String>(bytes).is_err(), "{bytes:x?}");
    }
    assert!(decode::<Value>(&[0x91; 20_000]).is_err());
    assert!(decode::<Option<u8>>(&[0xd4, 0, 3]).is_err());
}

/// Nothing stands between one level and the next in the bytes of an option in a newtype.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Endless(Option<Box<Endless>>);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Chain {
    Link(Box<Chain>),
    Other((), Box<Chain>),
    End,
}

#[test]
fn no_type_recurses_without_bound() {
    assert!(decode::<Endless>(&[1]).is_err());
    assert!(
        decode::<Endless>(&[0xd4, 0, 255]).is_ok(),
        "255 levels are few"
    );
    let link = b"\x81\xa4Link".repeat(50_000);
    assert!(decode::<Chain>(&link).is_err());
    let other = b"\x81\xa5Other\x92\xc0".repeat(50_000);
    assert!(decode::<Chain>(&other).is_err());
    let list = b"\x91".repeat(50_000);
    assert!(decode::<serde::de::IgnoredAny>(&list).is_err());
}

#[test]
fn what_is_written_can_be_read_at_any_depth() {
    let mut chain = Chain::End;
    let mut endless = Endless(None);
    for depth in 0..2 * MAX_DEPTH {
        chain = Chain::Link(Box::new(chain));
        endless = Endless(Some(Box::new(endless)));
        // Near the limits, and now and then.
        let near = (MAX_DEPTH / 2 - 4..MAX_DEPTH / 2 + 4).contains(&depth)
            || (MAX_DEPTH - 4..MAX_DEPTH + 4).contains(&depth);
        if !near && !depth.is_multiple_of(50) {
            continue;
        }
        let bytes = &mut Vec::new();
        if encode(&chain, bytes).is_ok() {
            assert_eq!(decode::<Chain>(bytes).as_ref(), Ok(&chain));
        }
        let bytes = &mut Vec::new();
        if encode(&endless, bytes).is_ok() {
            assert_eq!(decode::<Endless>(bytes).as_ref(), Ok(&endless));
        }
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t")]
enum Internal {
    A {
        x: Option<Option<u8>>,
        y: Option<()>,
    },
    B(HashMap<String, Option<Unit>>),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Bare {
    Number(u8),
    Deep(Option<Option<Option<u8>>>),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Wide {
    List(Vec<Option<Option<u8>>>),
    Map(HashMap<String, Vec<Option<()>>>),
    Some(Newtype),
}

#[test]
fn nothing_survives_wherever_a_buffer_may_hold_it() {
    survives(Internal::A {
        x: Some(None),
        y: Some(()),
    });
    survives(Internal::B(HashMap::from([("u".to_owned(), Some(Unit))])));
    survives(Wide::List(vec![None, Some(None), Some(Some(1))]));
    survives(Wide::Map(HashMap::from([(
        "m".to_owned(),
        vec![None, Some(())],
    )])));
    survives(Some(Some(Bare::Number(212))));
    for deep in [None, Some(None), Some(Some(None)), Some(Some(Some(3)))] {
        if deep != Some(Some(Some(3))) {
            survives(Bare::Deep(deep));
            survives(vec![Bare::Deep(deep)]);
            survives(Some(Bare::Deep(deep)));
        }
    }
    survives(Some(Wide::Some(Newtype(Some(212)))));
}

mod sharing {
    use std::{
        borrow::Cow,
        cell::Cell,
        collections::BTreeMap,
        rc::Rc,
        sync::{Arc, Mutex, atomic::AtomicU8},
    };

    use super::*;

    #[derive(Default, Serialize)]
    struct Hits {
        n: AtomicU8,
    }

    #[derive(Default, Serialize)]
    struct Own {
        lock: Mutex<Vec<u8>>,
        all: Vec<Mutex<u8>>,
        boxed: Option<Box<AtomicU8>>,
        by_name: BTreeMap<String, Hits>,
        plain: Rc<Vec<Arc<Newtype>>>,
    }

    #[derive(Serialize)]
    enum Holds<'a> {
        Hits(&'a Hits),
        List(Vec<&'a Hits>),
        Named {
            by: Cow<'a, str>,
            of: Option<Arc<Hits>>,
        },
        None,
    }

    fn refuses<T: Serialize + ?Sized>(value: &T) -> bool {
        let refused = encode(value, &mut Vec::new()).err();
        refused.is_some_and(|error| error.contains("would be a copy"))
    }

    #[test]
    fn what_only_its_owner_has_is_written() {
        let hits = Hits::default();
        let mut own = Own::default();
        own.all.push(Mutex::new(1));
        own.boxed = Some(Box::default());
        own.by_name.insert("a".to_owned(), Hits::default());
        own.plain = Rc::new(vec![Arc::new(Newtype(None))]);
        assert!(!refuses(&own) && !refuses(&hits) && !refuses(&vec![own]));
        assert!(!refuses(&Holds::None) && !refuses(&Holds::List(Vec::new())));
        let of_none = Holds::Named {
            by: "a".into(),
            of: None,
        };
        assert!(!refuses(&of_none) && !refuses(&[Some((1, hits))]));
    }

    #[test]
    fn what_others_have_and_change_is_not() {
        let (hits, cell) = (Hits::default(), Cell::new(1));
        assert!(refuses(&&hits) && refuses(&(1, &hits)) && refuses(&vec![&hits]));
        assert!(refuses(&&cell) && refuses(&Box::new(&cell)) && refuses(&[Some(&cell)]));
        assert!(refuses(&Holds::Hits(&hits)) && refuses(&Holds::List(vec![&hits])));
        let named = Holds::Named {
            by: "a".into(),
            of: Some(Arc::default()),
        };
        assert!(refuses(&named) && refuses(&Arc::new(Mutex::new(1))) && refuses(&Rc::new([hits])));
        assert!(encode_shared(&cell, &mut Vec::new()).is_err());
        assert!(encode_shared(&[cell][..], &mut Vec::new()).is_err());
    }
}

mod order {
    use std::collections::{BTreeMap, HashMap};

    use indexmap::IndexMap;

    use super::*;

    #[test]
    fn maps_that_keep_their_order_are_seen() {
        let ordered: IndexMap<u8, u8> = [(2, 1), (1, 2)].into_iter().collect();
        assert!(has_ordered_maps(&[Some((1, &ordered))]));
        assert!(!has_ordered_maps(&(
            HashMap::from([(1, 2)]),
            BTreeMap::from([(1, vec![2])])
        )));
    }
}
