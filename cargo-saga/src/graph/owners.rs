//! Whose a method is: the type or the trait, told apart from others of its name.

use super::{
    FunctionId, Names,
    aliases::MOST_STEPS,
    lookup::Lookup,
    types::{Handle, Typed, bare, handle_type, name_of, named_by},
};
use crate::source::{Alias, Function, ModuleId, Owner};

/// Where a type or a trait is declared, and its name there.
pub(crate) type Declaration = (ModuleId, String);

/// What an `impl` or a `trait` is of.
pub(super) struct Owned {
    pub(super) of: Typed,
    of_trait: Option<Typed>,
    /// Of which form of the client's handle it is.
    pub(super) handle: Option<Handle>,
    /// Whether it is of every type: `impl<T: Client> Confirm for T`.
    is_blanket: bool,
    is_trait: bool,
}

impl<'a> Names<'a> {
    pub(super) fn with_owners(mut self) -> Self {
        let owned = |function: &Function| {
            let owner = function.owner.as_ref()?;
            Some(self.owned(function.scope, owner))
        };
        let owners = self.index().functions.iter().map(owned);
        let owners: Vec<_> = owners.collect();
        let impls = self.index().impls.iter();
        let impls = impls.map(|one| self.owned(one.scope, &one.owner));
        self.impls = impls.collect();
        self.owners = owners;
        self
    }

    pub(super) fn owned(&self, scope: ModuleId, owner: &Owner) -> Owned {
        let of = self.typed(scope, &owner.self_type);
        let of_trait = owner.of_trait.as_ref();
        let of_trait = of_trait.map(|path| self.typed(scope, &named_by(path)));
        let is_blanket = match bare(&owner.self_type) {
            syn::Type::Path(path) => owner.params.iter().any(|param| path.path.is_ident(param)),
            _ => false,
        };
        Owned {
            handle: handle_type(&of.ty),
            of,
            of_trait,
            is_blanket,
            is_trait: owner.is_trait,
        }
    }

    /// A type as its text in `scope` says it.
    pub(super) fn typed(&self, scope: ModuleId, ty: &syn::Type) -> Typed {
        let declared = self.declaration(scope, ty, MOST_STEPS);
        Typed {
            ty: self.unaliased(scope, ty),
            declared,
        }
    }

    /// Where a type or trait is declared; nothing where several may be meant, or one that was not read. Aliases are followed
    /// so many steps.
    fn declaration(&self, scope: ModuleId, ty: &syn::Type, steps: usize) -> Option<Declaration> {
        let syn::Type::Path(path) = bare(ty) else {
            return None;
        };
        let path = path.qself.is_none().then_some(&path.path)?;
        let path = path.segments.iter();
        let path: Vec<_> = path.map(|segment| segment.ident.to_string()).collect();
        let own = |at: ModuleId, name: &str| {
            let declaration = (at, name.to_owned());
            if self.index().declared.contains(&declaration) {
                return vec![Some(declaration)];
            }
            let aliases = self.aliases(name).iter();
            let aliases = aliases.filter(|alias| alias.scope == at);
            let left = steps.checked_sub(1);
            let meant = |alias: &&Alias| self.declaration(at, &alias.of, left?);
            aliases.map(meant).collect()
        };
        match &Lookup::new(self, &own).items(scope, &path)[..] {
            [one] => one.clone(),
            _ => None,
        }
    }

    /// Whether both are one type or trait; by name where it is not known which of that name is meant.
    pub(super) fn is_same(&self, one: &Typed, other: &Typed) -> bool {
        match (&one.declared, &other.declared) {
            (Some(one), Some(other)) => self.is_one(one, other),
            _ => name_of(&one.ty).is_some_and(|name| name_of(&other.ty) == Some(name)),
        }
    }

    /// Whether both are one declaration, or two of one path, under conditions.
    pub(super) fn is_one(&self, one: &Declaration, other: &Declaration) -> bool {
        let (here, there) = (self.index().module(one.0), self.index().module(other.0));
        let is_twin = !here.is_block && !there.is_block && here.path == there.path;
        one.1 == other.1 && (one.0 == other.0 || is_twin)
    }

    /// The `impl`s of a trait; of what is none of a trait there are none.
    pub(super) fn impls_of(&self, owned: &Owned) -> impl Iterator<Item = &Owned> {
        self.impls.iter().filter(move |one| {
            let of_trait = one.of_trait.as_ref();
            owned.is_trait && of_trait.is_some_and(|of| self.is_same(of, &owned.of))
        })
    }

    /// What a function's `impl` or `trait` is of.
    pub(super) fn owner(&self, id: FunctionId) -> Option<&Owned> {
        self.owners.get(id.0)?.as_ref()
    }

    /// Methods and associated functions of this name of a type or a trait that is met in `scope`.
    pub(super) fn of_owner(&self, scope: ModuleId, owner: &Typed, name: &str) -> Vec<FunctionId> {
        let is_owned = |id: &&FunctionId| {
            let of = self.owner(**id);
            of.is_some_and(|of| {
                let of_trait = of.of_trait.as_ref();
                self.is_same(&of.of, owner) || of_trait.is_some_and(|of| self.is_same(of, owner))
            })
        };
        let named = self.by_name(name).iter();
        let owned = named.filter(is_owned).copied();
        let is_met = |id: &FunctionId| owner.declared.is_some() || self.is_met(*id, scope);
        owned.filter(is_met).collect()
    }

    /// Methods of this name that traits add to the client's handle.
    pub(super) fn of_handle(
        &self,
        handle: Handle,
        name: &str,
        arguments: usize,
    ) -> Vec<FunctionId> {
        let added = |id: &&FunctionId| {
            let takes = self.takes(**id, arguments);
            let owner = self.owner(**id).filter(|_| takes);
            owner.is_some_and(|of| of.handle.is_some() || of.is_blanket || self.is_default(**id))
        };
        let added: Vec<_> = self.by_name(name).iter().filter(added).copied().collect();
        let is_other = |id: &FunctionId| {
            let of = self.owner(*id).and_then(|owner| owner.handle);
            of.is_some_and(|of| of != handle)
        };
        // A context leads to its peer, and a `Cx` is made of one: where this form has none, it is that of another.
        match added.iter().all(is_other) {
            true => added,
            false => added.into_iter().filter(|id| !is_other(id)).collect(),
        }
    }

    /// Whether it is the body that a trait has for a handle which says nothing else.
    fn is_default(&self, id: FunctionId) -> bool {
        let has_body = self.index().functions[id.0].block.is_some();
        let Some(owner) = self.owner(id).filter(|owner| owner.is_trait) else {
            return false;
        };
        let mut impls = self.impls_of(owner);
        has_body && impls.any(|one| one.handle.is_some() || one.is_blanket)
    }

    /// Whether it is a method with so many arguments.
    pub(super) fn takes(&self, id: FunctionId, arguments: usize) -> bool {
        let sig = &self.index().functions[id.0].sig;
        sig.receiver().is_some() && sig.inputs.len() == arguments + 1
    }

    /// Whether a value of the method's type may be met in `scope`: one that a block declares stays in there.
    pub(super) fn is_met(&self, id: FunctionId, scope: ModuleId) -> bool {
        let Some(owner) = self.owner(id).filter(|owner| owner.of_trait.is_none()) else {
            return true;
        };
        let Some((at, _)) = &owner.of.declared else {
            return true;
        };
        !self.index().module(*at).is_block || self.scopes(scope).any(|around| around == *at)
    }
}
