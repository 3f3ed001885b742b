//! Macros of the body are given the variables that they mention, and stand at the top of the function: where a call goes on, the
//! variables are others of the same names.
//!
//! ```text
//! let mut sum = 0;   macro_rules! add { ($n:expr) => { sum += $n } }   add!(2);
//!     →   macro_rules! add { ([$sum:ident] $n:expr) => { $sum += $n } }   let mut sum = 0;   add!([sum] 2);
//! ```

mod definition;
mod giving;
mod mentions;
mod rules;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Block, ImplItemFn, Item, Stmt,
    visit_mut::{self, VisitMut},
};

use self::{
    definition::{Definition, definitions},
    giving::{Giving, own_name},
    mentions::{Bound, Mentions},
    rules::count,
};
use super::asks::Handles;
use crate::ast::tokens::is_punct;

/// Gives them those that are declared once in the function: of two of one name it is not seen which is meant.
pub(super) fn give_variables(item: &mut ImplItemFn, handles: &Handles) {
    let all = definitions(&item.block);
    if all.is_empty() {
        return;
    }
    let takes = taken(&all, &Bound::of(item, &all), handles, &item.block);
    let rewritten = Giving { takes: &takes }.in_code(item.block.to_token_stream());
    if let Ok(block) = syn::parse2(rewritten) {
        item.block = block;
        let names = takes.keys().map(|name| own_name(name)).collect();
        let mut lifting = Lifting(names, Vec::new());
        lifting.visit_block_mut(&mut item.block);
        item.block.stmts.splice(0..0, lifting.1);
    }
}

/// What each macro is given: the variables that it mentions, and those of the macros that it calls. A macro of which that is not
/// seen is not among them.
fn taken(
    all: &[Definition],
    bound: &Bound,
    handles: &Handles,
    body: &Block,
) -> BTreeMap<String, BTreeSet<String>> {
    let code = body.to_token_stream();
    let mut takes = BTreeMap::new();
    for definition in all {
        let mentioned = mentioned(definition, all, bound, handles);
        let mentioned = mentioned.filter(|_| is_known_where_it_stands(definition, &code));
        takes.extend(mentioned.map(|mentioned| (definition.name.clone(), mentioned)));
    }
    loop {
        let before = takes.clone();
        for definition in all {
            let calls = |other: &&Definition| {
                other.name != definition.name && count(definition.tokens.clone(), &other.name) > 0
            };
            for called in all.iter().filter(calls) {
                match (takes.get(&definition.name), takes.get(&called.name)) {
                    (Some(own), Some(more)) => {
                        let own = own.union(more).cloned().collect();
                        takes.insert(definition.name.clone(), own);
                    }
                    // Neither is understood without the other.
                    _ => {
                        takes.remove(&definition.name);
                        takes.remove(&called.name);
                    }
                }
            }
        }
        if takes == before {
            return takes;
        }
    }
}

/// The variables that a macro mentions, where that is seen.
fn mentioned(
    definition: &Definition,
    all: &[Definition],
    bound: &Bound,
    handles: &Handles,
) -> Option<BTreeSet<String>> {
    let mentions = Mentions::of(definition, bound, all)?;
    if definition.is_first && mentions.names.iter().all(|name| bound.fixed.contains(name)) {
        // What stays as it is, it may mention there.
        return (!mentions.unsure).then(BTreeSet::new);
    }
    let sure = |name: &String| bound.is_known(name) && !handles.contains(name);
    (!mentions.unsure && mentions.names.iter().all(sure)).then_some(mentions.names)
}

/// Whether nothing else has the macro's name, and it is called where it is known alone: at the top of the function it is known
/// everywhere.
fn is_known_where_it_stands(definition: &Definition, code: &TokenStream) -> bool {
    let name = &definition.name;
    let own = count(definition.tokens.clone(), name);
    let behind = count(definition.behind.clone(), name);
    let calls = calls(definition.behind.clone(), name) + calls(definition.tokens.clone(), name);
    count(code.clone(), name) == own + behind + 1 && calls == own + behind
}

/// How often a macro is called by its name.
fn calls(tokens: TokenStream, name: &str) -> usize {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let all = tokens.iter().enumerate().map(|(index, token)| match token {
        TokenTree::Ident(ident) if ident == name => {
            let at = |back: usize| index.checked_sub(back).and_then(|at| tokens.get(at));
            let is_path = is_punct(at(1), ':') && is_punct(at(2), ':') || is_punct(at(1), '$');
            let is_called = is_punct(tokens.get(index + 1), '!')
                && matches!(tokens.get(index + 2), Some(TokenTree::Group(_)));
            usize::from(is_called && !is_path)
        }
        TokenTree::Group(group) => calls(group.stream(), name),
        _ => 0,
    });
    all.sum()
}

/// Takes definitions out of the blocks that they are in.
struct Lifting(BTreeSet<String>, Vec<Stmt>);

impl VisitMut for Lifting {
    fn visit_block_mut(&mut self, block: &mut Block) {
        for stmt in std::mem::take(&mut block.stmts) {
            match &stmt {
                Stmt::Item(Item::Macro(item))
                    if item
                        .ident
                        .as_ref()
                        .is_some_and(|name| self.0.contains(&name.to_string())) =>
                {
                    self.1.push(stmt);
                }
                _ => block.stmts.push(stmt),
            }
        }
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}
}
