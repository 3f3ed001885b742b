//! The `macro_rules!` of a body.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Block, Item, ItemMacro, Stmt,
    visit::{self, Visit},
};

use super::rules::{called, each_fragment, rules};
use crate::ast::{
    macros::is_known_name,
    tokens::{awaits, idents},
};

/// A `macro_rules!` in a block that is taken apart.
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) tokens: TokenStream,
    /// The names that stand before it in its block, and in those around it.
    pub(super) before: BTreeSet<String>,
    /// What it is known in.
    pub(super) behind: TokenStream,
    /// Whether it stands at the top of the function already.
    pub(super) is_first: bool,
}

impl Definition {
    /// ```text
    /// ($left:expr, $right:expr) => { .. }
    /// ```
    fn takes_values(&self, all: &[Definition]) -> bool {
        let fragments = ["expr", "literal", "ty", "lifetime", "block", "path"];
        let Some(rules) = rules(self.tokens.clone()) else {
            return false;
        };
        rules.iter().all(|(matcher, body)| {
            let mut known = true;
            each_fragment(matcher.stream(), &mut |fragment| {
                known &= fragments.iter().any(|name| fragment == name);
            });
            known || !self.may_declare(body.stream(), all)
        })
    }

    /// Whether something in a body may be a pattern that declares what it is given: `let $name = 1`, but no `format!($($all)*)`.
    fn may_declare(&self, tokens: TokenStream, all: &[Definition]) -> bool {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let words = ["const", "fn", "for", "let", "match", "static"];
        tokens.iter().enumerate().any(|(index, token)| match token {
            TokenTree::Ident(word) => words.iter().any(|name| word == name),
            TokenTree::Punct(sign) => sign.as_char() == '|',
            TokenTree::Group(group) => match called(&tokens, index) {
                Some(name) if *name == self.name => false,
                Some(name) => !takes_values(name, all),
                None => self.may_declare(group.stream(), all),
            },
            TokenTree::Literal(_) => false,
        })
    }
}

/// Those in blocks that are taken apart.
pub(super) fn definitions(body: &Block) -> Vec<Definition> {
    let mut all = Definitions::default();
    if defines(body) {
        all.visit_block(body);
    }
    all.found
}

/// Whether there is one at all.
fn defines(body: &Block) -> bool {
    struct Any(bool);
    impl<'ast> Visit<'ast> for Any {
        fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
            self.0 |= defined(item).is_some();
        }
    }
    let mut any = Any(false);
    any.visit_block(body);
    any.0
}

/// The name of what a `macro_rules!` defines.
fn defined(item: &ItemMacro) -> Option<&Ident> {
    item.ident
        .as_ref()
        .filter(|_| item.mac.path.is_ident("macro_rules"))
}

#[derive(Default)]
struct Definitions {
    found: Vec<Definition>,
    before: BTreeSet<String>,
    depth: usize,
}

impl Definitions {
    /// What is in a piece of code, behind what declares names for it.
    fn behind(&mut self, declares: &impl ToTokens, visit: impl FnOnce(&mut Self)) {
        let outside = self.before.clone();
        self.note(declares);
        visit(self);
        self.before = outside;
    }

    fn note(&mut self, code: &impl ToTokens) {
        idents(code.to_token_stream(), &mut |name| {
            self.before.insert(name.to_string());
        });
    }
}

impl<'ast> Visit<'ast> for Definitions {
    fn visit_block(&mut self, block: &'ast Block) {
        let outside = self.before.clone();
        let mut is_first = self.depth == 0;
        self.depth += 1;
        for (index, stmt) in block.stmts.iter().enumerate() {
            if let Stmt::Item(Item::Macro(item)) = stmt
                && let Some(name) = defined(item)
                && block.stmts.iter().any(awaits)
            {
                let behind = block.stmts.iter().skip(index + 1);
                self.found.push(Definition {
                    name: name.to_string(),
                    tokens: item.mac.tokens.clone(),
                    before: self.before.clone(),
                    behind: behind.map(ToTokens::to_token_stream).collect(),
                    is_first,
                });
            }
            is_first &= matches!(stmt, Stmt::Item(_));
            self.visit_stmt(stmt);
            if !matches!(stmt, Stmt::Item(_)) {
                self.note(stmt);
            }
        }
        self.depth -= 1;
        self.before = outside;
    }

    // What is declared there is known there.
    fn visit_item(&mut self, _: &'ast Item) {}

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.behind(&arm.pat, |this| visit::visit_arm(this, arm));
    }

    fn visit_expr_for_loop(&mut self, each: &'ast syn::ExprForLoop) {
        self.behind(&each.pat, |this| visit::visit_expr_for_loop(this, each));
    }

    fn visit_expr_if(&mut self, chosen: &'ast syn::ExprIf) {
        self.behind(&chosen.cond, |this| visit::visit_expr_if(this, chosen));
    }

    fn visit_expr_while(&mut self, repeated: &'ast syn::ExprWhile) {
        self.behind(&repeated.cond, |this| {
            visit::visit_expr_while(this, repeated)
        });
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
}

/// Whether what a macro is given are values, whose names it declares not.
pub(super) fn takes_values(name: &Ident, all: &[Definition]) -> bool {
    let name = name.to_string();
    // Those that it calls stand before it, or are itself.
    let own = all.iter().rposition(|definition| definition.name == name);
    match own.and_then(|own| all.get(..=own)?.split_last()) {
        Some((own, before)) => own.takes_values(before),
        None => is_known_name(&name) && name != "matches",
    }
}
