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
    visit::Visit,
    visit_mut::{self, VisitMut},
};

use crate::ast::{
    calls::conjuncts,
    macros::{declares_items, is_known, is_of_anyhow, matched},
    patterns::pattern_bindings,
    tokens::{awaits, idents},
    uses::Uses,
};

/// What is written above such a macro until it is lowered: where it is not, rustc leaves it out.
const DECLARES: &str = "saga_declares";

/// Macros that many use, and that declare no variables.
const DECLARE_NOTHING: &[&str] = &["join", "pin_mut", "select", "try_join"];

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
    let is_known = is_known(invocation) || is_of_anyhow(invocation) || declares_items(invocation);
    !is_known && !last.is_some_and(nothing)
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
    let all = conjuncts(cond).into_iter();
    all.filter_map(|part| match part {
        Expr::Let(chosen) => Some((*chosen.pat).clone()),
        _ => None,
    })
    .collect()
}

impl Noting<'_> {
    fn declared_by(&self, tokens: TokenStream, rest: &[Stmt]) -> Vec<Ident> {
        let used = used_in(rest);
        let mut given: Vec<Ident> = Vec::new();
        idents(tokens, &mut |ident| {
            let name = ident.to_string();
            let is_new = !self.items.contains(&name)
                && !self.known.contains(&name)
                && !given.contains(ident);
            if is_new && may_be_variable(&name) && used.contains(&name) {
                given.push(ident.clone());
            }
        });
        given
    }
}

/// Whether this is the name of a variable, as they are written.
fn may_be_variable(name: &str) -> bool {
    let is_low = name.starts_with(|first: char| first.is_lowercase() || first == '_');
    is_low && name != "_" && syn::parse_str::<Ident>(name).is_ok()
}

/// The names that statements use as values, and that nothing in them declares; those of functions apart.
fn used_in(stmts: &[Stmt]) -> BTreeSet<String> {
    let mut block = Block {
        brace_token: Default::default(),
        stmts: stmts.to_vec(),
    };
    let mut unseen = Unseen {
        called: BTreeSet::new(),
    };
    unseen.visit_block_mut(&mut block);
    let mut used: BTreeSet<String> = Uses::of_block(&block).reads.into_keys().collect();
    used.retain(|name| !unseen.called.contains(name));
    used
}

/// Leaves out what macros are given of which it is not known what they do with it, or that is a pattern.
struct Unseen {
    called: BTreeSet<String>,
}

impl VisitMut for Unseen {
    fn visit_macro_mut(&mut self, invocation: &mut syn::Macro) {
        if let Some((value, ..)) = matched(invocation) {
            invocation.tokens = value.to_token_stream();
        } else if !is_known(invocation) {
            invocation.tokens = TokenStream::new();
        }
    }

    fn visit_expr_call_mut(&mut self, call: &mut syn::ExprCall) {
        if let Expr::Path(path) = &*call.func {
            self.called
                .extend(path.path.get_ident().map(ToString::to_string));
        }
        visit_mut::visit_expr_call_mut(self, call);
    }
}
