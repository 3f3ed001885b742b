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

struct Loops<'a> {
    /// Where the suspension points are.
    points: &'a [usize],
    /// The loops around, those that may go on for ever and ask.
    within: Vec<std::ops::Range<usize>>,
    grown: BTreeMap<String, Grown>,
}

impl Loops<'_> {
    fn repeat(&mut self, range: std::ops::Range<usize>, visit: impl FnOnce(&mut Self)) {
        let asks = self.points.iter().any(|point| range.contains(point));
        if asks {
            self.within.push(range);
        }
        visit(self);
        if asks {
            self.within.pop();
        }
    }
}

impl<'ast> Visit<'ast> for Loops<'_> {
    fn visit_expr_loop(&mut self, repeated: &'ast syn::ExprLoop) {
        self.repeat(crate::source::range_of(repeated), |this| {
            syn::visit::visit_expr_loop(this, repeated)
        });
    }

    fn visit_expr_while(&mut self, repeated: &'ast syn::ExprWhile) {
        self.repeat(crate::source::range_of(repeated), |this| {
            syn::visit::visit_expr_while(this, repeated)
        });
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if let (Expr::Path(path), Some(around)) = (&*call.receiver, self.within.first())
            && let Some(name) = path.path.get_ident()
            && GROWS.iter().any(|method| call.method == method)
        {
            let at = crate::source::range_of(call);
            let grown = Grown {
                at,
                around: around.clone(),
            };
            self.grown.entry(name.to_string()).or_insert(grown);
        }
        syn::visit::visit_expr_method_call(self, call);
    }
}
