//! Parts that are references to what comes with every request: they are taken from there again.
//!
//! ```text
//! let mut job = Job { db: &self.db, done: Vec::new() };
//! ```

use proc_macro2::Ident;
use syn::{Expr, Pat, spanned::Spanned};

use super::{Given, Values};
use crate::{
    ast::calls::strip_parentheses,
    cfg::{
        Access, Flow, VarId,
        aggregate::{Part, Place},
        persistence::Persistence,
    },
};

/// The variable that a name means.
type Named<'n> = &'n dyn Fn(&Ident) -> Option<VarId>;

impl Values<'_> {
    /// Such a reference.
    pub(super) fn place(&self, expr: &Expr, given: &Given<'_>) -> Option<Part> {
        let place = self.reference(expr, &|name| self.variable(name, given))?;
        Some(Part::Place(Place {
            all: vec![place],
            fixed: true,
            span: expr.span(),
        }))
    }

    /// The expression that gives it, by the names that the parameters have everywhere.
    fn reference(&self, expr: &Expr, var: Named<'_>) -> Option<Expr> {
        match strip_parentheses(expr) {
            Expr::Path(path) => self.of_variable(var(path.path.get_ident()?)?),
            Expr::Reference(lent) if lent.mutability.is_none() => {
                let field = strip_parentheses(&lent.expr);
                let mut place = matches!(field, Expr::Field(_)).then(|| field.clone())?;
                self.rooted(&mut place, var)?;
                Some(syn::parse_quote!(&#place))
            }
            _ => None,
        }
    }

    /// Puts what it comes from in the place of the root of a field.
    fn rooted(&self, place: &mut Expr, var: Named<'_>) -> Option<()> {
        match place {
            Expr::Paren(paren) => self.rooted(&mut paren.expr, var),
            Expr::Field(field) => self.rooted(&mut field.base, var),
            Expr::Path(path) if path.path.is_ident("self") => self.flow.shares_self.then_some(()),
            Expr::Path(path) => {
                *place = self.of_variable(var(path.path.get_ident()?)?)?;
                Some(())
            }
            _ => None,
        }
    }

    /// What a variable is that is nothing but a reference to such a place.
    fn of_variable(&self, var: VarId) -> Option<Expr> {
        let variable = self.flow.var(var);
        if variable.mutable {
            return None;
        }
        match variable.persistence {
            Persistence::Param(id) => {
                let param = self.flow.param(id);
                let is_name = matches!(&param.pat, Pat::Ident(name) if name.subpat.is_none());
                let held = match param.access {
                    Access::Copied => Flow::param_ident(id),
                    Access::Direct => variable.ident.clone(),
                    _ => return None,
                };
                let is_reference = is_name
                    && matches!(&param.ty, syn::Type::Reference(lent) if lent.mutability.is_none());
                is_reference.then(|| syn::parse_quote!(#held))
            }
            Persistence::Reborrowed(id) => {
                let reborrow = self.flow.reborrow(id);
                if !matches!(&reborrow.pat, Pat::Ident(name) if name.subpat.is_none() && name.by_ref.is_none())
                {
                    return None;
                }
                let of_it = |name: &Ident| {
                    let mut deps = reborrow.deps.iter();
                    deps.find(|var| self.flow.var(**var).ident == *name)
                        .copied()
                };
                self.reference(&reborrow.init, &of_it)
            }
            Persistence::Spilled(_) => None,
        }
    }
}
