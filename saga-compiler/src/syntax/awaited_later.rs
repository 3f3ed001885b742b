//! Asks that are put into a variable, and awaited behind other code: they do nothing until then.
//!
//! ```text
//! let ask = peer.elicit::<T>(question());   ..   select! { answer = ask => .. }
//!     →   let asked = question();   ..   select! { answer = peer.elicit::<T>(asked) => .. }
//! ```

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::{
    Block, Expr, Local, Pat, Stmt,
    visit::{self, Visit},
    visit_mut::{self, VisitMut},
};

use super::asks::Handles;
use crate::ast::{
    calls::{is_box_pin, strip_parentheses},
    patterns::pattern_bindings,
    tokens::{is_punct, mentions},
    uses::root_name,
};

/// Puts them where they are awaited.
pub(super) fn put(block: &mut Block, handles: &Handles) {
    Later { handles, kept: 0 }.visit_block_mut(block);
}

struct Later<'a> {
    handles: &'a Handles,
    /// How many operands have variables of their own.
    kept: usize,
}

impl VisitMut for Later<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        let mut at = 0;
        while at < block.stmts.len() {
            match self.moved(&block.stmts, at) {
                Some((operands, rest)) => {
                    block.stmts.truncate(at);
                    at += operands.len();
                    block.stmts.extend(operands);
                    block.stmts.extend(rest);
                }
                None => at += 1,
            }
        }
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

impl Later<'_> {
    /// What stands in place of the statement, and what behind it.
    fn moved(&mut self, stmts: &[Stmt], at: usize) -> Option<(Vec<Stmt>, Vec<Stmt>)> {
        let (stmt, behind) = stmts.get(at..)?.split_first()?;
        let (name, mut ask) = self.put_aside(stmt)?;
        // Behind another variable of its name it is not meant any more, but what gives that its value may be.
        let hidden = behind.iter().position(|stmt| declares(stmt, name));
        let (seen, rest) = behind.split_at(hidden.map_or(behind.len(), |at| at + 1));
        let bound = usize::from(hidden.is_some());
        let seen = seen.iter().filter(|stmt| !pins(stmt, name));
        let mut behind: Vec<_> = seen.cloned().collect();
        let count: usize = behind.iter().map(|stmt| mentions(stmt, name)).sum();
        let handle = root_name(&self.handles.ask(&ask)?.base().receiver)?;
        if count != 1 + bound || seen_again(&behind, &handle) {
            return None;
        }
        let (mut operands, before) = (Vec::new(), self.kept);
        self.keep_operands(&mut ask, &mut operands);
        let mut put = Put {
            name,
            ask: &ask,
            done: false,
        };
        behind.iter_mut().for_each(|stmt| put.visit_stmt_mut(stmt));
        if !put.done {
            self.kept = before;
            return None;
        }
        behind.extend(rest.iter().cloned());
        Some((operands, behind))
    }

    /// The name of a variable that a statement declares, and the ask that it is.
    fn put_aside<'s>(&self, stmt: &'s Stmt) -> Option<(&'s Ident, Expr)> {
        let Stmt::Local(Local {
            attrs,
            pat: Pat::Ident(name),
            init: Some(init),
            ..
        }) = stmt
        else {
            return None;
        };
        let is_plain = name.by_ref.is_none()
            && name.subpat.is_none()
            && init.diverge.is_none()
            && attrs.is_empty();
        let pinned;
        let ask = match strip_parentheses(&init.expr) {
            Expr::Call(call) if is_box_pin(&call.func) => call.args.first()?,
            // `pin!(peer.elicit(..))`
            Expr::Macro(call) if is_pin(&call.mac.path) => {
                pinned = call.mac.parse_body().ok()?;
                &pinned
            }
            other => other,
        };
        let asked = matches!(ask, Expr::MethodCall(_)).then(|| self.handles.ask(ask))??;
        let is_named = is_named(&asked.base().receiver);
        (is_plain && is_named && asked.links().all(takes_values))
            .then(|| (&name.ident, ask.clone()))
    }

    /// What an ask is given is evaluated where it is made.
    fn keep_operands(&mut self, ask: &mut Expr, operands: &mut Vec<Stmt>) {
        let Expr::MethodCall(call) = ask else {
            return;
        };
        if self.handles.ask(&call.receiver).is_some() {
            self.keep_operands(&mut call.receiver, operands);
        }
        for operand in &mut call.args {
            if matches!(operand, Expr::Lit(_)) {
                continue;
            }
            let kept = format_ident!("__saga_asked_{}", self.kept);
            self.kept += 1;
            operands.push(syn::parse_quote!(let #kept = #operand;));
            *operand = syn::parse_quote!(#kept);
        }
    }
}

/// Whether a handle is what it is wherever it is named.
fn is_named(handle: &Expr) -> bool {
    match strip_parentheses(handle) {
        Expr::Path(_) => true,
        Expr::Field(field) => is_named(&field.base),
        Expr::Reference(lent) => is_named(&lent.expr),
        _ => false,
    }
}

/// Whether a call of an ask does nothing with what it is given until it is awaited: a list of choices is gone through at once.
fn takes_values(call: &syn::ExprMethodCall) -> bool {
    let chooses = call.method.to_string().starts_with("choose");
    !chooses
        && !call
            .args
            .iter()
            .any(|given| matches!(given, Expr::Closure(_)))
}

fn is_pin(path: &syn::Path) -> bool {
    let last = path.segments.last();
    last.is_some_and(|last| last.ident == "pin" || last.ident == "pin_mut")
}

/// `tokio::pin!(ask);`
fn pins(stmt: &Stmt, name: &Ident) -> bool {
    let Stmt::Macro(stmt) = stmt else {
        return false;
    };
    is_pin(&stmt.mac.path)
        && syn::parse2::<Ident>(stmt.mac.tokens.clone()).is_ok_and(|pinned| pinned == *name)
}

fn declares(stmt: &Stmt, name: &Ident) -> bool {
    let Stmt::Local(local) = stmt else {
        return false;
    };
    pattern_bindings(&local.pat).any(|binding| binding.ident == *name)
}

/// Whether the name of the handle is another variable's somewhere in between.
fn seen_again(stmts: &[Stmt], handle: &str) -> bool {
    struct Bound<'a>(&'a str, bool);
    impl<'ast> Visit<'ast> for Bound<'_> {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.1 |= pat.ident == self.0;
            visit::visit_pat_ident(self, pat);
        }
    }
    let mut bound = Bound(handle, false);
    stmts.iter().for_each(|stmt| bound.visit_stmt(stmt));
    bound.1
}

/// Whether this is the variable, or a reference to it.
fn is_it(expr: &Expr, name: &Ident) -> bool {
    match strip_parentheses(expr) {
        Expr::Path(path) => path.path.is_ident(name),
        Expr::Reference(lent) => lent.mutability.is_some() && is_it(&lent.expr, name),
        _ => false,
    }
}

/// Puts an ask where its variable is awaited. In a loop, in a closure or in a block of its own it would be another one each time.
struct Put<'a> {
    name: &'a Ident,
    ask: &'a Expr,
    done: bool,
}

impl Put<'_> {
    fn at(&mut self, expr: &mut Expr) {
        if is_it(expr, self.name) {
            *expr = self.ask.clone();
            self.done = true;
        }
    }

    /// ```text
    /// select! { answer = &mut ask => .. }   →   select! { answer = peer.elicit(..) => .. }
    /// ```
    fn in_tokens(&mut self, tokens: TokenStream) -> TokenStream {
        let mut put: Vec<TokenTree> = Vec::new();
        for token in tokens {
            match token {
                TokenTree::Ident(ident) if ident == *self.name => {
                    let lent = [
                        is_ident(put.last(), "mut"),
                        is_punct(put.iter().nth_back(1), '&'),
                    ];
                    if lent == [true, true] {
                        put.truncate(put.len() - 2);
                    }
                    put.extend(self.ask.to_token_stream());
                    self.done = true;
                }
                other => put.push(other),
            }
        }
        put.into_iter().collect()
    }
}

fn is_ident(token: Option<&TokenTree>, name: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(ident)) if ident == name)
}

impl VisitMut for Put<'_> {
    fn visit_expr_await_mut(&mut self, awaited: &mut syn::ExprAwait) {
        self.at(&mut awaited.base);
        if let Expr::Call(call) = &mut *awaited.base {
            let limits = matches!(&*call.func, Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "timeout" || last.ident == "timeout_at"));
            if let (true, Some(limited)) = (limits, call.args.last_mut()) {
                self.at(limited);
            }
        }
        visit_mut::visit_expr_await_mut(self, awaited);
    }

    fn visit_macro_mut(&mut self, invocation: &mut syn::Macro) {
        let last = invocation.path.segments.last();
        let awaits = ["join", "select", "try_join"];
        if last.is_some_and(|last| awaits.iter().any(|name| last.ident == name)) {
            invocation.tokens = self.in_tokens(std::mem::take(&mut invocation.tokens));
        }
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_expr_async_mut(&mut self, _: &mut syn::ExprAsync) {}

    fn visit_expr_loop_mut(&mut self, _: &mut syn::ExprLoop) {}

    fn visit_expr_while_mut(&mut self, _: &mut syn::ExprWhile) {}

    fn visit_expr_for_loop_mut(&mut self, _: &mut syn::ExprForLoop) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
