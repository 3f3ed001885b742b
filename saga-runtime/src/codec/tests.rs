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
