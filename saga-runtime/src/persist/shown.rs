//! What a value shows of itself, to compare it with what is there in another process.

use std::{
    fmt::{self, Debug, Write as _},
    marker::PhantomData,
};

use serde::{Deserialize, Serialize};

use super::{
    Persist, Rehome, Slot,
    arena::Arena,
    borrowed::Borrowed,
    forms::{AsReferences, AsSerde, AsSerdeLent, AsSerdeShown, read_back, save_references},
    kinds,
    unordered::unordered,
};
use crate::{
    activation::{Activation, Stop, suspension::Suspension},
    codec::{self, Failure},
};

/// How far apart the functions of a program are at most.
const FAR: u64 = 1 << 30;

/// A value's text, less the addresses of functions in it, which are others in each process.
pub(super) fn shown(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    if !text.contains("0x") {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(next) = rest.find(['"', '\'', '0']) {
        let (before, at) = rest.split_at(next);
        shown.push_str(before);
        let (taken, kept) = match at.strip_prefix("0x") {
            Some(digits) => {
                let after = digits.trim_start_matches(|digit: char| digit.is_ascii_hexdigit());
                let number = digits.strip_suffix(after).unwrap_or_default();
                let length = at.len() - after.len();
                match is_code(number) {
                    true => (length, "0x"),
                    false => (length, at.get(..length).unwrap_or_default()),
                }
            }
            None => {
                let length = quoted(at).max(1);
                (length, at.get(..length).unwrap_or_default())
            }
        };
        shown.push_str(kept);
        rest = at.get(taken..).unwrap_or_default();
    }
    shown.push_str(rest);
    shown
}

/// A sum of a value's text.
#[derive(Debug, PartialEq, Eq)]
struct Tally {
    length: usize,
    /// By which a reordered text is another one (FNV-1a).
    text: u64,
}

impl Tally {
    /// Of what it shows.
    fn of(value: &impl Debug) -> Self {
        let mut tally = Self { length: 0, text: 0 };
        // What cannot be shown is as far as it can.
        let _ = write!(tally, "{value:?}");
        tally
    }
}

impl fmt::Write for Tally {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.length += text.len();
        for byte in text.bytes() {
            self.text = (self.text ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}

/// How often a value is read to see whether its order is another one each time: of two items it may be the same by chance.
const READS: usize = 24;

/// Checks by its `Debug` as well that what was written gives the same again: what `#[serde(skip)]` leaves out is written the same again.
pub(super) fn checked_shown<'s, T: Debug + Serialize + Deserialize<'s>>(
    value: &T,
    written: &[u8],
    arena: &'s Arena<'s>,
) -> Result<(), Failure> {
    let again: T = read_back(written, arena)?;
    same_or(value, &again, |after| {
        (0..READS).any(|_| {
            let once_more = read_back::<T>(written, arena);
            once_more.is_ok_and(|once_more| unordered(&format!("{once_more:?}")) != after)
        })
    })
}

/// Whether two values show the same.
pub(super) fn same<T: Debug + Serialize>(
    value: &T,
    again: &(impl Debug + Serialize),
) -> Result<(), Failure> {
    same_or(value, again, |_| false)
}

/// The same; `varies` says of what has no order, and is shown as a list, whether it is shown in another one each time.
fn same_or<T: Debug + Serialize>(
    value: &T,
    again: &(impl Debug + Serialize),
    varies: impl FnOnce(&str) -> bool,
) -> Result<(), Failure> {
    match differing(value, again) {
        None => Ok(()),
        Some((before, after)) => {
            let ordered = || are_ordered_alike(value, again);
            same_text(&before, &after, ordered, varies)
        }
    }
}

/// What two values show, where that is not the same: mostly it is, and nothing is kept of it.
fn differing(value: &impl Debug, again: &impl Debug) -> Option<(String, String)> {
    let differ = Tally::of(value) != Tally::of(again);
    differ.then(|| (format!("{value:?}"), format!("{again:?}")))
}

/// Whether what two values have shown is the same.
pub(super) fn same_shown(
    before: &str,
    after: &str,
    value: &impl Serialize,
    again: &impl Serialize,
) -> Result<(), Failure> {
    same_text(before, after, || are_ordered_alike(value, again), |_| false)
}

/// A map of indexmap's is shown as one of std's, and keeps its order: where there is one, all that is written has to be the same, less
/// the hash tables.
fn are_ordered_alike(value: &impl Serialize, again: &impl Serialize) -> bool {
    !codec::has_ordered_maps(again)
        || codec::beside_hash_tables(value) == codec::beside_hash_tables(again)
}

/// Whether two texts of `Debug` are of the same value, but for the order of what has none.
fn same_text(
    before: &str,
    after: &str,
    ordered: impl FnOnce() -> bool,
    varies: impl FnOnce(&str) -> bool,
) -> Result<(), Failure> {
    let is_same = before == after || {
        let (before, after) = (unordered(before), unordered(after));
        match before == after {
            true => ordered(),
            false => has_all_of(&before, &after) && varies(&after),
        }
    };
    match is_same {
        true => Ok(()),
        false => Err(
            "its `Deserialize` gives another value than its `Serialize` took, by its `Debug`: a field with `#[serde(skip)]`, or a form that leaves something out or gives it another order"
                .to_owned(),
        ),
    }
}

/// Whether a text has the bytes of another one, in whatever order.
fn has_all_of(text: &str, other: &str) -> bool {
    let sorted = |text: &str| {
        let mut bytes = text.as_bytes().to_vec();
        bytes.sort_unstable();
        bytes
    };
    sorted(text) == sorted(other)
}

/// Whether a copy shows what the value does, but for the order of sets and maps.
pub(super) fn shows_the_same<T: Debug>(value: &T, copy: &T) -> bool {
    differing(value, copy).is_none_or(|(value, copy)| unordered(&value) == unordered(&copy))
}

/// How a value is compared by what it shows, where its type can.
#[derive(Debug)]
pub struct Shows<T>(Option<Differing<T>>);

type Differing<T> = fn(&T, &T) -> Option<(String, String)>;

impl<T> Clone for Shows<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shows<T> {}

impl<T> Shows<T> {
    /// Not at all.
    pub(super) const NOT: Self = Self(None);
}

impl<T: Serialize> Shows<T> {
    /// Whether a value that was read back shows the same.
    pub(super) fn same(self, value: &T, again: &T) -> Result<(), Failure> {
        match self.0.and_then(|differing| differing(value, again)) {
            Some((before, after)) => same_shown(&before, &after, value, again),
            None => Ok(()),
        }
    }
}

/// The type of a slot's variable.
#[derive(Debug)]
pub struct ShownIn<T>(PhantomData<fn(T) -> T>);

impl ShownIn<()> {
    /// That of this slot.
    pub fn slot<T, F>(_: &Slot<T, F>) -> ShownIn<T> {
        ShownIn(PhantomData)
    }
}

/// Found first: it shows what it is.
pub trait SlotShown<T> {
    /// How.
    fn saga_shown(&self) -> Shows<T>;
}

impl<T: Debug> SlotShown<T> for &ShownIn<T> {
    fn saga_shown(&self) -> Shows<T> {
        Shows(Some(|value, again| differing(value, again)))
    }
}

/// Found for everything else.
pub trait SlotNotShown<T> {
    /// Not.
    fn saga_shown(&self) -> Shows<T> {
        Shows::NOT
    }
}

impl<T> SlotNotShown<T> for ShownIn<T> {}

/// References to values that show what they are: what they refer to behind an ask has to show the same.
#[derive(Debug)]
pub struct AsShownReferences<K>(PhantomData<fn() -> K>);

impl<'s, K, T: Debug + Borrowed<'s, K, Home = T>> Persist<'s, T> for AsShownReferences<K> {
    fn save(value: &T, suspension: &mut Suspension, arena: &'s Arena<'s>) {
        save_references::<K, T>(value, suspension, arena, |again| same(value, again));
    }

    fn load(activation: &mut Activation, arena: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        AsReferences::<K>::load(activation, arena)
    }
}

impl<'s, K, T: Debug + Borrowed<'s, K, Home = U>, U: Debug + Serialize> Rehome<'s, T, U>
    for AsShownReferences<K>
{
    fn rehome(value: T, arena: &'s Arena<'s>) -> Result<U, Failure> {
        if value.is_home(arena) {
            return value.rehome(arena);
        }
        let before = format!("{value:?}");
        let home = value.rehome(arena)?;
        same_text(&before, &format!("{home:?}"), || true, |_| false).map(|()| home)
    }
}

/// The same of a value that may borrow from a block's own variables.
#[derive(Debug)]
pub struct AsSerdeLentShown;

impl<'s, T: Debug + Serialize + Deserialize<'s>> Persist<'s, T> for AsSerdeLentShown {
    fn save(value: &T, suspension: &mut Suspension, arena: &'s Arena<'s>) {
        AsSerdeShown::save(value, suspension, arena);
    }

    fn load(activation: &mut Activation, arena: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        AsSerdeShown::load(activation, arena)
    }
}

impl<'s, T: Debug + Serialize, U: Debug + Serialize + Deserialize<'s>> Rehome<'s, T, U>
    for AsSerdeLentShown
{
    fn rehome(value: T, arena: &'s Arena<'s>) -> Result<U, Failure> {
        let home = AsSerdeLent::rehomed(&value, arena)?;
        same(&value, &home).map(|()| home)
    }
}

impl<'s, T: Debug + Serialize + Deserialize<'s>> Persist<'s, T> for AsSerdeShown {
    fn save(value: &T, suspension: &mut Suspension, arena: &'s Arena<'s>) {
        suspension.store(value, |written| {
            kinds::not_shared::<T>()?;
            checked_shown(value, written, arena)
        });
    }

    fn load(activation: &mut Activation, arena: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        AsSerde::load(activation, arena)
    }
}

/// Whether a number is the address of code of this program, which is loaded somewhere else each time: other numbers are what a value is.
fn is_code(digits: &str) -> bool {
    let here = u64::try_from((quoted as *const ()).addr()).unwrap_or_default();
    let is_moved = here > u64::from(u32::MAX);
    let address = u64::from_str_radix(digits, 16);
    is_moved && address.is_ok_and(|address| address.abs_diff(here) < FAR)
}

/// How long the text in quotes is that this begins with.
pub(super) fn quoted(text: &str) -> usize {
    const QUOTE: &str = "'\"'";
    let Some(inside) = text.strip_prefix('"') else {
        return if text.starts_with(QUOTE) {
            QUOTE.len()
        } else {
            0
        };
    };
    let mut is_escaped = false;
    let end = inside.find(|char| {
        let ends = char == '"' && !is_escaped;
        is_escaped = char == '\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one() {}
    fn other() {
        std::hint::black_box(1);
    }

    #[test]
    fn the_address_of_a_function_is_not_shown() {
        let of = |run: fn()| ("a \"0x1\" \\", 0x10, 100, run, '"', "0x2f");
        assert_eq!(shown(&of(one)), shown(&of(other)));
        let expected = r#"("a \"0x1\" \\", 16, 100, 0x, '"', "0x2f")"#;
        assert_eq!(shown(&of(one)), expected);
        assert_eq!(shown(&"0xff"), r#""0xff""#);
        assert_eq!(shown(&1), "1");
    }

    #[test]
    fn other_numbers_are_what_a_value_is() {
        struct Hex(u64);
        impl Debug for Hex {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{:#x}", self.0)
            }
        }
        for number in [0, 0x2f, 0xffff_ffff, 0x0123_4567_89ab_cdef, u64::MAX] {
            assert_eq!(shown(&Hex(number)), format!("{number:#x}"));
        }
    }
}
