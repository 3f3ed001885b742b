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
    calls::{is_box_pin, is_boxing, nested_name, strip_parentheses, strip_parentheses_mut},
    macros::is_known,
    patterns::pattern_bindings,
    tokens::leads_out,
    uses::Uses,
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
    /// Those of which there are several.
    hidden: BTreeSet<String>,
    blocks: Vec<(Ident, ImplItemFn)>,
}

impl TakenOut {
    pub(crate) fn of(item: &ImplItemFn) -> Self {
        let mut taken_out = Self {
            sig: item.sig.clone(),
            variables: BTreeSet::new(),
            mutable: BTreeSet::new(),
            hidden: BTreeSet::new(),
            blocks: Vec::new(),
        };
        taken_out.visit_impl_item_fn(item);
        taken_out
    }

    /// Notes what is declared in a macro's arguments.
    pub(crate) fn note(&mut self, argument: &Expr) {
        self.visit_expr(argument);
    }

    /// The same of what a pattern there binds.
    pub(crate) fn note_bound(&mut self, pat: &syn::Pat) {
        self.visit_pat(pat);
    }

    /// Takes out the blocks that futures are which are awaited together, where those ask and what they capture can be given to them.
    pub(crate) fn futures<'e>(
        &mut self,
        futures: impl IntoIterator<Item = &'e mut Expr>,
        handles: &Handles,
    ) {
        let mut futures: Vec<_> = futures.into_iter().collect();
        if !futures.iter().any(|future| block_of(future).is_some()) {
            return;
        }
        let named: Vec<BTreeSet<String>> = futures.iter().map(|future| names_in(future)).collect();
        for (at, future) in futures.iter_mut().enumerate() {
            let beside = named.iter().enumerate().filter(|(other, _)| *other != at);
            let beside = beside.flat_map(|(_, names)| names).cloned().collect();
            self.future(future, &beside, &BTreeSet::new(), handles);
        }
    }

    /// The same of the future under a limit, and of what the closure in a `join_all(items.map(closure))` ends with. Gives the function
    /// that awaits a list there.
    pub(crate) fn in_call(&mut self, call: &mut ExprCall, handles: &Handles) -> Option<syn::Path> {
        if joins_all(call).is_some() && call.args.len() == 1 {
            if let Some(Expr::MethodCall(map)) = call.args.first_mut().map(strip_parentheses_mut)
                && map.method == "map"
                && let Some(Expr::Closure(closure)) = map.args.first_mut()
            {
                let bound = closure.inputs.iter().flat_map(pattern_bindings);
                let bound = bound.map(|binding| binding.ident.to_string()).collect();
                if let Some(future) = end_of(&mut closure.body) {
                    self.future(future, &BTreeSet::new(), &bound, handles);
                }
            }
            return None;
        }
        let future = under_limit(call)?;
        let (before, mut by) = (future.clone(), None);
        // In a block a way out would lead out of that, and what is waited for would count as its time.
        if is_one_piece(future) {
            if let Some((given, function)) = gathered::of_list(future, handles, self) {
                by = Some(function);
                *future = syn::parse_quote!(async { #given });
            } else if handles.join(future).is_some() || handles.limited_call(future).is_some() {
                *future = awaited_in_a_block(future);
            }
        }
        let none = BTreeSet::new();
        self.future(future, &none, &none, handles);
        if block_of(future).is_some() {
            *future = before;
            return None;
        }
        by
    }

    /// Takes out one, with the names that others beside it use, and those that the closure around it binds.
    fn future(
        &mut self,
        future: &mut Expr,
        beside: &BTreeSet<String>,
        of_closure: &BTreeSet<String>,
        handles: &Handles,
    ) {
        let Some(block) = block_of(future) else {
            return;
        };
        if !handles.suspends_in(&block.block) {
            return;
        }
        let Some(captures) = self.captures(block, beside, of_closure, handles) else {
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
        of_closure: &BTreeSet<String>,
        handles: &Handles,
    ) -> Option<Vec<Capture>> {
        let names = (&self.variables, &self.mutable);
        let captures = captured(block, names, beside, of_closure, handles)?;
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
        // Another variable may have its name.
        if let Some(param) = named.next()
            && !self.hidden.contains(&capture.name.to_string())
        {
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
        Expr::MethodCall(call) if is_boxing(call) => block_of(&call.receiver),
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

/// The words of what leads out, or waits.
const WAYS: &[&str] = &["await", "return", "break", "continue"];

/// Whether nothing of a future is waited for, or leads out, where it is made.
fn is_one_piece(future: &Expr) -> bool {
    struct Leads(bool);
    impl<'ast> Visit<'ast> for Leads {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            match expr {
                Expr::Closure(_) | Expr::Async(_) => {}
                Expr::Await(_)
                | Expr::Try(_)
                | Expr::Return(_)
                | Expr::Break(_)
                | Expr::Continue(_) => self.0 = true,
                other => syn::visit::visit_expr(self, other),
            }
        }

        fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
            // Another may lead out, or wait, out of sight.
            self.0 |= !is_known(invocation) || leads_out(invocation.tokens.clone(), WAYS);
        }
    }
    let mut leads = Leads(false);
    leads.visit_expr(future);
    !leads.0
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

/// The variables of around it that a future uses.
fn names_in(future: &Expr) -> BTreeSet<String> {
    let Uses {
        reads,
        assigns,
        mutates,
        ..
    } = Uses::of_expr(future);
    let names = reads.into_keys().chain(assigns).chain(mutates);
    names.collect()
}

impl<'ast> Visit<'ast> for TakenOut {
    fn visit_pat(&mut self, pat: &'ast syn::Pat) {
        for binding in pattern_bindings(pat) {
            let name = binding.ident.to_string();
            if binding.is_mutable() {
                self.mutable.insert(name.clone());
            }
            if !self.variables.insert(name.clone()) {
                self.hidden.insert(name);
            }
        }
        syn::visit::visit_pat(self, pat);
    }
}
