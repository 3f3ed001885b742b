//! Imports of what is understood, in blocks of the body: the function's own block does not know those names.

use syn::{
    Item,
    visit_mut::{self, VisitMut},
};

use crate::ast::declared::Declared;

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
            let declared = Declared::by_import(&import.tree);
            let before = self.macros.len();
            self.macros.retain(|path| {
                let first = path.segments.first();
                let is_inner =
                    declared.hides(|name| first.is_some_and(|first| first.ident == name));
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
