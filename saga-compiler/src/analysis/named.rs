//! Which places stand beside a variable where it gets a value: of those it may refer to something.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Expr, Pat, Token, punctuated::Punctuated, visit::Visit};

use crate::{
    ast::{
        calls::strip_parentheses,
        macros::arguments,
        patterns::pattern_bindings,
        uses::{root, root_name},
    },
    cfg::{Facts, Flow, VarId},
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

/// A place that stands beside a variable.
pub(super) struct Beside {
    pub(super) base: Base,
    pub(super) place: Expr,
    /// It is lent, or what is called on it is known only to look at it; another method may give anything.
    pub(super) is_lent: bool,
}

/// By the variable that gets a value.
#[derive(Default)]
pub(crate) struct Named {
    beside: BTreeMap<VarId, Vec<Beside>>,
    /// What the function is left with is made of these.
    pub(super) returned: BTreeSet<VarId>,
}

impl Named {
    /// The places beside a variable.
    pub(super) fn beside(&self, var: VarId) -> impl Iterator<Item = &Beside> {
        self.beside.get(&var).into_iter().flatten()
    }

    /// The same, and those beside what these are in.
    pub(super) fn all_beside(&self, var: VarId) -> impl Iterator<Item = &Beside> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::from([var]);
        let mut open = vec![var];
        while let Some(next) = open.pop() {
            for beside in self.beside(next) {
                let base = beside.base.var();
                open.extend(base.filter(|base| seen.insert(*base)));
                found.push(beside);
            }
        }
        found.into_iter()
    }

    /// The variables that stand beside others.
    pub(super) fn bases(&self) -> impl Iterator<Item = VarId> {
        let all = self.beside.values().flatten();
        all.filter_map(|beside| beside.base.var())
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
            (!place.may_change || !base.var().is_some_and(changes)).then(|| Beside {
                base,
                place: place.place.clone(),
                is_lent: !place.may_change,
            })
        };
        let mut listed = Listed(Vec::new());
        exprs.iter().for_each(|expr| listed.visit_expr(expr));
        let mut places = Places::default();
        exprs.iter().for_each(|expr| places.value(expr));
        listed.0.iter().for_each(|expr| places.value(expr));
        for place in places.found {
            for var in made {
                let places = self.beside.entry(*var).or_default();
                places.extend(lent(&place));
            }
        }
        for (list, place) in places.given {
            if let Some(Base::Var(list)) = read(list)
                && !is_closed(flow, list)
            {
                let places = self.beside.entry(list).or_default();
                places.extend(lent(&place));
            }
        }
        let returned = places.returned.iter().filter_map(|place| read(place.place));
        self.returned.extend(returned.filter_map(Base::var));
    }
}

/// What stands beside the variables of a function.
pub(crate) fn named(flow: &Flow) -> Named {
    let mut named = Named::default();
    for block in &flow.blocks {
        for step in &block.steps {
            let facts = step.facts();
            let made = facts.made();
            named.note(flow, &made, facts, &step.code().exprs());
        }
        let Some(facts) = block.terminator.facts() else {
            continue;
        };
        let made = block.terminator.made();
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

/// Whether nothing of the function's own can be put in a variable: it is a parameter, a shared reference to what has no reference
/// in it, as far as its type is written out.
///
/// ```text
/// async fn tool(cx: Context, log: &Log) -> … { …; log.note(&text); … }
/// ```
fn is_closed(flow: &Flow, var: VarId) -> bool {
    struct Lends(bool);
    impl<'ast> Visit<'ast> for Lends {
        fn visit_type_reference(&mut self, _: &'ast syn::TypeReference) {
            self.0 = true;
        }

        fn visit_lifetime(&mut self, _: &'ast syn::Lifetime) {
            self.0 = true;
        }
    }
    let mut params = flow.params.iter();
    params.any(|param| match &param.ty {
        syn::Type::Reference(lent) if lent.mutability.is_none() && param.vars.contains(&var) => {
            let mut lends = Lends(false);
            lends.visit_type(&lent.elem);
            !lends.0
        }
        _ => false,
    })
}

/// What is listed in a `vec!`.
struct Listed(Vec<Expr>);

impl<'e> Visit<'e> for Listed {
    fn visit_macro(&mut self, invocation: &'e syn::Macro) {
        if invocation.path.is_ident("vec") {
            let items = arguments(invocation).into_iter().flatten();
            self.0.extend(items.map(|item| item.value));
        }
    }

    // What is bound there is not known here.
    fn visit_expr_closure(&mut self, _: &'e syn::ExprClosure) {}

    fn visit_arm(&mut self, _: &'e syn::Arm) {}

    fn visit_block(&mut self, _: &'e syn::Block) {}

    fn visit_item(&mut self, _: &'e syn::Item) {}
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
    /// Those that what a method is called on, or what a call is lent to change, may refer to behind it.
    given: Vec<(&'e Expr, Place<'e>)>,
    /// Those that the function is left with.
    returned: Vec<Place<'e>>,
    /// Names that patterns around it bind: they are no variables of the function.
    bound: Vec<String>,
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
        let name = root_name(place);
        if !name.is_some_and(|name| self.bound.contains(&name)) {
            self.found.push(named);
        }
        if let Expr::Index(index) = place {
            self.visit_expr(&index.index);
        }
    }

    /// What a call is given, and may put in what it is lent, or is called on.
    fn arguments(&mut self, args: &'e Punctuated<Expr, Token![,]>, receiver: Option<&'e Expr>) {
        let known = self.found.len();
        args.iter().for_each(|given| self.value(given));
        let lent = args.iter().filter_map(|given| match given {
            Expr::Reference(lent) if lent.mutability.is_some() => Some(&*lent.expr),
            _ => None,
        });
        for list in receiver.into_iter().chain(lent) {
            if matches!(list, Expr::Path(_)) {
                let given = self.found.iter().skip(known);
                let given = given.filter(|given| !std::ptr::eq(given.place, list));
                self.given.extend(given.map(|place| (list, *place)));
            }
        }
    }

    /// What is in a piece of code in which a pattern binds names.
    fn within(&mut self, pats: impl Iterator<Item = &'e Pat>, visit: impl FnOnce(&mut Self)) {
        let known = self.bound.len();
        for pat in pats {
            let names = pattern_bindings(pat).map(|binding| binding.ident.to_string());
            self.bound.extend(names);
        }
        visit(self);
        self.bound.truncate(known);
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
                self.arguments(&call.args, Some(&call.receiver));
                let looks = LOOKS.iter().any(|name| call.method == name);
                self.place(&call.receiver, !looks);
            }
            Expr::Call(call) => self.arguments(&call.args, None),
            Expr::Return(returned) => {
                let known = self.found.len();
                returned.expr.iter().for_each(|value| self.value(value));
                self.returned.extend(self.found.drain(known..));
            }
            // What decides about a value is not in it.
            Expr::If(chosen) => {
                let binding = match &*chosen.cond {
                    Expr::Let(binding) => Some(binding),
                    _ => None,
                };
                binding.into_iter().for_each(|of| self.visit_expr(&of.expr));
                let pats = binding.into_iter().map(|binding| &*binding.pat);
                self.within(pats, |within| within.visit_block(&chosen.then_branch));
                let otherwise = chosen.else_branch.iter();
                otherwise.for_each(|(_, otherwise)| self.visit_expr(otherwise));
            }
            Expr::Closure(closure) => {
                self.within(closure.inputs.iter(), |within| within.value(&closure.body));
            }
            Expr::ForLoop(looped) => {
                self.visit_expr(&looped.expr);
                let pat = std::iter::once(&*looped.pat);
                self.within(pat, |within| within.visit_block(&looped.body));
            }
            Expr::While(looped) => {
                let known = self.bound.len();
                self.visit_expr(&looped.cond);
                self.visit_block(&looped.body);
                self.bound.truncate(known);
            }
            // Up to the end of what it stands in.
            Expr::Let(binding) => {
                self.visit_expr(&binding.expr);
                let names = pattern_bindings(&binding.pat);
                self.bound
                    .extend(names.map(|binding| binding.ident.to_string()));
            }
            _ => syn::visit::visit_expr(self, expr),
        }
    }

    fn visit_arm(&mut self, arm: &'e syn::Arm) {
        self.within(std::iter::once(&arm.pat), |within| within.value(&arm.body));
    }

    fn visit_block(&mut self, block: &'e syn::Block) {
        let known = self.bound.len();
        syn::visit::visit_block(self, block);
        self.bound.truncate(known);
    }

    fn visit_local(&mut self, local: &'e syn::Local) {
        syn::visit::visit_local(self, local);
        let names = pattern_bindings(&local.pat).map(|binding| binding.ident.to_string());
        self.bound.extend(names);
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
