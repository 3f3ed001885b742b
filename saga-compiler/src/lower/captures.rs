//! What a call has read before what it may change, and reads again where it is made again: what its closures have copied, and a
//! receiver that its method takes by value.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::{
    Expr, ExprClosure,
    spanned::Spanned,
    visit_mut::{self, VisitMut},
};

use super::{Lower, suspend::copy_of};

use crate::ast::{
    calls::{closure_in, strip_parentheses},
    changed::{Changes, changed_in, touched_in},
    rename::rename,
    uses::{Uses, root_name},
};

/// What a call's operands may change, of each.
pub(super) struct Touched {
    of: Vec<Changes>,
    /// What is assigned, or lent to be changed: no method that borrows its receiver lets that be.
    changed: Vec<Changes>,
    /// A receiver is lent when the operands have been evaluated, and may be lent to be changed.
    receiver: Option<String>,
}

/// How a receiver waits for the arguments.
pub(super) enum Receiver {
    Place,
    /// It was read.
    Kept,
    /// It is borrowed, by this name.
    Held(Ident),
}

impl Touched {
    /// `is_method` where the first of the operands is a receiver.
    pub(super) fn by(operands: &[&mut Expr], is_method: bool) -> Self {
        let receiver = operands.first().filter(|_| is_method);
        Self {
            of: operands.iter().map(|operand| touched_in(operand)).collect(),
            changed: operands.iter().map(|operand| changed_in(operand)).collect(),
            receiver: receiver.and_then(|receiver| root_name(receiver)),
        }
    }

    /// Whether an operand behind this one may change a variable.
    pub(super) fn later(&self, index: usize, name: &str) -> bool {
        self.of
            .iter()
            .skip(index + 1)
            .any(|touched| touched.contains(name))
    }

    /// Whether another operand than this one may.
    pub(super) fn elsewhere(&self, index: usize, name: &str) -> bool {
        let mut others = self.of.iter().enumerate().filter(|(of, _)| *of != index);
        others.any(|(_, touched)| touched.contains(name))
    }

    /// Whether what a closure in this operand has copied may be changed while the call has it.
    fn copied(&self, index: usize, is_closure: bool, name: &str) -> bool {
        let within = || !is_closure && self.of.get(index).is_some_and(|own| own.contains(name));
        let receives = || index > 0 && self.receiver.as_deref() == Some(name);
        self.later(index, name) || within() || receives()
    }
}

impl Lower<'_> {
    /// Reads a receiver here, where plain Rust does, where an argument may change it: a method takes it by value then. What
    /// an argument calls a method of is borrowed meanwhile, so that rustc says whether that changes it.
    ///
    /// ```text
    /// count.show(&cx, { count += 1; 2 }).await   →   let kept = count; … kept.show(&cx, argument)
    /// count.show(&cx, count.digits()).await      →   let held = &count; let argument = count.digits(); drop(held); …
    /// ```
    pub(super) fn keep_receiver(&mut self, receiver: &mut Expr, touched: &Touched) -> Receiver {
        let is_place = matches!(
            strip_parentheses(receiver),
            Expr::Path(_) | Expr::Field(_) | Expr::Index(_)
        );
        let Some(root) = root_name(receiver).filter(|_| is_place) else {
            return Receiver::Place;
        };
        let concerns = |all: &[Changes]| {
            let mut later = all.iter().skip(1);
            later.any(|changes| changes.concern(receiver, [root.clone()]))
        };
        if !self.is_changeable(&root) || self.lookup(&root).is_none() {
            return Receiver::Place;
        }
        if concerns(&touched.changed) {
            let kept = self.spill(receiver.clone());
            *receiver = copy_of(&kept);
            return Receiver::Kept;
        }
        if !concerns(&touched.of) {
            return Receiver::Place;
        }
        let span = receiver.span().resolved_at(Span::call_site());
        let held = format_ident!("__saga_held_{}", self.vars.len(), span = span);
        self.opaque(syn::parse_quote_spanned!(span=> let #held = &#receiver;));
        Receiver::Held(held)
    }

    /// The end of that.
    pub(super) fn let_go(&mut self, receiver: &Receiver) {
        if let Receiver::Held(held) = receiver {
            self.opaque(syn::parse_quote!(::core::mem::drop(#held);));
        }
    }

    /// Keeps what a `move` closure copies: where the call is made again, the closure is made again, of the same.
    ///
    /// ```text
    /// grow(&cx, move || size * 2, &mut size).await   →   let copied = size; grow(&cx, move || copied * 2, &mut size).await
    /// ```
    pub(super) fn keep_copied(&mut self, operand: &mut Expr, index: usize, touched: &Touched) {
        let is_closure = closure_in(operand).is_some();
        let mut read = HashSet::new();
        let mut reads = |closure: &mut ExprClosure| {
            let closure = Expr::Closure(closure.clone());
            read.extend(Uses::of_expr(&closure).reads.into_keys());
        };
        Closures(&mut reads).visit_expr_mut(operand);
        let mut copied: Vec<_> = read
            .into_iter()
            .filter(|name| touched.copied(index, is_closure, name) && self.is_changeable(name))
            .filter(|name| self.lookup(name).is_some())
            .collect();
        copied.sort_unstable();
        let mut names = HashMap::new();
        for name in copied {
            let variable = format_ident!("{name}");
            let kept = self.spill(copy_of(&syn::parse_quote!(#variable)));
            if let Expr::Path(path) = strip_parentheses(&kept)
                && let Some(kept) = path.path.get_ident()
            {
                names.insert(name, kept.clone());
            }
        }
        if names.is_empty() {
            return;
        }
        let mut renamed = |closure: &mut ExprClosure| rename(&mut closure.body, &names);
        Closures(&mut renamed).visit_expr_mut(operand);
    }
}

/// The closures in an expression that take what they capture, without those in others.
struct Closures<'a>(&'a mut dyn FnMut(&mut ExprClosure));

impl VisitMut for Closures<'_> {
    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        if closure.capture.is_some() {
            (self.0)(closure);
        }
    }

    fn visit_expr_async_mut(&mut self, _: &mut syn::ExprAsync) {}

    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        if matches!(item, syn::Item::Macro(_)) {
            visit_mut::visit_item_mut(self, item);
        }
    }
}
