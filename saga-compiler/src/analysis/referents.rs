//! Places of a block's own that a variable may refer to something in: where both are carried on, what it refers to is found there
//! again, as far as types say that it can be.
//!
//! ```text
//! let best = hosts.iter().max_by_key(..); ask; …      let host = pick(&hosts, &spare); ask; …
//! ```
//!
//! Whether a value is one of its own is told by its text only to spare rustc the question.

use std::collections::{BTreeMap, BTreeSet};

use quote::ToTokens;
use syn::{Expr, Type, visit::Visit};

use super::borrowers::Lent;
use crate::{
    ast::{
        calls::strip_parentheses,
        touched::Code,
        uses::{root, root_name},
    },
    cfg::{Facts, Flow, Step, Terminator, VarId, persistence::Persistence},
};

/// A place in a variable.
pub(crate) struct Referent {
    pub(crate) base: VarId,
    pub(crate) place: Expr,
}

/// How many are tried for one variable: more are named where a value is made of much.
const MOST: usize = 4;

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

/// The places of each variable that may refer to something in one.
pub(crate) fn referents(
    flow: &Flow,
    lent: &Lent,
    moving: &BTreeSet<VarId>,
) -> BTreeMap<VarId, Vec<Referent>> {
    let direct = named(flow);
    let order = lent.borrowers_first(&involved(moving, &direct));
    let at = |var: VarId| order.iter().position(|known| *known == var);
    let is_before = |var: VarId, base: VarId| at(var) < at(base);
    let is_base = |var: VarId| moving.contains(&var) && is_by_type(flow, var);
    let refers = moving.iter().copied().filter(|var| {
        let hints = flow.var(*var).persistence.hints();
        let is_open = hints.is_some_and(|hints| !hints.given && hints.rematerialized.is_none());
        is_open && lent.contains(*var) && !is_owned(flow.var(*var).ty.as_ref())
    });
    let all = refers.map(|var| {
        let mut places: Vec<Referent> = Vec::new();
        let mut seen = BTreeSet::from([var]);
        let mut open = vec![var];
        while let Some(next) = open.pop() {
            for (base, place) in direct.get(&next).into_iter().flatten() {
                let is_new = !places.iter().any(|known| is_same(&known.place, place));
                if is_before(var, *base) && is_new && is_base(*base) && places.len() < MOST {
                    places.push(Referent {
                        base: *base,
                        place: place.clone(),
                    });
                }
                if seen.insert(*base) {
                    open.push(*base);
                }
            }
        }
        (var, places)
    });
    all.filter(|(_, places)| !places.is_empty()).collect()
}

/// Those beside which a place stands, and those that have one.
fn involved(
    moving: &BTreeSet<VarId>,
    direct: &BTreeMap<VarId, Vec<(VarId, Expr)>>,
) -> BTreeSet<VarId> {
    let all = direct.iter().flat_map(|(var, places)| {
        let bases = places.iter().map(|(base, _)| *base);
        bases.chain([*var])
    });
    all.filter(|var| moving.contains(var)).collect()
}

fn is_same(one: &Expr, other: &Expr) -> bool {
    one.to_token_stream().to_string() == other.to_token_stream().to_string()
}

fn is_by_type(flow: &Flow, var: VarId) -> bool {
    let persistence = &flow.var(var).persistence;
    let hints = persistence.hints();
    matches!(persistence, Persistence::Spilled(_)) && hints.is_some_and(|hints| !hints.given)
}

/// A type without references, as it is written.
fn is_owned(ty: Option<&Type>) -> bool {
    ty.is_some_and(|ty| {
        let text = ty.to_token_stream().to_string();
        !text.contains(['&', '\'']) && !text.contains('_')
    })
}

/// The places that stand beside each variable where it gets a value.
fn named(flow: &Flow) -> BTreeMap<VarId, Vec<(VarId, Expr)>> {
    let mut found: BTreeMap<VarId, Vec<(VarId, Expr)>> = BTreeMap::new();
    let mut note = |made: BTreeSet<VarId>, facts: &Facts, exprs: &[&Expr]| {
        let read = |place: &Expr| {
            let name = root_name(place)?;
            let mut reads = facts.reads.iter();
            reads.find(|var| flow.var(**var).ident == name).copied()
        };
        let mut places = Places::default();
        exprs.iter().for_each(|expr| places.value(expr));
        for place in places.found {
            let Some(base) = read(place) else { continue };
            for var in &made {
                found.entry(*var).or_default().push((base, place.clone()));
            }
        }
        for (list, place) in places.given {
            if let (Some(list), Some(base)) = (read(list), read(place)) {
                found.entry(list).or_default().push((base, place.clone()));
            }
        }
    };
    for block in &flow.blocks {
        for step in &block.steps {
            let facts = step.facts();
            let made = made(facts);
            match step {
                Step::Define(_, value, _) => note(made, facts, &[value]),
                Step::Code(stmt, _) => note(made, facts, &Code::Stmt(stmt).exprs()),
            }
        }
        let Some(facts) = block.terminator.facts() else {
            continue;
        };
        let mut made = made(facts);
        if let Terminator::Match { arms, .. } = &block.terminator {
            made.extend(arms.iter().flat_map(|(_, bound, _)| &bound.defs));
        }
        note(made, facts, &block.terminator.exprs());
    }
    found
}

fn made(facts: &Facts) -> BTreeSet<VarId> {
    let results = facts.jumps.iter().filter_map(|jump| jump.result);
    let made = facts.defs.iter().chain(&facts.assigns).copied();
    made.chain(results).collect()
}

/// Places in an expression.
#[derive(Default)]
struct Places<'e> {
    /// Those that its value may refer to.
    found: Vec<&'e Expr>,
    /// Those that what a method is called on may refer to behind it.
    given: Vec<(&'e Expr, &'e Expr)>,
}

impl<'e> Places<'e> {
    fn value(&mut self, expr: &'e Expr) {
        match strip_parentheses(expr) {
            Expr::Lit(_) | Expr::Macro(_) | Expr::Binary(_) | Expr::Cast(_) => {}
            Expr::MethodCall(call) if OWNED.iter().any(|name| call.method == name) => {}
            other => self.visit_expr(other),
        }
    }
}

impl<'e> Visit<'e> for Places<'e> {
    fn visit_expr(&mut self, expr: &'e Expr) {
        match expr {
            Expr::Path(_) | Expr::Field(_) | Expr::Index(_) if root_name(expr).is_some() => {
                self.found.push(whole(expr));
                if let Expr::Index(index) = expr {
                    self.visit_expr(&index.index);
                }
            }
            // `picked.push(host)`
            Expr::MethodCall(call) if matches!(&*call.receiver, Expr::Path(_)) => {
                let known = self.found.len();
                call.args.iter().for_each(|given| self.value(given));
                let given = self.found.iter().skip(known);
                self.given
                    .extend(given.map(|place| (&*call.receiver, *place)));
                self.visit_expr(&call.receiver);
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
        matches!(expr, Expr::Path(_))
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
