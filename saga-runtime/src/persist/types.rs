//! A hash of the types in a frame: what the text of a function does not show, and an edit elsewhere can change.

use std::any::type_name;

/// Types one after the other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Types(u64);

impl Types {
    /// One more.
    pub(crate) fn and<T: ?Sized>(self) -> Self {
        let name = type_name::<T>().as_bytes();
        let mut hash = self.0 ^ 0xcbf2_9ce4_8422_2325;
        let (words, rest) = name.as_chunks::<8>();
        for word in words {
            hash = mixed(hash ^ u64::from_le_bytes(*word));
        }
        for byte in rest {
            hash = mixed(hash ^ u64::from(*byte));
        }
        Self(mixed(hash ^ name.len() as u64))
    }

    /// As a frame has it.
    pub(crate) fn folded(self) -> u32 {
        #[allow(clippy::cast_possible_truncation, reason = "both halves are in it")]
        let folded = (self.0 ^ (self.0 >> 32)) as u32;
        folded
    }
}

fn mixed(hash: u64) -> u64 {
    let hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 29)
}

/// The hash of one type.
#[cfg(test)]
pub(crate) fn of<T: ?Sized>() -> u32 {
    Types::default().and::<T>().folded()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_their_order_count() {
        let types = Types::default();
        assert_ne!(types.and::<u32>(), types.and::<f32>());
        assert_ne!(
            types.and::<u32>().and::<f32>(),
            types.and::<f32>().and::<u32>()
        );
        assert_ne!(types.and::<Vec<String>>(), types.and::<Vec<Box<str>>>());
        assert_eq!(types.and::<&str>().folded(), of::<&str>());
    }
}
