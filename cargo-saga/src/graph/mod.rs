//! Who asks, and who calls whom: what can be known of it from the text.

mod facts;
mod names;
mod reader;
mod types;
mod unfollowed;

pub(crate) use facts::{Call, Facts, Place};
pub(crate) use names::{FunctionId, Names};
pub(crate) use types::{handle_type, name_of, names};
pub(crate) use unfollowed::unfollowed;

use std::collections::HashSet;

use crate::source::{Function, Index, ends_in};

/// The call graph of an index.
pub(crate) struct Graph<'a> {
    pub(crate) index: &'a Index,
    pub(crate) names: Names<'a>,
    facts: Vec<Facts>,
    asking: HashSet<FunctionId>,
    quiet: HashSet<FunctionId>,
}

/// How rmcp reaches a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    Tool,
    Prompt,
    /// A method of `ServerHandler`.
    Handler,
}

/// The methods of `ServerHandler` whose answer may be a question, each with its parameters' type.
const HANDLERS: &[(&str, &str)] = &[
    ("call_tool", "CallToolRequestParams"),
    ("get_prompt", "GetPromptRequestParams"),
    ("read_resource", "ReadResourceRequestParams"),
];

impl<'a> Graph<'a> {
    pub(crate) fn of(index: &'a Index) -> Self {
        let names = Names::of(index);
        let ids = (0..index.functions.len()).map(FunctionId);
        let facts = ids.map(|id| Facts::of(index, &names, id)).collect();
        let mut graph = Self {
            index,
            names,
            facts,
            asking: HashSet::new(),
            quiet: HashSet::new(),
        };
        graph.asking = graph.find_asking();
        graph.quiet = graph.find_quiet();
        graph
    }

    pub(crate) fn function(&self, id: FunctionId) -> &'a Function {
        &self.index.functions[id.0]
    }

    pub(crate) fn facts(&self, id: FunctionId) -> &Facts {
        &self.facts[id.0]
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = FunctionId> + use<> {
        (0..self.index.functions.len()).map(FunctionId)
    }

    /// Whether the function asks, itself or by what it calls and awaits.
    pub(crate) fn asks(&self, id: FunctionId) -> bool {
        self.asking.contains(&id)
    }

    /// Whether it is certain that nothing is asked by it.
    pub(crate) fn is_quiet(&self, id: FunctionId) -> bool {
        self.quiet.contains(&id)
    }

    /// How rmcp reaches it, if it does.
    pub(crate) fn entry(&self, id: FunctionId) -> Option<Entry> {
        let function = self.function(id);
        if function.attribute("tool").is_some() {
            return Some(Entry::Tool);
        }
        if function.attribute("prompt").is_some() {
            return Some(Entry::Prompt);
        }
        let (_, params) = HANDLERS
            .iter()
            .find(|(name, _)| function.sig.ident == name)?;
        let is_asked_for = |input: &syn::FnArg| match input {
            syn::FnArg::Typed(param) => name_of(&param.ty).is_some_and(|name| name == *params),
            syn::FnArg::Receiver(_) => false,
        };
        let owner = function.owner.as_ref().filter(|owner| !owner.is_trait)?;
        let of_trait = owner.of_trait.as_ref()?;
        let is_handler =
            ends_in(of_trait, "ServerHandler") && function.sig.inputs.iter().any(is_asked_for);
        is_handler.then_some(Entry::Handler)
    }

    /// Functions that ask and that rmcp's calls lead to, all through calls that `#[saga]` follows.
    pub(crate) fn on_the_way(&self) -> HashSet<FunctionId> {
        let entries = self.ids().filter(|id| self.entry(*id).is_some());
        let mut found: HashSet<_> = entries.filter(|id| self.asks(*id)).collect();
        let mut open: Vec<_> = found.iter().copied().collect();
        while let Some(id) = open.pop() {
            let calls = self
                .facts(id)
                .calls
                .iter()
                .filter(|call| call.is_followed());
            for target in calls.flat_map(|call| self.asked_by(call)) {
                if found.insert(target) {
                    open.push(target);
                }
            }
        }
        found
    }

    /// Functions to which rmcp's calls lead in any way, and those with `#[saga]`.
    pub(crate) fn reached(&self) -> HashSet<FunctionId> {
        let is_root = |id: &FunctionId| {
            self.entry(*id).is_some() || self.function(*id).attribute("saga").is_some()
        };
        let mut found: HashSet<_> = self.ids().filter(is_root).collect();
        let mut open: Vec<_> = found.iter().copied().collect();
        while let Some(id) = open.pop() {
            let calls = self.facts(id).calls.iter().filter(|call| call.is_certain);
            for target in calls.flat_map(|call| &call.targets) {
                if found.insert(*target) {
                    open.push(*target);
                }
            }
        }
        found
    }

    /// The functions that ask among those that a call may reach.
    pub(crate) fn asked_by(&self, call: &Call) -> Vec<FunctionId> {
        let asks = |target: &&FunctionId| self.asks(**target) && self.may_be(call, **target);
        call.targets.iter().filter(asks).copied().collect()
    }

    /// By its name alone a call is taken for that of a function only where the handle goes along.
    fn may_be(&self, call: &Call, target: FunctionId) -> bool {
        call.is_certain
            || call.gives_handle
            || (self.has_handle(target) && !self.is_ambiguous(call))
    }

    /// Whether what is called may as well be a method of a type that has no handle: only rustc knows which.
    pub(crate) fn is_ambiguous(&self, call: &Call) -> bool {
        let has_handle = |target: &FunctionId| self.has_handle(*target);
        !call.is_certain
            && !call.gives_handle
            && call.targets.iter().any(has_handle)
            && !call.targets.iter().all(has_handle)
    }

    /// Whether a field of the method's type is the handle.
    fn has_handle(&self, id: FunctionId) -> bool {
        let Some(owner) = &self.function(id).owner else {
            return false;
        };
        let name = owner.name();
        let mut types = self.index.types.iter().filter(|known| known.name == name);
        types.any(|known| match &known.item {
            syn::Item::Struct(item) => item
                .fields
                .iter()
                .any(|field| handle_type(&field.ty).is_some()),
            _ => false,
        })
    }

    fn find_asking(&self) -> HashSet<FunctionId> {
        let asks = |id: &FunctionId| {
            let has_saga = self.function(*id).attribute("saga").is_some();
            let mut asks = self.facts(*id).asks.iter();
            asks.any(|ask| ask.place.is_followed() && (has_saga || !ask.is_question))
        };
        let mut asking: HashSet<_> = self.ids().filter(asks).collect();
        loop {
            let calls_one = |id: &FunctionId| {
                let mut calls = self
                    .facts(*id)
                    .calls
                    .iter()
                    .filter(|call| call.is_followed());
                calls.any(|call| {
                    let mut targets = call.targets.iter();
                    targets.any(|target| asking.contains(target) && self.may_be(call, *target))
                })
            };
            let is_new = |id: &FunctionId| !asking.contains(id) && self.returns_future(*id);
            let more: Vec<_> = self.ids().filter(is_new).filter(calls_one).collect();
            if more.is_empty() {
                return asking;
            }
            asking.extend(more);
        }
    }

    /// Whether awaiting it can be what suspends: `async fn`, or a boxed future.
    fn returns_future(&self, id: FunctionId) -> bool {
        let sig = &self.function(id).sig;
        sig.asyncness.is_some()
            || matches!(&sig.output, syn::ReturnType::Type(_, ty) if is_future(ty))
    }

    /// From all functions those are taken away that ask somewhere, or do what is not followed, with who calls them.
    fn find_quiet(&self) -> HashSet<FunctionId> {
        let is_plain = |id: &FunctionId| {
            let facts = self.facts(*id);
            let keeps = !facts.handle_escapes && facts.asks.is_empty();
            let known = |call: &Call| !call.gives_handle || !call.targets.is_empty();
            keeps && self.function(*id).block.is_some() && facts.calls.iter().all(known)
        };
        let mut quiet: HashSet<_> = self.ids().filter(is_plain).collect();
        loop {
            let is_loud = |id: &&FunctionId| {
                let mut targets = self.facts(**id).calls.iter().flat_map(|call| &call.targets);
                targets.any(|target| !quiet.contains(target))
            };
            let loud: Vec<_> = quiet.iter().filter(is_loud).copied().collect();
            if loud.is_empty() {
                return quiet;
            }
            for id in loud {
                quiet.remove(&id);
            }
        }
    }
}

impl Call {
    /// Whether `#[saga]` sees it where it stands.
    pub(crate) fn is_followed(&self) -> bool {
        self.place.is_followed()
    }
}

impl Place {
    pub(crate) fn is_followed(self) -> bool {
        matches!(self, Self::Body | Self::Macro)
    }
}

fn is_future(ty: &syn::Type) -> bool {
    let text = quote::quote!(#ty).to_string();
    text.contains("Future")
}

#[cfg(test)]
mod tests;
