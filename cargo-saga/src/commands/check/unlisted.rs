//! A tool that its crate's toolbox does not list: `#[tool]` uses the function, so that rustc does not call it dead.

use std::{collections::BTreeSet, ops::Range, rc::Rc};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::served::outside_of_tests;
use crate::{
    graph::Graph,
    report::{Finding, Severity},
    source::{CrateId, File, Function},
};

/// Attributes of what a toolbox lists, each with the list that it belongs to.
const LISTS: &[(&str, &str)] = &[
    ("tool", "tools"),
    ("prompt", "prompts"),
    ("resource", "resources"),
];

pub(super) fn find(graph: &Graph<'_>) -> Vec<Finding> {
    let files = graph.index.files().into_iter();
    let listed = files.filter_map(|file| Some(quote(&file.syntax.as_ref()?.items)));
    let listed = listed.fold(Listed::default(), |mut listed, tokens| {
        listed.read(tokens, None);
        listed
    });
    // What a macro lists is not known.
    if listed.is_open {
        return Vec::new();
    }
    let crates = (0..graph.index.crates.len()).map(CrateId);
    let findings = crates.filter_map(|of_crate| {
        let toolbox = toolbox(graph, of_crate)?;
        Some(of(graph, of_crate, &toolbox, &listed))
    });
    findings.flatten().collect()
}

/// The first `toolbox!` of a crate that is not for tests alone.
fn toolbox(graph: &Graph<'_>, of_crate: CrateId) -> Option<Toolbox> {
    let modules = graph.index.modules.iter();
    let mut modules = modules.filter(|module| {
        let mut conditions = module.cfg.iter();
        let is_test = conditions.any(|cfg| quote::quote!(#cfg).to_string().contains("test"));
        module.of_crate == of_crate && !module.is_block && !is_test
    });
    modules.find_map(|module| {
        let file = module.file.as_ref()?;
        let mut listed = Listed::default();
        let items = outside_of_tests(&file.syntax.as_ref()?.items);
        listed.read(quote(&items), None);
        let (range, function) = listed.toolboxes.into_iter().next()?;
        Some(Toolbox {
            file: Rc::clone(file),
            range,
            function,
        })
    })
}

fn quote(items: &[syn::Item]) -> TokenStream {
    quote::quote!(#(#items)*)
}

/// A `toolbox!`, and the function that it stands in.
struct Toolbox {
    file: Rc<File>,
    range: Range<usize>,
    function: Option<String>,
}

/// What the `toolbox!`s in some text list.
#[derive(Default)]
struct Listed {
    toolboxes: Vec<(Range<usize>, Option<String>)>,
    names: BTreeSet<String>,
    /// Whether one of them lists what a macro is given.
    is_open: bool,
}

impl Listed {
    fn read(&mut self, tokens: TokenStream, around: Option<&str>) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let around = around.map(ToOwned::to_owned);
        let mut function = around.clone();
        for (place, token) in tokens.iter().enumerate() {
            let before = |steps| tokens.get(place.checked_sub(steps)?);
            match token {
                TokenTree::Ident(word) => {
                    let name = word.to_string();
                    // What rmcp's routers are given.
                    for kind in ["_tool_attr", "_prompt_attr"] {
                        self.names
                            .extend(name.strip_suffix(kind).map(ToOwned::to_owned));
                    }
                    if matches!(before(1), Some(TokenTree::Ident(word)) if word == "fn") {
                        function = Some(name);
                    }
                }
                TokenTree::Group(group) => {
                    let is_toolbox = matches!(before(1), Some(TokenTree::Punct(mark)) if mark.as_char() == '!')
                        && matches!(before(2), Some(TokenTree::Ident(word)) if word == "toolbox");
                    if is_toolbox {
                        let start = before(2).map_or(0, |word| word.span().byte_range().start);
                        let end = group.span_close().byte_range().end;
                        self.toolboxes.push((start..end, function.clone()));
                        self.list(group.stream());
                    }
                    self.read(group.stream(), function.as_deref());
                    // The end of its body.
                    if group.delimiter() == Delimiter::Brace {
                        function.clone_from(&around);
                    }
                }
                _ => {}
            }
        }
    }

    fn list(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.list(group.stream()),
                TokenTree::Ident(word) => _ = self.names.insert(word.to_string()),
                TokenTree::Punct(mark) => self.is_open |= mark.as_char() == '$',
                TokenTree::Literal(_) => {}
            }
        }
    }
}

fn of(graph: &Graph<'_>, of_crate: CrateId, toolbox: &Toolbox, listed: &Listed) -> Vec<Finding> {
    let functions = graph.index.functions.iter().filter(|function| {
        let module = graph.index.module(function.module);
        module.of_crate == of_crate && function.owner.is_none()
    });
    let unlisted = functions.filter(|function| {
        let name = function.sig.ident.to_string();
        !listed.names.contains(name.trim_start_matches("r#"))
    });
    let finding = |function: &Function| {
        let mut lists = LISTS.iter();
        let (kind, list) = lists.find(|(kind, _)| function.attribute(kind).is_some())?;
        Some(finding(graph, function, toolbox, kind, list))
    };
    unlisted.filter_map(finding).collect()
}

fn finding(
    graph: &Graph<'_>,
    function: &Function,
    toolbox: &Toolbox,
    kind: &str,
    list: &str,
) -> Finding {
    let name = &function.sig.ident;
    let path = graph.index.path_of(function);
    // From the root of the crate.
    let path = path
        .split_once("::")
        .map_or(path.as_str(), |(_, path)| path);
    let of = toolbox.function.as_ref();
    let of = of.map_or_else(String::new, |of| format!(" of `{of}`"));
    let message = format!("`{name}` is a {kind} that no `toolbox!` lists");
    Finding::new(Severity::Warning, "unlisted", message)
        .at(&function.file, function.name_range(), "")
        .at(&toolbox.file, toolbox.range.clone(), "this one does not")
        .note(format!("clients are not told of it, and cannot call it; rustc does not warn, because `#[{kind}]` uses the function"))
        .help(format!("`{path}` among the `{list}` of the `toolbox!`{of}; or without `#[{kind}]`"))
}
