//! Whether the literals of a variable mean the same where a frame is written and read, behind the blocks: nothing is there that a block
//! imports.

use std::collections::BTreeSet;

use syn::{Item, ItemUse, Stmt, UseTree};

use crate::cfg::aggregate::Part;

/// Whether a name that one of these literals begins with may be imported.
pub(super) fn may_be_imported(imports: &mut dyn Iterator<Item = &ItemUse>, part: &Part) -> bool {
    let mut imports = imports.peekable();
    if imports.peek().is_none() {
        return false;
    }
    let mut names = Names::default();
    names.of(part);
    imports.any(|import| names.may_be_in(&import.tree, ""))
}

/// Whether a block has items whose names its literals may begin with.
pub(super) fn names_something(block: &syn::Block) -> bool {
    block.stmts.iter().any(|stmt| match stmt {
        Stmt::Item(Item::Use(import)) => !is_unnamed(&import.tree),
        Stmt::Item(_) => true,
        _ => false,
    })
}

/// `use fmt::Write as _;`
fn is_unnamed(tree: &UseTree) -> bool {
    match tree {
        UseTree::Path(path) => is_unnamed(&path.tree),
        UseTree::Rename(renamed) => renamed.rename == "_",
        UseTree::Name(_) | UseTree::Glob(_) => false,
        UseTree::Group(group) => group.items.iter().all(is_unnamed),
    }
}

/// The names that literals begin with, apart from those that are the same everywhere.
#[derive(Default)]
struct Names {
    all: BTreeSet<String>,
    /// Some literal has no other: it may be a variant.
    alone: bool,
}

impl Names {
    fn of(&mut self, part: &Part) {
        match part {
            Part::Whole(_) | Part::Text(_) | Part::Place(_) => {}
            Part::List(item) => item.iter().for_each(|item| self.of(item)),
            Part::OneOf(all) => {
                for one in all {
                    let path = one.path.as_ref();
                    if let Some(first) = path.and_then(|path| path.segments.first()) {
                        let name = first.ident.to_string();
                        let of_std = ["Some", "None", "Ok", "Err"].contains(&&*name);
                        self.alone |= !of_std && path.is_some_and(|path| path.segments.len() == 1);
                        self.all.insert(name);
                    }
                    one.fields.parts().for_each(|part| self.of(part));
                }
            }
        }
    }

    fn may_be_in(&self, tree: &UseTree, of: &str) -> bool {
        match tree {
            UseTree::Path(path) => self.may_be_in(&path.tree, &path.ident.to_string()),
            UseTree::Name(name) => self.all.contains(&name.ident.to_string()),
            UseTree::Rename(renamed) => self.all.contains(&renamed.rename.to_string()),
            // Of an enum, that brings its variants, and of a module anything.
            UseTree::Glob(_) => match of.starts_with(char::is_uppercase) {
                true => self.alone,
                false => !self.all.is_empty(),
            },
            UseTree::Group(group) => group.items.iter().any(|tree| self.may_be_in(tree, of)),
        }
    }
}
