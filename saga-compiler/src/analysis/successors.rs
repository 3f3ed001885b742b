//! Which suspension points come after which, for people.

use std::collections::BTreeSet;

use quote::ToTokens;

use crate::cfg::{BlockId, Flow, Step, Terminator};

/// Points by number; 0 is the end of the function.
pub(crate) type Next = BTreeSet<u32>;

/// The points that come first.
pub(crate) fn first(flow: &Flow) -> Next {
    reachable(flow, vec![Flow::ENTRY])
}

/// The points that come after the one at `index`.
pub(crate) fn after(flow: &Flow, index: usize) -> Next {
    let here = flow.points.get(index).map(|point| point.block);
    let from = here.map(|block| match &flow.block(block).terminator {
        // A call is made again at its own block, an ask goes on behind it.
        Terminator::Call { point, next, .. } if point.0 as usize == index + 1 => *next,
        _ => block,
    });
    reachable(flow, from.into_iter().collect())
}

fn reachable(flow: &Flow, mut open: Vec<BlockId>) -> Next {
    let mut found = Next::new();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let block = flow.block(id);
        open.extend(block.jump_targets());
        if block.steps.iter().any(returns) {
            found.insert(0);
        }
        match &block.terminator {
            Terminator::Ask { point, .. } | Terminator::Call { point, .. } => {
                found.insert(point.0);
            }
            other => open.extend(other.successors()),
        }
    }
    found
}

/// Whether a step may end the function.
fn returns(step: &Step) -> bool {
    fn leaves(tokens: proc_macro2::TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            proc_macro2::TokenTree::Ident(ident) => ident == "return",
            proc_macro2::TokenTree::Punct(punct) => punct.as_char() == '?',
            proc_macro2::TokenTree::Group(group) => leaves(group.stream()),
            proc_macro2::TokenTree::Literal(_) => false,
        })
    }
    match step {
        Step::Code(stmt, _) => leaves(stmt.to_token_stream()),
        Step::Define(_, expr, _) => leaves(expr.to_token_stream()),
    }
}
