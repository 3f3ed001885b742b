//! What awaited calls are given that are not known to ask: none of it may be the client's handle, by its type.
//!
//! A variable of the function's own has a witness for that. What is bound inside of a statement, or comes in a parameter, is shown
//! where it is given, and so is `self` where it is asked: in a trait that adds methods to the handle it is the handle.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{
    spanned::Spanned,
    visit::Visit,
    visit_mut::{self, VisitMut},
};

use crate::{
    ast::{
        exits::is_left_or_awaited,
        patterns::pattern_bindings,
        types::{is_handle_type, may_be_handle_type},
    },
    syntax::asks::Handles,
};

/// ```text
/// audit(client).await   →   proven(audit(client), { if false { … client is no handle } }).await
/// ```
pub(crate) fn prove(block: &mut syn::Block, sig: &syn::Signature, handles: &Handles) {
    let mut bound = bound_inside(block);
    bound.extend(unknown_params(sig));
    // Without an ask that is seen, the function is refused in better words.
    let of_self = handles.suspends_in(block);
    if of_self || !bound.is_empty() {
        Prove {
            handles,
            bound,
            of_self,
        }
        .visit_block_mut(block);
    }
}

/// Parameters whose types may be the handle's by another name.
fn unknown_params(sig: &syn::Signature) -> impl Iterator<Item = String> {
    let typed = sig.inputs.iter().filter_map(|param| match param {
        syn::FnArg::Typed(param) => Some(param),
        syn::FnArg::Receiver(_) => None,
    });
    let unknown = typed.filter(|param| !is_handle_type(&param.ty) && may_be_handle_type(&param.ty));
    unknown.flat_map(|param| pattern_bindings(&param.pat).map(|binding| binding.ident.to_string()))
}

/// What is bound anywhere but in a statement of the function's own block.
fn bound_inside(block: &syn::Block) -> HashSet<String> {
    struct Bound(HashSet<String>);
    impl<'ast> Visit<'ast> for Bound {
        fn visit_pat(&mut self, pat: &'ast syn::Pat) {
            let bindings = pattern_bindings(pat);
            self.0
                .extend(bindings.map(|binding| binding.ident.to_string()));
        }

        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut bound = Bound(HashSet::new());
    for stmt in &block.stmts {
        match stmt {
            syn::Stmt::Local(local) => {
                if let Some(init) = &local.init {
                    bound.visit_local_init(init);
                }
            }
            other => bound.visit_stmt(other),
        }
    }
    bound.0
}

/// Looks at what `given` is, by its type.
fn shown(given: &impl ToTokens, look: &str, span: Span) -> TokenStream {
    let span = span.resolved_at(Span::call_site());
    let look = Ident::new(look, span);
    quote_spanned!(span=> {
        use ::saga_runtime::__private::{GivenHandle as _, GivenOther as _};
        let () = (&&::saga_runtime::__private::Witness::of(&#given)).#look();
    })
}

/// That what a method of the name of an ask is called on is not the handle.
pub(crate) fn own_ask(call: &syn::ExprMethodCall) -> TokenStream {
    shown(&call.receiver, "saga_own_ask", call.method.span())
}

struct Prove<'a> {
    handles: &'a Handles,
    bound: HashSet<String>,
    of_self: bool,
}

impl VisitMut for Prove<'_> {
    fn visit_expr_await_mut(&mut self, awaited: &mut syn::ExprAwait) {
        visit_mut::visit_expr_await_mut(self, awaited);
        if self.handles.suspends(&awaited.base) {
            return;
        }
        let given = self.handles.given_to(&awaited.base).into_iter();
        let given = given.filter(|name| self.bound.contains(&name.to_string()));
        let given = given.map(|name| shown(name, "saga_given", name.span()));
        let asked = self.handles.asked_of_self(&awaited.base);
        let asked = asked
            .filter(|_| self.of_self)
            .map(|(receiver, method)| shown(receiver, "saga_of_self", method.span()));
        let fields = self.handles.fields_given_to(&awaited.base).into_iter();
        let fields = fields.filter(|field| self.of_self && !is_left_or_awaited(field));
        let fields = fields.map(|field| shown(field, "saga_given", field.span()));
        let shown: Vec<_> = given.chain(fields).chain(asked).collect();
        if !shown.is_empty() {
            let call = &awaited.base;
            // Behind the call, which may say the type of what it is given; where nothing is ever reached, nothing is moved either.
            *awaited.base = syn::parse_quote!(::saga_runtime::__private::proven(#call, {
                #[allow(unreachable_code, clippy::diverging_sub_expression)]
                if false {
                    ::saga_runtime::__private::nowhere();
                    #(#shown)*
                }
            }));
        }
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_expr_async_mut(&mut self, _: &mut syn::ExprAsync) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
