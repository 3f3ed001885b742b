//! Variables that hold text literals: `&'static str` has no serde form of its own, but what is chosen
//! among literals is stored as its text.

use std::collections::{HashMap, HashSet};

use syn::{Block, Expr, Lit, Pat, Stmt, Type, visit::Visit};

use super::Lower;

use crate::{
    ast::{
        calls::strip_parentheses, exits::diverges, macros::arguments, patterns::pattern_bindings,
        uses::root_name,
    },
    cfg::{
        VarId,
        persistence::{Form, Persistence},
    },
};

/// What is known of the text that variables hold.
#[derive(Default)]
pub(super) struct Literals {
    /// Names that a literal is assigned to, somewhere in the function.
    assigned: HashSet<String>,
    /// Names that something else is assigned to.
    reassigned: HashSet<String>,
    /// What the macro's own variables are given.
    given: HashMap<VarId, Choice>,
    /// Lists of literals with texts among them.
    tables: HashSet<VarId>,
}

impl Literals {
    pub(super) fn of(body: &Block) -> Self {
        struct Assignments<'a>(&'a mut Literals);
        impl<'ast> Visit<'ast> for Assignments<'_> {
            fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
                if let Expr::Path(path) = &*assign.left
                    && let Some(ident) = path.path.get_ident()
                {
                    let itself = |name: &str| ident == name;
                    let names = match choice(&assign.right, &itself) {
                        Choice::Text => Some(&mut self.0.assigned),
                        Choice::Open => None,
                        Choice::Other => Some(&mut self.0.reassigned),
                    };
                    if let Some(names) = names {
                        names.insert(ident.to_string());
                    }
                }
                syn::visit::visit_expr_assign(self, assign);
            }
        }
        let mut texts = Self::default();
        Assignments(&mut texts).visit_block(body);
        texts
    }
}

/// What an expression chooses from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// Text literals.
    Text,
    /// Constants, or nothing at all: whatever else it is.
    Open,
    /// Something else.
    Other,
}

impl Choice {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Other, _) | (_, Self::Other) => Self::Other,
            (Self::Text, _) | (_, Self::Text) => Self::Text,
            _ => Self::Open,
        }
    }
}

fn choice(expr: &Expr, is_text: &dyn Fn(&str) -> bool) -> Choice {
    match expr {
        _ if diverges(expr) => Choice::Open,
        Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_)) => Choice::Text,
        Expr::Path(path) => match path.path.segments.last() {
            Some(last) if is_constant(&last.ident.to_string()) => Choice::Open,
            Some(last) if path.path.get_ident().is_some() && is_text(&last.ident.to_string()) => {
                Choice::Text
            }
            _ => Choice::Other,
        },
        Expr::Field(_) | Expr::Index(_)
            if root_name(expr).is_some_and(|name| is_constant(&name)) =>
        {
            Choice::Open
        }
        Expr::Macro(call) => match call.mac.path.segments.last() {
            Some(last) if last.ident == "concat" || last.ident == "env" => Choice::Text,
            Some(last) if last.ident == "stringify" => Choice::Text,
            _ => Choice::Other,
        },
        Expr::Paren(paren) => choice(&paren.expr, is_text),
        Expr::Group(group) => choice(&group.expr, is_text),
        Expr::Block(block) if block.label.is_none() => of_block(&block.block, is_text),
        Expr::If(conditional) => match &conditional.else_branch {
            Some((_, otherwise)) => {
                of_block(&conditional.then_branch, is_text).join(choice(otherwise, is_text))
            }
            None => Choice::Other,
        },
        Expr::Match(matched) => {
            let arms = matched.arms.iter();
            arms.map(|arm| choice(&arm.body, is_text))
                .fold(Choice::Open, Choice::join)
        }
        _ => Choice::Other,
    }
}

fn of_block(block: &Block, is_text: &dyn Fn(&str) -> bool) -> Choice {
    match block.stmts.last() {
        _ if crate::ast::exits::block_diverges(block) => Choice::Open,
        Some(Stmt::Expr(tail, None)) => choice(tail, is_text),
        _ => Choice::Other,
    }
}

/// The parts of a value that is a tuple on every path, by the place in it.
fn parts(expr: &Expr, count: usize) -> Option<Vec<Vec<&Expr>>> {
    let mut tails = Vec::new();
    tails_of(expr, &mut tails)?;
    let mut parts = vec![Vec::new(); count];
    for tail in tails {
        let Expr::Tuple(tuple) = tail else {
            return None;
        };
        if tuple.elems.len() != count {
            return None;
        }
        for (part, elem) in parts.iter_mut().zip(&tuple.elems) {
            part.push(elem);
        }
    }
    Some(parts)
}

fn tails_of<'e>(expr: &'e Expr, tails: &mut Vec<&'e Expr>) -> Option<()> {
    match expr {
        _ if diverges(expr) => {}
        Expr::Paren(paren) => tails_of(&paren.expr, tails)?,
        Expr::Block(block) if block.label.is_none() => tail_of(&block.block, tails)?,
        Expr::If(conditional) => {
            tail_of(&conditional.then_branch, tails)?;
            tails_of(&conditional.else_branch.as_ref()?.1, tails)?;
        }
        Expr::Match(matched) => {
            for arm in &matched.arms {
                tails_of(&arm.body, tails)?;
            }
        }
        other => tails.push(other),
    }
    Some(())
}

fn tail_of<'e>(block: &'e Block, tails: &mut Vec<&'e Expr>) -> Option<()> {
    match block.stmts.last() {
        _ if crate::ast::exits::block_diverges(block) => Some(()),
        Some(Stmt::Expr(tail, None)) => tails_of(tail, tails),
        _ => None,
    }
}

/// `&'static str`.
fn is_text_type(ty: &Type) -> bool {
    is_lent_text(ty)
        && matches!(ty, Type::Reference(reference)
            if reference.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static"))
}

/// `&str`.
fn is_lent_text(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference)
        if reference.mutability.is_none()
            && matches!(&*reference.elem, Type::Path(path) if path.path.is_ident("str")))
}

impl Lower<'_> {
    /// Whether an expression's value is one of several text literals.
    pub(super) fn is_text(&self, expr: &Expr) -> bool {
        self.choice_of(expr) == Choice::Text
    }

    fn choice_of(&self, expr: &Expr) -> Choice {
        let is_text = |name: &str| {
            self.resolve(name).is_some_and(|var| {
                self.texts.given.get(&var) == Some(&Choice::Text)
                    || is_literal(&self.vars[var.0].persistence)
            })
        };
        choice(expr, &is_text)
    }

    /// The names of `pat` that are bound to text literals.
    pub(super) fn texts_of(&self, pat: &Pat, init: Option<&Expr>) -> HashSet<String> {
        let mut names = HashSet::new();
        match (pat, init) {
            (Pat::Type(typed), _) if is_text_type(&typed.ty) => {
                names.extend(pattern_bindings(pat).map(|binding| binding.ident.to_string()));
            }
            // What is said to be a text, and is a constant, is there for good.
            (Pat::Type(typed), Some(init))
                if is_lent_text(&typed.ty) && self.choice_of(init) != Choice::Other =>
            {
                names.extend(pattern_bindings(pat).map(|binding| binding.ident.to_string()));
            }
            (Pat::Ident(ident), Some(init)) if self.is_text(init) => {
                names.insert(ident.ident.to_string());
            }
            (Pat::Ident(ident), None) => {
                let name = ident.ident.to_string();
                names.extend(Some(name).filter(|name| self.texts.assigned.contains(name)));
            }
            (Pat::Tuple(tuple), Some(init)) => {
                let parts = parts(init, tuple.elems.len()).unwrap_or_default();
                for (pat, values) in tuple.elems.iter().zip(parts) {
                    if let Pat::Ident(ident) = pat
                        && values.iter().all(|value| self.is_text(value))
                    {
                        names.insert(ident.ident.to_string());
                    }
                }
            }
            _ => {}
        }
        names.retain(|name| !self.texts.reassigned.contains(name));
        names
    }

    /// Whether an expression gives a list of literals with texts among them.
    pub(super) fn is_table(&self, expr: &Expr) -> bool {
        match strip_parentheses(expr) {
            Expr::MethodCall(call) if call.method == "clone" && call.args.is_empty() => {
                self.names_table(&call.receiver)
            }
            Expr::Path(_) => self.names_table(expr),
            made => is_table(made),
        }
    }

    fn names_table(&self, expr: &Expr) -> bool {
        let name = match strip_parentheses(expr) {
            Expr::Path(path) => path.path.get_ident(),
            _ => None,
        };
        let var = name.and_then(|name| self.lookup(&name.to_string()));
        var.is_some_and(|var| self.texts.tables.contains(&var))
    }

    /// Notes that a variable is such a list.
    pub(super) fn note_table(&mut self, var: VarId) {
        self.texts.tables.insert(var);
        self.vars[var.0].persistence = Persistence::Spilled(Form::Static);
    }

    /// Notes what a variable of the macro's own is given.
    pub(super) fn given(&mut self, var: VarId, value: Option<&Expr>) {
        let choice = value.map_or(Choice::Other, |value| self.choice_of(value));
        let all = self.texts.given.entry(var).or_insert(Choice::Open);
        *all = all.join(choice);
        let is_text = *all == Choice::Text;
        let persistence = &mut self.vars[var.0].persistence;
        if is_text && persistence.hints().is_some() {
            *persistence = Persistence::Spilled(literal());
        } else if !is_text && is_literal(persistence) {
            *persistence = Persistence::by_type();
        }
    }
}

/// As its text.
pub(super) fn literal() -> Form {
    Form::With(syn::parse_quote!(::saga_runtime::with::literal))
}

fn is_literal(persistence: &Persistence) -> bool {
    matches!(persistence, Persistence::Spilled(Form::With(path)) if path.segments.last().is_some_and(|last| last.ident == "literal"))
}

/// Whether an expression makes a list of literals with texts among them, which are there for good: `vec![("tea", 3), ("cup", 5)]`.
fn is_table(expr: &Expr) -> bool {
    let listed;
    let items: Vec<&Expr> = match strip_parentheses(expr) {
        Expr::Macro(list) if list.mac.path.is_ident("vec") => {
            listed = arguments(&list.mac).unwrap_or_default();
            listed.iter().map(|item| &item.value).collect()
        }
        Expr::MethodCall(call) if call.method == "to_vec" && call.args.is_empty() => {
            match strip_parentheses(&call.receiver) {
                Expr::Array(array) => array.elems.iter().collect(),
                _ => return false,
            }
        }
        // Of more, serde knows nothing.
        Expr::Array(array) if array.elems.len() <= 32 => array.elems.iter().collect(),
        _ => return false,
    };
    items.iter().all(|item| is_row(item)) && items.iter().any(|item| has_text(item))
}

/// A literal of which nothing is a reference but texts, and that serde has.
fn is_row(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::Lit(literal) => !matches!(literal.lit, Lit::ByteStr(_) | Lit::CStr(_)),
        Expr::Unary(unary) => is_row(&unary.expr),
        Expr::Tuple(tuple) => tuple.elems.iter().all(is_row),
        _ => false,
    }
}

fn has_text(row: &Expr) -> bool {
    match strip_parentheses(row) {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Str(_)),
        Expr::Tuple(tuple) => tuple.elems.iter().any(has_text),
        _ => false,
    }
}

/// A name in capitals, as constants have.
fn is_constant(name: &str) -> bool {
    name.len() > 1
        && name
            .chars()
            .all(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Whether the branches of an expression give literals of texts and what refers to something: `if ask { name } else { "none" }`. In one
/// piece, rustc makes a `&str` of a `&String` there; apart, the first that it sees would be the type of all.
pub(super) fn is_text_or_place(expr: &Expr) -> bool {
    let mut values = Vec::new();
    let of = |value: &Expr| choice(value, &|_| false);
    let refers = |value: &&Expr| {
        let is_place = matches!(
            value,
            Expr::Path(_) | Expr::Field(_) | Expr::Reference(_) | Expr::Index(_) | Expr::Unary(_)
        );
        is_place && of(value) == Choice::Other
    };
    tails_of(expr, &mut values).is_some()
        && values.iter().any(|value| of(value) == Choice::Text)
        && values.iter().any(refers)
}
