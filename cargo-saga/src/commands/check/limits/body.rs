//! What the body of a loop does with variables.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::{BinOp, Expr, visit::Visit};

/// Methods that make a collection or a text longer.
const GROWS: &[&str] = &[
    "push",
    "push_str",
    "push_back",
    "push_front",
    "extend",
    "extend_from_slice",
    "insert",
    "insert_str",
    "append",
];

/// Methods that make one shorter.
const SHRINKS: &[&str] = &[
    "clear",
    "truncate",
    "drain",
    "retain",
    "remove",
    "swap_remove",
    "split_off",
    "take",
    "resize",
    "pop",
    "pop_front",
    "pop_back",
    "pop_first",
    "pop_last",
];

/// Methods that give one value after another, until there is none.
const DRAINS: &[&str] = &[
    "next",
    "next_back",
    "pop",
    "pop_front",
    "pop_back",
    "pop_first",
    "pop_last",
];

/// Functions of `std::mem` that leave another value behind.
const LEAVES: &[&str] = &["take", "replace", "swap"];

/// What changes in a loop, by the places' text.
#[derive(Default)]
pub(super) struct Body {
    /// `n += 1`
    stepped: BTreeSet<String>,
    /// `n = 0`
    assigned: BTreeSet<String>,
    grown: BTreeSet<String>,
    shrunk: BTreeSet<String>,
}

impl Body {
    pub(super) fn of(block: &syn::Block, texts: &BTreeSet<String>) -> Self {
        let mut body = Self::default();
        body.visit_block(block);
        // What is put behind a text is no step of a counter.
        let grown: Vec<_> = body.stepped.intersection(texts).cloned().collect();
        for text in grown {
            body.stepped.remove(&text);
            body.grown.insert(text);
        }
        body
    }

    /// Whether a variable may be shorter after a round than before it.
    pub(super) fn limits(&self, name: &str) -> bool {
        self.shrunk.contains(name) || self.assigned.contains(name)
    }

    /// Whether a value tells how many rounds there were: a counter, the length of what grows, what is left of a queue.
    pub(super) fn measures(&self, expr: &Expr) -> bool {
        let mut measure = Measure {
            body: self,
            found: false,
        };
        measure.visit_expr(expr);
        measure.found
    }

    fn counts(&self, place: &str) -> bool {
        self.stepped.contains(place) && !self.assigned.contains(place)
    }
}

impl<'ast> Visit<'ast> for Body {
    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let is_step = matches!(
            binary.op,
            BinOp::AddAssign(_) | BinOp::SubAssign(_) | BinOp::MulAssign(_) | BinOp::ShlAssign(_)
        );
        self.stepped.extend(place(&binary.left).filter(|_| is_step));
        syn::visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_assign(&mut self, assignment: &'ast syn::ExprAssign) {
        if let Some(place) = place(&assignment.left) {
            match adds(&assignment.right) && mentions(&assignment.right, &place) {
                true => self.stepped.insert(place),
                false => self.assigned.insert(place),
            };
        }
        syn::visit::visit_expr_assign(self, assignment);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if let Some(place) = place(&call.receiver) {
            if is_one(&call.method, SHRINKS) {
                self.shrunk.insert(place);
            } else if is_one(&call.method, GROWS) {
                self.grown.insert(place);
            }
        }
        syn::visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let leaves = match &*call.func {
            Expr::Path(path) => {
                let last = path.path.segments.last();
                last.is_some_and(|last| is_one(&last.ident, LEAVES))
            }
            _ => false,
        };
        for argument in call.args.iter().filter(|_| leaves) {
            if let Expr::Reference(lent) = argument {
                self.shrunk.extend(place(&lent.expr));
            }
        }
        syn::visit::visit_expr_call(self, call);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// Looks for what tells how many rounds there were.
struct Measure<'a> {
    body: &'a Body,
    found: bool,
}

impl<'ast> Visit<'ast> for Measure<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        self.found |= place(expr).is_some_and(|place| self.body.counts(&place));
        syn::visit::visit_expr(self, expr);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let base = base(&call.receiver);
        let is = |places: &BTreeSet<String>| base.as_ref().is_some_and(|of| places.contains(of));
        self.found |= match call.method.to_string().as_str() {
            "len" | "count" => is(&self.body.grown) || is(&self.body.shrunk),
            "is_empty" => is(&self.body.shrunk),
            method => base.is_some() && DRAINS.contains(&method),
        };
        syn::visit::visit_expr_method_call(self, call);
    }
}

/// The text of a variable, or a field of one.
pub(super) fn place(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        Expr::Field(field) => {
            let member = &field.member;
            Some(format!(
                "{}.{}",
                place(&field.base)?,
                quote::quote!(#member)
            ))
        }
        Expr::Paren(inner) => place(&inner.expr),
        Expr::Unary(inner) if matches!(inner.op, syn::UnOp::Deref(_)) => place(&inner.expr),
        _ => None,
    }
}

/// `text` of `text.chars()`
fn base(expr: &Expr) -> Option<String> {
    match expr {
        Expr::MethodCall(call) => base(&call.receiver),
        other => place(other),
    }
}

/// Whether a value is made by adding to others: `n + 1`, `n.saturating_add(1)`, `format!("{text}..")`.
pub(super) fn adds(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(binary) => matches!(binary.op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_)),
        Expr::MethodCall(call) => {
            let method = call.method.to_string();
            let is_step = method.ends_with("_add") || method.ends_with("_sub");
            is_step
                || ["unwrap", "to_string", "to_owned"].contains(&method.as_str())
                    && adds(&call.receiver)
        }
        Expr::Macro(made) => crate::source::ends_in(&made.mac.path, "format"),
        Expr::Paren(inner) => adds(&inner.expr),
        Expr::Try(inner) => adds(&inner.expr),
        _ => false,
    }
}

/// Whether a place is in an expression, in the arguments of its macros and in their texts too.
pub(super) fn mentions(expr: &Expr, place: &str) -> bool {
    let text = quote::quote!(#expr);
    // A field goes by its variable.
    let variable = place.split('.').next().unwrap_or(place);
    in_tokens(text, variable)
}

fn in_tokens(tokens: TokenStream, variable: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => in_tokens(group.stream(), variable),
        TokenTree::Ident(ident) => ident == variable,
        TokenTree::Literal(literal) => {
            let text = literal.to_string();
            text.starts_with(['"', 'r'])
                && [":", "}"]
                    .iter()
                    .any(|end| text.contains(&format!("{{{variable}{end}")))
        }
        TokenTree::Punct(_) => false,
    })
}

/// Whether a call makes its receiver longer, and with what is not the same each time.
pub(super) fn grows(call: &syn::ExprMethodCall) -> bool {
    let is_constant = match call.args.first() {
        Some(Expr::Lit(literal)) => !matches!(literal.lit, syn::Lit::Int(_)),
        Some(Expr::Path(path)) => path.path.segments.last().is_some_and(|last| {
            let name = last.ident.to_string();
            // A constant, or a variant of an enum.
            name.starts_with(char::is_uppercase)
        }),
        _ => false,
    };
    is_one(&call.method, GROWS) && !(call.method == "insert" && is_constant)
}

fn is_one(name: &syn::Ident, of: &[&str]) -> bool {
    of.iter().any(|one| name == one)
}
