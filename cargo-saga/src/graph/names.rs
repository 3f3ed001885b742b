//! What a path means in a module: `use`, `crate`, `super`, re-exports, and crates of the workspace.

use std::collections::HashMap;

use crate::source::{Index, ModuleId};

/// How far re-exports are followed; those in a circle end here.
const DEPTH: usize = 12;

/// A function, by its place in [`Index::functions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FunctionId(pub(crate) usize);

/// Names of functions and modules.
pub(crate) struct Names<'a> {
    index: &'a Index,
    modules: HashMap<&'a [String], ModuleId>,
    /// Functions by their name.
    named: HashMap<String, Vec<FunctionId>>,
    imports: Vec<Imports>,
}

/// What the `use` items of a module bring in.
#[derive(Default)]
struct Imports {
    named: Vec<(String, Vec<String>)>,
    globs: Vec<Vec<String>>,
}

impl<'a> Names<'a> {
    pub(crate) fn of(index: &'a Index) -> Self {
        let mut modules = HashMap::new();
        for (id, module) in index.modules.iter().enumerate() {
            modules.entry(&module.path[..]).or_insert(ModuleId(id));
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
            modules,
            named,
            imports: imports.collect(),
        }
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

    /// What a call of `path` in `module` may reach; `self_type` is what `Self` means there.
    pub(crate) fn functions(
        &self,
        module: ModuleId,
        path: &[String],
        self_type: Option<&str>,
    ) -> Vec<FunctionId> {
        let Some((name, before)) = path.split_last() else {
            return Vec::new();
        };
        let free = self.free(module, path, DEPTH);
        match before.last() {
            _ if !free.is_empty() => free,
            Some(owner) if owner == "Self" => {
                self_type.map_or_else(Vec::new, |owner| self.of_owner(owner, name))
            }
            Some(owner) => self.of_owner(owner, name),
            None => Vec::new(),
        }
    }

    /// Functions outside of types that `path` leads to.
    fn free(&self, module: ModuleId, path: &[String], depth: usize) -> Vec<FunctionId> {
        let Some(depth) = depth.checked_sub(1) else {
            return Vec::new();
        };
        match path {
            [] => Vec::new(),
            [name] => self.in_module(module, name, depth),
            [before @ .., name] => match self.module(module, before, depth) {
                Some(found) => self.in_module(found, name, depth),
                None => Vec::new(),
            },
        }
    }

    fn in_module(&self, module: ModuleId, name: &str, depth: usize) -> Vec<FunctionId> {
        let is_here = |id: &&FunctionId| {
            let function = &self.index.functions[id.0];
            function.module == module && function.owner.is_none()
        };
        let here: Vec<_> = self.by_name(name).iter().filter(is_here).copied().collect();
        if !here.is_empty() {
            return here;
        }
        let imports = &self.imports[module.0];
        let named = imports.named.iter().filter(|(alias, _)| alias == name);
        for (_, path) in named {
            let found = self.free(module, path, depth);
            if !found.is_empty() {
                return found;
            }
        }
        let mut globs = imports.globs.iter();
        globs
            .find_map(|glob| {
                let from = self
                    .module(module, glob, depth)
                    .filter(|from| *from != module)?;
                let found = self.free(from, &[name.to_owned()], depth);
                (!found.is_empty()).then_some(found)
            })
            .unwrap_or_default()
    }

    /// The module that `path` leads to from `module`.
    fn module(&self, module: ModuleId, path: &[String], depth: usize) -> Option<ModuleId> {
        let depth = depth.checked_sub(1)?;
        let mut at = module;
        for (place, segment) in path.iter().enumerate() {
            let here = self.index.module(at);
            at = match segment.as_str() {
                "self" => at,
                "super" => here.parent?,
                "crate" => self.index.crates[here.of_crate.0].root,
                name => {
                    let child: Vec<_> =
                        here.path.iter().cloned().chain([name.to_owned()]).collect();
                    let imports = self.imports[at.0].named.iter();
                    let alias = imports
                        .filter(|(alias, to)| alias == name && to[..] != [name.to_owned()])
                        .find_map(|(_, to)| self.module(at, to, depth));
                    let by_glob = || {
                        let mut globs = self.imports[at.0].globs.iter();
                        globs.find_map(|glob| {
                            let from = self.module(at, glob, depth).filter(|from| *from != at)?;
                            self.module(from, &[name.to_owned()], depth)
                        })
                    };
                    let of_workspace = || match place {
                        0 => self.modules.get(&[name.to_owned()][..]).copied(),
                        _ => None,
                    };
                    let child = self.modules.get(&child[..]).copied();
                    child.or(alias).or_else(of_workspace).or_else(by_glob)?
                }
            };
        }
        Some(at)
    }

    /// Whether `name` is bound to something in `module`, by an item that was indexed or a `use`.
    pub(crate) fn import(&self, module: ModuleId, name: &str) -> Option<&[String]> {
        let mut named = self.imports[module.0].named.iter();
        named
            .find(|(alias, _)| alias == name)
            .map(|(_, path)| &path[..])
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
