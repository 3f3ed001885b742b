//! Loops that contain a suspension point: they keep their place.

use proc_macro2::{Span, TokenStream};
use quote::format_ident;
use syn::{
    Expr, ExprClosure, ExprForLoop, ExprLoop, ExprWhile, Label, spanned::Spanned, visit::Visit,
};

use super::{Destination, Enclosing, Lower, adapters, control::breaks_with_value};

use crate::{
    ast::{
        assigned_places::{Assigned, LookedAt},
        calls::{conjuncts, is_literal, strip_parentheses},
        exits::may_exit,
        order::in_any_order,
        uses::Uses,
    },
    cfg::{
        BlockId, Facts, StandsFor, Step, Terminator,
        item_copies::copied,
        iterated::source_mut,
        lookup::looks_up,
        persistence::{Form, Persistence},
        place::Borrow,
        proof::of_std,
    },
};

impl Lower<'_> {
    fn open_loop(
        &mut self,
        label: Option<&Label>,
        on_break: BlockId,
        on_continue: BlockId,
        result: &Destination,
    ) {
        self.enclosing.push(Enclosing {
            label: label.map(|label| label.name.clone()),
            is_loop: true,
            on_break,
            on_continue: Some(on_continue),
            result: result.clone(),
        });
    }

    pub(super) fn looped(&mut self, looped: &ExprLoop, destination: &Destination) {
        let label = looped.label.as_ref();
        let discarded = self.discarded(destination, || {
            let label = label.map(|label| &label.name);
            breaks_with_value(label, &looped.body, true)
        });
        let result = match discarded {
            Some(value) => Destination::Variable(value, None),
            None => self.through_variable(destination),
        };
        let after = self.new_block();
        let head = self.new_block();
        self.terminate(Terminator::Goto(head));
        self.enter(head);
        self.open_loop(label, after, head, &result);
        self.block(&looped.body, &Destination::Discard);
        self.enclosing.pop();
        self.terminate(Terminator::Goto(head));
        // What its body declares is gone.
        self.blocks[after.0].renamed = true;
        self.enter(after);
        match discarded {
            Some(value) => self.discard(value),
            None => self.pass_on(&result, destination),
        }
    }

    /// A `break` value cannot `return` from inside other code, so it goes through a variable.
    pub(super) fn through_variable(&mut self, destination: &Destination) -> Destination {
        match destination {
            Destination::Return => Destination::Variable(self.hidden("value"), None),
            other => other.clone(),
        }
    }

    pub(super) fn pass_on(&mut self, result: &Destination, destination: &Destination) {
        if let (Destination::Variable(var, _), Destination::Return) = (result, destination) {
            let value = self.path(*var);
            self.give(value, destination);
        }
    }

    pub(super) fn while_loop(&mut self, looped: &ExprWhile, destination: &Destination) {
        let after = self.new_block();
        let head = self.new_block();
        self.terminate(Terminator::Goto(head));
        self.enter(head);
        self.open_loop(looped.label.as_ref(), after, head, &Destination::Discard);
        self.open_scope();
        for cond in conjuncts(&looped.cond) {
            self.conjunct(cond, after, true);
        }
        self.block(&looped.body, &Destination::Discard);
        self.abandon_scope();
        self.enclosing.pop();
        self.terminate(Terminator::Goto(head));
        self.blocks[after.0].renamed = true;
        self.enter(after);
        self.give(syn::parse_quote!(()), destination);
    }

    /// ```text
    /// for x in &list { … }    →   n = 0; head: match nth(&list, n) { Some(x) => …; n += 1; head }
    /// for x in list { … }     →   rest = drain(list); head: match rest.next() { Some(x) => …; head }
    /// ```
    pub(super) fn for_loop(&mut self, looped: &ExprForLoop, destination: &Destination) {
        self.refuse_capital(&looped.pat);
        if let Some((entries, proof)) = by_entries(looped) {
            self.prove(&proof);
            return self.for_loop(&entries, destination);
        }
        if let Some(stepped) = by_reference(looped) {
            return self.while_loop(&stepped, destination);
        }
        if let Some(named) = self.named_lookup(looped) {
            return self.value(&named, destination);
        }
        if self.is_unique_param(&looped.expr) {
            let mut lent = looped.clone();
            let of = &looped.expr;
            *lent.expr = syn::parse_quote!(&mut *#of);
            return self.for_loop(&lent, destination);
        }
        let names = adapters::Names {
            is_variable: &|name| self.lookup(name).is_some(),
            is_remade: &|name| self.is_remade(name),
            is_changeable: &|name| self.is_changeable(name),
            level: self.vars.len(),
        };
        if let Some(inlined) = adapters::inlined(looped, &names) {
            if self.handles.contains_suspension(&looped.expr) {
                // What it is called on is looked at twice.
                let mut evaluated = looped.clone();
                if let Some(source) = inlined.source_mut(&mut evaluated.expr) {
                    *source = self.remainder(source);
                    return self.for_loop(&evaluated, destination);
                }
            }
            self.prove(&inlined.proof);
            self.refuse_replaced(&looped.body, &inlined.closures);
            return self.value(&inlined.looped, destination);
        }
        let mut items = self.remainder(&looped.expr);
        let extended = self.extend_iterated(&mut items);
        if !extended {
            self.fix_iterated(&mut items);
        }
        let items = self.store_ranges(&items);
        let items = self.store_counts(items);
        if self.dead {
            return;
        }
        let after = self.new_block();
        let changed = Assigned::in_block(&looped.body);
        match self.places(|places| places.iterator(&items, &changed)) {
            Some(mut remake) if !extended => {
                if !self.places(|places| places.are_of_fixed(&items, &remake.deps)) {
                    remake.copies = copied(&looped.pat, &looped.expr);
                }
                if may_exit(&items) {
                    // Made again, it is there; here it may end the function.
                    self.opaque(syn::parse_quote!(let _ = #items;));
                }
                self.for_again(looped, remake, after);
            }
            _ => self.for_owned(looped, items, after),
        }
        self.blocks[after.0].renamed = true;
        self.enter(after);
        self.give(syn::parse_quote!(()), destination);
    }

    /// ```text
    /// for x in groups.entry(key).or_default() { … }   →   { let list = groups.entry(key).or_default(); for x in list { … } }
    /// ```
    fn named_lookup(&self, looped: &ExprForLoop) -> Option<Expr> {
        let mut items = looped.expr.clone();
        let source = source_mut(&mut items);
        if !looks_up(source) {
            return None;
        }
        let name = format_ident!("__saga_list_{}", self.vars.len());
        let found = std::mem::replace(source, syn::parse_quote!(#name));
        let named = ExprForLoop {
            expr: items,
            ..looped.clone()
        };
        Some(syn::parse_quote!({
            let #name = #found;
            #named
        }))
    }

    /// Closures in the head of a loop look at the same in each of its turns.
    fn refuse_replaced(&mut self, body: &syn::Block, closures: &[(ExprClosure, LookedAt)]) {
        if closures.is_empty() {
            return;
        }
        let assigned = Assigned::in_block(body);
        for (closure, looked_at) in closures {
            self.prove_steady(&Expr::Closure(closure.clone()), &assigned, looked_at);
            if assigned.replaces(looked_at).is_some() {
                self.errors.refuse(
                    closure,
                    "a closure in the head of a loop, of what has another value in its body",
                    "it would look at the new value",
                    "another name for what it looks at (`let limit = current;` before the loop, and `limit` in the closure)",
                );
            }
        }
    }

    fn for_again(&mut self, looped: &ExprForLoop, items: Borrow, after: BlockId) {
        let source = self.standing_for(StandsFor::Items, "source", &looped.expr);
        let of = format_ident!("saga_source", span = self.vars[source.0].ident.span());
        let (init, proof) = (&items.init, of_std(&items.calls));
        self.define(
            source,
            syn::parse_quote!({
                #proof
                use ::saga_runtime::__private::{SourceByKey as _, SourceKept as _, SourceLive as _};
                let __saga_items = #init;
                (&&&::saga_runtime::__private::Witness::of(&__saga_items)).#of(__saga_items)
            }),
        );
        let place = self.hidden("place");
        self.vars[place.0].mutable = true;
        self.vars[place.0].persistence = Persistence::Spilled(Form::Number);
        self.define(place, syn::parse_quote!(0usize));
        let head = self.new_block();
        let step = self.new_block();
        self.terminate(Terminator::Goto(head));
        self.enter(head);
        let (index, init) = (self.path(place), &items.init);
        let of = self.path(source);
        // What rustc says of it is said there.
        let span = looped.expr.span().resolved_at(Span::call_site());
        let next: Expr = syn::parse_quote_spanned!(span=> #of.nth(#init, #index));
        let mut deps = items.deps.clone();
        deps.extend([place, source]);
        let remake = Borrow {
            copies: items.copies,
            ..Borrow::of(next.clone(), deps)
        };
        self.open_loop(looped.label.as_ref(), after, step, &Destination::Discard);
        self.body(looped, next, Some(remake), after);
        self.terminate(Terminator::Goto(step));
        self.enclosing.pop();
        self.enter(step);
        self.blocks[step.0].renamed = true;
        let statement = syn::parse_quote!(#index += 1;);
        let mut facts = Facts::default();
        facts.reads.insert(place);
        self.step(Step::Code(Box::new(statement), facts));
        self.terminate(Terminator::Goto(head));
    }

    fn for_owned(&mut self, looped: &ExprForLoop, items: Expr, after: BlockId) {
        let rest = self.standing_for(StandsFor::Items, "rest", &looped.expr);
        self.vars[rest.0].mutable = true;
        if are_texts(&looped.expr) {
            self.vars[rest.0].persistence = Persistence::Spilled(Form::Static);
        }
        let drain = format_ident!("saga_drain", span = self.vars[rest.0].ident.span());
        let drained = syn::parse_quote!({
            use ::saga_runtime::__private::{DrainOther as _, DrainOwned as _};
            let __saga_items = #items;
            (&&::saga_runtime::__private::Witness::of(&__saga_items)).#drain(__saga_items)
        });
        self.define(rest, drained);
        let head = self.new_block();
        self.terminate(Terminator::Goto(head));
        self.enter(head);
        let rest = self.path(rest);
        let next = syn::parse_quote!(#rest.next());
        self.open_loop(looped.label.as_ref(), after, head, &Destination::Discard);
        self.body(looped, next, None, after);
        self.terminate(Terminator::Goto(head));
        self.enclosing.pop();
    }

    /// One turn of a `for`.
    fn body(&mut self, looped: &ExprForLoop, next: Expr, remake: Option<Borrow>, after: BlockId) {
        self.open_scope();
        let mut facts = self.facts(Uses::of_expr(&next));
        let hidden = self.alpha_rename(self.shadowed_by(&looped.pat, remake.as_ref(), false));
        let mut renamed = next;
        crate::ast::rename::rename(&mut renamed, &hidden);
        let pat = &looped.pat;
        let pat: syn::Pat = syn::parse_quote!(::core::option::Option::Some(#pat));
        let declared = self.declare_from(&pat, remake);
        if are_texts(&looped.expr) {
            for id in &declared {
                let var = &mut self.vars[id.0];
                if !var.mutable && var.persistence.hints().is_some() {
                    var.persistence = Persistence::Spilled(Form::Static);
                }
            }
        }
        let bound = Facts {
            defs: declared.into_iter().collect(),
            ..Facts::default()
        };
        facts.defs.clear();
        let body = self.new_block();
        let arms = vec![
            (pat, bound, body),
            (syn::parse_quote!(_), Facts::default(), after),
        ];
        self.terminate(Terminator::Match {
            scrutinee: Box::new(renamed),
            facts,
            arms,
            lets: false,
            copies: false,
        });
        self.enter(body);
        self.block(&looped.body, &Destination::Discard);
        self.abandon_scope();
    }

    /// Ranges in a loop's iterator are evaluated once and stored.
    fn store_ranges(&mut self, items: &Expr) -> Expr {
        let mut items = items.clone();
        match &mut items {
            Expr::Paren(paren) if matches!(strip_parentheses(&paren.expr), Expr::Range(_)) => {
                return self.store_ranges(strip_parentheses(&paren.expr));
            }
            Expr::Range(_) => {
                let range = self.hidden("range");
                self.vars[range.0].persistence = Persistence::Spilled(Form::Untouched);
                self.vars[range.0].stands_for = StandsFor::Items;
                self.define(range, items);
                let range = self.path(range);
                return syn::parse_quote!(#range.clone());
            }
            Expr::MethodCall(call) => {
                let mut before = vec![(*call.receiver).clone()];
                *call.receiver = self.store_ranges(&call.receiver);
                let is_sorted = call.method == "range" || call.method == "range_mut";
                for argument in &mut call.args {
                    let given = argument.clone();
                    let in_any_order = before
                        .iter()
                        .all(|one| in_any_order(one, &given, &|name| self.is_changeable(name)));
                    match argument {
                        // What stands before it is evaluated before it.
                        _ if !in_any_order => break,
                        // That of the keys has no items of its own.
                        Expr::Range(keys) if is_sorted => self.store_ends(keys),
                        _ => *argument = self.store_ranges(argument),
                    }
                    before.push(given);
                }
            }
            _ => {}
        }
        items
    }

    /// The first and the last key, of which each step is given a copy.
    fn store_ends(&mut self, keys: &mut syn::ExprRange) {
        for end in keys.start.iter_mut().chain(&mut keys.end) {
            self.evaluate_end(end);
            if matches!(&**end, Expr::Path(_)) {
                *end = syn::parse_quote!(#end.clone());
            }
        }
    }

    /// ```text
    /// list.iter().skip(SKIPPED)   →   count = SKIPPED; list.iter().skip(count)
    /// ```
    ///
    /// Looked up again, a constant would be that of the code that goes on. Only where the rest is a place, which does
    /// nothing: else what stands before the number may change it.
    fn store_counts(&mut self, mut items: Expr) -> Expr {
        let mut of_a_place = items.clone();
        each_count(&mut of_a_place, &mut |count| *count = syn::parse_quote!(0));
        let found = self.places(|places| places.iterator(&of_a_place, &Assigned::default()));
        if found.is_some() {
            each_count(&mut items, &mut |argument| {
                let count = self.hidden("count");
                self.vars[count.0].persistence = Persistence::Spilled(Form::Number);
                self.define(count, argument.clone());
                *argument = self.path(count);
            });
        }
        items
    }
}

/// The numbers in a chain of iterators that are named, the first one first.
fn each_count(items: &mut Expr, found: &mut impl FnMut(&mut Expr)) {
    let Expr::MethodCall(call) = items else {
        return;
    };
    each_count(&mut call.receiver, found);
    let counts = COUNTED.iter().any(|counted| call.method == counted);
    if let Some(argument) = call.args.first_mut().filter(|_| counts)
        && is_value(argument)
    {
        found(argument);
    }
}

/// Methods of iterators, and of what they are made from, whose first argument is a number.
const COUNTED: &[&str] = &[
    "skip",
    "take",
    "step_by",
    "chunks",
    "chunks_exact",
    "rchunks",
    "chunks_mut",
    "chunks_exact_mut",
    "windows",
    "splitn",
];

/// Whether items are written there, with texts among them: those are there for good, which their types do not say.
///
/// ```text
/// for (key, times) in [("port", 1), ("host", 2)] { … }
/// ```
fn are_texts(items: &Expr) -> bool {
    struct Texts(bool);
    impl<'ast> Visit<'ast> for Texts {
        fn visit_lit_str(&mut self, _: &'ast syn::LitStr) {
            self.0 = true;
        }
    }
    let mut texts = Texts(false);
    texts.visit_expr(items);
    texts.0 && matches!(strip_parentheses(items), Expr::Array(_)) && is_literal(items)
}

/// Whether it names something, and does nothing.
fn is_value(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) => true,
        Expr::Field(field) => is_value(&field.base),
        Expr::Cast(cast) => is_value(&cast.expr),
        Expr::Paren(paren) => is_value(&paren.expr),
        Expr::Group(group) => is_value(&group.expr),
        _ => false,
    }
}

/// ```text
/// for line in lines.by_ref() { … }   →   while let Some(line) = next_of(lines.by_ref()) { … }
/// ```
/// Where it is left early, the iterator has the rest.
fn by_reference(looped: &ExprForLoop) -> Option<ExprWhile> {
    let items = strip_parentheses(&looped.expr);
    let Expr::MethodCall(call) = items else {
        return None;
    };
    if call.method != "by_ref" || !call.args.is_empty() || !is_value(&call.receiver) {
        return None;
    }
    let (pat, body) = (&looped.pat, &looped.body);
    Some(ExprWhile {
        label: looped.label.clone(),
        ..syn::parse_quote!(
            while let ::core::option::Option::Some(#pat) =
                ::saga_runtime::__private::ByRef::next_of(#items)
                #body
        )
    })
}

/// ```text
/// for n in counts.values_mut() { … }   →   for (_, n) in counts.iter_mut() { … }
/// ```
/// What a map's values belong to is found again by their keys.
fn by_entries(looped: &ExprForLoop) -> Option<(ExprForLoop, TokenStream)> {
    let Expr::MethodCall(values) = strip_parentheses(&looped.expr) else {
        return None;
    };
    if values.method != "values_mut" || !values.args.is_empty() {
        return None;
    }
    let (pat, map) = (&looped.pat, &values.receiver);
    let entries = format_ident!("iter_mut", span = values.method.span());
    let entered = ExprForLoop {
        pat: syn::parse_quote!((_, #pat)),
        expr: syn::parse_quote!(#map.#entries()),
        ..looped.clone()
    };
    Some((entered, of_std([values])))
}
