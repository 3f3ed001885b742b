//! Follows `mod` from the root of a crate to each of its files.

use std::{
    fs, io,
    path::{Path, PathBuf},
    rc::Rc,
};

use syn::{punctuated::Punctuated, visit::Visit};

use super::{
    Crate, CrateId, File, Index, ModuleId,
    file::{direct, range_of, start_of},
    items::Collector,
};
use crate::{
    report::{Finding, Severity},
    workspace::{Package, Target, Workspace},
};

/// A module of a crate.
pub(crate) struct Module {
    pub(crate) of_crate: CrateId,
    /// From the crate's name.
    pub(crate) path: Vec<String>,
    pub(crate) parent: Option<ModuleId>,
    /// The block that it stands in. A block with items is a module without a name.
    pub(crate) around: Option<ModuleId>,
    pub(crate) is_block: bool,
    /// The file that it is in; `None` where that could not be read.
    pub(crate) file: Option<Rc<File>>,
    pub(crate) uses: Vec<syn::ItemUse>,
    /// Conditions under which it is there, those of the modules around it included.
    pub(crate) cfg: Vec<syn::Attribute>,
}

/// Where the files of a module's children are.
#[derive(Clone)]
struct Place {
    /// That of its own file, for `#[path]`.
    beside: PathBuf,
    /// Where `mod name;` looks.
    children: PathBuf,
}

impl Place {
    /// That of a module in braces.
    fn inner(&self, item: &syn::ItemMod, name: &str) -> Self {
        let inner = match path_attribute(&item.attrs) {
            Some(path) => self.beside.join(path),
            None => self.children.join(name),
        };
        Self {
            beside: inner.clone(),
            children: inner,
        }
    }

    /// The file of `mod name;`, and its own place.
    fn file_of(&self, item: &syn::ItemMod, name: &str) -> Option<(PathBuf, Self)> {
        let said = path_attribute(&item.attrs);
        let owns = said.is_some();
        let path = match said {
            Some(path) => existing([self.beside.join(path)]),
            None => existing([
                self.children.join(format!("{name}.rs")),
                self.children.join(name).join("mod.rs"),
            ]),
        }?;
        let directory = path.parent().map_or_else(PathBuf::new, Path::to_owned);
        let children = match owns || path.ends_with("mod.rs") {
            true => directory.clone(),
            false => directory.join(name),
        };
        let place = Self {
            beside: directory,
            children,
        };
        Some((path, place))
    }
}

/// The files that lead to a module: none of them can be in itself.
type Trail = Vec<PathBuf>;

impl Index {
    pub(super) fn read_crate(&mut self, package: &Package, target: &Target) {
        let id = CrateId(self.crates.len());
        let root = ModuleId(self.modules.len());
        self.crates.push(Crate {
            package: package.name.clone(),
            kind: target.kind,
            root,
            path: target.root.clone(),
        });
        let directory = target
            .root
            .parent()
            .map_or_else(PathBuf::new, Path::to_owned);
        let place = Place {
            beside: directory.clone(),
            children: directory,
        };
        let module = Module {
            of_crate: id,
            path: vec![target.name.clone()],
            parent: None,
            around: None,
            is_block: false,
            file: None,
            uses: Vec::new(),
            cfg: Vec::new(),
        };
        self.read_module(module, &target.root, &place, Vec::new());
    }

    /// A module with a file of its own.
    fn read_module(&mut self, mut module: Module, path: &Path, place: &Place, mut trail: Trail) {
        let file = self.file(path);
        trail.push(path.to_owned());
        module.file = file.clone();
        let id = self.push(module);
        if let Some(file) = file
            && let Some(syntax) = &file.syntax
        {
            self.read_items(id, &file, &syntax.items, place, &trail);
        }
    }

    fn push(&mut self, module: Module) -> ModuleId {
        let id = ModuleId(self.modules.len());
        self.modules.push(module);
        id
    }

    fn read_items(
        &mut self,
        id: ModuleId,
        file: &Rc<File>,
        items: &[syn::Item],
        place: &Place,
        trail: &Trail,
    ) {
        for item in items {
            match item {
                syn::Item::Mod(item) => self.read_child((id, None), file, item, place, trail),
                syn::Item::Use(item) => self.modules[id.0].uses.push(item.clone()),
                syn::Item::Macro(item) if item.mac.path.is_ident("include") => {
                    self.note_include(file, item);
                }
                item => Collector::new(self, id, file).visit_item(item),
            }
        }
    }

    /// A module in the body of a function: it sees what the module around the function has, and nothing of the body.
    pub(super) fn read_in_body(
        &mut self,
        parent: ModuleId,
        scope: ModuleId,
        file: &Rc<File>,
        item: &syn::ItemMod,
    ) {
        let directory = file.path.parent().map_or_else(PathBuf::new, Path::to_owned);
        let place = Place {
            beside: directory.clone(),
            children: directory,
        };
        let trail = vec![file.path.clone()];
        self.read_child((parent, Some(scope)), file, item, &place, &trail);
    }

    /// The scope of a block: its own where it has items, else the one around.
    pub(super) fn push_block(
        &mut self,
        module: ModuleId,
        scope: ModuleId,
        block: &syn::Block,
    ) -> ModuleId {
        let is_scope = |stmt: &syn::Stmt| {
            use syn::Item::{Enum, Fn, Mod, Struct, Trait, Type, Union, Use};
            let syn::Stmt::Item(item) = stmt else {
                return false;
            };
            let is_type = matches!(item, Enum(_) | Struct(_) | Trait(_) | Type(_) | Union(_));
            is_type || matches!(item, Fn(_) | Mod(_) | Use(_))
        };
        if !block.stmts.iter().any(is_scope) {
            return scope;
        }
        let uses = block.stmts.iter().filter_map(|stmt| match stmt {
            syn::Stmt::Item(syn::Item::Use(item)) => Some(item.clone()),
            _ => None,
        });
        let uses = uses.collect();
        let Module {
            of_crate,
            path,
            file,
            cfg,
            ..
        } = &self.modules[module.0];
        let id = self.push(Module {
            of_crate: *of_crate,
            path: path.clone(),
            parent: None,
            around: Some(scope),
            is_block: true,
            file: file.clone(),
            uses,
            cfg: cfg.clone(),
        });
        self.blocks.insert((module, start_of(block)), id);
        id
    }

    fn read_child(
        &mut self,
        (parent, around): (ModuleId, Option<ModuleId>),
        file: &Rc<File>,
        item: &syn::ItemMod,
        place: &Place,
        trail: &Trail,
    ) {
        let name = item.ident.to_string();
        let name = name.strip_prefix("r#").unwrap_or(&name);
        let Module {
            of_crate,
            path,
            cfg,
            ..
        } = &self.modules[parent.0];
        let (mut path, mut cfg) = (path.clone(), cfg.clone());
        path.push(name.to_owned());
        cfg.extend(
            item.attrs
                .iter()
                .filter(|attr| attr.path().is_ident("cfg"))
                .cloned(),
        );
        let module = Module {
            of_crate: *of_crate,
            path,
            parent: Some(parent),
            around,
            is_block: false,
            file: None,
            uses: Vec::new(),
            cfg,
        };
        if let Some((_, items)) = &item.content {
            let module = Module {
                file: Some(Rc::clone(file)),
                ..module
            };
            let id = self.push(module);
            return self.read_items(id, file, items, &place.inner(item, name), trail);
        }
        match place.file_of(item, name) {
            Some((path, _)) if trail.contains(&path) => {}
            Some((path, place)) => self.read_module(module, &path, &place, trail.clone()),
            // Under a condition it may well be missing here.
            None if !module.cfg.is_empty() => {}
            None => {
                let message = format!("no file of the module `{name}`");
                let finding = Finding::new(Severity::Warning, "unread", message)
                    .at(file, range_of(item), "")
                    .note("what is in it is not looked at");
                self.problems.push(finding);
            }
        }
    }

    fn file(&mut self, path: &Path) -> Option<Rc<File>> {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        let file = match fs::read_to_string(path) {
            Ok(text) => {
                let (file, error) = File::read(path.to_owned(), text);
                let file = Rc::new(file);
                self.problems.extend(error.map(|error| {
                    Finding::new(Severity::Warning, "unread", "a file that does not parse")
                        .at(&file, error.range, error.message)
                        .note("what is in it is not looked at")
                }));
                Some(file)
            }
            Err(error) => {
                self.problems.push(unreadable(path, &error));
                None
            }
        };
        self.files.insert(path.to_owned(), file.clone());
        file
    }

    /// `include!(concat!(env!("OUT_DIR"), "/generated.rs"))`
    fn note_include(&mut self, file: &Rc<File>, item: &syn::ItemMacro) {
        self.problems.push(
            Finding::new(Severity::Note, "unread", "the code of an `include!` is not read")
                .at(file, range_of(item), "")
                .note("what asks in there is not found, and nothing in there is edited")
                .help("`#[saga]` by hand above each function in it that asks; or a `mod` in place of `include!`"),
        );
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Finding {
    let shown = Workspace::shown(path).display();
    let (message, line) = match error.kind() {
        io::ErrorKind::InvalidData => (
            format!("`{shown}` is not UTF-8"),
            first_bad_line(path).map(|line| format!("the first such byte is in line {line}")),
        ),
        _ => (format!("`{shown}` could not be read: {error}"), None),
    };
    let finding = Finding::new(Severity::Warning, "unread", message);
    let finding = line.into_iter().fold(finding, Finding::note);
    finding.note("what is in it is not looked at")
}

/// Where the text ends to be UTF-8.
fn first_bad_line(path: &Path) -> Option<usize> {
    let bytes = fs::read(path).ok()?;
    let good = std::str::from_utf8(&bytes).err()?.valid_up_to();
    Some(
        bytes
            .get(..good)?
            .iter()
            .filter(|byte| **byte == b'\n')
            .count()
            + 1,
    )
}

fn existing(paths: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    let found = paths.into_iter().find(|path| path.is_file())?;
    Some(direct(&found))
}

/// `#[path = ".."]`, also that of a `cfg_attr`.
fn path_attribute(attrs: &[syn::Attribute]) -> Option<String> {
    attrs.iter().find_map(|attr| path_in(&attr.meta))
}

fn path_in(meta: &syn::Meta) -> Option<String> {
    match meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        },
        syn::Meta::List(list) if list.path.is_ident("cfg_attr") => {
            let parser = Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated;
            let parts = list.parse_args_with(parser).ok()?;
            parts.iter().skip(1).find_map(path_in)
        }
        _ => None,
    }
}
