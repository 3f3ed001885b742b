//! Edits of text by its spans, and the way back from an edited text to the original.

use std::{ops::Range, path::PathBuf};

/// What is written in place of a range of the original.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edit {
    pub(super) file: PathBuf,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: String,
}

/// An edited text.
#[derive(Debug)]
pub(super) struct Edited {
    pub(super) text: String,
    /// Each edit's range in the original and in the text.
    moved: Vec<(Range<usize>, Range<usize>)>,
}

impl Edited {
    /// `original` with the edits in it, which are sorted; of two that overlap the first one is made.
    pub(super) fn of<'e>(original: &str, edits: impl IntoIterator<Item = &'e Edit>) -> Self {
        let mut text = String::with_capacity(original.len() + 256);
        let mut moved = Vec::new();
        let mut done = 0;
        for edit in edits {
            let (Some(kept), true) = (original.get(done..edit.start), edit.end <= original.len())
            else {
                continue;
            };
            text.push_str(kept);
            let start = text.len();
            text.push_str(&edit.text);
            moved.push((edit.start..edit.end, start..text.len()));
            done = edit.end;
        }
        text.push_str(original.get(done..).unwrap_or_default());
        Self { text, moved }
    }

    /// Where in the original an offset of the text comes from.
    pub(super) fn original(&self, offset: usize) -> usize {
        let mut place = offset;
        for (from, to) in &self.moved {
            if offset < to.start {
                break;
            }
            place = match offset < to.end {
                true => from.start,
                false => from.end + (offset - to.end),
            };
        }
        place
    }
}

impl Edited {
    /// Where an offset of the original has come to.
    pub(super) fn now(&self, offset: usize) -> usize {
        let before = self.moved.iter().take_while(|(from, _)| from.end <= offset);
        before
            .last()
            .map_or(offset, |(from, to)| to.end + (offset - from.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: usize, end: usize, text: &str) -> Edit {
        Edit {
            file: PathBuf::new(),
            start,
            end,
            text: text.to_owned(),
        }
    }

    #[test]
    fn the_way_back_is_that_of_the_edits() {
        let edits = [
            edit(0, 0, "ab"),
            edit(3, 5, "x"),
            edit(4, 6, "never"),
            edit(8, 8, "yz"),
        ];
        let edited = Edited::of("0123456789", &edits);
        assert_eq!(edited.text, "ab012x567yz89");
        let back: Vec<_> = (0..edited.text.len())
            .map(|offset| edited.original(offset))
            .collect();
        assert_eq!(back, [0, 0, 0, 1, 2, 3, 5, 6, 7, 8, 8, 8, 9]);
        let now: Vec<_> = [0, 2, 5, 7, 8, 9].map(|offset| edited.now(offset)).into();
        assert_eq!(now, [2, 4, 6, 8, 11, 12]);
    }

    #[test]
    fn without_edits_it_is_the_original() {
        let edited = Edited::of("größe", &[]);
        assert_eq!(edited.text, "größe");
        assert_eq!(edited.original(4), 4);
    }
}
