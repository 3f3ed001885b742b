//! Variables of which something may outlive the call: what they refer to must not be a copy that the call has made.
//!
//! ```text
//! let found = names.iter().find(..); ask; Ok(found)      let name = line.trim(); ask; names.push(name)
//! ```

use std::collections::{BTreeSet, HashSet};

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{
    Expr, Local, Pat, ReturnType, Stmt,
    visit::{self, Visit},
};

use crate::{
    ast::{
        calls::{is_constructor, strip_parentheses},
        exits::end_of,
        tokens::token_names,
        types::{returns_lent, takes_references},
        uses::root_name,
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
            is_lender || (is_returned && returned.names.contains(&name))
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

/// Variables that the function is left with as they are: what is in them refers to nothing of the function's own.
///
/// ```text
/// let chosen = match n { 1 => first(list), _ => { ask; list.iter().collect() } }; Ok(chosen)
/// ```
pub(crate) fn returned_as_they_are(flow: &Flow) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    for (facts, returned) in pieces(flow) {
        found.extend(named(flow, facts, &returned));
    }
    loop {
        let before = found.len();
        for (facts, value) in flow
            .blocks
            .iter()
            .flat_map(|block| &block.steps)
            .filter_map(whole)
        {
            if facts.defs.iter().any(|var| found.contains(var)) {
                let mut parts = Returned::default();
                parts.value(value);
                found.extend(named(flow, facts, &parts));
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Those that are a part of a value as they are.
fn named<'f>(
    flow: &'f Flow,
    facts: &'f Facts,
    value: &'f Returned,
) -> impl Iterator<Item = VarId> + 'f {
    let reads = facts.reads.iter().copied();
    reads.filter(|var| value.whole.iter().any(|name| flow.goes_by(*var, name)))
}

/// Variables that the function is left with as they are, or a field of theirs.
pub(super) fn left_with(flow: &Flow) -> BTreeSet<VarId> {
    let all = pieces(flow).flat_map(|(facts, value)| {
        let names: Vec<_> = value.whole.iter().chain(&value.fields).cloned().collect();
        let reads = facts.reads.iter().copied();
        reads.filter(move |var| names.iter().any(|name| flow.goes_by(*var, name)))
    });
    all.collect()
}

/// What gives one variable its value.
fn whole(step: &Step) -> Option<(&Facts, &Expr)> {
    match step {
        Step::Define(_, value, facts) => Some((facts, value)),
        Step::Code(stmt, facts) => match &**stmt {
            Stmt::Local(Local {
                pat: Pat::Ident(_),
                init: Some(init),
                ..
            }) => Some((facts, &init.expr)),
            _ => None,
        },
    }
}

/// Parameters in which references of the caller's may be put.
fn lenders(flow: &Flow) -> impl Iterator<Item = VarId> {
    let params = flow.params.iter();
    let params = params.filter(|param| takes_references(&param.ty));
    params.flat_map(|param| param.vars.iter().copied())
}

/// What is done with variables at one place, and what is returned there.
fn pieces(flow: &Flow) -> impl Iterator<Item = (&Facts, Returned)> {
    flow.blocks.iter().flat_map(|block| {
        let steps = block.steps.iter().map(|step| {
            let mut returned = Returned::default();
            step.code().walk(&mut returned);
            (step.facts(), returned)
        });
        let end = block.terminator.facts().into_iter().map(|facts| {
            let mut returned = Returned::default();
            let exprs = block.terminator.exprs();
            exprs.iter().for_each(|expr| returned.visit_expr(expr));
            (facts, returned)
        });
        steps.chain(end)
    })
}

/// The names in what a function is left with.
#[derive(Default)]
struct Returned {
    names: HashSet<String>,
    /// Those of variables that are a part of it as they are.
    whole: HashSet<String>,
    /// Those of which a field is.
    fields: HashSet<String>,
}

impl Returned {
    fn inside(&mut self, visit: impl FnOnce(&mut Self)) {
        let before = (self.whole.clone(), self.fields.clone());
        visit(self);
        (self.whole, self.fields) = before;
    }

    /// The struct is another value, made of it.
    fn in_struct(&mut self, value: &Expr) {
        let mut parts = Self::default();
        parts.value(value);
        self.fields
            .extend(parts.whole.into_iter().chain(parts.fields));
    }

    fn value(&mut self, value: &Expr) {
        match strip_parentheses(value) {
            Expr::Path(path) => {
                self.whole
                    .extend(path.path.get_ident().map(Ident::to_string));
            }
            Expr::Call(call) if is_constructor(&call.func) => {
                call.args.iter().for_each(|part| self.value(part));
            }
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|part| self.value(part)),
            Expr::Array(list) => list.elems.iter().for_each(|part| self.value(part)),
            Expr::If(chosen) => {
                let otherwise = chosen.else_branch.iter().map(|(_, otherwise)| &**otherwise);
                let ends = end_of(&chosen.then_branch).into_iter().chain(otherwise);
                ends.for_each(|end| self.value(end));
            }
            Expr::Match(chosen) => chosen.arms.iter().for_each(|arm| self.value(&arm.body)),
            Expr::Block(block) => end_of(&block.block)
                .into_iter()
                .for_each(|end| self.value(end)),
            field @ Expr::Field(_) => self.fields.extend(root_name(field)),
            Expr::Struct(literal) => {
                let fields = literal.fields.iter();
                fields.for_each(|field| self.in_struct(&field.expr));
            }
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Returned {
    // What is left with there is not the function.
    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.inside(|this| visit::visit_expr_closure(this, closure));
    }

    fn visit_expr_async(&mut self, block: &'ast syn::ExprAsync) {
        self.inside(|this| visit::visit_expr_async(this, block));
    }

    fn visit_expr_return(&mut self, returned: &'ast syn::ExprReturn) {
        token_names(returned.to_token_stream(), &mut |name| {
            self.names.insert(name.to_owned());
        });
        returned.expr.iter().for_each(|value| self.value(value));
    }
}
