//! Lookups: what is found in a place to be changed, and is looked up again where the call goes on.

use proc_macro2::Span;
use quote::format_ident;
use syn::{Expr, ExprMethodCall, Ident, Pat, spanned::Spanned};

use super::{
    place::{Borrow, Places, is_one_of},
    proof::{of_std, prove_place},
};

use crate::{
    ast::{
        calls::{is_literal, strip_parentheses},
        uses::root_name,
    },
    cfg::{
        VarId,
        evaluation::{again, changes_error, takes_value_out},
        persistence::Persistence,
    },
};

/// Methods of std's collections that look for an item to be changed.
const LOOKUPS: &[&str] = &[
    "get_mut",
    "first_mut",
    "last_mut",
    "front_mut",
    "back_mut",
    "as_mut",
    "as_mut_slice",
    "split_at_mut",
    "split_first_mut",
    "split_last_mut",
    "as_deref_mut",
    "as_array_mut",
    "as_object_mut",
    "pointer_mut",
];

/// Those of serde_json's `Value`, which are given by their paths, too.
const JSON: &[&str] = &["as_array_mut", "as_object_mut"];

/// Methods of iterators that give one of the items, and have their like in the runtime.
const SEARCHES: &[(&str, usize)] = &[
    ("find", 1),
    ("max_by_key", 1),
    ("min_by_key", 1),
    ("max_by", 1),
    ("min_by", 1),
    ("nth", 1),
    ("next", 0),
    ("last", 0),
];

/// Methods of an entry that give what is there from then on.
const ENTERING: &[&str] = &["or_default", "or_insert", "or_insert_with"];

/// Methods of an option that give what is in it from then on.
const FILLING: &[&str] = &["get_or_insert", "get_or_insert_with"];

impl Places<'_> {
    /// The key of an entry that is made in a place, if need be.
    ///
    /// ```text
    /// groups.entry(key).or_default()
    /// ```
    pub(crate) fn entered_by<'e>(&self, init: &'e mut Expr) -> Option<&'e mut Expr> {
        let entry = entered(init).filter(|entry| self.changed_item(&entry.receiver).is_some())?;
        entry.args.first_mut()
    }

    /// An option has a value from then on.
    fn filled(&self, init: &mut Expr) -> Option<Vec<VarId>> {
        let found = value_of(init);
        let Expr::MethodCall(call) = &mut *found else {
            return None;
        };
        if !is_one_of(call, FILLING) || call.args.len() != 1 {
            return None;
        }
        let deps = self.changed_item(&call.receiver)?.deps;
        prove_place(&mut call.receiver, true);
        let option = &call.receiver;
        *found = syn::parse_quote!(#option.__saga_indexed_mut().as_mut().unwrap());
        Some(deps)
    }

    /// An entry is made by a copy of the key: it is found again by the key.
    fn entered(&self, init: &mut Expr) -> Option<Vec<VarId>> {
        let mut found = {
            let entry = entered(init)?;
            let by = match strip_parentheses(entry.args.first()?) {
                Expr::Call(copy) => copy.args.first()?.clone(),
                _ => return None,
            };
            let deps = self
                .changed_item(&entry.receiver)?
                .join(self.argument(&by)?.1)
                .deps;
            prove_place(&mut entry.receiver, true);
            let map = &entry.receiver;
            (
                syn::parse_quote!(#map.__saga_indexed_mut().get_mut(#by).unwrap()),
                deps,
            )
        };
        std::mem::swap(value_of(init), &mut found.0);
        Some(found.1)
    }

    /// The arguments of a lookup that would be others when it is looked up again, in order.
    pub(crate) fn changing<'e>(&self, init: &'e mut Expr) -> Vec<&'e mut Expr> {
        match lookup(init) {
            Some(call) if self.changed_item(&call.receiver).is_some() => {
                let arguments = call.args.iter_mut();
                arguments
                    .filter(|argument| self.is_changing(argument))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    fn is_changing(&self, argument: &Expr) -> bool {
        let lent = matches!(strip_parentheses(argument), Expr::Reference(lent)
            if root_name(&lent.expr).is_some_and(|root| self.taken.contains(&root)));
        lent || self.argument(argument).is_none()
    }

    /// The search among items that are to be changed, in an expression that makes nothing but a value of what it finds.
    ///
    /// ```text
    /// list.iter_mut().find(|item| item.id == id).ok_or(error)?
    /// ```
    pub(crate) fn searched<'e>(&self, init: &'e mut Expr) -> Option<&'e mut Expr> {
        let found = value_of(init);
        let Expr::MethodCall(call) = &*found else {
            return None;
        };
        let mut known = SEARCHES.iter();
        let searches = known
            .any(|(name, arguments)| is_one_of(call, &[name]) && call.args.len() == *arguments);
        let among =
            searches && (gives_to_change(&call.receiver) || self.lists_constants(&call.receiver));
        (among && self.iterated(&call.receiver).is_some()).then_some(found)
    }

    /// Whether a chain of iterators begins with a list that is made again in each block.
    ///
    /// ```text
    /// let commands = [("push", push), ("clear", clear)]; commands.iter().find(..)
    /// ```
    fn lists_constants(&self, items: &Expr) -> bool {
        if let Expr::MethodCall(call) = strip_parentheses(items) {
            return self.lists_constants(&call.receiver);
        }
        let list = root_name(items).and_then(|name| (self.names)(&name));
        list.is_some_and(|list| match self.vars[list.0].persistence {
            Persistence::Reborrowed(id) => self.reborrows.get(id.0).is_some_and(|made| {
                let list = match &made.init {
                    Expr::Reference(lent) => &lent.expr,
                    list => list,
                };
                made.deps.is_empty() && matches!(list, Expr::Array(_) | Expr::Macro(_))
            }),
            _ => false,
        })
    }

    /// The macro's own variable for what a search has found.
    fn found(&self, expr: &Expr) -> Option<VarId> {
        let Expr::Path(path) = expr else { return None };
        let id = (self.names)(&path.path.get_ident()?.to_string())?;
        let var = &self.vars[id.0];
        let found = var.hidden && matches!(var.persistence, Persistence::Reborrowed(_));
        found.then_some(id)
    }

    /// ```text
    /// list.get_mut(n).ok_or(error)?
    /// ```
    pub(crate) fn looked_up(&self, init: &Expr) -> Option<Borrow> {
        let mut init = init.clone();
        if let Some(found) = self.found(value_of(&mut init)) {
            return Some(Borrow::of(again(&init), vec![found]));
        }
        if let Some(deps) = self.entered(&mut init).or_else(|| self.filled(&mut init)) {
            return Some(Borrow::of(again(&init), deps));
        }
        if let Some(deps) = self.found_inside(&mut init) {
            return Some(Borrow::of(again(&init), deps));
        }
        let call = lookup(&mut init)?;
        let within = self.found_in(&call.receiver)?;
        let mut deps = within.deps;
        for argument in &call.args {
            deps.extend(self.argument(argument)?.1.deps);
        }
        if let Some((name, _)) = &within.named {
            *call.receiver = syn::parse_quote!(#name);
        }
        let called = call.clone();
        if within.named.is_none() {
            prove_place(&mut call.receiver, true);
        }
        let receiver = &call.receiver;
        let proof = match call.method == "as_deref_mut" {
            true => "__saga_behind_mut",
            false => "__saga_indexed_mut",
        };
        // What rustc says of it is said there.
        let span = receiver.span().resolved_at(Span::call_site());
        let proof = format_ident!("{proof}", span = span);
        *call.receiver = syn::parse_quote!(#receiver.#proof());
        let proof = of_std([&called]);
        let init = again(&init);
        let found = match within.named {
            Some((name, of)) => syn::parse_quote!(match #of { #name => { #proof #init } }),
            None => syn::parse_quote!({ #proof #init }),
        };
        Some(Borrow::of(found, deps))
    }

    /// What a lookup looks in: a place, or what another one has found in one.
    ///
    /// ```text
    /// doc.get_mut("items")?.as_array_mut()
    /// ```
    fn found_in(&self, of: &Expr) -> Option<Within> {
        if let Some(place) = self.changed_item(of) {
            return Some(Within {
                deps: place.deps,
                named: None,
            });
        }
        let mut outer = of.clone();
        let by = &lookup(&mut outer)?.args;
        if by.iter().any(|argument| self.is_changing(argument)) {
            return None;
        }
        let found = self.looked_up(of)?;
        Some(Within {
            deps: found.deps,
            named: Some((format_ident!("__saga_within"), found.init)),
        })
    }

    /// The same where the other one may have found nothing.
    ///
    /// ```text
    /// doc.get_mut("servers").and_then(Value::as_object_mut)
    /// ```
    fn found_inside(&self, init: &mut Expr) -> Option<Vec<VarId>> {
        let call = match value_of(init) {
            Expr::MethodCall(call) if looks_inside(call) => call,
            _ => return None,
        };
        let within = self.found_in(&call.receiver)?;
        *call.receiver = within.named?.1;
        let by = call.args.first_mut()?;
        let (item, mut found) = lookup_by(by)?;
        if found.args.iter().any(|argument| !is_literal(argument)) {
            return None;
        }
        let proof = of_std([&found]);
        let receiver = &found.receiver;
        let span = receiver.span().resolved_at(Span::call_site());
        let indexed = format_ident!("__saga_indexed_mut", span = span);
        *found.receiver = syn::parse_quote!(#receiver.#indexed());
        *by = syn::parse_quote!(|#item| { #proof #found });
        Some(within.deps)
    }
}

/// What a lookup looks in.
struct Within {
    deps: Vec<VarId>,
    /// What another one has found, under a name: what proves that methods are std's is in the way of those in it.
    named: Option<(Ident, Expr)>,
}

/// Whether a method looks inside of what may have been found.
fn looks_inside(call: &ExprMethodCall) -> bool {
    is_one_of(call, &["and_then"]) && call.args.len() == 1
}

/// The lookup that a function is, and what binds its argument. That a path leads to a method of a type, and not of a trait, the
/// argument's type says.
fn lookup_by(function: &Expr) -> Option<(Pat, ExprMethodCall)> {
    match strip_parentheses(function) {
        Expr::Path(path) if path.qself.is_none() => {
            let mut of = path.path.clone();
            let method = of.segments.pop()?.ident;
            of.segments.pop_punct();
            let known = of.segments.last().is_some_and(|of| of.ident == "Value")
                && JSON.iter().any(|name| method == name);
            let item = format_ident!("__saga_item");
            let argument = Pat::Type(syn::parse_quote!(#item: &mut #of));
            known.then(|| {
                let span = path.span();
                (argument, syn::parse_quote_spanned!(span=> #item.#method()))
            })
        }
        Expr::Closure(closure) if closure.capture.is_none() && closure.inputs.len() == 1 => {
            match (closure.inputs.first(), strip_parentheses(&closure.body)) {
                (Some(argument @ Pat::Ident(item)), Expr::MethodCall(call))
                    if is_one_of(call, LOOKUPS)
                        && matches!(strip_parentheses(&call.receiver), Expr::Path(path)
                            if path.path.is_ident(&item.ident)) =>
                {
                    Some((argument.clone(), call.clone()))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The lookup in an expression that makes nothing but a value of what it finds.
fn lookup(init: &mut Expr) -> Option<&mut ExprMethodCall> {
    match value_of(init) {
        Expr::MethodCall(call) if is_one_of(call, LOOKUPS) => Some(call),
        _ => None,
    }
}

/// The call that gives an entry.
fn entered(init: &mut Expr) -> Option<&mut ExprMethodCall> {
    match value_of(init) {
        Expr::MethodCall(call) if is_one_of(call, ENTERING) => entry(&mut call.receiver),
        _ => None,
    }
}

/// The entry itself, before what changes it.
fn entry(of: &mut Expr) -> Option<&mut ExprMethodCall> {
    let Expr::MethodCall(call) = of else {
        return None;
    };
    match call.method.to_string().as_str() {
        "and_modify" if call.args.len() == 1 => entry(&mut call.receiver),
        "entry" if call.args.len() == 1 => Some(call),
        _ => None,
    }
}

/// What a value is taken out of. What only another error is made of is a value of its own: it is not made again.
pub(super) fn value_of(init: &mut Expr) -> &mut Expr {
    match strip_parentheses(init) {
        Expr::MethodCall(call) if changes_error(call) => init,
        _ => taken_out_of(init),
    }
}

fn taken_out_of(init: &mut Expr) -> &mut Expr {
    if matches!(&*init, Expr::MethodCall(call) if !takes_value_out(call)) {
        return init;
    }
    match init {
        Expr::Paren(paren) => taken_out_of(&mut paren.expr),
        Expr::Group(group) => taken_out_of(&mut group.expr),
        Expr::Try(tried) => taken_out_of(&mut tried.expr),
        Expr::MethodCall(call) => taken_out_of(&mut call.receiver),
        other => other,
    }
}

/// Whether something in a place is looked up to be changed, as far as names say: nothing is made on the way that would go before what is
/// found there.
pub(crate) fn looks_up(expr: &Expr) -> bool {
    let is_place = |expr: &Expr| root_name(expr).is_some();
    match strip_parentheses(expr) {
        Expr::Try(tried) => looks_up(&tried.expr),
        Expr::MethodCall(call) if takes_value_out(call) => looks_up(&call.receiver),
        Expr::MethodCall(call) if looks_inside(call) => looks_up(&call.receiver),
        Expr::MethodCall(call) if is_one_of(call, LOOKUPS) || is_one_of(call, FILLING) => {
            is_place(&call.receiver) || looks_up(&call.receiver)
        }
        Expr::MethodCall(call) if is_one_of(call, ENTERING) => {
            let entered = entry(&mut call.receiver.clone()).map(|entry| is_place(&entry.receiver));
            entered == Some(true)
        }
        Expr::MethodCall(call) if SEARCHES.iter().any(|(name, _)| call.method == name) => {
            matches!(strip_parentheses(&call.receiver), Expr::MethodCall(items)
                if items.method.to_string().ends_with("_mut") && is_place(&items.receiver))
        }
        _ => false,
    }
}

/// Whether a chain of iterators begins with one that gives its items to be changed.
fn gives_to_change(items: &Expr) -> bool {
    match strip_parentheses(items) {
        Expr::MethodCall(call) => {
            call.method.to_string().ends_with("_mut") || gives_to_change(&call.receiver)
        }
        _ => false,
    }
}
