//! Types under other names: `type Client = Peer<RoleServer>;`, `use rmcp::Peer as P;`.

use std::collections::HashMap;

use syn::{PathArguments, Type, TypePath, visit_mut::VisitMut};

use super::{Names, name_of};
use crate::source::{Alias, ModuleId};

/// Aliases that lead to aliases are followed so far.
pub(super) const MOST_STEPS: usize = 8;

impl Names<'_> {
    /// A type, as far as it is known in `scope`, under the names of its declaration.
    pub(crate) fn unaliased(&self, scope: ModuleId, ty: &Type) -> Type {
        struct Unaliased<'n, 'a> {
            names: &'n Names<'a>,
            scope: ModuleId,
            left: usize,
        }
        impl VisitMut for Unaliased<'_, '_> {
            fn visit_type_mut(&mut self, ty: &mut Type) {
                while self.left > 0
                    && let Some(meant) = self.names.meant(self.scope, ty)
                {
                    self.left -= 1;
                    *ty = meant;
                }
                syn::visit_mut::visit_type_mut(self, ty);
            }
        }
        let mut ty = ty.clone();
        let mut unaliased = Unaliased {
            names: self,
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
            path.path.segments.last_mut()?.ident = syn::Ident::new(name, last.ident.span());
            return Some(Type::Path(path));
        }
        let name = last.ident.to_string();
        if !self.types(&name).is_empty() {
            return None;
        }
        let mut named = self.aliases(&name).iter();
        let meant = given(named.next()?, &last.arguments);
        // `type Result<T> = std::result::Result<T, Failed>;`
        let is_reached = path.path.segments.len() > 1 && name_of(&meant) == name_of(ty);
        // Several of one name: which is meant is not known.
        let is_known = named.all(|other| text(&given(other, &last.arguments)) == text(&meant));
        (is_known && !is_reached).then_some(meant)
    }

    /// What `use … as NAME` brings in, in a scope or those around it.
    fn renamed(&self, scope: ModuleId, name: &str) -> Option<&str> {
        let mut scopes = self.scopes(scope);
        let path = scopes.find_map(|scope| self.import(scope, name))?;
        path.last().map(String::as_str).filter(|of| *of != name)
    }
}

/// What an alias stands for with these arguments.
fn given(alias: &Alias, arguments: &PathArguments) -> Type {
    struct Given<'a>(HashMap<String, &'a Type>);
    impl VisitMut for Given<'_> {
        fn visit_type_mut(&mut self, ty: &mut Type) {
            let name = match &*ty {
                Type::Path(TypePath {
                    qself: None, path, ..
                }) => path.get_ident(),
                _ => None,
            };
            match name.and_then(|name| self.0.get(&name.to_string())) {
                Some(given) => *ty = (*given).clone(),
                None => syn::visit_mut::visit_type_mut(self, ty),
            }
        }
    }
    let PathArguments::AngleBracketed(arguments) = arguments else {
        return alias.of.clone();
    };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    let params = alias.params.iter();
    let params = params.filter_map(|param| {
        let given = types.next().or(param.default.as_ref().map(|(_, ty)| ty))?;
        Some((param.ident.to_string(), given))
    });
    let mut given = Given(params.collect());
    let mut of = alias.of.clone();
    given.visit_type_mut(&mut of);
    of
}

fn text(ty: &Type) -> String {
    quote::quote!(#ty).to_string()
}
