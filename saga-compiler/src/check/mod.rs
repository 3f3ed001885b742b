//! What is refused before lowering: asks where no continuation can reach.

pub(crate) mod questions;
pub(crate) mod recursion;
pub(crate) mod tool;

use std::collections::HashSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Expr,
    visit::{self, Visit},
};

use crate::{
    ast::{
        calls::{is_nested, is_self, strip_parentheses},
        macros::{is_known, is_of_anyhow},
        patterns::pattern_bindings,
        tokens::idents,
        vocabulary::{Method, is_ask, is_question},
    },
    errors::Errors,
    syntax::{
        asks::{Ask, Handles, Join, Limit, joins_all, sleeps},
        function::Input,
        select,
    },
};

/// Refuses every misplaced ask of the function.
pub(crate) fn check(input: &Input) -> Result<(), Errors> {
    let mut checker = Checker {
        handles: &input.handles,
        errors: Errors::default(),
        inside: None,
        in_cut_loop: false,
        cut_labels: Vec::new(),
        changing: changing(&input.item.sig),
    };
    checker.visit_block(&input.item.block);
    let rests = input.task.is_some() || input.handles.suspends_in(&input.item.block);
    if checker.errors.is_empty() && !rests {
        checker.refuse_without_ask(input);
    }
    checker.errors.finish()
}

/// What an expression stands in that a continuation cannot reach into.
#[derive(Clone, Copy)]
enum Inside {
    Closure,
    Async,
    Guard,
    Unsafe,
}

struct Checker<'a> {
    handles: &'a Handles,
    errors: Errors,
    inside: Option<Inside>,
    /// The innermost loop asks, so that its jumps are not those of the text.
    in_cut_loop: bool,
    /// The labels of loops and blocks around this that are taken apart.
    cut_labels: Vec<String>,
    /// The function's own parameters that are `mut`.
    changing: HashSet<String>,
}

/// Finds a call that would be one that may suspend, if it were awaited.
struct Unawaited<'h, 'b> {
    handles: &'h Handles,
    found: Option<&'b Expr>,
}

impl<'b> Visit<'b> for Unawaited<'_, 'b> {
    fn visit_expr(&mut self, expr: &'b Expr) {
        let called = matches!(expr, Expr::Call(_) | Expr::MethodCall(_));
        if called && self.found.is_none() && self.handles.suspends(expr) {
            self.found = Some(expr);
        }
        syn::visit::visit_expr(self, expr);
    }
}

fn unawaited<'b>(
    handles: &Handles,
    visit: impl FnOnce(&mut Unawaited<'_, 'b>),
) -> Option<&'b Expr> {
    let mut finder = Unawaited {
        handles,
        found: None,
    };
    visit(&mut finder);
    finder.found
}

/// A call of `self` that is an ask, where `self` is the handle.
fn asked_of_self(body: &syn::Block) -> Option<&syn::ExprMethodCall> {
    struct Finder<'b>(Option<&'b syn::ExprMethodCall>);
    impl<'b> Visit<'b> for Finder<'b> {
        fn visit_expr_await(&mut self, awaited: &'b syn::ExprAwait) {
            if let Expr::MethodCall(call) = strip_parentheses(&awaited.base) {
                let name = call.method.to_string();
                let asks = is_ask(&name) || is_question(&name);
                if asks && is_self(strip_parentheses(&call.receiver)) {
                    self.0.get_or_insert(call);
                }
            }
            visit::visit_expr_await(self, awaited);
        }
    }
    let mut finder = Finder(None);
    finder.visit_block(body);
    finder.0
}

impl Checker<'_> {
    fn refuse_without_ask(&mut self, input: &Input) {
        if !self.handles.is_unseen()
            && let Some(call) =
                unawaited(self.handles, |finder| finder.visit_block(&input.item.block))
        {
            return self.errors.refuse(
                call,
                "a call that is given the client's handle, and is not awaited where it is made",
                "a function that asks is continued at its `.await`, and this one awaits none",
                "`.await` behind the call, or `join!` or `join_all` around several; where an awaited function asks that finds the handle elsewhere, `#[saga(asks(name))]`; no `#[saga]` where nothing asks",
            );
        }
        if let Some(call) = asked_of_self(&input.item.block) {
            return self.errors.refuse(
                &call.method,
                "a call of `self` that is not known to ask",
                "`#[saga]` sees one function, and not whether `self` is the client's handle there",
                &format!(
                    "`let cx: &Cx = self;` (or `&Peer<RoleServer>`) and `cx.{name}(..)` where it is; `#[saga(asks({name}))]` where `{name}` is a function of your own that asks",
                    name = call.method
                ),
            );
        }
        self.errors.refuse(
            &input.item.sig.ident,
            "`#[saga]` stands on a function that never asks",
            "it awaits no `elicit`, `create_message` or the like, and no function that is given the client's handle",
            "no `#[saga]`; `#[saga(asks(name))]` for a function that asks without being given the handle",
        );
    }

    fn within(&mut self, inside: Inside, visit: impl FnOnce(&mut Self)) {
        let before = self.inside.replace(inside);
        visit(self);
        self.inside = before;
    }

    fn misplaced(&mut self, at: &impl ToTokens) {
        let (what, why, instead) = match self.inside {
            None => return,
            Some(Inside::Closure) => (
                "an ask inside a closure",
                "a closure's captures cannot be stored while the client answers",
                "ask before the closure and capture the answer, or make an `async fn` of it, with `#[saga]`, that is given the client's handle",
            ),
            Some(Inside::Async) => (
                "an ask inside an async block",
                "the block is a future of its own, perhaps on another task, and cannot be stored",
                "ask in the body of the function itself and move the answer into the block; where a time limit is around it, a `#[saga]` function with what is in the block, and the limit around its call",
            ),
            Some(Inside::Guard) => (
                "an ask in this match guard",
                "the arm is found before the `match`, for which what is matched has to be a variable, a field or a value, and each alternative of a pattern another one",
                "`let value = ..;` before the `match`, or an arm for each alternative; or ask in the arm's body",
            ),
            Some(Inside::Unsafe) => (
                "an ask inside an `unsafe` block",
                "what the block relies on may not hold when another process continues",
                "end the `unsafe` block before the ask",
            ),
        };
        self.errors.refuse(at, what, why, instead);
    }

    fn ask(&mut self, ask: &Ask<'_>) {
        self.visit_expr(&ask.base().receiver);
        for wrapper in ask.links().map(|link| &link.method) {
            if is_wrapper(wrapper) {
                self.errors.refuse(
                    wrapper,
                    &format!("`{wrapper}` around a question"),
                    "its span would be entered in one process and left in another",
                    "the question alone, `cx.elicit(..).await`; `let _entered = span.enter();` in a block around the code between two asks",
                );
            }
        }
        for argument in ask.links().flat_map(|link| &link.args) {
            self.visit_expr(argument);
        }
        if ask.limit.is_some() && ask.is_pause() {
            let method = &ask.base().method;
            self.errors.refuse(
                method,
                "a time limit around a pause",
                "nobody is asked there, so there is no answer to wait for",
                "the pause alone; for a shorter rest `saga_runtime::sleep(shorter).await`",
            );
        }
        let Some(limit) = ask.limit else { return };
        self.limit(limit);
        let why = "an ask has one expiry in the continuation";
        match limit {
            Limit::Timeout(_) | Limit::TimeoutAt(_) if ask.has_timeout() => self.errors.refuse(
                ask.call,
                "a time limit around an ask that has its own",
                why,
                "one of the two",
            ),
            Limit::Race(other, _) if ask.has_timeout() && select::rests(other) => {
                self.errors.refuse(
                    ask.call,
                    "a sleep beside an ask that has a time limit of its own",
                    why,
                    "one of the two",
                );
            }
            _ => {}
        }
    }

    /// What a `join_all` that is not understood awaits, where it may ask.
    fn gathered_otherwise<'e>(&self, base: &'e Expr) -> Option<&'e Expr> {
        let Expr::Call(call) = base else { return None };
        joins_all(call)?;
        unawaited(self.handles, |finder| {
            let arguments = call.args.iter();
            arguments.for_each(|argument| finder.visit_expr(argument));
        })
    }

    /// `async { ask }.instrument(span)`: a future around one that asks.
    fn wrapped<'e>(&self, base: &'e Expr) -> Option<&'e syn::Ident> {
        let Expr::MethodCall(call) = base else {
            return None;
        };
        let asks = match strip_parentheses(&call.receiver) {
            Expr::Async(block) => self.handles.suspends_in(&block.block),
            inner => self.handles.suspends(inner),
        };
        (asks && is_wrapper(&call.method)).then_some(&call.method)
    }

    /// Each arm is in place like an ask.
    fn join(&mut self, base: &Expr) {
        let arms: Vec<&Expr> = match self.handles.join(base) {
            Some(Join::All(arms, _)) => arms.iter().collect(),
            Some(Join::Each {
                items,
                before,
                future,
                ..
            }) => {
                self.visit_expr(items);
                self.within(Inside::Closure, |this| {
                    before.iter().for_each(|stmt| this.visit_stmt(stmt));
                });
                vec![future]
            }
            None => Vec::new(),
        };
        for arm in arms {
            let arm = strip_parentheses(arm);
            match self.handles.ask(arm) {
                Some(ask) => {
                    if let Some(Limit::Race(..)) = ask.limit {
                        self.misplaced(arm);
                    }
                    self.ask(&ask);
                }
                None if self.handles.limited_call(arm).is_some() => self.errors.refuse(
                    arm,
                    "a time limit around one of several calls that may ask",
                    "the time of a call is kept while the user thinks where it is awaited alone",
                    "a `#[saga]` function that awaits `timeout(duration, call).await`, in its place",
                ),
                None if self.handles.passes(arm) => visit::visit_expr(self, arm),
                None => self.visit_expr(arm),
            }
        }
    }

    /// What is around an ask or a call, or beside it.
    fn limit(&mut self, limit: Limit<'_>) {
        match limit {
            Limit::Timeout(time) | Limit::TimeoutAt(time) => self.visit_expr(time),
            Limit::Race(other, _) => match sleeps(other) {
                Some(sleep) => sleep.args.iter().for_each(|length| self.visit_expr(length)),
                None => self.visit_expr(other),
            },
        }
    }

    fn looped(&mut self, looped: &Expr) {
        let asks = self.handles.contains_suspension(looped);
        if let Expr::ForLoop(looped) = looped {
            // Evaluated before the loop.
            self.visit_expr(&looped.expr);
        }
        let before = std::mem::replace(&mut self.in_cut_loop, asks);
        self.labelled(looped, asks, |this| match looped {
            Expr::ForLoop(looped) => this.visit_block(&looped.body),
            other => visit::visit_expr(this, other),
        });
        self.in_cut_loop = before;
    }

    /// Visits what may have a label, which nothing in a macro may jump to where it `asks`.
    fn labelled(&mut self, of: &Expr, asks: bool, visit: impl FnOnce(&mut Self)) {
        let label = match of {
            Expr::ForLoop(looped) => &looped.label,
            Expr::Loop(looped) => &looped.label,
            Expr::While(looped) => &looped.label,
            Expr::Block(block) => &block.label,
            _ => &None,
        };
        let label = label.as_ref().filter(|_| asks);
        let known = self.cut_labels.len();
        self.cut_labels
            .extend(label.map(|label| label.name.ident.to_string()));
        visit(self);
        self.cut_labels.truncate(known);
    }

    fn tokens(&mut self, at: &syn::Macro) {
        let mut names = Vec::new();
        idents(at.tokens.clone(), &mut |name| names.push(name.to_string()));
        let mut handed = Vec::new();
        handles_in(at.tokens.clone(), &mut handed);
        let has = |name: &str| names.iter().any(|other| other == name);
        let jumps = has("break") || has("continue");
        let far = self.cut_labels.iter().any(|label| has(label));
        if jumps && (self.in_cut_loop || far) {
            self.errors.refuse(
                at,
                "`break` or `continue` inside a macro's arguments in a loop that asks",
                "the loop is taken apart, and inside the macro the jump cannot be seen",
                "`let value = …;` with the jump before the macro, and `value` in it",
            );
        }
        let asks = names.iter().any(|name| Method::of(name).is_some());
        let handle = handed.iter().any(|name| self.handles.contains(name));
        if !handle && (!asks || !has("await")) {
            return;
        }
        if has("await") || names.iter().any(|name| Method::of(name).is_some()) {
            self.errors.refuse(
                at,
                "an ask inside a macro's arguments",
                "what the macro does around it cannot be seen",
                "`let answer = peer.elicit(..).await;` before the macro, and `answer` in it; `join!` takes asks, and `select!` one with `_ = future => …` beside it (`#[saga(plain(name))]` where what is awaited beside it never asks)",
            );
        } else if ABILITIES.iter().any(|ability| has(ability)) {
            self.errors.refuse(
                at,
                "a question about the client's abilities inside a macro's arguments",
                "on 2026-07-28 the answer is in the request, and inside the macro the peer would be asked",
                "`let modes = peer.supported_elicitation_modes();` before the macro, and `modes` in it",
            );
        } else if !is_known(at) && !is_of_anyhow(at) {
            self.errors.refuse(
                at,
                "the client's handle in the arguments of a macro",
                "if the macro asks, the ask cannot be seen, and the function could not go on from it",
                "a function with `#[saga]` in place of the macro",
            );
        }
    }
}

impl Checker<'_> {
    /// A `macro_rules!` of the body.
    ///
    /// ```text
    /// macro_rules! bump { () => { n += 1 } }   // its `n` is the parameter, wherever the call has gone on
    /// ```
    fn definition(&mut self, item: &syn::ItemMacro) {
        let mut names = Vec::new();
        idents(item.mac.tokens.clone(), &mut |name| {
            names.push(name.to_string());
        });
        let asks = |name: &String| Method::of(name).is_some() || self.handles.contains(name);
        if names.iter().any(|name| name == "await") && names.iter().any(asks) {
            self.errors.refuse(
                item,
                "an ask inside a `macro_rules!` of the body",
                "what a macro expands to cannot be seen, and the function could not go on from it",
                "an `async fn` of its own with `#[saga]`, that is given the client's handle",
            );
        } else if let Some(name) = names.iter().find(|name| self.changing.contains(*name)) {
            self.errors.refuse(
                item,
                &format!("a `macro_rules!` of the body mentions the parameter `{name}`, which is `mut`"),
                "it is the parameter itself, and what has become of that is kept in another variable across an ask",
                &format!("`{name}` as an argument of the macro, or a function in place of it"),
            );
        }
    }
}

/// The parameters that the function may change.
fn changing(sig: &syn::Signature) -> HashSet<String> {
    let typed = sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(param) => Some(&param.pat),
        syn::FnArg::Receiver(_) => None,
    });
    let bindings = typed.flat_map(|pat| pattern_bindings(pat));
    let changing = bindings.filter(|binding| binding.is_mutable());
    changing.map(|binding| binding.ident.to_string()).collect()
}

/// Questions that the peer alone cannot answer truthfully.
const ABILITIES: &[&str] = &[
    "supported_elicitation_modes",
    "supports_sampling_tools",
    "peer_info",
];

/// Parts of the request's context that are no handle.
const PARTS: &[&str] = &["ct", "id", "meta", "extensions"];

/// The names that are used otherwise than for such a part.
fn handles_in(tokens: TokenStream, names: &mut Vec<String>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut after_dot = false;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if !after_dot => {
                let rest: Vec<_> = tokens.clone().take(2).collect();
                let part = match rest.as_slice() {
                    [TokenTree::Punct(dot), TokenTree::Ident(part)] if dot.as_char() == '.' => {
                        PARTS.iter().any(|name| part == name)
                    }
                    _ => false,
                };
                if !part {
                    names.push(ident.to_string());
                }
                after_dot = false;
            }
            TokenTree::Group(group) => {
                handles_in(group.stream(), names);
                after_dot = false;
            }
            TokenTree::Punct(punct) => after_dot = punct.as_char() == '.',
            _ => after_dot = false,
        }
    }
}

/// What tracing puts around a future.
fn is_wrapper(method: &syn::Ident) -> bool {
    let wrappers = [
        "instrument",
        "in_current_span",
        "with_subscriber",
        "with_current_subscriber",
    ];
    wrappers.iter().any(|name| method == name)
}

impl<'ast> Visit<'ast> for Checker<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Await(awaited) => {
                let base = strip_parentheses(&awaited.base);
                if self.handles.suspends(base) {
                    self.misplaced(expr);
                    // The ask itself is in place; what it is given is not checked yet.
                    let limited = self.handles.limited_call(base);
                    match (self.handles.ask(base), limited, base) {
                        (Some(ask), ..) => self.ask(&ask),
                        (None, Some((call, limit)), _) => {
                            visit::visit_expr(self, call);
                            self.limit(limit);
                        }
                        (None, None, base) if self.handles.join(base).is_some() => self.join(base),
                        (None, None, Expr::MethodCall(call)) => {
                            self.visit_expr(&call.receiver);
                            call.args
                                .iter()
                                .for_each(|argument| self.visit_expr(argument));
                        }
                        (None, None, other) => visit::visit_expr(self, other),
                    }
                } else if let Some(future) = self.gathered_otherwise(base) {
                    self.errors.refuse(
                        future,
                        "a call that is given the client's handle, and is awaited by `join_all` in another way than for each item",
                        "only of `items.map(|item| call)` it is seen what is asked for which of them",
                        "`join_all(items.map(|item| call)).await`, where the closure ends with the call; `join!` around several calls; `#[saga(plain(name))]` where it never asks",
                    );
                } else if let Some(wrapper) = self.wrapped(base) {
                    self.errors.refuse(
                        wrapper,
                        &format!("`{wrapper}` around a future that asks"),
                        "its span would be entered in one process and left in another",
                        "`let _entered = span.enter();` in a block around the code between two asks, or the future's body in a `#[saga]` function of its own with `#[tracing::instrument]` on what it calls",
                    );
                } else if self.handles.limited_twice(base) {
                    self.errors.refuse(
                        base,
                        "a time limit around another one",
                        "a call that may ask has one limit that is kept while the user thinks",
                        "the shorter of the two; or a `#[saga]` function with the inner one, and the other around its call",
                    );
                } else {
                    self.visit_expr(&awaited.base);
                }
            }
            Expr::MethodCall(call) if self.handles.ask(expr).is_some() => {
                self.errors.refuse(
                    call,
                    "an ask that is not awaited where it is made",
                    "a continuation goes on at the `.await`, and this future would be made in one process and awaited in another",
                    "`.await` directly behind the ask; for a time limit `timeout(duration, ask).await`; in `join_all(items.map(|item| ask)).await` the closure is the ask alone",
                );
            }
            Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => self.looped(expr),
            Expr::Block(block) if block.label.is_some() => {
                let asks = self.handles.contains_suspension(expr);
                self.labelled(expr, asks, |this| visit::visit_expr(this, expr));
            }
            Expr::Closure(closure) => {
                self.within(Inside::Closure, |this| this.visit_expr(&closure.body));
            }
            // What is continued does not come by here.
            Expr::Call(_) if is_nested(expr) => {
                self.within(Inside::Async, |this| this.misplaced(expr));
            }
            Expr::Async(block) => {
                self.within(Inside::Async, |this| this.visit_block(&block.block));
            }
            Expr::Unsafe(block) => {
                self.within(Inside::Unsafe, |this| this.visit_block(&block.block));
            }
            Expr::Match(matched) => {
                self.visit_expr(&matched.expr);
                for arm in &matched.arms {
                    if let syn::Pat::Guard(guarded) = &arm.pat {
                        self.within(Inside::Guard, |this| this.visit_expr(&guarded.guard));
                    }
                    self.visit_expr(&arm.body);
                }
            }
            other => visit::visit_expr(self, other),
        }
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        self.tokens(invocation);
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        if let syn::Item::Macro(item) = item {
            self.definition(item);
        }
    }
}
