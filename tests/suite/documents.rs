//! What the documents say is so: their code is code that compiles, their links lead somewhere, the tests that they name exist.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A page, by its path from the root of the repository.
struct Page {
    path: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All files below a folder whose names end so, but for what is compiled into `target`.
fn files(folder: &Path, ending: &str, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !path.is_symlink() {
            if name != "target" && !name.starts_with('.') {
                files(&path, ending, all);
            }
        } else if name.ends_with(ending) {
            all.push(path);
        }
    }
}

fn pages() -> Vec<Page> {
    let mut paths = Vec::new();
    files(&root(), ".md", &mut paths);
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let path = path.strip_prefix(root()).unwrap().display().to_string();
        Page { path, text }
    };
    let pages: Vec<_> = paths.into_iter().map(read).collect();
    assert!(pages.len() > 12);
    pages
}

/// The code blocks of a page: what stands behind the fence, and the text.
fn blocks(page: &Page) -> Vec<(&str, Vec<&str>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, Vec<&str>)> = None;
    for line in page.text.lines() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some((language, Vec::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{}: a block without an end", page.path);
    blocks
}

/// Lines as they are compared: without indentation; in examples of a library's own documentation, without the marks of a comment.
fn comparable<'l>(lines: impl IntoIterator<Item = &'l str>) -> String {
    let bare = lines.into_iter().map(|line| {
        let line = line.trim();
        let line = line
            .strip_prefix("//!")
            .or(line.strip_prefix("///"))
            .unwrap_or(line);
        line.trim()
    });
    bare.fold("\n".to_owned(), |text, line| text + line + "\n")
}

/// All Rust that is compiled: not the refusals, and not what an expansion looks like.
fn compiled() -> Vec<String> {
    let mut paths = Vec::new();
    files(&root(), ".rs", &mut paths);
    let out = [root().join("tests/ui"), root().join("tests/expand")];
    paths.retain(|path| !out.iter().any(|folder| path.starts_with(folder)));
    let read = |path: PathBuf| comparable(fs::read_to_string(path).unwrap().lines());
    paths.into_iter().map(read).collect()
}

#[test]
fn the_code_of_the_pages_is_compiled() {
    let compiled = compiled();
    let mut checked = 0;
    for page in pages() {
        for (language, lines) in blocks(&page) {
            let code = match language {
                // Comments of an excerpt are the page's, and so are the doc comments' marks.
                "rust" => lines,
                // Of two whole files, `guide.rs` compares; else what is there after the change.
                "diff" if !lines.iter().any(|line| line.starts_with("--- ")) => {
                    let new = lines.iter().filter(|line| !line.starts_with('-'));
                    new.map(|line| line.get(1..).unwrap_or_default()).collect()
                }
                // `rust,ignore` says that it is shortened, and `.ci/hello` builds the manifest.
                "rust,ignore" | "diff" | "toml" | "sh" | "text" | "mermaid" | "nginx"
                | "dockerfile" | "json" | "console" => continue,
                other => panic!(
                    "{}: a block of `{other}`: say what it is, `text` at least",
                    page.path
                ),
            };
            checked += 1;
            let code = comparable(code);
            assert!(
                compiled.iter().any(|file| file.contains(&code)),
                "{}: no file that is compiled has this; `examples/tests/pages.rs` is for it, or `rust,ignore` where it is shortened:{code}",
                page.path
            );
        }
    }
    assert!(checked > 15, "{checked}");
}

#[test]
fn the_graded_messages_have_cases() {
    let table = fs::read_to_string(root().join("tests/ui/README.md")).unwrap();
    let rows = table.lines().filter_map(|line| line.split('|').nth(2));
    let cases = rows.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let is_case = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let mut checked = 0;
    for case in cases.filter(is_case) {
        checked += 1;
        let message = root().join(format!("tests/ui/{case}.stderr"));
        assert!(message.exists(), "{case}");
    }
    assert!(checked > 30, "{checked}");
}

/// What GitHub and mdBook make of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        letter if letter.is_alphanumeric() => letter.to_lowercase().next(),
        _ => None,
    });
    kept.collect()
}

/// The text without what stands in code: there, brackets are no links.
fn prose(page: &Page) -> String {
    let mut inside = false;
    let outside = page.text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    });
    let lines: Vec<_> = outside.collect();
    let text = lines.join("\n");
    let parts = text.split('`').enumerate();
    parts
        .map(|(at, part)| if at % 2 == 0 { part } else { "code" })
        .collect()
}

fn anchors(text: &str) -> Vec<String> {
    let page = Page {
        path: String::new(),
        text: text.to_owned(),
    };
    let blocks: Vec<String> = blocks(&page)
        .into_iter()
        .flat_map(|(_, lines)| lines)
        .map(str::to_owned)
        .collect();
    let headings = text
        .lines()
        .filter(|line| line.starts_with('#') && !blocks.iter().any(|code| code == line));
    headings
        .map(|line| anchor(line.trim_start_matches('#').trim()))
        .collect()
}

#[test]
fn every_link_leads_to_a_file_or_a_heading() {
    let mut checked = 0;
    let mut lost = Vec::new();
    for page in pages() {
        let prose = prose(&page);
        for link in prose.split("](").skip(1) {
            let link = link.split(')').next().unwrap_or_default();
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            checked += 1;
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let here = root().join(&page.path);
            let target = match file {
                "" => here,
                file => here.parent().unwrap().join(file),
            };
            let there = target.exists()
                && (heading.is_empty()
                    || anchors(&fs::read_to_string(&target).unwrap_or_default())
                        .iter()
                        .any(|one| one == heading));
            if !there {
                lost.push(format!("{}: {link}", page.path));
            }
        }
    }
    assert!(checked > 80, "{checked}");
    assert!(lost.is_empty(), "{lost:#?}");
}

#[test]
fn every_page_is_in_the_book() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") && name != "SUMMARY.md" {
            assert!(
                summary.contains(&format!("({name})")),
                "{name} is not in docs/SUMMARY.md"
            );
        }
    }
}

#[test]
fn every_test_that_the_security_page_names_exists() {
    let page = fs::read_to_string(root().join("docs/security.md")).unwrap();
    let mut paths = Vec::new();
    for tests in ["tests/suite", "tests/differential"] {
        files(&root().join(tests), ".rs", &mut paths);
    }
    let tests: String = paths
        .into_iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let cells = rows.filter_map(|row| row.trim_end_matches('|').rsplit('|').next());
    let names = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let names: Vec<_> = names.filter(|name| name.contains('_')).collect();
    assert!(names.len() > 20, "{names:?}");
    let missing: Vec<_> = names
        .into_iter()
        .filter(|name| !tests.contains(&format!("fn {name}()")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_first_server_of_the_pages_is_the_example() {
    let example = fs::read_to_string(root().join("examples/examples/hello.rs")).unwrap();
    for page in ["README.md", "docs/getting-started.md"] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let block = text.split("```rust\n").nth(1).unwrap();
        assert_eq!(block.split("```").next().unwrap(), example, "{page}");
    }
}

#[test]
fn the_dependencies_of_the_readmes_are_those_of_the_page_that_is_built() {
    let page = fs::read_to_string(root().join("docs/getting-started.md")).unwrap();
    for readme in ["README.md", "saga-runtime/README.md"] {
        let text = fs::read_to_string(root().join(readme)).unwrap();
        let block = text.split("```toml\n").nth(1).unwrap();
        let block = block.split("```").next().unwrap();
        assert!(page.contains(block), "{readme}:\n{block}");
    }
}
