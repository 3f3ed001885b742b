//! Where a function begins: at its beginning, or at the point of the frame that it is given.

use std::collections::HashMap;

use serde::de::IgnoredAny;

use crate::{
    codec,
    engine::{
        continuation::Frame,
        function::{Accepted, Function},
    },
};

/// Where a function begins.
pub(super) struct Entry {
    pub(super) frame: Option<Frame>,
    /// 0 at the beginning, `u32::MAX` where the frame does not fit.
    pub(super) point: u32,
    /// What the frame's types must come to.
    pub(super) types: Option<u32>,
    /// Why it does not fit, where that is known.
    pub(super) unfit: Option<String>,
}

impl Entry {
    pub(super) fn at(function: &Function, frame: Option<Frame>) -> Self {
        let Some(mut frame) = frame else {
            return Self {
                frame: None,
                point: 0,
                types: None,
                unfit: None,
            };
        };
        let (mut types, mut unfit) = (Some(frame.types), None);
        let point = match function.standing(frame.point) {
            None => u32::MAX,
            Some((point, None)) => point,
            Some((point, Some(accepted))) => {
                // Its types are judged by reading them: the author has changed some on purpose.
                types = None;
                match rearranged(&frame.values, accepted) {
                    Ok(values) => {
                        frame.values = values;
                        point
                    }
                    Err(detail) => {
                        unfit = Some(detail);
                        u32::MAX
                    }
                }
            }
        };
        Self {
            frame: Some(frame),
            point,
            types,
            unfit,
        }
    }
}

/// The values of a frame of earlier code, as this code has them: by name.
fn rearranged(values: &[u8], accepted: &Accepted) -> Result<Vec<u8>, String> {
    let mut left = values;
    let mut named: HashMap<&str, Vec<&[u8]>> = HashMap::new();
    for name in accepted.from {
        let before = left;
        let _: IgnoredAny = codec::decode_next(&mut left)
            .map_err(|detail| format!("`{name}` cannot be read: {detail}"))?;
        let value = before.get(..before.len() - left.len());
        named.entry(name).or_default().extend(value);
    }
    if !left.is_empty() {
        return Err("the frame has more values than the earlier code is said to write".to_owned());
    }
    let mut arranged = Vec::new();
    // Of several variables of one name, the innermost is the last in either.
    let mut taken: HashMap<&str, usize> = HashMap::new();
    for name in accepted.to {
        let all = named.get(name).map(Vec::as_slice).unwrap_or_default();
        let wanted = accepted.to.iter().filter(|other| *other == name).count();
        if all.len() != wanted {
            return Err(format!("`{name}` was not stored by the earlier code"));
        }
        let index = taken.entry(name).or_default();
        arranged.extend_from_slice(all.get(*index).copied().unwrap_or_default());
        *index += 1;
    }
    Ok(arranged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(values: &[u8], to: &'static [&'static str]) -> Result<Vec<u8>, String> {
        let accepted = Accepted {
            fingerprint: 0,
            from: &["a", "b", "a"],
            to,
        };
        rearranged(values, &accepted)
    }

    /// A small number is one byte, and a text of two letters three.
    #[test]
    fn values_go_to_their_names_and_those_of_one_name_keep_their_order() {
        let values = [1, 0xa2, b'h', b'i', 3];
        assert_eq!(
            fit(&values, &["b", "a", "a"]),
            Ok(vec![0xa2, b'h', b'i', 1, 3])
        );
        assert_eq!(
            fit(&values, &["a", "a", "b"]),
            Ok(vec![1, 3, 0xa2, b'h', b'i'])
        );
        assert_eq!(fit(&values, &["b"]), Ok(vec![0xa2, b'h', b'i']));
        assert_eq!(fit(&values, &[]), Ok(Vec::new()));
    }

    #[test]
    fn what_does_not_fit_is_told_by_its_name() {
        let values = [1, 2, 3];
        for (to, name) in [(&["a"][..], "a"), (&["b", "b"], "b"), (&["c"], "c")] {
            let expected = format!("`{name}` was not stored by the earlier code");
            assert_eq!(fit(&values, to), Err(expected));
        }
        assert!(fit(&values[..2], &["b"]).is_err());
        assert!(fit(&[1, 2, 3, 4], &["b"]).is_err());
    }
}
