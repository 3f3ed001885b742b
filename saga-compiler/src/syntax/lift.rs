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

use crate::ast::tokens::token_names;

/// Lifts those whose names are in no other code of the function.
pub(crate) fn lift(item: &mut ImplItemFn) {
    let mut nested = Nested {
        depth: 0,
        found: false,
    };
    nested.visit_block(&item.block);
    // What an item means may hang on a macro that is defined before it.
    let defines = |stmt: &Stmt| matches!(stmt, Stmt::Item(Item::Macro(_)));
    if !nested.found || item.block.stmts.iter().any(defines) {
        return;
    }
    let all = names(&item);
    let mut lifting = Lifting {
        all: &all,
        depth: 0,
        imports: false,
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
struct Nested {
    depth: usize,
    found: bool,
}

impl<'ast> Visit<'ast> for Nested {
    fn visit_block(&mut self, block: &'ast Block) {
        let items = |stmt: &Stmt| matches!(stmt, Stmt::Item(item) if name(item).is_some());
        self.found |= self.depth > 0 && block.stmts.iter().any(items);
        self.depth += 1;
        visit::visit_block(self, block);
        self.depth -= 1;
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_item(&mut self, _: &'ast Item) {}
}

struct Lifting<'a> {
    all: &'a BTreeMap<String, usize>,
    depth: usize,
    /// Whether a block around it imports something, which its items may mean.
    imports: bool,
    lifted: Vec<Item>,
}

impl Lifting<'_> {
    /// Whether all items of a block can go: an `impl` goes with what it is of.
    fn lifts(&self, block: &Block) -> bool {
        let items: Vec<_> = items(block).collect();
        let known = |item: &&Item| name(item).is_some() || matches!(item, Item::Impl(_));
        if self.depth == 0 || self.imports || !items.iter().all(known) {
            return false;
        }
        let here = names(&block);
        let mut named = items.iter().filter_map(|item| name(item)).peekable();
        named.peek().is_some()
            && named.all(|name| {
                let name = name.to_string();
                here.get(&name) == self.all.get(&name)
            })
    }
}

impl VisitMut for Lifting<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let around = self.imports;
        self.imports |= self.depth > 0 && items(block).any(|item| matches!(item, Item::Use(_)));
        if self.lifts(block) {
            let (lifted, kept) = std::mem::take(&mut block.stmts)
                .into_iter()
                .partition(|stmt| matches!(stmt, Stmt::Item(_)));
            block.stmts = kept;
            let lifted: Vec<Stmt> = lifted;
            self.lifted
                .extend(lifted.into_iter().filter_map(|stmt| match stmt {
                    Stmt::Item(item) => Some(item),
                    _ => None,
                }));
        }
        self.depth += 1;
        visit_mut::visit_block_mut(self, block);
        self.depth -= 1;
        self.imports = around;
    }

    /// It is not taken apart.
    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut Item) {}
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
