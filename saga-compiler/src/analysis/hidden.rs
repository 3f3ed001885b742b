//! Macros that may declare something: which variables have to be the same ones behind them.

use std::collections::BTreeSet;

use syn::Stmt;

use super::liveness::Liveness;

use crate::{
    ast::macros::is_known,
    cfg::{BlockId, Flow, Step},
};

/// Notes of each statement that is a macro of somebody's own which of the variables that it mentions are live behind it. What it
/// declares under the name of one of those would be taken for it where the function goes on.
///
/// ```text
/// let k = 1; { declare!(k, 2); ask } k
/// ```
pub(crate) fn keep(flow: &mut Flow, live: &Liveness) {
    for (block, step) in macros(flow) {
        let mut needed = BTreeSet::new();
        for var in live.behind(flow, block, step) {
            flow.closure(var, &mut needed);
        }
        if let Some(Step::Code(_, facts)) = flow.blocks[block.0].steps.get_mut(step) {
            facts.keeps = facts.reads.intersection(&needed).copied().collect();
        }
    }
}

/// Where the statements are that a macro of somebody's own makes.
fn macros(flow: &Flow) -> Vec<(BlockId, usize)> {
    let blocks = flow.blocks.iter().enumerate();
    let steps = blocks.flat_map(|(block, one)| {
        let steps = one.steps.iter().enumerate();
        steps.map(move |(step, code)| (BlockId(block), step, code))
    });
    let macros = steps.filter(|(_, _, code)| {
        matches!(code, Step::Code(stmt, _) if matches!(&**stmt, Stmt::Macro(stmt) if !is_known(&stmt.mac)))
    });
    macros.map(|(block, step, _)| (block, step)).collect()
}
