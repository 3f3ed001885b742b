//! Types of what is made again in each block: they are the same in all of them.
//!
//! A literal and the parameters of a closure have the types that their uses say, and each block uses them otherwise. So a
//! witness takes the type wherever one is made, in code that is never reached.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Expr, spanned::Spanned, visit::Visit};

use super::machine::Machine;

use crate::{
    ast::{
        assigned_places::part_of,
        calls::strip_parentheses,
        closures::{Gives, given_by},
        tokens::never,
    },
    cfg::{
        Facts, VarId,
        persistence::{Persistence, Reborrow, ReborrowId},
    },
};

/// What is the same wherever something is made.
#[derive(Clone, Copy)]
enum Same {
    /// Its type.
    Type,
    /// What it takes, so many parameters, and what it gives: the type of a closure is another one in each place.
    Signature(usize, Gives),
}

impl Machine<'_> {
    /// The witnesses, without types yet.
    pub(super) fn remade(&self) -> TokenStream {
        let reborrows = self.flow.reborrows.iter();
        let all = reborrows.flat_map(|reborrow| {
            let same = same(reborrow);
            let vars = reborrow.vars.iter();
            vars.filter_map(move |var| same.map(|same| (*var, same)))
        });
        all.map(|(var, same)| {
            let witness = witness(var);
            match same {
                Same::Type => quote!(let #witness = ::saga_runtime::__private::Witness::new();),
                Same::Signature(..) => {
                    quote!(let #witness = ::saga_runtime::__private::Signature::new();)
                }
            }
        })
        .collect()
    }

    /// Tells them of what has just been declared.
    pub(super) fn remade_here(&self, facts: &Facts) -> TokenStream {
        let declared = facts.defs.iter();
        let told = declared
            .clone()
            .filter_map(|var| match self.flow.var(*var).persistence {
                Persistence::Reborrowed(id) => {
                    let same = same(self.flow.reborrow(id))?;
                    Some(told(*var, &self.flow.var(*var).ident, same))
                }
                _ => None,
            });
        let steady = declared.map(|var| self.steady(*var, |var| self.flow.var(var).ident.clone()));
        never(&told.chain(steady).collect())
    }

    /// The same of what has just been made again, under these names.
    pub(super) fn remade_again(
        &self,
        id: ReborrowId,
        needed: &[VarId],
        name: impl Fn(VarId) -> Ident,
    ) -> TokenStream {
        let same = same(self.flow.reborrow(id));
        let told = needed.iter().map(|var| {
            let told = same.map(|same| told(*var, &name(*var), same));
            let steady = self.steady(*var, &name);
            quote!(#told #steady)
        });
        never(&told.collect())
    }

    /// Has rustc look whether what a closure looks at is no reference, where that might have another value by then.
    fn steady(&self, closure: VarId, name: impl Fn(VarId) -> Ident) -> TokenStream {
        let looked_at = self.flow.steady.get(&closure).into_iter().flatten();
        let looked_at = looked_at.flat_map(|(var, ways)| ways.iter().map(|way| (*var, way)));
        // What rustc says of it is said where it is made.
        let span = match self.flow.var(closure).persistence {
            Persistence::Reborrowed(id) => self.flow.reborrow(id).init.span(),
            _ => Span::call_site(),
        };
        let leads = Ident::new("saga_leads", span.resolved_at(Span::call_site()));
        let proofs = looked_at.map(|(var, way)| {
            let part = part_of(&name(var), way);
            quote! {{
                use ::saga_runtime::__private::{LeadsElsewhere as _, LeadsNowhereElse as _};
                (&::saga_runtime::__private::Witness::of(&#part)).#leads();
            }}
        });
        proofs.collect()
    }
}

fn told(var: VarId, name: &Ident, same: Same) -> TokenStream {
    let witness = witness(var);
    match same {
        Same::Type => quote!((&#witness).is(&#name);),
        Same::Signature(parameters, gives) => {
            let is = match gives {
                Gives::Value | Gives::Closure => format_ident!("of_{parameters}"),
                Gives::Future => format_ident!("future_{parameters}"),
                Gives::Items => format_ident!("items_{parameters}"),
            };
            quote!((&#witness).#is(&#name);)
        }
    }
}

fn witness(var: VarId) -> Ident {
    format_ident!("__saga_remade_{}", var.0)
}

/// What has no type of its own has that of what it is made of.
fn same(reborrow: &Reborrow) -> Option<Same> {
    struct Open(bool);
    impl<'ast> Visit<'ast> for Open {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            match expr {
                Expr::Lit(_) | Expr::Closure(_) | Expr::Array(_) => self.0 = true,
                // By what something is found.
                Expr::Index(index) => self.visit_expr(&index.expr),
                Expr::MethodCall(call) => self.visit_expr(&call.receiver),
                // Of the macro's own.
                Expr::Call(call) => call.args.iter().for_each(|given| self.visit_expr(given)),
                other => syn::visit::visit_expr(self, other),
            }
        }

        fn visit_path(&mut self, path: &'ast syn::Path) {
            self.0 |= path.segments.len() > 1;
        }
    }
    match strip_parentheses(&reborrow.init) {
        Expr::Closure(closure) => Some(Same::Signature(
            closure.inputs.len(),
            given_by(&closure.body),
        )),
        Expr::Path(path) if reborrow.deps.is_empty() && !path.path.is_ident("self") => {
            Some(Same::Type)
        }
        init => {
            let mut open = Open(false);
            open.visit_expr(init);
            open.0.then_some(Same::Type)
        }
    }
}
