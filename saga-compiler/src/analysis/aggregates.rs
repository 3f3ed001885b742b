//! Which variables hold nothing but aggregates of the function's own, so that they can cross a suspension in parts.
//!
//! Whatever a variable may hold is looked for in the text: where anything else than literals is assigned, it is none. What the text
//! does not show (a method that makes another variant of it) is seen where the value is taken apart.

mod arms;
mod given;
mod imports;
mod lending;
mod lists;
mod places;

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
};

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Expr, Lit, Pat, Stmt, spanned::Spanned, visit::Visit};

use given::{Binder, Bound, Given, name};
use imports::{may_be_imported, names_something};
use lists::{is_list, listed, made_from, makes_list};

use crate::{
    analysis::bound_parts::bound_in,
    ast::{
        calls::{is_constructor, strip_parentheses},
        exits::block_diverges,
        jumps::Left,
        macros::arguments,
        patterns::pattern_bindings,
        touched::{Change, Code, Touched},
    },
    cfg::{
        Facts, Flow, ImportId, Step, Terminator, VarId,
        aggregate::{Aggregate, Fields, Part, is_letter},
        alias,
    },
};

/// More than this is not made in one text.
const DEEPEST: usize = 8;

/// More variables are not looked at, those of a circle again and again.
const MOST_LOOKS: u32 = 100_000;

/// What these variables are made of.
pub(crate) fn aggregates(
    flow: &Flow,
    vars: &BTreeSet<VarId>,
    passing: &BTreeSet<VarId>,
) -> Aggregates {
    if vars.is_empty() && passing.is_empty() {
        return Aggregates::default();
    }
    let values = Values::of(flow);
    let passing = passing.iter();
    let passing = passing.filter(|var| values.lends_in_a_literal(**var));
    let made = vars.iter().chain(passing).filter_map(|var| {
        let made = values.of_var(*var, 0)?;
        made.is_own().then_some((*var, made))
    });
    let made: BTreeMap<_, _> = made.collect();
    let lending = made.iter().filter(|(var, part)| {
        values.is_lending(**var)
            || values.lends_to_a_field(&part.field_names())
            || values.is_changed_with_lent(**var)
    });
    Aggregates {
        lending: lending.map(|(var, _)| *var).collect(),
        made,
    }
}

/// What variables are that the function puts together itself.
#[derive(Default)]
pub(crate) struct Aggregates {
    pub(crate) made: BTreeMap<VarId, Part>,
    /// Those that refer to variables of their blocks.
    pub(crate) lending: BTreeSet<VarId>,
}

/// What each variable is given.
struct Values<'f> {
    flow: &'f Flow,
    given: BTreeMap<VarId, Vec<Given<'f>>>,
    /// What is put in it, where it is a list.
    pushed: BTreeMap<VarId, Vec<Given<'f>>>,
    /// What its fields are given, each with whether it is put in a list that is there.
    fields: BTreeMap<(VarId, String), Vec<(Given<'f>, bool)>>,
    /// What stands beside it where it may be changed.
    beside: BTreeMap<VarId, Vec<Given<'f>>>,
    /// Given something that is not to be seen.
    opaque: BTreeSet<VarId>,
    touched: Touched,
    /// The imports of the block that is looked at.
    imports: &'f [ImportId],
    known: RefCell<BTreeMap<VarId, Option<Part>>>,
    search: Search,
}

/// How far the search for what a variable is made of has come.
#[derive(Default)]
struct Search {
    /// Those that are looked at.
    open: RefCell<BTreeSet<VarId>>,
    /// Whether one of them was met again: what is found meanwhile may be more by itself.
    met: Cell<bool>,
    looks: Cell<u32>,
}

impl<'f> Values<'f> {
    fn of(flow: &'f Flow) -> Self {
        let mut values = Self {
            flow,
            given: BTreeMap::new(),
            pushed: BTreeMap::new(),
            fields: BTreeMap::new(),
            beside: BTreeMap::new(),
            opaque: BTreeSet::new(),
            touched: Touched::default(),
            imports: &[],
            known: RefCell::default(),
            search: Search::default(),
        };
        let params = flow.params.iter().flat_map(|param| &param.vars);
        values.opaque.extend(params.copied());
        for block in &flow.blocks {
            values.imports = &block.imports;
            for step in &block.steps {
                values.step(step);
            }
            values.terminator(&block.terminator);
        }
        for reborrow in &flow.reborrows {
            values.touched.visit_expr(&reborrow.init);
            values.touched.visit_pat(&reborrow.pat);
        }
        values
    }

    fn step(&mut self, step: &'f Step) {
        let facts = step.facts();
        let code = step.code();
        self.jumps(code, facts);
        self.changed_in(code, facts);
        code.walk(&mut self.touched);
        self.assignments(code, facts);
        let declared = match step {
            Step::Define(var, value, _) => vec![(*var, Some((&**value, None)))],
            Step::Code(stmt, _) => match &**stmt {
                Stmt::Local(local) => self.declared(local, facts),
                _ => Vec::new(),
            },
        };
        let seen = declared.iter().map(|(var, _)| *var).collect();
        self.opaque.extend(facts.defs.difference(&seen));
        for (var, given) in declared {
            if let Some((value, pat)) = given {
                self.give(var, value, pat, facts);
            }
        }
    }

    /// Notes that a variable is given a value, or what a pattern binds of it.
    fn give(&mut self, var: VarId, value: &'f Expr, pat: Option<&'f Pat>, facts: &'f Facts) {
        let name = &self.flow.var(var).ident;
        self.given.entry(var).or_default().push(Given {
            value,
            bound: pat.map(|pat| (pat, name)),
            facts,
            code: Code::Value(value),
            imports: self.imports,
        });
    }

    /// The values of jumps, where all go to one place: else it is not to be seen which goes where.
    fn jumps(&mut self, code: Code<'f>, facts: &'f Facts) {
        let results = facts.jumps.iter().filter_map(|jump| jump.result);
        let results: BTreeSet<_> = results.collect();
        let Some(result) = results.first() else {
            return;
        };
        let mut left = Left::default();
        code.walk(&mut left);
        if left.by_try || results.len() > 1 {
            self.opaque.extend(results);
            return;
        }
        let given = left.values.into_iter().map(|value| Given {
            value,
            bound: None,
            facts,
            code,
            imports: self.imports,
        });
        self.given.entry(*result).or_default().extend(given);
    }

    /// What a `let` gives each variable that it declares.
    fn declared(&self, local: &'f syn::Local, facts: &Facts) -> Vec<(VarId, Option<Bound<'f>>)> {
        let value = local.init.as_ref().map(|init| &*init.expr);
        let pat = match &local.pat {
            Pat::Type(typed) => &*typed.pat,
            pat => pat,
        };
        let whole = name(pat).is_some();
        let bound = self.bound_by(pat, facts).into_iter();
        let bound = bound.map(|var| (var, value.map(|value| (value, (!whole).then_some(pat)))));
        bound.collect()
    }

    /// The variables that a pattern binds.
    fn bound_by(&self, pat: &Pat, facts: &Facts) -> Vec<VarId> {
        let names = pattern_bindings(pat).flat_map(|name| {
            let defs = facts.defs.iter();
            defs.filter(move |var| self.flow.var(**var).ident == name.ident)
        });
        names.copied().collect()
    }

    /// The assignments in a piece of code.
    fn assignments(&mut self, code: Code<'f>, facts: &'f Facts) {
        let assigned = code.assigned();
        let nothing = assigned.items.is_empty() && assigned.fields.is_empty();
        if facts.assigns.is_empty() && nothing {
            return;
        }
        let bound = code.bound();
        for var in facts.reads.union(&facts.assigns) {
            let name = &self.flow.var(*var).ident;
            let its = assigned.fields.iter();
            let its = its.filter(|given| self.flow.goes_by(*var, given.of.to_string()));
            for field in its {
                let given = Given {
                    value: field.value,
                    bound: None,
                    facts,
                    code,
                    imports: self.imports,
                };
                if bound.contains(&name.to_string()) {
                    self.opaque.insert(*var);
                }
                let key = (*var, field.field.clone());
                self.fields
                    .entry(key)
                    .or_default()
                    .push((given, field.is_item));
            }
        }
        let of_var = |all: &[(&Ident, &'f Expr)], var: VarId| -> Vec<_> {
            let its = all.iter();
            let its = its.filter(|(assigned, _)| self.flow.goes_by(var, assigned.to_string()));
            let given = its.map(|(_, value)| Given {
                value,
                bound: None,
                facts,
                code,
                imports: self.imports,
            });
            given.collect()
        };
        for var in &facts.assigns {
            let name = &self.flow.var(*var).ident;
            let given = of_var(&assigned.values, *var);
            if given.is_empty() || bound.contains(&name.to_string()) {
                self.opaque.insert(*var);
            }
            self.given.entry(*var).or_default().extend(given);
        }
        // What is assigned before something is put in it there is not read.
        let both = facts.reads.union(&facts.assigns);
        for var in both.filter(|_| !assigned.items.is_empty()) {
            let name = &self.flow.var(*var).ident;
            let given = of_var(&assigned.items, *var);
            if !given.is_empty() && bound.contains(&name.to_string()) {
                self.opaque.insert(*var);
            }
            self.pushed.entry(*var).or_default().extend(given);
        }
    }

    fn terminator(&mut self, terminator: &'f Terminator) {
        let all: Vec<_> = terminator.facts().into_iter().collect();
        for expr in terminator.exprs_and_guards() {
            self.touched.visit_expr(expr);
            for facts in &all {
                self.changed_in(Code::Value(expr), facts);
            }
            // What is put in a list there, is not looked at.
            let assigned = Code::Value(expr).assigned();
            if !assigned.items.is_empty() || !assigned.fields.is_empty() {
                let of_arms = terminator.arms().iter().map(|(_, facts, _)| facts);
                let read = all.iter().copied().chain(of_arms);
                self.opaque.extend(read.flat_map(|facts| &facts.reads));
            }
        }
        let mut seen = Vec::new();
        match terminator {
            Terminator::Match {
                scrutinee,
                facts: read,
                arms,
                ..
            } => {
                for (pat, facts, _) in arms {
                    self.touched.visit_pat(pat);
                    let bound = self.bound_by(pat, facts);
                    self.opaque
                        .extend(facts.defs.iter().filter(|var| !bound.contains(var)));
                    for var in bound {
                        self.give(var, scrutinee, Some(pat), read);
                    }
                    self.opaque.extend(&facts.assigns);
                }
            }
            Terminator::If { cond, facts, .. } => {
                if let Expr::Let(binding) = strip_parentheses(cond) {
                    seen = self.bound_by(&binding.pat, facts);
                    for var in &seen {
                        self.give(*var, &binding.expr, Some(&binding.pat), facts);
                    }
                }
            }
            Terminator::Ask { answer, .. } => self.opaque.extend([*answer]),
            Terminator::Call { results, .. } => self.opaque.extend(results),
            Terminator::Goto(_) | Terminator::End => {}
        }
        for facts in all {
            let defs = facts.defs.iter().filter(|var| !seen.contains(var));
            self.opaque.extend(defs.chain(&facts.assigns));
            let results = facts.jumps.iter().filter_map(|jump| jump.result);
            self.opaque.extend(results);
        }
    }

    fn of_var(&self, var: VarId, depth: usize) -> Option<Part> {
        if self.opaque.contains(&var) || self.touched.is_called(&self.flow.var(var).ident) {
            return None;
        }
        if let Some(known) = self.known.borrow().get(&var) {
            return known.clone();
        }
        self.search.looks.set(self.search.looks.get() + 1);
        // Of what it is itself a part, it is none.
        if self.search.looks.get() > MOST_LOOKS || !self.search.open.borrow_mut().insert(var) {
            self.search.met.set(true);
            return None;
        }
        let made = self.made_of(var, depth);
        let mut open = self.search.open.borrow_mut();
        open.remove(&var);
        if open.is_empty() {
            self.search.met.set(false);
        }
        if !self.search.met.get() {
            self.known.borrow_mut().insert(var, made.clone());
        }
        made
    }

    fn made_of(&self, var: VarId, depth: usize) -> Option<Part> {
        let all = |given: &BTreeMap<VarId, Vec<Given<'_>>>| {
            let given = given.get(&var).into_iter().flatten();
            given
                .map(|given| self.of_given(given, self.flow.var(var).ty.as_ref(), depth))
                .reduce(Part::or)
        };
        let name = &self.flow.var(var).ident;
        let hidden = alias(name, var);
        let changes = self.flow.var(var).mutable;
        let made = match all(&self.given)? {
            list @ Part::List(_) => {
                let pushed = all(&self.pushed).map(Box::new);
                let list = list.or(Part::List(pushed));
                let has_item = self.touched.has_item(name) || self.touched.has_item(&hidden);
                match changes && has_item {
                    true => list.into_struct(name.span()),
                    false => Some(list),
                }
            }
            made if changes => {
                let made = made.with_given(|field| self.of_field(var, field, depth));
                let change = match self.touched.change(&hidden) {
                    Change::Nowhere => self.touched.change(name),
                    _ => Change::Anywhere,
                };
                match change {
                    // It may be another variant by then, or have another one in it.
                    Change::Anywhere => made.into_struct(name.span()),
                    Change::In(fields) => Some(made.with_changed(fields, name.span())),
                    Change::Nowhere => Some(made),
                }
            }
            made => Some(made),
        };
        made.filter(|made| !matches!(made, Part::Whole(_)))
    }

    /// What a field of it is given later.
    fn of_field(&self, var: VarId, field: &str, depth: usize) -> Option<Part> {
        let given = self.fields.get(&(var, field.to_owned()));
        let all = given.into_iter().flatten();
        let all = all.map(|(given, is_item)| match self.of_given(given, None, depth) {
            item if *is_item => Part::List(Some(Box::new(item))),
            value => value,
        });
        all.reduce(Part::or)
    }

    fn of_given(&self, given: &Given<'_>, ty: Option<&syn::Type>, depth: usize) -> Part {
        let collected = match strip_parentheses(given.value) {
            Expr::MethodCall(call) if call.method == "collect" && ty.is_some_and(is_list) => {
                self.collected(&call.receiver, given, depth)
            }
            _ => None,
        };
        let mut made = collected.unwrap_or_else(|| self.of_expr(given.value, given, depth));
        let mut imports = given.imports.iter().map(|id| &self.flow.imports[id.0]);
        if may_be_imported(&mut imports, &made) {
            made = Part::Whole(given.value.span());
        }
        match given.bound {
            None => made,
            Some((pat, name)) => {
                bound_in(&made, pat, name).unwrap_or_else(|| Part::Whole(name.span()))
            }
        }
    }

    fn of_block(&self, block: &syn::Block, given: &Given<'_>, depth: usize) -> Option<Part> {
        match block.stmts.last() {
            _ if block_diverges(block) => None,
            // Its names are not there behind the blocks.
            _ if names_something(block) => Some(Part::Whole(block.span())),
            Some(Stmt::Expr(tail, None)) => Some(self.of_expr(tail, given, depth)),
            _ => Some(Part::Whole(block.span())),
        }
    }

    fn of_expr(&self, expr: &Expr, given: &Given<'_>, depth: usize) -> Part {
        let whole = Part::Whole(expr.span());
        if depth > DEEPEST {
            return whole;
        }
        if let Some(place) = self.place(expr, given) {
            return place;
        }
        let parts = |parts: &mut dyn Iterator<Item = &Expr>| {
            let parts = parts.map(|part| self.part(part, given, depth));
            parts.collect::<Vec<_>>()
        };
        match strip_parentheses(expr) {
            Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_)) => Part::Text(expr.span()),
            Expr::Block(block) if block.label.is_none() => {
                self.of_block(&block.block, given, depth).unwrap_or(whole)
            }
            Expr::If(conditional) => self.of_branches(conditional, given, depth).unwrap_or(whole),
            Expr::Match(matched) => self.of_arms(matched, given, depth).unwrap_or(whole),
            Expr::Struct(literal) if literal.qself.is_none() => {
                let rest = match &literal.rest {
                    Some(rest) => self
                        .of_expr(rest, given, depth + 1)
                        .into_fields_of(&literal.path),
                    None => Some(Vec::new()),
                };
                let Some(rest) = rest else { return whole };
                let fields = literal.fields.iter();
                let fields = fields.map(|field| {
                    let part = self.part(&field.expr, given, depth);
                    (field.member.clone(), part)
                });
                let mut fields: Vec<_> = fields.collect();
                let said = |member: &syn::Member| fields.iter().any(|(known, _)| known == member);
                let rest = rest.into_iter().filter(|(member, _)| !said(member));
                let rest: Vec<_> = rest.collect();
                fields.extend(rest);
                // In another order it is the same.
                fields.sort_by_key(|(member, _)| member.to_token_stream().to_string());
                one(Some(&literal.path), Fields::Named(fields))
            }
            Expr::Call(call) if makes_list(&call.func) => Part::List(None),
            Expr::Call(call) => {
                if let Some(from) = made_from(call) {
                    let item = self.of_expr(from, given, depth + 1).item();
                    return item.map_or(whole, |item| Part::List(Some(Box::new(item))));
                }
                if let Some(taken) = self.taken(call, given, depth) {
                    return taken;
                }
                if let Some(items) = listed(call) {
                    let items = parts(&mut items.elems.iter()).into_iter();
                    return Part::List(items.reduce(Part::or).map(Box::new));
                }
                match &*call.func {
                    Expr::Path(path)
                        if path.qself.is_none()
                            && is_constructor(&call.func)
                            && !call.args.is_empty() =>
                    {
                        one(
                            Some(&path.path),
                            Fields::Unnamed(parts(&mut call.args.iter())),
                        )
                    }
                    _ => whole,
                }
            }
            Expr::Macro(invocation) if invocation.mac.path.is_ident("vec") => {
                // `vec![value; count]` is none of these.
                let items = arguments(&invocation.mac);
                let items = items.map(|items| {
                    let items = items
                        .iter()
                        .map(|item| self.part(&item.value, given, depth));
                    Part::List(items.reduce(Part::or).map(Box::new))
                });
                items.unwrap_or(whole)
            }
            Expr::Tuple(tuple) if !tuple.elems.is_empty() => {
                one(None, Fields::Unnamed(parts(&mut tuple.elems.iter())))
            }
            Expr::Array(array) => one(None, Fields::Items(parts(&mut array.elems.iter()))),
            Expr::Path(path) => {
                let variable = || {
                    let name = path.path.get_ident()?;
                    self.variable(name, given)
                };
                match given.binder(path) {
                    Some(Binder::Let(made)) => self.of_expr(made, given, depth + 1),
                    Some(Binder::Pattern(..) | Binder::Other) => whole,
                    None if path.qself.is_some() => whole,
                    None => match variable() {
                        Some(var) => self.of_var(var, depth + 1).unwrap_or(whole),
                        None if is_unit(&path.path) => {
                            one(Some(&path.path), Fields::Named(Vec::new()))
                        }
                        None => whole,
                    },
                }
            }
            Expr::MethodCall(call) => self.of_call(call, given, depth).unwrap_or(whole),
            Expr::Field(field) if matches!(strip_parentheses(&field.base), Expr::Path(_)) => {
                let of = self.of_expr(&field.base, given, depth + 1);
                of.field(&field.member).unwrap_or(whole)
            }
            _ => whole,
        }
    }

    /// A part of a literal: what has nothing of the author's in it is stored whole.
    fn part(&self, expr: &Expr, given: &Given<'_>, depth: usize) -> Part {
        let part = self.of_expr(expr, given, depth + 1);
        match part {
            Part::Text(_) | Part::List(None) | Part::Place(_) => part,
            // Where the literal stands, the type may say `'static`.
            Part::List(Some(ref item)) if matches!(**item, Part::Text(_)) => part,
            _ if part.is_own() || part.is_none() => part,
            _ => Part::Whole(expr.span()),
        }
    }

    /// The variable that a name means.
    fn variable(&self, name: &Ident, given: &Given<'_>) -> Option<VarId> {
        let mut read = given.facts.reads.iter();
        let var = read.find(|var| self.flow.goes_by(**var, name.to_string()))?;
        // All of the code is looked at: not for each path in it.
        (!given.code.bound().contains(&name.to_string())).then_some(*var)
    }
}

fn one(path: Option<&syn::Path>, fields: Fields) -> Part {
    Part::OneOf(vec![Aggregate {
        path: path.cloned(),
        fields,
    }])
}

/// Whether a path is written as those of unit structs and variants are, and not as constants and functions: `Plan::Quick`.
pub(crate) fn is_unit(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|last| last.ident.to_string());
    let is_generic = path
        .segments
        .iter()
        .any(|segment| !segment.arguments.is_empty());
    last.is_some_and(|last| {
        let is_camel = last.contains(char::is_lowercase) && !last.contains('_');
        last.starts_with(char::is_uppercase) && (is_camel || is_letter(path))
    }) && !is_generic
}
