//! The names by which a function knows the client's handle.

use std::collections::HashSet;

use syn::{Expr, visit::Visit};

use super::{
    Handles,
    carriers::{self, ends, variable},
    made_of,
};

use crate::ast::{
    patterns::pattern_bindings,
    types::{is_cx_type, is_handle_type},
    uses::root_name,
    vocabulary::is_ask,
};

/// Adds those of the handle parameters of `signature`, and what `body` calls them.
pub(super) fn collect(handles: &mut Handles, signature: &syn::Signature, body: &syn::Block) {
    for input in &signature.inputs {
        if let syn::FnArg::Typed(param) = input
            && is_handle_type(&param.ty)
        {
            let is_cx = is_cx_type(&param.ty);
            let bindings = pattern_bindings(&param.pat);
            let names = bindings.map(|binding| (binding.ident.to_string(), is_cx));
            handles.names.extend(names);
        }
    }
    if handles.names.is_empty() {
        let mut names = named_otherwise(signature);
        // One that is asked is the handle; another one is the author's.
        let asked = asked_in(body);
        let is_usual = |name: &str| name == "cx" || name == "peer";
        if names.iter().any(|(name, _)| asked.contains(name)) {
            names.retain(|(name, _)| asked.contains(name));
        } else if names.iter().any(|(name, _)| is_usual(name)) {
            names.retain(|(name, _)| is_usual(name));
        }
        handles.names.extend(names);
    }
    let mut aliases = Aliases(handles);
    aliases.visit_block(body);
}

/// Adds all parameters, and what patterns bind of them, as what may hold the handle.
pub(super) fn add_unseen(handles: &mut Handles, signature: &syn::Signature, body: &syn::Block) {
    for input in &signature.inputs {
        match input {
            syn::FnArg::Receiver(_) => {
                handles.unseen.insert("self".to_owned());
            }
            syn::FnArg::Typed(param) => {
                let bindings = pattern_bindings(&param.pat);
                let names = bindings.map(|binding| binding.ident.to_string());
                handles.unseen.extend(names);
            }
        }
    }
    Aliases(handles).visit_block(body);
}

/// Where no parameter is a handle as it is written, one whose type is an alias may be: a call that is given
/// it may suspend. An ask's receiver is judged by its type all the same.
fn named_otherwise(signature: &syn::Signature) -> Vec<(String, bool)> {
    // A client of something else is as common as an alias of the handle.
    let named = |endings: &[&str]| {
        let params = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(param) => Some(param),
            syn::FnArg::Receiver(_) => None,
        });
        let aliases = params.filter(|param| is_named(&param.ty, endings));
        let bindings = aliases.flat_map(|param| pattern_bindings(&param.pat));
        let names: Vec<_> = bindings
            .map(|binding| (binding.ident.to_string(), false))
            .collect();
        (!names.is_empty()).then_some(names)
    };
    named(&["Ctx", "Context", "Handle"])
        .or_else(|| named(&["Client"]))
        .unwrap_or_default()
}

/// What is asked in a body, by its name.
fn asked_in(body: &syn::Block) -> HashSet<String> {
    struct Asked(HashSet<String>);
    impl<'ast> Visit<'ast> for Asked {
        fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
            if is_ask(&call.method.to_string()) {
                self.0.extend(root_name(&call.receiver));
            }
            syn::visit::visit_expr_method_call(self, call);
        }
    }
    let mut asked = Asked(HashSet::new());
    asked.visit_block(body);
    asked.0
}

/// Whether a type's name ends so, and it has no types of its own.
fn is_named(ty: &syn::Type, endings: &[&str]) -> bool {
    let ty = match ty {
        syn::Type::Reference(reference) => &*reference.elem,
        ty => ty,
    };
    let syn::Type::Path(path) = ty else {
        return false;
    };
    path.path.segments.last().is_some_and(|last| {
        let types = matches!(&last.arguments, syn::PathArguments::AngleBracketed(arguments)
            if arguments.args.iter().any(|one| matches!(one, syn::GenericArgument::Type(_))));
        !types
            && endings
                .iter()
                .any(|name| last.ident.to_string().ends_with(name))
    })
}

/// `all` of `all.iter().enumerate()` and `all.first().unwrap()`: what is in it may be what that holds.
fn without_steps(value: &Expr) -> &Expr {
    match made_of(value) {
        Expr::MethodCall(call) => without_steps(&call.receiver),
        other => other,
    }
}

/// Collects `let peer = &context.peer;`, `if let Some(peer) = &self.peer` and the like.
struct Aliases<'a>(&'a mut Handles);

impl Aliases<'_> {
    fn bound(&mut self, pat: &syn::Pat, value: &Expr) {
        if let (syn::Pat::Tuple(names), Expr::Tuple(values)) = (pat, value)
            && names.elems.len() == values.elems.len()
        {
            for (pat, value) in names.elems.iter().zip(&values.elems) {
                self.bound(pat, value);
            }
            return;
        }
        let bindings: Vec<_> = pattern_bindings(pat).collect();
        let is_unseen = |value: &Expr| {
            root_name(made_of(value)).is_some_and(|name| self.0.unseen.contains(&name))
        };
        if is_unseen(value) || ends(value).into_iter().any(is_unseen) {
            let names = bindings.iter().map(|binding| binding.ident.to_string());
            self.0.unseen.extend(names);
        }
        if !matches!(pat, syn::Pat::Struct(_)) {
            let fields = self.0.fields_of(value);
            let fields = fields.or_else(|| {
                self.0
                    .carriers
                    .get(&variable(without_steps(value))?)
                    .cloned()
            });
            // What a call makes of the handle may as well never ask.
            let of_variable = || {
                let root = root_name(made_of(value));
                root.is_some_and(|name| self.0.carriers.contains_key(&name))
            };
            let inside =
                || (of_variable() && self.0.comes_of_carrier(made_of(value))).then(Vec::new);
            let fields = fields.or_else(inside);
            if let Some(fields) = fields {
                let names = bindings.iter().map(|binding| binding.ident.to_string());
                let all = names.map(|name| (name, fields.clone()));
                self.0.carriers.extend(all);
            }
        }
        if self.0.is_handle(made_of(value)) {
            // From a destructured context only the peer is the handle.
            let whole = bindings.len() == 1;
            for binding in bindings {
                if whole || binding.ident == "peer" {
                    let is_cx = self.0.is_cx(value);
                    self.0.names.insert(binding.ident.to_string(), is_cx);
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Aliases<'_> {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let syn::Pat::Type(typed) = &local.pat
            && is_handle_type(&typed.ty)
        {
            let is_cx = is_cx_type(&typed.ty);
            let names = pattern_bindings(&typed.pat).map(|binding| binding.ident.to_string());
            self.0.names.extend(names.map(|name| (name, is_cx)));
        }
        if let Some(init) = &local.init {
            self.bound(&local.pat, &init.expr);
        }
        syn::visit::visit_local(self, local);
    }

    fn visit_expr_assign(&mut self, assigned: &'ast syn::ExprAssign) {
        if let Expr::Path(path) = &*assigned.left
            && let Some(name) = path.path.get_ident()
            && let Some(fields) = self.0.fields_of(&assigned.right)
        {
            self.0.carriers.insert(name.to_string(), fields);
        }
        syn::visit::visit_expr_assign(self, assigned);
    }

    fn visit_expr_struct(&mut self, literal: &'ast syn::ExprStruct) {
        carriers::note_holding(self.0, literal);
        syn::visit::visit_expr_struct(self, literal);
    }

    fn visit_expr_let(&mut self, condition: &'ast syn::ExprLet) {
        self.bound(&condition.pat, &condition.expr);
        syn::visit::visit_expr_let(self, condition);
    }

    fn visit_expr_match(&mut self, choice: &'ast syn::ExprMatch) {
        for arm in &choice.arms {
            self.bound(&arm.pat, &choice.expr);
        }
        syn::visit::visit_expr_match(self, choice);
    }

    fn visit_expr_for_loop(&mut self, looped: &'ast syn::ExprForLoop) {
        self.bound(&looped.pat, &looped.expr);
        syn::visit::visit_expr_for_loop(self, looped);
    }

    /// Macros whose arguments may ask may name the handle, too.
    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        if let Some(arguments) = crate::ast::macros::arguments(invocation) {
            for argument in &arguments {
                Aliases(self.0).visit_expr(&argument.value);
            }
        } else if let Ok((scrutinee, _)) =
            invocation.parse_body_with(crate::ast::macros::scrutinee_and_pattern)
        {
            Aliases(self.0).visit_expr(&scrutinee);
        }
    }
}
