//! What the documents say of the tests is so.

use std::{fs, path::Path};

fn read(path: &Path, all: &mut String) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn every_test_that_the_security_page_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../docs/security.md")).unwrap();
    let mut tests = String::new();
    read(&root.join("suite"), &mut tests);
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
fn the_first_server_of_the_page_is_the_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../docs/getting-started.md")).unwrap();
    let example = fs::read_to_string(root.join("../examples/examples/hello.rs")).unwrap();
    let block = page.split("```rust\n").nth(1).unwrap();
    assert_eq!(block.split("```").next().unwrap(), example);
}
