//! Which expressions give the request's handle, whenever they are evaluated.

use syn::{Expr, Member, Pat, UnOp};

use super::Lower;
use crate::{
    ast::types::is_handle_type,
    cfg::{VarId, persistence::Persistence},
};

impl Lower<'_> {
    /// Whether it gives the handle that came with the request, so that it may as well be evaluated later, or again. What only has
    /// a handle's name (`node.peer`, a `cx` that hides the parameter) may be anything, and another one by then.
    pub(super) fn is_of_request(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) => {
                    let var = self.lookup(&name.to_string());
                    var.is_some_and(|var| self.has_request(var))
                }
                None => self.handles.is_handle(expr),
            },
            Expr::Field(field) => {
                matches!(&field.member, Member::Named(member) if member == "peer")
                    && self.is_of_request(&field.base)
            }
            Expr::Reference(lent) => lent.mutability.is_none() && self.is_of_request(&lent.expr),
            Expr::Paren(paren) => self.is_of_request(&paren.expr),
            Expr::Group(group) => self.is_of_request(&group.expr),
            Expr::Unary(unary) => {
                matches!(unary.op, UnOp::Deref(_)) && self.is_of_request(&unary.expr)
            }
            Expr::Call(call) => {
                let mut args = call.args.iter();
                self.handles.is_handle(expr) && args.all(|given| self.is_of_request(given))
            }
            Expr::MethodCall(call) => {
                self.handles.is_handle(expr) && self.is_of_request(&call.receiver)
            }
            _ => false,
        }
    }

    /// Whether a variable is the handle: a parameter, or another name of one.
    fn has_request(&self, var: VarId) -> bool {
        let variable = &self.vars[var.0];
        match variable.persistence {
            _ if variable.mutable => false,
            Persistence::Param(id) => is_handle_type(&self.params[id.0].ty),
            Persistence::Reborrowed(id) => {
                let again = &self.reborrows[id.0];
                let whole = matches!(&again.pat, Pat::Ident(_) | Pat::Type(_));
                // From a destructured context only the peer is the handle.
                (whole || variable.ident == "peer")
                    && self.handles.is_handle(&again.init)
                    && again.deps.iter().all(|dep| self.has_request(*dep))
            }
            Persistence::Spilled(_) => false,
        }
    }
}
