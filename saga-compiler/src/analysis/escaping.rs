//! Variables of which something may outlive the call: what they refer to must not be a copy that the call has made.
//!
//! ```text
//! let found = names.iter().find(..); ask; Ok(found)      let name = line.trim(); ask; names.push(name)
//! ```

use std::collections::{BTreeSet, HashSet};

use quote::ToTokens;
use syn::{ReturnType, visit::Visit};

use crate::{
    ast::{
        tokens::token_names,
        touched::Code,
        types::{returns_lent, takes_references},
    },
    cfg::{Facts, Flow, Step, VarId},
};

/// Such variables, one too many at most.
pub(crate) fn escaping(flow: &Flow, output: &ReturnType) -> BTreeSet<VarId> {
    let is_returned = returns_lent(output);
    let lenders: BTreeSet<VarId> = lenders(flow).collect();
    let mut found = BTreeSet::new();
    if !is_returned && lenders.is_empty() {
        return found;
    }
    let all: Vec<_> = pieces(flow).collect();
    for (facts, returned) in &all {
        let is_lender = facts.reads.iter().any(|var| lenders.contains(var));
        let read = facts.reads.iter().filter(|var| {
            let name = flow.var(**var).ident.to_string();
            is_lender || (is_returned && returned.contains(&name))
        });
        found.extend(read);
    }
    loop {
        let before = found.len();
        for (facts, _) in &all {
            let results = facts.jumps.iter().filter_map(|jump| jump.result);
            let mut given = facts
                .defs
                .iter()
                .chain(&facts.assigns)
                .copied()
                .chain(results);
            if given.any(|var| found.contains(&var)) {
                found.extend(&facts.reads);
            }
        }
        for reborrow in &flow.reborrows {
            if reborrow.vars.iter().any(|var| found.contains(var)) {
                found.extend(&reborrow.deps);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Parameters in which references of the caller's may be put.
fn lenders(flow: &Flow) -> impl Iterator<Item = VarId> {
    let params = flow.params.iter();
    let params = params.filter(|param| takes_references(&param.ty));
    params.flat_map(|param| param.vars.iter().copied())
}

/// What is done with variables at one place, and which names are in what is returned there.
fn pieces(flow: &Flow) -> impl Iterator<Item = (&Facts, HashSet<String>)> {
    flow.blocks.iter().flat_map(|block| {
        let steps = block.steps.iter().map(|step| {
            let code = match step {
                Step::Define(_, value, _) => Code::Value(value),
                Step::Code(stmt, _) => Code::Stmt(stmt),
            };
            let mut returned = Returned::default();
            code.walk(&mut returned);
            (step.facts(), returned.names)
        });
        let end = block.terminator.facts().into_iter().map(|facts| {
            let mut returned = Returned::default();
            let exprs = block.terminator.exprs();
            exprs.iter().for_each(|expr| returned.visit_expr(expr));
            (facts, returned.names)
        });
        steps.chain(end)
    })
}

/// The names in what a function is left with.
#[derive(Default)]
struct Returned {
    names: HashSet<String>,
}

impl<'ast> Visit<'ast> for Returned {
    fn visit_expr_return(&mut self, returned: &'ast syn::ExprReturn) {
        token_names(returned.to_token_stream(), &mut |name| {
            self.names.insert(name.to_owned());
        });
    }
}
