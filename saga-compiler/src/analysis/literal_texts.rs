//! Variables whose texts are all literals of the function: they are there for good, and so are those that come back for them.
//!
//! ```text
//! let via = match answer { .. => Some("low"), _ => None };   ask;   Receipt { via }   // a field of `&'static str`
//! ```
//! A text that is no literal would be kept for the life of the process, so that one of those among them is enough to leave them as
//! they are.

use std::collections::{BTreeSet, HashMap};

use proc_macro2::TokenStream;
use syn::{Expr, ExprMethodCall, Lit, Local, Pat, Stmt, visit::Visit};

use crate::{
    ast::{
        calls::{is_constructor, strip_parentheses},
        exits::{block_diverges, diverges},
        handed_on::{GIVES, PUTS},
        macros::arguments,
        stays::lends,
        tokens::token_names,
        uses::root_name,
    },
    cfg::{Facts, Flow, Step, Terminator, VarId},
};

/// What the texts of a value are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Texts {
    /// It has none but of the text of the function.
    None,
    /// Literals.
    Literal,
    /// Others, as far as is known.
    Other,
}

impl Texts {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Other, _) | (_, Self::Other) => Self::Other,
            (Self::Literal, _) | (_, Self::Literal) => Self::Literal,
            (Self::None, Self::None) => Self::None,
        }
    }

    fn of_all(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::None, Self::join)
    }
}

/// Such variables, and those that are made of what is known to be there for good.
pub(super) fn literal_texts(flow: &Flow, for_good: &BTreeSet<VarId>) -> BTreeSet<VarId> {
    if for_good.is_empty() && !has_text(flow) {
        return BTreeSet::new();
    }
    let of_them = || for_good.iter().map(|var| (*var, Texts::Literal));
    let mut known: HashMap<VarId, Texts> = of_them().collect();
    loop {
        let of_var = |var: VarId| known.get(&var).copied().unwrap_or(Texts::Other);
        let mut found: HashMap<VarId, Texts> = HashMap::new();
        let mut note = |var: VarId, texts: Texts| {
            let all = found.entry(var).or_insert(Texts::None);
            *all = all.join(texts);
        };
        for block in &flow.blocks {
            for step in &block.steps {
                of_step(flow, step, &of_var, &mut note);
            }
            of_end(flow, &block.terminator, &of_var, &mut note);
        }
        for var in flow.params.iter().flat_map(|param| &param.vars) {
            found.insert(*var, Texts::Other);
        }
        found.retain(|_, texts| *texts != Texts::Other);
        found.extend(of_them());
        // Only more of them are known from one round to the next.
        if found == known {
            break;
        }
        known = found;
    }
    known.retain(|_, texts| *texts == Texts::Literal);
    known.into_keys().collect()
}

fn has_text(flow: &Flow) -> bool {
    struct Text(bool);
    impl<'ast> Visit<'ast> for Text {
        fn visit_lit_str(&mut self, _: &'ast syn::LitStr) {
            self.0 = true;
        }
    }
    let mut text = Text(false);
    for block in &flow.blocks {
        for step in &block.steps {
            step.code().walk(&mut text);
        }
    }
    text.0
}

type OfVar<'a> = &'a dyn Fn(VarId) -> Texts;
type Note<'a> = &'a mut dyn FnMut(VarId, Texts);

fn of_step(flow: &Flow, step: &Step, of_var: OfVar<'_>, note: Note<'_>) {
    let facts = step.facts();
    let value = match step {
        Step::Define(_, value, _) => Some(&**value),
        Step::Code(stmt, _) => match &**stmt {
            Stmt::Local(Local {
                init: Some(init), ..
            }) => Some(&*init.expr),
            _ => None,
        },
    };
    let names = Names {
        flow,
        facts,
        of_var,
        own: inner_names(|inner| match value {
            Some(value) => inner.visit_expr(value),
            None => step.code().walk(inner),
        }),
    };
    let defined = value.map_or(Texts::None, |value| names.of(value));
    facts.defs.iter().for_each(|var| note(*var, defined));
    changes(&names, note, |visitor| step.code().walk(visitor));
}

fn of_end(flow: &Flow, end: &Terminator, of_var: OfVar<'_>, note: Note<'_>) {
    let none = Facts::default();
    let names = Names {
        flow,
        facts: end.facts().unwrap_or(&none),
        of_var,
        own: inner_names(|inner| {
            for expr in end.exprs() {
                match expr {
                    Expr::Let(chosen) => inner.visit_expr(&chosen.expr),
                    other => inner.visit_expr(other),
                }
            }
        }),
    };
    match end {
        Terminator::Match {
            scrutinee, arms, ..
        } => {
            let texts = names.of(scrutinee);
            for (_, bound, _) in arms {
                bound.defs.iter().for_each(|var| note(*var, texts));
            }
        }
        Terminator::If { cond, .. } => {
            let texts = match strip_parentheses(cond) {
                Expr::Let(chosen) => names.of(&chosen.expr),
                _ => Texts::Other,
            };
            names.facts.defs.iter().for_each(|var| note(*var, texts));
        }
        _ => {
            for var in end.made() {
                note(var, Texts::Other);
            }
        }
    }
    changes(&names, note, |visitor| {
        end.exprs().iter().for_each(|expr| visitor.visit_expr(expr));
        if let Terminator::Match { arms, .. } = end {
            arms.iter().for_each(|(pat, ..)| visitor.visit_pat(pat));
        }
    });
}

/// What is put into variables at one place.
fn changes(names: &Names<'_>, note: Note<'_>, walk: impl FnOnce(&mut Changes<'_, '_>)) {
    let mut changes = Changes {
        names,
        found: Vec::new(),
        leads: false,
    };
    walk(&mut changes);
    let Changes { found, leads, .. } = changes;
    if leads {
        for var in names.facts.reads.iter().copied() {
            note(var, Texts::Other);
        }
    }
    let mut assigned: BTreeSet<VarId> = names.facts.made();
    assigned.retain(|var| !names.facts.defs.contains(var));
    for (name, texts) in found {
        for var in names.vars(&name) {
            assigned.remove(&var);
            if names.flow.var(var).mutable || names.flow.var(var).hidden || names.flow.var(var).late
            {
                note(var, texts);
            }
        }
    }
    // In another way than by an assignment.
    for var in assigned {
        note(var, Texts::Other);
    }
}

/// `ref mut name`
fn leads(pat: &syn::PatIdent) -> bool {
    pat.by_ref.is_some() && pat.mutability.is_some()
}

/// The names that patterns inside of a piece of code declare: there they are no variables of the function.
fn inner_names(walk: impl FnOnce(&mut Inner)) -> HashMap<String, Texts> {
    let mut inner = Inner(HashMap::new());
    walk(&mut inner);
    inner.0
}

struct Inner(HashMap<String, Texts>);

impl<'ast> Visit<'ast> for Inner {
    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        self.0.insert(pat.ident.to_string(), Texts::Other);
        syn::visit::visit_pat_ident(self, pat);
    }
}

/// What the names of one piece of code have in them.
struct Names<'a> {
    flow: &'a Flow,
    facts: &'a Facts,
    of_var: OfVar<'a>,
    /// Of a block of its own.
    own: HashMap<String, Texts>,
}

impl Names<'_> {
    fn vars(&self, name: &str) -> impl Iterator<Item = VarId> {
        let all = self.facts.reads.iter().copied().chain(self.facts.made());
        let all: BTreeSet<_> = all.filter(|var| self.flow.goes_by(*var, name)).collect();
        all.into_iter()
    }

    fn of_name(&self, name: &str) -> Texts {
        if let Some(texts) = self.own.get(name) {
            return *texts;
        }
        let mut vars = self.vars(name).map(|var| (self.of_var)(var)).peekable();
        match vars.peek() {
            Some(_) => Texts::of_all(vars),
            None => Texts::Other,
        }
    }

    fn of(&self, value: &Expr) -> Texts {
        let all =
            |parts: &mut dyn Iterator<Item = &Expr>| Texts::of_all(parts.map(|part| self.of(part)));
        match strip_parentheses(value) {
            value if diverges(value) => Texts::None,
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(_) => Texts::Literal,
                Lit::ByteStr(_) | Lit::CStr(_) => Texts::Other,
                _ => Texts::None,
            },
            // As a reference, it is that to what is there.
            Expr::Cast(cast) if matches!(&*cast.ty, syn::Type::Reference(_)) => Texts::Other,
            Expr::Cast(_) | Expr::Range(_) => Texts::None,
            // Numbers; a text that is put together is no literal.
            Expr::Binary(binary) => match self.of(&binary.left).join(self.of(&binary.right)) {
                Texts::None => Texts::None,
                _ => Texts::Other,
            },
            Expr::Unary(unary) => self.of(&unary.expr),
            // Of what the function owns it is a text of that.
            Expr::Reference(lent) => match strip_parentheses(&lent.expr) {
                list @ Expr::Array(_) if self.of(list) == Texts::Literal => Texts::Literal,
                _ => Texts::Other,
            },
            Expr::Field(field) => self.of(&field.base),
            Expr::Index(index) => self.of(&index.expr),
            Expr::Path(path) => match path.path.get_ident() {
                Some(none) if none == "None" => Texts::None,
                Some(name) => self.of_name(&name.to_string()),
                None => Texts::Other,
            },
            Expr::Tuple(tuple) => all(&mut tuple.elems.iter()),
            Expr::Array(array) => all(&mut array.elems.iter()),
            Expr::Call(call) if is_constructor(&call.func) => all(&mut call.args.iter()),
            Expr::Call(call) if is_own(&call.func) => all(&mut call.args.iter()),
            Expr::Call(call) if makes_owned(&call.func) && call.args.iter().all(is_literal) => {
                Texts::None
            }
            Expr::If(chosen) => match &chosen.else_branch {
                Some((_, otherwise)) => self.of_block(&chosen.then_branch).join(self.of(otherwise)),
                None => Texts::None,
            },
            Expr::Match(chosen) => Texts::of_all(chosen.arms.iter().map(|arm| self.of(&arm.body))),
            Expr::Block(block) => self.of_block(&block.block),
            Expr::Macro(call) => self.of_macro(&call.mac),
            Expr::MethodCall(call) => self.of_method(call),
            _ => Texts::Other,
        }
    }

    /// ```text
    /// { let items = calls; drain(items) }
    /// ```
    fn of_block(&self, block: &syn::Block) -> Texts {
        if block_diverges(block) {
            return Texts::None;
        }
        let Some((Stmt::Expr(end, None), before)) = block.stmts.split_last() else {
            return Texts::Other;
        };
        let mut own = self.own.clone();
        for stmt in before {
            match stmt {
                Stmt::Item(_) => {}
                Stmt::Local(Local {
                    pat: Pat::Ident(name),
                    init: Some(init),
                    ..
                }) if name.mutability.is_none() && init.diverge.is_none() => {
                    let inside = Names { own, ..*self };
                    let texts = inside.of(&init.expr);
                    own = inside.own;
                    own.insert(name.ident.to_string(), texts);
                }
                _ => return Texts::Other,
            }
        }
        Names { own, ..*self }.of(end)
    }

    fn of_macro(&self, invocation: &syn::Macro) -> Texts {
        let name = invocation.path.segments.last();
        let name = name.map(|last| last.ident.to_string());
        match name.as_deref() {
            Some("format" | "json") if is_all_literal(invocation.tokens.clone()) => Texts::None,
            Some("vec") => match arguments(invocation) {
                Some(items) => Texts::of_all(items.iter().map(|item| self.of(&item.value))),
                None => Texts::Other,
            },
            Some("concat" | "stringify") => Texts::Literal,
            _ => Texts::Other,
        }
    }

    fn of_method(&self, call: &ExprMethodCall) -> Texts {
        let method = call.method.to_string();
        let receiver = self.of(&call.receiver);
        let given = || {
            let given = call.args.iter().map(|given| match given {
                // Which of them it is.
                Expr::Closure(_) if CHOOSE.contains(&method.as_str()) => Texts::None,
                Expr::Closure(closure) => match &*closure.body {
                    text @ Expr::Lit(_) => self.of(text),
                    _ => Texts::Other,
                },
                given => self.of(given),
            });
            Texts::of_all(given)
        };
        match method.as_str() {
            "len" | "is_empty" => Texts::None,
            "to_string" | "to_owned" if is_literal(&call.receiver) => Texts::None,
            "saga_drain" => given(),
            "enumerate" | "rev" | "chain" | "zip" | "skip" | "take" => receiver.join(given()),
            // What is lent of a value that the function owns is a text of that.
            _ if receiver == Texts::None && !GIVE_ITSELF.contains(&method.as_str()) => Texts::Other,
            _ if GIVES.contains(&method.as_str()) => receiver.join(given()),
            _ => Texts::Other,
        }
    }
}

/// Methods whose closure says which one it is.
const CHOOSE: &[&str] = &["filter", "find", "max_by_key", "min_by_key", "position"];

/// Methods that give what they are called on, and lend nothing of it.
const GIVE_ITSELF: &[&str] = &[
    "clone",
    "into_iter",
    "to_vec",
    "unwrap_or",
    "unwrap_or_default",
];

fn is_literal(expr: &Expr) -> bool {
    matches!(strip_parentheses(expr), Expr::Lit(_))
}

/// Whether no name stands in the arguments of a macro, nor in its texts.
fn is_all_literal(tokens: TokenStream) -> bool {
    let mut names = 0;
    token_names(tokens, &mut |name| {
        names += usize::from(!["false", "null", "true"].contains(&name));
    });
    names == 0
}

/// A function of the runtime's, which gives what it is given.
fn is_own(func: &Expr) -> bool {
    matches!(func, Expr::Path(path) if path.path.segments.iter().any(|part| part.ident == "__private"))
}

/// `String::from`, `Vec::new`
fn makes_owned(func: &Expr) -> bool {
    let Expr::Path(path) = func else {
        return false;
    };
    let mut last = path
        .path
        .segments
        .iter()
        .rev()
        .map(|part| part.ident.to_string());
    match (last.next().as_deref(), last.next().as_deref()) {
        (Some("from"), Some("String")) => true,
        (Some("new" | "with_capacity" | "default"), Some(of)) => [
            "String", "Vec", "HashMap", "BTreeMap", "HashSet", "BTreeSet", "VecDeque",
        ]
        .contains(&of),
        _ => false,
    }
}

/// What is assigned to names, or put into them; what may be in another way.
struct Changes<'a, 'n> {
    names: &'a Names<'n>,
    found: Vec<(String, Texts)>,
    /// Whether a pattern leads to what may be changed.
    leads: bool,
}

/// The variable that a place is in, also by way of methods: `*map.entry(key).or_default()`.
fn base_name(place: &Expr) -> Option<String> {
    match strip_parentheses(place) {
        Expr::MethodCall(call) => base_name(&call.receiver),
        Expr::Unary(unary) => base_name(&unary.expr),
        Expr::Field(field) => base_name(&field.base),
        Expr::Index(index) => base_name(&index.expr),
        Expr::Try(tried) => base_name(&tried.expr),
        other => root_name(other),
    }
}

impl Changes<'_, '_> {
    fn note(&mut self, place: &Expr, texts: Texts) {
        self.found
            .extend(base_name(place).map(|name| (name, texts)));
    }
}

impl<'ast> Visit<'ast> for Changes<'_, '_> {
    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        self.note(&assign.left, self.names.of(&assign.right));
        syn::visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_reference(&mut self, lent: &'ast syn::ExprReference) {
        if lent.mutability.is_some() {
            self.note(&lent.expr, Texts::Other);
        }
        syn::visit::visit_expr_reference(self, lent);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let method = call.method.to_string();
        if PUTS.contains(&method.as_str()) {
            let given = call.args.iter().map(|given| self.names.of(given));
            self.note(&call.receiver, Texts::of_all(given));
        } else if !lends(&method) && !GIVES.contains(&method.as_str()) {
            self.note(&call.receiver, Texts::Other);
        }
        syn::visit::visit_expr_method_call(self, call);
    }

    // `ref mut` leads to what is matched.
    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        self.leads |= leads(pat);
        syn::visit::visit_pat_ident(self, pat);
    }

    // One that is not known may change what it is given.
    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        if crate::ast::macros::is_known(invocation) {
            let given = arguments(invocation).unwrap_or_default();
            for argument in &given {
                // It lives as long as this call: what it refers to is not kept.
                let mut inside = Changes {
                    names: self.names,
                    found: Vec::new(),
                    leads: false,
                };
                inside.visit_expr(&argument.value);
                self.leads |= inside.leads;
                self.found.append(&mut inside.found);
            }
            return;
        }
        token_names(invocation.tokens.clone(), &mut |name| {
            self.found.push((name.to_owned(), Texts::Other));
        });
    }
}
