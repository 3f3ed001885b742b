//! What a call that asks is lent by way of a reference which has another value by the time that the call is made again.
//!
//! ```text
//! show(&cx, &node.name, { node = &node.next; 1 }).await
//!     →   let led = node; show(&cx, &led.name, { node = &node.next; 1 }).await
//! ```

use proc_macro2::{Ident, Span};
use quote::{format_ident, quote};
use syn::{Expr, spanned::Spanned};

use super::{Lower, structs::parts_of_literal_mut};

use crate::{
    ast::{
        assigned_places::{Assigned, LookedAt, part_of},
        calls::{call_operands, callee, closure_in, strip_parentheses},
        exits::may_exit,
    },
    cfg::{persistence::Persistence, place::has_index},
};

/// What is evaluated around an operand.
struct Around {
    before: Vec<Expr>,
    /// Behind it, or in the function that is called.
    behind: Vec<Expr>,
}

impl Around {
    fn assigned(&self) -> (Assigned, Assigned) {
        (
            Assigned::in_all(&self.before),
            Assigned::in_all(&self.behind),
        )
    }

    /// What is around a part of it.
    fn of_part(&self, parts: &[Expr], index: usize) -> Self {
        let (before, behind) = parts.split_at(index + 1);
        let before = before.iter().take(index);
        Self {
            before: self.before.iter().chain(before).cloned().collect(),
            behind: behind.iter().chain(&self.behind).cloned().collect(),
        }
    }
}

impl Lower<'_> {
    /// Keeps the references that lead to what is lent, before they have another value. Closures are refused.
    pub(super) fn keep_led_to(&mut self, base: &mut Expr, behind: &[Expr]) {
        let operands = call_operands(base);
        let operands = operands.iter().map(|one| &**one);
        if !Assigned::in_all(operands.chain(behind)).may_replace_any() {
            return;
        }
        let is_method = matches!(callee(base), Expr::MethodCall(_));
        let all: Vec<Expr> = call_operands(base)
            .into_iter()
            .map(|one| one.clone())
            .collect();
        for (index, operand) in call_operands(base).into_iter().enumerate() {
            // A receiver is read first; what it is a place of is looked at again.
            if is_method && index == 0 && !matches!(strip_parentheses(operand), Expr::Reference(_))
            {
                let later = all.iter().skip(1).chain(behind);
                if let Some(looked_at) = LookedAt::at(operand) {
                    self.prove_steady(operand, &Assigned::in_all(later), &looked_at);
                }
                continue;
            }
            let (before, later) = all.split_at(index + 1);
            let before = before.iter().take(index).cloned();
            // The function that is called may give it another value.
            let (lent, before) = before.partition(lends_to_change);
            let behind = later.iter().chain(behind).cloned();
            let around = Around {
                before,
                behind: behind.chain::<Vec<Expr>>(lent).collect(),
            };
            match closure_in(operand) {
                Some(closure) if closure.capture.is_none() => {
                    let closure = Expr::Closure(closure.clone());
                    let looked_at = LookedAt::in_expr(&closure);
                    let behind = around.assigned().1;
                    self.prove_steady(&closure, &behind, &looked_at);
                    if behind.replaces(&looked_at).is_some() {
                        self.errors.refuse(
                            &closure,
                            "a closure in the arguments of a call that asks, of what has another value later in the same call",
                            "the call is made again behind an ask, and the closure would look at the new value",
                            "another name for what it looks at (`let here = node;` before the call, and `here` in the closure)",
                        );
                    }
                }
                _ => self.keep_led_to_in(operand, &around),
            }
        }
    }

    /// Has rustc look whether what a method or a macro may give another value is a reference: then what is looked at by way of it
    /// would be another place.
    pub(super) fn prove_steady(&mut self, at: &Expr, assigned: &Assigned, looked_at: &LookedAt) {
        if assigned.replaces(looked_at).is_some() {
            return;
        }
        let Some(replaced) = assigned.may_replace(looked_at) else {
            return;
        };
        let replaceable = self.replaceable(replaced.root());
        let within = || self.is_changeable(replaced.root());
        let name = match &replaceable {
            Some(name) => name.clone(),
            None if within() => format_ident!("{}", replaced.root()),
            None => return,
        };
        let span = at.span().resolved_at(Span::call_site());
        let leads = format_ident!("saga_leads", span = span);
        let mut ways = looked_at.ways(&replaced);
        // What is lent to be changed leads to the same; what is in it need not.
        ways.retain(|way| replaceable.is_some() || !way.is_empty());
        let mut parts: Vec<Expr> = ways.iter().map(|way| part_of(&name, way)).collect();
        parts.extend(items_on_the_way(at));
        self.prove(&quote! {
            #[allow(unused_imports)]
            use ::saga_runtime::__private::{LeadsElsewhere as _, LeadsNowhereElse as _};
            #((&::saga_runtime::__private::Witness::of(&#parts)).#leads();)*
        });
    }

    /// Has rustc look whether what is indexed is looked at behind its index, as an array is, where the index gives another value to
    /// what it is in.
    ///
    /// ```text
    /// current[{ current = &other; ask }]
    /// ```
    pub(super) fn prove_indexed(&mut self, index: &syn::ExprIndex) {
        let assigned = Assigned::in_all([&*index.index]);
        let Some(looked_at) = LookedAt::at(&index.expr) else {
            return;
        };
        let replaced: Expr = match assigned.replaces(&looked_at) {
            Some(_) => syn::parse_quote!(&()),
            None => {
                let root = assigned.may_replace(&looked_at);
                let Some(name) = root.and_then(|replaced| self.replaceable(replaced.root())) else {
                    return;
                };
                syn::parse_quote!(#name)
            }
        };
        let mut base = Some(&*index.expr);
        while let Some(indexed) = base {
            let span = indexed.span().resolved_at(Span::call_site());
            let looked_at = format_ident!("saga_indexed", span = span);
            self.prove(&quote! {
                #[allow(unused_imports)]
                use ::saga_runtime::__private::{IndexedArray as _, IndexedByReference as _, IndexedOther as _};
                (&&::saga_runtime::__private::Indexed::of(&#replaced, &#indexed)).#looked_at();
            });
            base = indexed_in(indexed);
        }
    }

    /// A variable that a method or a macro may give another value.
    fn replaceable(&self, name: &str) -> Option<Ident> {
        let var = &self.vars[self.lookup(name)?.0];
        let ty = match var.persistence {
            Persistence::Param(param) => Some(&self.params[param.0].ty),
            _ => var.ty.as_ref(),
        };
        let of_another = matches!(ty, Some(syn::Type::Reference(lent))
            if lent.mutability.is_some() && matches!(&*lent.elem, syn::Type::Reference(_)));
        (name != "self" && (var.mutable || of_another)).then(|| var.ident.clone())
    }

    fn keep_led_to_in(&mut self, operand: &mut Expr, around: &Around) {
        match operand {
            Expr::Paren(paren) => return self.keep_led_to_in(&mut paren.expr, around),
            Expr::Group(group) => return self.keep_led_to_in(&mut group.expr, around),
            _ => {}
        }
        if let Expr::Reference(lent) = &mut *operand
            && lent.mutability.is_none()
            && let Some(looked_at) = LookedAt::at(&lent.expr)
        {
            let (before, behind) = around.assigned();
            self.prove_steady(&lent.expr, &behind, &looked_at);
            let Some(replaced) = behind.replaces(&looked_at) else {
                return;
            };
            match replaced.of(&mut lent.expr) {
                Some(led) if before.replaces(&looked_at).is_none() => {
                    *led = self.spill(led.clone());
                }
                _ => self.errors.refuse(
                    operand,
                    "an argument that is lent by way of a reference which has another value later in the same call",
                    "the call is made again behind an ask, and would be lent what the reference leads to then",
                    "`let` for it before the call",
                ),
            }
            return;
        }
        let parts = parts_of_literal_mut(operand).unwrap_or_default();
        let all: Vec<Expr> = parts.iter().map(|part| (**part).clone()).collect();
        for (index, part) in parts.into_iter().enumerate() {
            self.keep_led_to_in(part, &around.of_part(&all, index));
        }
    }
}

/// The items on the way to a place, and their parts: they may be references, too.
fn items_on_the_way(place: &Expr) -> Vec<Expr> {
    let mut items = Vec::new();
    let mut place = strip_parentheses(place);
    loop {
        let inner = match place {
            Expr::Index(index) if !may_exit(&index.index) => &index.expr,
            Expr::Field(field) if has_index(place) => &field.base,
            _ => return items,
        };
        if !matches!(place, Expr::Index(index) if matches!(&*index.index, Expr::Range(_))) {
            items.push(place.clone());
        }
        place = strip_parentheses(inner);
    }
}

/// What stands before the next index on the way to a place.
fn indexed_in(place: &Expr) -> Option<&Expr> {
    match strip_parentheses(place) {
        Expr::Index(index) => Some(&index.expr),
        Expr::Field(field) => indexed_in(&field.base),
        Expr::Unary(unary) => indexed_in(&unary.expr),
        _ => None,
    }
}

fn lends_to_change(operand: &Expr) -> bool {
    matches!(strip_parentheses(operand), Expr::Reference(lent) if lent.mutability.is_some())
}
