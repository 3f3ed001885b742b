//! `#[cfg(..)]` inside of a body and on parameters: which code is there is known to rustc alone.
//!
//! It is asked one predicate at a time: the function is given back twice, with the code that is there
//! where the predicate holds, and with the code that is there where it does not. rustc leaves one of the
//! two, with `#[saga]` above it again.
//!
//! ```text
//! #[saga] fn f() { #[cfg(p)] a(); }   →   #[cfg(p)] #[saga] fn f() { a(); }   #[cfg(not(p))] #[saga] fn f() { }
//! ```

use proc_macro2::TokenStream;

use quote::{ToTokens, quote};

use syn::{
    Attribute, Expr, FnArg, ImplItemFn, Meta, Pat, Stmt, Token,
    punctuated::Punctuated,
    visit::Visit,
    visit_mut::{self, VisitMut},
};

use crate::ast::macros::{Argument, arguments, is_known};

/// The function for each value of the first predicate in its parameters and its body; `None` where there is none.
pub(crate) fn resolved(attribute: &TokenStream, item: &ImplItemFn) -> Option<TokenStream> {
    let predicate = first_predicate(item)?;
    let of = |holds: bool| {
        let mut item = item.clone();
        let predicate = predicate.to_string();
        let mut resolve = Resolve { predicate, holds };
        resolve.inputs(&mut item.sig.inputs);
        resolve.visit_block_mut(&mut item.block);
        item
    };
    let (there, not_there) = (of(true), of(false));
    let again = match attribute.is_empty() {
        true => quote!(#[::saga_runtime::saga]),
        false => quote!(#[::saga_runtime::saga(#attribute)]),
    };
    Some(quote! {
        #[cfg(#predicate)]
        #again
        #there
        #[cfg(not(#predicate))]
        #again
        #not_there
    })
}

/// What `#[cfg(..)]` or `#[cfg_attr(.., ..)]` asks.
fn predicate(attribute: &Attribute) -> Option<TokenStream> {
    let Meta::List(list) = &attribute.meta else {
        return None;
    };
    if list.path.is_ident("cfg") {
        return Some(list.tokens.clone());
    }
    if !list.path.is_ident("cfg_attr") {
        return None;
    }
    let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    parts.ok()?.first().map(ToTokens::to_token_stream)
}

fn first_predicate(item: &ImplItemFn) -> Option<TokenStream> {
    struct Finder(Option<TokenStream>);
    impl<'ast> Visit<'ast> for Finder {
        fn visit_attribute(&mut self, attribute: &'ast Attribute) {
            if self.0.is_none() {
                self.0 = predicate(attribute);
            }
        }

        // Items stay as they are, and rustc configures them.
        fn visit_item(&mut self, _: &'ast syn::Item) {}

        // Arguments that ask are taken out of a macro, so that it sees no attribute of theirs any more; and what others declare counts.
        fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
            for argument in asking(invocation).iter().flatten() {
                self.visit_expr(&argument.value);
            }
        }
    }
    let mut finder = Finder(None);
    item.sig
        .inputs
        .iter()
        .for_each(|input| finder.visit_fn_arg(input));
    finder.visit_block(&item.block);
    finder.0
}

/// The arguments of a macro that are looked into: of a known one, and those in which something is awaited.
fn asking(invocation: &syn::Macro) -> Option<Punctuated<Argument, Token![,]>> {
    let tokens = invocation.tokens.to_string();
    let is_read = || tokens.contains("await") || is_known(invocation);
    (tokens.contains("cfg") && is_read()).then(|| arguments(invocation))?
}

/// Keeps what is there.
struct Resolve {
    predicate: String,
    holds: bool,
}

impl Resolve {
    /// Whether what has these attributes is there; they lose what is answered.
    fn keeps(&self, attributes: &mut Vec<Attribute>) -> bool {
        let mut kept = true;
        let mut rest = Vec::new();
        for attribute in std::mem::take(attributes) {
            let asked = predicate(&attribute).map(|predicate| predicate.to_string());
            if asked.as_ref() != Some(&self.predicate) {
                rest.push(attribute);
            } else if attribute.path().is_ident("cfg") {
                kept &= self.holds;
            } else if self.holds {
                rest.extend(others(&attribute));
            }
        }
        *attributes = rest;
        kept
    }

    fn keeps_expr(&self, expr: &mut Expr) -> bool {
        attributes(expr).is_none_or(|attributes| self.keeps(attributes))
    }

    fn inputs(&self, inputs: &mut Punctuated<FnArg, Token![,]>) {
        let all = std::mem::take(inputs).into_iter();
        let keeps = |mut input: FnArg| {
            let kept = match &mut input {
                FnArg::Receiver(receiver) => self.keeps(&mut receiver.attrs),
                FnArg::Typed(typed) => self.keeps(&mut typed.attrs),
            };
            kept.then_some(input)
        };
        *inputs = all.filter_map(keeps).collect();
    }

    fn exprs(&self, exprs: &mut Punctuated<Expr, Token![,]>) {
        let all = std::mem::take(exprs).into_iter();
        *exprs = all
            .filter_map(|mut expr| self.keeps_expr(&mut expr).then_some(expr))
            .collect();
    }
}

/// What `#[cfg_attr(p, a, b)]` stands for.
fn others(attribute: &Attribute) -> Vec<Attribute> {
    let parts = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    let parts = parts.into_iter().flatten().skip(1);
    parts.map(|meta| syn::parse_quote!(#[#meta])).collect()
}

/// The attributes of an expression; those of a statement are on what stands first in it.
pub(crate) fn attributes(expr: &mut Expr) -> Option<&mut Vec<Attribute>> {
    macro_rules! of {
        ($($kind:ident)*) => {
            match expr {
                Expr::Assign(inner) => attributes(&mut inner.left),
                Expr::Binary(inner) => attributes(&mut inner.left),
                Expr::Cast(inner) => attributes(&mut inner.expr),
                $(Expr::$kind(inner) => Some(&mut inner.attrs),)*
                _ => None,
            }
        };
    }
    of! {
        Array Async Await Block Break Call Closure Const Continue Field ForLoop Group If Index Infer Let Lit
        Loop Macro Match MethodCall Paren Path Range RawAddr Reference Repeat Return Struct Try TryBlock Tuple
        Unary Unsafe While Yield
    }
}

impl VisitMut for Resolve {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        block.stmts.retain_mut(|stmt| match stmt {
            Stmt::Local(local) => self.keeps(&mut local.attrs),
            Stmt::Macro(stmt) => self.keeps(&mut stmt.attrs),
            Stmt::Expr(expr, _) => self.keeps_expr(expr),
            Stmt::Item(_) => true,
        });
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Match(matched) => matched.arms.retain_mut(|arm| self.keeps(&mut arm.attrs)),
            Expr::Struct(literal) => {
                let fields = std::mem::take(&mut literal.fields).into_iter();
                literal.fields = fields
                    .filter_map(|mut field| self.keeps(&mut field.attrs).then_some(field))
                    .collect();
                // syn would print `port: 1 ..base`, which is a range.
                if literal.dot2_token.is_some() && !literal.fields.empty_or_trailing() {
                    literal.fields.push_punct(Default::default());
                }
            }
            Expr::Array(array) => self.exprs(&mut array.elems),
            Expr::Tuple(tuple) => self.exprs(&mut tuple.elems),
            Expr::Closure(closure) => {
                let inputs = std::mem::take(&mut closure.inputs).into_iter();
                let keeps = |mut pat: Pat| match attributes_of(&mut pat) {
                    Some(attributes) => self.keeps(attributes).then_some(pat),
                    None => Some(pat),
                };
                closure.inputs = inputs.filter_map(keeps).collect();
            }
            Expr::Call(call) => self.exprs(&mut call.args),
            Expr::MethodCall(call) => self.exprs(&mut call.args),
            _ => {}
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_pat_struct_mut(&mut self, pat: &mut syn::PatStruct) {
        let fields = std::mem::take(&mut pat.fields).into_iter();
        pat.fields = fields
            .filter_map(|mut field| self.keeps(&mut field.attrs).then_some(field))
            .collect();
        visit_mut::visit_pat_struct_mut(self, pat);
    }

    /// What is left stands where an attribute changes nothing but lints.
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        self.keeps(attributes);
    }

    fn visit_macro_mut(&mut self, invocation: &mut syn::Macro) {
        if let Some(all) = asking(invocation) {
            let kept = all.into_iter().filter_map(|mut argument| {
                let kept = self.keeps_expr(&mut argument.value);
                self.visit_expr_mut(&mut argument.value);
                kept.then_some(argument)
            });
            let kept: Punctuated<Argument, Token![,]> = kept.collect();
            invocation.tokens = kept.into_token_stream();
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

fn attributes_of(pat: &mut Pat) -> Option<&mut Vec<Attribute>> {
    match pat {
        Pat::Ident(pat) => Some(&mut pat.attrs),
        Pat::Type(pat) => Some(&mut pat.attrs),
        Pat::Tuple(pat) => Some(&mut pat.attrs),
        Pat::Struct(pat) => Some(&mut pat.attrs),
        Pat::Reference(pat) => Some(&mut pat.attrs),
        Pat::Wild(pat) => Some(&mut pat.attrs),
        _ => None,
    }
}
