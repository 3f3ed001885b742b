//! What grows in loops that ask and have no end of their own.

use std::{collections::BTreeSet, ops::Range};

use syn::{Expr, visit::Visit};

use super::{
    body::{Body, adds, grows, mentions, place},
    ends::ends,
};
use crate::{
    graph::{name_of, names},
    source::range_of,
};

/// Functions that make a text.
const MAKES_TEXT: &[&str] = &["to_owned", "to_string", "into"];

/// Where a variable grows.
pub(super) struct Growth {
    pub(super) of: String,
    pub(super) at: Range<usize>,
    /// Where the loop begins that has no end of its own, the innermost.
    pub(super) around: usize,
}

/// A loop whose end is not known.
struct Endless {
    start: usize,
    /// What its condition looks at: a limit on that is one on the rounds.
    looks_at: Vec<String>,
    body: Body,
}

/// Reads the loops of a function.
pub(super) struct Loops<'a> {
    /// Where the suspension points are.
    points: &'a [usize],
    /// The variables that are texts, as far as it is written down.
    texts: BTreeSet<String>,
    /// The loops around, those that may go on for ever and ask.
    within: Vec<Endless>,
    grown: Vec<Growth>,
}

/// The variables of an expression.
struct Named(Vec<String>);

impl<'ast> Visit<'ast> for Named {
    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let name = path.path.get_ident();
        self.0.extend(name.map(ToString::to_string));
    }
}

impl<'a> Loops<'a> {
    pub(super) fn of(sig: &syn::Signature, block: &syn::Block, points: &'a [usize]) -> Vec<Growth> {
        let mut texts = Texts(BTreeSet::new());
        texts.visit_signature(sig);
        texts.visit_block(block);
        let mut loops = Self {
            points,
            texts: texts.0,
            within: Vec::new(),
            grown: Vec::new(),
        };
        loops.visit_block(block);
        loops.grown
    }

    fn repeat(
        &mut self,
        range: Range<usize>,
        condition: Option<&Expr>,
        block: &syn::Block,
        visit: impl FnOnce(&mut Self),
    ) {
        let asks = self.points.iter().any(|point| range.contains(point));
        let body = Body::of(block, &self.texts);
        let is_endless = asks && !ends(condition, block, &body);
        if is_endless {
            let mut names = Named(Vec::new());
            if let Some(condition) = condition {
                names.visit_expr(condition);
            }
            self.within.push(Endless {
                start: range.start,
                looks_at: names.0,
                body,
            });
        }
        visit(self);
        if is_endless {
            self.within.pop();
        }
    }

    fn grow(&mut self, of: &Expr, at: Range<usize>) {
        let Expr::Path(path) = of else { return };
        let (Some(name), Some(around)) = (path.path.get_ident(), self.within.last()) else {
            return;
        };
        let (of, around) = (name.to_string(), around.start);
        let limits = |one: &Endless| one.looks_at.contains(&of) || one.body.limits(&of);
        if !self.within.iter().any(limits) {
            self.grown.push(Growth { of, at, around });
        }
    }

    fn is_text(&self, expr: &Expr) -> bool {
        place(expr).is_some_and(|place| self.texts.contains(&place))
    }
}

impl<'ast> Visit<'ast> for Loops<'_> {
    fn visit_expr_loop(&mut self, repeated: &'ast syn::ExprLoop) {
        self.repeat(range_of(repeated), None, &repeated.body, |this| {
            syn::visit::visit_expr_loop(this, repeated)
        });
    }

    fn visit_expr_while(&mut self, repeated: &'ast syn::ExprWhile) {
        let condition = Some(&*repeated.cond);
        self.repeat(range_of(repeated), condition, &repeated.body, |this| {
            syn::visit::visit_expr_while(this, repeated)
        });
    }

    fn visit_expr_for_loop(&mut self, repeated: &'ast syn::ExprForLoop) {
        let is_open = matches!(&*repeated.expr, Expr::Range(range) if range.end.is_none());
        match is_open {
            true => self.repeat(range_of(repeated), None, &repeated.body, |this| {
                syn::visit::visit_expr_for_loop(this, repeated)
            }),
            false => syn::visit::visit_expr_for_loop(self, repeated),
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if grows(call) {
            self.grow(&call.receiver, range_of(call));
        }
        syn::visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if matches!(binary.op, syn::BinOp::AddAssign(_)) && self.is_text(&binary.left) {
            self.grow(&binary.left, range_of(binary));
        }
        syn::visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_assign(&mut self, assignment: &'ast syn::ExprAssign) {
        let (left, right) = (&assignment.left, &assignment.right);
        let is_text = matches!(**right, Expr::Macro(_)) || self.is_text(left);
        let keeps = place(left).is_some_and(|place| mentions(right, &place));
        if is_text && keeps && adds(right) {
            self.grow(left, range_of(assignment));
        }
        syn::visit::visit_expr_assign(self, assignment);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// Collects the variables that are texts by their declarations.
struct Texts(BTreeSet<String>);

impl Texts {
    fn declare(&mut self, pat: &syn::Pat, ty: &syn::Type) {
        if name_of(ty).is_some_and(|name| name == "String") {
            self.0.extend(names(pat));
        }
    }
}

impl<'ast> Visit<'ast> for Texts {
    fn visit_pat_type(&mut self, typed: &'ast syn::PatType) {
        self.declare(&typed.pat, &typed.ty);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        match (&local.pat, &local.init) {
            (syn::Pat::Type(typed), _) => self.declare(&typed.pat, &typed.ty),
            (pat @ syn::Pat::Ident(_), Some(init)) if makes_text(&init.expr) => {
                self.0.extend(names(pat));
            }
            _ => {}
        }
        syn::visit::visit_local(self, local);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// `String::new()`, `"..".to_owned()`, `format!(..)`
fn makes_text(expr: &Expr) -> bool {
    match expr {
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => path
                .path
                .segments
                .iter()
                .rev()
                .nth(1)
                .is_some_and(|owner| owner.ident == "String"),
            _ => false,
        },
        Expr::MethodCall(call) => {
            let is_text = matches!(
                &*call.receiver,
                Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Str(_),
                    ..
                })
            );
            is_text && MAKES_TEXT.iter().any(|name| call.method == name)
        }
        Expr::Macro(made) => crate::source::ends_in(&made.mac.path, "format"),
        _ => false,
    }
}
