//! Variables that a macro of somebody's own declares, as a statement: what it expands to is not seen, but the names are.
//!
//! ```text
//! declare!(total, 5);   →   #[cfg_attr(any(), saga_declares(total))] declare!(total, 5);
//! ```

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::{
    Attribute, Block, Expr, ImplItemFn, Item, Stmt,
    visit::{self, Visit},
    visit_mut::VisitMut,
};

use crate::ast::{
    macros::{arguments, is_known, matched},
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
    all.visit_impl_item_fn(item);
    if all.macros {
        let mut noting = Noting {
            bound: &all.bound,
            declared: Vec::new(),
        };
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

/// The names that a function declares.
#[derive(Default)]
struct Names {
    bound: BTreeSet<String>,
    /// Whether there is such a macro at all.
    macros: bool,
}

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        self.bound.insert(pat.ident.to_string());
        visit::visit_pat_ident(self, pat);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        // What they declare is known in the whole of their block.
        idents(item.to_token_stream(), &mut |name| {
            self.bound.insert(name.to_string());
        });
    }

    fn visit_stmt_macro(&mut self, stmt: &'ast syn::StmtMacro) {
        self.macros |= may_declare(&stmt.mac);
    }
}

struct Noting<'a> {
    bound: &'a BTreeSet<String>,
    /// What macros of the open blocks declare: another one that mentions such a name may change it.
    declared: Vec<String>,
}

impl VisitMut for Noting<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let open = self.declared.len();
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
                    self.declared
                        .extend(declared.iter().map(ToString::to_string));
                }
                other => self.visit_stmt_mut(other),
            }
        }
        self.declared.truncate(open);
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_expr_async_mut(&mut self, _: &mut syn::ExprAsync) {}

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

impl Noting<'_> {
    fn declared_by(&self, tokens: TokenStream, rest: &[Stmt]) -> Vec<Ident> {
        let mut used = Values::default();
        rest.iter().for_each(|stmt| used.visit_stmt(stmt));
        let mut given: Vec<Ident> = Vec::new();
        idents(tokens, &mut |ident| {
            let name = ident.to_string();
            let is_new = !self.bound.contains(&name)
                && !self.declared.contains(&name)
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

/// Names that stand where values do: also in the macros of std.
#[derive(Default)]
struct Values {
    used: BTreeSet<String>,
    /// Those of functions.
    called: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Values {
    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        self.used
            .extend(path.path.get_ident().map(ToString::to_string));
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
                    self.used.insert(name.to_owned());
                }
            });
        }
    }

    fn visit_item(&mut self, _: &'ast Item) {}
}
