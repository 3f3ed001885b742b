//! Calls, and what stands around them.

use std::collections::HashSet;

use proc_macro2::Span;
use quote::format_ident;
use syn::Expr;

use super::{exits::end_of, macros::arguments, patterns::pattern_bindings, uses::root_name};

/// The expression without parentheses around it.
pub(crate) fn strip_parentheses(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(paren) => strip_parentheses(&paren.expr),
        Expr::Group(group) => strip_parentheses(&group.expr),
        other => other,
    }
}

pub(crate) fn strip_parentheses_mut(expr: &mut Expr) -> &mut Expr {
    match expr {
        Expr::Paren(paren) => strip_parentheses_mut(&mut paren.expr),
        Expr::Group(group) => strip_parentheses_mut(&mut group.expr),
        other => other,
    }
}

/// The parts of `a && let P = b && c`.
pub(crate) fn conjuncts(cond: &Expr) -> Vec<&Expr> {
    match cond {
        Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_)) => {
            let mut all = conjuncts(&binary.left);
            all.extend(conjuncts(&binary.right));
            all
        }
        other => vec![other],
    }
}

/// `self`, also by the name that `#[async_trait]` gives it.
pub(crate) fn is_self(expr: &Expr) -> bool {
    matches!(expr, Expr::Path(path) if path.path.is_ident("self") || path.path.is_ident("__self"))
}

/// The name of the function that a call calls; empty where it has none.
pub(crate) fn called(call: &Expr) -> String {
    match callee(call) {
        Expr::MethodCall(call) => call.method.to_string(),
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        }
        .unwrap_or_default(),
        _ => String::new(),
    }
}

/// What is called in the place of an async block that asks; other code in it has another name.
pub(crate) fn nested_name(
    function: &syn::Ident,
    index: usize,
    code: u64,
    span: Span,
) -> syn::Ident {
    let function = function.to_string();
    let function = function.trim_start_matches("r#");
    format_ident!("{NESTED}{function}_{index}_{code:x}", span = span)
}

/// How such a name begins.
const NESTED: &str = "__saga_block_of_";

/// Whether it is the call of one.
pub(crate) fn is_nested(call: &Expr) -> bool {
    called(call).starts_with(NESTED)
}

/// The same as [`called`], as the author knows it.
pub(crate) fn shown_call(call: &Expr) -> String {
    match is_nested(call) {
        true => "async".to_owned(),
        false => called(call),
    }
}

/// The call in `Box::pin(call)`, or the expression itself.
pub(crate) fn callee(expr: &Expr) -> &Expr {
    match strip_parentheses(expr) {
        Expr::Call(call) if is_box_pin(&call.func) && call.args.len() == 1 => {
            call.args.first().map_or(expr, callee)
        }
        other => other,
    }
}

/// The same, to be changed.
pub(crate) fn callee_mut(expr: &mut Expr) -> &mut Expr {
    let wraps = matches!(expr, Expr::Call(call) if is_box_pin(&call.func) && call.args.len() == 1);
    match expr {
        Expr::Paren(paren) => callee_mut(&mut paren.expr),
        Expr::Group(group) => callee_mut(&mut group.expr),
        other => innermost(other, wraps),
    }
}

/// Receiver and arguments of a call.
pub(crate) fn call_operands(base: &mut Expr) -> Vec<&mut Expr> {
    match callee_mut(base) {
        Expr::Call(call) => call.args.iter_mut().collect(),
        Expr::MethodCall(call) => {
            let mut operands = vec![&mut *call.receiver];
            operands.extend(call.args.iter_mut());
            operands
        }
        _ => Vec::new(),
    }
}

fn innermost(expr: &mut Expr, wraps: bool) -> &mut Expr {
    match (wraps, expr) {
        (true, Expr::Call(call)) => callee_mut(&mut call.args[0]),
        (_, other) => other,
    }
}

pub(crate) fn is_some(func: &Expr) -> bool {
    matches!(func, Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Some"))
}

pub(crate) fn is_none(value: &Expr) -> bool {
    matches!(value, Expr::Path(path) if path.path.is_ident("None"))
}

/// What makes a struct or a variant of its arguments, and does nothing else: `Some`, `Cow::Borrowed`.
pub(crate) fn is_constructor(func: &Expr) -> bool {
    matches!(func, Expr::Path(path) if path.path.segments.last().is_some_and(|last|
        last.ident.to_string().starts_with(char::is_uppercase)))
}

/// Whether an expression makes a struct or a variant that may have a `Drop` of its own, or a range: it is as good as its parts.
pub(crate) fn makes_struct(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::Struct(_) | Expr::Range(_) => true,
        Expr::Call(call) => {
            let known = ["Some", "Ok", "Err", "Borrowed", "Owned"];
            let name = match &*call.func {
                Expr::Path(path) => path.path.segments.last().map(|last| &last.ident),
                _ => None,
            };
            let of_std = name.is_some_and(|name| known.iter().any(|known| name == known));
            is_constructor(&call.func) && !of_std
        }
        _ => false,
    }
}

/// The closure that an expression is, or lends, or puts in an envelope of std's: `&|n| n + 1`, `Box::new(|n| n + 1)`.
pub(crate) fn closure_in(expr: &Expr) -> Option<&syn::ExprClosure> {
    match strip_parentheses(expr) {
        Expr::Closure(closure) => Some(closure),
        // Of copies that are made for it.
        Expr::Block(block) => {
            let (last, copies) = block.block.stmts.split_last()?;
            let made = |stmt: &syn::Stmt| {
                let pat = match stmt {
                    syn::Stmt::Local(local) => &local.pat,
                    _ => return false,
                };
                matches!(pat, syn::Pat::Ident(name) if is_hidden_name(&name.ident.to_string()))
            };
            match last {
                syn::Stmt::Expr(closure, None) if !copies.is_empty() && copies.iter().all(made) => {
                    closure_in(closure)
                }
                _ => None,
            }
        }
        // One that may change what it has taken is another one where it is made again.
        Expr::Reference(lent) => closure_in(&lent.expr)
            .filter(|closure| lent.mutability.is_none() || closure.capture.is_none()),
        Expr::Call(call)
            if call.args.len() == 1 && (is_some(&call.func) || is_box_new(&call.func)) =>
        {
            call.args.first().and_then(closure_in)
        }
        _ => None,
    }
}

/// A name of the macro's own.
pub(crate) fn is_hidden_name(name: &str) -> bool {
    name.starts_with("__saga_")
}

/// `.boxed()` of futures.
pub(crate) fn is_boxing(call: &syn::ExprMethodCall) -> bool {
    call.args.is_empty() && (call.method == "boxed" || call.method == "boxed_local")
}

/// `Box::new`, `Arc::new`.
pub(crate) fn is_box_new(func: &Expr) -> bool {
    let Expr::Path(path) = func else { return false };
    let mut last = path.path.segments.iter().rev();
    last.next().is_some_and(|last| last.ident == "new")
        && last
            .next()
            .is_some_and(|owner| owner.ident == "Box" || owner.ident == "Arc")
}

/// Whether a function is the runtime's, under one of these names.
pub(crate) fn is_of_runtime(func: &Expr, names: &[&str]) -> bool {
    let Expr::Path(path) = func else { return false };
    let mut segments = path.path.segments.iter().map(|segment| &segment.ident);
    path.path.leading_colon.is_some()
        && segments.next().is_some_and(|first| first == "saga_runtime")
        && segments
            .next_back()
            .is_some_and(|last| names.iter().any(|name| last == name))
}

/// `Box::pin`.
pub(crate) fn is_box_pin(func: &Expr) -> bool {
    let Expr::Path(path) = func else { return false };
    let mut last = path.path.segments.iter().rev();
    last.next().is_some_and(|last| last.ident == "pin")
        && last.next().is_some_and(|owner| owner.ident == "Box")
}

/// Literals, and collections of and references to them.
pub(crate) fn is_literal(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::Lit(_) => true,
        Expr::Array(array) => array.elems.iter().all(is_literal),
        Expr::Tuple(tuple) => tuple.elems.iter().all(is_literal),
        // One that is lent to be changed is not the same behind that.
        Expr::Reference(lent) => lent.mutability.is_none() && is_literal(&lent.expr),
        Expr::Unary(unary) => is_literal(&unary.expr),
        _ => false,
    }
}

/// Finds the places that an expression may give away as they are: itself, a part of it, what a branch of it ends with, or what a
/// method is given, or is called on in a list.
pub(crate) fn given_places(expr: &Expr, found: &mut dyn FnMut(&Expr)) {
    let ends_with = |block: &syn::Block, found: &mut dyn FnMut(&Expr)| {
        end_of(block)
            .into_iter()
            .for_each(|last| given_places(last, found));
    };
    match strip_parentheses(expr) {
        place @ Expr::Path(_) => found(place),
        place @ Expr::Field(field) => match root_name(place) {
            Some(_) => found(place),
            // Of what is made there.
            None => given_places(&field.base, found),
        },
        Expr::Tuple(tuple) => tuple.elems.iter().for_each(|one| given_places(one, found)),
        Expr::Array(array) => array.elems.iter().for_each(|one| given_places(one, found)),
        Expr::Struct(literal) => {
            let fields = literal.fields.iter();
            fields.for_each(|field| given_places(&field.expr, found));
            let rest = literal.rest.iter();
            rest.for_each(|rest| given_places(rest, found));
        }
        Expr::Await(awaited) => given_places(&awaited.base, found),
        Expr::Async(block) => {
            ends_with(&block.block, found);
            syn::visit::Visit::visit_block(&mut Returns(found), &block.block);
        }
        Expr::Unsafe(block) => ends_with(&block.block, found),
        Expr::Cast(cast) => given_places(&cast.expr, found),
        Expr::Closure(closure) => given_by(closure, found),
        // One that is called where it is written.
        Expr::Call(call) => {
            if let Expr::Closure(closure) = strip_parentheses(&call.func) {
                given_by(closure, found);
            }
        }
        Expr::Macro(list)
            if list.mac.path.segments.last().is_some_and(|last| {
                let mut giving = ["vec", "dbg"].iter();
                giving.any(|name| last.ident == name)
            }) =>
        {
            let items = arguments(&list.mac).into_iter().flatten();
            items.for_each(|item| given_places(&item.value, found));
        }
        Expr::MethodCall(call) => {
            if !matches!(
                strip_parentheses(&call.receiver),
                Expr::Path(_) | Expr::Field(_)
            ) {
                given_places(&call.receiver, found);
            }
            call.args.iter().for_each(|one| given_places(one, found));
        }
        Expr::Block(block) => {
            if let Some(label) = &block.label {
                broken_with(&block.block, Some(&label.name), found);
            }
            ends_with(&block.block, found);
        }
        Expr::Loop(looped) => {
            let label = looped.label.as_ref().map(|label| &label.name);
            broken_with(&looped.body, label, found);
        }
        Expr::If(chosen) => {
            ends_with(&chosen.then_branch, found);
            if let Some((_, otherwise)) = &chosen.else_branch {
                given_places(otherwise, found);
            }
        }
        Expr::Match(chosen) => {
            let arms = chosen.arms.iter();
            arms.for_each(|arm| given_places(&arm.body, found));
        }
        _ => {}
    }
}

/// What is given by a `return`, to what is not inside of another body.
struct Returns<'f>(&'f mut dyn FnMut(&Expr));

impl<'ast> syn::visit::Visit<'ast> for Returns<'_> {
    fn visit_expr_return(&mut self, left: &'ast syn::ExprReturn) {
        if let Some(value) = &left.expr {
            given_places(value, self.0);
        }
        syn::visit::visit_expr_return(self, left);
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}
}

/// What a closure gives that is no parameter of its own.
fn given_by(closure: &syn::ExprClosure, found: &mut dyn FnMut(&Expr)) {
    let own: HashSet<_> = closure
        .inputs
        .iter()
        .flat_map(pattern_bindings)
        .map(|binding| binding.ident.to_string())
        .collect();
    let mut outer = |place: &Expr| {
        if root_name(place).is_none_or(|root| !own.contains(&root)) {
            found(place);
        }
    };
    given_places(&closure.body, &mut outer);
    syn::visit::Visit::visit_expr(&mut Returns(&mut outer), &closure.body);
}

/// The list that is written out there, and that methods are called on, one on the other.
pub(crate) fn listed_under(receiver: &Expr) -> Option<&Expr> {
    match strip_parentheses(receiver) {
        Expr::MethodCall(call) => listed_under(&call.receiver),
        list @ (Expr::Array(_) | Expr::Tuple(_) | Expr::Macro(_) | Expr::Struct(_)) => Some(list),
        _ => None,
    }
}

/// What a loop or a block that is left gives: what is left besides, gives no more.
fn broken_with(body: &syn::Block, label: Option<&syn::Lifetime>, found: &mut dyn FnMut(&Expr)) {
    struct Breaks<'a, 'f> {
        label: Option<&'a syn::Lifetime>,
        found: &'f mut dyn FnMut(&Expr),
    }
    impl<'ast> syn::visit::Visit<'ast> for Breaks<'_, '_> {
        fn visit_expr_break(&mut self, left: &'ast syn::ExprBreak) {
            if let Some(value) = &left.expr
                && (left.label.is_none() || left.label.as_ref() == self.label)
            {
                given_places(value, self.found);
            }
            syn::visit::visit_expr_break(self, left);
        }
    }
    syn::visit::Visit::visit_block(&mut Breaks { label, found }, body);
}
