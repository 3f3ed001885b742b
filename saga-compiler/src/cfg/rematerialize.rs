//! Rematerialization: values that are evaluated again where a frame is read, if their type cannot be
//! stored. They are picked out of what comes with every request: arguments, answers, `self`.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span};
use syn::{Expr, ExprMethodCall, Pat, spanned::Spanned, visit_mut::VisitMut};

use crate::{
    ast::{
        calls::{is_some, strip_parentheses},
        picks::{Choice, choice},
        uses::root_name,
    },
    cfg::{
        Access, Param, ParamId, Var, VarId,
        persistence::{Evaluation, Form, Persistence, Rematerialization},
    },
};

/// Methods that only take a value out of an `Option` or a `Result`; `Present` proves that it is one.
const UNWRAPS: &[&str] = &["unwrap", "expect"];

/// Methods that change only the error. It was none, so they are left out.
const ERROR_ONLY: &[&str] = &["map_err", "ok_or", "ok_or_else", "context", "with_context"];

/// Methods of `Option` and `Result` between an answer and its value.
const BETWEEN: &[&str] = &["ok", "flatten"];

/// Methods of std's collections that look something up, each with how many arguments it takes. That they are std's is proven
/// where the value's type has them evaluated again.
const LOOKUPS: &[(&str, usize)] = &[
    ("as_deref", 0),
    ("as_ref", 0),
    ("first", 0),
    ("get", 1),
    ("last", 0),
];

fn is_lookup(call: &ExprMethodCall) -> bool {
    LOOKUPS.contains(&(call.method.to_string().as_str(), call.args.len()))
}

/// Judges expressions in one scope.
pub(crate) struct Picks<'a> {
    pub(crate) vars: &'a [Var],
    pub(crate) params: &'a [Param],
    pub(crate) names: &'a dyn Fn(&str) -> Option<VarId>,
    /// Whether a place has the same value whenever it is looked at.
    pub(crate) is_steady: &'a dyn Fn(&Expr) -> bool,
}

/// What an expression is picked out of.
#[derive(Default)]
struct Roots {
    vars: BTreeSet<VarId>,
    params: BTreeSet<ParamId>,
    /// Whether the value may borrow from them.
    lent: bool,
    /// Whether the value is a new one of a struct.
    makes: bool,
}

impl Picks<'_> {
    /// How `init` is evaluated again, to be the value of `var`.
    pub(crate) fn again(&self, var: VarId, init: &Expr) -> Option<Rematerialization> {
        let mut roots = Roots::default();
        self.all_roots(init, &mut roots)?;
        let value = Evaluation {
            bound: None,
            init: init.clone(),
        };
        Some(self.made(var, value, &roots))
    }

    /// The same of what `pat` binds.
    pub(crate) fn bound(
        &self,
        var: VarId,
        name: &Ident,
        pat: &Pat,
        init: &Expr,
    ) -> Option<Rematerialization> {
        let mut roots = Roots::default();
        self.all_roots(init, &mut roots)?;
        let value = Evaluation {
            bound: Some((pat.clone(), name.clone())),
            init: init.clone(),
        };
        Some(self.made(var, value, &roots))
    }

    fn made(&self, var: VarId, value: Evaluation, roots: &Roots) -> Rematerialization {
        let mut made = Rematerialization {
            lets: Vec::new(),
            records: BTreeSet::new(),
            params: roots.params.clone(),
            looks_up: roots.lent,
            makes: roots.makes,
        };
        for root in &roots.vars {
            match self.vars[root.0].persistence.rematerialized() {
                Some(again) => {
                    made.lets.extend(again.lets.iter().cloned());
                    made.records.extend(&again.records);
                    made.params.extend(&again.params);
                    made.looks_up |= again.looks_up;
                }
                None => {
                    made.records.insert(*root);
                }
            }
        }
        made.lets.sort_by_key(|(var, _)| *var);
        made.lets.dedup_by_key(|(var, _)| *var);
        made.lets.push((var, value));
        made
    }

    fn all_roots(&self, init: &Expr, roots: &mut Roots) -> Option<()> {
        match strip_parentheses(init) {
            // Alone: where it has a `Drop` of its own, its type says so.
            Expr::Struct(literal) if literal.rest.is_none() => {
                roots.makes = true;
                let mut fields = literal.fields.iter();
                fields.try_for_each(|field| self.roots(&field.expr, roots))?;
            }
            other => self.roots(other, roots)?,
        }
        // Of what each block has a copy of, and of an answer, nothing can be lent to all of them.
        let mut params = roots.params.iter().map(|id| self.params[id.0].access);
        let is_copied = |access| matches!(access, Access::Parsed | Access::Cloned | Access::Local);
        (!roots.lent || (roots.vars.is_empty() && !params.any(is_copied))).then_some(())
    }

    /// `None` where more than roots are in it.
    fn roots(&self, expr: &Expr, roots: &mut Roots) -> Option<()> {
        let is_place = root_name(expr).is_some();
        (!is_place || (self.is_steady)(expr)).then(|| self.parts(expr, roots))?
    }

    /// The same of a place that is a part of one, which others may change.
    fn parts(&self, expr: &Expr, roots: &mut Roots) -> Option<()> {
        match strip_parentheses(expr) {
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                if name == "self" {
                    return Some(());
                }
                let id = (self.names)(&name)?;
                let var = &self.vars[id.0];
                match &var.persistence {
                    Persistence::Param(param) => {
                        roots.params.insert(*param);
                    }
                    Persistence::Spilled(Form::Record) => {
                        roots.vars.insert(id);
                    }
                    persistence
                        if !var.mutable
                            && persistence
                                .rematerialized()
                                .is_some_and(|again| !again.makes) =>
                    {
                        roots.vars.insert(id);
                    }
                    _ => return None,
                }
                Some(())
            }
            Expr::Field(field) => self.parts(&field.base, roots),
            Expr::Index(index) => {
                self.parts(&index.expr, roots)?;
                match strip_parentheses(&index.index) {
                    Expr::Lit(_) => Some(()),
                    other => self.roots(other, roots),
                }
            }
            Expr::Reference(reference) if reference.mutability.is_none() => {
                self.roots(&reference.expr, roots)
            }
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => {
                self.parts(&unary.expr, roots)
            }
            Expr::Try(tried) => self.roots(&tried.expr, roots),
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                let known = |names: &[&str]| names.contains(&name.as_str());
                // Of the macro's own, and what a clone of a place is made by.
                let quiet = call.args.is_empty() && (name == "clone" || name == "output");
                let picks = known(UNWRAPS) || known(ERROR_ONLY) || known(BETWEEN);
                if is_lookup(call) {
                    roots.lent = true;
                    self.roots(&call.receiver, roots)?;
                    let mut keys = call.args.iter();
                    return keys.try_for_each(|key| match strip_parentheses(key) {
                        Expr::Lit(_) => Some(()),
                        Expr::Reference(lent) if matches!(&*lent.expr, Expr::Lit(_)) => Some(()),
                        key => self.roots(key, roots),
                    });
                }
                (quiet || picks).then(|| self.roots(&call.receiver, roots))?
            }
            Expr::Call(call) if is_some(&call.func) => {
                let mut parts = call.args.iter();
                parts.try_for_each(|part| self.roots(part, roots))
            }
            // `Arc::clone(&self.repo)`
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else {
                    return None;
                };
                let name = path.path.segments.last()?.ident.to_string();
                // The last two are the runtime's, of records.
                let known = ["clone", "outputs", "tried_value"].contains(&name.as_str());
                match call.args.first() {
                    Some(argument @ Expr::Reference(_)) if known && call.args.len() == 1 => {
                        self.roots(argument, roots)
                    }
                    _ => None,
                }
            }
            picks @ (Expr::Match(_) | Expr::If(_)) => self.roots(choice(picks)?.scrutinee, roots),
            Expr::Tuple(tuple) if !tuple.elems.is_empty() => {
                let mut parts = tuple.elems.iter();
                parts.try_for_each(|part| self.roots(part, roots))
            }
            _ => None,
        }
    }
}

impl Evaluation {
    /// The expression for another evaluation, with proofs that what is looked up is so in std's collections.
    pub(crate) fn again(&self) -> Expr {
        let init = evaluated(&self.init, true);
        match &self.bound {
            None => init,
            Some((Pat::Ident(ident), _)) if ident.subpat.is_none() => init,
            Some((pat @ Pat::Type(_), name)) => syn::parse_quote!({ let #pat = #init; #name }),
            Some((pat, name)) => {
                let gone = gone();
                syn::parse_quote! {
                    match #init {
                        #[allow(unused_variables)]
                        #pat => #name,
                        #[allow(unreachable_patterns)]
                        _ => #gone,
                    }
                }
            }
        }
    }
}

/// The expression for another evaluation: `E?` and `E.unwrap()` become the value or, where there is
/// none any more, the end of a stale continuation.
///
/// ```text
/// answer.map_err(log)?.ok_or(effect())?   →   present(present(answer))
/// ```
pub(crate) fn again(expr: &Expr) -> Expr {
    evaluated(expr, false)
}

fn evaluated(expr: &Expr, proves: bool) -> Expr {
    struct Again {
        proves: bool,
    }
    impl VisitMut for Again {
        fn visit_expr_mut(&mut self, expr: &mut Expr) {
            if let Some(choice) = choice(expr) {
                *expr = chosen_again(&choice, self.proves);
                return;
            }
            let inner = match expr {
                Expr::Try(tried) => Some(without_error(&tried.expr)),
                Expr::MethodCall(call) if UNWRAPS.contains(&call.method.to_string().as_str()) => {
                    Some(without_error(&call.receiver))
                }
                _ => None,
            };
            match inner {
                Some(inner) => {
                    let (inner, gone) = (evaluated(&inner, self.proves), gone());
                    *expr = syn::parse_quote!(
                        match ::saga_runtime::__private::Present::present(#inner) {
                            ::core::option::Option::Some(__saga_value) => __saga_value,
                            ::core::option::Option::None => #gone,
                        }
                    );
                }
                None => syn::visit_mut::visit_expr_mut(self, expr),
            }
            if let Expr::MethodCall(call) = expr
                && self.proves
                && is_lookup(call)
            {
                let of = &call.receiver;
                // What rustc says of it is said there.
                let span = of.span().resolved_at(Span::call_site());
                let looked_up = quote::format_ident!("looked_up", span = span);
                call.receiver = syn::parse_quote_spanned!(span=>
                    ::saga_runtime::__private::#looked_up(&__saga_again, &#of)
                );
            }
        }
    }
    let mut expr = expr.clone();
    Again { proves }.visit_expr_mut(&mut expr);
    expr
}

/// Whether a method only takes a value out of an `Option` or a `Result`, or says which error there is else.
pub(crate) fn takes_value_out(call: &syn::ExprMethodCall) -> bool {
    let name = call.method.to_string();
    UNWRAPS.contains(&name.as_str()) || ERROR_ONLY.contains(&name.as_str())
}

/// The end of a stale continuation.
pub(crate) fn gone() -> Expr {
    syn::parse_quote!({
        __saga.gone();
        break '__saga_end;
    })
}

/// ```text
/// match answer { Some(form) => form, None => return … }   →   match answer { Some(form) => form, _ => gone }
/// ```
fn chosen_again(choice: &Choice<'_>, proves: bool) -> Expr {
    let scrutinee = evaluated(choice.scrutinee, proves);
    let gone = gone();
    let arms = choice.arms.iter().map(|(pat, value)| {
        let value = value.unwrap_or(&gone);
        quote::quote!(#[allow(unused_variables)] #pat => #value,)
    });
    syn::parse_quote! {
        match #scrutinee {
            #(#arms)*
            #[allow(unreachable_patterns)]
            _ => #gone,
        }
    }
}

fn without_error(expr: &Expr) -> Expr {
    match strip_parentheses(expr) {
        Expr::MethodCall(call) if ERROR_ONLY.contains(&call.method.to_string().as_str()) => {
            without_error(&call.receiver)
        }
        other => other.clone(),
    }
}
