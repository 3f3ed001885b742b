//! Recognising the client's handle, asks on it, and calls that pass it on.

use std::collections::HashSet;

use syn::{Expr, ExprCall, ExprMethodCall, visit::Visit};

use crate::{
    boxed::is_box_pin,
    resolve::{is_handle_type, pattern_bindings},
    words::Words,
};

/// The names by which a function knows the client's handle, and what is said of the functions that
/// it calls.
#[derive(Default, Debug)]
pub(crate) struct Handles {
    names: HashSet<String>,
    words: Words,
}

/// A method of the handle that asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Elicit,
    ElicitWithTimeout,
    ElicitUrl,
    ElicitUrlWithTimeout,
    CreateElicitation,
    CreateElicitationWithTimeout,
    CreateMessage,
    ListRoots,
}

/// An ask as it stands in the text.
pub(crate) struct Ask<'e> {
    pub(crate) method: Method,
    pub(crate) call: &'e ExprMethodCall,
    pub(crate) limit: Option<Limit<'e>>,
}

/// What may end an ask before its answer.
#[derive(Clone, Copy)]
pub(crate) enum Limit<'e> {
    /// `timeout(duration, ask)`.
    Timeout(&'e Expr),
    /// The other branch of a `select!`.
    Race(&'e Expr),
}

/// Several futures that are awaited together.
pub(crate) enum Join<'e> {
    /// `join!`, or `try_join!`.
    All(&'e syn::punctuated::Punctuated<Expr, syn::Token![,]>, bool),
    /// `join_all(items.map(closure))`.
    Each(&'e Expr, &'e syn::ExprClosure),
}

/// What a `join!` is written as before lowering.
pub(crate) const JOIN: &str = "__saga_join";
/// What a `try_join!` is written as before lowering.
pub(crate) const TRY_JOIN: &str = "__saga_try_join";

/// What a `select!` of an ask and another future is written as before lowering.
pub(crate) const RACE: &str = "__saga_race";

/// A question to the handle about what the client can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ability {
    ElicitationModes,
    SamplingTools,
    PeerInfo,
}

/// The methods that ask, by name.
const METHODS: &[(&str, Method)] = &[
    ("elicit", Method::Elicit),
    ("elicit_with_timeout", Method::ElicitWithTimeout),
    ("elicit_url", Method::ElicitUrl),
    ("elicit_url_with_timeout", Method::ElicitUrlWithTimeout),
    ("create_elicitation", Method::CreateElicitation),
    (
        "create_elicitation_with_timeout",
        Method::CreateElicitationWithTimeout,
    ),
    ("create_message", Method::CreateMessage),
    ("list_roots", Method::ListRoots),
];

impl Method {
    /// The method's name.
    pub(crate) fn name(self) -> &'static str {
        let known = METHODS.iter().find(|(_, method)| *method == self);
        known.map_or("", |(name, _)| name)
    }

    /// Whether a time limit is among its arguments.
    pub(crate) fn has_timeout(self) -> bool {
        matches!(
            self,
            Self::ElicitWithTimeout
                | Self::ElicitUrlWithTimeout
                | Self::CreateElicitationWithTimeout
        )
    }

    /// The method of this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        METHODS
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, method)| *method)
    }
}

impl Handles {
    /// The handle parameters of `signature`, and what `body` calls them.
    pub(crate) fn of(signature: &syn::Signature, body: &syn::Block, words: Words) -> Self {
        let mut handles = Self {
            names: HashSet::new(),
            words,
        };
        for input in &signature.inputs {
            if let syn::FnArg::Typed(param) = input
                && is_handle_type(&param.ty)
            {
                handles
                    .names
                    .extend(pattern_bindings(&param.pat).map(|binding| binding.ident.to_string()));
            }
        }
        let mut aliases = Aliases(&mut handles);
        aliases.visit_block(body);
        handles
    }

    /// Whether the function can ask nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.words.asks.is_empty()
    }

    /// Whether `name` is one of them.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// `peer`, `context.peer`, `&peer`, `peer.clone()`, `self.peer`, …
    pub(crate) fn is_handle(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => path
                .path
                .get_ident()
                .is_some_and(|ident| self.contains(&ident.to_string())),
            Expr::Field(field) => {
                matches!(&field.member, syn::Member::Named(name) if name == "peer")
                    && (self.is_handle(&field.base) || is_self(&field.base))
            }
            Expr::Reference(reference) => self.is_handle(&reference.expr),
            Expr::Paren(paren) => self.is_handle(&paren.expr),
            Expr::Group(group) => self.is_handle(&group.expr),
            Expr::Unary(unary) => self.is_handle(&unary.expr),
            Expr::MethodCall(call) => {
                matches!(
                    call.method.to_string().as_str(),
                    "clone" | "to_owned" | "as_ref"
                ) && call.args.is_empty()
                    && self.is_handle(&call.receiver)
            }
            _ => false,
        }
    }

    /// An ask: one of the methods on the handle, perhaps with a limit around it.
    pub(crate) fn ask<'e>(&self, expr: &'e Expr) -> Option<Ask<'e>> {
        if let Expr::Call(call) = expr
            && let [first, second] = call.args.iter().collect::<Vec<_>>()[..]
            && let Expr::Path(path) = &*call.func
        {
            let name = path.path.segments.last()?.ident.to_string();
            let (inner, limit) = match name.as_str() {
                "timeout" => (second, Limit::Timeout(first)),
                RACE => (first, Limit::Race(second)),
                _ => return None,
            };
            let inner = self.bare_ask(peel(inner))?;
            return Some(Ask {
                limit: Some(limit),
                ..inner
            });
        }
        self.bare_ask(expr)
    }

    fn bare_ask<'e>(&self, expr: &'e Expr) -> Option<Ask<'e>> {
        let Expr::MethodCall(call) = expr else {
            return None;
        };
        let method = Method::of(&call.method.to_string())?;
        let limit = None;
        let ask = Ask {
            method,
            call,
            limit,
        };
        self.is_handle(&call.receiver).then_some(ask)
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

    /// A call that may suspend: it is given the handle, or the author says so.
    pub(crate) fn passes(&self, expr: &Expr) -> bool {
        let callee_is_in =
            |names: &HashSet<String>| !names.is_empty() && names.contains(&called(expr));
        if callee_is_in(&self.words.plain) {
            return false;
        }
        if callee_is_in(&self.words.asks) {
            return true;
        }
        let given = |argument: &Expr| match argument {
            Expr::Call(ExprCall { func, args, .. }) if is_some(func) => {
                args.iter().any(|inner| self.is_handle(inner))
            }
            other => self.is_handle(other),
        };
        match callee(expr) {
            Expr::Call(call) => !is_some(&call.func) && call.args.iter().any(given),
            Expr::MethodCall(call) => call.args.iter().any(given),
            _ => false,
        }
    }

    /// Several futures that are awaited together.
    pub(crate) fn join<'e>(&self, base: &'e Expr) -> Option<Join<'e>> {
        let Expr::Call(call) = base else { return None };
        let Expr::Path(path) = &*call.func else {
            return None;
        };
        let name = path.path.segments.last()?.ident.to_string();
        match (name.as_str(), call.args.first()) {
            (JOIN, _) => Some(Join::All(&call.args, false)),
            (TRY_JOIN, _) => Some(Join::All(&call.args, true)),
            ("join_all", Some(Expr::MethodCall(map))) if map.method == "map" => {
                let (Some(Expr::Closure(closure)), 1) = (map.args.first(), call.args.len()) else {
                    return None;
                };
                let body = peel(&closure.body);
                let asks = self.ask(body).is_some() || self.passes(body);
                (asks && closure.inputs.len() == 1).then_some(Join::Each(&map.receiver, closure))
            }
            _ => None,
        }
    }

    /// Whether awaiting `base` may suspend.
    pub(crate) fn suspends(&self, base: &Expr) -> bool {
        let base = peel(base);
        self.ask(base).is_some() || self.join(base).is_some() || self.passes(base)
    }

    /// Whether a suspension point is anywhere in `expr`, closures and async blocks apart.
    pub(crate) fn contains_suspension(&self, expr: &Expr) -> bool {
        let mut finder = Finder {
            handles: self,
            found: false,
        };
        finder.visit_expr(expr);
        finder.found
    }
}

/// The expression without parentheses around it.
pub(crate) fn peel(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(paren) => peel(&paren.expr),
        Expr::Group(group) => peel(&group.expr),
        other => other,
    }
}

/// `self`, also by the name that `#[async_trait]` gives it.
pub(crate) fn is_self(expr: &Expr) -> bool {
    matches!(expr, Expr::Path(path) if path.path.is_ident("self") || path.path.is_ident("__self"))
}

/// The name of the function that a call calls; empty where it has none.
pub(crate) fn called(call: &Expr) -> String {
    match callee(call) {
        Expr::MethodCall(call) => call.method.to_string(),
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        }
        .unwrap_or_default(),
        _ => String::new(),
    }
}

/// The call in `Box::pin(call)`, or the expression itself.
pub(crate) fn callee(expr: &Expr) -> &Expr {
    match peel(expr) {
        Expr::Call(call) if is_box_pin(&call.func) && call.args.len() == 1 => {
            call.args.first().map_or(expr, callee)
        }
        other => other,
    }
}

/// The same, to be changed.
pub(crate) fn callee_mut(expr: &mut Expr) -> &mut Expr {
    let wraps = matches!(expr, Expr::Call(call) if is_box_pin(&call.func) && call.args.len() == 1);
    match expr {
        Expr::Paren(paren) => callee_mut(&mut paren.expr),
        Expr::Group(group) => callee_mut(&mut group.expr),
        other => innermost(other, wraps),
    }
}

fn innermost(expr: &mut Expr, wraps: bool) -> &mut Expr {
    match (wraps, expr) {
        (true, Expr::Call(call)) => callee_mut(&mut call.args[0]),
        (_, other) => other,
    }
}

pub(crate) fn is_some(func: &Expr) -> bool {
    matches!(func, Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Some"))
}

/// Collects `let peer = &context.peer;` and the like.
struct Aliases<'a>(&'a mut Handles);

impl<'ast> Visit<'ast> for Aliases<'_> {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            let bindings: Vec<_> = pattern_bindings(&local.pat).collect();
            if self.0.is_handle(&init.expr) {
                // From a destructured context only the peer is the handle.
                let whole = bindings.len() == 1;
                for binding in bindings {
                    if whole || binding.ident == "peer" {
                        self.0.names.insert(binding.ident.to_string());
                    }
                }
            }
        }
        syn::visit::visit_local(self, local);
    }
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
