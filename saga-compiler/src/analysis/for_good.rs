//! Variables whose texts the function is left with, and gives away for good: they are there for good, whatever their types say.
//!
//! ```text
//! async fn labels(..) -> Vec<&'static str> { let mut all = Vec::new(); .. all.push(label); ask; all }
//! ```

use std::collections::BTreeSet;

use syn::{Expr, Local, Pat, ReturnType, Stmt, visit::Visit};

use super::{escaping::left_with, literal_texts::literal_texts};
use crate::{
    ast::{
        calls::{is_constructor, strip_parentheses},
        exits::end_of,
        handed_on::{GIVES, PUTS},
        patterns::pattern_bindings,
        types::{gives_for_good, says_for_good},
        uses::root_name,
    },
    cfg::{Facts, Flow, StandsFor, Step, VarId},
};

/// Such variables: what is in one of them was in the others.
pub(crate) fn for_good(flow: &Flow, output: &ReturnType) -> BTreeSet<VarId> {
    let mut found = said_to_be(flow);
    if gives_for_good(output) {
        found.append(&mut left_with(flow));
    }
    if found.is_empty() {
        return literal_texts(flow, &found);
    }
    let all: Vec<_> = pieces(flow).collect();
    loop {
        let before = found.len();
        for (made, reads, exprs) in &all {
            let mut named = Vec::new();
            if made.iter().any(|var| found.contains(var)) {
                exprs.iter().for_each(|expr| sources(expr, &mut named));
                // What is left of a loop is made of what it is over.
                let is_rest = |var: &VarId| flow.var(*var).stands_for == StandsFor::Items;
                if made.iter().any(is_rest) {
                    found.extend(reads);
                }
            }
            let mut put = Put {
                flow,
                found: &found,
                named: Vec::new(),
            };
            exprs.iter().for_each(|expr| put.visit_expr(expr));
            named.append(&mut put.named);
            let is_named = |var: &VarId| named.iter().any(|name| flow.goes_by(*var, name));
            found.extend(reads.iter().copied().filter(is_named));
        }
        if found.len() == before {
            return literal_texts(flow, &found);
        }
    }
}

/// Variables of which the author says so: `let mut last: Option<&'static str> = None;`.
fn said_to_be(flow: &Flow) -> BTreeSet<VarId> {
    let steps = flow.blocks.iter().flat_map(|block| &block.steps);
    let said = steps.filter_map(|step| match step {
        Step::Code(stmt, facts) => match &**stmt {
            Stmt::Local(Local {
                pat: Pat::Type(typed),
                ..
            }) if says_for_good(&typed.ty) => Some(&facts.defs),
            _ => None,
        },
        Step::Define(..) => None,
    });
    said.flatten().copied().collect()
}

type Piece<'f> = (BTreeSet<VarId>, BTreeSet<VarId>, Vec<&'f Expr>);

/// What is made at one place, of what, and how.
fn pieces(flow: &Flow) -> impl Iterator<Item = Piece<'_>> {
    let reads = |facts: &Facts| facts.reads.iter().copied().collect();
    flow.blocks.iter().flat_map(move |block| {
        let steps = block.steps.iter().map(move |step| {
            let facts = step.facts();
            (facts.made(), reads(facts), step.code().exprs())
        });
        let end = &block.terminator;
        let end = end
            .facts()
            .map(|facts| (end.made(), reads(facts), end.exprs()));
        steps.chain(end)
    })
}

/// The variables that a value, or a part of one, is taken out of.
fn sources(value: &Expr, named: &mut Vec<String>) {
    match strip_parentheses(value) {
        Expr::Call(call) if is_constructor(&call.func) => {
            call.args.iter().for_each(|part| sources(part, named));
        }
        Expr::Tuple(tuple) => tuple.elems.iter().for_each(|part| sources(part, named)),
        Expr::Array(list) => list.elems.iter().for_each(|part| sources(part, named)),
        Expr::Assign(assign) => sources(&assign.right, named),
        Expr::If(chosen) => {
            let otherwise = chosen.else_branch.iter().map(|(_, otherwise)| &**otherwise);
            let ends = end_of(&chosen.then_branch).into_iter().chain(otherwise);
            ends.for_each(|end| sources(end, named));
        }
        Expr::Match(chosen) => {
            for arm in &chosen.arms {
                let mut given = Vec::new();
                sources(&arm.body, &mut given);
                let bound: Vec<_> = pattern_bindings(&arm.pat).collect();
                let is_part = |name: &String| bound.iter().any(|binding| binding.ident == name);
                // A part of what is matched comes out of that.
                if given.iter().any(is_part) {
                    named.extend(root_name(&chosen.expr));
                }
                named.extend(given.into_iter().filter(|name| !is_part(name)));
            }
        }
        Expr::Block(block) => end_of(&block.block)
            .into_iter()
            .for_each(|end| sources(end, named)),
        Expr::MethodCall(call) => {
            if GIVES.iter().any(|method| call.method == method) {
                sources(&call.receiver, named);
                // Others say which one it is.
                let method = call.method.to_string();
                if method == "or" || method.starts_with("unwrap_or") {
                    call.args.iter().for_each(|other| sources(other, named));
                }
            }
        }
        Expr::Try(tried) => sources(&tried.expr, named),
        Expr::Reference(lent) => sources(&lent.expr, named),
        Expr::Closure(_) | Expr::Call(_) | Expr::Binary(_) => {}
        other => named.extend(root_name(other)),
    }
}

/// What is put in one of them.
struct Put<'a> {
    flow: &'a Flow,
    found: &'a BTreeSet<VarId>,
    named: Vec<String>,
}

impl<'ast> Visit<'ast> for Put<'_> {
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let into = root_name(&call.receiver);
        let is_found = |name: &str| self.found.iter().any(|var| self.flow.goes_by(*var, name));
        let puts = PUTS.iter().any(|method| call.method == method);
        if puts && into.is_some_and(|name| is_found(&name)) {
            call.args
                .iter()
                .for_each(|part| sources(part, &mut self.named));
        }
        syn::visit::visit_expr_method_call(self, call);
    }
}
