//! What a path means in a module or a block: `use`, `crate`, `super`, re-exports, and crates of the workspace.

use std::collections::{HashMap, HashSet};

use super::types::name_of;
use crate::source::{Index, ModuleId};

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
        Self {
            index,
            crates,
            children,
            named,
            imports: imports.collect(),
        }
    }

    pub(super) fn index(&self) -> &'a Index {
        self.index
    }

    /// All functions of this name.
    pub(crate) fn by_name(&self, name: &str) -> &[FunctionId] {
        self.named.get(name).map_or(&[], Vec::as_slice)
    }

    /// Methods and associated functions of this name whose type or trait is called `owner`.
    pub(crate) fn of_owner(&self, owner: &str, name: &str) -> Vec<FunctionId> {
        let is_owned = |id: &&FunctionId| {
            let of = self.index.functions[id.0].owner.as_ref();
            of.is_some_and(|of| {
                let of_trait = of.of_trait.as_ref().and_then(|of| of.segments.last());
                of.name() == owner || of_trait.is_some_and(|of| of.ident == owner)
            })
        };
        self.by_name(name)
            .iter()
            .filter(is_owned)
            .copied()
            .collect()
    }

    /// What a call of `path` in `scope` may reach; `self_type` is what `Self` means there.
    pub(crate) fn functions(
        &self,
        scope: ModuleId,
        path: &[String],
        self_type: Option<&str>,
    ) -> Vec<FunctionId> {
        let Some((name, before)) = path.split_last() else {
            return Vec::new();
        };
        let free = Lookup::new(self).functions(scope, path);
        match before {
            _ if !free.is_empty() => free,
            [owner] if owner == "Self" => {
                self_type.map_or_else(Vec::new, |owner| self.of_owner(owner, name))
            }
            [owner] => self.of_owner(&self.type_name(scope, owner), name),
            [.., owner] => self.of_owner(owner, name),
            [] => Vec::new(),
        }
    }

    /// What a type is called where it is declared: `Gate` where `use gate::Gate as G` stands.
    fn type_name(&self, scope: ModuleId, name: &str) -> String {
        let ty = syn::parse_str(name).ok();
        let meant = ty.and_then(|ty| name_of(&self.unaliased(scope, &ty)));
        meant.unwrap_or_else(|| name.to_owned())
    }

    /// A block and those around it, up to the module.
    pub(super) fn scopes(&self, scope: ModuleId) -> impl Iterator<Item = ModuleId> {
        std::iter::successors(Some(scope), |scope| {
            let here = self.index.module(*scope);
            here.around.filter(|_| here.is_block)
        })
    }

    /// The module that a scope is in.
    fn home(&self, scope: ModuleId) -> ModuleId {
        self.scopes(scope).last().unwrap_or(scope)
    }

    /// Whether `name` is bound to something in `module`, by an item that was indexed or a `use`.
    pub(crate) fn import(&self, module: ModuleId, name: &str) -> Option<&[String]> {
        let mut named = self.imports[module.0].named.iter();
        named
            .find(|(alias, _)| alias == name)
            .map(|(_, path)| &path[..])
    }
}

/// Follows a path, no step of it twice.
struct Lookup<'n, 'a> {
    names: &'n Names<'a>,
    functions: HashSet<(ModuleId, Vec<String>)>,
    modules: HashSet<(ModuleId, Vec<String>)>,
}

impl<'n, 'a> Lookup<'n, 'a> {
    fn new(names: &'n Names<'a>) -> Self {
        let (functions, modules) = (HashSet::new(), HashSet::new());
        Self {
            names,
            functions,
            modules,
        }
    }

    /// Functions outside of types that `path` leads to.
    fn functions(&mut self, scope: ModuleId, path: &[String]) -> Vec<FunctionId> {
        let is_new = self.functions.insert((scope, path.to_vec()));
        match path {
            [name] if is_new => {
                let names = self.names;
                for scope in names.scopes(scope) {
                    let found = self.in_scope(scope, name);
                    // What is brought in from elsewhere hides what is around.
                    if !found.is_empty() || names.import(scope, name).is_some() {
                        return found;
                    }
                }
                Vec::new()
            }
            [before @ .., name] if is_new => match self.module(scope, before) {
                Some(found) => self.in_scope(found, name),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Those of a module or a block itself.
    fn in_scope(&mut self, scope: ModuleId, name: &str) -> Vec<FunctionId> {
        let names = self.names;
        let is_here = |id: &&FunctionId| {
            let function = &names.index.functions[id.0];
            function.scope == scope && function.owner.is_none()
        };
        let here: Vec<_> = names
            .by_name(name)
            .iter()
            .filter(is_here)
            .copied()
            .collect();
        if !here.is_empty() {
            return here;
        }
        let imports = &names.imports[scope.0];
        let named = imports.named.iter().filter(|(alias, _)| alias == name);
        for (_, path) in named {
            let found = self.functions(scope, path);
            if !found.is_empty() {
                return found;
            }
        }
        let mut globs = imports.globs.iter();
        let found = globs.find_map(|glob| {
            let from = self.module(scope, glob).filter(|from| *from != scope)?;
            let path = [name.to_owned()];
            let is_new = self.functions.insert((from, path.to_vec()));
            let found = is_new.then(|| self.in_scope(from, name))?;
            (!found.is_empty()).then_some(found)
        });
        found.unwrap_or_default()
    }

    /// The module that `path` leads to.
    fn module(&mut self, scope: ModuleId, path: &[String]) -> Option<ModuleId> {
        if !self.modules.insert((scope, path.to_vec())) {
            return None;
        }
        let names = self.names;
        let mut at = scope;
        for (place, segment) in path.iter().enumerate() {
            at = match segment.as_str() {
                "self" => names.home(at),
                "super" => names.index.module(names.home(at)).parent?,
                "crate" => {
                    let of_crate = names.index.module(at).of_crate;
                    names.index.crates[of_crate.0].root
                }
                name if place == 0 => {
                    let mut scopes = names.scopes(at);
                    let found = scopes.find_map(|scope| self.child(scope, name));
                    found.or_else(|| names.crates.get(name).copied())?
                }
                name => self.child(at, name)?,
            };
        }
        Some(at)
    }

    /// The module of this name in a module or a block.
    fn child(&mut self, at: ModuleId, name: &str) -> Option<ModuleId> {
        let names = self.names;
        if let Some(child) = names.children.get(&(at, name)) {
            return Some(*child);
        }
        let imports = &names.imports[at.0];
        let named = imports.named.iter();
        let mut named = named.filter(|(alias, to)| alias == name && to[..] != [name.to_owned()]);
        let found = named.find_map(|(_, to)| self.module(at, to));
        found.or_else(|| {
            let mut globs = imports.globs.iter();
            globs.find_map(|glob| {
                let from = self.module(at, glob).filter(|from| *from != at)?;
                let is_new = self.modules.insert((from, vec![name.to_owned()]));
                is_new.then(|| self.child(from, name))?
            })
        })
    }
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
