//! The functions that a client knows under a name.

use std::collections::BTreeSet;

use proc_macro2::TokenTree;
use syn::parse::Parser;

use crate::{graph::Graph, source::Function, workspace::Kind};

/// Functions with this attribute that are listed as `name`: of libraries and programs, or else of tests and examples.
pub(super) fn functions<'a>(graph: &Graph<'a>, attribute: &str, name: &str) -> Vec<&'a Function> {
    let is_called = |function: &&Function| {
        let attribute = function.attribute(attribute);
        attribute.is_some_and(|attribute| {
            said(attribute).map_or_else(|| function.sig.ident == name, |said| said == name)
        })
    };
    let functions = graph.index.functions.iter().filter(is_called);
    let is_served = |function: &&Function| {
        let of_crate = graph.index.module(function.module).of_crate;
        matches!(
            graph.index.crates[of_crate.0].kind,
            Kind::Library | Kind::Program
        )
    };
    let (served, others): (Vec<_>, Vec<_>) = functions.partition(is_served);
    let mut found = if served.is_empty() { others } else { served };
    // A file that two targets share has them twice.
    let mut seen = BTreeSet::new();
    found.retain(|function| seen.insert((function.file.path.clone(), function.range.start)));
    found
}

/// `name = ".."` of the attribute.
fn said(attribute: &syn::Attribute) -> Option<String> {
    let mut name = None;
    let syn::Meta::List(list) = &attribute.meta else {
        return None;
    };
    // A resource's URI comes before what has a name.
    let mut words = list.tokens.clone().into_iter().peekable();
    if matches!(words.peek(), Some(TokenTree::Literal(_))) {
        words.nth(1);
    }
    // What is behind words that are not known here is not looked at.
    let read = syn::meta::parser(|meta| {
        if meta.path.is_ident("name") {
            name = Some(meta.value()?.parse::<syn::LitStr>()?.value());
        } else if let Ok(value) = meta.value() {
            value.parse::<syn::Expr>()?;
        } else if meta.input.peek(syn::token::Paren) {
            meta.input.parse::<proc_macro2::Group>()?;
        }
        Ok(())
    });
    let _ = read.parse2(words.collect());
    name
}
