//! From what the compiler refuses to the next decisions, where they are mechanical.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use cargo_metadata::diagnostic::Diagnostic;

use super::{
    compile::{self, Compiled},
    derives,
    overlay::Overlay,
    plan::{Derive, Plan, Spot, spot},
    text::Edited,
};
use crate::{
    graph::{Call, FunctionId, Graph, handle_type},
    source::{Index, TypeItem},
};

/// A message, and where in the originals it belongs.
pub(super) struct Located<'m> {
    pub(super) message: &'m Diagnostic,
    pub(super) file: PathBuf,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What is compiled, and what was decided so far.
pub(super) struct Remedies<'a> {
    pub(super) graph: &'a Graph<'a>,
    pub(super) overlay: &'a Overlay,
    pub(super) edited: &'a BTreeMap<PathBuf, Edited>,
}

impl Remedies<'_> {
    /// Where a message belongs.
    pub(super) fn locate<'m>(&self, message: &'m Diagnostic) -> Option<Located<'m>> {
        let original = |shown: &std::path::Path| {
            let path = self.overlay.original(shown)?;
            self.is_edited(&path).then_some(path)
        };
        let span = compile::place(message, |shown| original(shown).is_some())?;
        let file = original(std::path::Path::new(&span.file_name))?;
        let back = |offset: u32| {
            let offset = offset as usize;
            self.edited
                .get(&file)
                .map_or(offset, |edited| edited.original(offset))
        };
        let start = back(span.byte_start);
        Some(Located {
            message,
            start,
            end: back(span.byte_end).max(start),
            file,
        })
    }

    /// Whether a file is one of those that are ported: the runtime's own macros are not what an error is about.
    fn is_edited(&self, path: &std::path::Path) -> bool {
        let index = self.graph.index;
        index.modules.iter().any(|module| {
            let is_runtime = index.crates[module.of_crate.0].package == "saga-runtime";
            !is_runtime && module.file.as_ref().is_some_and(|file| file.path == path)
        })
    }

    /// Decides on every error for which there is something to do; whether there was any.
    pub(super) fn decide(&self, compiled: &Compiled, plan: &mut Plan) -> bool {
        let errors: Vec<_> = compiled
            .errors()
            .filter_map(|message| self.locate(message))
            .collect();
        let mut decided = self.take_back(&errors, plan);
        // What is live around a call that is no ask any more need not be stored.
        decided |= self.say_plain(&errors, plan);
        if decided {
            return true;
        }
        let is_guard = |error: &&Located<'_>| {
            compile::lacking(error.message)
                .is_some_and(|(lacks, _)| last(&lacks) == "HeldAcrossAnAsk")
        };
        let guards = errors.iter().filter(is_guard);
        let guarded: BTreeSet<_> = guards
            .filter_map(|error| self.function(error, plan))
            .collect();
        // What can be stored can be kept for a call, too.
        let is_kept = |error: &&Located<'_>| {
            compile::lacking(error.message).is_some_and(|(lacks, _)| last(&lacks) == "KeptForCall")
        };
        let (kept, others): (Vec<_>, Vec<_>) = errors.iter().partition(is_kept);
        for error in others {
            decided |= self.derive(error, &guarded, plan)
                || self.name_the_call(error, plan)
                || self.name_self(error, plan);
        }
        if decided {
            return true;
        }
        for error in kept {
            decided |= self.derive(error, &guarded, plan);
        }
        decided
    }

    /// The function with `#[saga]` in which a message is.
    pub(super) fn function(&self, located: &Located<'_>, plan: &Plan) -> Option<FunctionId> {
        let contains = |id: &FunctionId| {
            let function = self.graph.function(*id);
            function.file.path == located.file
                && (function.range.start..=function.range.end).contains(&located.start)
                && plan.words(function).is_some()
        };
        let found = self.graph.ids().filter(contains);
        found.min_by_key(|id| self.graph.function(*id).range.len())
    }

    /// Derives that do not compile, and attributes where nothing is asked.
    fn take_back(&self, errors: &[Located<'_>], plan: &mut Plan) -> bool {
        let mut decided = false;
        for error in errors {
            let never_asks = error
                .message
                .message
                .starts_with("`#[saga]` stands on a function that never asks");
            if never_asks && let Some(id) = self.function(error, plan) {
                let function = self.graph.function(id);
                let at = spot(&function.file, &function.range);
                decided |= plan.functions.remove(&at).is_some() && plan.taken_back.insert(at);
            }
            let derived = ["Serialize", "Deserialize", "Clone"]
                .iter()
                .any(|name| compile::is_made_by(error.message, name));
            let around = self.type_at(error).filter(|_| derived);
            let Some(item) = around else { continue };
            let at = spot(&item.file, &item.range);
            if plan.types.contains_key(&at) && self.lacking_types(error, plan).is_empty() {
                plan.types.remove(&at);
                plan.taken_back.insert(at);
                decided = true;
            }
        }
        decided
    }

    /// Where something cannot be held, what is given the handle and asks nothing is no ask.
    fn say_plain(&self, errors: &[Located<'_>], plan: &mut Plan) -> bool {
        const HELD: &[&str] = &[
            "HeldAcrossAnAsk",
            "Storable",
            "StorableItem",
            "HeldByOneOnly",
            "DroppedOnce",
        ];
        let mut decided = false;
        for error in errors {
            let is_held = compile::lacking(error.message)
                .is_some_and(|(lacks, _)| HELD.contains(&last(&lacks)));
            let Some(id) = self.function(error, plan).filter(|_| is_held) else {
                continue;
            };
            let quiet = self.quiet_calls(id);
            let function = self.graph.function(id);
            if let Some(words) = plan
                .functions
                .get_mut(&spot(&function.file, &function.range))
            {
                for name in quiet {
                    decided |= words.plain.insert(name);
                }
            }
        }
        decided
    }

    /// Awaited calls that are given the handle and provably ask nothing, by name; none of a name that also asks.
    fn quiet_calls(&self, id: FunctionId) -> BTreeSet<String> {
        let calls = &self.graph.facts(id).calls;
        let is_quiet = |call: &&Call| {
            !call.targets.is_empty()
                && call
                    .targets
                    .iter()
                    .all(|target| self.graph.is_quiet(*target))
        };
        let given = calls
            .iter()
            .filter(|call| call.gives_handle && call.is_awaited);
        let names: BTreeSet<_> = given
            .filter(is_quiet)
            .map(|call| call.name.clone())
            .collect();
        let asks = |name: &String| {
            calls
                .iter()
                .any(|call| call.name == *name && !self.graph.asked_by(call).is_empty())
        };
        names.into_iter().filter(|name| !asks(name)).collect()
    }

    fn derive(&self, error: &Located<'_>, guarded: &BTreeSet<FunctionId>, plan: &mut Plan) -> bool {
        // A reference into what a guard protects goes with the guard.
        let is_reference =
            compile::lacking(error.message).is_some_and(|(_, ty)| ty.starts_with('&'));
        let in_guard = self
            .function(error, plan)
            .is_some_and(|id| guarded.contains(&id));
        if is_reference && in_guard {
            return false;
        }
        let wanted = self.lacking_types(error, plan);
        let mut decided = false;
        for (at, derive) in wanted {
            decided |= plan.types.entry(at).or_default().insert(derive);
        }
        decided
    }

    /// Types of the workspace that lack what the error names, and could have it.
    fn lacking_types(&self, error: &Located<'_>, plan: &Plan) -> Vec<(Spot, Derive)> {
        let Some((lacks, ty)) = compile::lacking(error.message) else {
            return Vec::new();
        };
        let derives: &[Derive] = match last(&lacks) {
            "Storable" | "StorableItem" | "Stored" => &[Derive::Serialize, Derive::Deserialize],
            "KeptForCall" | "Part" | "Clone" => &[Derive::Clone],
            "Serialize" => &[Derive::Serialize],
            "Deserialize" | "DeserializeOwned" => &[Derive::Deserialize],
            _ => return Vec::new(),
        };
        let mut lacking = Vec::new();
        for item in self.types_in(&ty, error) {
            let at = spot(&item.file, &item.range);
            if plan.taken_back.contains(&at) {
                return Vec::new();
            }
            let known = derives::derived(item);
            let planned = plan.types.get(&at);
            for derive in derives {
                let has = known.iter().any(|name| name == derive.name())
                    || planned.is_some_and(|planned| planned.contains(derive))
                    || self.implements(item, *derive);
                if !has {
                    lacking.push((at.clone(), *derive));
                }
            }
        }
        lacking
    }

    /// The types of the workspace in a type as the compiler writes it.
    fn types_in(&self, ty: &str, error: &Located<'_>) -> Vec<&TypeItem> {
        struct Names(Vec<String>);
        impl<'ast> syn::visit::Visit<'ast> for Names {
            fn visit_type_path(&mut self, path: &'ast syn::TypePath) {
                self.0
                    .extend(path.path.segments.last().map(|last| last.ident.to_string()));
                syn::visit::visit_type_path(self, path);
            }
        }
        let Ok(ty) = syn::parse_str::<syn::Type>(&ty.replace("...", "_")) else {
            return Vec::new();
        };
        let mut names = Names(Vec::new());
        syn::visit::Visit::visit_type(&mut names, &ty);
        let index = self.graph.index;
        names
            .0
            .iter()
            .filter_map(|name| self.type_named(index, name, error))
            .collect()
    }

    /// The type of this name: that to which the compiler points, the only one, or that of the same file.
    fn type_named<'i>(
        &self,
        index: &'i Index,
        name: &str,
        error: &Located<'_>,
    ) -> Option<&'i TypeItem> {
        let mut found: Vec<_> = index
            .types
            .iter()
            .filter(|item| item.name == name)
            .collect();
        found.dedup_by(|one, other| spot(&one.file, &one.range) == spot(&other.file, &other.range));
        if let [one] = found[..] {
            return Some(one);
        }
        let pointed: Vec<_> = error
            .message
            .children
            .iter()
            .flat_map(|child| &child.spans)
            .collect();
        let is_pointed = |item: &&TypeItem| {
            pointed.iter().any(|span| {
                let path = self.overlay.original(std::path::Path::new(&span.file_name));
                let offset = |edited: &Edited| edited.original(span.byte_start as usize);
                let offset = self
                    .edited
                    .get(&item.file.path)
                    .map_or(span.byte_start as usize, offset);
                path.is_some_and(|path| path == item.file.path) && item.range.contains(&offset)
            })
        };
        let pointed = found.iter().copied().find(is_pointed);
        let here: Vec<_> = found
            .iter()
            .copied()
            .filter(|item| item.file.path == error.file)
            .collect();
        pointed.or(match here[..] {
            [one] => Some(one),
            _ => None,
        })
    }

    fn type_at(&self, error: &Located<'_>) -> Option<&TypeItem> {
        let mut types = self.graph.index.types.iter();
        types.find(|item| {
            item.file.path == error.file
                && (item.range.start..=item.range.end).contains(&error.start)
        })
    }

    fn implements(&self, item: &TypeItem, derive: Derive) -> bool {
        self.graph.ids().any(|id| {
            let owner = self.graph.function(id).owner.as_ref();
            owner.is_some_and(|owner| {
                let of = owner.of_trait.as_ref().filter(|_| !owner.is_trait);
                item.name == owner.name()
                    && of.is_some_and(|of| crate::source::ends_in(of, derive.name()))
            })
        })
    }

    /// `let peer: &Peer<RoleServer> = self;` where a method of the handle asks by `self`.
    fn name_self(&self, error: &Located<'_>, plan: &mut Plan) -> bool {
        const REFUSED: &str = "a call of `self` that is not known to ask";
        let lacking = compile::lacking(error.message);
        let by_type = lacking.is_some_and(|(lacks, _)| last(&lacks) == "AskedOfSelf");
        if !by_type && !error.message.message.starts_with(REFUSED) {
            return false;
        }
        let Some(id) = self.function(error, plan) else {
            return false;
        };
        let function = self.graph.function(id);
        let owner = function.owner.as_ref().filter(|owner| !owner.is_trait);
        let is_handle = owner.is_some_and(|owner| {
            let ty = self.graph.names.unaliased(function.scope, &owner.self_type);
            handle_type(&ty).is_some()
        });
        let before = function.file.at(0..error.start);
        let Some(at) = receiver(before).filter(|_| is_handle) else {
            return false;
        };
        let function = spot(&function.file, &function.range);
        plan.of_self.entry(function).or_default().insert(at)
    }

    /// `asks(f)` or `plain(f)` where the handle is given under another name, `plain(m)` of a method that is not the handle's.
    fn name_the_call(&self, error: &Located<'_>, plan: &mut Plan) -> bool {
        let Some((lacks, _)) = compile::lacking(error.message) else {
            return false;
        };
        let Some(id) = self.function(error, plan) else {
            return false;
        };
        let function = self.graph.function(id);
        let facts = self.graph.facts(id);
        let around = |call: &&Call| (call.range.start..=call.range.end).contains(&error.start);
        let call = facts
            .calls
            .iter()
            .filter(around)
            .min_by_key(|call| call.range.len());
        let Some(call) = call else { return false };
        let asks = !self.graph.asked_by(call).is_empty();
        let is_quiet = !call.targets.is_empty()
            && call
                .targets
                .iter()
                .all(|target| self.graph.is_quiet(*target));
        let Some(words) = plan
            .functions
            .get_mut(&spot(&function.file, &function.range))
        else {
            return false;
        };
        match last(&lacks) {
            "GivenToPlain" if asks => words.asks.insert(call.name.clone()),
            "GivenToPlain" if is_quiet => words.plain.insert(call.name.clone()),
            "IsHandle" | "AsPeer" if !asks => words.plain.insert(call.name.clone()),
            _ => false,
        }
    }
}

/// The place of the `self` whose method's name comes next.
fn receiver(before: &str) -> Option<usize> {
    let before = before.trim_end().strip_suffix('.')?.trim_end();
    let before = before.strip_suffix("self")?;
    let is_whole = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
    is_whole.then_some(before.len())
}

/// The last segment of a trait as the compiler writes it, without its arguments.
pub(super) fn last(path: &str) -> &str {
    let path = path.split_once('<').map_or(path, |(path, _)| path);
    path.rsplit_once("::").map_or(path, |(_, last)| last)
}
