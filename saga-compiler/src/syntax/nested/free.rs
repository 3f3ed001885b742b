//! The names in a block that are not its own.

use std::collections::HashSet;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::quote;
use syn::{
    Block, Expr, Pat, Stmt,
    visit_mut::{self, VisitMut},
};

use crate::ast::{
    calls::strip_parentheses,
    macros::{is_known, is_of_anyhow},
    patterns::pattern_bindings,
    stays::lends,
    tokens::{grouped, idents, token_names},
    uses::root_name,
};

/// How a block uses them.
#[derive(Default)]
pub(super) struct Free {
    /// Those whose value it takes as it stands, be that a copy or not.
    pub(super) taken: HashSet<String>,
    /// Those in a closure or a block of its own that takes what it mentions.
    pub(super) moved: HashSet<String>,
    /// Those that are called, or on which a method is that may change them.
    pub(super) acted_on: HashSet<String>,
    /// Those in a macro in which a name cannot be written otherwise, or which shows how it is written.
    pub(super) shown: HashSet<String>,
}

pub(super) fn looked_at(body: &Block) -> Free {
    let mut walk = Walk::default();
    walk.visit_block_mut(&mut body.clone());
    walk.free
}

/// Writes variables as what references of their names lead to.
pub(super) fn written_through(body: &mut Block, lent: &HashSet<String>) {
    let mut walk = Walk {
        lent: lent.clone(),
        ..Walk::default()
    };
    walk.visit_block_mut(body);
}

#[derive(Default)]
struct Walk {
    free: Free,
    lent: HashSet<String>,
    /// The names that the block has bound where this is.
    scopes: Vec<HashSet<String>>,
    /// In a `move` closure, or an `async move` block.
    taking: bool,
}

impl Walk {
    fn is_own(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.contains(name))
    }

    fn bind(&mut self, pat: &mut Pat) {
        let names = pattern_bindings(pat).map(|binding| binding.ident.to_string());
        let names: Vec<_> = names.collect();
        if let Some(scope) = self.scopes.last_mut() {
            scope.extend(names);
        }
        if let Pat::Guard(guarded) = pat {
            self.visit_expr_mut(&mut guarded.guard);
        }
    }

    fn scoped(&mut self, visit: impl FnOnce(&mut Self)) {
        self.scopes.push(HashSet::new());
        visit(self);
        self.scopes.pop();
    }

    fn taking(&mut self, taking: bool, visit: impl FnOnce(&mut Self)) {
        let outer = self.taking;
        self.taking |= taking;
        visit(self);
        self.taking = outer;
    }

    fn name(&mut self, expr: &mut Expr, is_value: bool) {
        let Expr::Path(path) = &*expr else { return };
        let Some(name) = path.path.get_ident() else {
            return;
        };
        let text = name.to_string();
        if self.is_own(&text) {
            return;
        }
        if self.lent.contains(&text) {
            *expr = syn::parse_quote_spanned!(name.span()=> (*#name));
            return;
        }
        if self.taking {
            self.free.moved.insert(text.clone());
        }
        if is_value {
            self.free.taken.insert(text);
        }
    }

    /// What is used where it is, and not as a value.
    fn place(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Path(_) => self.name(expr, false),
            Expr::Paren(paren) => self.place(&mut paren.expr),
            Expr::Field(field) => self.place(&mut field.base),
            Expr::Index(index) => {
                self.place(&mut index.expr);
                self.visit_expr_mut(&mut index.index);
            }
            other => self.visit_expr_mut(other),
        }
    }

    /// What patterns look at: a value where one of them binds a part of it.
    fn taken_apart<'p>(&mut self, pats: impl IntoIterator<Item = &'p Pat>, expr: &mut Expr) {
        let mut bindings = pats.into_iter().flat_map(pattern_bindings);
        match bindings.any(|binding| !binding.by_ref) {
            true => self.visit_expr_mut(expr),
            false => self.place(expr),
        }
    }

    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let mut out: Vec<TokenTree> = Vec::new();
        let mut tokens = tokens.into_iter().peekable();
        let mut before = ' ';
        while let Some(token) = tokens.next() {
            // Not a field, and not a part of a path; but behind `..`.
            let names = std::mem::replace(&mut before, ' ') == ' ';
            match token {
                TokenTree::Ident(name) if names && self.is_lent(&name.to_string()) => {
                    let is_field = matches!(tokens.peek(), Some(TokenTree::Punct(punct))
                        if punct.as_char() == '!'
                            || punct.spacing() == Spacing::Alone && "=:".contains(punct.as_char()));
                    match is_field {
                        true => out.push(name.into()),
                        false => out.extend(quote!((*#name))),
                    }
                }
                TokenTree::Group(group) if group.delimiter() != Delimiter::None => {
                    out.push(grouped(&group, self.tokens(group.stream())));
                }
                TokenTree::Punct(punct) => {
                    let is_range = matches!(out.last(), Some(TokenTree::Punct(last))
                        if last.as_char() == '.' && punct.as_char() == '.');
                    let is_path = matches!(out.last(), Some(TokenTree::Punct(last))
                        if last.as_char() == ':' && punct.as_char() == ':');
                    before = match punct.as_char() {
                        '.' if !is_range => '.',
                        ':' if is_path => ':',
                        _ => ' ',
                    };
                    out.push(punct.into());
                }
                other => out.push(other),
            }
        }
        out.into_iter().collect()
    }

    fn is_lent(&self, name: &str) -> bool {
        self.lent.contains(name) && !self.is_own(name)
    }
}

impl VisitMut for Walk {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Path(_) => self.name(expr, true),
            Expr::Reference(lent) => self.place(&mut lent.expr),
            Expr::Field(_) | Expr::Index(_) => self.place(expr),
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => {
                self.place(&mut unary.expr);
            }
            Expr::Binary(binary) if compares(&binary.op) => {
                self.place(&mut binary.left);
                self.place(&mut binary.right);
            }
            Expr::Call(call) => {
                if let Expr::Path(path) = &*call.func
                    && let Some(name) = path.path.get_ident()
                    && !self.is_own(&name.to_string())
                {
                    self.free.acted_on.insert(name.to_string());
                }
                self.place(&mut call.func);
                let given = call.args.iter_mut();
                given.for_each(|given| self.visit_expr_mut(given));
            }
            Expr::MethodCall(call) => {
                if let Some(name) = root_name(&call.receiver)
                    && !self.is_own(&name)
                    && !looks(&call.method.to_string())
                {
                    self.free.acted_on.insert(name);
                }
                match consumes(&call.method.to_string()) {
                    true => self.visit_expr_mut(&mut call.receiver),
                    false => self.place(&mut call.receiver),
                }
                let given = call.args.iter_mut();
                given.for_each(|given| self.visit_expr_mut(given));
            }
            Expr::Assign(assign) => {
                self.place(&mut assign.left);
                self.visit_expr_mut(&mut assign.right);
            }
            Expr::Match(matched) => {
                self.taken_apart(matched.arms.iter().map(|arm| &arm.pat), &mut matched.expr);
                for arm in &mut matched.arms {
                    self.scoped(|this| {
                        this.bind(&mut arm.pat);
                        this.visit_expr_mut(&mut arm.body);
                    });
                }
            }
            Expr::If(chosen) => {
                self.scoped(|this| {
                    this.visit_expr_mut(&mut chosen.cond);
                    this.visit_block_mut(&mut chosen.then_branch);
                });
                if let Some((_, otherwise)) = &mut chosen.else_branch {
                    self.visit_expr_mut(otherwise);
                }
            }
            Expr::While(looped) => self.scoped(|this| {
                this.visit_expr_mut(&mut looped.cond);
                this.visit_block_mut(&mut looped.body);
            }),
            Expr::ForLoop(looped) => {
                self.visit_expr_mut(&mut looped.expr);
                self.scoped(|this| {
                    this.bind(&mut looped.pat);
                    this.visit_block_mut(&mut looped.body);
                });
            }
            Expr::Let(binding) => {
                self.taken_apart([&*binding.pat], &mut binding.expr);
                self.bind(&mut binding.pat);
            }
            Expr::Closure(closure) => self.scoped(|this| {
                closure.inputs.iter_mut().for_each(|pat| this.bind(pat));
                this.taking(closure.capture.is_some(), |this| {
                    this.visit_expr_mut(&mut closure.body);
                });
            }),
            Expr::Async(block) => self.taking(block.capture.is_some(), |this| {
                this.visit_block_mut(&mut block.block);
            }),
            other => visit_mut::visit_expr_mut(self, other),
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        self.scoped(|this| visit_mut::visit_block_mut(this, block));
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        let Stmt::Local(local) = stmt else {
            return visit_mut::visit_stmt_mut(self, stmt);
        };
        if let Some(init) = &mut local.init {
            self.taken_apart([&local.pat], &mut init.expr);
            if let Some((_, otherwise)) = &mut init.diverge {
                self.visit_expr_mut(otherwise);
            }
        }
        self.bind(&mut local.pat);
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        // `Plan { name }`
        let name = match &field.expr {
            Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        if name.is_some_and(|name| self.is_lent(&name)) {
            field.colon_token.get_or_insert_default();
        }
        visit_mut::visit_field_value_mut(self, field);
    }

    fn visit_macro_mut(&mut self, invocation: &mut syn::Macro) {
        if !is_written_through(invocation) {
            let mut shown = HashSet::new();
            idents(invocation.tokens.clone(), &mut |name| {
                shown.insert(name.to_string());
            });
            shown.retain(|name| !self.is_own(name));
            self.free.shown.extend(shown);
        } else if !self.lent.is_empty() {
            invocation.tokens = self.tokens(invocation.tokens.clone());
        }
        // Of a list's values some are made by methods that change nothing: `vec![name.clone()]` lends `name`.
        let (mut looked_at, given) = given_to(invocation);
        let values = looked_at.iter_mut();
        values.for_each(|value| self.visit_expr_mut(value));
        let mut names = Vec::new();
        token_names(given, &mut |name| names.push(name.to_owned()));
        names.retain(|name| !self.is_own(name));
        if self.taking {
            self.free.moved.extend(names.iter().cloned());
        }
        // What is shown is looked at.
        let looks = is_known(invocation) || is_of_anyhow(invocation);
        if invocation.path.is_ident("vec") || !looks {
            self.free.taken.extend(names);
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// What a macro is given: the values of a list that look at what they are made of, and all else.
fn given_to(invocation: &syn::Macro) -> (Vec<Expr>, TokenStream) {
    let tokens = &invocation.tokens;
    let is_list = invocation.path.is_ident("vec") && is_written_through(invocation);
    let values = match is_list.then(|| syn::parse2(quote!([#tokens]))) {
        Some(Ok(Expr::Array(list))) => list.elems.into_iter().collect(),
        Some(Ok(Expr::Repeat(list))) => vec![*list.expr, *list.len],
        _ => return (Vec::new(), tokens.clone()),
    };
    let (looked_at, given): (Vec<_>, Vec<Expr>) = values.into_iter().partition(looks_only);
    (looked_at, quote!(#(#given),*))
}

/// Whether a value is made of what looks at variables, as far as its form says.
fn looks_only(value: &Expr) -> bool {
    match strip_parentheses(value) {
        Expr::Lit(_) | Expr::Reference(_) => true,
        Expr::MethodCall(call) => {
            let method = call.method.to_string();
            looks(&method) && !consumes(&method) && call.args.iter().all(looks_only)
        }
        Expr::Call(call) => {
            matches!(&*call.func, Expr::Path(_)) && call.args.iter().all(looks_only)
        }
        Expr::Tuple(tuple) => tuple.elems.iter().all(looks_only),
        _ => false,
    }
}

/// Whether a name in a macro may be written as what a reference leads to: there is no pattern in it, and it does not show its text.
fn is_written_through(invocation: &syn::Macro) -> bool {
    let Some(last) = invocation.path.segments.last() else {
        return false;
    };
    let any = [
        "assert_eq",
        "assert_ne",
        "bail",
        "debug_assert_eq",
        "debug_assert_ne",
        "eprint",
        "eprintln",
        "format",
        "json",
        "panic",
        "print",
        "println",
        "todo",
        "unreachable",
        "vec",
        "write",
        "writeln",
    ];
    let tokens: Vec<TokenTree> = invocation.tokens.clone().into_iter().collect();
    let is = |token: &TokenTree, of: char| matches!(token, TokenTree::Punct(punct) if punct.as_char() == of);
    // With a message it does not show the condition.
    let has_message = tokens.iter().rev().skip(1).any(|token| is(token, ','));
    let name = last.ident.to_string();
    let is_known = any.contains(&name.as_str())
        || has_message && ["assert", "debug_assert", "ensure"].contains(&name.as_str());
    is_known && !has_patterns(invocation.tokens.clone())
}

fn has_patterns(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Punct(punct) => punct.as_char() == '|',
        TokenTree::Group(group) => has_patterns(group.stream()),
        TokenTree::Ident(word) => word == "match" || word == "let" || word == "for",
        TokenTree::Literal(_) => false,
    })
}

/// Methods of std's that change nothing, by their names; what is not among them may be lent as unique where that compiles.
fn looks(method: &str) -> bool {
    let more = [
        "chars",
        "cloned",
        "copied",
        "last",
        "lines",
        "to_lowercase",
        "to_uppercase",
    ];
    lends(method) || more.contains(&method) || consumes(method)
}

fn compares(op: &syn::BinOp) -> bool {
    use syn::BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_))
}

/// Whether a method of std's of this name takes its receiver: what is not listed is lent, and does not compile where it takes it.
fn consumes(method: &str) -> bool {
    let named = ["into", "unwrap", "expect"];
    let known = [
        "and_then",
        "filter",
        "map",
        "map_err",
        "map_or",
        "map_or_else",
        "ok",
        "ok_or",
        "ok_or_else",
        "or",
        "or_else",
    ];
    named.iter().any(|begin| method.starts_with(begin)) || known.contains(&method)
}
