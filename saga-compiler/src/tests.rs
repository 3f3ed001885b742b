//! Snapshots of the expansion. `SAGA_SNAPSHOTS=write cargo test -p saga-compiler` writes them anew.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::{fs, path::Path};

use proc_macro2::TokenStream;

fn expansion_of(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/expand");
    let source = fs::read_to_string(folder.join(format!("{name}.rs"))).unwrap();
    let expanded = match crate::saga_impl(TokenStream::new(), source.parse().unwrap()) {
        Ok(expanded) => expanded,
        Err(_) => panic!("`{name}` is refused"),
    };
    // A method is no item of its own, so each snapshot stands in an `impl`.
    let file = syn::parse2(quote::quote!(impl Server { #expanded })).unwrap();
    let printed = prettyplease::unparse(&file);
    let snapshot = folder.join(format!("{name}.expanded.rs"));
    if std::env::var_os("SAGA_SNAPSHOTS").is_some() {
        fs::write(&snapshot, &printed).unwrap();
    }
    let expected = fs::read_to_string(&snapshot).unwrap();
    assert_eq!(expected, printed, "the expansion of `{name}` has changed");
}

#[test]
fn a_straight_line_has_one_state_for_each_side_of_the_ask() {
    expansion_of("straight");
}

#[test]
fn a_loop_keeps_its_place_and_makes_its_item_again() {
    expansion_of("looping");
}

#[test]
fn a_tool_takes_the_call_and_keeps_its_output_schema() {
    expansion_of("tool");
}

/// What `#[saga]` says of a function.
fn refusals(source: &str) -> Vec<String> {
    match crate::saga_impl(TokenStream::new(), source.parse().unwrap()) {
        Ok(_) => Vec::new(),
        Err(errors) => errors
            .into_error()
            .into_iter()
            .map(|error| error.to_string())
            .collect(),
    }
}

#[test]
fn what_only_looks_like_a_mistake_is_compiled() {
    let bodies = [
        // Of a choice among options, `Some` is what was chosen.
        r#"if let Some(one) = cx.choose_by("?", maybe, shown).await? { use_it(one); }"#,
        r#"let Ok(Some(one)) = cx.choose_by("?", maybe, shown).await else { return };"#,
        r#"let Ok(Ok(one)) = timeout(time, cx.elicit::<T>("?")).await else { return };"#,
        r#"if let Some(Ok(one)) = Some(cx.elicit::<T>("?").await) { use_it(one); }"#,
        r#"let Some(one) = cx.elicit::<T>("?").await.ok() else { return };"#,
        r#"match cx.elicit::<T>("?").await { Ok(none) => none, Err(other) => fail(other) }"#,
        // Of texts their owners.
        r#"let a = cx.choose("?", ["a", "b"].map(String::from)).await;"#,
        r#"let words = ["a", "b"]; let a = cx.choose("?", words.map(String::from)).await;"#,
        r#"let words = ["a"]; { let words = owned(words); let a = cx.choose("?", words).await; }"#,
        r#"let words = ["a"]; for words in all { let a = cx.choose("?", words).await; }"#,
        r#"let a = cx.choose("?", [1, 2]).await;"#,
        r#"let a = cx.choose("a", Vec::<String>::new()).await;"#,
        // One after the other.
        r#"let a = cx.elicit::<T>("?").key("k").await; let b = cx.elicit::<T>("?").key("k").await;"#,
        r#"let (a, b) = join!(cx.elicit::<T>("?").key("a"), cx.elicit::<T>("?").key("b"));"#,
        r#"let a = vec![cx.elicit::<T>("?").await, cx.elicit::<T>("?").await];"#,
    ];
    for body in bodies {
        let source = format!("async fn lend(cx: Cx) {{ {body} }}");
        assert_eq!(refusals(&source), Vec::<String>::new(), "{body}");
    }
    let words = "async fn lend(cx: Cx, words: Vec<String>) { let w = [\"a\"]; drop(w); cx.choose(\"?\", words).await; }";
    assert_eq!(refusals(words), Vec::<String>::new());
    let helper =
        "async fn lend(&mut self, cx: &Cx, title: String) { cx.elicit::<T>(title).await; }";
    assert_eq!(refusals(helper), Vec::<String>::new());
}

#[test]
fn an_instrumented_body_is_told_from_others() {
    let body = "let __tracing_attr_span = span(); let future = async move { cx.elicit::<T>(\"?\").await }; Instrument::instrument(future, __tracing_attr_span).await";
    let refused = refusals(&format!("async fn lend(cx: Cx) {{ {body} }}"));
    assert!(
        matches!(refused.as_slice(), [one] if one.starts_with("`#[tracing::instrument]` stands above `#[saga]`")),
        "{refused:?}"
    );
    let own =
        "async fn lend(cx: Cx) { let span = span(); cx.elicit::<T>(\"?\").await; drop(span); }";
    assert_eq!(refusals(own), Vec::<String>::new());
}
