//! Async blocks that ask where a call may stand: functions of their own, whose parameters are what they capture.
//!
//! ```text
//! join!(async { list.len(); ask }, call)   →   join!(block_0(&list), call)
//! ```
//! They have no signature that could be written down: types are what is captured. What is written in the end is the block itself.

mod captures;
mod free;

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::{
    Expr, ExprAsync, ExprCall, FnArg, ImplItemFn, Signature, Stmt, spanned::Spanned, visit::Visit,
};

use super::{
    asks::{Handles, joins_all},
    fingerprint::fingerprint,
    function::{Input, Kind},
    gathered,
    given::prove,
    inner_imports,
};
use crate::ast::{
    calls::{is_box_pin, nested_name, strip_parentheses, strip_parentheses_mut},
    patterns::pattern_bindings,
    tokens::token_names,
};

use captures::{Capture, captured, through};

/// A block that is continued as a function is.
pub(crate) struct Nested {
    /// What is called in its place.
    pub(crate) name: Ident,
    pub(crate) input: Input,
}

/// What is taken out of a function.
pub(crate) struct TakenOut {
    sig: Signature,
    /// All names of the function's variables.
    variables: BTreeSet<String>,
    /// Those that are declared `mut` anywhere.
    mutable: BTreeSet<String>,
    blocks: Vec<(Ident, ImplItemFn)>,
}

impl TakenOut {
    pub(crate) fn of(item: &ImplItemFn) -> Self {
        struct Names(BTreeSet<String>, BTreeSet<String>);
        impl<'ast> Visit<'ast> for Names {
            fn visit_pat(&mut self, pat: &'ast syn::Pat) {
                for binding in pattern_bindings(pat) {
                    self.0.insert(binding.ident.to_string());
                    if binding.is_mutable() {
                        self.1.insert(binding.ident.to_string());
                    }
                }
                syn::visit::visit_pat(self, pat);
            }
        }
        let mut names = Names(BTreeSet::new(), BTreeSet::new());
        names.visit_impl_item_fn(item);
        Self {
            sig: item.sig.clone(),
            variables: names.0,
            mutable: names.1,
            blocks: Vec::new(),
        }
    }

    /// Takes out the blocks that futures are which are awaited together, where those ask and what they capture can be given to them.
    pub(crate) fn futures<'e>(
        &mut self,
        futures: impl IntoIterator<Item = &'e mut Expr>,
        handles: &Handles,
    ) {
        let mut futures: Vec<_> = futures.into_iter().collect();
        let named: Vec<BTreeSet<String>> = futures.iter().map(|future| names_in(future)).collect();
        for (at, future) in futures.iter_mut().enumerate() {
            let beside = named.iter().enumerate().filter(|(other, _)| *other != at);
            let beside = beside.flat_map(|(_, names)| names).cloned().collect();
            self.future(future, &beside, handles);
        }
    }

    /// The same of the future under a limit, and of what the closure in a `join_all(items.map(closure))` ends with. Gives the function
    /// that awaits a list there.
    pub(crate) fn in_call(&mut self, call: &mut ExprCall, handles: &Handles) -> Option<syn::Path> {
        if joins_all(call).is_some() && call.args.len() == 1 {
            if let Some(Expr::MethodCall(map)) = call.args.first_mut().map(strip_parentheses_mut)
                && map.method == "map"
                && let Some(Expr::Closure(closure)) = map.args.first_mut()
                && let Some(future) = end_of(&mut closure.body)
            {
                self.future(future, &BTreeSet::new(), handles);
            }
            return None;
        }
        let future = under_limit(call)?;
        let (before, mut by) = (future.clone(), None);
        if let Some((given, function)) = gathered::of_list(future, handles, self) {
            by = Some(function);
            *future = syn::parse_quote!(async { #given });
        } else if handles.join(future).is_some() || handles.limited_call(future).is_some() {
            *future = awaited_in_a_block(future);
        }
        self.future(future, &BTreeSet::new(), handles);
        if block_of(future).is_some() {
            *future = before;
            return None;
        }
        by
    }

    fn future(&mut self, future: &mut Expr, beside: &BTreeSet<String>, handles: &Handles) {
        let Some(block) = block_of(future) else {
            return;
        };
        if !handles.suspends_in(&block.block) {
            return;
        }
        let Some(captures) = self.captures(block, beside, handles) else {
            return;
        };
        let span = block.async_token.span.resolved_at(Span::call_site());
        let code = fingerprint(&self.sig, &block.block);
        let name = nested_name(&self.sig.ident, self.blocks.len(), code, span);
        let given = captures.iter().map(Capture::given);
        let call = syn::parse_quote_spanned!(span=> #name(#(#given),*));
        let item = self.function(&name, block, &captures, handles);
        self.blocks.push((name, item));
        *future = call;
    }

    fn captures(
        &self,
        block: &ExprAsync,
        beside: &BTreeSet<String>,
        handles: &Handles,
    ) -> Option<Vec<Capture>> {
        let captures = captured(block, &self.variables, &self.mutable, beside, handles)?;
        let of_self = captures.iter().any(|capture| capture.name == "self");
        let is_shared = self.sig.receiver().is_some_and(|own| {
            matches!(&own.kind, syn::ReceiverKind::Reference(_, _, mutability) if mutability.is_none())
        });
        // Another receiver would be taken away from what is behind it, or of two blocks each would have it.
        if of_self && !is_shared {
            return None;
        }
        let given = captures
            .into_iter()
            .filter(|capture| capture.name != "self");
        Some(given.map(|capture| self.typed(capture)).collect())
    }

    /// With the type of the parameter that it is, where it is one.
    fn typed(&self, mut capture: Capture) -> Capture {
        let params = self.sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(param) => Some(param),
            FnArg::Receiver(_) => None,
        });
        let mut named = params.filter(
            |param| matches!(&*param.pat, syn::Pat::Ident(name) if capture.name == name.ident),
        );
        if let Some(param) = named.next() {
            capture.typed(&param.ty);
        }
        capture
    }

    fn function(
        &self,
        name: &Ident,
        block: &ExprAsync,
        captures: &[Capture],
        handles: &Handles,
    ) -> ImplItemFn {
        let params = captures.iter().map(Capture::param);
        let own = self.sig.receiver();
        let generics = &self.sig.generics;
        let mut sig: Signature = match own {
            Some(own) => syn::parse_quote!(async fn #name(#own, #(#params),*)),
            None => syn::parse_quote!(async fn #name(#(#params),*)),
        };
        sig.generics = generics.clone();
        let mut body = block.block.clone();
        through(&mut body, captures, handles);
        ImplItemFn {
            attrs: Vec::new(),
            vis: syn::Visibility::Inherited,
            modifiers: Default::default(),
            sig,
            block: body,
        }
    }

    /// The functions that were taken out, each as the whole is read.
    pub(crate) fn inputs(self, handles: &Handles) -> Vec<Nested> {
        let all = self.blocks.into_iter().map(|(name, mut item)| {
            let fingerprint = fingerprint(&item.sig, &item.block);
            let mut macros = Vec::new();
            inner_imports::leave(&mut item.block, &mut macros);
            prove(&mut item.block, &item.sig, handles);
            let input = Input {
                item,
                kind: Kind::Helper,
                handles: handles.clone(),
                fingerprint,
                shown: false,
                once: false,
                resume_token: false,
                task: None,
                boxed: None,
                receiver: None,
                macros,
                runtime: None,
                accepts: Vec::new(),
                told: None,
                nested: Vec::new(),
            };
            Nested { name, input }
        });
        all.collect()
    }
}

/// The async block that a future is, without a box around it.
fn block_of(future: &Expr) -> Option<&ExprAsync> {
    match strip_parentheses(future) {
        Expr::Async(block) => Some(block),
        Expr::MethodCall(call)
            if call.args.is_empty() && (call.method == "boxed" || call.method == "boxed_local") =>
        {
            block_of(&call.receiver)
        }
        Expr::Call(call) if is_box_pin(&call.func) && call.args.len() == 1 => {
            block_of(call.args.first()?)
        }
        _ => None,
    }
}

/// What a closure's body gives.
fn end_of(body: &mut Expr) -> Option<&mut Expr> {
    let Expr::Block(block) = body else {
        return Some(body);
    };
    match block.block.stmts.last_mut()? {
        Stmt::Expr(end, None) if block.label.is_none() => Some(end),
        _ => None,
    }
}

/// ```text
/// timeout(limit, call)   →   async { timeout(limit, call).await }
/// ```
fn awaited_in_a_block(future: &Expr) -> Expr {
    syn::parse_quote_spanned!(future.span()=> async { #future.await })
}

/// The second of what `timeout` or `timeout_at` is given.
fn under_limit(call: &mut ExprCall) -> Option<&mut Expr> {
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    let last = &path.path.segments.last()?.ident;
    let limits = (last == "timeout" || last == "timeout_at") && call.args.len() == 2;
    limits.then(|| call.args.last_mut()).flatten()
}

fn names_in(code: &Expr) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    token_names(code.to_token_stream(), &mut |name| {
        names.insert(name.to_owned());
    });
    names
}
