//! A continuation as bytes. What it consists of is known to both sides, so there are neither names nor types in it; the
//! values of variables and answers are MessagePack, which says itself what it is.
//!
//! Whole numbers are LEB128, hashes and the id have all of their bytes, and texts have their length in front.

use super::{ArmState, Carried, Continuation, Frame, GivenOut, Pending, Waiting};
use crate::{
    ask::client::Need,
    codec::{self, Failure},
    identity::{CallId, Identity},
};

/// How deep frames are nested at most: far from a stack overflow.
const DEEPEST: usize = 512;

/// Most continuations are shorter.
const USUAL: usize = 256;

/// Added to the need where there is a deadline, and where there is an answer.
const DEADLINE: u8 = 8;
const ANSWER: u8 = 16;

/// Memory is taken for no more on the word of a length alone.
const FEW: usize = 4;

const ASK: u8 = 0;
const CALL: u8 = 1;
const JOIN: u8 = 2;

const DONE: u8 = 0;
const WAITS: u8 = 1;

/// What a token holds.
pub(crate) trait Body: Sized {
    /// Appends its bytes.
    fn write(&self, out: &mut Vec<u8>) -> Result<(), Failure>;
    /// Reads it from the front.
    fn read(input: &mut Input<'_>) -> Result<Self, Failure>;
}

/// The bytes of a body.
pub(super) fn written<T: Body>(body: &T) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::with_capacity(USUAL);
    body.write(&mut out)?;
    Ok(out)
}

/// The body that these bytes are, all of them.
pub(super) fn read<T: Body>(bytes: &[u8]) -> Result<T, Failure> {
    let mut input = Input(bytes);
    let body = T::read(&mut input)?;
    match input.0.len() {
        0 => Ok(body),
        more => Err(format!("{more} bytes too many")),
    }
}

impl Body for Carried {
    fn write(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        put_bytes(out, self.tool.as_bytes());
        codec::encode(&self.arguments, out)?;
        self.continuation.write(out)
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Failure> {
        Ok(Self {
            tool: input.text()?,
            arguments: codec::decode_next(&mut input.0)?,
            continuation: Continuation::read(input)?,
        })
    }
}

impl Body for Continuation {
    fn write(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        let Identity {
            id,
            leg,
            begun,
            passed,
        } = self.identity;
        out.extend(id.as_bytes());
        put(out, leg.into());
        out.extend(begun.to_le_bytes());
        put(out, passed.into());
        put_frame(out, &self.frame, DEEPEST)?;
        put_length(out, self.pending.len());
        for ask in &self.pending {
            put_pending(out, ask)?;
        }
        put_length(out, self.asked.len());
        for (key, times) in &self.asked {
            out.extend(key.to_le_bytes());
            put(out, (*times).into());
        }
        Ok(())
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Failure> {
        let identity = Identity {
            id: CallId::from_bytes(input.array()?),
            leg: input.small()?,
            begun: u32::from_le_bytes(input.array()?),
            passed: input.small()?,
        };
        Ok(Self {
            identity,
            frame: input.frame(DEEPEST)?,
            pending: input.many(Input::pending)?,
            asked: input.given_out()?,
        })
    }
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while let Some(more @ 1..) = Some(number >> 7) {
        #[allow(clippy::cast_possible_truncation, reason = "seven bits of it")]
        out.push(number as u8 | 0x80);
        number = more;
    }
    #[allow(clippy::cast_possible_truncation, reason = "no more is left")]
    out.push(number as u8);
}

fn put_length(out: &mut Vec<u8>, length: usize) {
    put(out, length as u64);
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_length(out, bytes.len());
    out.extend(bytes);
}

fn put_frame(out: &mut Vec<u8>, frame: &Frame, levels: usize) -> Result<(), Failure> {
    let deeper = below(levels)?;
    out.extend(frame.point.to_le_bytes());
    out.extend(frame.types.to_le_bytes());
    put_bytes(out, &frame.values);
    match &frame.on {
        Waiting::Ask(index) => {
            out.push(ASK);
            put(out, (*index).into());
        }
        Waiting::Call(callee) => {
            out.push(CALL);
            put_frame(out, callee, deeper)?;
        }
        Waiting::Join(arms) => {
            out.push(JOIN);
            put_length(out, arms.len());
            for arm in arms {
                match arm {
                    ArmState::Done(value) => {
                        out.push(DONE);
                        put_bytes(out, value);
                    }
                    ArmState::Waits(passed, frame) => {
                        out.push(WAITS);
                        put(out, (*passed).into());
                        put_frame(out, frame, deeper)?;
                    }
                }
            }
        }
    }
    Ok(())
}

fn put_pending(out: &mut Vec<u8>, ask: &Pending) -> Result<(), Failure> {
    let mut head = ask.need as u8;
    if ask.deadline.is_some() {
        head |= DEADLINE;
    }
    if ask.answer.is_some() {
        head |= ANSWER;
    }
    out.push(head);
    put_bytes(out, ask.key.as_bytes());
    put_bytes(out, &ask.memo);
    if let Some((due, after)) = ask.deadline {
        put(out, due);
        put(out, after);
    }
    match &ask.answer {
        Some(answer) => codec::encode(answer, out),
        None => Ok(()),
    }
}

fn below(levels: usize) -> Result<usize, Failure> {
    let deeper = || format!("it is nested deeper than {DEEPEST}");
    levels.checked_sub(1).ok_or_else(deeper)
}

/// What is left to read.
pub(crate) struct Input<'i>(&'i [u8]);

impl<'i> Input<'i> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Failure> {
        let (array, rest) = self.0.split_first_chunk().ok_or_else(ends)?;
        self.0 = rest;
        Ok(*array)
    }

    fn byte(&mut self) -> Result<u8, Failure> {
        self.array().map(|[byte]| byte)
    }

    fn number(&mut self) -> Result<u64, Failure> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err("a number is too large".to_owned())
    }

    fn small(&mut self) -> Result<u32, Failure> {
        let number = self.number()?;
        u32::try_from(number).map_err(|_| format!("{number} is too large"))
    }

    fn bytes(&mut self) -> Result<&'i [u8], Failure> {
        let length = usize::try_from(self.number()?).ok();
        let split = length.and_then(|length| self.0.split_at_checked(length));
        let (bytes, rest) = split.ok_or_else(ends)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn text(&mut self) -> Result<String, Failure> {
        let text = str::from_utf8(self.bytes()?);
        text.map(ToOwned::to_owned)
            .map_err(|error| error.to_string())
    }

    /// As many as are said to be there.
    fn many<T>(
        &mut self,
        read: impl FnMut(&mut Self) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let length = self.number()?;
        let few = usize::try_from(length).map_or(FEW, |all| all.min(FEW));
        self.all(length, Vec::with_capacity(few), read)
    }

    fn all<T, A: Extend<T>>(
        &mut self,
        length: u64,
        mut all: A,
        mut read: impl FnMut(&mut Self) -> Result<T, Failure>,
    ) -> Result<A, Failure> {
        for _ in 0..length {
            all.extend([read(self)?]);
        }
        Ok(all)
    }

    fn given_out(&mut self) -> Result<GivenOut, Failure> {
        let length = self.number()?;
        self.all(length, GivenOut::new(), |input| {
            Ok((u32::from_le_bytes(input.array()?), input.small()?))
        })
    }

    fn frame(&mut self, levels: usize) -> Result<Frame, Failure> {
        let deeper = below(levels)?;
        Ok(Frame {
            point: u64::from_le_bytes(self.array()?),
            types: u32::from_le_bytes(self.array()?),
            values: self.bytes()?.to_vec(),
            on: match self.byte()? {
                ASK => Waiting::Ask(self.small()?),
                CALL => Waiting::Call(Box::new(self.frame(deeper)?)),
                JOIN => Waiting::Join(self.many(|input| input.arm(deeper))?),
                other => return Err(format!("nothing is waited for by {other}")),
            },
        })
    }

    fn arm(&mut self, levels: usize) -> Result<ArmState, Failure> {
        Ok(match self.byte()? {
            DONE => ArmState::Done(self.bytes()?.to_vec()),
            WAITS => ArmState::Waits(self.small()?, Box::new(self.frame(levels)?)),
            other => return Err(format!("no arm is {other}")),
        })
    }

    fn pending(&mut self) -> Result<Pending, Failure> {
        let head = self.byte()?;
        let need = Need::ALL.get(usize::from(head & !(DEADLINE | ANSWER)));
        let need = *need.ok_or_else(|| format!("no ask is {head}"))?;
        Ok(Pending {
            key: self.text()?,
            need,
            memo: self.bytes()?.to_vec(),
            deadline: match head & DEADLINE {
                0 => None,
                _ => Some((self.number()?, self.number()?)),
            },
            answer: match head & ANSWER {
                0 => None,
                _ => Some(codec::decode_next(&mut self.0)?),
            },
        })
    }
}

fn ends() -> Failure {
    "it ends too early".to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use serde_json::{Map, json};

    use super::*;
    use crate::ask::answer::Answer;

    fn frame(values: &[u8], on: Waiting) -> Frame {
        Frame {
            point: u64::MAX - 1,
            types: 1 << 31,
            values: values.to_vec(),
            on,
        }
    }

    fn waits(passed: u32, frame: Frame) -> ArmState {
        ArmState::Waits(passed, Box::new(frame))
    }

    /// One of everything that can be written.
    fn all() -> Carried {
        let arms = vec![
            ArmState::Done(vec![7; 200]),
            waits(300, frame(b"", Waiting::Ask(2))),
            waits(0, frame(b"x", Waiting::Join(Vec::new()))),
        ];
        let callee = frame(&[1; 130], Waiting::Join(arms));
        let answers = [
            None,
            Some(Answer::Result(json!({ "n": 1, "of": [null] }))),
            Some(Answer::Timeout(u64::MAX)),
        ];
        let deadlines = [None, Some((1 << 42, 0)), Some((0, u64::MAX))];
        let pending = Need::ALL.into_iter().enumerate().map(|(at, need)| Pending {
            key: "ключ".repeat(at),
            need,
            memo: vec![0xff; at],
            deadline: deadlines[at % 3],
            answer: answers[at / 2].clone(),
        });
        Carried {
            tool: "deploy".to_owned(),
            arguments: Map::from_iter([("service".to_owned(), json!("payments"))]),
            continuation: Continuation {
                identity: Identity {
                    id: CallId::from_bytes([9; 16]),
                    leg: u32::MAX,
                    begun: 1_800_000_000,
                    passed: 127,
                },
                frame: frame(b"values", Waiting::Call(Box::new(callee))),
                pending: pending.collect(),
                asked: [(u32::MAX, 128), (0, 1)].into(),
            },
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let all = all();
        let bytes = written(&all).unwrap();
        assert_eq!(read::<Carried>(&bytes), Ok(all));
    }

    #[test]
    fn a_need_is_at_its_number() {
        for (number, need) in (0..).zip(Need::ALL) {
            assert_eq!(need as u8, number, "{need:?}");
        }
        assert!(Need::ALL.len() <= usize::from(DEADLINE));
    }

    #[test]
    fn what_ends_too_early_or_too_late_is_an_error() {
        let bytes = written(&all()).unwrap();
        for end in 0..bytes.len() {
            assert!(read::<Carried>(&bytes[..end]).is_err(), "{end}");
        }
        let more = [&bytes[..], &[0]].concat();
        assert_eq!(read::<Carried>(&more), Err("1 bytes too many".to_owned()));
    }

    #[test]
    fn numbers_have_their_bytes_and_no_more() {
        for number in [0, 127, 128, 300, u64::MAX >> 1, u64::MAX] {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            let mut input = Input(&bytes);
            assert_eq!(input.number(), Ok(number), "{bytes:x?}");
            assert!(input.0.is_empty());
        }
        let too_large = [0xff; 9].into_iter().chain([2]).collect::<Vec<u8>>();
        assert!(Input(&too_large).number().is_err());
        assert!(Input(&[0x80; 11]).number().is_err());
        assert!(Input(&[0x80, 0x80, 0x80, 0x80, 0x10]).small().is_err());
    }

    #[test]
    fn frames_are_nested_as_deep_as_they_can_be_read() {
        let nested = |levels: usize| {
            let ask = frame(b"", Waiting::Ask(0));
            let call = |callee, _| frame(b"", Waiting::Call(Box::new(callee)));
            let mut all = all();
            all.continuation.frame = (1..levels).fold(ask, call);
            all
        };
        let deepest = nested(DEEPEST);
        assert_eq!(read(&written(&deepest).unwrap()), Ok(deepest));
        assert!(written(&nested(DEEPEST + 1)).is_err());
    }

    #[test]
    fn a_length_that_nothing_follows_takes_no_memory() {
        let mut bytes = Vec::new();
        put(&mut bytes, u64::MAX);
        let mut input = Input(&bytes);
        assert!(input.many(Input::byte).is_err());
        assert!(Input(&bytes).bytes().is_err());
    }
}
