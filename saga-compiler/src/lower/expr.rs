//! Expressions: everything that is evaluated before a suspension point is evaluated before it, the
//! rest stays in place.

use proc_macro2::Span;
use quote::format_ident;
use syn::{Expr, spanned::Spanned};

use super::{
    Destination, Lower, control,
    structs::{name_fields, parts_of_literal, prove_literal},
};

use crate::{
    ast::{
        assigned_places::{Assigned, LookedAt},
        calls::{closure_in, is_literal, is_self, strip_parentheses},
        changed::{Changes, changed_in, may_change, touched_in},
        exits::may_exit,
        macros::is_known,
        picks::choice,
        types::{is_unique_reference, may_lend_to_change},
        uses::{Uses, binary_assigns, root_name},
    },
    cfg::{
        StandsFor, VarId,
        persistence::{Persistence, Reborrow},
        place::{has_index, lends_to_change, may_be_unique_param},
    },
    syntax::{asks::Join, locks::refuse_lock},
};

impl Lower<'_> {
    /// Evaluates `expr` and gives its value to `destination`.
    pub(super) fn value(&mut self, expr: &Expr, destination: &Destination) {
        if self.dead {
            return;
        }
        if !self.is_cut(expr) {
            return self.give(expr.clone(), destination);
        }
        if !self.control(expr, destination) {
            let rest = self.remainder(expr);
            self.give(rest, destination);
        }
    }

    /// Emits all of `expr` up to its last suspension point; what is left can be evaluated in one
    /// piece.
    ///
    /// ```text
    /// f(a(), peer.elicit(q).await?, b())   →   let t = a(); …suspend…; f(t, answer?, b())
    /// ```
    pub(super) fn remainder(&mut self, expr: &Expr) -> Expr {
        if self.dead || !self.is_cut(expr) {
            return expr.clone();
        }
        if control::is_control(expr) && !self.is_cut_before(expr) {
            if choice(expr).is_some() {
                return self.chosen(expr, None);
            }
            let var = self.standing_for(StandsFor::Value, "value", expr);
            self.value(expr, &Destination::Variable(var, None));
            return self.path(var);
        }
        if let Expr::Try(tried) = expr
            && let Some(base) = self.tries(&tried.expr)
        {
            return self.join(base, Some(tried));
        }
        let mut expr = expr.clone();
        match &mut expr {
            Expr::Await(awaited) if self.handles.suspends(&awaited.base) => {
                return self.suspend(strip_parentheses(&awaited.base).clone());
            }
            Expr::Await(inner) => *inner.base = self.remainder(&inner.base),
            Expr::Try(inner) => *inner.expr = self.remainder(&inner.expr),
            Expr::Match(matched) => *matched.expr = self.remainder(&matched.expr),
            Expr::If(_) | Expr::ForLoop(_) => {
                // What is asked in a condition is not what the `let` around it names.
                let key = self.key.take();
                if let Some(head) = control::head_of(&mut expr) {
                    *head = self.remainder(head);
                }
                self.key = key;
            }
            Expr::Paren(inner) => *inner.expr = self.remainder(&inner.expr),
            Expr::Group(inner) => *inner.expr = self.remainder(&inner.expr),
            Expr::Reference(inner) => *inner.expr = self.remainder(&inner.expr),
            Expr::Unary(inner) => *inner.expr = self.remainder(&inner.expr),
            Expr::Cast(inner) => *inner.expr = self.remainder(&inner.expr),
            Expr::Field(inner) => *inner.base = self.remainder(&inner.base),
            Expr::Return(inner) => self.residual_of(inner.expr.as_deref_mut()),
            Expr::Break(inner) => self.residual_of(inner.expr.as_deref_mut()),
            Expr::Assign(assign) => {
                if self.handles.contains_suspension(&assign.left) {
                    self.refuse_place(&assign.left);
                }
                *assign.right = self.remainder(&assign.right);
            }
            Expr::Binary(binary) if binary_assigns(&binary.op) => {
                if self.handles.contains_suspension(&binary.left) {
                    self.refuse_place(&binary.left);
                }
                // What it leads through may be another reference by then.
                let leads_on = !matches!(strip_parentheses(&binary.left), Expr::Path(_))
                    && root_name(&binary.left)
                        .is_some_and(|root| Uses::of_expr(&binary.right).assigns.contains(&root));
                *binary.right = self.remainder(&binary.right);
                self.evaluated_last(&mut binary.left, &mut binary.right, leads_on);
            }
            other => self.remainder_of_several(other),
        }
        expr
    }

    /// What is left of an expression of several operands.
    fn remainder_of_several(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Binary(binary) => {
                let compares = is_comparison(&binary.op);
                // Of a number that is compared there is a copy; others cannot be changed there.
                let changed = compares
                    && self.is_cut(&binary.right)
                    && root_name(&binary.left)
                        .is_some_and(|name| may_change(&binary.right).contains(&name));
                if changed
                    && matches!(
                        strip_parentheses(&binary.left),
                        Expr::Path(_) | Expr::Field(_)
                    )
                {
                    let left = self.remainder(&binary.left);
                    *binary.left = self.spill(left);
                } else if compares && self.is_cut(&binary.right) {
                    *binary.left = self.remainder(&binary.left);
                    self.own_compared(&mut binary.left);
                }
                self.operands(&mut [(&mut binary.left, compares), (&mut binary.right, compares)]);
            }
            // The item of an array is looked at behind its index, which may change the array; rustc lets it change nothing else.
            Expr::Index(index) if root_name(&index.expr).is_some() && !self.is_cut(&index.expr) => {
                self.prove_indexed(index);
                self.fix_indices(&mut index.expr);
                *index.index = self.remainder(&index.index);
            }
            Expr::Index(index) => {
                self.operands(&mut [(&mut index.expr, true), (&mut index.index, false)]);
            }
            Expr::MethodCall(call) => {
                let mut operands = vec![(&mut *call.receiver, true)];
                operands.extend(call.args.iter_mut().map(|argument| (argument, false)));
                self.operands(&mut operands);
            }
            Expr::Call(call) => {
                let mut operands = vec![(&mut *call.func, true)];
                operands.extend(call.args.iter_mut().map(|argument| (argument, false)));
                self.operands(&mut operands);
            }
            Expr::Tuple(tuple) => {
                let mut operands: Vec<_> = tuple.elems.iter_mut().map(|e| (e, false)).collect();
                self.operands(&mut operands);
            }
            Expr::Array(array) => {
                let mut operands: Vec<_> = array.elems.iter_mut().map(|e| (e, false)).collect();
                self.operands(&mut operands);
            }
            Expr::Struct(literal) => {
                let fields = literal
                    .fields
                    .iter_mut()
                    .map(|field| (&mut field.expr, false));
                let mut operands: Vec<_> = fields.collect();
                operands.extend(literal.rest.as_deref_mut().map(|rest| (rest, false)));
                self.operands(&mut operands);
                name_fields(expr);
            }
            Expr::Range(range) => {
                let ends = [range.start.as_deref_mut(), range.end.as_deref_mut()];
                let mut operands: Vec<_> =
                    ends.into_iter().flatten().map(|end| (end, false)).collect();
                self.operands(&mut operands);
            }
            other => self.errors.refuse(
                other,
                "an ask inside an expression of this kind",
                "the order in which its parts are evaluated is not one that can be kept",
                "`let answer = peer.elicit(..).await;` before it, and `answer` in it",
            ),
        }
    }

    /// The call that `try_join!` is written as, where it is awaited here.
    fn tries<'e>(&self, expr: &'e Expr) -> Option<&'e Expr> {
        let Expr::Await(awaited) = strip_parentheses(expr) else {
            return None;
        };
        let base = strip_parentheses(&awaited.base);
        matches!(self.handles.join(base), Some(Join::All(_, true))).then_some(base)
    }

    fn residual_of(&mut self, expr: Option<&mut Expr>) {
        if let Some(expr) = expr {
            *expr = self.remainder(expr);
        }
    }

    /// The left side of `+=`: Rust evaluates it after the right side where both are numbers, and before it
    /// where the operator is a type's own. The difference shows where an index does something.
    fn evaluated_last(&mut self, place: &mut Expr, right: &mut Expr, leads_on: bool) {
        match strip_parentheses(place) {
            _ if is_quiet_place(place) && !leads_on => {}
            Expr::Index(_) | Expr::Field(_) | Expr::Unary(_) => {
                let span = place.span().resolved_at(Span::call_site());
                *place = syn::parse_quote_spanned!(span=>
                    *::saga_runtime::__private::number(&mut #place)
                );
                // Of a reference to a number, or of another type, it is a type's own.
                let span = right.span().resolved_at(Span::call_site());
                *right = syn::parse_quote_spanned!(span=>
                    ::saga_runtime::__private::added(#right)
                );
            }
            _ => self.errors.refuse(
                place,
                "an ask on the right of an assigning operator whose left side does something",
                "which of the two comes first depends on the type",
                "`let added = …;` with the ask before it, and `… += added`",
            ),
        }
    }

    fn refuse_place(&mut self, place: &Expr) {
        self.errors.refuse(
            place,
            "an ask on the left of an assignment",
            "the place would have to be found again after the answer",
            "`let answer = peer.elicit(..).await;` before the assignment; where what is awaited there never asks (a lock in a field of the handle's name), `#[saga(plain(name))]` above the function",
        );
    }

    /// Operands in order of evaluation, each with whether it is only borrowed. What stands before
    /// the last suspension point is evaluated before it.
    pub(super) fn operands(&mut self, operands: &mut [(&mut Expr, bool)]) {
        let cut = |(expr, _): &(&mut Expr, bool)| self.is_cut(expr);
        if let Some(last) = operands.iter().rposition(cut) {
            self.evaluate(operands, last);
        }
    }

    /// Operands that end up inside generated code, where a jump would be another one: up to the
    /// last that jumps they are evaluated before it.
    pub(super) fn operands_without_jumps(&mut self, operands: &mut [(&mut Expr, bool)]) {
        self.operands(operands);
        let jumps = |(expr, _): &(&mut Expr, bool)| {
            let stmt = syn::Stmt::Expr(Expr::clone(expr), None);
            !self.jumps_of(&stmt).is_empty()
        };
        let Some(last) = operands.iter().rposition(jumps) else {
            return;
        };
        self.evaluate(operands, last);
        if let Some((expr, _)) = operands.get_mut(last) {
            **expr = self.spill(expr.clone());
        }
    }

    /// Evaluates all operands before `last` that would not give the same after it.
    fn evaluate(&mut self, operands: &mut [(&mut Expr, bool)], last: usize) {
        let changed: Vec<_> = operands.iter().map(|(expr, _)| changed_in(expr)).collect();
        let touched: Vec<_> = operands.iter().map(|(expr, _)| touched_in(expr)).collect();
        let mut before = operands.iter().take(last);
        let all: Vec<Expr> = match before.any(|(expr, _)| closure_in(expr).is_some()) {
            true => operands.iter().map(|(expr, _)| Expr::clone(expr)).collect(),
            false => Vec::new(),
        };
        for (index, (expr, borrowed)) in operands.iter_mut().enumerate().take(last + 1) {
            if self.dead {
                return;
            }
            **expr = self.remainder(expr);
            if *borrowed && index < last {
                self.own_looked_at(expr);
            }
            let later = changed.get(index + 1..=last).unwrap_or_default();
            let concerns =
                |changed: &Changes| changed.concern(expr, Uses::of_expr(expr).reads.into_keys());
            let changes = later.iter().any(concerns);
            if let Some(closure) = closure_in(expr)
                && index < last
            {
                // What it has taken a copy of may be changed by anything.
                let touched = touched.get(index + 1..=last).unwrap_or_default();
                let takes = closure.capture.is_some();
                let mut read = Uses::of_expr(expr).reads.into_keys();
                let mut copied = || {
                    read.any(|name| {
                        touched.iter().any(|one| one.contains(&name)) && self.is_changeable(&name)
                    })
                };
                let assigned = Assigned::in_all(all.get(index + 1..=last).unwrap_or_default());
                let looked_at = LookedAt::in_expr(expr);
                let replaced = assigned.replaces(&looked_at).is_some();
                if changes || replaced || (takes && copied()) {
                    self.refuse_closure(expr);
                }
                self.prove_steady(expr, &assigned, &looked_at);
            }
            // Of an item that is looked at in place there is no copy, but of a number that what comes later may change.
            if *borrowed && index < last && has_index(expr) {
                let root = root_name(expr).unwrap_or_default();
                let later = touched.get(index + 1..=last).unwrap_or_default();
                if later.iter().any(|touched| touched.contains(&root)) {
                    **expr = self.spill(expr.clone());
                    continue;
                }
                if self.keep_looked_at(expr) {
                    continue;
                }
            }
            if *borrowed && index < last && !changes {
                let later = touched.get(index + 1..=last).unwrap_or_default();
                self.refuse_early_copy(expr, later);
            }
            if index == last {
                continue;
            }
            if !changes && self.stays(expr, *borrowed) {
                prove_literal(expr);
                continue;
            }
            if *borrowed && self.find_again(expr) {
                continue;
            }
            // What is lent to be changed nobody else changes meanwhile.
            if let Expr::Reference(reference) = &mut **expr
                && reference.mutability.is_some()
                && has_index(&reference.expr)
                && self.keep_looked_at(&mut reference.expr)
            {
                continue;
            }
            self.own_borrowed(expr);
            if !changes && self.stays(expr, *borrowed) {
                prove_literal(expr);
                continue;
            }
            if *borrowed && self.spill_pointer(expr) {
                continue;
            }
            if !self.spill_lent(expr) && !self.spill_parts(expr, changes) {
                **expr = self.spill(expr.clone());
            }
        }
    }

    /// What is looked at behind a pointer stays there: the pointer is evaluated; `false` where `operand` is none.
    ///
    /// ```text
    /// *name.as_ref().unwrap() == ask   →   let pointer = name.as_ref().unwrap(); … *pointer == answer
    /// ```
    fn spill_pointer(&mut self, operand: &mut Expr) -> bool {
        match operand {
            Expr::Paren(paren) => self.spill_pointer(&mut paren.expr),
            Expr::Group(group) => self.spill_pointer(&mut group.expr),
            Expr::Unary(unary)
                if matches!(unary.op, syn::UnOp::Deref(_)) && !is_place(&unary.expr) =>
            {
                *unary.expr = self.spill((*unary.expr).clone());
                true
            }
            _ => false,
        }
    }

    /// A number that a method takes by value is read before what comes later is evaluated. Where that may change it, its type
    /// decides: what is no copy is borrowed, and cannot be changed.
    ///
    /// ```text
    /// count.max({ count.bump(); ask })
    /// ```
    fn refuse_early_copy(&mut self, receiver: &Expr, later: &[Changes]) {
        let Some(root) = root_name(receiver) else {
            return;
        };
        let concerns = |touched: &Changes| touched.concern(receiver, [root.clone()]);
        if !later.iter().any(concerns) || !self.is_changeable(&root) {
            return;
        }
        let span = receiver.span().resolved_at(Span::call_site());
        self.opaque(syn::parse_quote_spanned! {span=> {
            use ::saga_runtime::__private::{ReadBehind as _, ReadCopied as _, ReadInPlace as _};
            (&&::saga_runtime::__private::Witness::of(&#receiver)).saga_read();
        }});
    }

    /// Whether a method may be given a `&mut` of it.
    pub(super) fn is_changeable(&self, name: &str) -> bool {
        let Some(id) = self.lookup(name) else {
            return name == "self" && self.changes_self;
        };
        self.vars[id.0].mutable || self.leads_to_change(id)
    }

    /// Whether a variable is a `&mut`, or has one in it, as far as is known.
    fn leads_to_change(&self, id: VarId) -> bool {
        let var = &self.vars[id.0];
        var.ty.as_ref().is_some_and(is_unique_reference)
            || match &var.persistence {
                Persistence::Param(param) => may_lend_to_change(&self.params[param.0].ty),
                Persistence::Reborrowed(id) => self.is_lent_on(&self.reborrows[id.0]),
                Persistence::Spilled(_) => may_be_unique_param(&self.params, id),
            }
    }

    /// Whether a borrow is one to change, or of what such a one has found: `list.iter_mut().find(..)`, or a pattern on a `&mut self`.
    fn is_lent_on(&self, reborrow: &Reborrow) -> bool {
        let init = strip_parentheses(&reborrow.init);
        let of_self = is_self(init);
        let shared = matches!(init, Expr::Reference(lent) if lent.mutability.is_none());
        let mut deps = reborrow.deps.iter();
        lends_to_change(reborrow)
            || (of_self && self.changes_self)
            || !shared && deps.any(|dep| self.leads_to_change(*dep))
    }

    /// Looks here, where plain Rust does, for what is found again behind the ask; `false` where it is not.
    ///
    /// ```text
    /// map.get_mut(&key).unwrap().push(ask)   →   let found = map.get_mut(&key).unwrap(); … found.push(answer)
    /// ```
    pub(super) fn find_again(&mut self, lookup: &mut Expr) -> bool {
        self.fix_entry(lookup);
        self.fix_lookup(lookup);
        let is_found = self.places(|places| places.looked_up(lookup).is_some());
        if is_found {
            let span = lookup.span().resolved_at(Span::call_site());
            let found = format_ident!("__saga_found_{}", self.vars.len(), span = span);
            self.opaque(syn::parse_quote!(let #found = #lookup;));
            *lookup = syn::parse_quote!(#found);
        }
        is_found
    }

    /// Whether an operand gives the same when it is evaluated after the suspension point.
    pub(super) fn stays(&self, expr: &Expr, borrowed: bool) -> bool {
        let expr = strip_parentheses(expr);
        if closure_in(expr).is_some()
            || is_literal(expr)
            || (borrowed && is_place(expr))
            || self.is_of_request(expr)
        {
            return true;
        }
        if let Expr::Path(path) = expr {
            // A name that is no variable is a function, a constant or a unit struct.
            let variable = path
                .path
                .get_ident()
                .and_then(|ident| self.lookup(&ident.to_string()));
            return variable.is_none_or(|id| !self.vars[id.0].mutable);
        }
        if let Some(parts) = parts_of_literal(expr) {
            return parts
                .iter()
                .all(|part| closure_in(part).is_none() && self.stays(part, false));
        }
        !may_exit(expr) && self.places(|places| places.borrow(expr).is_some())
    }

    /// Lets an item of std's collections be found again behind the ask: it is looked for here, as in plain Rust, which ends
    /// the call where there is none.
    ///
    /// ```text
    /// lists[next()].push(ask)   →   let index = next(); let _ = &lists[index]; … lists[index].push(answer)
    /// ```
    fn keep_looked_at(&mut self, place: &mut Expr) -> bool {
        if !self.keep_indices(place) {
            return false;
        }
        let found = &*place;
        self.opaque(syn::parse_quote!(let _ = &#found;));
        true
    }

    fn refuse_closure(&mut self, closure: &Expr) {
        self.errors.refuse(
            closure,
            "a closure before an ask in the same expression, of what is changed between them",
            "it would be made after the change",
            "`let` for what the ask gives before the expression",
        );
    }

    /// Evaluates `expr` here and now, before an ask later in its statement.
    pub(super) fn spill(&mut self, expr: Expr) -> Expr {
        // In plain Rust what it takes would be held to the end of the statement.
        refuse_lock(&expr, &mut self.errors);
        match is_value(&expr) {
            true => self.evaluated_as(StandsFor::Operand, expr),
            false => self.evaluated_as(StandsFor::Place, expr),
        }
    }

    /// Evaluates `expr` here and now.
    pub(super) fn evaluated(&mut self, expr: Expr) -> Expr {
        match is_value(&expr) {
            true => self.evaluated_as(StandsFor::Value, expr),
            false => self.evaluated_as(StandsFor::Nothing, expr),
        }
    }

    /// Evaluates `expr` here and now, to be used more than once.
    pub(super) fn fixed(&mut self, expr: Expr) -> Expr {
        self.evaluated_as(StandsFor::Nothing, expr)
    }

    fn evaluated_as(&mut self, stands_for: StandsFor, mut expr: Expr) -> Expr {
        // What is expected of an operand is for each branch.
        if !control::is_control(&expr) {
            self.keep_found(&mut expr);
        }
        let var = self.standing_for(stands_for, "operand", &expr);
        self.pick(var, &expr);
        self.given(var, Some(&expr));
        if self.is_table(&expr) {
            self.note_table(var);
        }
        self.define(var, expr);
        self.path(var)
    }
}

/// Whether an expression makes a value, and is not a place that has one.
fn is_value(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::Path(_) | Expr::Field(_) | Expr::Index(_) | Expr::Unary(_) => false,
        // What it expands to may be either.
        Expr::Macro(invocation) => is_known(&invocation.mac),
        _ => true,
    }
}

fn is_comparison(op: &syn::BinOp) -> bool {
    use syn::BinOp::*;
    matches!(op, Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_))
}

/// Variables and their fields.
fn is_quiet_place(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::Path(_) => true,
        Expr::Field(field) => is_quiet_place(&field.base),
        Expr::Unary(unary) => {
            matches!(unary.op, syn::UnOp::Deref(_)) && is_quiet_place(&unary.expr)
        }
        _ => false,
    }
}

/// Whether finding a place calls something, indexing apart.
pub(super) fn does_something(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::Lit(_) => false,
        Expr::Index(index) => does_something(&index.expr) || does_something(&index.index),
        Expr::Field(field) => does_something(&field.base),
        Expr::Binary(binary) if !binary_assigns(&binary.op) => {
            does_something(&binary.left) || does_something(&binary.right)
        }
        Expr::Cast(cast) => does_something(&cast.expr),
        other => !is_quiet_place(other),
    }
}

fn is_place(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::Path(_) => true,
        Expr::Field(field) => is_place(&field.base),
        Expr::Index(index) => is_place(&index.expr) && matches!(&*index.index, Expr::Lit(_)),
        Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Deref(_)) && is_place(&unary.expr),
        _ => false,
    }
}
