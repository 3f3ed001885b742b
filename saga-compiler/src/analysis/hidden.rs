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
    if !flow
        .blocks
        .iter()
        .any(|block| block.steps.iter().any(may_declare))
    {
        return;
    }
    let live = live.within(flow);
    for index in 0..flow.blocks.len() {
        let block = flow.block(BlockId(index));
        let mut kept = Vec::new();
        live.behind_each(block, |step, behind| {
            let code = block.steps.get(step);
            if let Some(code) = code.filter(|code| may_declare(code)) {
                let mut needed = BTreeSet::new();
                behind.iter().for_each(|var| flow.closure(var, &mut needed));
                let keeps = code.facts().reads.intersection(&needed);
                kept.push((step, keeps.copied().collect()));
            }
        });
        for (step, keeps) in kept {
            if let Some(Step::Code(_, facts)) = flow.blocks[index].steps.get_mut(step) {
                facts.keeps = keeps;
            }
        }
    }
}

/// Whether a step is a statement that a macro of somebody's own makes.
fn may_declare(step: &Step) -> bool {
    matches!(step, Step::Code(stmt, _) if matches!(&**stmt, Stmt::Macro(stmt) if !is_known(&stmt.mac)))
}
