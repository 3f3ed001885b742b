//! What a value shows, less the order of what has none in it.

use super::shown::quoted;

/// A text of `Debug`, with what stands in braces without a name in front of them sorted: sets, and the entries of maps. Lists and
/// fields stay as they are.
///
/// ```text
/// Shop { open: {"b", "a"}, rows: [2, 1] }   →   Shop { open: {"a","b"}, rows: [2, 1] }
/// ```
pub(super) fn unordered(text: &str) -> String {
    let mut open = vec![Piece::default()];
    let mut rest = text;
    while let Some(next) = rest.find(['"', '\'', '{', '[', '(', '}', ']', ')', ',']) {
        let (before, at) = rest.split_at(next);
        let (sign, behind) = at.split_at(one_sign(at).max(1));
        rest = behind;
        let Some(piece) = open.last_mut() else { break };
        piece.text.push_str(before);
        match sign {
            "{" | "[" | "(" => {
                let sorted = sign == "{" && !piece.ends_with_name();
                piece.text.push_str(sign);
                open.push(Piece {
                    sorted,
                    ..Piece::default()
                });
            }
            "}" | "]" | ")" => close(&mut open, sign),
            "," if piece.sorted => piece.end_item(),
            other => piece.text.push_str(other),
        }
    }
    if let Some(piece) = open.last_mut() {
        piece.text.push_str(rest);
    }
    while open.len() > 1 {
        close(&mut open, "");
    }
    open.pop().map(|piece| piece.text).unwrap_or_default()
}

/// How long the text or the letter in quotes is that this begins with.
fn one_sign(at: &str) -> usize {
    let inside = at.strip_prefix('\'').map(str::chars);
    let letter = inside.and_then(|mut inside| {
        let letter = inside.next()?;
        (inside.next()? == '\'').then(|| letter.len_utf8() + 2)
    });
    letter.unwrap_or_else(|| quoted(at))
}

/// What stands between two brackets, as far as it was read.
#[derive(Default)]
struct Piece {
    sorted: bool,
    items: Vec<String>,
    text: String,
}

impl Piece {
    fn ends_with_name(&self) -> bool {
        let last = self.text.trim_end().chars().next_back();
        last.is_some_and(|last| last.is_alphanumeric() || last == '_')
    }

    fn end_item(&mut self) {
        let item = std::mem::take(&mut self.text);
        self.items.push(item.trim().to_owned());
    }

    fn whole(mut self) -> String {
        if !self.sorted {
            return self.text;
        }
        self.end_item();
        self.items.sort_unstable();
        self.items.join(",")
    }
}

/// A bracket that nothing opened is a sign as others are.
fn close(open: &mut Vec<Piece>, sign: &str) {
    let inside = match open.len() {
        0 | 1 => None,
        _ => open.pop(),
    };
    if let Some(piece) = open.last_mut() {
        piece.text.extend(inside.map(Piece::whole));
        piece.text.push_str(sign);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[derive(Debug)]
    #[allow(dead_code, reason = "shown")]
    struct Shop<'a> {
        open: HashSet<&'a str>,
        rows: Vec<HashMap<u8, (char, &'a str)>>,
    }

    #[test]
    fn sets_and_maps_are_sorted_and_nothing_else() {
        let shop = |open: &[&'static str], rows: [u8; 2]| Shop {
            open: open.iter().copied().collect(),
            rows: vec![rows.iter().map(|row| (*row, ('{', "}, \""))).collect()],
        };
        let text = format!("{:?}", shop(&["b", "a, {"], [2, 1]));
        let sorted =
            r#"Shop { open: {"a, {","b"}, rows: [{1: ('{', "}, \""),2: ('{', "}, \"")}] }"#;
        assert_eq!(unordered(&text), sorted);
        assert_eq!(
            unordered(r#"Two { b: 1, a: [2, 1] }"#),
            r#"Two { b: 1, a: [2, 1] }"#
        );
        assert_eq!(unordered("Some({2, {1, 0}})"), "Some({2,{0,1}})");
        for odd in ["", "}", ")) {b, a", "it's {2, 1}", "\""] {
            assert_eq!(unordered(odd), unordered(&unordered(odd)));
        }
    }
}
