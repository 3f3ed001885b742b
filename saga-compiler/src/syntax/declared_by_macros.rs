//! Variables that a macro of somebody's own declares, as a statement: what it expands to is not seen, but the names are.
//!
//! ```text
//! declare!(total, 5);   →   #[cfg_attr(any(), saga_declares(total))] declare!(total, 5);
//! ```

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::{
    Attribute, Block, Expr, ImplItemFn, Item, Pat, Stmt,
    visit::{self, Visit},
    visit_mut::{self, VisitMut},
};

use crate::ast::{
    macros::{arguments, is_known, matched},
    patterns::pattern_bindings,
    tokens::{Texts, idents, names_of_macro},
};

/// What is written above such a macro until it is lowered: where it is not, rustc leaves it out.
const DECLARES: &str = "saga_declares";

/// Macros that many use, and that declare nothing.
const DECLARE_NOTHING: &[&str] = &[
    "bail",
    "debug",
    "elicit_safe",
    "ensure",
    "error",
    "event",
    "info",
    "join",
    "lazy_static",
    "log",
    "pin",
    "pin_mut",
    "select",
    "task_local",
    "thread_local",
    "trace",
    "try_join",
    "warn",
];

/// Notes what is used behind such a macro, and that nothing else of the function declares.
pub(super) fn note(item: &mut ImplItemFn) {
    let mut all = Names::default();
    all.visit_block(&item.block);
    if all.macros {
        let mut noting = Noting {
            items: &all.items,
            known: Vec::new(),
        };
        for input in &item.sig.inputs {
            if let syn::FnArg::Typed(param) = input {
                noting.know(&[&param.pat]);
            }
        }
        noting.visit_block_mut(&mut item.block);
    }
}

/// Takes what was noted off a macro.
pub(crate) fn declared(attributes: &mut Vec<Attribute>) -> Vec<Ident> {
    let mut names = Vec::new();
    attributes.retain(|attribute| {
        let mut noted = Vec::new();
        if attribute.path().is_ident("cfg_attr") {
            idents(attribute.meta.to_token_stream(), &mut |name| {
                noted.push(name.clone());
            });
        }
        // `cfg_attr(any(), saga_declares(total))`
        match noted.get(2) {
            Some(notes) if notes == DECLARES => {
                names.extend(noted.drain(3..));
                false
            }
            _ => true,
        }
    });
    names
}

fn may_declare(invocation: &syn::Macro) -> bool {
    let last = invocation.path.segments.last();
    let nothing = |last: &syn::PathSegment| DECLARE_NOTHING.iter().any(|name| last.ident == name);
    !is_known(invocation) && !last.is_some_and(nothing)
}

/// The names of a function's items, and whether there is such a macro at all.
#[derive(Default)]
struct Names {
    items: BTreeSet<String>,
    macros: bool,
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item(&mut self, item: &'ast Item) {
        // What they declare is known in the whole of their block.
        idents(item.to_token_stream(), &mut |name| {
            self.items.insert(name.to_string());
        });
    }

    fn visit_stmt_macro(&mut self, stmt: &'ast syn::StmtMacro) {
        self.macros |= may_declare(&stmt.mac);
    }
}

/// Goes through the body with the names that are variables at each place: by a pattern, or by such a macro.
struct Noting<'a> {
    items: &'a BTreeSet<String>,
    known: Vec<String>,
}

impl Noting<'_> {
    fn inside(&mut self, pats: &[&Pat], visit: impl FnOnce(&mut Self)) {
        let open = self.known.len();
        self.know(pats);
        visit(self);
        self.known.truncate(open);
    }

    fn know(&mut self, pats: &[&Pat]) {
        let bindings = pats.iter().flat_map(|pat| pattern_bindings(pat));
        self.known
            .extend(bindings.map(|binding| binding.ident.to_string()));
    }
}

impl VisitMut for Noting<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let open = self.known.len();
        for index in 0..block.stmts.len() {
            let (before, rest) = block.stmts.split_at_mut(index + 1);
            let Some(stmt) = before.last_mut() else {
                continue;
            };
            match stmt {
                Stmt::Macro(stmt) if may_declare(&stmt.mac) && rest.iter().any(awaits) => {
                    let declared = self.declared_by(stmt.mac.tokens.clone(), rest);
                    if !declared.is_empty() {
                        let notes = Ident::new(DECLARES, Span::call_site());
                        stmt.attrs
                            .push(syn::parse_quote!(#[cfg_attr(any(), #notes(#(#declared),*))]));
                    }
                    self.known.extend(declared.iter().map(ToString::to_string));
                }
                Stmt::Local(local) => {
                    self.visit_local_mut(local);
                    self.know(&[&local.pat]);
                }
                other => self.visit_stmt_mut(other),
            }
        }
        self.known.truncate(open);
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        let pat = arm.pat.clone();
        self.inside(&[&pat], |this| visit_mut::visit_arm_mut(this, arm));
    }

    fn visit_expr_for_loop_mut(&mut self, each: &mut syn::ExprForLoop) {
        let pat = each.pat.clone();
        self.inside(&[&pat], |this| {
            visit_mut::visit_expr_for_loop_mut(this, each)
        });
    }

    fn visit_expr_if_mut(&mut self, chosen: &mut syn::ExprIf) {
        let pats = chosen_by(&chosen.cond);
        let pats: Vec<_> = pats.iter().collect();
        self.inside(&pats, |this| visit_mut::visit_expr_if_mut(this, chosen));
    }

    fn visit_expr_while_mut(&mut self, repeated: &mut syn::ExprWhile) {
        let pats = chosen_by(&repeated.cond);
        let pats: Vec<_> = pats.iter().collect();
        self.inside(&pats, |this| {
            visit_mut::visit_expr_while_mut(this, repeated)
        });
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_expr_async_mut(&mut self, _: &mut syn::ExprAsync) {}

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// The patterns of `if let` and of chains of it.
fn chosen_by(cond: &Expr) -> Vec<Pat> {
    match cond {
        Expr::Let(chosen) => vec![(*chosen.pat).clone()],
        Expr::Binary(both) => {
            let mut pats = chosen_by(&both.left);
            pats.extend(chosen_by(&both.right));
            pats
        }
        _ => Vec::new(),
    }
}

impl Noting<'_> {
    fn declared_by(&self, tokens: TokenStream, rest: &[Stmt]) -> Vec<Ident> {
        let mut used = Values::default();
        used.in_stmts(rest);
        let mut given: Vec<Ident> = Vec::new();
        idents(tokens, &mut |ident| {
            let name = ident.to_string();
            let is_new = !self.items.contains(&name)
                && !self.known.contains(&name)
                && !given.contains(ident);
            if is_new
                && may_be_variable(&name)
                && used.used.contains(&name)
                && !used.called.contains(&name)
            {
                given.push(ident.clone());
            }
        });
        given
    }
}

fn awaits(stmt: &Stmt) -> bool {
    let mut found = false;
    idents(stmt.to_token_stream(), &mut |name| found |= name == "await");
    found
}

/// Whether this is the name of a variable, as they are written.
fn may_be_variable(name: &str) -> bool {
    let is_low = name.starts_with(|first: char| first.is_lowercase() || first == '_');
    is_low && name != "_" && syn::parse_str::<Ident>(name).is_ok()
}

/// Names that stand where values do, also in the macros of std, and that nothing in the code declares.
#[derive(Default)]
struct Values {
    used: BTreeSet<String>,
    /// Those of functions.
    called: BTreeSet<String>,
    /// What is declared around.
    hidden: Vec<String>,
}

impl Values {
    fn uses(&mut self, name: &str) {
        if !self.hidden.iter().any(|hidden| hidden == name) {
            self.used.insert(name.to_owned());
        }
    }

    fn inside(&mut self, pats: &[&Pat], visit: impl FnOnce(&mut Self)) {
        let open = self.hidden.len();
        self.hide(pats);
        visit(self);
        self.hidden.truncate(open);
    }

    fn hide(&mut self, pats: &[&Pat]) {
        let bindings = pats.iter().flat_map(|pat| pattern_bindings(pat));
        self.hidden
            .extend(bindings.map(|binding| binding.ident.to_string()));
    }

    fn in_stmts(&mut self, stmts: &[Stmt]) {
        let open = self.hidden.len();
        for stmt in stmts {
            self.visit_stmt(stmt);
            if let Stmt::Local(local) = stmt {
                self.hide(&[&local.pat]);
            }
        }
        self.hidden.truncate(open);
    }
}

impl<'ast> Visit<'ast> for Values {
    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        if let Some(name) = path.path.get_ident() {
            self.uses(&name.to_string());
        }
    }

    fn visit_block(&mut self, block: &'ast Block) {
        self.in_stmts(&block.stmts);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.inside(&[&arm.pat], |this| visit::visit_arm(this, arm));
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        let pats: Vec<_> = closure.inputs.iter().collect();
        self.inside(&pats, |this| visit::visit_expr_closure(this, closure));
    }

    fn visit_expr_for_loop(&mut self, each: &'ast syn::ExprForLoop) {
        self.visit_expr(&each.expr);
        self.inside(&[&each.pat], |this| this.visit_block(&each.body));
    }

    fn visit_expr_if(&mut self, chosen: &'ast syn::ExprIf) {
        let pats = chosen_by(&chosen.cond);
        let pats: Vec<_> = pats.iter().collect();
        self.visit_expr(&chosen.cond);
        self.inside(&pats, |this| this.visit_block(&chosen.then_branch));
        if let Some((_, otherwise)) = &chosen.else_branch {
            self.visit_expr(otherwise);
        }
    }

    fn visit_expr_while(&mut self, repeated: &'ast syn::ExprWhile) {
        let pats = chosen_by(&repeated.cond);
        let pats: Vec<_> = pats.iter().collect();
        self.visit_expr(&repeated.cond);
        self.inside(&pats, |this| this.visit_block(&repeated.body));
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        match &*call.func {
            Expr::Path(path) => {
                self.called
                    .extend(path.path.get_ident().map(ToString::to_string));
            }
            other => self.visit_expr(other),
        }
        call.args.iter().for_each(|given| self.visit_expr(given));
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        if let Some((value, ..)) = matched(invocation) {
            return self.visit_expr(&value);
        }
        let Some(arguments) = arguments(invocation).filter(|_| is_known(invocation)) else {
            return;
        };
        let mut named = Vec::new();
        for argument in &arguments {
            named.extend(argument.name());
            self.visit_expr(&argument.value);
        }
        let texts = arguments
            .iter()
            .filter(|argument| matches!(argument.value, Expr::Lit(_)));
        for text in texts {
            names_of_macro(text.value.to_token_stream(), Texts::Capture, &mut |name| {
                if !named.iter().any(|named| named == name) {
                    self.uses(name);
                }
            });
        }
    }

    fn visit_item(&mut self, _: &'ast Item) {}
}
