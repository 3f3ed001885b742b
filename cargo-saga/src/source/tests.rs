use std::{fs, path::Path};

use super::*;
use crate::workspace::{Dependency, Target};

/// The index of a library whose files are these.
pub(crate) fn index(files: &[(&str, &[u8])]) -> (Index, tempfile::TempDir) {
    index_with(files, Vec::new())
}

pub(crate) fn index_with(
    files: &[(&str, &[u8])],
    dependencies: Vec<Dependency>,
) -> (Index, tempfile::TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().expect("it is in the directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    let package = Package {
        name: "sample".to_owned(),
        manifest: directory.path().join("Cargo.toml"),
        targets: vec![Target {
            name: "sample".to_owned(),
            kind: Kind::Library,
            root: directory.path().join("src/lib.rs"),
        }],
        dependencies,
    };
    (Index::of(&[package]), directory)
}

fn paths(index: &Index) -> Vec<String> {
    index
        .functions
        .iter()
        .map(|function| index.path_of(function))
        .collect()
}

#[test]
fn modules_are_followed_wherever_their_files_are() {
    let (index, _directory) = index(&[
        (
            "src/lib.rs",
            b"mod one; mod two; #[path = \"elsewhere/odd.rs\"] mod three; mod four { mod five; fn e() {} } fn f() {}",
        ),
        ("src/one.rs", b"mod inner; fn a() {}"),
        ("src/one/inner.rs", b"fn b() {}"),
        ("src/two/mod.rs", b"mod inner; fn c() {}"),
        ("src/two/inner.rs", b"fn d() {}"),
        ("src/elsewhere/odd.rs", b"mod beside; fn g() {}"),
        ("src/elsewhere/beside.rs", b"fn h() {}"),
        ("src/four/five.rs", b"#[path = \"six.rs\"] mod six;"),
        ("src/four/six.rs", b"fn i() {}"),
    ]);
    assert!(index.problems.is_empty(), "{:?}", index.problems);
    let mut found = paths(&index);
    found.sort();
    assert_eq!(
        found,
        [
            "sample::f",
            "sample::four::e",
            "sample::four::five::six::i",
            "sample::one::a",
            "sample::one::inner::b",
            "sample::three::beside::h",
            "sample::three::g",
            "sample::two::c",
            "sample::two::inner::d",
        ]
    );
}

#[test]
fn methods_know_their_types_and_spans_their_text() {
    let text = "\u{feff}#!/bin/sh\n// größe\nstruct S;\nimpl S {\n    /// doc ß\n    #[allow(x)]\n    pub async fn m(&self) { fn inner() {} }\n}\ntrait T { fn t(&self); fn u(&self) {} }\nimpl T for S { fn t(&self) {} }\n";
    let (index, _directory) = index(&[("src/lib.rs", text.as_bytes())]);
    assert_eq!(
        paths(&index),
        [
            "sample::S::m",
            "sample::inner",
            "sample::T::t",
            "sample::T::u",
            "sample::S::t"
        ]
    );
    let method = &index.functions[0];
    let file = &method.file;
    assert_eq!(
        file.at(method.range.clone()),
        "/// doc ß\n    #[allow(x)]\n    pub async fn m(&self) { fn inner() {} }"
    );
    assert_eq!(
        file.at(method.code()),
        "pub async fn m(&self) { fn inner() {} }"
    );
    assert_eq!(file.at(method.name_range()), "m");
    assert_eq!(file.indent(method.range.start), "    ");
    let of_trait = index.functions[4]
        .owner
        .as_ref()
        .and_then(|owner| owner.of_trait.as_ref());
    assert!(of_trait.is_some_and(|path| path.is_ident("T")));
}

#[test]
fn what_cannot_be_read_is_said_and_the_rest_is_read() {
    let (index, _directory) = index(&[
        ("src/lib.rs", b"mod latin; mod broken; mod missing; #[cfg(windows)] mod other; include!(\"x.rs\"); mod good;"),
        ("src/latin.rs", b"fn a() {}\n// caf\xe9\n"),
        ("src/broken.rs", b"fn a() {}\nfn b( {}\n"),
        ("src/good.rs", b"fn g() {} make! { fn hidden() {} }"),
    ]);
    assert_eq!(paths(&index), ["sample::good::g"]);
    assert_eq!(index.hidden[0].name, "make");
    let said: Vec<_> = index
        .problems
        .iter()
        .map(|problem| problem.message.as_str())
        .collect();
    let latin = said.iter().find(|said| said.contains("not UTF-8"));
    assert!(
        latin.is_some_and(|said| said.contains("latin.rs")),
        "{said:?}"
    );
    assert_eq!(said.len(), 4, "{said:?}");
    assert!(
        index.problems[0].notes[0].contains("line 2"),
        "{:?}",
        index.problems[0].notes
    );
    let broken = &index.problems[1].labels[0];
    assert_eq!(broken.file.position(broken.range.start).0, 2);
}

#[test]
fn two_ways_to_a_file_are_one_file() {
    let (index, _directory) = index(&[
        (
            "src/lib.rs",
            b"mod one; #[path = \"../src/./one.rs\"] mod two;",
        ),
        ("src/one.rs", b"fn a() {}"),
    ]);
    assert_eq!(paths(&index), ["sample::one::a", "sample::two::a"]);
    assert_eq!(index.files().len(), 2);
}

#[test]
fn a_file_that_leads_to_itself_ends() {
    let (index, _directory) =
        index(&[("src/lib.rs", b"#[path = \"lib.rs\"] mod again; fn a() {}")]);
    assert_eq!(paths(&index), ["sample::a"]);
    assert!(Path::new(&index.files()[0].path).is_file());
}

#[test]
fn a_line_ends_as_those_around_it() {
    let file = File::of("src/lib.rs", "mod a;\r\nmod b;\nmod c;\r\nmod d;").expect("it parses");
    let ends: Vec<_> = [0, 6, 8, 14, 16, 23, 29].map(|at| file.newline(at)).into();
    assert_eq!(ends, ["\r\n", "\r\n", "\n", "\n", "\r\n", "\r\n", "\r\n"]);
}

#[test]
fn what_is_put_behind_an_item_is_put_behind_its_comment() {
    for (text, end) in [
        ("use a; // of the sdk\nuse b;", 20),
        ("use a; /* sdk */ \nuse b;", 16),
        ("use a; /* sdk */ use b;", 6),
        ("use a; use b; // both", 6),
        ("use a; /* of\nthe sdk */\nuse b;", 23),
        ("use a; /* of\nthe sdk */ use b;", 6),
        ("use a;", 6),
    ] {
        let file = File::of("src/lib.rs", text).expect("it parses");
        assert_eq!(file.after_comment(6), end, "{text}");
    }
}

#[test]
fn what_is_put_before_an_item_is_put_before_its_comments() {
    let text = "//! All.\n\n// Of std.\nuse a;\n    // One.\n    // Two.\n    use b;\n";
    let file = File::of("src/lib.rs", text).expect("it parses");
    let at = |item: &str| {
        let item = text.find(item).expect("it is there");
        text.get(file.before_comments(item)..).expect("a place")
    };
    assert!(at("use a").starts_with("// Of std."));
    assert!(at("use b").starts_with("// One."));
    let inner = File::of("src/lib.rs", "//! All.\nuse a;").expect("it parses");
    assert_eq!(inner.before_comments(9), 9);
}
