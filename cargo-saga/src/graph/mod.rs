//! Who asks, and who calls whom: what can be known of it from the text.

mod aliases;
mod facts;
mod forms;
mod lookup;
mod names;
mod owners;
mod reader;
mod types;
mod unfollowed;

pub(crate) use facts::{Call, Facts, Place};
pub(crate) use names::{FunctionId, Names};
use owners::Owned;
pub(crate) use types::{Handle, handle_type, name_of, names};
pub(crate) use unfollowed::unfollowed;

use std::collections::{HashMap, HashSet};

use crate::source::{Function, Index, TypeItem, ends_in};

/// The call graph of an index.
pub(crate) struct Graph<'a> {
    pub(crate) index: &'a Index,
    pub(crate) names: Names<'a>,
    facts: Vec<Facts>,
    /// Whether each is of a type with the handle in a field.
    of_holders: Vec<bool>,
    asking: HashSet<FunctionId>,
    quiet: HashSet<FunctionId>,
}

/// How a client's request reaches a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    Tool,
    Prompt,
    /// Saga's own: rmcp has no macro for resources.
    Resource,
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
        let functions = index.functions.iter();
        let facts = functions.map(|function| Facts::of(&names, function));
        let facts = facts.collect();
        let mut graph = Self {
            index,
            of_holders: of_holders(&names),
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

    /// How a client's request reaches it, if it does.
    pub(crate) fn entry(&self, id: FunctionId) -> Option<Entry> {
        let function = self.function(id);
        let attributes = [
            ("tool", Entry::Tool),
            ("prompt", Entry::Prompt),
            ("resource", Entry::Resource),
        ];
        let mut attributes = attributes.into_iter();
        if let Some((_, entry)) = attributes.find(|(name, _)| function.attribute(name).is_some()) {
            return Some(entry);
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

    /// Functions that ask and that a request or a function with `#[saga]` leads to, all through calls that `#[saga]` follows.
    pub(crate) fn on_the_way(&self) -> HashSet<FunctionId> {
        let roots = self.ids().filter(|id| self.is_root(*id));
        let mut found: HashSet<_> = roots.filter(|id| self.asks(*id)).collect();
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

    /// Whether it is run as a call that can be continued, whoever calls it: a request, or what has `#[saga]`.
    fn is_root(&self, id: FunctionId) -> bool {
        self.entry(id).is_some() || self.function(id).attribute("saga").is_some()
    }

    /// Functions to which a request or a function with `#[saga]` leads in any way.
    pub(crate) fn reached(&self) -> HashSet<FunctionId> {
        let mut found: HashSet<_> = self.ids().filter(|id| self.is_root(*id)).collect();
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
        let mut targets = self.likely(call);
        targets.retain(|target| self.asks(*target));
        targets
    }

    /// What a call may reach. By its name alone it is taken for that of a function only where the handle goes along.
    fn likely(&self, call: &Call) -> Vec<FunctionId> {
        if call.is_certain || call.gives_handle {
            return call.targets.clone();
        }
        if self.is_ambiguous(call) {
            return Vec::new();
        }
        let holders = call.targets.iter();
        holders
            .copied()
            .filter(|target| self.has_handle(*target))
            .collect()
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
        self.of_holders[id.0]
    }

    fn find_asking(&self) -> HashSet<FunctionId> {
        let asks = |id: &FunctionId| {
            let has_saga = self.function(*id).attribute("saga").is_some();
            let mut asks = self.facts(*id).asks.iter();
            asks.any(|ask| ask.place.is_followed() && (has_saga || !ask.is_question))
        };
        let mut callers: HashMap<_, Vec<_>> = HashMap::new();
        for id in self.ids().filter(|id| self.returns_future(*id)) {
            let calls = self.facts(id).calls.iter();
            for call in calls.filter(|call| call.is_followed()) {
                for target in self.likely(call) {
                    callers.entry(target).or_default().push(id);
                }
            }
        }
        spread(self.ids().filter(asks), &callers)
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
            // What may be an ask of something unknown is none that is certain not to be one.
            let asks = !facts.asks.is_empty() || !facts.perhaps.is_empty();
            let keeps = !facts.handle_escapes && !asks;
            let known = |call: &Call| !call.gives_handle || !call.targets.is_empty();
            keeps && self.function(*id).block.is_some() && facts.calls.iter().all(known)
        };
        let mut callers: HashMap<_, Vec<_>> = HashMap::new();
        for id in self.ids() {
            let calls = self.facts(id).calls.iter();
            for target in calls.flat_map(|call| &call.targets) {
                callers.entry(*target).or_default().push(id);
            }
        }
        let loud = spread(self.ids().filter(|id| !is_plain(id)), &callers);
        self.ids().filter(|id| !loud.contains(id)).collect()
    }
}

/// What some functions do, and who calls them, and who calls those.
fn spread(
    first: impl Iterator<Item = FunctionId>,
    callers: &HashMap<FunctionId, Vec<FunctionId>>,
) -> HashSet<FunctionId> {
    let mut found: HashSet<_> = first.collect();
    let mut open: Vec<_> = found.iter().copied().collect();
    while let Some(id) = open.pop() {
        let callers = callers.get(&id).into_iter().flatten();
        open.extend(callers.copied().filter(|caller| found.insert(*caller)));
    }
    found
}

/// For each function, whether its type is the handle, or a struct with it in a field.
fn of_holders(names: &Names<'_>) -> Vec<bool> {
    let index = names.index();
    let holds = |item: &&TypeItem| match &item.item {
        syn::Item::Struct(item_struct) => {
            let mut fields = item_struct.fields.iter();
            fields.any(|field| handle_type(&names.unaliased(item.scope, &field.ty)).is_some())
        }
        _ => false,
    };
    let holders = index.types.iter().filter(holds);
    let holders: Vec<_> = holders
        .map(|item| {
            let path = syn::Path::from(item.name.clone());
            names.typed(item.scope, &types::named_by(&path))
        })
        .collect();
    let is_holder = |owned: &Owned| {
        let mut holders = holders.iter();
        owned.handle.is_some() || holders.any(|holder| names.is_same(holder, &owned.of))
    };
    let of_holder = |id: FunctionId| {
        let Some(owned) = names.owner(id) else {
            return false;
        };
        let mut impls = names.impls_of(owned).peekable();
        is_holder(owned) || impls.peek().is_some() && impls.all(is_holder)
    };
    let ids = 0..index.functions.len();
    ids.map(|id| of_holder(FunctionId(id))).collect()
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
