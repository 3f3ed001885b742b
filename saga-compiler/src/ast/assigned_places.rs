//! Places that are given another value. Where one of them is a reference, what is behind it is another place from then on.

use std::collections::{BTreeSet, HashSet};

use proc_macro2::Ident;
use syn::{Block, Expr, Pat, Stmt, visit::Visit};

use crate::ast::{
    calls::{given_places, listed_under, strip_parentheses},
    macros::{arguments, is_known, takes_format, writes},
    patterns::pattern_bindings,
    tokens::token_names,
    uses::{Uses, binary_assigns, is_by_reference, takes_more},
};

/// Methods that change a collection of std's, and may change another thing where they are somebody else's.
const CHANGES: &[&str] = &["extend", "insert", "push", "push_str"];

/// Methods that look at an option, a result or a map; std's own come before those of a trait.
const LOOKS: &[&str] = &[
    "as_deref",
    "as_ref",
    "contains_key",
    "is_err",
    "is_none",
    "is_ok",
    "is_some",
];

/// A place as it is written: a name, and what is looked at in it. Dereferences are left out, as they are written or not.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Path {
    root: String,
    steps: Vec<String>,
}

impl Path {
    fn of(place: &Expr) -> Option<Self> {
        match strip_parentheses(place) {
            Expr::Path(path) => Some(Self {
                root: path.path.get_ident()?.to_string(),
                steps: Vec::new(),
            }),
            Expr::Field(field) => {
                let member = &field.member;
                Some(Self::of(&field.base)?.then(quote::quote!(#member).to_string()))
            }
            Expr::Index(index) => Some(Self::of(&index.expr)?.then("[]".to_owned())),
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => Self::of(&unary.expr),
            Expr::Reference(reference) => Self::of(&reference.expr),
            _ => None,
        }
    }

    fn then(mut self, step: String) -> Self {
        self.steps.push(step);
        self
    }

    /// Whether the other place is this one, or a part of what is in it or behind it.
    fn holds(&self, other: &Self) -> bool {
        self.root == other.root && other.steps.starts_with(&self.steps)
    }
}

/// What a body gives other values.
#[derive(Debug, Default)]
pub(crate) struct Assigned {
    /// By assignments, `&mut place`, `ref mut`, macros that may do anything, and calls of methods that may be given a
    /// `&mut` of them: `bytes.read_u8()` of a `&[u8]`.
    places: Vec<Path>,
    /// Those of them that are assigned, or lent to be changed, by what is written there.
    assigned: Vec<Path>,
    /// What `iter_mut` and the like are called on: items may have other values.
    stepped: Vec<Path>,
    /// What an operator of its own, and an `as_mut` of its own, may give another value.
    operated: Vec<Path>,
    /// What is given to calls as it is: a `&mut` is lent again.
    given: Vec<Path>,
    /// What a pattern binds of something that may be a `&mut`, and the names that it has then.
    patterns: Vec<(Path, Vec<String>)>,
    /// On which any method is called but `clone`, and what goes by another name from there: it may be changed, or what is in it.
    called: Vec<Path>,
    /// On which a method is called that looks at it, where it is std's.
    looked: Vec<Path>,
}

impl Assigned {
    pub(crate) fn in_block(body: &Block) -> Self {
        let mut assigned = Self::default();
        assigned.visit_block(body);
        assigned
    }

    pub(crate) fn in_stmt(stmt: &Stmt) -> Self {
        let mut assigned = Self::default();
        assigned.visit_stmt(stmt);
        assigned
    }

    pub(crate) fn in_all<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> Self {
        let mut assigned = Self::default();
        exprs.into_iter().for_each(|expr| assigned.visit_expr(expr));
        assigned
    }

    /// Whether what is in a variable, or behind it, may be changed by way of it.
    pub(crate) fn may_write(&self, root: &str) -> bool {
        let mut written = self.changed().chain(self.lent_by_patterns());
        written.any(|one| one.root == root)
    }

    /// Whether it, or what is in it, is changed by what is written there: not by what it is given to.
    pub(crate) fn may_change_in_place(&self, root: &str) -> bool {
        let written = self.places.iter().chain(&self.operated);
        written.chain(&self.stepped).any(|one| one.root == root)
    }

    /// Whether anything is, or may be.
    pub(crate) fn may_replace_any(&self) -> bool {
        !self.places.is_empty() || !self.stepped.is_empty()
    }

    /// What of that which is looked at is given another value. While it is looked at, the borrow checker lets that be only of
    /// a reference on the way to it, and of what was moved.
    pub(crate) fn replaces(&self, looked_at: &LookedAt) -> Option<Replaced<'_>> {
        first_of(self.assigned.iter(), looked_at)
    }

    /// The same of what methods and macros may do that are not known.
    pub(crate) fn may_replace(&self, looked_at: &LookedAt) -> Option<Replaced<'_>> {
        first_of(self.places.iter().chain(&self.stepped), looked_at)
    }

    /// Whether something on the way to a place, or the place itself, may be given another value. What is `lent` may be so by
    /// what it is given to.
    pub(crate) fn may_change(&self, place: &Expr, lent: bool) -> bool {
        // `let Walk { cur, .. } = walk; *cur = other;`
        let is_assigned = |names: &[String]| {
            let mut assigned = self.assigned.iter();
            assigned.any(|one| names.contains(&one.root))
        };
        let bound = self.patterns.iter();
        let bound = bound.filter(|(_, names)| is_assigned(names));
        let bound = bound.map(|(place, _)| place);
        let of_lent = self.given.iter().chain(bound).filter(|_| lent);
        let mut changed = self.places.iter().chain(&self.operated).chain(of_lent);
        Path::of(place).is_some_and(|place| changed.any(|one| one.holds(&place)))
    }

    /// The same of what may be lent, of the items of what is gone through to change them, and of what a pattern takes a `&mut` out of,
    /// which a function or a method may be given.
    ///
    /// ```text
    /// let Walk { cur, .. } = walk; advance(cur);
    /// ```
    pub(crate) fn may_perhaps_change(&self, place: &Expr) -> bool {
        let is_changed = |names: &[String]| {
            // It goes by one more name from there.
            let mut all = self.changed().chain(self.lent_by_patterns());
            all.any(|one| names.contains(&one.root))
        };
        let mut bound = self.patterns.iter();
        self.may_change(place, true)
            || Path::of(place).is_some_and(|place| {
                let mut stepped = self.stepped.iter();
                stepped.any(|one| one.holds(&place))
                    || bound.any(|(one, names)| one.holds(&place) && is_changed(names))
            })
    }

    /// The names that patterns give, somewhere in all of this, to what is on the way to a place.
    pub(crate) fn other_names(&self, place: &Expr) -> HashSet<&str> {
        let mut names: HashSet<&str> = HashSet::new();
        let Some(place) = Path::of(place) else {
            return names;
        };
        loop {
            let known = names.len();
            for (bound, all) in &self.patterns {
                if bound.holds(&place) || names.contains(&*bound.root) {
                    names.extend(all.iter().map(String::as_str));
                }
            }
            if names.len() == known {
                return names;
            }
        }
    }

    /// Whether something may be changed by one of these names.
    pub(crate) fn changes_by(&self, names: &HashSet<&str>) -> bool {
        self.changed().any(|one| names.contains(&*one.root))
    }

    /// What is, or may be, given another value, or changed behind it.
    fn changed(&self) -> impl Iterator<Item = &Path> {
        let written = self.places.iter().chain(&self.operated);
        written.chain(&self.stepped).chain(&self.given)
    }

    /// Whether a place that is lent, or something in it, may be changed in any way. One `of_std` is not by methods that look
    /// at it.
    pub(crate) fn may_touch(&self, place: &Expr, of_std: bool) -> bool {
        let Some(place) = Path::of(place) else {
            return false;
        };
        let looked = self.looked.iter();
        let looked = looked.filter(|one| !of_std || **one != place);
        let touched = self.places.iter().chain(&self.given).chain(&self.called);
        let mut touched = touched
            .chain(&self.operated)
            .chain(self.lent_by_patterns())
            .chain(looked);
        touched.any(|one| one.holds(&place) || place.holds(one))
    }

    fn lent_by_patterns(&self) -> impl Iterator<Item = &Path> {
        self.patterns.iter().map(|(place, _)| place)
    }

    fn add(&mut self, place: &Expr) {
        match strip_parentheses(place) {
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|part| self.add(part)),
            Expr::Array(array) => array.elems.iter().for_each(|part| self.add(part)),
            Expr::Call(call) => call.args.iter().for_each(|part| self.add(part)),
            Expr::Struct(literal) => {
                let fields = literal.fields.iter();
                fields.for_each(|field| self.add(&field.expr));
            }
            other => {
                self.assigned.extend(Path::of(other));
                self.places.extend(Path::of(other));
            }
        }
    }

    /// By another name: `at = cur; *at = other;`
    fn assigned_from(&mut self, left: &Expr, right: &Expr) {
        if let (Expr::Tuple(left), Expr::Tuple(right)) =
            (strip_parentheses(left), strip_parentheses(right))
        {
            let parts = left.elems.iter().zip(&right.elems);
            return parts.for_each(|(left, right)| self.assigned_from(left, right));
        }
        // `*slots.last_mut().unwrap() = cur`
        let names: Vec<_> = named_in(left);
        let mut parts = Vec::new();
        passed_on(right, &mut parts);
        let parts = parts.into_iter().map(|part| (part, names.clone()));
        self.patterns.extend(parts);
    }

    fn bound<'p>(&mut self, pats: impl IntoIterator<Item = &'p Pat>, init: &Expr) {
        for pat in pats {
            if pattern_bindings(pat).any(|binding| binding.lends_to_change()) {
                self.add(init);
            }
            let names = pattern_bindings(pat).map(|binding| binding.ident.to_string());
            let names = names.collect::<Vec<_>>();
            match (Path::of(init), strip_parentheses(init)) {
                (Some(place), _) => self.lent_by(pat, place, &names),
                (None, init) => {
                    let mut parts = Vec::new();
                    passed_on(init, &mut parts);
                    let parts = parts.into_iter().map(|part| (part, names.clone()));
                    self.patterns.extend(parts);
                }
            }
        }
    }

    /// What a pattern binds of a `&mut` is one, and that itself goes by another name.
    fn lent_by(&mut self, pat: &Pat, place: Path, names: &[String]) {
        match pat {
            Pat::Wild(_) | Pat::Rest(_) | Pat::Lit(_) | Pat::Path(_) | Pat::Range(_) => {}
            Pat::Paren(inner) => self.lent_by(&inner.pat, place, names),
            Pat::Type(typed) => self.lent_by(&typed.pat, place, names),
            Pat::Struct(parts) => {
                for part in &parts.fields {
                    let member = &part.member;
                    let place = place.clone().then(quote::quote!(#member).to_string());
                    self.lent_by(&part.pat, place, names);
                }
            }
            _ => self.patterns.push((place, names.to_vec())),
        }
    }

    /// Visits what is not given away where it is a variable.
    fn looked_at(&mut self, expr: &Expr) {
        if !matches!(strip_parentheses(expr), Expr::Path(_)) {
            self.visit_expr(expr);
        }
    }

    fn gives<'e>(&mut self, arguments: impl IntoIterator<Item = &'e Expr>) {
        arguments
            .into_iter()
            .for_each(|argument| passed_on(argument, &mut self.given));
    }
}

fn named_in(place: &Expr) -> Vec<String> {
    let uses = Uses::of_expr(place);
    uses.reads.into_keys().chain(uses.assigns).collect()
}

/// The places that an expression may give away as they are.
fn passed_on(expr: &Expr, places: &mut Vec<Path>) {
    given_places(expr, &mut |place| places.extend(Path::of(place)));
}

impl<'ast> Visit<'ast> for Assigned {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Path(_) => self.called.extend(Path::of(expr)),
            Expr::Assign(assign) => {
                self.add(&assign.left);
                self.assigned_from(&assign.left, &assign.right);
            }
            Expr::Binary(binary) if binary_assigns(&binary.op) => {
                self.operated.extend(Path::of(&binary.left));
            }
            Expr::Reference(reference) if reference.mutability.is_some() => {
                self.add(&reference.expr);
            }
            Expr::Let(binding) => self.bound([&*binding.pat], &binding.expr),
            Expr::Match(matched) => {
                self.bound(matched.arms.iter().map(|arm| &arm.pat), &matched.expr);
            }
            Expr::Call(call) => self.gives(&call.args),
            // A `&mut` by name, of whose items each may have another value.
            Expr::ForLoop(looped) => passed_on(&looped.expr, &mut self.stepped),
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                let looks = LOOKS.contains(&name.as_str()) && !takes_more(call);
                match (looks, name.as_str()) {
                    (_, "clone") => {}
                    (true, _) => self.looked.extend(Path::of(&call.receiver)),
                    (false, _) => self.called.extend(Path::of(&call.receiver)),
                }
                if !is_by_reference(&call.method)
                    || CHANGES.contains(&name.as_str())
                    || takes_more(call)
                {
                    self.places.extend(Path::of(&call.receiver));
                }
                if name.ends_with("_mut") {
                    self.stepped.extend(Path::of(&call.receiver));
                    let as_mut = (name == "as_mut").then(|| Path::of(&call.receiver));
                    self.operated.extend(as_mut.flatten());
                }
                self.gives(&call.args);
                // `[cur, spare].into_iter().for_each(|at| *at = other)`
                if let Some(list) = listed_under(&call.receiver) {
                    passed_on(list, &mut self.stepped);
                }
            }
            _ => {}
        }
        match expr {
            Expr::Field(field) => self.looked_at(&field.base),
            Expr::Index(index) => {
                self.looked_at(&index.expr);
                self.visit_expr(&index.index);
            }
            Expr::Unary(unary) => self.looked_at(&unary.expr),
            Expr::Reference(reference) => self.looked_at(&reference.expr),
            Expr::MethodCall(call) => {
                self.looked_at(&call.receiver);
                call.args
                    .iter()
                    .for_each(|argument| self.visit_expr(argument));
            }
            Expr::Let(binding) => self.looked_at(&binding.expr),
            Expr::Match(matched) => {
                self.looked_at(&matched.expr);
                matched.arms.iter().for_each(|arm| self.visit_arm(arm));
            }
            Expr::Binary(binary) => {
                self.looked_at(&binary.left);
                self.looked_at(&binary.right);
            }
            _ => syn::visit::visit_expr(self, expr),
        }
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.bound([&local.pat], &init.expr);
            self.looked_at(&init.expr);
            if let Some((_, diverges)) = &init.diverge {
                self.visit_expr(diverges);
            }
        }
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        if is_known(invocation) {
            // What it is given is the macro's own copy of it.
            if let Some(arguments) = arguments(invocation) {
                let mut inside = Self::default();
                let written = arguments.first().filter(|_| writes(invocation));
                self.called
                    .extend(written.and_then(|first| Path::of(&first.value)));
                let values = arguments.iter();
                let looks = takes_format(invocation);
                values.for_each(|argument| match looks {
                    true => inside.looked_at(&argument.value),
                    false => inside.visit_expr(&argument.value),
                });
                self.places.append(&mut inside.places);
                self.stepped.append(&mut inside.stepped);
                self.assigned.append(&mut inside.assigned);
                self.given.append(&mut inside.given);
                self.called.append(&mut inside.called);
                self.looked.append(&mut inside.looked);
                self.operated.append(&mut inside.operated);
                self.patterns.append(&mut inside.patterns);
            }
        } else {
            token_names(invocation.tokens.clone(), &mut |name| {
                self.places.push(Path {
                    root: name.to_owned(),
                    steps: Vec::new(),
                });
            });
        }
    }
}

/// A place that is given another value.
pub(crate) struct Replaced<'a>(&'a Path);

impl<'a> Replaced<'a> {
    /// The variable that it is, or is in.
    pub(crate) fn root(&self) -> &'a str {
        &self.0.root
    }

    /// That of a place by way of which it leads.
    pub(crate) fn of<'e>(&self, place: &'e mut Expr) -> Option<&'e mut Expr> {
        if Path::of(place)? == *self.0 && matches!(place, Expr::Path(_) | Expr::Field(_)) {
            return Some(place);
        }
        match place {
            Expr::Paren(paren) => self.of(&mut paren.expr),
            Expr::Group(group) => self.of(&mut group.expr),
            Expr::Field(field) => self.of(&mut field.base),
            Expr::Index(index) => self.of(&mut index.expr),
            Expr::Unary(unary) => self.of(&mut unary.expr),
            _ => None,
        }
    }
}

/// The part of a variable that these fields lead to.
pub(crate) fn part_of(variable: &Ident, way: &[String]) -> Expr {
    let whole: Expr = syn::parse_quote!(#variable);
    way.iter().fold(whole, |part, field| {
        let field: syn::Result<syn::Member> = syn::parse_str(field);
        match field {
            Ok(field) => syn::parse_quote!(#part.#field),
            Err(_) => part,
        }
    })
}

/// The one that is the least far in.
fn first_of<'a>(
    replaced: impl Iterator<Item = &'a Path>,
    looked_at: &LookedAt,
) -> Option<Replaced<'a>> {
    let replaced = replaced.filter(|one| {
        let names = match one.steps.is_empty() {
            true => &looked_at.names,
            false => &looked_at.unknown,
        };
        names.contains(&one.root) || looked_at.places.iter().any(|place| one.holds(place))
    });
    replaced.min_by_key(|one| one.steps.len()).map(Replaced)
}

/// Places that an expression looks at.
#[derive(Debug, Default)]
pub(crate) struct LookedAt {
    places: Vec<Path>,
    names: HashSet<String>,
    /// What macros mention that are not known: it may be anything in it.
    unknown: HashSet<String>,
}

impl LookedAt {
    pub(crate) fn in_expr(expr: &Expr) -> Self {
        let mut looked_at = Self {
            names: Uses::of_expr(expr).reads.into_keys().collect(),
            ..Self::default()
        };
        looked_at.visit_expr(expr);
        let names = &looked_at.names;
        looked_at.places.retain(|place| names.contains(&place.root));
        looked_at
    }

    /// The same but for another variable of such a name.
    pub(crate) fn without(mut self, pat: &Pat) -> Self {
        for binding in pattern_bindings(pat) {
            let name = binding.ident.to_string();
            self.places.retain(|place| place.root != name);
            self.names.remove(&name);
        }
        self
    }

    /// The parts of a variable that lead to what is looked at, from what may have another value on: where one of them is a
    /// reference, it may lead elsewhere. The steps are fields; what an item leads to is not known.
    pub(crate) fn ways(&self, replaced: &Replaced<'_>) -> BTreeSet<Vec<String>> {
        let from = replaced.0.steps.len();
        let looked_at = self.places.iter().filter(|place| replaced.0.holds(place));
        let mut ways: BTreeSet<_> = looked_at
            .flat_map(|place| {
                let fields = place.steps.iter().take_while(|step| *step != "[]").count();
                (from..=fields).map(|length| place.steps[..length].to_vec())
            })
            .collect();
        ways.insert(replaced.0.steps.clone());
        ways.retain(|way| !way.iter().any(|step| step == "[]"));
        ways
    }

    /// A place alone, and not by what its items are found.
    pub(crate) fn at(place: &Expr) -> Option<Self> {
        let place = Path::of(place)?;
        Some(Self {
            names: [place.root.clone()].into(),
            places: vec![place],
            ..Self::default()
        })
    }
}

impl<'ast> Visit<'ast> for LookedAt {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        self.places.extend(Path::of(expr));
        syn::visit::visit_expr(self, expr);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        match arguments(invocation).filter(|_| is_known(invocation)) {
            Some(arguments) => {
                let mut inside = Self::default();
                let values = arguments.iter().map(|argument| &argument.value);
                values.for_each(|value| inside.visit_expr(value));
                self.places.append(&mut inside.places);
                self.unknown.extend(inside.unknown);
            }
            None => token_names(invocation.tokens.clone(), &mut |name| {
                self.unknown.insert(name.to_owned());
            }),
        }
    }
}
