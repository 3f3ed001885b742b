//! What a path means in a module or a block: `use`, `crate`, `super`, re-exports, and crates of the workspace.

use std::collections::HashMap;

use super::{lookup::Lookup, owners::Owned, types::Typed};
use crate::source::{Alias, Index, ModuleId, TypeItem};

/// A function, by its place in [`Index::functions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FunctionId(pub(crate) usize);

/// Names of functions and modules.
pub(crate) struct Names<'a> {
    index: &'a Index,
    /// The roots of crates, by name.
    crates: HashMap<&'a str, ModuleId>,
    /// Modules by what they stand in.
    children: HashMap<(ModuleId, &'a str), ModuleId>,
    /// Functions by their name.
    named: HashMap<String, Vec<FunctionId>>,
    imports: Vec<Imports>,
    /// What the globs of each module or block lead to.
    globs: Vec<Vec<ModuleId>>,
    /// By function, of those in an `impl` or a `trait`.
    pub(super) owners: Vec<Option<Owned>>,
    /// The `impl`s, in the order of the index.
    pub(super) impls: Vec<Owned>,
    /// Structs, enums and unions by their name.
    types: HashMap<String, Vec<&'a TypeItem>>,
    /// Types under other names by those.
    aliases: HashMap<&'a str, Vec<&'a Alias>>,
}

/// What the `use` items of a module or a block bring in.
#[derive(Default)]
struct Imports {
    named: Vec<(String, Vec<String>)>,
    globs: Vec<Vec<String>>,
}

impl<'a> Names<'a> {
    pub(crate) fn of(index: &'a Index) -> Self {
        let (mut crates, mut children) = (HashMap::new(), HashMap::new());
        for (id, module) in index.modules.iter().enumerate() {
            let Some(name) = module.path.last().filter(|_| !module.is_block) else {
                continue;
            };
            match module.around.or(module.parent) {
                Some(around) => children.entry((around, &name[..])).or_insert(ModuleId(id)),
                None => crates.entry(&name[..]).or_insert(ModuleId(id)),
            };
        }
        let mut named: HashMap<_, Vec<_>> = HashMap::new();
        for (id, function) in index.functions.iter().enumerate() {
            let name = function.sig.ident.to_string();
            named.entry(name).or_default().push(FunctionId(id));
        }
        let imports = index.modules.iter().map(|module| {
            let mut imports = Imports::default();
            for item in &module.uses {
                imports.read(&item.tree, &mut Vec::new());
            }
            imports
        });
        let names = Self {
            index,
            crates,
            children,
            named,
            imports: imports.collect(),
            globs: vec![Vec::new(); index.modules.len()],
            owners: Vec::new(),
            impls: Vec::new(),
            types: grouped(&index.types, |item| item.name.to_string()),
            aliases: grouped(&index.aliases, |alias| &alias.name[..]),
        };
        names.with_globs().with_owners()
    }

    /// A glob may lead through others: as long as another one is understood, those that were not are looked at again.
    fn with_globs(mut self) -> Self {
        for _ in 0..=self.imports.len() {
            let targets = (0..self.imports.len()).map(|at| self.targets(ModuleId(at)));
            let targets: Vec<_> = targets.collect();
            if targets == self.globs {
                break;
            }
            self.globs = targets;
        }
        self
    }

    fn targets(&self, at: ModuleId) -> Vec<ModuleId> {
        let none = |_: ModuleId, _: &str| Vec::<()>::new();
        let mut found = Vec::new();
        for glob in &self.imports[at.0].globs {
            let target = Lookup::new(self, &none).module(at, glob);
            found.extend(target.filter(|to| *to != at && !found.contains(to)));
        }
        found
    }

    pub(super) fn index(&self) -> &'a Index {
        self.index
    }

    /// All structs, enums and unions of this name.
    pub(super) fn types(&self, name: &str) -> &[&'a TypeItem] {
        self.types.get(name).map_or(&[], Vec::as_slice)
    }

    /// All types under this other name.
    pub(super) fn aliases(&self, name: &str) -> &[&'a Alias] {
        self.aliases.get(name).map_or(&[], Vec::as_slice)
    }

    /// All functions of this name.
    pub(crate) fn by_name(&self, name: &str) -> &[FunctionId] {
        self.named.get(name).map_or(&[], Vec::as_slice)
    }

    /// What a call of `path` in `scope` may reach; `self_type` is what `Self` means there.
    pub(super) fn functions(
        &self,
        scope: ModuleId,
        path: &[String],
        self_type: Option<&Typed>,
    ) -> Vec<FunctionId> {
        let Some((name, before)) = path.split_last() else {
            return Vec::new();
        };
        let own = |at: ModuleId, name: &str| {
            let is_here = |id: &&FunctionId| {
                let function = &self.index.functions[id.0];
                function.scope == at && function.owner.is_none()
            };
            let named = self.by_name(name).iter();
            named.filter(is_here).copied().collect()
        };
        let free = Lookup::new(self, &own).items(scope, path);
        match before {
            _ if !free.is_empty() => free,
            [] => Vec::new(),
            [owner] if owner == "Self" => {
                self_type.map_or_else(Vec::new, |owner| self.of_owner(scope, owner, name))
            }
            owner => {
                let owner = syn::parse_str(&owner.join("::")).ok();
                let owner = owner.map(|owner: syn::Type| self.typed(scope, &owner));
                owner.map_or_else(Vec::new, |owner| self.of_owner(scope, &owner, name))
            }
        }
    }

    /// A block and those around it, up to the module.
    pub(super) fn scopes(&self, scope: ModuleId) -> impl Iterator<Item = ModuleId> {
        std::iter::successors(Some(scope), |scope| {
            let here = self.index.module(*scope);
            here.around.filter(|_| here.is_block)
        })
    }

    /// The module that a scope is in.
    pub(super) fn home(&self, scope: ModuleId) -> ModuleId {
        self.scopes(scope).last().unwrap_or(scope)
    }

    /// Whether `name` is bound to something in `module`, by an item that was indexed or a `use`.
    pub(crate) fn import(&self, module: ModuleId, name: &str) -> Option<&[String]> {
        let mut named = self.imports[module.0].named.iter();
        named
            .find(|(alias, _)| alias == name)
            .map(|(_, path)| &path[..])
    }

    /// What each `use` of `name` in a scope leads to.
    pub(super) fn imports_of(
        &self,
        scope: ModuleId,
        name: &str,
    ) -> impl Iterator<Item = &[String]> {
        let named = self.imports[scope.0].named.iter();
        let named = named.filter(move |(alias, _)| alias == name);
        named.map(|(_, path)| &path[..])
    }

    /// A module or a block, and those whose names globs bring into it, the nearest first.
    pub(super) fn reachable(&self, at: ModuleId) -> Vec<ModuleId> {
        let mut found = vec![at];
        let mut place = 0;
        while let Some(scope) = found.get(place) {
            let targets = self.globs[scope.0].iter();
            let new = targets.filter(|to| !found.contains(to));
            let new: Vec<_> = new.copied().collect();
            found.extend(new);
            place += 1;
        }
        found
    }

    /// The module of this name that stands in a module or a block.
    pub(super) fn child_of(&self, at: ModuleId, name: &str) -> Option<ModuleId> {
        self.children.get(&(at, name)).copied()
    }

    /// The root of the crate that a scope is in.
    pub(super) fn root_of(&self, at: ModuleId) -> ModuleId {
        let of_crate = self.index.module(at).of_crate;
        self.index.crates[of_crate.0].root
    }

    pub(super) fn crate_named(&self, name: &str) -> Option<ModuleId> {
        self.crates.get(name).copied()
    }
}

fn grouped<'a, T, K: std::hash::Hash + Eq>(
    all: &'a [T],
    key: impl Fn(&'a T) -> K,
) -> HashMap<K, Vec<&'a T>> {
    let mut groups: HashMap<_, Vec<_>> = HashMap::new();
    for one in all {
        groups.entry(key(one)).or_default().push(one);
    }
    groups
}

impl Imports {
    fn read(&mut self, tree: &syn::UseTree, path: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(inner) => {
                path.push(inner.ident.to_string());
                self.read(&inner.tree, path);
                path.pop();
            }
            syn::UseTree::Name(name) if name.ident == "self" => {
                if let Some(last) = path.last() {
                    self.named.push((last.clone(), path.clone()));
                }
            }
            syn::UseTree::Name(name) => self.name(&name.ident, &name.ident, path),
            syn::UseTree::Rename(rename) if rename.ident == "self" => {
                self.named.push((rename.rename.to_string(), path.clone()));
            }
            syn::UseTree::Rename(rename) => self.name(&rename.rename, &rename.ident, path),
            syn::UseTree::Glob(_) => self.globs.push(path.clone()),
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.read(tree, path);
                }
            }
        }
    }

    fn name(&mut self, alias: &syn::Ident, name: &syn::Ident, path: &[String]) {
        let path = path.iter().cloned().chain([name.to_string()]).collect();
        self.named.push((alias.to_string(), path));
    }
}
