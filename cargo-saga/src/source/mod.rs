//! The index of source: every module, function and type of the selected packages, as they stand in the text.
//!
//! Everything is `!Send`: the spans of proc-macro2 are known to the thread that has read the file.

mod file;
mod items;
mod modules;

pub(crate) use file::File;
pub(crate) use file::{direct, range_of, without_detours};
pub(crate) use items::{Alias, Function, Hidden, Impl, Owner, TypeItem, ends_in};
pub(crate) use modules::Module;

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::PathBuf,
    rc::Rc,
};

use crate::{
    report::Finding,
    workspace::{Kind, Package},
};

/// A module, by its place in [`Index::modules`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ModuleId(pub(crate) usize);

/// A crate, by its place in [`Index::crates`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CrateId(pub(crate) usize);

/// What a target of a package is compiled to.
#[derive(Debug)]
pub(crate) struct Crate {
    pub(crate) package: String,
    pub(crate) kind: Kind,
    pub(crate) root: ModuleId,
    /// The file that it begins in, whether or not that could be read.
    pub(crate) path: PathBuf,
}

/// The source of several packages. A file that two targets share is read once, and has its functions in each.
#[derive(Default)]
pub(crate) struct Index {
    pub(crate) crates: Vec<Crate>,
    pub(crate) modules: Vec<Module>,
    pub(crate) functions: Vec<Function>,
    /// Structs, enums and unions.
    pub(crate) types: Vec<TypeItem>,
    /// Types under other names, those with parameters apart.
    pub(crate) aliases: Vec<Alias>,
    pub(crate) impls: Vec<Impl>,
    /// The names of types and traits, each with the block or module that declares it.
    pub(crate) declared: HashSet<(ModuleId, String)>,
    /// What a macro may have in it: functions in there cannot be seen.
    pub(crate) hidden: Vec<Hidden>,
    /// Files that could not be read, and code that is not in a file of the package.
    pub(crate) problems: Vec<Finding>,
    /// The names by which the packages know `saga-runtime`, where their manifests rename it.
    pub(crate) renamed_runtimes: BTreeSet<String>,
    files: HashMap<PathBuf, Option<Rc<File>>>,
    /// Blocks with items in them, by the module that they are in and the offset of their brace.
    blocks: HashMap<(ModuleId, usize), ModuleId>,
}

impl Index {
    /// Reads the targets of `packages`, `build.rs` apart.
    pub(crate) fn of(packages: &[Package]) -> Self {
        let mut index = Self::default();
        for package in packages {
            index
                .renamed_runtimes
                .extend(package.name_of("saga-runtime"));
            let targets = package.targets.iter();
            for target in targets.filter(|target| target.kind != Kind::Build) {
                index.read_crate(package, target);
            }
        }
        index
    }

    /// Whether code names `saga-runtime` by this.
    pub(crate) fn is_runtime(&self, name: &str) -> bool {
        name == "saga_runtime" || self.renamed_runtimes.contains(name)
    }

    /// Every file that could be read, in the order of their paths.
    pub(crate) fn files(&self) -> Vec<&Rc<File>> {
        let mut files: Vec<_> = self.files.values().flatten().collect();
        files.sort_by(|one, other| one.path.cmp(&other.path));
        files
    }

    pub(crate) fn module(&self, id: ModuleId) -> &Module {
        // An id is only made where its module is.
        &self.modules[id.0]
    }

    /// Whether a file of the crate could not be read, or does not parse.
    pub(crate) fn has_unread(&self, id: CrateId) -> bool {
        let is_read = |file: &Rc<File>| file.syntax.is_some();
        let mut own = self.modules.iter().filter(|module| module.of_crate == id);
        own.any(|module| !module.file.as_ref().is_some_and(is_read))
    }

    /// The scope that a block makes, where it has items.
    pub(crate) fn block(&self, module: ModuleId, block: &syn::Block) -> Option<ModuleId> {
        self.blocks.get(&(module, file::start_of(block))).copied()
    }

    /// `crate::module::Type::function`, for people.
    pub(crate) fn path_of(&self, function: &Function) -> String {
        let mut path = self.module(function.module).path.clone();
        path.extend(function.owner.as_ref().map(|owner| owner.name()));
        path.push(function.sig.ident.to_string());
        path.join("::")
    }
}

#[cfg(test)]
pub(crate) mod tests;
