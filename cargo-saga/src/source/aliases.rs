//! Types under other names: `type Client = Peer<RoleServer>;`, `use rmcp::Peer as P;`.

use syn::{Type, visit_mut::VisitMut};

use super::{Index, ModuleId};

/// Aliases that lead to aliases are followed so far.
const MOST_STEPS: usize = 8;

/// `type NAME = TYPE;`
pub(crate) struct Alias {
    pub(crate) name: String,
    pub(crate) of: Type,
}

impl Index {
    /// A type, as far as it is known in `scope`, under the names of its declaration.
    pub(crate) fn unaliased(&self, scope: ModuleId, ty: &Type) -> Type {
        struct Unaliased<'a> {
            index: &'a Index,
            scope: ModuleId,
            left: usize,
        }
        impl VisitMut for Unaliased<'_> {
            fn visit_type_mut(&mut self, ty: &mut Type) {
                while self.left > 0
                    && let Some(meant) = self.index.meant(self.scope, ty)
                {
                    self.left -= 1;
                    *ty = meant;
                }
                syn::visit_mut::visit_type_mut(self, ty);
            }
        }
        let mut ty = ty.clone();
        let mut unaliased = Unaliased {
            index: self,
            scope,
            left: MOST_STEPS,
        };
        unaliased.visit_type_mut(&mut ty);
        ty
    }

    /// What a name stands for, one step on.
    fn meant(&self, scope: ModuleId, ty: &Type) -> Option<Type> {
        let Type::Path(path) = ty else { return None };
        let last = path.path.segments.last().filter(|_| path.qself.is_none())?;
        if path.path.segments.len() == 1
            && let Some(name) = self.renamed(scope, &last.ident.to_string())
        {
            let mut path = path.clone();
            path.path.segments.last_mut()?.ident = syn::Ident::new(&name, last.ident.span());
            return Some(Type::Path(path));
        }
        if !last.arguments.is_none() || self.types.iter().any(|known| known.name == last.ident) {
            return None;
        }
        let mut named = self.aliases.iter().filter(|alias| last.ident == alias.name);
        let alias = named.next()?;
        // Several of one name: which is meant is not known.
        named
            .all(|other| text(&other.of) == text(&alias.of))
            .then(|| alias.of.clone())
    }

    /// What `use … as NAME` brings in, in a scope or those around it.
    fn renamed(&self, scope: ModuleId, name: &str) -> Option<String> {
        fn find(tree: &syn::UseTree, name: &str) -> Option<String> {
            match tree {
                syn::UseTree::Path(inner) => find(&inner.tree, name),
                syn::UseTree::Group(group) => group.items.iter().find_map(|one| find(one, name)),
                syn::UseTree::Rename(renamed) if renamed.rename == name => {
                    let of = renamed.ident.to_string();
                    (of != "self" && of != name).then_some(of)
                }
                _ => None,
            }
        }
        let mut scope = Some(scope);
        while let Some(here) = scope.map(|scope| self.module(scope)) {
            let mut uses = here.uses.iter();
            if let Some(found) = uses.find_map(|item| find(&item.tree, name)) {
                return Some(found);
            }
            scope = here.around.filter(|_| here.is_block);
        }
        None
    }
}

fn text(ty: &Type) -> String {
    quote::quote!(#ty).to_string()
}
