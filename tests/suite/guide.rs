//! The diffs of `docs/porting.md` and the code of `docs/testing.md` are those of the files.

use std::{fs, path::PathBuf};

fn read(path: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A hunk: where it begins in either file, counted from 0, and its lines.
struct Hunk<'d> {
    old: usize,
    new: usize,
    lines: Vec<&'d str>,
}

impl<'d> Hunk<'d> {
    /// Of `@@ -12,7 +12,8 @@`.
    fn new(head: &str) -> Self {
        let starts = head.split([' ', ',']).filter_map(|word| {
            let number = word.strip_prefix(['-', '+'])?;
            number.parse::<usize>().ok()?.checked_sub(1)
        });
        let starts: Vec<_> = starts.collect();
        let [old, new] = starts[..] else {
            panic!("not a hunk: {head}")
        };
        let lines = Vec::new();
        Self { old, new, lines }
    }

    /// Its lines of one file: those that both have, and those that begin with `sign`.
    fn side(&self, sign: char) -> Vec<&'d str> {
        let kept = self.lines.iter();
        kept.filter_map(|line| {
            line.strip_prefix([' ', sign])
                .or(line.is_empty().then_some(""))
        })
        .collect()
    }
}

/// A diff of the guide: two files, and what it shows of them.
struct Diff<'d> {
    files: [&'d str; 2],
    hunks: Vec<Hunk<'d>>,
}

fn parsed(block: &str) -> Option<Diff<'_>> {
    let (text, _) = block.split_once("```")?;
    let mut lines = text.lines();
    let old = lines.next()?.strip_prefix("--- ")?;
    let new = lines.next()?.strip_prefix("+++ ")?;
    let mut hunks: Vec<Hunk<'_>> = Vec::new();
    for line in lines {
        match (line.starts_with("@@ "), hunks.last_mut()) {
            (true, _) => hunks.push(Hunk::new(line)),
            (false, Some(hunk)) => hunk.lines.push(line),
            (false, None) => panic!("before the first hunk: {line}"),
        }
    }
    let files = [old, new];
    Some(Diff { files, hunks })
}

/// What the hunks make of the old file.
fn applied(diff: &Diff<'_>, old: &str) -> String {
    let old: Vec<_> = old.lines().collect();
    let mut new = Vec::new();
    let mut done = 0;
    for hunk in &diff.hunks {
        new.extend_from_slice(&old[done..hunk.old]);
        new.extend(hunk.side('+'));
        done = hunk.old + hunk.side('-').len();
    }
    new.extend_from_slice(&old[done..]);
    new.join("\n") + "\n"
}

#[test]
fn the_diffs_of_the_porting_guide_are_those_of_the_files() {
    let guide = read("docs/porting.md");
    let blocks = guide.split("```diff\n").skip(1);
    let diffs: Vec<_> = blocks.map(|block| parsed(block).expect("a diff")).collect();
    let mut ported = Vec::new();
    for diff in &diffs {
        let [old, new] = diff.files.map(read);
        assert!(!diff.hunks.is_empty());
        for hunk in &diff.hunks {
            for (file, start, sign) in [(&old, hunk.old, '-'), (&new, hunk.new, '+')] {
                let side = hunk.side(sign);
                let there: Vec<_> = file.lines().skip(start).take(side.len()).collect();
                assert_eq!(side, there, "{:?} from line {}", diff.files, start + 1);
            }
        }
        // The ports are shown whole; of what is optional, a part may do.
        if diff.files[0].contains("/before/") {
            assert_eq!(applied(diff, &old), new, "{:?}", diff.files);
            ported.push(diff.files[1]);
        }
    }
    let files = ["confirm", "wizard", "llm"].map(|name| format!("examples/src/ported/{name}.rs"));
    assert_eq!(ported, files);
    assert!(diffs.len() > ported.len(), "the step to `Cx` is shown too");
}

#[test]
fn the_code_of_the_testing_guide_is_that_of_its_tests() {
    let (guide, file) = (read("docs/testing.md"), read("examples/tests/library.rs"));
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().map(|line| line.trim().to_owned());
        lines.collect()
    };
    let file = lines(&file);
    let blocks: Vec<_> = guide.split("```rust\n").skip(1).collect();
    assert!(blocks.len() > 5);
    for block in blocks {
        let (block, _) = block.split_once("```").expect("an end");
        let code = lines(block);
        let there = file.windows(code.len()).any(|window| window == code);
        assert!(there, "not in `examples/tests/library.rs`:\n{block}");
    }
}
