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
    /// The function in whose body each stands.
    around: Vec<Option<FunctionId>>,
}

/// Where a path stands.
#[derive(Clone, Copy)]
pub(super) struct Site<'s> {
    pub(super) module: ModuleId,
    pub(super) function: FunctionId,
    /// The `use` items of the blocks around it, the innermost last.
    pub(super) blocks: &'s [Imports],
}

/// What the `use` items of a module or a block bring in.
#[derive(Default)]
pub(super) struct Imports {
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
            around: around(index),
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

    /// What a call of `path` may reach; `self_type` is what `Self` means there.
    pub(super) fn functions(
        &self,
        site: Site<'_>,
        path: &[String],
        self_type: Option<&str>,
    ) -> Vec<FunctionId> {
        let Some((name, before)) = path.split_last() else {
            return Vec::new();
        };
        let mut free = self.of_blocks(site, path);
        if free.is_empty() {
            free = self.free(site.module, path, DEPTH);
        }
        match before.last() {
            _ if !free.is_empty() => free,
            Some(owner) if owner == "Self" => {
                self_type.map_or_else(Vec::new, |owner| self.of_owner(owner, name))
            }
            Some(owner) => self.of_owner(owner, name),
            None => Vec::new(),
        }
    }

    /// Functions that `path` leads to by what stands in the bodies around it.
    fn of_blocks(&self, site: Site<'_>, path: &[String]) -> Vec<FunctionId> {
        let Some((first, rest)) = path.split_first() else {
            return Vec::new();
        };
        let mut body = Some(site.function);
        while let (Some(around), []) = (body, rest) {
            let is_here = |id: &&FunctionId| {
                self.around[id.0] == body && self.index.functions[id.0].owner.is_none()
            };
            let here = self.by_name(first).iter().filter(is_here).copied();
            let here: Vec<_> = here.collect();
            if !here.is_empty() {
                return here;
            }
            body = self.around[around.0];
        }
        let of_block = |imports: &Imports| {
            let named = imports.named.iter().filter(|(alias, _)| alias == first);
            let named = named.map(|(_, to)| [to, rest].concat());
            let globs = imports.globs.iter().map(|glob| [glob, path].concat());
            let mut found = named.chain(globs);
            found.find_map(|path| {
                let found = self.free(site.module, &path, DEPTH);
                (!found.is_empty()).then_some(found)
            })
        };
        let mut blocks = site.blocks.iter().rev();
        blocks.find_map(of_block).unwrap_or_default()
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
            let is_item = function.owner.is_none() && self.around[id.0].is_none();
            function.module == module && is_item
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

/// The function in whose body each function stands.
fn around(index: &Index) -> Vec<Option<FunctionId>> {
    let place = |id: &usize| {
        let function = &index.functions[*id];
        let range = &function.range;
        (
            &function.file.path,
            range.start,
            std::cmp::Reverse(range.end),
        )
    };
    let mut ids: Vec<_> = (0..index.functions.len()).collect();
    ids.sort_by_key(place);
    let mut found = vec![None; ids.len()];
    let mut open: Vec<usize> = Vec::new();
    for id in ids {
        let function = &index.functions[id];
        while let Some(last) = open.last() {
            let last = &index.functions[*last];
            let is_in = last.file.path == function.file.path
                && last.range.end >= function.range.end
                && last.range != function.range;
            if is_in {
                break;
            }
            open.pop();
        }
        // A module in a body sees nothing of the body.
        let is_seen = |around: &&usize| index.functions[**around].module == function.module;
        found[id] = open.last().filter(is_seen).copied().map(FunctionId);
        open.push(id);
    }
    found
}

impl Imports {
    /// Those of a block.
    pub(super) fn of(block: &syn::Block) -> Self {
        let mut imports = Self::default();
        for stmt in &block.stmts {
            if let syn::Stmt::Item(syn::Item::Use(item)) = stmt {
                imports.read(&item.tree, &mut Vec::new());
            }
        }
        imports
    }

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
