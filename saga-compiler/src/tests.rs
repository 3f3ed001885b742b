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
