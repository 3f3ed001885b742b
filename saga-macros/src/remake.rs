//! Which values can be made again after a suspension instead of being stored.
//!
//! An expression is *pure* where evaluating it again, from the same variables, gives the same value
//! and does nothing else. A variable is *settled* where its value cannot change between processes:
//! arguments and answers, which come from their JSON, and what is made of them. Over settled
//! variables any pure expression is made again. Over others (`self`, an extension, a stored local)
//! only a borrow is: while a borrow lives, what it borrows from cannot change.

use syn::{
    Expr, ExprMethodCall, Lit,
    visit_mut::{self, VisitMut},
};

use crate::{
    again::again,
    arms::choice,
    asks::{Handles, peel},
    lower::text::is_kept,
    methods::{
        ADAPTERS, BORROWS, DEFAULTS, ERROR_ONLY, ITERATORS, LOOKUPS, UNWRAPS, VALUES, is_one_of,
    },
    model::{Flow, Keep, Origin, Param, Recipe, Var, VarId},
    parse::is_argument_type,
    resolve::copies_out,
};

/// What a pure expression is made of.
#[derive(Debug, Clone)]
pub(crate) struct Purity {
    pub(crate) deps: Vec<VarId>,
    /// Made of settled variables and constants only.
    pub(crate) settled: bool,
    /// A mutable variable is among them: only a place that is borrowed may depend on one.
    mutable: bool,
    /// A method decides what is borrowed, so the type has to be looked at.
    by_method: bool,
}

impl Default for Purity {
    fn default() -> Self {
        Self {
            deps: Vec::new(),
            settled: true,
            mutable: false,
            by_method: false,
        }
    }
}

impl Purity {
    fn join(mut self, other: Self) -> Self {
        self.deps.extend(other.deps);
        self.settled &= other.settled;
        self.mutable |= other.mutable;
        self.by_method |= other.by_method;
        self
    }

    fn is_fixed(&self) -> bool {
        self.settled && !self.mutable
    }
}

/// How to evaluate an expression again.
pub(crate) struct Remake {
    pub(crate) init: Expr,
    pub(crate) deps: Vec<VarId>,
    pub(crate) settled: bool,
    /// The type must prove to be a borrow.
    pub(crate) checked: bool,
}

/// Judges expressions in one scope.
pub(crate) struct Judge<'a> {
    pub(crate) vars: &'a [Var],
    pub(crate) recipes: &'a [Recipe],
    pub(crate) params: &'a [Param],
    pub(crate) names: &'a dyn Fn(&str) -> Option<VarId>,
    pub(crate) handles: &'a Handles,
}

impl Judge<'_> {
    /// The way to make the value of `init` again; `None` where it has to be stored.
    pub(crate) fn remake(&self, init: &Expr) -> Option<Remake> {
        let init = peel(init);
        let by_value = self.pure(init).filter(Purity::is_fixed);
        let checked = by_value.is_none();
        let purity = by_value.or_else(|| self.borrow(init))?;
        Some(Remake {
            init: again(init),
            settled: purity.is_fixed(),
            checked: checked && purity.by_method,
            deps: purity.deps,
        })
    }

    /// The handle under another name.
    pub(crate) fn remake_handle(&self, init: &Expr) -> Remake {
        let mut deps = Vec::new();
        for name in crate::resolve::Uses::of_expr(init).reads.keys() {
            deps.extend((self.names)(name));
        }
        Remake {
            init: init.clone(),
            deps,
            settled: false,
            checked: false,
        }
    }

    /// A place that a pattern borrows from with `ref`.
    pub(crate) fn remake_place(&self, place: &Expr) -> Option<Remake> {
        let purity = self.place(place)?;
        Some(Remake {
            init: again(place),
            settled: false,
            checked: false,
            deps: purity.deps,
        })
    }

    /// A reference under another name, or taken apart by a pattern: what it binds are references too.
    pub(crate) fn remake_parts(&self, init: &Expr) -> Option<Remake> {
        let borrow = self.unsettled_borrow(peel(init));
        let checked = borrow.is_none();
        let purity = borrow.or_else(|| self.made_anew(peel(init)))?;
        Some(Remake {
            init: again(init),
            settled: false,
            checked,
            deps: purity.deps,
        })
    }

    /// A variable that is evaluated again by the author's word; what is taken out of it must prove to be
    /// a borrow.
    fn made_anew(&self, expr: &Expr) -> Option<Purity> {
        let Expr::Path(path) = expr else { return None };
        let id = (self.names)(&path.path.get_ident()?.to_string())?;
        let anew = matches!(self.vars[id.0].keep, Keep::Again(_));
        anew.then(|| self.place(expr)).flatten()
    }

    /// The iterator of a loop, made again for each step; `None` where the loop owns its items.
    pub(crate) fn iterator(&self, expr: &Expr) -> Option<Remake> {
        let purity = self.iterable(expr)?;
        let mut init = again(peel(expr));
        if purity.by_method && !purity.is_fixed() {
            init = checked_lookups(&init);
        }
        Some(Remake {
            init,
            settled: purity.is_fixed(),
            checked: false,
            deps: purity.deps,
        })
    }

    fn iterable(&self, expr: &Expr) -> Option<Purity> {
        match peel(expr) {
            Expr::MethodCall(call) if is_one_of(call, ADAPTERS) => {
                let receiver = self.iterable(&call.receiver)?;
                call.args.iter().try_fold(receiver, |all, argument| {
                    let purity = self.iterable(argument).or_else(|| {
                        self.pure_argument(argument)
                            .filter(|purity| !purity.mutable)
                    })?;
                    Some(all.join(purity))
                })
            }
            Expr::MethodCall(call) if is_one_of(call, ITERATORS) => {
                let owned = call.method.to_string().starts_with("into_");
                let receiver = if owned {
                    self.pure(&call.receiver).filter(Purity::is_fixed)
                } else {
                    self.place(&call.receiver)
                };
                self.arguments(receiver?, call)
            }
            range @ Expr::Range(_) => self.settled_range(range),
            other => {
                let by_value = self.pure(other).filter(Purity::is_fixed);
                by_value
                    .or_else(|| self.borrow(other))
                    .or_else(|| self.unsettled_borrow(other))
            }
        }
    }

    /// A range whose ends, and so its type, are the same whenever it is evaluated.
    pub(crate) fn settled_range(&self, range: &Expr) -> Option<Purity> {
        let Expr::Range(ends) = range else {
            return None;
        };
        let mut ends = [&ends.start, &ends.end].into_iter().flatten();
        let typed = ends.any(|end| !matches!(peel(end), Expr::Lit(_)));
        let purity = self.pure_argument(range).filter(Purity::is_fixed)?;
        typed.then_some(purity)
    }

    /// Whether `expr` is a variable that is a borrow, so that a copy of it is not the author's value
    /// given away.
    pub(crate) fn names_a_borrow(&self, expr: &Expr) -> bool {
        self.unsettled_borrow(expr).is_some()
    }

    /// A variable that is itself a borrow that is made again: `for x in list` with `list: &Vec<_>`.
    fn unsettled_borrow(&self, expr: &Expr) -> Option<Purity> {
        let Expr::Path(path) = expr else { return None };
        if path.path.is_ident("self") {
            return self.place(expr);
        }
        let id = (self.names)(&path.path.get_ident()?.to_string())?;
        let is_borrow = match self.vars[id.0].origin {
            Origin::Remade(_) => true,
            Origin::Param(param) => crate::parse::is_shared_reference(&self.params[param.0].ty),
            Origin::Stored => false,
        };
        is_borrow.then(|| self.place(expr)).flatten()
    }

    /// A borrow of places that stay as they are while it lives.
    pub(crate) fn borrow(&self, expr: &Expr) -> Option<Purity> {
        match peel(expr) {
            Expr::Reference(reference) => self.place(&reference.expr),
            Expr::MethodCall(call) if is_one_of(call, BORROWS) => {
                self.arguments(self.receiver(call)?, call)
            }
            Expr::MethodCall(call) if is_one_of(call, LOOKUPS) => {
                let mut purity = self.arguments(self.receiver(call)?, call)?;
                purity.by_method = true;
                Some(purity)
            }
            Expr::MethodCall(call) if is_one_of(call, UNWRAPS) => {
                self.borrow_less_error(&call.receiver)
            }
            Expr::MethodCall(call) if is_one_of(call, DEFAULTS) => {
                self.arguments(self.borrow(&call.receiver)?, call)
            }
            Expr::Try(tried) => self.borrow_less_error(&tried.expr),
            picks @ (Expr::Match(_) | Expr::If(_)) => {
                let choice = choice(picks)?;
                let copies = choice.arms.iter().any(|(pat, _)| copies_out(pat));
                let purity = self.borrow(choice.scrutinee)?;
                // What a lookup gives may be no reference, and is stored then.
                (!copies && !purity.by_method).then_some(Purity {
                    by_method: true,
                    ..purity
                })
            }
            Expr::Tuple(tuple) if tuple.elems.iter().any(|part| self.borrow(part).is_some()) => {
                let mut parts = tuple.elems.iter().map(|part| {
                    let by_value = self.pure(part).filter(Purity::is_fixed);
                    by_value
                        .or_else(|| self.borrow(part))
                        .or_else(|| self.copied(part))
                });
                parts.try_fold(Purity::default(), |all, part| Some(all.join(part?)))
            }
            _ => None,
        }
    }

    /// The receiver of `?` or `unwrap`: what only shapes the error does not matter, for there was none.
    fn borrow_less_error(&self, expr: &Expr) -> Option<Purity> {
        match peel(expr) {
            Expr::MethodCall(call) if is_one_of(call, ERROR_ONLY) => {
                self.borrow_less_error(&call.receiver)
            }
            other => self.borrow(other),
        }
    }

    /// Whether a method borrows from a variable that may be mutable: as an operand its value stays what
    /// it is, for nothing can change what is borrowed.
    pub(crate) fn lends(&self, expr: &Expr) -> bool {
        match peel(expr) {
            Expr::MethodCall(call) if is_one_of(call, BORROWS) => self
                .place(&call.receiver)
                .and_then(|receiver| self.arguments(receiver, call))
                .is_some(),
            _ => false,
        }
    }

    /// A variable next to a borrow, or a literal. Where it is not `Copy` it has moved, and the
    /// compiler says so.
    fn copied(&self, expr: &Expr) -> Option<Purity> {
        match peel(expr) {
            Expr::Lit(_) => Some(Purity::default()),
            path @ Expr::Path(_) => self.place(path).filter(|purity| !purity.mutable),
            _ => None,
        }
    }

    /// What a method borrows from. Its result may not be a borrow at all, so the receiver must not
    /// be mutable.
    fn receiver(&self, call: &ExprMethodCall) -> Option<Purity> {
        self.place(&call.receiver).filter(|purity| !purity.mutable)
    }

    fn arguments(&self, receiver: Purity, call: &ExprMethodCall) -> Option<Purity> {
        call.args.iter().try_fold(receiver, |all, argument| {
            let purity = self
                .pure_argument(argument)
                .filter(|purity| !purity.mutable)?;
            Some(all.join(purity))
        })
    }

    /// A place expression; its base may be mutable, its indices may not.
    fn place(&self, expr: &Expr) -> Option<Purity> {
        match peel(expr) {
            path @ Expr::Path(_) => self.pure_path(path),
            Expr::Field(field) => self.place(&field.base),
            Expr::Index(index) => {
                let base = self.place(&index.expr)?;
                let by = self
                    .pure_argument(&index.index)
                    .filter(|purity| !purity.mutable)?;
                Some(base.join(by))
            }
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => {
                self.place(&unary.expr)
            }
            literal @ Expr::Lit(_) => self.pure(literal),
            other => self.borrow(other),
        }
    }

    fn variable(&self, name: &str) -> Option<Purity> {
        if name == "self" {
            return Some(Purity {
                settled: false,
                ..Purity::default()
            });
        }
        let id = (self.names)(name)?;
        let var = &self.vars[id.0];
        let reference = matches!(&var.ty, Some(syn::Type::Reference(_)));
        if var.mutable && (reference || is_kept(&var.keep)) {
            // A borrow through a reference lives on when the variable is given another one.
            return None;
        }
        let settled = match var.origin {
            Origin::Stored => var.answer,
            Origin::Remade(recipe) => self.recipes[recipe.0].settled,
            Origin::Param(param) => is_argument_type(&self.params[param.0].ty),
        };
        Some(Purity {
            deps: vec![id],
            settled,
            mutable: var.mutable,
            by_method: false,
        })
    }

    /// An expression that gives the same again from the same variables.
    pub(crate) fn pure(&self, expr: &Expr) -> Option<Purity> {
        match expr {
            Expr::Paren(paren) => self.pure(&paren.expr),
            Expr::Group(group) => self.pure(&group.expr),
            // A bare number takes its type from its uses, which are in other blocks.
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(int) => (!int.suffix().is_empty()).then(Purity::default),
                Lit::Float(float) => (!float.suffix().is_empty()).then(Purity::default),
                _ => Some(Purity::default()),
            },
            path @ Expr::Path(_) => self.pure_path(path),
            Expr::Field(field) => self.pure(&field.base),
            Expr::Reference(reference) if reference.mutability.is_none() => {
                self.pure(&reference.expr)
            }
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => self.pure(&unary.expr),
            Expr::Index(index) => Some(
                self.pure(&index.expr)?
                    .join(self.pure_argument(&index.index)?),
            ),
            Expr::Tuple(tuple) => {
                let mut parts = tuple.elems.iter();
                parts.try_fold(Purity::default(), |all, part| {
                    Some(all.join(self.pure(part)?))
                })
            }
            Expr::Array(array) => {
                let mut items = array.elems.iter();
                items.try_fold(Purity::default(), |all, item| {
                    Some(all.join(self.pure(item)?))
                })
            }
            Expr::Macro(call) => self.pure_list(&call.mac),
            picks @ (Expr::Match(_) | Expr::If(_)) => self.pure(choice(picks)?.scrutinee),
            Expr::Try(tried) => self.pure_less_error(&tried.expr),
            Expr::MethodCall(call) if is_one_of(call, UNWRAPS) => {
                self.pure_less_error(&call.receiver)
            }
            Expr::MethodCall(call)
                if is_one_of(call, BORROWS)
                    || is_one_of(call, LOOKUPS)
                    || is_one_of(call, VALUES) =>
            {
                if self.handles.is_handle(&call.receiver) {
                    return None;
                }
                let mut receiver = self.pure(&call.receiver)?;
                // What looks like a constant may be a `static` with something in it that changes.
                receiver.settled &= !self.is_global(&call.receiver);
                call.args.iter().try_fold(receiver, |all, argument| {
                    Some(all.join(self.pure_argument(argument)?))
                })
            }
            _ => None,
        }
    }

    fn is_global(&self, expr: &Expr) -> bool {
        match peel(expr) {
            Expr::Path(path) => {
                let variable = path.path.get_ident();
                variable.is_none_or(|name| (self.names)(&name.to_string()).is_none())
            }
            Expr::Field(field) => self.is_global(&field.base),
            Expr::Index(index) => self.is_global(&index.expr),
            Expr::Reference(reference) => self.is_global(&reference.expr),
            Expr::Unary(unary) => self.is_global(&unary.expr),
            _ => false,
        }
    }

    /// A variable or a constant.
    fn pure_path(&self, expr: &Expr) -> Option<Purity> {
        let Expr::Path(path) = expr else { return None };
        let variable = path.path.get_ident();
        let variable = variable.and_then(|name| self.variable(&name.to_string()));
        let last = path.path.segments.last()?.ident.to_string();
        variable.or_else(|| is_constant(&last).then(Purity::default))
    }

    /// `vec![..]` of literals.
    fn pure_list(&self, call: &syn::Macro) -> Option<Purity> {
        let last = call.path.segments.last()?;
        let items = syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated;
        let items = call.parse_body_with(items).ok()?;
        let literals = items.iter().all(|item| matches!(item, Expr::Lit(_)));
        if last.ident != "vec" || items.is_empty() || !literals {
            return None;
        }
        let mut items = items.iter();
        items.try_fold(Purity::default(), |all, item| {
            Some(all.join(self.pure(item)?))
        })
    }

    /// The receiver of `?`: what only shapes the error does not matter, for there was none.
    fn pure_less_error(&self, expr: &Expr) -> Option<Purity> {
        match peel(expr) {
            Expr::MethodCall(call) if is_one_of(call, ERROR_ONLY) => {
                self.pure_less_error(&call.receiver)
            }
            other => self.pure(other),
        }
    }

    /// Arguments of known methods have their type from the method, so that a bare number will do.
    fn pure_argument(&self, expr: &Expr) -> Option<Purity> {
        match peel(expr) {
            Expr::Lit(_) => Some(Purity::default()),
            Expr::Reference(reference) => self.pure_argument(&reference.expr),
            Expr::Range(range) => {
                let mut ends = [&range.start, &range.end].into_iter().flatten();
                ends.try_fold(Purity::default(), |all, end| {
                    Some(all.join(self.pure_argument(end)?))
                })
            }
            other => self.pure(other),
        }
    }
}

/// Lets lookups by name prove that they give references.
pub(crate) fn checked_lookups(expr: &Expr) -> Expr {
    let mut expr = expr.clone();
    Lookups.visit_expr_mut(&mut expr);
    expr
}

struct Lookups;

impl VisitMut for Lookups {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        if matches!(expr, Expr::MethodCall(call) if is_one_of(call, LOOKUPS)) {
            *expr = syn::parse_quote!(::saga_runtime::__private::borrowed(#expr));
        }
    }
}

pub(crate) fn is_constant(name: &str) -> bool {
    name.len() > 1
        && name
            .chars()
            .all(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_')
}

impl Flow {
    /// The variables that a remade variable is made of, down to what is stored or comes again.
    pub(crate) fn closure(&self, var: VarId, found: &mut std::collections::BTreeSet<VarId>) {
        if found.insert(var)
            && let Origin::Remade(recipe) = self.var(var).origin
        {
            for dep in &self.recipe(recipe).deps {
                self.closure(*dep, found);
            }
        }
    }
}
