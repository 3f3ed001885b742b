//! What grows with every question: a token has a largest size.

use std::collections::BTreeMap;

use syn::{Expr, visit::Visit};

use crate::{
    graph::Graph,
    report::{Finding, Severity},
};

/// Methods that make a collection or a text longer.
const GROWS: &[&str] = &[
    "push",
    "push_str",
    "push_back",
    "push_front",
    "extend",
    "extend_from_slice",
    "insert",
    "append",
];

pub(super) fn find(graph: &Graph<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for id in graph.ids() {
        let function = graph.function(id);
        let (Some(described), Some(block)) = (function.described(), &function.block) else {
            continue;
        };
        let points: Vec<_> = described
            .points
            .iter()
            .map(|point| point.span.byte_range().start)
            .collect();
        let mut loops = Loops {
            points: &points,
            within: Vec::new(),
            grown: BTreeMap::new(),
        };
        loops.visit_block(block);
        let mut told = Vec::new();
        for variable in described.points.iter().flat_map(|point| &point.stored) {
            let declared = variable.span.byte_range();
            let grown = loops
                .grown
                .get(&variable.name)
                .filter(|grown| grown.around.start > declared.start);
            if let Some(grown) = grown
                && !told.contains(&variable.name)
            {
                let finding = Finding::new(Severity::Note, "grows", format!("`{}` grows with every round of a loop without an end of its own", variable.name))
                    .at(&function.file, declared, "stored at each question")
                    .at(&function.file, grown.at.clone(), "grown here")
                    .note("a token has at most 64 KiB (`Settings::with_max_token_bytes`); over that the call ends with an error, after the effects so far")
                    .help("a limit on the rounds, or keep it in your store and its id in the variable");
                findings.push(finding);
                told.push(variable.name.clone());
            }
        }
    }
    findings
}

/// Where a variable grows.
struct Grown {
    at: std::ops::Range<usize>,
    /// The loop that has no end of its own.
    around: std::ops::Range<usize>,
}

/// A loop whose end is not known.
struct Endless {
    range: std::ops::Range<usize>,
    /// What its condition looks at: a limit on that is one on the rounds.
    looks_at: Vec<String>,
}

struct Loops<'a> {
    /// Where the suspension points are.
    points: &'a [usize],
    /// The loops around, those that may go on for ever and ask.
    within: Vec<Endless>,
    grown: BTreeMap<String, Grown>,
}

/// The variables of an expression.
struct Named(Vec<String>);

impl<'ast> Visit<'ast> for Named {
    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let name = path.path.get_ident();
        self.0.extend(name.map(ToString::to_string));
    }
}

impl Loops<'_> {
    fn repeat(
        &mut self,
        range: std::ops::Range<usize>,
        condition: Option<&Expr>,
        visit: impl FnOnce(&mut Self),
    ) {
        let asks = self.points.iter().any(|point| range.contains(point));
        if asks {
            let mut names = Named(Vec::new());
            if let Some(condition) = condition {
                names.visit_expr(condition);
            }
            self.within.push(Endless {
                range,
                looks_at: names.0,
            });
        }
        visit(self);
        if asks {
            self.within.pop();
        }
    }
}

impl<'ast> Visit<'ast> for Loops<'_> {
    fn visit_expr_loop(&mut self, repeated: &'ast syn::ExprLoop) {
        self.repeat(crate::source::range_of(repeated), None, |this| {
            syn::visit::visit_expr_loop(this, repeated)
        });
    }

    fn visit_expr_while(&mut self, repeated: &'ast syn::ExprWhile) {
        let condition = Some(&*repeated.cond);
        self.repeat(crate::source::range_of(repeated), condition, |this| {
            syn::visit::visit_expr_while(this, repeated)
        });
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if let (Expr::Path(path), Some(around)) = (&*call.receiver, self.within.first())
            && let Some(name) = path.path.get_ident()
            && GROWS.iter().any(|method| call.method == method)
            && !self
                .within
                .iter()
                .any(|one| one.looks_at.contains(&name.to_string()))
        {
            let at = crate::source::range_of(call);
            let grown = Grown {
                at,
                around: around.range.clone(),
            };
            self.grown.entry(name.to_string()).or_insert(grown);
        }
        syn::visit::visit_expr_method_call(self, call);
    }
}
