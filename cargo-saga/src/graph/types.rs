//! The client's handle, and what else is known of a value's type without a compiler.

use std::collections::HashMap;

use syn::{Expr, Type};

use super::{Names, owners::Declaration};
use crate::source::{Function, Index, ModuleId, TypeItem};

/// The declared types of what a function names.
pub(super) struct Types<'a> {
    names: &'a Names<'a>,
    function: &'a Function,
    /// The block that is read, where it has items, or the one around it.
    pub(super) scope: ModuleId,
    self_type: Option<Typed>,
    locals: HashMap<String, Typed>,
    /// Names of the client's handle.
    handles: HashMap<String, Handle>,
}

/// A type under the names of its declaration.
#[derive(Clone)]
pub(super) struct Typed {
    pub(super) ty: Type,
    /// Where it is declared; `None` where its name may be that of several, or of one that was not read.
    pub(super) declared: Option<Declaration>,
}

/// In which form a function has the client's handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Handle {
    /// rmcp's `Peer` or `RequestContext`.
    Peer,
    /// Saga's `Cx`.
    Cx,
}

impl<'a> Types<'a> {
    pub(super) fn of(names: &'a Names<'a>, function: &'a Function) -> Self {
        let owner = function.owner.as_ref();
        let mut types = Self {
            names,
            function,
            scope: function.scope,
            self_type: owner.map(|owner| names.typed(function.scope, &owner.self_type)),
            locals: HashMap::new(),
            handles: HashMap::new(),
        };
        for input in &function.sig.inputs {
            if let syn::FnArg::Typed(param) = input {
                types.declare(&param.pat, &param.ty);
            }
        }
        types
    }

    pub(super) fn index(&self) -> &'a Index {
        self.names.index()
    }

    fn declare(&mut self, pat: &syn::Pat, ty: &Type) {
        let ty = &self.names.typed(self.scope, ty);
        for name in names(pat) {
            match handle_type(&ty.ty) {
                Some(handle) => _ = self.handles.insert(name, handle),
                None => _ = self.locals.insert(name, ty.clone()),
            }
        }
    }

    /// Learns from `let peer = &context.peer;` and `let gate: Gate = ..;`.
    pub(super) fn learn(&mut self, local: &syn::Local) {
        if let syn::Pat::Type(typed) = &local.pat {
            return self.declare(&typed.pat, &typed.ty);
        }
        if let Some(init) = &local.init {
            self.bind(&local.pat, &init.expr);
        }
    }

    /// Learns what a pattern binds of a value.
    pub(super) fn bind(&mut self, pat: &syn::Pat, of: &Expr) {
        let bound = names(pat);
        if let Some(handle) = self.handle(of) {
            // Of a destructured context only the peer is the handle.
            let whole = bound.len() == 1;
            let is_handle = |name: &String| whole || name == "peer";
            let bound = bound.into_iter().filter(is_handle);
            self.handles.extend(bound.map(|name| (name, handle)));
        } else if let ([name], Some(ty)) = (&bound[..], self.type_of(of)) {
            self.locals.insert(name.clone(), ty);
        }
    }

    /// Whether a name is that of the handle.
    pub(super) fn is_handle_name(&self, name: &str) -> bool {
        self.handles.contains_key(name)
    }

    /// The handle: `peer`, `context.peer`, `&peer`, `self.peer.clone()`, a field whose declared type is one.
    pub(super) fn handle(&self, expr: &Expr) -> Option<Handle> {
        match expr {
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                match name.as_str() {
                    "self" => self.declared(expr),
                    name => self.handles.get(name).copied(),
                }
            }
            Expr::Field(field) => match &field.member {
                syn::Member::Named(name) if name == "peer" => {
                    let is_self =
                        matches!(&*field.base, Expr::Path(path) if path.path.is_ident("self"));
                    let inner = self.handle(&field.base).map(|_| Handle::Peer);
                    inner
                        .or(is_self.then_some(Handle::Peer))
                        .or_else(|| self.declared(expr))
                }
                _ => self.declared(expr),
            },
            Expr::Reference(inner) => self.handle(&inner.expr),
            Expr::Paren(inner) => self.handle(&inner.expr),
            Expr::Group(inner) => self.handle(&inner.expr),
            Expr::Unary(inner) => self.handle(&inner.expr),
            Expr::MethodCall(call) if call.args.is_empty() => {
                let method = call.method.to_string();
                match method.as_str() {
                    "clone" | "to_owned" | "as_ref" | "peer" => self.handle(&call.receiver),
                    _ => None,
                }
            }
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else {
                    return None;
                };
                let mut segments = path.path.segments.iter().rev();
                let (last, owner) = (segments.next()?, segments.next()?);
                let first = call.args.first().filter(|_| call.args.len() == 1)?;
                if last.ident == "from" && owner.ident == "Cx" {
                    return self.handle(first).map(|_| Handle::Cx);
                }
                let clones =
                    last.ident == "clone" && (owner.ident == "Arc" || owner.ident == "Clone");
                self.handle(first).filter(|_| clones)
            }
            _ => None,
        }
    }

    fn declared(&self, expr: &Expr) -> Option<Handle> {
        self.type_of(expr).and_then(|known| handle_type(&known.ty))
    }

    /// What `Self` means.
    pub(super) fn self_type(&self) -> Option<&Typed> {
        self.self_type.as_ref()
    }

    /// The type of an expression, where its text and the declarations of the workspace say it.
    pub(super) fn type_of(&self, expr: &Expr) -> Option<Typed> {
        match expr {
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                match name.as_str() {
                    "self" => self.self_type().cloned(),
                    name => self
                        .locals
                        .get(name)
                        .cloned()
                        .or_else(|| self.unit(&path.path)),
                }
            }
            Expr::Field(field) => self.field(&self.type_of(&field.base)?, &field.member),
            Expr::Reference(inner) => self.type_of(&inner.expr),
            Expr::Paren(inner) => self.type_of(&inner.expr),
            Expr::Unary(inner) => self.type_of(&inner.expr),
            Expr::MethodCall(call) if call.args.is_empty() => {
                let keeps = ["clone", "to_owned", "as_ref", "as_mut"]
                    .iter()
                    .any(|name| call.method == name);
                self.type_of(&call.receiver).filter(|_| keeps)
            }
            Expr::Struct(literal) if literal.path.is_ident("Self") => self.self_type().cloned(),
            Expr::Struct(literal) => {
                let ty = named_by(&literal.path);
                Some(self.names.typed(self.scope, &ty))
            }
            // `Gate::new(..)` gives a `Gate`, more often than not.
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else {
                    return None;
                };
                let mut owner = path.path.clone();
                let last = owner.segments.pop()?;
                owner.segments.pop_punct();
                let name = owner.segments.last()?.ident.to_string();
                let makes = last.ident == "new" && name.starts_with(char::is_uppercase);
                match name == "Self" {
                    _ if !makes => None,
                    true => self.self_type().cloned(),
                    false => Some(self.names.typed(self.scope, &named_by(&owner))),
                }
            }
            _ => None,
        }
    }

    /// `Gate`, a struct without fields.
    fn unit(&self, path: &syn::Path) -> Option<Typed> {
        let known = self.names.typed(self.scope, &named_by(path));
        known.declared.is_some().then_some(known)
    }

    fn field(&self, owner: &Typed, member: &syn::Member) -> Option<Typed> {
        let name = name_of(&owner.ty)?;
        let is_meant = |known: &&&TypeItem| match &owner.declared {
            Some(declared) => {
                let here = (known.scope, known.name.to_string());
                self.names.is_one(&here, declared)
            }
            None => true,
        };
        let mut found = self.names.types(&name).iter().filter(is_meant);
        let known = found.next()?;
        // Two types of one name: which is meant is not known.
        if found.any(|other| other.range != known.range) {
            return None;
        }
        let syn::Item::Struct(item) = &known.item else {
            return None;
        };
        let mut fields = item.fields.iter().enumerate();
        let field = fields.find(|(place, field)| match member {
            syn::Member::Named(name) => field.ident.as_ref() == Some(name),
            syn::Member::Unnamed(index) => index.index as usize == *place,
        });
        field.map(|(_, field)| self.names.typed(known.scope, &field.ty))
    }

    /// The traits that bound a type parameter, or are in a `dyn` or `impl`.
    pub(super) fn bounds(&self, ty: &Type) -> Vec<Typed> {
        let bounds = match bare(ty) {
            Type::TraitObject(object) => object.bounds.iter().collect(),
            Type::ImplTrait(object) => object.bounds.iter().collect(),
            Type::Path(path) => self.bounds_of(path),
            _ => Vec::new(),
        };
        let of_trait = |bound: &syn::TypeParamBound| match bound {
            syn::TypeParamBound::Trait(of) => {
                Some(self.names.typed(self.function.scope, &named_by(&of.path)))
            }
            _ => None,
        };
        bounds.into_iter().filter_map(of_trait).collect()
    }

    fn bounds_of(&self, path: &syn::TypePath) -> Vec<&'a syn::TypeParamBound> {
        let generics = &self.function.sig.generics;
        let Some(name) = path.path.get_ident() else {
            return Vec::new();
        };
        let params = generics.type_params().filter(|param| param.ident == *name);
        let mut bounds: Vec<_> = params.flat_map(|param| &param.bounds).collect();
        let predicates = generics
            .where_clause
            .iter()
            .flat_map(|clause| &clause.predicates);
        for predicate in predicates {
            if let syn::WherePredicate::Type(predicate) = predicate
                && name_of(&predicate.bounded_ty).is_some_and(|bounded| *name == bounded)
            {
                bounds.extend(&predicate.bounds);
            }
        }
        bounds
    }
}

/// What a pattern binds.
pub(crate) fn names(pat: &syn::Pat) -> Vec<String> {
    struct Names(Vec<String>);
    impl<'ast> syn::visit::Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.0.push(pat.ident.to_string());
            syn::visit::visit_pat_ident(self, pat);
        }
    }
    let mut found = Names(Vec::new());
    syn::visit::Visit::visit_pat(&mut found, pat);
    found.0
}

/// `RequestContext<RoleServer>`, `Peer<RoleServer>`, `Cx`, a reference to or an `Option` or `Arc` of one.
pub(crate) fn handle_type(ty: &Type) -> Option<Handle> {
    match ty {
        Type::Reference(inner) => handle_type(&inner.elem),
        Type::Paren(inner) => handle_type(&inner.elem),
        Type::Group(inner) => handle_type(&inner.elem),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            match (last.ident.to_string().as_str(), types_in(last)) {
                ("ClientSink", _) => Some(Handle::Peer),
                ("Cx", types) if types.is_empty() => Some(Handle::Cx),
                ("RequestContext" | "Peer", types) => {
                    let serves = types
                        .iter()
                        .any(|ty| name_of(ty).is_some_and(|name| name == "RoleServer"));
                    serves.then_some(Handle::Peer)
                }
                ("Option" | "Arc", types) => types.into_iter().find_map(handle_type),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether a method of the handle, or of an `Option` of it, sends any request at all, or gives the handle to who calls it.
pub(super) fn hands_on(method: &str) -> bool {
    const REQUESTS: &[&str] = &[
        "send_request",
        "send_cancellable_request",
        "send_request_with_option",
    ];
    const OF_ANYTHING: &[&str] = &["borrow", "borrow_mut", "into", "as_deref"];
    const OF_OPTIONS: &[&str] = &[
        "and_then",
        "as_mut",
        "cloned",
        "expect",
        "filter",
        "get_or_insert",
        "insert",
        "inspect",
        "into_iter",
        "is_none_or",
        "is_some_and",
        "iter",
        "map",
        "map_or",
        "map_or_else",
        "ok_or",
        "ok_or_else",
        "or",
        "or_else",
        "replace",
        "take",
        "unwrap",
        "unwrap_or",
        "unwrap_or_else",
        "zip",
    ];
    [REQUESTS, OF_ANYTHING, OF_OPTIONS]
        .iter()
        .any(|methods| methods.contains(&method))
}

fn types_in(segment: &syn::PathSegment) -> Vec<&Type> {
    let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return Vec::new();
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}

/// The type, or the trait, of a path. Traits have paths that no type has: `FnOnce(u8) -> bool`.
pub(super) fn named_by(path: &syn::Path) -> Type {
    Type::Path(syn::TypePath {
        attrs: Vec::new(),
        qself: None,
        path: path.clone(),
    })
}

/// What a method is looked up on: without references and pointers to it.
pub(super) fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Reference(inner) => bare(&inner.elem),
        Type::Paren(inner) => bare(&inner.elem),
        Type::Group(inner) => bare(&inner.elem),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else {
                return ty;
            };
            let points = ["Arc", "Rc", "Box"].iter().any(|name| last.ident == name);
            match &types_in(last)[..] {
                [inner] if points => bare(inner),
                _ => ty,
            }
        }
        _ => ty,
    }
}

/// The last segment of a type's path.
pub(crate) fn name_of(ty: &Type) -> Option<String> {
    match bare(ty) {
        Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        _ => None,
    }
}
