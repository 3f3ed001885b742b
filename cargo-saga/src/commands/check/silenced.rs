//! `// saga: allow(secret)`: on the line, above it, or above the function.

use crate::{
    report::Finding,
    source::{File, Index},
};

/// Whether a comment says that the finding is meant so.
pub(super) fn is_silenced(index: &Index, finding: &Finding) -> bool {
    let Some(label) = finding.labels.first() else {
        return false;
    };
    let file = &label.file;
    let line = file.position(label.range.start).0;
    if says(file, line, finding.code) {
        return true;
    }
    let mut around = index.functions.iter().filter(|function| {
        function.file.path == file.path && function.range.contains(&label.range.start)
    });
    around.any(|function| {
        let first = file.position(function.range.start).0;
        let last = file.position(function.code().start).0;
        (first..=last).any(|line| says(file, line, finding.code))
    })
}

/// Whether the line, or one of the comments and attributes right above it, allows `code`.
fn says(file: &File, line: usize, code: &str) -> bool {
    let lines: Vec<_> = file.text.lines().take(line).collect();
    let Some((own, above)) = lines.split_last() else {
        return false;
    };
    let is_above = |line: &&&str| {
        let line = line.trim();
        // What stands behind an attribute on its line is what the comment is about.
        line.starts_with("//") || (line.starts_with("#[") && line.ends_with(']'))
    };
    let above = above.iter().rev().take_while(is_above);
    std::iter::once(own)
        .chain(above)
        .any(|line| allows(line, code))
}

fn allows(line: &str, code: &str) -> bool {
    let Some((_, comment)) = line.split_once("//") else {
        return false;
    };
    let Some((_, rest)) = comment.split_once("saga: allow(") else {
        return false;
    };
    let codes = rest.split_once(')').map_or(rest, |(codes, _)| codes);
    codes.split(',').any(|allowed| allowed.trim() == code)
}
