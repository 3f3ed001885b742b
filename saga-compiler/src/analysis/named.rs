//! Which places stand beside a variable where it gets a value: of those it may refer to something.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Expr, visit::Visit};

use crate::{
    ast::{
        calls::strip_parentheses,
        touched::Code,
        uses::{root, root_name},
    },
    cfg::{Facts, Flow, Step, Terminator, VarId},
};

/// What a place is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    Var(VarId),
    Receiver,
    /// A literal, or a constant.
    Fixed,
}

impl Base {
    pub(super) fn var(self) -> Option<VarId> {
        match self {
            Self::Var(var) => Some(var),
            Self::Receiver | Self::Fixed => None,
        }
    }
}

/// By the variable that gets a value.
#[derive(Default)]
pub(super) struct Named {
    beside: BTreeMap<VarId, Vec<(Base, Expr)>>,
    /// What the function is left with is made of these.
    pub(super) returned: BTreeSet<VarId>,
}

impl Named {
    /// The places beside a variable.
    pub(super) fn beside(&self, var: VarId) -> impl Iterator<Item = &(Base, Expr)> {
        self.beside.get(&var).into_iter().flatten()
    }

    /// The variables that stand beside others.
    pub(super) fn bases(&self) -> impl Iterator<Item = VarId> {
        let all = self.beside.values().flatten();
        all.filter_map(|(base, _)| base.var())
    }

    /// What stands in code that does this, and gives these variables a value.
    fn note(&mut self, flow: &Flow, made: &BTreeSet<VarId>, facts: &Facts, exprs: &[&Expr]) {
        let read = |place: &Expr| {
            if is_fixed(place) {
                return Some(Base::Fixed);
            }
            let name = root_name(place)?;
            if name == "self" {
                return facts.of_self.then_some(Base::Receiver);
            }
            let mut reads = facts.reads.iter();
            let var = reads.find(|var| flow.var(**var).ident == name)?;
            Some(Base::Var(*var))
        };
        // What is lent to be changed cannot be looked at.
        let lent = |place: &Place<'_>| {
            let base = read(place.place)?;
            let changes = |var: VarId| flow.var(var).mutable;
            (!place.may_change || !base.var().is_some_and(changes)).then_some(base)
        };
        let mut places = Places::default();
        exprs.iter().for_each(|expr| places.value(expr));
        for place in places.found {
            let Some(base) = lent(&place) else { continue };
            for var in made {
                let places = self.beside.entry(*var).or_default();
                places.push((base, place.place.clone()));
            }
        }
        for (list, place) in places.given {
            if let (Some(Base::Var(list)), Some(base)) = (read(list), lent(&place)) {
                let places = self.beside.entry(list).or_default();
                places.push((base, place.place.clone()));
            }
        }
        let returned = places.returned.iter().filter_map(|place| read(place.place));
        self.returned.extend(returned.filter_map(Base::var));
    }
}

/// What stands beside the variables of a function.
pub(super) fn named(flow: &Flow) -> Named {
    let mut named = Named::default();
    for block in &flow.blocks {
        for step in &block.steps {
            let facts = step.facts();
            let made = made(facts);
            match step {
                Step::Define(_, value, _) => named.note(flow, &made, facts, &[value]),
                Step::Code(stmt, _) => named.note(flow, &made, facts, &Code::Stmt(stmt).exprs()),
            }
        }
        let Some(facts) = block.terminator.facts() else {
            continue;
        };
        let mut made = made(facts);
        match &block.terminator {
            Terminator::Match { arms, .. } => {
                made.extend(arms.iter().flat_map(|(_, bound, _)| &bound.defs));
            }
            Terminator::Call { results, .. } => made.extend(results),
            _ => {}
        }
        named.note(flow, &made, facts, &block.terminator.exprs());
    }
    for reborrow in &flow.reborrows {
        let facts = Facts {
            reads: reborrow.deps.iter().copied().collect(),
            of_self: true,
            ..Facts::default()
        };
        let made = reborrow.vars.iter().copied().collect();
        named.note(flow, &made, &facts, &[&reborrow.init]);
    }
    named
}

fn made(facts: &Facts) -> BTreeSet<VarId> {
    let results = facts.jumps.iter().filter_map(|jump| jump.result);
    let made = facts.defs.iter().chain(&facts.assigns).copied();
    made.chain(results).collect()
}

/// Methods that give values of their own.
const OWNED: &[&str] = &[
    "clone",
    "concat",
    "contains",
    "count",
    "format",
    "into",
    "is_empty",
    "is_none",
    "is_some",
    "join",
    "len",
    "parse",
    "sum",
    "to_lowercase",
    "to_owned",
    "to_string",
    "to_uppercase",
];

/// Methods of std's collections that do not change what they are called on.
const LOOKS: &[&str] = &[
    "as_deref",
    "as_ref",
    "as_slice",
    "back",
    "first",
    "front",
    "get",
    "get_key_value",
    "iter",
    "keys",
    "last",
    "range",
    "values",
];

/// A place that is named in an expression.
#[derive(Clone, Copy)]
struct Place<'e> {
    place: &'e Expr,
    /// It may be lent to be changed.
    may_change: bool,
}

/// Places in an expression.
#[derive(Default)]
struct Places<'e> {
    /// Those that its value may refer to.
    found: Vec<Place<'e>>,
    /// Those that what a method is called on may refer to behind it.
    given: Vec<(&'e Expr, Place<'e>)>,
    /// Those that the function is left with.
    returned: Vec<Place<'e>>,
}

impl<'e> Places<'e> {
    fn value(&mut self, expr: &'e Expr) {
        match strip_parentheses(expr) {
            Expr::Macro(_) | Expr::Binary(_) | Expr::Cast(_) => {}
            Expr::MethodCall(call) if OWNED.iter().any(|name| call.method == name) => {}
            other => self.visit_expr(other),
        }
    }

    fn place(&mut self, place: &'e Expr, may_change: bool) {
        let named = Place {
            place: whole(place),
            may_change,
        };
        self.found.push(named);
        if let Expr::Index(index) = place {
            self.visit_expr(&index.index);
        }
    }
}

/// A literal of a text, or what is written like a constant.
fn is_fixed(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(literal) => matches!(literal.lit, syn::Lit::Str(_)),
        Expr::Path(path) => path.path.segments.last().is_some_and(|last| {
            let name = last.ident.to_string();
            name.len() > 1 && !name.contains(char::is_lowercase) && last.arguments.is_none()
        }),
        _ => false,
    }
}

fn is_place(expr: &Expr) -> bool {
    let is_place = matches!(expr, Expr::Path(_) | Expr::Field(_) | Expr::Index(_));
    is_place && root_name(expr).is_some()
}

impl<'e> Visit<'e> for Places<'e> {
    fn visit_expr(&mut self, expr: &'e Expr) {
        match expr {
            place if is_place(place) || is_fixed(place) => self.place(place, false),
            Expr::Reference(lent) if lent.mutability.is_some() && is_place(&lent.expr) => {
                self.place(&lent.expr, true);
            }
            // `picked.push(host)`
            Expr::MethodCall(call) if is_place(&call.receiver) => {
                let known = self.found.len();
                call.args.iter().for_each(|given| self.value(given));
                if matches!(&*call.receiver, Expr::Path(_)) {
                    let given = self.found.iter().skip(known);
                    self.given
                        .extend(given.map(|place| (&*call.receiver, *place)));
                }
                let looks = LOOKS.iter().any(|name| call.method == name);
                self.place(&call.receiver, !looks);
            }
            Expr::Return(returned) => {
                let known = self.found.len();
                returned.expr.iter().for_each(|value| self.value(value));
                self.returned.extend(self.found.drain(known..));
            }
            // What decides about a value is not in it.
            Expr::If(chosen) => {
                if let Expr::Let(binding) = &*chosen.cond {
                    self.visit_expr(&binding.expr);
                }
                self.visit_block(&chosen.then_branch);
                let otherwise = chosen.else_branch.iter();
                otherwise.for_each(|(_, otherwise)| self.visit_expr(otherwise));
            }
            _ => syn::visit::visit_expr(self, expr),
        }
    }

    fn visit_item(&mut self, _: &'e syn::Item) {}
}

/// What an index is looked up in, or the field of a variable that a place is.
fn whole(place: &Expr) -> &Expr {
    let is_field = |expr: &Expr| {
        let mut expr = expr;
        while let Expr::Field(field) = expr {
            expr = strip_parentheses(&field.base);
        }
        matches!(expr, Expr::Path(_) | Expr::Lit(_))
    };
    let mut place = place;
    while !is_field(place) {
        place = match strip_parentheses(place) {
            Expr::Field(field) => &field.base,
            Expr::Index(index) => &index.expr,
            Expr::Unary(unary) => &unary.expr,
            _ => return root(place),
        };
    }
    place
}
