//! Places of which the text does not say whether a reference on the way may have another value when they are borrowed again.

use syn::{
    Expr, ExprClosure, Pat,
    visit::Visit,
    visit_mut::{self, VisitMut},
};

use super::{persistence::Persistence, place::Places};
use crate::ast::{
    calls::{is_of_runtime, strip_parentheses},
    types::is_shared_reference,
    uses::root_name,
};

/// A way, each part of which has to lead to the same.
#[derive(Clone)]
pub(crate) struct Doubtful {
    pub(crate) way: Expr,
    /// It begins in a variable that may have another value itself.
    pub(crate) changes: bool,
}

impl Places<'_> {
    /// Those by which something is made again.
    pub(crate) fn doubtful(&self, pat: &Pat, init: &Expr) -> Vec<Doubtful> {
        let mut ways = Ways {
            places: self,
            // What is behind it may be meant: `let first: &Node = &nodes[0];` of references.
            typed: matches!(pat, Pat::Type(_)),
            in_closure: false,
            own: Vec::new(),
            found: Vec::new(),
        };
        let mut init = init.clone();
        Unproven.visit_expr_mut(&mut init);
        match (is_place(&init), pat) {
            (true, Pat::Ident(_)) => ways.borrowed(&init),
            (true, _) => ways.note(&init),
            (false, _) => ways.visit_expr(&init),
        }
        ways.found
    }

    fn is_doubtful(&self, way: &Expr) -> Option<Doubtful> {
        let root = root_name(way)?;
        let (changes, sure) = match (root.as_str(), (self.names)(&root)) {
            ("self", _) => (self.changes_self, !self.changes_self),
            (_, Some(id)) => {
                let var = &self.vars[id.0];
                let shared = match var.persistence {
                    Persistence::Param(param) => is_shared_reference(&self.params[param.0].ty),
                    _ => var.ty.as_ref().is_some_and(is_shared_reference),
                };
                (var.mutable, var.hidden || shared)
            }
            (_, None) => return None,
        };
        let doubtful = !sure && self.reassigned.may_perhaps_change(way);
        doubtful.then(|| Doubtful {
            way: way.clone(),
            changes,
        })
    }
}

/// Leaves out what proves that something is std's.
struct Unproven;

impl VisitMut for Unproven {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let proven = match &mut *expr {
            Expr::Call(call) if is_of_runtime(&call.func, PROOFS) => call.args.first_mut(),
            Expr::MethodCall(call) if call.method.to_string().starts_with("__saga_") => {
                Some(&mut *call.receiver)
            }
            _ => None,
        };
        if let Some(proven) = proven {
            let proven = match proven {
                Expr::Reference(lent) => (*lent.expr).clone(),
                other => other.clone(),
            };
            *expr = proven;
        }
        visit_mut::visit_expr_mut(self, expr);
    }
}

const PROOFS: &[&str] = &["std_indexed", "std_items", "std_key"];

struct Ways<'p, 'a> {
    places: &'p Places<'a>,
    typed: bool,
    in_closure: bool,
    /// Names of a closure's own.
    own: Vec<String>,
    found: Vec<Doubtful>,
}

/// The names that a closure binds.
struct Own<'n>(&'n mut Vec<String>);

impl<'ast> Visit<'ast> for Own<'_> {
    fn visit_pat_ident(&mut self, name: &'ast syn::PatIdent) {
        self.0.push(name.ident.to_string());
        syn::visit::visit_pat_ident(self, name);
    }
}

impl Ways<'_, '_> {
    fn note(&mut self, way: &Expr) {
        let is_own = root_name(way).is_some_and(|root| self.own.contains(&root));
        let found = self.places.is_doubtful(way).filter(|_| !is_own);
        // When one that has another value is looked at by a closure, the states say.
        self.found
            .extend(found.filter(|way| !self.in_closure || !way.changes));
    }

    /// The place itself stays while it is borrowed.
    fn borrowed(&mut self, place: &Expr) {
        match strip_parentheses(place) {
            whole if self.typed => self.note(whole),
            Expr::Field(field) => self.note(&field.base),
            Expr::Index(index) => self.note(&index.expr),
            Expr::Unary(unary) => self.note(&unary.expr),
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Ways<'_, '_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Reference(lent) if is_place(&lent.expr) => self.borrowed(&lent.expr),
            Expr::MethodCall(call) if is_place(&call.receiver) => self.note(&call.receiver),
            _ => {}
        }
        syn::visit::visit_expr(self, expr);
    }

    /// What it looks at is lent to it; its own names are others.
    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        let outside = self.own.len();
        let mut own = Own(&mut self.own);
        own.visit_expr_closure(closure);
        let around = std::mem::replace(&mut self.in_closure, true);
        self.visit_expr(&closure.body);
        self.in_closure = around;
        self.own.truncate(outside);
    }
}

/// A variable, a part of one, an item, or what is behind one.
fn is_place(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::Path(_) => true,
        Expr::Field(field) => is_place(&field.base),
        Expr::Index(index) => is_place(&index.expr),
        Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Deref(_)) && is_place(&unary.expr),
        _ => false,
    }
}
