//! Imports of what is understood, in blocks of the body: the function's own block does not know those names.

use syn::{
    Item, UseTree,
    visit_mut::{self, VisitMut},
};

/// Takes what a block imports for itself out of `macros`, which are used at the top of the function, so that their imports stay used.
/// What then looks unused is said not to be missed.
///
/// ```text
/// if fast { use tokio::join; let (a, b) = join!(ask, ask); }   →   if fast { #[allow(unused_imports)] use tokio::join; … }
/// ```
pub(super) fn leave(body: &mut syn::Block, macros: &mut Vec<syn::Path>) {
    let mut imports = Imports { depth: 0, macros };
    imports.visit_block_mut(body);
}

struct Imports<'a> {
    depth: usize,
    macros: &'a mut Vec<syn::Path>,
}

impl VisitMut for Imports<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.depth += 1;
        visit_mut::visit_block_mut(self, block);
        self.depth -= 1;
    }

    fn visit_item_mut(&mut self, item: &mut Item) {
        if let Item::Use(import) = item
            && self.depth > 1
        {
            let mut names = Vec::new();
            let any = imported(&import.tree, &mut names);
            let before = self.macros.len();
            self.macros.retain(|path| {
                let first = path.segments.first().map(|first| first.ident.to_string());
                // An import of everything may declare any name.
                let is_inner = any || first.is_some_and(|first| names.contains(&first));
                path.leading_colon.is_some() || !is_inner
            });
            if self.macros.len() < before {
                import
                    .attrs
                    .push(syn::parse_quote!(#[allow(unused_imports)]));
            }
        }
    }
}

/// The names that an import declares; whether there may be any others.
fn imported(tree: &UseTree, names: &mut Vec<String>) -> bool {
    match tree {
        UseTree::Path(path) => return imported(&path.tree, names),
        UseTree::Name(name) => names.push(name.ident.to_string()),
        UseTree::Rename(renamed) => names.push(renamed.rename.to_string()),
        UseTree::Glob(_) => return true,
        UseTree::Group(group) => {
            let mut any = false;
            for tree in &group.items {
                any |= imported(tree, names);
            }
            return any;
        }
    }
    false
}
