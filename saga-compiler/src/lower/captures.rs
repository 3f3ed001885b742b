//! What a call has read before what it may change, and reads again where it is made again: what its closures have copied, and a
//! receiver that its method takes by value.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Expr, Pat, Stmt, spanned::Spanned};

use super::{Lower, variables::without_type};

use crate::{
    ast::{
        calls::{closure_in, is_box_new, is_constructor, is_self, strip_parentheses},
        changed::{Changes, changed_in, touched_in},
        patterns::pattern_bindings,
        rename::{rename, rename_pattern},
        types::is_unique_reference,
        uses::{Uses, root_name},
    },
    cfg::copies,
};

/// What a call's operands may change, of each.
pub(super) struct Touched {
    of: Vec<Changes>,
    /// What is assigned, or lent to be changed: no method that borrows its receiver lets that be.
    changed: Vec<Changes>,
    /// The same of what is made behind the call, and awaited with it.
    touched_behind: Vec<Changes>,
    changed_behind: Vec<Changes>,
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
    /// `is_method` where the first of the operands is a receiver; `behind` are the arms of a join that are made behind this one.
    pub(super) fn by(operands: &[&mut Expr], is_method: bool, behind: &[Expr]) -> Self {
        let receiver = operands.first().filter(|_| is_method);
        // Only a receiver is judged by them.
        let looked_at = operands.iter().filter(|_| is_method);
        Self {
            touched_behind: behind.iter().map(touched_in).collect(),
            changed_behind: behind.iter().map(changed_in).collect(),
            of: operands.iter().map(|operand| touched_in(operand)).collect(),
            changed: looked_at.map(|operand| changed_in(operand)).collect(),
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
        let behind = || {
            self.touched_behind
                .iter()
                .any(|touched| touched.contains(name))
        };
        self.later(index, name) || within() || receives() || behind()
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
        let is_place = match strip_parentheses(receiver) {
            Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Deref(_)),
            other => matches!(other, Expr::Path(_) | Expr::Field(_) | Expr::Index(_)),
        };
        let Some(root) = root_name(receiver).filter(|_| is_place) else {
            return Receiver::Place;
        };
        let concerns = |all: &[Changes], behind: &[Changes]| {
            let (around, root) = (around_index(receiver), || [root.clone()]);
            let mut later = all.iter().skip(1).chain(behind);
            later.any(|changes| changes.concern(around, root()))
        };
        if !self.is_changeable(&root) {
            return Receiver::Place;
        }
        // By a `&mut` a method is called on what that refers to.
        let place: Expr = match self.is_unique(strip_parentheses(receiver)) {
            true => syn::parse_quote!(*#receiver),
            false => receiver.clone(),
        };
        if concerns(&touched.changed, &touched.changed_behind) {
            let kept = self.spill(place);
            *receiver = copies::of_kept(&kept, false);
            return Receiver::Kept;
        }
        if !concerns(&touched.of, &touched.touched_behind) {
            return Receiver::Place;
        }
        let span = receiver.span().resolved_at(Span::call_site());
        let held = format_ident!("__saga_held_{}", self.vars.len(), span = span);
        self.opaque(syn::parse_quote_spanned!(span=> let #held = &#place;));
        Receiver::Held(held)
    }

    /// Whether a name is that of a `&mut`.
    fn is_unique(&self, place: &Expr) -> bool {
        let declared = || {
            let Expr::Path(path) = place else {
                return false;
            };
            let name = path.path.get_ident().map(ToString::to_string);
            let id = name.and_then(|name| self.lookup(&name));
            id.is_some_and(|id| self.vars[id.0].ty.as_ref().is_some_and(is_unique_reference))
        };
        is_self(place) && self.lends_self || self.is_unique_param(place) || declared()
    }

    /// The end of that.
    pub(super) fn let_go(&mut self, receiver: &Receiver) {
        if let Receiver::Held(held) = receiver {
            self.opaque(syn::parse_quote!(::core::mem::drop(#held);));
        }
    }

    /// Takes what is made for a closure out of the block around it.
    ///
    /// ```text
    /// { let names = names.clone(); move |name| names.contains(name) }
    /// ```
    fn take_out(&mut self, operand: &mut Expr) {
        let Expr::Block(block) = &mut *operand else {
            return;
        };
        let Some((Stmt::Expr(closure @ Expr::Closure(_), None), made)) =
            block.block.stmts.split_last_mut()
        else {
            return;
        };
        let lets = |stmt: &Stmt| match stmt {
            Stmt::Local(local) => {
                let init = local.init.as_ref();
                matches!(without_type(&local.pat), Pat::Ident(_))
                    && init.is_some_and(|init| init.diverge.is_none())
            }
            _ => false,
        };
        if block.label.is_some() || !made.iter().all(lets) {
            return;
        }
        let mut names = HashMap::new();
        for stmt in made {
            let Stmt::Local(local) = stmt else { continue };
            if let Some(init) = &mut local.init {
                rename(&mut init.expr, &names);
            }
            let name = pattern_bindings(&local.pat).next().map(|name| name.ident);
            if let Some(name) = name {
                let alias = format_ident!("__saga_made_{}", self.vars.len(), span = name.span());
                names.insert(name.to_string(), alias);
                rename_pattern(&mut local.pat, &names);
            }
            self.opaque(stmt.clone());
        }
        rename(closure, &names);
        *operand = closure.clone();
    }

    /// Keeps what a `move` closure takes: where the call is made again, the closure is made again, of a copy of the same.
    ///
    /// ```text
    /// pick(&cx, move |name| names.contains(name)).await
    ///     →   pick(&cx, { let taken = names.clone(); move |name| taken.contains(name) }).await
    /// grow(&cx, move || size * 2, &mut size).await
    ///     →   let kept = size; grow(&cx, { let taken = kept; move || taken * 2 }, &mut size).await
    /// ```
    pub(super) fn keep_taken(&mut self, operand: &mut Expr, index: usize, touched: &Touched) {
        self.take_out(operand);
        let is_closure = closure_in(operand).is_some();
        let mut read = BTreeSet::new();
        closures(operand, &mut |closure| {
            read.extend(Uses::of_expr(closure).reads.into_keys());
        });
        let mut taken = BTreeMap::new();
        for name in read {
            let Some(var) = self.lookup(&name) else {
                continue;
            };
            let variable: Expr = {
                let variable = &self.vars[var.0].ident;
                syn::parse_quote!(#variable)
            };
            let kept = if touched.copied(index, is_closure, &name) && self.is_changeable(&name) {
                self.spill(copies::of_kept(&variable, false))
            } else if self.vars[var.0].persistence.is_spilled()
                && !self.handles.is_handle(&variable)
            {
                variable
            } else {
                continue;
            };
            let alias = format_ident!("__saga_taken_{}_{}", self.vars.len(), taken.len());
            taken.insert(name, (kept, alias));
        }
        if taken.is_empty() {
            return;
        }
        let names: HashMap<_, _> = taken
            .iter()
            .map(|(name, (_, alias))| (name.clone(), alias.clone()))
            .collect();
        closures(operand, &mut |closure| {
            let reads = Uses::of_expr(closure).reads;
            let taken = taken.iter().filter(|(name, _)| reads.contains_key(*name));
            if let Expr::Closure(closure) = &mut *closure {
                rename(&mut closure.body, &names);
            }
            let copies = taken.map(|(_, (kept, alias))| {
                let (copy, unchanged) = (copies::of_kept(kept, false), unchanged(kept));
                quote!(#[allow(unused_mut)] let mut #alias = { #unchanged #copy };)
            });
            let copies: TokenStream = copies.collect();
            if !copies.is_empty() {
                *closure = syn::parse_quote!({ #copies #closure });
            }
        });
    }
}

/// Proves that what a closure has taken does not change in it: it is made again with what was kept.
fn unchanged(kept: &Expr) -> TokenStream {
    let span = kept.span().resolved_at(Span::call_site());
    let taken = format_ident!("saga_taken", span = span);
    quote_spanned! {span=> {
        use ::saga_runtime::__private::{TakenChanging as _, TakenUnchanging as _};
        (&&::saga_runtime::__private::Witness::of(&#kept)).#taken();
    }}
}

/// What an item is in. The index of a receiver is fixed where it may change.
fn around_index(place: &Expr) -> &Expr {
    match strip_parentheses(place) {
        Expr::Index(index) => around_index(&index.expr),
        other => other,
    }
}

/// The closures that an operand is made of, where they take what they capture: those that a call in it is given are used up there.
fn closures(operand: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    match operand {
        Expr::Closure(closure) if closure.capture.is_some() => visit(operand),
        Expr::Paren(inner) => closures(&mut inner.expr, visit),
        Expr::Group(inner) => closures(&mut inner.expr, visit),
        Expr::Reference(lent) => closures(&mut lent.expr, visit),
        Expr::Tuple(parts) => parts
            .elems
            .iter_mut()
            .for_each(|part| closures(part, visit)),
        Expr::Array(parts) => parts
            .elems
            .iter_mut()
            .for_each(|part| closures(part, visit)),
        Expr::Struct(parts) => {
            let fields = parts.fields.iter_mut();
            fields.for_each(|field| closures(&mut field.expr, visit));
        }
        Expr::Call(call) if is_constructor(&call.func) || is_box_new(&call.func) => {
            call.args.iter_mut().for_each(|part| closures(part, visit));
        }
        _ => {}
    }
}
