//! Functions that return a future instead of being `async`: what `#[async_trait]` makes of a method, and
//! what is written by hand for recursion.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    Block, Expr, FnArg, GenericArgument, Ident, ImplItemFn, PathArguments, ReturnType, Stmt, Type,
    visit::{self, Visit},
};

use crate::{
    ast::{
        calls::{is_box_pin, is_boxing, strip_parentheses},
        patterns::pattern_bindings,
        tokens::mentions,
    },
    errors::Errors,
};

/// The future that a function returns.
pub(crate) struct Boxed {
    /// What the future gives.
    pub(crate) output: Type,
    /// The signature as it was written.
    pub(crate) sig: syn::Signature,
    wrapper: Wrapper,
}

/// What is around the async block.
enum Wrapper {
    Nothing,
    /// `Box::pin`.
    Call(Expr),
    /// `.boxed()` of futures.
    Method(Ident),
}

impl Boxed {
    /// Takes `-> Pin<Box<dyn Future<Output = T>>> { Box::pin(async move { … }) }` apart: what is left is
    /// an `async fn`. What stands before the block goes into it:
    ///
    /// ```text
    /// fn walk(&self) -> impl Future<Output = T> { let repo = self.repo.clone(); async move { … } }
    /// ```
    pub(crate) fn unwrap(item: &mut ImplItemFn, errors: &mut Errors) -> Option<Self> {
        let ReturnType::Type(_, ty) = &item.sig.output else {
            return None;
        };
        let output = output_of(ty)?;
        let (Stmt::Expr(tail, None), before) = item.block.stmts.split_last()? else {
            return None;
        };
        let (wrapper, mut body) = future_of(tail)?;
        for stmt in before.iter().filter(|stmt| !may_be_later(stmt)) {
            errors.refuse(
                stmt,
                "a statement before the `async move` of a function that returns a future",
                "it is done where the function is called, and what is continued begins in the block",
                "the statement in the block, or an `async fn`",
            );
        }
        if let Some(stmt) = before.iter().find(|stmt| outlives(ty, &item.sig, stmt)) {
            errors.refuse(
                stmt,
                "a statement before the `async move` of a future that outlives what the function is given",
                "what is continued begins in the block, which would hold `self` or a reference until then",
                "a lifetime in the type (`BoxFuture<'_, T>`, `Pin<Box<dyn Future<Output = T> + Send + '_>>`), or an `async fn`",
            );
        }
        if !before.is_empty() {
            let has_items = body.stmts.iter().any(|stmt| matches!(stmt, Stmt::Item(_)));
            let inside = std::mem::take(&mut body.stmts);
            body.stmts.extend(before.iter().cloned());
            match has_items {
                // They are not what the statements before mean.
                true => body.stmts.push(syn::parse_quote!({ #(#inside)* })),
                false => body.stmts.extend(inside),
            }
        }
        let boxed = Self {
            output: output.clone(),
            sig: item.sig.clone(),
            wrapper,
        };
        item.sig.asyncness = Some(Default::default());
        item.sig.output = syn::parse_quote!(-> #output);
        item.block = body;
        Some(boxed)
    }

    /// The future around a body.
    pub(crate) fn wrap(&self, body: &TokenStream) -> TokenStream {
        let future = quote!(async move { #body });
        match &self.wrapper {
            Wrapper::Nothing => future,
            Wrapper::Call(wrapper) => quote!(#wrapper(#future)),
            Wrapper::Method(method) => quote!(#future.#method()),
        }
    }
}

/// Whether nobody sees that a statement is done where the future is awaited: it picks what is there, or clones it.
fn may_be_later(stmt: &Stmt) -> bool {
    let Stmt::Local(local) = stmt else {
        return false;
    };
    let picks = |init: &syn::LocalInit| init.diverge.is_none() && is_picked(&init.expr);
    local.init.as_ref().is_some_and(picks)
}

/// ```text
/// self.repo.clone()   Arc::clone(&self.repo)   name.to_owned()   list.first().cloned()
/// ```
fn is_picked(value: &Expr) -> bool {
    const PICKS: &[&str] = &[
        "as_deref",
        "as_ref",
        "as_str",
        "clone",
        "cloned",
        "copied",
        "first",
        "to_owned",
        "to_string",
        "to_vec",
    ];
    match strip_parentheses(value) {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Field(field) => is_picked(&field.base),
        Expr::Reference(lent) => lent.mutability.is_none() && is_picked(&lent.expr),
        Expr::MethodCall(call) => {
            let picks = PICKS.iter().any(|method| call.method == method);
            picks && call.args.is_empty() && is_picked(&call.receiver)
        }
        Expr::Call(call) => clones(&call.func) && call.args.iter().all(is_picked),
        _ => false,
    }
}

/// `Arc::clone`
fn clones(func: &Expr) -> bool {
    let Expr::Path(path) = func else {
        return false;
    };
    let mut last = path.path.segments.iter().rev();
    let of = |name: &Ident| ["Arc", "Clone", "Rc"].iter().any(|known| name == known);
    last.next().is_some_and(|last| last.ident == "clone")
        && last.next().is_some_and(|last| of(&last.ident))
}

/// Whether a future may live longer than a parameter that a statement mentions, as their lifetimes say:
///
/// ```text
/// fn walk(&self) -> BoxFuture<'static, T> { let repo = self.repo.clone(); async move { … } }
/// ```
fn outlives(future: &Type, sig: &syn::Signature, stmt: &Stmt) -> bool {
    let (in_future, _) = lifetimes(|found| found.visit_type(future));
    // That of edition 2024 holds all that it is given.
    if in_future.is_empty() && matches!(future, Type::ImplTrait(_)) {
        return false;
    }
    let ends = |of: &str| !in_future.iter().any(|lifetime| lifetime == of);
    let mentioned = |name: &Ident| mentions(stmt, name) > 0;
    sig.inputs.iter().any(|input| {
        let is_mentioned = match input {
            FnArg::Receiver(own) => mentioned(&Ident::from(own.self_token)),
            FnArg::Typed(param) => {
                let mut bound = pattern_bindings(&param.pat);
                bound.any(|binding| mentioned(&binding.ident))
            }
        };
        let (of_param, is_elided) = lifetimes(|found| found.visit_fn_arg(input));
        is_mentioned && (is_elided && ends("_") || of_param.iter().any(|of| ends(of)))
    })
}

/// The lifetimes that a type says, and whether a reference has none.
fn lifetimes(visit: impl FnOnce(&mut Lifetimes)) -> (Vec<String>, bool) {
    let mut found = Lifetimes::default();
    visit(&mut found);
    (found.said, found.elided)
}

#[derive(Default)]
struct Lifetimes {
    said: Vec<String>,
    elided: bool,
}

impl<'ast> Visit<'ast> for Lifetimes {
    fn visit_lifetime(&mut self, lifetime: &'ast syn::Lifetime) {
        self.said.push(lifetime.ident.to_string());
    }

    fn visit_type_reference(&mut self, lent: &'ast syn::TypeReference) {
        self.elided |= lent.lifetime.is_none();
        visit::visit_type_reference(self, lent);
    }

    fn visit_receiver(&mut self, own: &'ast syn::Receiver) {
        if let syn::ReceiverKind::Reference(_, lifetime, _) = &own.kind {
            self.elided |= lifetime.is_none();
        }
        visit::visit_receiver(self, own);
    }

    // What a future gives is another matter.
    fn visit_assoc_type(&mut self, _: &'ast syn::AssocType) {}
}

/// What rmcp's `#[tool]` makes of an `async fn`.
pub(crate) fn is_expanded_tool(ty: &Type) -> bool {
    let text = ty.to_token_stream().to_string();
    text.starts_with(":: std :: pin :: Pin") && text.contains("Future")
}

fn future_of(tail: &Expr) -> Option<(Wrapper, Block)> {
    match tail {
        Expr::Async(block) if block.capture.is_some() => {
            Some((Wrapper::Nothing, block.block.clone()))
        }
        Expr::Call(call) if is_box_pin(&call.func) => match call.args.first()? {
            Expr::Async(block) => Some((Wrapper::Call((*call.func).clone()), block.block.clone())),
            _ => None,
        },
        Expr::MethodCall(call) if is_boxing(call) => match &*call.receiver {
            Expr::Async(block) => Some((Wrapper::Method(call.method.clone()), block.block.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// The `Output` of `Pin<Box<dyn Future<Output = T>>>`, `BoxFuture<'_, T>` or `impl Future<Output = T>`.
fn output_of(ty: &Type) -> Option<Type> {
    match ty {
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let PathArguments::AngleBracketed(arguments) = &last.arguments else {
                return None;
            };
            let mut types = arguments.args.iter().filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            let inner = types.next()?;
            match last.ident.to_string().as_str() {
                "Pin" | "Box" => output_of(inner),
                "BoxFuture" | "LocalBoxFuture" => Some(inner.clone()),
                _ => None,
            }
        }
        Type::TraitObject(object) => object.bounds.iter().find_map(output_of_bound),
        Type::ImplTrait(object) => object.bounds.iter().find_map(output_of_bound),
        _ => None,
    }
}

fn output_of_bound(bound: &syn::TypeParamBound) -> Option<Type> {
    let syn::TypeParamBound::Trait(bound) = bound else {
        return None;
    };
    let last = bound.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::AssocType(assoc) if assoc.ident == "Output" && last.ident == "Future" => {
            Some(assoc.ty.clone())
        }
        _ => None,
    })
}
