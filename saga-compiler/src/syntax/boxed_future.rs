//! Functions that return a future instead of being `async`: what `#[async_trait]` makes of a method, and
//! what is written by hand for recursion.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Block, Expr, GenericArgument, ImplItemFn, PathArguments, ReturnType, Stmt, Type};

use crate::ast::calls::is_box_pin;

/// The future that a function returns.
pub(crate) struct Boxed {
    /// What the future gives.
    pub(crate) output: Type,
    /// The signature as it was written.
    pub(crate) sig: syn::Signature,
    /// `Box::pin`, where the future is boxed.
    wrapper: Option<Expr>,
}

impl Boxed {
    /// Takes `-> Pin<Box<dyn Future<Output = T>>> { Box::pin(async move { … }) }` apart: what is left is
    /// an `async fn`.
    pub(crate) fn unwrap(item: &mut ImplItemFn) -> Option<Self> {
        let ReturnType::Type(_, ty) = &item.sig.output else {
            return None;
        };
        let output = output_of(ty)?;
        let [Stmt::Expr(tail, None)] = item.block.stmts.as_slice() else {
            return None;
        };
        let (wrapper, body) = future_of(tail)?;
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
            Some(wrapper) => quote!(#wrapper(#future)),
            None => future,
        }
    }
}

/// What rmcp's `#[tool]` makes of an `async fn`.
pub(crate) fn is_expanded_tool(ty: &Type) -> bool {
    let text = ty.to_token_stream().to_string();
    text.starts_with(":: std :: pin :: Pin") && text.contains("Future")
}

fn future_of(tail: &Expr) -> Option<(Option<Expr>, Block)> {
    match tail {
        Expr::Async(block) if block.capture.is_some() => Some((None, block.block.clone())),
        Expr::Call(call) if is_box_pin(&call.func) => match call.args.first()? {
            Expr::Async(block) => Some((Some((*call.func).clone()), block.block.clone())),
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
