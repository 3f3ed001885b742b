//! What needs `SagaServer` around its router, where the workspace has none.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;

use crate::{
    graph::{Entry, Graph},
    report::{Finding, Severity},
    source::Function,
};

/// Names with which a router is in a `SagaServer`, or is given to what makes one.
const WRAPS: &[&str] = &["SagaServer", "toolbox"];

/// Names with which a handler is served.
const SERVES: &[&str] = &[
    "serve",
    "serve_server",
    "serve_directly",
    "StreamableHttpService",
    "into_router",
];

pub(super) fn find(graph: &Graph<'_>) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let files = graph.index.files().into_iter();
    let files = files.filter_map(|file| file.syntax.as_ref());
    let files: Vec<_> = files
        .map(|syntax| {
            let items = outside_of_tests(&syntax.items);
            quote::quote!(#(#items)*)
        })
        .collect();
    let mut names = graph.index.renamed_runtimes.clone();
    names.insert("saga_runtime".to_owned());
    for file in &files {
        runtimes(file.clone(), &mut names);
        words(file.clone(), &mut seen);
    }
    let in_runtime = files.into_iter().any(|file| names_serve(file, &names));
    let any = |names: &[&str]| names.iter().any(|name| seen.contains(*name));
    // `saga_runtime::serve` makes one, and a library is served elsewhere.
    if any(WRAPS) || in_runtime || !any(SERVES) {
        return Vec::new();
    }
    let needs = graph.ids().filter_map(|id| {
        let function = graph.function(id);
        let what = match graph.entry(id)? {
            Entry::Prompt if function.attribute("saga").is_some() => "a prompt that asks",
            Entry::Tool | Entry::Handler if has_word(function, "task") => {
                "a tool whose calls become tasks"
            }
            _ => return None,
        };
        Some((function, what))
    });
    needs
        .map(|(function, what)| finding(function, what))
        .collect()
}

fn finding(function: &Function, what: &str) -> Finding {
    let (note, help) = match what {
        "a prompt that asks" => (
            "rmcp's router of prompts drops the token of a retry: without the wrapper the prompt answers with an error",
            "`SagaServer::from_env(handler)?` where the handler is served",
        ),
        _ => (
            "without it there is nobody who keeps and runs its tasks: each call ends with an error",
            "`SagaServer::from_env(handler)?.with_tasks(tasks)` where the handler is served",
        ),
    };
    Finding::new(
        Severity::Error,
        "no-server",
        format!("{what}, and no `SagaServer` around its handler"),
    )
    .at(&function.file, function.name_range(), "")
    .note(note)
    .help(help)
}

/// `#[saga(task)]`, `#[saga(task(after = "2s"))]`
fn has_word(function: &Function, word: &str) -> bool {
    let Some(syn::Meta::List(list)) = function.attribute("saga").map(|saga| &saga.meta) else {
        return false;
    };
    let mut tokens = list.tokens.clone().into_iter();
    tokens.any(|token| matches!(token, TokenTree::Ident(name) if name == word))
}

/// `saga_runtime::serve::..`, `use saga_runtime::{saga, serve};`, also where the crate goes by another name.
fn names_serve(tokens: TokenStream, runtimes: &BTreeSet<String>) -> bool {
    let mut last = String::new();
    for token in tokens {
        let of_runtime = runtimes.contains(&last);
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ':' => continue,
            TokenTree::Punct(punct) if punct.as_char() == '*' && of_runtime => return true,
            TokenTree::Group(group) => {
                let mut named = BTreeSet::new();
                words(group.stream(), &mut named);
                if of_runtime && named.contains("serve") || names_serve(group.stream(), runtimes) {
                    return true;
                }
                last.clear();
            }
            TokenTree::Ident(word) if word == "serve" && of_runtime => return true,
            TokenTree::Ident(word) => last = word.to_string(),
            _ => last.clear(),
        }
    }
    false
}

/// `saga_runtime`, and what `use saga_runtime as rt` makes of it.
fn runtimes(tokens: TokenStream, names: &mut BTreeSet<String>) {
    let mut before = [String::new(), String::new()];
    for token in tokens {
        match token {
            TokenTree::Group(group) => runtimes(group.stream(), names),
            TokenTree::Ident(word) => {
                let word = word.to_string();
                if names.contains(&before[0]) && before[1] == "as" {
                    names.insert(word.clone());
                }
                before.rotate_left(1);
                before[1] = word;
            }
            _ => before = Default::default(),
        }
    }
}

/// All words but those of axum, whose `serve` has nothing to do with a handler.
fn words(tokens: TokenStream, seen: &mut BTreeSet<String>) {
    let mut last = String::new();
    for token in tokens {
        match token {
            TokenTree::Ident(word) => {
                let before = std::mem::replace(&mut last, word.to_string());
                if before != "axum" {
                    seen.insert(last.clone());
                }
            }
            TokenTree::Group(group) => {
                words(group.stream(), seen);
                last.clear();
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => {}
            _ => last.clear(),
        }
    }
}

/// The items that are not for tests alone: what is served there is served nowhere else.
pub(super) fn outside_of_tests(items: &[syn::Item]) -> Vec<syn::Item> {
    let mut kept = Vec::new();
    for item in items {
        let attrs = match item {
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            _ => &Vec::new(),
        };
        let is_test = attrs.iter().any(|attribute| {
            let text = quote::quote!(#attribute).to_string();
            text == "# [cfg (test)]" || crate::source::ends_in(attribute.path(), "test")
        });
        if is_test {
            continue;
        }
        let mut item = item.clone();
        if let syn::Item::Mod(module) = &mut item
            && let Some((_, inner)) = &mut module.content
        {
            *inner = outside_of_tests(inner);
        }
        kept.push(item);
    }
    kept
}
