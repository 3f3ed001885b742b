//! Parts that are references to what comes with every request: they are taken from there again.
//!
//! ```text
//! let mut job = Job { db: &self.db, done: Vec::new() };
//! ```

use proc_macro2::{Ident, Span};
use syn::{Expr, ExprMethodCall, Pat, spanned::Spanned};

use super::{Binder, Given, Values};
use crate::{
    ast::{
        calls::strip_parentheses,
        patterns::{copies_out, pattern_bindings, without_guard},
        tokens::names_importable,
    },
    cfg::{
        Access, Flow, VarId,
        aggregate::{Part, Place, Taken},
        persistence::Persistence,
    },
};

/// The variable that a name means.
type Named<'n> = &'n dyn Fn(&Ident) -> Option<VarId>;

impl Values<'_> {
    /// Such a reference.
    pub(super) fn place(&self, expr: &Expr, given: &Given<'_>) -> Option<Part> {
        let named = |name: &Ident| self.variable(name, given);
        let taken = match self.picked(expr, given, &named) {
            Some(taken) => taken,
            None => self.reference(expr, &named)?,
        };
        Some(Part::Place(Place {
            all: vec![taken],
            fixed: true,
            span: expr.span(),
        }))
    }

    /// What a pattern around a name binds to it, of such a place.
    ///
    /// ```text
    /// match &self.spare { Some(spare) => spare, None => &self.main }
    /// ```
    fn picked(&self, expr: &Expr, given: &Given<'_>, var: Named<'_>) -> Option<Taken> {
        let Expr::Path(path) = strip_parentheses(expr) else {
            return None;
        };
        let Some(Binder::Pattern(pat, scrutinee)) = given.binder(path) else {
            return None;
        };
        if !given.imports.is_empty() && names_importable(pat) {
            return None;
        }
        self.bound_there(pat, path.path.get_ident()?, scrutinee, var)
    }

    /// What a pattern binds to a name, where it matches.
    fn bound_there(
        &self,
        pat: &Pat,
        name: &Ident,
        scrutinee: &Expr,
        var: Named<'_>,
    ) -> Option<Taken> {
        let mut bound = pattern_bindings(pat).filter(|bound| bound.ident == *name);
        let binding = bound.next()?;
        // In an alternative it may be another one, and behind `&` a copy.
        if binding.mutable || bound.next().is_some() || copies_out(pat) {
            return None;
        }
        let scrutinee = match strip_parentheses(scrutinee) {
            field @ Expr::Field(_) if binding.by_ref => {
                let mut place = field.clone();
                self.rooted(&mut place, var)?;
                place
            }
            Expr::MethodCall(call) if looks_into(call) && !binding.by_ref => {
                let mut place = call.receiver.clone();
                self.rooted(&mut place, var)?;
                // What rustc says of its type, it says at the call.
                let span = call.span().resolved_at(Span::call_site());
                syn::parse_quote_spanned!(span=> {
                    use ::saga_runtime::__private::parts::{LookedInto as _, LookedIntoOther as _};
                    (&&::saga_runtime::__private::parts::Lent::of(&#place)).saga_as_ref()
                })
            }
            reference if !binding.by_ref => match self.reference(reference, var)? {
                Taken::Always(expr) => expr,
                Taken::Sometimes(_) => return None,
            },
            _ => return None,
        };
        let pat = without_guard(pat);
        Some(Taken::Sometimes(syn::parse_quote! {
            match #scrutinee {
                #[allow(unused_variables)]
                #pat => ::core::option::Option::Some(#name),
                _ => ::core::option::Option::None,
            }
        }))
    }

    /// The expression that gives it, by the names that the parameters have everywhere.
    fn reference(&self, expr: &Expr, var: Named<'_>) -> Option<Taken> {
        match strip_parentheses(expr) {
            Expr::Path(path) => self.of_variable(var(path.path.get_ident()?)?),
            Expr::Reference(lent) if lent.mutability.is_none() => {
                let field = strip_parentheses(&lent.expr);
                let mut place = matches!(field, Expr::Field(_)).then(|| field.clone())?;
                self.rooted(&mut place, var)?;
                Some(Taken::Always(syn::parse_quote!(&#place)))
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
                *place = match self.of_variable(var(path.path.get_ident()?)?)? {
                    Taken::Always(expr) => expr,
                    Taken::Sometimes(_) => return None,
                };
                Some(())
            }
            _ => None,
        }
    }

    /// What a variable is that is nothing but a reference to such a place.
    fn of_variable(&self, var: VarId) -> Option<Taken> {
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
                is_reference.then(|| Taken::Always(syn::parse_quote!(#held)))
            }
            Persistence::Reborrowed(id) => {
                let reborrow = self.flow.reborrow(id);
                let of_it = |name: &Ident| {
                    let mut deps = reborrow.deps.iter();
                    deps.find(|var| self.flow.var(**var).ident == *name)
                        .copied()
                };
                match &reborrow.pat {
                    Pat::Ident(name) if name.subpat.is_none() && name.by_ref.is_none() => {
                        self.reference(&reborrow.init, &of_it)
                    }
                    pat => self.bound_there(pat, &variable.ident, &reborrow.init, &of_it),
                }
            }
            Persistence::Spilled(_) => None,
        }
    }
}

/// `self.spare.as_ref()`: that it is one of std's types, rustc says.
fn looks_into(call: &ExprMethodCall) -> bool {
    call.method == "as_ref" && call.args.is_empty() && call.turbofish.is_none()
}
