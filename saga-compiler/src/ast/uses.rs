//! Names: what a piece of code reads, moves and assigns.

use std::collections::{BTreeMap, HashSet};

use syn::{Expr, Pat, Stmt, visit::Visit};

use crate::ast::{
    calls::strip_parentheses,
    macros::{Argument, arguments, matched, texts},
    patterns::pattern_bindings,
    tokens::{Texts, names_of_macro},
    vocabulary::{is_ask, is_pause, is_question},
};

/// How a piece of code uses the names around it.
#[derive(Debug, Default, Clone)]
pub(crate) struct Uses {
    /// Names that are read; `true` where a use may move the value.
    pub(crate) reads: BTreeMap<String, bool>,
    /// Names that are assigned as a whole.
    pub(crate) assigns: HashSet<String>,
    /// Names whose values a use may move as a whole, where that is not to be seen in the text, or not followed.
    pub(crate) taken: HashSet<String>,
    /// Names that are borrowed mutably or assigned in part.
    pub(crate) mutates: HashSet<String>,
}

/// Methods of std that take `self` by reference, so that a call does not move its receiver.
const BY_REFERENCE: &[&str] = &[
    "as_bytes",
    "as_deref",
    "as_mut",
    "as_path",
    "as_ref",
    "as_slice",
    "as_str",
    "chars",
    "clone",
    "contains",
    "contains_key",
    "ends_with",
    "eq_ignore_ascii_case",
    "first",
    "get",
    "is_empty",
    "is_err",
    "is_none",
    "is_ok",
    "is_some",
    "iter",
    "iter_mut",
    "keys",
    "last",
    "len",
    "lines",
    "push",
    "push_str",
    "insert",
    "extend",
    "split",
    "starts_with",
    "to_lowercase",
    "to_owned",
    "to_string",
    "to_uppercase",
    "to_vec",
    "trim",
    "values",
    "elapsed",
    "join",
    "concat",
    // Of the handle.
    "notify_progress",
    "notify_logging_message",
    "supported_elicitation_modes",
    "supports_sampling_tools",
    "peer_info",
    "protocol_version",
    "client_info",
    "client_capabilities",
    "cancelled",
    "is_cancelled",
    "client",
    "progress",
    "peer",
    "request",
];

/// Whether a method is known to take `self` by reference, and not to change what it is.
pub(crate) fn is_by_reference(method: &syn::Ident) -> bool {
    let name = method.to_string();
    let asks = is_ask(&name) || is_question(&name) && !is_pause(method);
    asks || BY_REFERENCE.contains(&name.as_str())
}

/// Whether a call of such a method has arguments that std's does not take: it is another one.
pub(crate) fn takes_more(call: &syn::ExprMethodCall) -> bool {
    let name = call.method.to_string();
    let takes_none = || BY_REFERENCE.contains(&&*name) && !WITH_ARGUMENTS.contains(&&*name);
    !call.args.is_empty() && takes_none()
}

/// Those of them that are given something.
const WITH_ARGUMENTS: &[&str] = &[
    "contains",
    "contains_key",
    "ends_with",
    "eq_ignore_ascii_case",
    "extend",
    "get",
    "insert",
    "join",
    "notify_logging_message",
    "notify_progress",
    "push",
    "push_str",
    "split",
    "starts_with",
];

/// Whether a method is named as those are that end what they are called on. Nothing but a warning hangs on it.
fn may_consume(method: &syn::Ident) -> bool {
    let name = method.to_string();
    let begins = ["into", "unwrap", "expect", "with_", "try_into"];
    begins.iter().any(|word| name.starts_with(word)) || CONSUMES.contains(&name.as_str())
}

const CONSUMES: &[&str] = &[
    "abandon",
    "and_then",
    "build",
    "cancel",
    "close",
    "collect",
    "commit",
    "complete",
    "consume",
    "defuse",
    "detach",
    "disarm",
    "discard",
    "dismiss",
    "done",
    "downgrade",
    "end",
    "exit",
    "finalize",
    "finish",
    "flat_map",
    "fold",
    "for_each",
    "forget",
    "freeze",
    "join",
    "keep",
    "leak",
    "leave",
    "map",
    "map_err",
    "ok",
    "ok_or",
    "ok_or_else",
    "or_else",
    "persist",
    "release",
    "respond",
    "rollback",
    "run",
    "seal",
    "send",
    "shutdown",
    "split",
    "start",
    "stop",
    "submit",
    "sum",
    "unlock",
    "upgrade",
    "wait",
    "wait_with_output",
];

impl Uses {
    pub(crate) fn of_stmt(stmt: &Stmt) -> Self {
        Self::collect(|collector| collector.visit_stmt(stmt))
    }

    pub(crate) fn of_expr(expr: &Expr) -> Self {
        Self::collect(|collector| collector.visit_expr(expr))
    }

    pub(crate) fn of_block(block: &syn::Block) -> Self {
        Self::collect(|collector| collector.visit_block(block))
    }

    fn collect(visit: impl FnOnce(&mut Collector)) -> Self {
        let mut collector = Collector {
            uses: Self::default(),
            scopes: vec![HashSet::new()],
            moving: true,
            taking: false,
            in_part: false,
            captured: false,
            unsure: false,
        };
        visit(&mut collector);
        collector.uses
    }
}

struct Collector {
    uses: Uses,
    scopes: Vec<HashSet<String>>,
    /// Whether the expression being visited is in a position that takes its value.
    moving: bool,
    /// In a `move` closure or async block, which takes whatever it mentions.
    taking: bool,
    /// In what a field is taken of.
    in_part: bool,
    /// In any closure or async block.
    captured: bool,
    /// Where [`definitely_moved`](crate::ast::assigned::definitely_moved) does not look.
    unsure: bool,
}

impl Collector {
    fn read(&mut self, name: &str) {
        if !self.binds(name) {
            *self.uses.reads.entry(name.to_owned()).or_default() |= self.moving || self.taking;
            if self.taking || (self.moving && self.unsure && !self.in_part) {
                self.uses.taken.insert(name.to_owned());
            }
        }
    }

    fn assign(&mut self, assign: &syn::ExprAssign) {
        self.with_moving(true, |this| this.visit_expr(&assign.right));
        match &*assign.left {
            Expr::Path(path) if path.path.get_ident().is_some() => {
                let name = root_name(&assign.left).unwrap_or_default();
                // What a closure or an async block assigns is borrowed by it, so it has a value.
                if self.captured {
                    self.with_moving(false, |this| this.read(&name));
                }
                if !self.binds(&name) {
                    self.uses.assigns.insert(name);
                }
            }
            place => {
                self.mutate(place);
                self.with_moving(false, |this| this.visit_expr(place));
            }
        }
    }

    /// What has names of its own.
    fn visit_scopes(&mut self, expr: &Expr) {
        match expr {
            Expr::Closure(closure) => self.scoped(|this| {
                closure.inputs.iter().for_each(|pat| this.bind(pat));
                this.captures(closure.capture.is_some(), |this| {
                    this.visit_expr(&closure.body)
                });
            }),
            Expr::Async(block) => self.captures(block.capture.is_some(), |this| {
                this.visit_block(&block.block);
            }),
            Expr::Block(block) => {
                self.with_moving(true, |this| this.visit_block(&block.block));
            }
            Expr::If(conditional) => {
                self.with_moving(true, |this| {
                    this.scoped(|this| {
                        this.condition(&conditional.cond);
                        this.visit_block(&conditional.then_branch);
                    });
                    if let Some((_, otherwise)) = &conditional.else_branch {
                        this.visit_expr(otherwise);
                    }
                });
            }
            Expr::While(looped) => self.with_moving(true, |this| {
                this.scoped(|this| {
                    this.condition(&looped.cond);
                    this.visit_block(&looped.body);
                });
            }),
            Expr::ForLoop(looped) => self.with_moving(true, |this| {
                this.visit_expr(&looped.expr);
                this.scoped(|this| {
                    this.bind(&looped.pat);
                    this.visit_block(&looped.body);
                });
            }),
            Expr::Match(matched) => self.with_moving(true, |this| {
                this.visit_expr(&matched.expr);
                for arm in &matched.arms {
                    this.scoped(|this| {
                        this.bind(&arm.pat);
                        if let Pat::Guard(guarded) = &arm.pat {
                            this.visit_expr(&guarded.guard);
                        }
                        this.visit_expr(&arm.body);
                    });
                }
            }),
            Expr::Let(binding) => {
                self.with_moving(true, |this| this.visit_expr(&binding.expr));
                self.bind(&binding.pat);
            }
            other => self.with_moving(true, |this| syn::visit::visit_expr(this, other)),
        }
    }

    /// Whether the code itself declares a name that is in scope here.
    fn binds(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.contains(name))
    }

    fn bind(&mut self, pat: &Pat) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.extend(pattern_bindings(pat).map(|binding| binding.ident.to_string()));
        }
    }

    fn scoped(&mut self, visit: impl FnOnce(&mut Self)) {
        self.scopes.push(HashSet::new());
        visit(self);
        self.scopes.pop();
    }

    fn with_moving(&mut self, moving: bool, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.moving, moving);
        visit(self);
        self.moving = before;
    }

    fn unsure(&mut self, unsure: bool, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.unsure, unsure);
        visit(self);
        self.unsure = before;
    }

    fn captures(&mut self, by_value: bool, visit: impl FnOnce(&mut Self)) {
        let before = (self.taking, self.captured);
        self.taking |= by_value;
        self.captured = true;
        self.with_moving(by_value, visit);
        (self.taking, self.captured) = before;
    }

    fn mutate(&mut self, place: &Expr) {
        if let Some(name) = root_name(place)
            && !self.binds(&name)
        {
            self.uses.mutates.insert(name);
        }
    }

    /// An argument of a macro.
    fn argument(&mut self, value: &Expr, by_reference: bool, texts: Texts, named: &[String]) {
        self.with_moving(!by_reference, |this| match value {
            // It may be a format with names in it.
            Expr::Lit(_) => {
                let tokens = quote::ToTokens::to_token_stream(value);
                names_of_macro(tokens, texts, &mut |name| {
                    if !named.iter().any(|known| known == name) {
                        this.read(name);
                    }
                });
            }
            value => this.visit_expr(value),
        });
        if !by_reference {
            for name in Uses::of_expr(value).reads.into_keys() {
                if !self.binds(&name) {
                    self.uses.mutates.insert(name);
                }
            }
        }
    }

    fn condition(&mut self, cond: &Expr) {
        self.visit_expr(cond);
    }
}

/// The variable that a place expression starts from.
pub(crate) fn root_name(place: &Expr) -> Option<String> {
    match root(place) {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

/// What a place expression starts from.
pub(crate) fn root(place: &Expr) -> &Expr {
    match place {
        Expr::Field(field) => root(&field.base),
        Expr::Index(index) => root(&index.expr),
        Expr::Paren(paren) => root(&paren.expr),
        Expr::Group(group) => root(&group.expr),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => root(&unary.expr),
        other => other,
    }
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Path(path) => {
                if let Some(ident) = path.path.get_ident() {
                    self.read(&ident.to_string());
                }
            }
            Expr::Reference(reference) => {
                if reference.mutability.is_some() {
                    self.mutate(&reference.expr);
                }
                self.unsure(true, |this| {
                    this.with_moving(false, |this| this.visit_expr(&reference.expr));
                });
            }
            Expr::Field(field) => {
                let before = self.in_part;
                self.in_part = matches!(&*field.base, Expr::Path(_));
                self.visit_expr(&field.base);
                self.in_part = before;
            }
            Expr::Paren(paren) => self.visit_expr(&paren.expr),
            Expr::Group(group) => self.visit_expr(&group.expr),
            Expr::Index(index) => {
                self.with_moving(false, |this| this.visit_expr(&index.expr));
                self.unsure(true, |this| {
                    this.with_moving(true, |this| this.visit_expr(&index.index));
                });
            }
            Expr::Unary(unary) => {
                let moving = !matches!(unary.op, syn::UnOp::Deref(_));
                self.unsure(true, |this| {
                    this.with_moving(moving, |this| this.visit_expr(&unary.expr));
                });
            }
            Expr::Binary(binary) => {
                use syn::BinOp::*;
                let compares = matches!(binary.op, Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_));
                if binary_assigns(&binary.op) {
                    self.mutate(&binary.left);
                    self.unsure(true, |this| {
                        this.with_moving(false, |this| this.visit_expr(&binary.left));
                        this.with_moving(true, |this| this.visit_expr(&binary.right));
                    });
                } else {
                    self.unsure(true, |this| {
                        this.with_moving(!compares, |this| {
                            this.visit_expr(&binary.left);
                            this.visit_expr(&binary.right);
                        });
                    });
                }
            }
            Expr::MethodCall(call) => {
                let by_reference = is_by_reference(&call.method);
                self.mutate(&call.receiver);
                // Whether a method takes it, only its type says. It is asked for where a warning may be left out.
                let by_name = matches!(strip_parentheses(&call.receiver), Expr::Path(_));
                let unsure = match by_name {
                    true => may_consume(&call.method),
                    false => self.unsure,
                };
                self.unsure(unsure, |this| {
                    this.with_moving(!by_reference, |this| this.visit_expr(&call.receiver));
                });
                self.with_moving(true, |this| {
                    call.args
                        .iter()
                        .for_each(|argument| this.visit_expr(argument));
                });
            }
            Expr::Call(call) => {
                self.with_moving(false, |this| this.visit_expr(&call.func));
                self.with_moving(true, |this| {
                    call.args
                        .iter()
                        .for_each(|argument| this.visit_expr(argument));
                });
            }
            Expr::Assign(assign) => self.assign(assign),
            Expr::Macro(invocation) => self.unsure(true, |this| this.visit_macro(&invocation.mac)),
            followed @ (Expr::Block(_)
            | Expr::If(_)
            | Expr::Match(_)
            | Expr::Tuple(_)
            | Expr::Array(_)
            | Expr::Struct(_)
            | Expr::Await(_)
            | Expr::Try(_)) => self.visit_scopes(followed),
            other => self.unsure(true, |this| this.visit_scopes(other)),
        }
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.scoped(|this| block.stmts.iter().for_each(|stmt| this.visit_stmt(stmt)));
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            let moving = !matches!(local.pat, Pat::Wild(_));
            self.with_moving(moving, |this| this.visit_expr(&init.expr));
            if let Some((_, diverge)) = &init.diverge {
                self.visit_expr(diverge);
            }
        }
        self.bind(&local.pat);
    }

    /// A macro that is defined here mentions the variables around it.
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if let syn::Item::Macro(definition) = item {
            self.visit_macro(&definition.mac);
        }
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        let name = invocation
            .path
            .segments
            .last()
            .map(|last| last.ident.to_string());
        let by_reference = name.is_some_and(|name| {
            matches!(
                name.as_str(),
                "format"
                    | "println"
                    | "eprintln"
                    | "print"
                    | "eprint"
                    | "write"
                    | "writeln"
                    | "panic"
                    | "assert"
                    | "assert_eq"
                    | "assert_ne"
                    | "debug"
                    | "info"
                    | "warn"
                    | "error"
                    | "trace"
                    | "json"
                    | "format_args"
                    | "debug_assert"
                    | "anyhow"
                    | "bail"
            )
        });
        let texts = texts(invocation);
        if let Some(arguments) = arguments(invocation) {
            let named = arguments.iter().filter_map(Argument::name);
            let named: Vec<_> = named.collect();
            for argument in &arguments {
                self.argument(&argument.value, by_reference, texts, &named);
            }
            return;
        }
        if let Some((value, pat, guard)) = matched(invocation) {
            self.with_moving(false, |this| this.visit_expr(&value));
            return self.scoped(|this| {
                this.bind(&pat);
                guard.iter().for_each(|guard| this.visit_expr(guard));
            });
        }
        self.with_moving(!by_reference, |this| {
            names_of_macro(invocation.tokens.clone(), texts, &mut |name| {
                this.read(name);
                if !by_reference && !this.binds(name) {
                    this.uses.mutates.insert(name.to_owned());
                }
            });
        });
    }
}

/// `+=` and its kin.
pub(crate) fn binary_assigns(op: &syn::BinOp) -> bool {
    use syn::BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}
