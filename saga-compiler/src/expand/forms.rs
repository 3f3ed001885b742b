//! The forms that a function asks with, as far as they can be named outside of it.

use std::collections::BTreeSet;

use quote::ToTokens;
use syn::{GenericArgument, Type, visit::Visit};

use crate::{
    ast::vocabulary::Method,
    cfg::{Arm, AskCall, Callee, Flow, Terminator},
    syntax::function::Input,
};

/// The types of the forms of a function's own `elicit::<T>`, each once. What only the body knows is left out: a type that is inferred, one
/// of the function's generics, one that is declared or imported in the body.
pub(super) fn of<'f>(input: &Input, flow: &'f Flow) -> Vec<&'f Type> {
    let mut known = BTreeSet::new();
    let forms = flow
        .blocks
        .iter()
        .flat_map(|block| match &block.terminator {
            Terminator::Ask { ask, .. } => form(ask).into_iter().collect(),
            Terminator::Call { callee, .. } => of_callee(callee),
            _ => Vec::new(),
        });
    let named = forms.filter(|ty| is_named_outside(input, flow, ty));
    named
        .filter(|ty| known.insert(ty.to_token_stream().to_string()))
        .collect()
}

fn of_callee(callee: &Callee) -> Vec<&Type> {
    match callee {
        Callee::One(_) => Vec::new(),
        Callee::Join { arms, .. } => arms.iter().filter_map(of_arm).collect(),
        Callee::Each { arm, .. } => of_arm(arm).into_iter().collect(),
    }
}

fn of_arm(arm: &Arm) -> Option<&Type> {
    match arm {
        Arm::Ask(ask, _) => form(ask),
        Arm::Other(_) | Arm::Plain(_) => None,
    }
}

fn form(ask: &AskCall) -> Option<&Type> {
    let (Method::Elicit | Method::ElicitWithTimeout, Some(turbofish)) =
        (&ask.method, &ask.turbofish)
    else {
        return None;
    };
    match turbofish.args.first()? {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

fn is_named_outside(input: &Input, flow: &Flow, ty: &Type) -> bool {
    struct Names<'f> {
        inner: &'f dyn Fn(&str) -> bool,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Names<'_> {
        fn visit_path(&mut self, path: &'ast syn::Path) {
            let first = path.segments.first();
            self.found |= first.is_some_and(|first| (self.inner)(&first.ident.to_string()));
            syn::visit::visit_path(self, path);
        }

        fn visit_type(&mut self, ty: &'ast Type) {
            self.found |= matches!(ty, Type::Infer(_) | Type::Macro(_) | Type::ImplTrait(_));
            syn::visit::visit_type(self, ty);
        }
    }
    if !flow.items.is_empty() || !flow.imports.is_empty() {
        return false;
    }
    let generics = &input.item.sig.generics;
    let inner = |name: &str| generics.type_params().any(|param| param.ident == name);
    let mut names = Names {
        inner: &inner,
        found: false,
    };
    names.visit_type(ty);
    !names.found
}
