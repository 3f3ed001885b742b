//! Places: what can be borrowed again where it is, instead of being stored.
//!
//! A place is made of a variable, fields and parentheses, so that finding it again runs nobody's code.
//! While a borrow lives, what it borrows from cannot change; so it may be taken anew in each block.

use std::collections::HashSet;

use syn::{Expr, ExprMethodCall, Pat};

use crate::{
    ast::{
        assigned_places::Assigned,
        calls::{is_literal, strip_parentheses},
        patterns::pattern_bindings,
        types::{is_shared_reference, is_unique_reference, may_be_unique, may_lend_to_change},
        uses::{Uses, root, root_name},
    },
    cfg::{
        Param, Var, VarId,
        copies::kept_key,
        persistence::{Persistence, Reborrow},
        proof::prove_indexed,
    },
};

/// A place, by the variables in it.
#[derive(Clone, Default)]
pub(crate) struct Place {
    pub(crate) deps: Vec<VarId>,
    /// The calls on the way to it.
    pub(crate) calls: Vec<ExprMethodCall>,
}

impl Place {
    pub(super) fn join(mut self, other: Self) -> Self {
        self.deps.extend(other.deps);
        self.calls.extend(other.calls);
        self
    }
}

/// What is borrowed, and of which variables it is made.
pub(crate) struct Borrow {
    pub(crate) init: Expr,
    pub(crate) deps: Vec<VarId>,
    /// What is called for it must be std's.
    pub(crate) calls: Vec<ExprMethodCall>,
    /// Names that a pattern binds of it to copies: these stay what they are.
    pub(crate) copies: HashSet<String>,
}

impl Borrow {
    /// What nothing is called for.
    pub(crate) fn of(init: Expr, deps: Vec<VarId>) -> Self {
        Self {
            init,
            deps,
            calls: Vec::new(),
            copies: HashSet::new(),
        }
    }
}

/// Judges expressions in one scope.
pub(crate) struct Places<'a> {
    pub(crate) vars: &'a [Var],
    pub(crate) params: &'a [Param],
    pub(crate) names: &'a dyn Fn(&str) -> Option<VarId>,
    /// What is given another value somewhere, or lent for it.
    pub(crate) reassigned: &'a Assigned,
    pub(crate) reborrows: &'a [Reborrow],
    /// Names whose values may be moved somewhere.
    pub(crate) taken: &'a HashSet<String>,
    /// Names of variables, wherever they are declared.
    pub(crate) bound: &'a HashSet<String>,
    /// Whether the function is given `&mut self`.
    pub(crate) changes_self: bool,
}

impl Places<'_> {
    /// `&place`, `&mut place`, a tuple of them, or what is looked up in one to be changed.
    pub(crate) fn borrow(&self, init: &Expr) -> Option<Borrow> {
        if let Some(found) = self.looked_up(init) {
            return Some(found);
        }
        let place = self.borrowed(init)?;
        let mut init = init.clone();
        prove_indexed(&mut init);
        Some(Borrow::of(init, place.deps))
    }

    /// Whether this lends a place that is found without an index, for as long as it is not looked for again in vain.
    pub(crate) fn is_lent_now(&self, operand: &Expr) -> bool {
        match strip_parentheses(operand) {
            Expr::Reference(reference) if reference.mutability.is_none() => {
                self.place(&reference.expr).is_some()
            }
            _ => false,
        }
    }

    pub(super) fn borrowed(&self, init: &Expr) -> Option<Place> {
        match strip_parentheses(init) {
            Expr::Reference(reference)
                if reference.mutability.is_none() && self.is_global(&reference.expr) =>
            {
                Some(Place::default())
            }
            Expr::Reference(reference) if has_index(&reference.expr) => {
                self.indexed(&reference.expr, reference.mutability.is_some())
            }
            Expr::Reference(reference) => {
                if let Some(of) = self.behind(init) {
                    return self.place(of);
                }
                let place = self.place(&reference.expr)?;
                let shared = reference.mutability.is_none();
                (!shared || !self.leads_elsewhere(&reference.expr)).then_some(place)
            }
            Expr::Tuple(tuple) if !tuple.elems.is_empty() => {
                let mut parts = tuple.elems.iter();
                parts.try_fold(Place::default(), |all, part| {
                    Some(all.join(self.borrowed(part)?))
                })
            }
            Expr::Struct(literal) if literal.rest.is_none() => {
                let mut fields = literal.fields.iter().map(|field| &field.expr);
                let lends = fields.clone().any(|field| self.borrowed(field).is_some());
                let all = fields.try_fold(Place::default(), |all, field| {
                    Some(all.join(self.given_again(field)?))
                });
                all.filter(|_| lends)
            }
            chosen @ (Expr::If(_) | Expr::Match(_)) => {
                let (by, places) = chosen_places(chosen)?;
                let by = self.unchanging(by)?;
                let mut places = places.into_iter();
                places.try_fold(by, |all, place| Some(all.join(self.borrowed(place)?)))
            }
            _ => None,
        }
    }

    /// A place that is lent, a reference to one, or a literal.
    fn given_again(&self, expr: &Expr) -> Option<Place> {
        let again = self.borrowed(expr);
        again.or_else(|| match strip_parentheses(expr) {
            literal if is_literal(literal) => Some(Place::default()),
            reference if self.is_reference(reference) => self.place(reference),
            _ => None,
        })
    }

    /// The condition by which one of two places is borrowed, where it may be another one later.
    pub(crate) fn choosing<'e>(&self, init: &'e mut Expr) -> Option<&'e mut Expr> {
        let chooses = chosen_places(init).is_some_and(|(by, places)| {
            self.unchanging(by).is_none()
                && places.iter().all(|place| self.borrowed(place).is_some())
        });
        match init {
            Expr::If(chosen) if chooses => Some(&mut chosen.cond),
            _ => None,
        }
    }

    /// An item of a collection, by a literal or a variable that does not change. What is found in a variable
    /// of the function's own is stored for what it is, unless it may be changed there: an `Index` that is
    /// none of std's is then called no second time.
    fn indexed(&self, expr: &Expr, mutable: bool) -> Option<Place> {
        let place = match mutable {
            true => self.changed_item(expr)?,
            false => self.item(expr)?,
        };
        if !mutable && self.leads_elsewhere(expr) {
            return None;
        }
        let comes_again = || match strip_parentheses(expr) {
            Expr::Index(index) => self.item(&index.expr).is_some_and(|base| {
                let mut base = base.deps.iter();
                base.all(|id| !self.vars[id.0].persistence.is_spilled())
            }),
            _ => false,
        };
        (mutable || (!has_index_inside(expr) && comes_again())).then_some(place)
    }

    /// A place, an item of one, a field or an item of that.
    pub(super) fn item(&self, expr: &Expr) -> Option<Place> {
        match strip_parentheses(expr) {
            Expr::Index(index) => {
                let (_, by) = self.argument(&index.index)?;
                Some(self.item(&index.expr)?.join(by))
            }
            Expr::Field(field) => self.item(&field.base),
            other if self.is_global(other) => Some(Place::default()),
            other => self.place(other),
        }
    }

    /// The same, to be changed: a constant's value is there for one mention of it.
    pub(super) fn changed_item(&self, expr: &Expr) -> Option<Place> {
        let constant = self.is_global(root(expr));
        (!constant).then(|| self.item(expr)).flatten()
    }

    /// What `&mut *x` is behind: a variable, or a field of one. Its type has to prove that nothing is called for it.
    fn behind<'e>(&self, init: &'e Expr) -> Option<&'e Expr> {
        let Expr::Reference(reference) = strip_parentheses(init) else {
            return None;
        };
        let Expr::Unary(unary) = strip_parentheses(&reference.expr) else {
            return None;
        };
        let lent = reference.mutability.is_some() && matches!(unary.op, syn::UnOp::Deref(_));
        (lent && self.place(&unary.expr).is_some()).then_some(&*unary.expr)
    }

    /// Whether a place may be another one while what it led to is looked at: a reference on the way to it, or itself, may be
    /// given another value then, and the borrow checker lets that be. (A `&mut` that may be is not stored.)
    pub(crate) fn leads_elsewhere(&self, place: &Expr) -> bool {
        let Some(root) = root_name(place) else {
            return false;
        };
        let (changes, lent) = match (root.as_str(), (self.names)(&root)) {
            ("self", _) => (self.changes_self, self.changes_self),
            (_, Some(id)) => (
                self.vars[id.0].mutable || self.is_lent(id),
                self.is_lent(id),
            ),
            (_, None) => return false,
        };
        changes && self.reassigned.may_change(place, lent)
    }

    /// Whether a place has the same value whenever it is looked at, as far as it is of what somebody has lent.
    /// One `of_std` is looked at by std's methods.
    pub(crate) fn is_steady(&self, place: &Expr, of_std: bool) -> bool {
        let lent = root_name(place).is_some_and(|root| match root.as_str() {
            "self" => self.changes_self,
            root => (self.names)(root).is_some_and(|id| self.is_lent(id)),
        });
        !lent || !self.reassigned.may_touch(place, of_std)
    }

    /// Whether nothing that `items` are made of changes: no variable is `mut`, or a `&mut`, or given away.
    pub(crate) fn are_of_fixed(&self, items: &Expr, deps: &[VarId]) -> bool {
        let of_self = self.changes_self && reads_self(items);
        !of_self && deps.iter().all(|id| self.is_fixed_variable(*id))
    }

    fn is_fixed_variable(&self, id: VarId) -> bool {
        let var = &self.vars[id.0];
        let of_fixed = || match var.persistence {
            Persistence::Reborrowed(id) => self.reborrows.get(id.0).is_some_and(|again| {
                let of_self = self.changes_self && reads_self(&again.init);
                !of_self && again.deps.iter().all(|id| self.is_fixed_variable(*id))
            }),
            _ => true,
        };
        // A number of the macro's own is where the loop is.
        let stays = !self.taken.contains(&var.ident.to_string());
        let by_param = match var.persistence {
            Persistence::Param(param) => may_lend_to_change(&self.params[param.0].ty),
            _ => false,
        };
        (!var.mutable || var.hidden) && stays && !by_param && !self.is_lent(id) && of_fixed()
    }

    /// Whether a variable is a `&mut`, as far as is known.
    fn is_lent(&self, id: VarId) -> bool {
        let var = &self.vars[id.0];
        let declared = var.ty.as_ref().is_some_and(is_unique_reference);
        declared
            || match &var.persistence {
                Persistence::Spilled(_) => may_be_unique_param(self.params, id),
                Persistence::Param(param) => is_unique_reference(&self.params[param.0].ty),
                Persistence::Reborrowed(id) => {
                    let reborrow = self.reborrows.get(id.0);
                    reborrow.is_none_or(|reborrow| self.is_lent_by(reborrow))
                }
            }
    }

    /// Whether something that is lent to be changed is borrowed, or a part of it, under another name.
    fn is_lent_by(&self, reborrow: &Reborrow) -> bool {
        let shared = matches!(strip_parentheses(&reborrow.init), Expr::Reference(lent) if lent.mutability.is_none());
        let of_self = || self.changes_self && reads_self(&reborrow.init);
        let of_lent = || {
            let mut deps = reborrow.deps.iter();
            of_self() || deps.any(|id| self.is_lent(*id))
        };
        lends_to_change(reborrow) || !shared && of_lent()
    }

    /// Whether what a pattern binds may be changed through it.
    pub(crate) fn is_lent_to_change(&self, pat: &Pat, borrow: &Borrow) -> bool {
        lends(pat, &borrow.init) || borrow.deps.iter().any(|id| self.is_lent(*id))
    }

    /// A constant or a static itself; a field of one may be behind what makes it at first use.
    pub(crate) fn is_global(&self, expr: &Expr) -> bool {
        let Expr::Path(path) = strip_parentheses(expr) else {
            return false;
        };
        // Where a variable of its name is declared behind it, that would be meant there.
        match path.path.get_ident().map(ToString::to_string) {
            Some(name) => {
                name != "self" && (self.names)(&name).is_none() && !self.bound.contains(&name)
            }
            None => true,
        }
    }

    /// A place that a pattern borrows from with `ref`.
    pub(crate) fn by_pattern(&self, place: &Expr) -> Option<Borrow> {
        let deps = self.place(place)?.deps;
        Some(Borrow::of(place.clone(), deps))
    }

    /// A variable that is a reference, under another name or taken apart by a pattern: what it binds
    /// are references too.
    pub(crate) fn reference(&self, init: &Expr) -> Option<Borrow> {
        self.is_reference(init)
            .then(|| self.by_pattern(init))
            .flatten()
    }

    /// Whether `expr` is a variable that is known to be a shared reference.
    pub(crate) fn is_reference(&self, expr: &Expr) -> bool {
        let Expr::Path(path) = strip_parentheses(expr) else {
            return false;
        };
        if path.path.is_ident("self") {
            return true;
        }
        let Some(id) = path
            .path
            .get_ident()
            .and_then(|name| (self.names)(&name.to_string()))
        else {
            return false;
        };
        let var = &self.vars[id.0];
        match &var.persistence {
            Persistence::Reborrowed(_) => true,
            Persistence::Param(param) => is_shared_reference(&self.params[param.0].ty),
            // By the author's word, once.
            Persistence::Spilled(form) => form.is_made_anew() && !var.mutable,
        }
    }

    /// A variable, or a field of a place.
    pub(super) fn place(&self, expr: &Expr) -> Option<Place> {
        match strip_parentheses(expr) {
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                if name == "self" {
                    return Some(Place::default());
                }
                let deps = vec![(self.names)(&name)?];
                Some(Place {
                    deps,
                    ..Place::default()
                })
            }
            Expr::Field(field) => self.place(&field.base),
            _ => None,
        }
    }

    /// Whether an expression is an item of a variable, or a field or an item of one.
    pub(crate) fn is_indexed(&self, expr: &Expr) -> bool {
        match strip_parentheses(expr) {
            Expr::Field(field) => self.is_indexed(&field.base),
            Expr::Index(index) => self.place(&index.expr).is_some() || self.is_indexed(&index.expr),
            _ => false,
        }
    }

    pub(super) fn is_range(&self, expr: &Expr) -> bool {
        let Expr::Path(path) = expr else { return false };
        let name = path.path.get_ident().map(ToString::to_string);
        let id = name.and_then(|name| (self.names)(&name));
        id.is_some_and(|id| self.vars[id.0].hidden)
    }

    /// What an adapter or a search is given: a literal, a constant, a variable that does not change.
    pub(super) fn argument(&self, argument: &Expr) -> Option<(Expr, Place)> {
        let again = |place| Some((argument.clone(), place));
        match strip_parentheses(argument) {
            Expr::Range(range) => {
                let mut ends = range.start.iter().chain(&range.end);
                let place = ends.try_fold(Place::default(), |all, end| {
                    Some(all.join(self.argument(end)?.1))
                })?;
                again(place)
            }
            Expr::MethodCall(call) if call.method == "clone" && self.is_range(&call.receiver) => {
                again(self.place(&call.receiver)?)
            }
            Expr::Reference(lent) if lent.mutability.is_none() => {
                again(self.unchanging(&lent.expr)?)
            }
            value => again(self.unchanging(kept_key(value).unwrap_or(value))?),
        }
    }

    /// What is the same wherever it is looked at: a key is not held by what is found by it.
    fn unchanging(&self, expr: &Expr) -> Option<Place> {
        let expr = strip_parentheses(expr);
        if is_literal(expr) || self.is_global(expr) {
            return Some(Place::default());
        }
        let place = self.place(expr)?;
        let of_self = root_name(expr).is_some_and(|root| root == "self");
        let fixed =
            !(of_self && self.changes_self) && place.deps.iter().all(|id| self.is_fixed(*id));
        fixed.then_some(place)
    }

    /// Whether a variable is never changed, nor what it refers to.
    fn is_fixed(&self, id: VarId) -> bool {
        let var = &self.vars[id.0];
        // What `iter_mut().find(..)` has found is a `&mut`, though the text does not show it.
        if var.mutable || self.is_lent(id) {
            return false;
        }
        match &var.persistence {
            Persistence::Spilled(_) => true,
            Persistence::Param(param) => !may_lend_to_change(&self.params[param.0].ty),
            Persistence::Reborrowed(id) => {
                let Some(reborrow) = self.reborrows.get(id.0) else {
                    return false;
                };
                // A number of the macro's own is where a loop is. The list may be changed where it is left.
                let stays = |id: &VarId| self.vars[id.0].hidden || self.is_fixed(*id);
                !lends_to_change(reborrow) && reborrow.deps.iter().all(stays)
            }
        }
    }
}

/// Whether an argument may be a `&mut`: by another name, the text does not show it.
pub(crate) fn may_be_unique_param(params: &[Param], var: VarId) -> bool {
    let mut params = params.iter();
    params.any(|param| {
        let ty = &param.ty;
        param.vars.contains(&var) && (may_be_unique(ty) || may_lend_to_change(ty))
    })
}

fn reads_self(expr: &Expr) -> bool {
    Uses::of_expr(expr).reads.contains_key("self")
}

/// Whether something is borrowed that it may be changed.
pub(crate) fn lends_to_change(reborrow: &Reborrow) -> bool {
    lends(&reborrow.pat, &reborrow.init)
}

fn lends(pat: &Pat, init: &Expr) -> bool {
    struct Lends(bool);
    impl<'ast> syn::visit::Visit<'ast> for Lends {
        fn visit_expr_reference(&mut self, reference: &'ast syn::ExprReference) {
            self.0 |= reference.mutability.is_some();
            syn::visit::visit_expr_reference(self, reference);
        }

        fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
            self.0 |= call.method.to_string().ends_with("_mut");
            syn::visit::visit_expr_method_call(self, call);
        }
    }
    let mut lends = Lends(false);
    syn::visit::Visit::visit_expr(&mut lends, init);
    let mut bound = pattern_bindings(pat);
    lends.0 || bound.any(|binding| binding.lends_to_change())
}

/// By what an `if` or a `match` chooses, and what it chooses of, where that is all that it does.
///
/// ```text
/// if large { &self.large } else { &self.small }
/// ```
fn chosen_places(chosen: &Expr) -> Option<(&Expr, Vec<&Expr>)> {
    fn only(block: &syn::Block) -> Option<&Expr> {
        match &block.stmts[..] {
            [syn::Stmt::Expr(place, None)] => Some(place),
            _ => None,
        }
    }
    match chosen {
        Expr::If(chosen) if !matches!(&*chosen.cond, Expr::Let(_)) => {
            let (_, otherwise) = chosen.else_branch.as_ref()?;
            let Expr::Block(otherwise) = &**otherwise else {
                return None;
            };
            let places = vec![only(&chosen.then_branch)?, only(&otherwise.block)?];
            Some((&chosen.cond, places))
        }
        Expr::Match(chosen) => {
            let binds = |arm: &syn::Arm| {
                matches!(arm.pat, syn::Pat::Guard(_)) || pattern_bindings(&arm.pat).next().is_some()
            };
            if chosen.arms.is_empty() || chosen.arms.iter().any(binds) {
                return None;
            }
            let places = chosen.arms.iter().map(|arm| &*arm.body);
            Some((&chosen.expr, places.collect()))
        }
        _ => None,
    }
}

/// Whether a place is an item of something, or a part of one.
pub(crate) fn has_index(place: &Expr) -> bool {
    match strip_parentheses(place) {
        Expr::Index(_) => true,
        Expr::Field(field) => has_index(&field.base),
        _ => false,
    }
}

/// Whether there is one more on the way to it.
fn has_index_inside(place: &Expr) -> bool {
    match strip_parentheses(place) {
        Expr::Index(index) => has_index(&index.expr),
        Expr::Field(field) => has_index(&field.base),
        _ => false,
    }
}

pub(super) fn is_one_of(call: &ExprMethodCall, names: &[&str]) -> bool {
    // Of those of std, a range of texts needs one.
    let may_be_of_std = call.turbofish.is_none() || call.method == "range";
    may_be_of_std && names.contains(&call.method.to_string().as_str())
}
