//! Follows paths through modules and blocks: `use`, `crate`, `super`, re-exports, and crates of the workspace.

use super::names::Names;
use crate::source::ModuleId;

/// A path, from where it stands.
type Step = (ModuleId, Vec<String>);

/// Follows a path to items. A path that is being followed already leads nowhere new.
pub(super) struct Lookup<'n, 'a, T> {
    names: &'n Names<'a>,
    /// The items of this name in a scope itself.
    own: &'n dyn Fn(ModuleId, &str) -> Vec<T>,
    open: Vec<Step>,
    open_modules: Vec<Step>,
}

impl<'n, 'a, T: PartialEq> Lookup<'n, 'a, T> {
    pub(super) fn new(names: &'n Names<'a>, own: &'n dyn Fn(ModuleId, &str) -> Vec<T>) -> Self {
        Self {
            names,
            own,
            open: Vec::new(),
            open_modules: Vec::new(),
        }
    }

    /// What `path` leads to.
    pub(super) fn items(&mut self, scope: ModuleId, path: &[String]) -> Vec<T> {
        let step = (scope, path.to_vec());
        if self.open.contains(&step) {
            return Vec::new();
        }
        self.open.push(step);
        let found = match path {
            [name] => self.around(scope, name),
            [before @ .., name] => match self.module(scope, before) {
                Some(found) => self.in_scope(found, name),
                None => Vec::new(),
            },
            [] => Vec::new(),
        };
        self.open.pop();
        found
    }

    /// Those of a name in a scope, or of the blocks around it.
    fn around(&mut self, scope: ModuleId, name: &str) -> Vec<T> {
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

    /// Those of a module or a block itself. What it names hides what globs bring in.
    fn in_scope(&mut self, scope: ModuleId, name: &str) -> Vec<T> {
        let named = self.named(scope, name);
        if !named.is_empty() {
            return named;
        }
        let mut found = Vec::new();
        for from in self.names.reachable(scope) {
            for item in self.named(from, name) {
                if !found.contains(&item) {
                    found.push(item);
                }
            }
        }
        found
    }

    /// Those that stand there, or that a `use` without a glob brings in.
    fn named(&mut self, scope: ModuleId, name: &str) -> Vec<T> {
        let own = (self.own)(scope, name);
        if !own.is_empty() {
            return own;
        }
        let imports = self.names.imports_of(scope, name);
        let found = imports.map(|path| self.items(scope, path));
        let mut found = found.filter(|found| !found.is_empty());
        found.next().unwrap_or_default()
    }

    /// The module that `path` leads to.
    pub(super) fn module(&mut self, scope: ModuleId, path: &[String]) -> Option<ModuleId> {
        let step = (scope, path.to_vec());
        if self.open_modules.contains(&step) {
            return None;
        }
        self.open_modules.push(step);
        let found = self.walk(scope, path);
        self.open_modules.pop();
        found
    }

    fn walk(&mut self, scope: ModuleId, path: &[String]) -> Option<ModuleId> {
        let names = self.names;
        let mut at = scope;
        for (place, segment) in path.iter().enumerate() {
            at = match segment.as_str() {
                "self" => names.home(at),
                "super" => names.index().module(names.home(at)).parent?,
                "crate" => names.root_of(at),
                name if place == 0 => {
                    let mut scopes = names.scopes(at);
                    let found = scopes.find_map(|scope| self.child(scope, name));
                    found.or_else(|| names.crate_named(name))?
                }
                name => self.child(at, name)?,
            };
        }
        Some(at)
    }

    /// The module of this name in a module or a block.
    fn child(&mut self, at: ModuleId, name: &str) -> Option<ModuleId> {
        let names = self.names;
        let mut scopes = names.reachable(at).into_iter();
        scopes.find_map(|scope| {
            let own = names.child_of(scope, name);
            own.or_else(|| {
                let mut imports = names.imports_of(scope, name).filter(|to| to[..] != [name]);
                imports.find_map(|to| self.module(scope, to))
            })
        })
    }
}
