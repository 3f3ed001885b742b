//! Items in blocks that are taken apart go to the top of the function, where nothing else can be meant by their names.
//!
//! ```text
//! loop { enum Choice { Yes, No } … }   →   enum Choice { Yes, No } loop { … }
//! ```

use std::collections::BTreeMap;

use quote::ToTokens;
use syn::{
    Block, ImplItemFn, Item, Stmt,
    visit::{self, Visit},
    visit_mut::{self, VisitMut},
};

use crate::ast::{macros::is_known, tokens::token_names};

/// Lifts those whose names are in no other code of the function, and that mean nothing of a block which stays.
pub(crate) fn lift(item: &mut ImplItemFn) {
    if !has_nested(&item.block) {
        return;
    }
    let all = names(&item);
    let mut lifting = Lifting {
        all: &all,
        depth: 0,
        keeps: false,
        lifted: Vec::new(),
    };
    lifting.visit_block_mut(&mut item.block);
    let lifted = lifting.lifted.into_iter().map(Stmt::Item);
    item.block.stmts.splice(0..0, lifted);
}

/// How often each name is mentioned.
fn names(code: &impl ToTokens) -> BTreeMap<String, usize> {
    let mut names = BTreeMap::new();
    token_names(code.to_token_stream(), &mut |name| {
        *names.entry(name.to_owned()).or_default() += 1;
    });
    names
}

/// Whether there is such an item at all.
fn has_nested(block: &Block) -> bool {
    struct Nested {
        depth: usize,
        found: bool,
    }

    impl<'ast> Visit<'ast> for Nested {
        fn visit_block(&mut self, block: &'ast Block) {
            self.found |= self.depth > 0 && items(block).any(|item| name(item).is_some());
            self.depth += 1;
            visit::visit_block(self, block);
            self.depth -= 1;
        }

        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

        fn visit_item(&mut self, _: &'ast Item) {}
    }

    let mut nested = Nested {
        depth: 0,
        found: false,
    };
    nested.visit_block(block);
    nested.found
}

struct Lifting<'a> {
    all: &'a BTreeMap<String, usize>,
    depth: usize,
    /// Whether a block around has items that stay there, or a macro that may declare some: what is in it may mean those.
    keeps: bool,
    lifted: Vec<Item>,
}

impl Lifting<'_> {
    /// Whether all items of a block can go: an `impl` goes with what it is of.
    fn lifts(&self, block: &Block) -> bool {
        let known = |item: &Item| name(item).is_some() || matches!(item, Item::Impl(_));
        if self.depth == 0 || self.keeps || may_declare(block) || !items(block).all(known) {
            return false;
        }
        let mut named = items(block).filter_map(name).peekable();
        if named.peek().is_none() {
            return false;
        }
        let here = names(&block);
        named.all(|name| {
            let name = name.to_string();
            here.get(&name) == self.all.get(&name)
        })
    }
}

impl VisitMut for Lifting<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let around = self.keeps;
        if self.lifts(block) {
            for stmt in std::mem::take(&mut block.stmts) {
                match stmt {
                    Stmt::Item(item) => self.lifted.push(item),
                    other => block.stmts.push(other),
                }
            }
        } else {
            // Those of the body itself are at the top already.
            self.keeps |= may_declare(block) || self.depth > 0 && items(block).next().is_some();
        }
        self.depth += 1;
        visit_mut::visit_block_mut(self, block);
        self.depth -= 1;
        self.keeps = around;
    }

    /// It is not taken apart.
    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// Whether a macro among a block's statements may declare items, or be one that they are made by.
fn may_declare(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match stmt {
        Stmt::Macro(stmt) => !is_known(&stmt.mac),
        Stmt::Item(item) => matches!(item, Item::Macro(_)),
        _ => false,
    })
}

fn items(block: &Block) -> impl Iterator<Item = &Item> {
    block.stmts.iter().filter_map(|stmt| match stmt {
        Stmt::Item(item) => Some(item),
        _ => None,
    })
}

/// The name of an item that is known by nothing else: a trait brings methods with it, a macro what it expands to.
fn name(item: &Item) -> Option<&syn::Ident> {
    match item {
        Item::Const(item) => (item.ident != "_").then_some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Static(item) => Some(&item.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        _ => None,
    }
}
