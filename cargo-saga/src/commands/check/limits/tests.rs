use super::*;
use crate::source::tests::index;

/// The variables that are said to grow in a body.
fn grown(body: &str) -> Vec<String> {
    let text =
        format!("#[saga] async fn a(cx: &Cx, mut queue: Vec<u32>, limit: usize) {{ {body} }}");
    let (index, _directory) = index(&[("src/lib.rs", text.as_bytes())]);
    assert!(index.problems.is_empty(), "{:?}", index.problems);
    let is_described = index
        .functions
        .iter()
        .all(|function| function.described().is_some());
    assert!(is_described, "{body}");
    let graph = Graph::of(&index);
    let found = find(&graph).into_iter().map(|finding| {
        let label = finding.labels.first().expect("a place");
        label.file.at(label.range.clone()).to_owned()
    });
    found.collect()
}

const ASK: &str = r#"let more = cx.elicit::<A>("?").await;"#;

#[test]
fn what_grows_in_a_loop_with_an_end_of_its_own_is_nothing_to_tell() {
    for body in [
        "let mut all = Vec::new(); let mut n = 0; while n < 5 { ASK all.push(more); n += 1; } send(all);",
        "let mut all = Vec::new(); let mut n = 5; while n != 0 && more() { ASK all.push(more); n = n - 1; } send(all);",
        "let mut all = Vec::new(); while all.len() < 5 { ASK all.push(more); } send(all);",
        "let mut all = Vec::new(); loop { if all.len() == 3 { break } ASK all.push(more); } send(all);",
        "let mut all = Vec::new(); loop { ASK all.push(more); match all.len() { 3 => return, _ => {} } }",
        "let mut all = Vec::new(); let mut tries = 0; loop { ASK all.push(more); tries += 1; if tries > 3 { return; } }",
        "let mut all = Vec::new(); let mut tries = 0; loop { ASK all.push(more); tries += 1; if tries > 3 { Err(Failed)? } }",
        "let mut all = Vec::new(); let mut tries = 0; loop { ASK all.push(more); tries += 1; ensure!(tries < limit, \"x\"); }",
        "let mut all = Vec::new(); let mut tries = 0; loop { ASK all.push(more); tries = tries.saturating_add(1); match more { _ if tries > 3 => break, _ => {} } } send(all);",
        "let mut state = State { n: 0 }; let mut all = Vec::new(); loop { ASK all.push(more); state.n += 1; if state.n >= limit { break } } send(all);",
        "let mut all = Vec::new(); let mut n = 0; 'all: loop { loop { ASK all.push(more); n += 1; if n > 3 { break 'all } } } send(all);",
        "let mut seen = BTreeSet::new(); while let Some(page) = queue.pop() { ASK seen.insert(page); } send(seen);",
        "let mut seen = BTreeSet::new(); while !queue.is_empty() { let page = queue.remove(0); ASK seen.insert(page); } send(seen);",
        "let mut seen = BTreeSet::new(); loop { let Some(page) = queue.pop() else { break }; ASK seen.insert(page); } send(seen);",
        "let mut line = String::new(); loop { line.clear(); line.push_str(\"x\"); ASK send(&line); }",
        "let mut line = String::new(); loop { line = String::new(); line += \"x\"; ASK send(&line); }",
        "let mut last = Vec::new(); loop { ASK last.push(more); last.truncate(10); }",
        "let mut last = Vec::new(); loop { ASK last.push(more); if last.len() > 10 { last.remove(0); } }",
        "let mut last = Vec::new(); loop { ASK last.push(more); send(std::mem::take(&mut last)); }",
        "let mut by = HashMap::new(); loop { ASK by.insert(\"last\", more); by.insert(LAST, more); by.insert(Kind::Last, more); }",
        "let mut all = Vec::new(); for n in 0..3 { ASK all.push(more); } send(all);",
        "let mut n = 0; loop { ASK n += more; send(n); }",
        "loop { let mut own = Vec::new(); own.push(1); ASK send(own); }",
    ] {
        assert!(grown(&body.replace("ASK", ASK)).is_empty(), "{body}");
    }
}

#[test]
fn what_grows_for_as_long_as_the_client_answers_is_told() {
    for (body, of) in [
        (
            "let mut said = Vec::new(); loop { ASK said.push(more); }",
            "said",
        ),
        (
            "let mut said = Vec::new(); for n in 0.. { ASK said.push(more); }",
            "said",
        ),
        (
            "let mut text = String::new(); loop { ASK text += &more; send(&text); }",
            "text",
        ),
        (
            "let mut text = \"\".to_owned(); loop { ASK text = format!(\"{text}{more}\"); }",
            "text",
        ),
        (
            "let mut text: String = load(); loop { ASK text = text + &more; }",
            "text",
        ),
        (
            "let mut by = HashMap::new(); loop { ASK by.insert(more, 1); }",
            "by",
        ),
        // None of these is an end of it.
        (
            "let mut said = Vec::new(); loop { ASK said.push(more); if more.len() > 3 { break } } send(said);",
            "said",
        ),
        (
            "let mut said = Vec::new(); let mut n = 0; loop { ASK said.push(more); n += 1; if n > 3 { send(n) } }",
            "said",
        ),
        (
            "let mut said = Vec::new(); let mut n = 0; loop { ASK said.push(more); n += 1; if more.ok { n = 0; } if n > 3 { return } }",
            "said",
        ),
        (
            "let mut said = Vec::new(); let mut n = 0; loop { ASK said.push(more); while x() { n += 1; if n > 3 { break } } }",
            "said",
        ),
        (
            "let mut said = Vec::new(); let mut done = false; while !done { ASK done = more.done; said.push(more); } send(said);",
            "said",
        ),
        (
            "let mut said = Vec::new(); loop { let mut n = 0; while n < 3 { ASK said.push(more); n += 1; } }",
            "said",
        ),
        (
            "loop { let mut said = Vec::new(); loop { ASK said.push(more); } }",
            "said",
        ),
    ] {
        assert_eq!(grown(&body.replace("ASK", ASK)), [of], "{body}");
    }
}
