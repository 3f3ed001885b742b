//! Asks that no attribute can follow: in closures, in spawned blocks, in macros that make functions.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use saga_compiler::is_ask;

use super::{FunctionId, Graph, Place};
use crate::{
    report::{Finding, Severity},
    source::Hidden,
};

/// All of them.
pub(crate) fn unfollowed(graph: &Graph<'_>) -> Vec<Finding> {
    let reached = graph.reached();
    let reached = graph.ids().filter(|id| reached.contains(id));
    let aside = reached.flat_map(|id| put_aside(graph, id));
    let perhaps = graph.ids().flat_map(|id| perhaps(graph, id));
    let ambiguous = graph.ids().flat_map(|id| ambiguous(graph, id));
    let perhaps = perhaps.chain(ambiguous);
    aside.chain(perhaps).chain(hidden(graph)).collect()
}

/// What has the name of an ask, and stands where only rustc knows whether it is one: where the attribute is, it says so.
fn perhaps(graph: &Graph<'_>, id: FunctionId) -> Vec<Finding> {
    let function = graph.function(id);
    if function.attribute("saga").is_some() {
        return Vec::new();
    }
    let perhaps = graph.facts(id).perhaps.iter();
    let finding = |(name, range): &(String, std::ops::Range<usize>)| {
        // Clients of models have such a method, too.
        let severity = match name == "create_message" {
            true => Severity::Note,
            false => Severity::Warning,
        };
        let message = format!("`{name}` of something whose type is not known here: it may ask");
        Finding::new(severity, "perhaps", message)
            .at(&function.file, range.clone(), "")
            .note("an alias, a function that gives the client's handle, or a collection of them is not followed")
            .help("where it is the handle, `#[saga]` above the function, and above what calls it up to the tool: rustc knows the type")
    };
    perhaps.map(finding).collect()
}

/// Calls of a method that one type has with the handle in it, and another without: which of them it is only rustc knows.
fn ambiguous(graph: &Graph<'_>, id: FunctionId) -> Vec<Finding> {
    let function = graph.function(id);
    let calls = graph.facts(id).calls.iter();
    let calls =
        calls.filter(|call| call.is_followed() && call.is_awaited && graph.is_ambiguous(call));
    let finding = |call: &super::Call| {
        let asking = call.targets.iter().find(|target| graph.asks(**target))?;
        let name = &call.name;
        if function.says(name) {
            return None;
        }
        let asking = graph.index.path_of(graph.function(*asking));
        let finding = Finding::new(
            Severity::Warning,
            "perhaps",
            format!("`{name}` may be `{asking}`, which asks, or that of another type"),
        );
        let finding = finding
            .at(&function.file, call.range.clone(), "")
            .note("the type of what it is called on is not known here")
            .help(format!(
                "where it asks, `#[saga(asks({name}))]` above the function; where it does not, its type says so: `let gate: Gate = ..`"
            ));
        Some(finding)
    };
    calls.filter_map(finding).collect()
}

fn put_aside(graph: &Graph<'_>, id: FunctionId) -> Vec<Finding> {
    let (function, facts) = (graph.function(id), graph.facts(id));
    let asks = facts.asks.iter().map(|ask| (ask.place, ask.range.clone()));
    let calls = facts
        .calls
        .iter()
        .filter(|call| !graph.asked_by(call).is_empty());
    let calls = calls.map(|call| (call.place, call.range.clone()));
    let finding = |(place, range)| {
        let (what, instead) = match place {
            Place::Closure => (
                "an ask in a closure",
                "ask before it, or a loop in place of the closure",
            ),
            Place::Spawned => (
                "an ask in an async block that is not awaited where it stands",
                "ask before it, or await the block where it stands",
            ),
            Place::Value => (
                "a function that asks, used as a value",
                "call it, and await it, where it is given",
            ),
            Place::Body | Place::Macro => return None,
        };
        let finding = Finding::new(Severity::Warning, "unfollowed", what)
            .at(&function.file, range, "")
            .note("`#[saga]` cannot suspend there: a stateless client gets an error from the ask")
            .help(instead);
        Some(finding)
    };
    asks.chain(calls).filter_map(finding).collect()
}

/// Functions in the arguments of a macro.
fn hidden(graph: &Graph<'_>) -> Vec<Finding> {
    let asking: BTreeSet<_> = graph
        .ids()
        .filter(|id| graph.asks(*id))
        .map(|id| graph.function(id).sig.ident.to_string())
        .collect();
    let mut named: BTreeMap<&str, Vec<&Hidden>> = BTreeMap::new();
    for hidden in &graph.index.hidden {
        let mut words = Words::default();
        words.read(hidden.tokens.clone());
        let asks = |word: &String| asking.contains(word) || is_ask(word);
        // Where the attribute is there it was seen to.
        if words.has_functions && !words.has_saga && words.called.iter().any(asks) {
            named.entry(&hidden.name).or_default().push(hidden);
        }
    }
    let finding = |(name, places): (&str, Vec<&Hidden>)| {
        let (first, others) = places.split_first()?;
        let module = graph.index.module(first.module).path.join("::");
        let message = format!("functions in `{name}!` may ask, and cannot be read there");
        let finding = Finding::new(Severity::Warning, "hidden", message)
            .at(&first.file, first.range.clone(), format!("in `{module}`"))
            .note("what a macro makes of its arguments is not known")
            .help("`#[saga]` by hand above each that asks, or the functions outside of the macro");
        Some(match others.len() {
            0 => finding,
            count => finding.note(format!("and in {count} more of its calls")),
        })
    };
    named.into_iter().filter_map(finding).collect()
}

/// What can be told of the text of a macro.
#[derive(Default)]
struct Words {
    has_functions: bool,
    has_saga: bool,
    called: BTreeSet<String>,
}

impl Words {
    fn read(&mut self, tokens: TokenStream) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        for (place, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => self.read(group.stream()),
                TokenTree::Ident(word) if word == "fn" => self.has_functions = true,
                TokenTree::Ident(word) if word == "saga" => self.has_saga = true,
                TokenTree::Ident(word) => {
                    let before = place.checked_sub(1).and_then(|before| tokens.get(before));
                    let is_defined =
                        matches!(before, Some(TokenTree::Ident(before)) if before == "fn");
                    let is_called = match tokens.get(place + 1) {
                        Some(TokenTree::Group(group)) => {
                            group.delimiter() == Delimiter::Parenthesis
                        }
                        // `elicit::<Form>(..)`
                        Some(TokenTree::Punct(punct)) => punct.as_char() == ':',
                        _ => false,
                    };
                    if is_called && !is_defined {
                        self.called.insert(word.to_string());
                    }
                }
                _ => {}
            }
        }
    }
}
