//! Items in blocks that are taken apart go to the top of the function, where nothing else can be meant by their names.
//!
//! ```text
//! loop { enum Choice { Yes, No } … }   →   enum Choice { Yes, No } loop { … }
//! ```

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Block, ImplItemFn, Item, Stmt,
    visit::{self, Visit},
    visit_mut::{self, VisitMut},
};

use crate::ast::{
    macros::{is_known, is_known_name},
    tokens::token_names,
};

/// rmcp's, which implements a trait for a type and declares nothing: it goes with the type.
const IMPLEMENTS: &str = "elicit_safe";

/// Lifts those whose names are in no other code of the function, and that mean nothing of a block which stays. A macro elsewhere
/// may expand to any name, so that with one all of them stay.
pub(crate) fn lift(item: &mut ImplItemFn) {
    if !has_nested(&item.block) {
        return;
    }
    let all = Mentioned::of(&item);
    let mut lifting = Lifting {
        all: &all,
        depth: 0,
        keeps: false,
        lifted: Vec::new(),
    };
    lifting.visit_block_mut(&mut item.block);
    let lifted = lifting.lifted;
    item.block.stmts.splice(0..0, lifted);
}

/// What may name an item in a piece of code.
#[derive(Default)]
struct Mentioned {
    /// How often each name is there: also in the texts of attributes, `#[serde(default = "first")]`.
    names: BTreeMap<String, usize>,
    /// Macros whose expansion is not known.
    macros: usize,
    /// Whether something is awaited.
    awaits: bool,
}

impl Mentioned {
    fn of(code: &impl ToTokens) -> Self {
        let mut all = Self::default();
        all.tokens(code.to_token_stream());
        all
    }

    fn tokens(&mut self, tokens: TokenStream) {
        token_names(tokens.clone(), &mut |name| self.name(name));
        self.beside_names(tokens);
    }

    fn name(&mut self, name: &str) {
        *self.names.entry(name.to_owned()).or_default() += 1;
    }

    fn beside_names(&mut self, tokens: TokenStream) {
        let mut last = None;
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let is_punct = |token: Option<&TokenTree>, of: char| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == of);
            match &token {
                TokenTree::Ident(name) if is_punct(tokens.peek(), '!') => {
                    let is_called = matches!(tokens.clone().nth(1), Some(TokenTree::Group(_)));
                    self.macros += usize::from(is_called && is_unknown(name));
                }
                TokenTree::Ident(name) => self.awaits |= name == "await",
                TokenTree::Group(group) => {
                    if is_punct(last.as_ref(), '#') {
                        self.texts(group.stream());
                    }
                    self.beside_names(group.stream());
                }
                _ => {}
            }
            last = Some(token);
        }
    }

    /// The names in the texts of an attribute.
    fn texts(&mut self, attribute: TokenStream) {
        for token in attribute {
            match token {
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    let is_other =
                        |character: char| !character.is_alphanumeric() && character != '_';
                    text.split(is_other).for_each(|name| self.name(name));
                }
                TokenTree::Group(group) => self.texts(group.stream()),
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
}

/// Whether this may be a macro that expands to anything.
fn is_unknown(name: &Ident) -> bool {
    // Keywords stand before a `!` as well.
    let is_name = syn::parse2::<Ident>(name.to_token_stream()).is_ok();
    is_name && name != IMPLEMENTS && !is_known_name(&name.to_string())
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
    all: &'a Mentioned,
    depth: usize,
    /// Whether a block around has items that stay there, or a macro that may declare some: what is in it may mean those.
    keeps: bool,
    lifted: Vec<Stmt>,
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
        let here = Mentioned::of(&block);
        // A block without an ask is not taken apart.
        here.awaits
            && here.macros == self.all.macros
            && named.all(|name| {
                let name = name.to_string();
                here.names.get(&name) == self.all.names.get(&name)
            })
    }
}

impl VisitMut for Lifting<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let around = self.keeps;
        if self.lifts(block) {
            for stmt in std::mem::take(&mut block.stmts) {
                match stmt {
                    Stmt::Item(item) => self.lifted.push(Stmt::Item(item)),
                    Stmt::Macro(stmt) if implements(&stmt.mac) => {
                        self.lifted.push(Stmt::Macro(stmt))
                    }
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
        Stmt::Macro(stmt) => !is_known(&stmt.mac) && !implements(&stmt.mac),
        Stmt::Item(item) => matches!(item, Item::Macro(_)),
        _ => false,
    })
}

fn implements(invocation: &syn::Macro) -> bool {
    let last = invocation.path.segments.last();
    last.is_some_and(|last| last.ident == IMPLEMENTS)
}

fn items(block: &Block) -> impl Iterator<Item = &Item> {
    block.stmts.iter().filter_map(|stmt| match stmt {
        Stmt::Item(item) => Some(item),
        _ => None,
    })
}

/// The name of an item that is known by nothing else: a trait brings methods with it, a macro what it expands to.
fn name(item: &Item) -> Option<&Ident> {
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
