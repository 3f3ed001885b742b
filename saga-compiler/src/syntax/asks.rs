//! Recognising the client's handle, asks on it, and calls that pass it on.

mod carriers;
mod names;
mod put_aside;
mod together;

pub(crate) use together::{JOIN, Join, TRY_JOIN, joins_all};

use std::collections::{HashMap, HashSet};

use syn::{Expr, ExprCall, ExprMethodCall, visit::Visit};

use crate::{
    ast::{
        calls::{called, callee, is_boxing, is_nested, is_self, is_some, strip_parentheses},
        exits::is_left_or_awaited,
        vocabulary::{Method, SLEEP, TRY_SLEEP, is_pause, is_question, tells},
    },
    syntax::{asks::carriers::ends, attribute::Arguments},
};

/// The names by which a function knows the client's handle, and what is said of the functions that
/// it calls.
#[derive(Default, Clone)]
pub(crate) struct Handles {
    /// Each with whether it is a `Cx`.
    names: HashMap<String, bool>,
    /// Structs that are made with the handle in them, each with the fields that are the handle.
    carriers: HashMap<String, Vec<String>>,
    /// Where the function knows no handle and no ask is seen, its parameters: what is given one of them may ask.
    unseen: HashSet<String>,
    /// What has a field that asks, as it stands in the text: its own methods may ask by that, and what it is given to.
    holders: HashSet<String>,
    /// Fields in which there is such a struct.
    holding: HashSet<String>,
    said: Arguments,
}

/// An ask as it stands in the text.
pub(crate) struct Ask<'e> {
    pub(crate) method: Method,
    /// The call that asks; of a question the last one that says something of it.
    pub(crate) call: &'e ExprMethodCall,
    pub(crate) limit: Option<Limit<'e>>,
}

/// What may end an ask before its answer, or a call before it is done.
#[derive(Clone, Copy)]
pub(crate) enum Limit<'e> {
    /// `timeout(duration, ask)`.
    Timeout(&'e Expr),
    /// `timeout_at(instant, ask)`.
    TimeoutAt(&'e Expr),
    /// The other branch of a `select!`, and whether it stands first.
    Race(&'e Expr, bool),
}

/// What a `select!` of an ask and another future is written as before lowering.
pub(crate) const RACE: &str = "__saga_race";

/// The same of a call that may ask, where the other future stands first.
pub(crate) const RACE_BEHIND: &str = "__saga_race_behind";

/// A question to the handle about what the client can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ability {
    ElicitationModes,
    SamplingTools,
    PeerInfo,
}

impl<'e> Ask<'e> {
    /// The calls that the ask is made of, the last one first.
    pub(crate) fn links(&self) -> impl Iterator<Item = &'e ExprMethodCall> + use<'e> {
        let single = self.method != Method::Question;
        std::iter::successors(Some(self.call), move |call| match &*call.receiver {
            Expr::MethodCall(inner) if !single && !is_question(&call.method.to_string()) => {
                Some(inner)
            }
            _ => None,
        })
    }

    /// The call of the handle's method.
    pub(crate) fn base(&self) -> &'e ExprMethodCall {
        self.links().last().unwrap_or(self.call)
    }

    /// Whether it asks nobody.
    pub(crate) fn is_pause(&self) -> bool {
        is_pause(&self.base().method)
    }

    /// The key that the author chose, where it is in the text.
    pub(crate) fn key(&self) -> Option<String> {
        self.links()
            .filter(|link| self.method == Method::Question && link.method == "key")
            .find_map(|link| match link.args.first() {
                Some(Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Str(key),
                    ..
                })) => Some(key.value()),
                _ => None,
            })
    }

    /// Whether it has a time limit of its own.
    pub(crate) fn has_timeout(&self) -> bool {
        let limits = |link: &ExprMethodCall| link.method == "timeout";
        self.method.has_timeout() || (self.method == Method::Question && self.links().any(limits))
    }
}

impl Handles {
    /// The handle parameters of `signature`, and what `body` calls them.
    pub(crate) fn of(signature: &syn::Signature, body: &syn::Block, said: Arguments) -> Self {
        let mut handles = Self {
            names: HashMap::new(),
            carriers: HashMap::new(),
            unseen: HashSet::new(),
            holders: HashSet::new(),
            holding: HashSet::new(),
            said,
        };
        names::collect(&mut handles, signature, body);
        handles.holders = carriers::holders(&handles, body);
        if !handles.suspends_in(body) {
            match handles.names.is_empty() {
                true => names::add_unseen(&mut handles, signature, body),
                false => carriers::add_made(&mut handles, body),
            }
        }
        handles
    }

    /// Whether the handle has no name here.
    pub(crate) fn is_unseen(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether `name` is one of them.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// `peer`, `context.peer`, `&peer`, `peer.clone()`, `self.peer`, …
    pub(crate) fn is_handle(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => match path.path.get_ident() {
                Some(ident) => self.contains(&ident.to_string()),
                None => is_nobody(&path.path),
            },
            Expr::Field(field) => self.is_handle_field(field),
            Expr::Reference(reference) => self.is_handle(&reference.expr),
            Expr::Paren(paren) => self.is_handle(&paren.expr),
            Expr::Group(group) => self.is_handle(&group.expr),
            Expr::Unary(unary) => self.is_handle(&unary.expr),
            Expr::Call(call) => is_cx_of(expr, self) || self.is_cloned(call),
            Expr::MethodCall(call) => {
                matches!(
                    call.method.to_string().as_str(),
                    "clone" | "to_owned" | "as_ref" | "peer" | "request"
                ) && call.args.is_empty()
                    && self.is_handle(&call.receiver)
            }
            _ => false,
        }
    }

    /// The same, at the end of a block or in a branch.
    fn gives_handle(&self, expr: &Expr) -> bool {
        let mut ends = ends(expr).into_iter();
        self.is_handle(expr) || ends.any(|end| self.gives_handle(end))
    }

    /// `Arc::clone(&context)`.
    fn is_cloned(&self, call: &ExprCall) -> bool {
        let Expr::Path(path) = &*call.func else {
            return false;
        };
        let mut segments = path.path.segments.iter().rev();
        segments.next().is_some_and(|last| last.ident == "clone")
            && segments
                .next()
                .is_some_and(|owner| owner.ident == "Arc" || owner.ident == "Clone")
            && call.args.len() == 1
            && call.args.iter().all(|argument| self.is_handle(argument))
    }

    /// An ask: one of the methods on the handle, perhaps with a limit around it.
    pub(crate) fn ask<'e>(&self, expr: &'e Expr) -> Option<Ask<'e>> {
        match limited(expr) {
            Some((inner, limit)) => {
                let inner = self.bare_ask(inner)?;
                let limit = Some(limit);
                Some(Ask { limit, ..inner })
            }
            None => self.bare_ask(expr),
        }
    }

    /// A call that may ask, with a limit around it.
    pub(crate) fn limited_call<'e>(&self, expr: &'e Expr) -> Option<(&'e Expr, Limit<'e>)> {
        let (inner, limit) = limited(expr)?;
        let is_call = self.ask(inner).is_none() && self.passes(inner);
        is_call.then_some((inner, limit))
    }

    fn bare_ask<'e>(&self, expr: &'e Expr) -> Option<Ask<'e>> {
        let Expr::MethodCall(call) = expr else {
            return None;
        };
        let limit = None;
        if self.asks_by_cx(call) {
            let method = Method::Question;
            return Some(Ask {
                method,
                call,
                limit,
            });
        }
        let name = call.method.to_string();
        let method = Method::of(&name)?;
        let ask = Ask {
            method,
            call,
            limit,
        };
        if self.is_handle(&call.receiver) {
            return (!self.is_cx(&call.receiver)).then_some(ask);
        }
        // The receiver's type has the last word; a method of one's own is given the handle.
        let own = is_self(strip_parentheses(&call.receiver))
            || call.args.iter().any(|given| self.is_handle(given))
            || self.said.plain.contains(&name)
            || self.is_own_ask(call);
        (!own).then_some(ask)
    }

    /// A method of the author's with the name of an ask, as `asks(..)` says: where it is looked for again, its receiver's type
    /// has the last word.
    pub(crate) fn is_own_ask(&self, call: &ExprMethodCall) -> bool {
        let name = call.method.to_string();
        Method::of(&name).is_some()
            && self.said.asks.contains(&name)
            && !self.is_handle(&call.receiver)
            && !is_left_or_awaited(&call.receiver)
    }

    /// `cx.elicit::<T>(..)`, and what is said of the question.
    fn asks_by_cx(&self, call: &ExprMethodCall) -> bool {
        match &*call.receiver {
            receiver if self.is_cx(receiver) => is_question(&call.method.to_string()),
            Expr::MethodCall(inner) => self.asks_by_cx(inner),
            _ => false,
        }
    }

    /// `cx`, `&cx`, `cx.clone()`.
    fn is_cx(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => {
                let name = path.path.get_ident();
                name.is_some_and(|name| self.names.get(&name.to_string()) == Some(&true))
            }
            Expr::Reference(reference) => self.is_cx(&reference.expr),
            Expr::Paren(paren) => self.is_cx(&paren.expr),
            Expr::Group(group) => self.is_cx(&group.expr),
            Expr::MethodCall(call) => {
                call.method == "clone" && call.args.is_empty() && self.is_cx(&call.receiver)
            }
            _ => is_cx_of(expr, self),
        }
    }

    /// A question about the client's abilities.
    pub(crate) fn ability(&self, call: &ExprMethodCall) -> Option<Ability> {
        let ability = match call.method.to_string().as_str() {
            "supported_elicitation_modes" => Ability::ElicitationModes,
            "supports_sampling_tools" => Ability::SamplingTools,
            "peer_info" => Ability::PeerInfo,
            _ => return None,
        };
        self.is_handle(&call.receiver).then_some(ability)
    }

    /// ```text
    /// saga_runtime::sleep(length)   →   Nobody.__saga_sleep(length)
    /// ```
    pub(crate) fn sleep(&self, call: &ExprCall) -> Option<Expr> {
        let Expr::Path(path) = &*call.func else {
            return None;
        };
        let mut segments = path.path.segments.iter().rev();
        let (last, of) = (segments.next()?, segments.next()?);
        let runtime = self.said.runtime.as_ref();
        let runtime = runtime.and_then(|path| path.segments.last());
        let ours = of.ident == "saga_runtime" || runtime.is_some_and(|ours| ours.ident == of.ident);
        let name = match last.ident.to_string().as_str() {
            "sleep" => SLEEP,
            "try_sleep" => TRY_SLEEP,
            _ => return None,
        };
        if !ours || call.args.len() != 1 {
            return None;
        }
        let sleep = quote::format_ident!("{name}", span = last.ident.span());
        let length = &call.args;
        Some(syn::parse_quote!(::saga_runtime::__private::Nobody.#sleep(#length)))
    }

    /// A call that may suspend: it is given the handle, or the author says so.
    pub(crate) fn passes(&self, expr: &Expr) -> bool {
        let callee_is_in =
            |names: &HashSet<String>| !names.is_empty() && names.contains(&called(expr));
        if callee_is_in(&self.said.plain) {
            return false;
        }
        if callee_is_in(&self.said.asks) || is_nested(expr) {
            return true;
        }
        let limits = limited(expr).is_some();
        let given = |argument: &Expr| self.may_hold(argument, !limits);
        match callee(expr) {
            Expr::Call(call) => !is_some(&call.func) && call.args.iter().any(given),
            Expr::MethodCall(call) => {
                // A trait of the author's may have more methods on the handle.
                let asked = || self.is_handle(&call.receiver) || self.asks_carrier(call);
                call.args.iter().any(given) || (asked() && !tells(&call.method))
            }
            _ => false,
        }
    }

    /// Two limits, one around the other, around a call that may ask.
    pub(crate) fn limited_twice(&self, expr: &Expr) -> bool {
        limited(expr).is_some_and(|(inner, _)| {
            self.limited_call(inner).is_some() || self.limited_twice(inner)
        })
    }

    /// The variables that awaited calls in `stmt` are given: none of them may be a handle, by its type.
    pub(crate) fn given_in(&self, stmt: &syn::Stmt) -> Vec<syn::Ident> {
        struct Given<'a> {
            handles: &'a Handles,
            names: Vec<syn::Ident>,
        }
        impl<'ast> Visit<'ast> for Given<'_> {
            fn visit_expr_await(&mut self, awaited: &'ast syn::ExprAwait) {
                let given = self.handles.given_to(&awaited.base);
                self.names.extend(given.into_iter().cloned());
                syn::visit::visit_expr_await(self, awaited);
            }

            fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

            fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}

            fn visit_item(&mut self, _: &'ast syn::Item) {}
        }
        let mut given = Given {
            handles: self,
            names: Vec::new(),
        };
        given.visit_stmt(stmt);
        given.names
    }

    /// The variables that an awaited call is given, where it is not said to be one that never asks.
    pub(crate) fn given_to<'e>(&self, base: &'e Expr) -> Vec<&'e syn::Ident> {
        let all = self.all_given_to(base).into_iter();
        let named = all.filter_map(|given| match peer_of(given) {
            Expr::Path(path) => path.path.get_ident(),
            _ => None,
        });
        named.collect()
    }

    /// The same of fields.
    pub(crate) fn fields_given_to<'e>(&self, base: &'e Expr) -> Vec<&'e Expr> {
        let all = self.all_given_to(base).into_iter();
        all.filter(|given| matches!(given, Expr::Field(_)))
            .collect()
    }

    fn all_given_to<'e>(&self, base: &'e Expr) -> Vec<&'e Expr> {
        let call = callee(base);
        if self.said.plain.contains(&called(call)) {
            return Vec::new();
        }
        given_in_call(call).map(made_of).collect()
    }

    /// The `self` that an awaited call is made of, and the call's name, where it is not said to be one that never asks.
    pub(crate) fn asked_of_self<'e>(&self, base: &'e Expr) -> Option<(&'e Expr, &'e syn::Ident)> {
        let Expr::MethodCall(call) = callee(base) else {
            return None;
        };
        let receiver = strip_parentheses(&call.receiver);
        let is_plain = tells(&call.method) || self.said.plain.contains(&call.method.to_string());
        (is_self(receiver) && !is_plain).then_some((receiver, &call.method))
    }

    /// Whether awaiting `base` may suspend.
    pub(crate) fn suspends(&self, base: &Expr) -> bool {
        let base = strip_parentheses(base);
        self.ask(base).is_some()
            || self.join(base).is_some()
            || self.limited_call(base).is_some()
            || self.passes(base)
    }

    /// Whether a suspension point is anywhere in `expr`, closures and async blocks apart.
    pub(crate) fn contains_suspension(&self, expr: &Expr) -> bool {
        self.finds(|finder| finder.visit_expr(expr))
    }

    /// The same, in a block.
    pub(crate) fn suspends_in(&self, block: &syn::Block) -> bool {
        self.finds(|finder| finder.visit_block(block))
    }

    /// The same, in a statement.
    pub(crate) fn suspends_at(&self, stmt: &syn::Stmt) -> bool {
        self.finds(|finder| finder.visit_stmt(stmt))
    }

    fn finds(&self, visit: impl FnOnce(&mut Finder<'_>)) -> bool {
        let mut finder = Finder {
            handles: self,
            found: false,
        };
        visit(&mut finder);
        finder.found
    }
}

/// A future with a limit around it.
fn limited(expr: &Expr) -> Option<(&Expr, Limit<'_>)> {
    let Expr::Call(call) = expr else { return None };
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    let [first, second] = call.args.iter().collect::<Vec<_>>()[..] else {
        return None;
    };
    let name = path.path.segments.last()?.ident.to_string();
    let (inner, limit) = match name.as_str() {
        "timeout" => (second, Limit::Timeout(first)),
        "timeout_at" => (second, Limit::TimeoutAt(first)),
        RACE => (first, Limit::Race(second, false)),
        RACE_BEHIND => (first, Limit::Race(second, true)),
        _ => return None,
    };
    let inner = match strip_parentheses(inner) {
        Expr::MethodCall(boxed) if is_boxing(boxed) => strip_parentheses(&boxed.receiver),
        inner => inner,
    };
    Some((inner, limit))
}

/// What a call is given.
fn given_in_call(call: &Expr) -> impl Iterator<Item = &Expr> {
    let args = match call {
        Expr::Call(call) => Some(&call.args),
        Expr::MethodCall(call) => Some(&call.args),
        _ => None,
    };
    args.into_iter().flatten()
}

/// Of a `peer`, what it is the peer of.
fn peer_of(expr: &Expr) -> &Expr {
    match expr {
        Expr::Field(field) if matches!(&field.member, syn::Member::Named(name) if name == "peer") => {
            peer_of(made_of(&field.base))
        }
        other => other,
    }
}

/// What a clone, a reference or an envelope of std's is made of: `Arc::clone(&peer)`, `Some(peer.clone())`.
fn made_of(expr: &Expr) -> &Expr {
    match strip_parentheses(expr) {
        Expr::Reference(reference) => made_of(&reference.expr),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => made_of(&unary.expr),
        Expr::MethodCall(call)
            if call.args.is_empty() && (call.method == "clone" || call.method == "as_ref") =>
        {
            made_of(&call.receiver)
        }
        Expr::Call(ExprCall { func, args, .. }) if args.len() == 1 && is_envelope(func) => {
            args.first().map_or(expr, made_of)
        }
        other => other,
    }
}

/// `Some`, `Arc::new`, `Arc::clone`, …
fn is_envelope(func: &Expr) -> bool {
    let Expr::Path(path) = func else { return false };
    let mut segments = path.path.segments.iter().rev();
    let (last, owner) = (segments.next(), segments.next());
    let is_any = |of: Option<&syn::PathSegment>, names: &[&str]| {
        of.is_some_and(|of| names.iter().any(|name| of.ident == name))
    };
    match owner {
        None => is_some(func),
        Some(_) => is_any(last, &["new", "clone"]) && is_any(owner, &["Arc", "Rc", "Box", "Clone"]),
    }
}

/// On whom a sleep is written as a method.
fn is_nobody(path: &syn::Path) -> bool {
    path.segments
        .last()
        .is_some_and(|last| last.ident == "Nobody")
        && path
            .segments
            .iter()
            .any(|segment| segment.ident == "__private")
}

/// Whether it is `saga_runtime::sleep(..)`, as it is written before lowering.
pub(crate) fn sleeps(expr: &Expr) -> Option<&ExprMethodCall> {
    match strip_parentheses(expr) {
        Expr::MethodCall(call) if call.method == SLEEP => Some(call),
        _ => None,
    }
}

/// `Cx::from(context)`.
fn is_cx_of(expr: &Expr, handles: &Handles) -> bool {
    let Expr::Call(call) = expr else { return false };
    let Expr::Path(path) = &*call.func else {
        return false;
    };
    let mut segments = path.path.segments.iter().rev();
    segments.next().is_some_and(|last| last.ident == "from")
        && segments.next().is_some_and(|owner| owner.ident == "Cx")
        && call.args.iter().all(|argument| handles.is_handle(argument))
}

struct Finder<'a> {
    handles: &'a Handles,
    found: bool,
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            _ if self.found => {}
            Expr::Await(awaited) if self.handles.suspends(&awaited.base) => self.found = true,
            Expr::Closure(_) | Expr::Async(_) => {}
            other => syn::visit::visit_expr(self, other),
        }
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}
