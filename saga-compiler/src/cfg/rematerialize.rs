//! Rematerialization: values that are evaluated again where a frame is read, if their type cannot be
//! stored. They are picked out of what comes with every request: arguments, answers, `self`.

use std::collections::BTreeSet;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Expr, ExprCall, ExprMethodCall, Pat};

use super::evaluation::{
    first_piece, is_between, is_clone, is_lookup, is_piece, unwrapped, without_error,
};
use crate::{
    ast::{
        calls::{is_constructor, is_none, is_of_runtime, is_some, strip_parentheses},
        macros::arguments,
        patterns::pattern_bindings,
        picks::choice,
        tokens::declares_static,
        uses::{Uses, root_name},
    },
    cfg::{
        Access, Param, ParamId, Var, VarId,
        persistence::{Evaluation, Form, Persistence, Rematerialization},
    },
};

/// Judges expressions in one scope.
pub(crate) struct Picks<'a> {
    pub(crate) vars: &'a [Var],
    pub(crate) params: &'a [Param],
    pub(crate) names: &'a dyn Fn(&str) -> Option<VarId>,
    /// Whether a place has the same value whenever it is looked at.
    pub(crate) is_steady: &'a dyn Fn(&Expr, bool) -> bool,
    /// Whether a block around it imports something, which is not there behind the blocks.
    pub(crate) imports: bool,
    /// Whether a reference may outlive the call: pieces of texts are found again, and no copies.
    pub(crate) lends_out: bool,
}

/// What an expression is picked out of.
#[derive(Default)]
struct Roots {
    vars: BTreeSet<VarId>,
    params: BTreeSet<ParamId>,
    /// Whether something else comes with every request than answers.
    others: bool,
    /// Whether the value may borrow from them.
    lent: bool,
    /// Whether it is a clone.
    cloned: bool,
    /// Whether only types can say that the same comes of it.
    judged: bool,
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
            of_answer: !roots.others,
            last: var,
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
        // `match (count, name) { (0, Some(name)) => … }`
        if let (Pat::Tuple(pats), Expr::Tuple(parts)) = (pat, strip_parentheses(init))
            && pats.elems.len() == parts.elems.len()
            && !pats.elems.iter().any(|pat| matches!(pat, Pat::Rest(_)))
        {
            let binds = |pat: &Pat| pattern_bindings(pat).any(|bound| bound.ident == *name);
            let mut both = pats.elems.iter().zip(&parts.elems);
            let (pat, part) = both.find(|(pat, _)| binds(pat))?;
            return self.bound(var, name, pat, part);
        }
        let mut roots = Roots::default();
        self.all_roots(init, &mut roots)?;
        let value = Evaluation {
            bound: Some((pat.clone(), name.clone())),
            init: init.clone(),
            of_answer: !roots.others,
            last: var,
        };
        Some(self.made(var, value, &roots))
    }

    /// How what was found in these places, which each process has, is found there again: by where it was.
    pub(crate) fn found(
        &self,
        var: VarId,
        at: VarId,
        places: &[&Expr],
        value: Expr,
    ) -> Option<Rematerialization> {
        let mut roots = Roots {
            lent: true,
            judged: true,
            ..Roots::default()
        };
        let mut places = places.iter();
        places.try_for_each(|place| self.roots(place, &mut roots))?;
        self.may_be_lent(&roots).then_some(())?;
        let value = Evaluation {
            bound: None,
            init: value,
            of_answer: false,
            last: var,
        };
        let mut made = self.made(var, value, &roots);
        made.records.insert(at);
        Some(made)
    }

    /// Of what each block has a copy of, and of an answer, nothing can be lent to all of them.
    fn may_be_lent(&self, roots: &Roots) -> bool {
        let mut params = roots.params.iter().map(|id| self.params[id.0].access);
        let is_copied = |access| matches!(access, Access::Parsed | Access::Cloned | Access::Local);
        let lends = |var: &VarId| {
            let again = self.vars[var.0].persistence.rematerialized();
            self.lends_out && again.is_some_and(|again| again.lent && again.records.is_empty())
        };
        roots.vars.iter().all(lends) && !params.any(is_copied)
    }

    fn made(&self, var: VarId, value: Evaluation, roots: &Roots) -> Rematerialization {
        let mut made = Rematerialization {
            lets: Vec::new(),
            records: BTreeSet::new(),
            params: roots.params.clone(),
            lent: roots.lent && !roots.cloned,
            judged: roots.judged,
            makes: roots.makes,
        };
        for root in &roots.vars {
            match self.vars[root.0].persistence.rematerialized() {
                Some(again) => {
                    made.lets.extend(again.lets.iter().cloned());
                    made.records.extend(&again.records);
                    made.params.extend(&again.params);
                    made.judged |= again.judged;
                }
                None => {
                    made.records.insert(*root);
                }
            }
        }
        let mut seen = BTreeSet::new();
        made.lets.retain(|(var, _)| seen.insert(*var));
        // The value of a block has its variable before those in the block.
        made.lets.sort_by_key(|(_, value)| value.last);
        let value = Evaluation {
            last: made.lets.last().map_or(var, |(_, of)| of.last.max(var)),
            ..value
        };
        made.lets.push((var, value));
        made
    }

    fn all_roots(&self, init: &Expr, roots: &mut Roots) -> Option<()> {
        if self.copies_static(init) {
            return None;
        }
        if self.names_functions(init) {
            (roots.others, roots.makes) = (true, true);
            return Some(());
        }
        match strip_parentheses(init) {
            // Alone: where it has a `Drop` of its own, its type says so.
            Expr::Struct(literal) if literal.rest.is_none() => {
                roots.makes = true;
                let mut fields = literal.fields.iter();
                fields.try_for_each(|field| self.roots(&field.expr, roots))?;
            }
            other => self.roots(other, roots)?,
        }
        (!roots.lent || self.may_be_lent(roots)).then_some(())
    }

    /// `None` where more than roots are in it.
    fn roots(&self, expr: &Expr, roots: &mut Roots) -> Option<()> {
        self.roots_of(expr, false, roots)
    }

    /// The same of what is a collection of std's, as its type has to prove.
    fn roots_of(&self, expr: &Expr, of_std: bool, roots: &mut Roots) -> Option<()> {
        let is_place = root_name(expr).is_some();
        (!is_place || (self.is_steady)(expr, of_std)).then(|| self.parts(expr, roots))?
    }

    /// The same of a place that is a part of one, which others may change.
    fn parts(&self, expr: &Expr, roots: &mut Roots) -> Option<()> {
        let expr = strip_parentheses(expr);
        if let Some(tried) = unwrapped(expr) {
            roots.judged = true;
            return self.roots(&without_error(tried), roots);
        }
        match expr {
            Expr::Path(path) if self.is_static(path) => {
                roots.others = true;
                Some(())
            }
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                if name == "self" {
                    roots.others = true;
                    return Some(());
                }
                let id = (self.names)(&name)?;
                let var = &self.vars[id.0];
                match &var.persistence {
                    Persistence::Param(param) => {
                        roots.others = true;
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
                        roots.others = true;
                        roots.vars.insert(id);
                    }
                    _ => return None,
                }
                Some(())
            }
            Expr::Field(field) => self.parts(&field.base, roots),
            Expr::Index(index) => {
                roots.judged = true;
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
                roots.judged = true;
                self.parts(&unary.expr, roots)
            }
            Expr::MethodCall(call) if is_lookup(call) || (self.lends_out && is_piece(call)) => {
                self.looked_up(call, roots)
            }
            Expr::MethodCall(call)
                if self.lends_out
                    && let Some(pieces) = first_piece(call) =>
            {
                self.looked_up(pieces, roots)
            }
            Expr::MethodCall(call) if is_clone(call) || is_between(call) => {
                roots.judged = true;
                roots.cloned |= is_clone(call);
                self.roots(&call.receiver, roots)
            }
            Expr::MethodCall(call) if self.is_output(call) => self.roots(&call.receiver, roots),
            Expr::Call(call) if is_some(&call.func) => {
                let mut parts = call.args.iter();
                parts.try_for_each(|part| self.roots(part, roots))
            }
            Expr::Call(call) => {
                let argument = match &call.args.first() {
                    Some(argument @ Expr::Reference(_)) if call.args.len() == 1 => *argument,
                    _ => return None,
                };
                // `Arc::clone(&self.repo)`
                let clones = is_clone_of_type(call);
                roots.judged |= clones;
                roots.cloned |= clones;
                (clones || is_of_runtime(&call.func, &["outputs", "tried_value"]))
                    .then(|| self.roots(argument, roots))?
            }
            Expr::Match(picked) if self.spot(&picked.expr).is_some() => {
                roots.vars.insert(self.spot(&picked.expr)?);
                let values = || picked.arms.iter().map(|arm| &*arm.body);
                if values().all(|value| self.is_function(value)) {
                    (roots.others, roots.makes) = (true, true);
                    return Some(());
                }
                let mut values = values().filter(|value| !is_none(value));
                values.try_for_each(|value| self.roots(value, roots))
            }
            picks @ (Expr::Match(_) | Expr::If(_)) => self.roots(choice(picks)?.scrutinee, roots),
            Expr::Tuple(tuple) if !tuple.elems.is_empty() => {
                let mut parts = tuple.elems.iter();
                parts.try_for_each(|part| self.roots(part, roots))
            }
            _ => None,
        }
    }

    /// Where it is kept which of several values was made.
    fn spot(&self, by: &Expr) -> Option<VarId> {
        let Expr::Path(path) = by else { return None };
        let id = (self.names)(&path.path.get_ident()?.to_string())?;
        let var = &self.vars[id.0];
        let is_spot = matches!(var.persistence, Persistence::Spilled(Form::Spot));
        (is_spot && var.hidden).then_some(id)
    }

    /// Whether it is a clone of a place that comes with every request, or `Some` of one.
    pub(crate) fn is_clone(&self, value: &Expr) -> bool {
        let of = match value {
            Expr::Call(call) if is_some(&call.func) && call.args.len() == 1 => {
                return self.is_clone(&call.args[0]);
            }
            Expr::MethodCall(call) if is_clone(call) => &*call.receiver,
            Expr::Call(call) if is_clone_of_type(call) && call.args.len() == 1 => {
                match &call.args[0] {
                    Expr::Reference(lent) => &*lent.expr,
                    _ => return false,
                }
            }
            _ => return false,
        };
        root_name(of).is_some() && self.roots(value, &mut Roots::default()).is_some()
    }

    /// Whether it is the name of a function, or a closure that captures nothing.
    pub(crate) fn is_function(&self, value: &Expr) -> bool {
        let mut functions = false;
        let is_alone = matches!(value, Expr::Path(_) | Expr::Closure(_));
        is_alone && !self.imports && self.is_of_names(value, &mut functions) && functions
    }

    fn looked_up(&self, call: &ExprMethodCall, roots: &mut Roots) -> Option<()> {
        (roots.lent, roots.judged) = (true, true);
        self.roots_of(&call.receiver, true, roots)?;
        let mut keys = call.args.iter();
        keys.try_for_each(|key| self.key(key, roots))
    }

    fn key(&self, key: &Expr, roots: &mut Roots) -> Option<()> {
        match strip_parentheses(key) {
            Expr::Lit(_) => Some(()),
            Expr::Reference(lent) if matches!(&*lent.expr, Expr::Lit(_)) => Some(()),
            // `path.split_once('.').unwrap_or((path, ""))`
            Expr::Tuple(parts) if self.lends_out => {
                let mut parts = parts.elems.iter();
                parts.try_for_each(|part| self.key(part, roots))
            }
            key => self.roots(key, roots),
        }
    }

    /// Whether a value is copied out of a `static`: in another process that may have another one. (What lends it, and a clone
    /// of a client or of a pool, is the process' own.)
    fn copies_static(&self, init: &Expr) -> bool {
        match strip_parentheses(init) {
            Expr::Path(path) => self.is_static(path),
            Expr::Field(field) => self.copies_static(&field.base),
            Expr::Index(index) => self.copies_static(&index.expr),
            Expr::Unary(unary) => self.copies_static(&unary.expr),
            Expr::Tuple(tuple) => tuple.elems.iter().any(|part| self.copies_static(part)),
            Expr::Struct(literal) => {
                let mut fields = literal.fields.iter();
                fields.any(|field| self.copies_static(&field.expr))
            }
            Expr::Call(call) if is_some(&call.func) => {
                call.args.iter().any(|part| self.copies_static(part))
            }
            other => unwrapped(other).is_some_and(|of| self.copies_static(of)),
        }
    }

    /// Whether a value is a table of functions, or one in a struct: nothing but names and literals, so that to make it again does
    /// nothing.
    ///
    /// ```text
    /// let tests: [(&str, fn() -> bool); 2] = [("starts", starts), ("stops", stops)];
    /// ```
    fn names_functions(&self, init: &Expr) -> bool {
        let mut functions = false;
        let is_alone = matches!(strip_parentheses(init), Expr::Path(_) | Expr::Closure(_));
        !self.imports && !is_alone && self.is_of_names(init, &mut functions) && functions
    }

    fn is_of_names(&self, expr: &Expr, functions: &mut bool) -> bool {
        let parts: Vec<&Expr> = match strip_parentheses(expr) {
            Expr::Lit(_) => return true,
            Expr::Path(path) => return self.is_of_no_variable(path, functions),
            Expr::Closure(closure) => {
                *functions = true;
                let read = Uses::of_expr(expr).reads;
                let mut read = read.keys();
                return closure.asyncness.is_none()
                    && !declares_static(expr.to_token_stream())
                    && !read.any(|name| (self.names)(name).is_some());
            }
            Expr::Macro(invocation) if invocation.mac.path.is_ident("vec") => {
                let listed = arguments(&invocation.mac);
                return listed.is_some_and(|listed| {
                    let mut listed = listed.iter().map(|argument| &argument.value);
                    listed.all(|part| self.is_of_names(part, functions))
                });
            }
            Expr::Unary(unary) if !matches!(unary.op, syn::UnOp::Deref(_)) => vec![&unary.expr],
            Expr::Cast(cast) => vec![&cast.expr],
            Expr::Reference(lent) if lent.mutability.is_none() => vec![&lent.expr],
            Expr::Tuple(tuple) => tuple.elems.iter().collect(),
            Expr::Array(array) => array.elems.iter().collect(),
            Expr::Call(call) if is_constructor(&call.func) => call.args.iter().collect(),
            Expr::Struct(literal) if literal.rest.is_none() => {
                literal.fields.iter().map(|field| &field.expr).collect()
            }
            _ => return false,
        };
        let mut parts = parts.into_iter();
        parts.all(|part| self.is_of_names(part, functions))
    }

    /// Whether a path is that of a function, a variant or a constant in a type.
    fn is_of_no_variable(&self, path: &syn::ExprPath, functions: &mut bool) -> bool {
        let name = path.path.get_ident().map(ToString::to_string);
        let is_variable = name.is_some_and(|name| name == "self" || (self.names)(&name).is_some());
        let last = path.path.segments.last().map(|last| last.ident.to_string());
        *functions |= last.is_some_and(|last| last.starts_with(char::is_lowercase));
        // A `static` may be another one then.
        !is_variable && !self.is_static(path)
    }

    /// A `static`, which each process has, or a constant.
    pub(crate) fn is_static(&self, path: &syn::ExprPath) -> bool {
        let is_upper =
            |name: &str| name.contains(char::is_alphabetic) && !name.contains(char::is_lowercase);
        let name = path.path.segments.last().map(|last| last.ident.to_string());
        let is_variable = path
            .path
            .get_ident()
            .is_some_and(|name| (self.names)(&name.to_string()).is_some());
        name.is_some_and(|name| is_upper(&name)) && !is_variable
    }

    /// What an ask in the expression became: the answer that is on record.
    fn is_output(&self, call: &ExprMethodCall) -> bool {
        let Expr::Path(path) = &*call.receiver else {
            return false;
        };
        let name = path.path.get_ident().map(ToString::to_string);
        let var = name.and_then(|name| (self.names)(&name));
        call.method == "saga_output"
            && var.is_some_and(|id| self.vars[id.0].persistence.is_record())
    }
}

/// `Arc::clone`, `Clone::clone`; that it is `Clone`'s, types say.
fn is_clone_of_type(call: &ExprCall) -> bool {
    matches!(&*call.func, Expr::Path(path) if path.path.segments.len() > 1
        && path.path.segments.last().is_some_and(|last| last.ident == "clone"))
}
