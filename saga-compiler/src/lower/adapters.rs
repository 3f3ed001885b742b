//! `for` over `filter`, `map` and their kin: the closures become the head of the loop, so that they run
//! as lazily, and in the same order, as the iterator would run them.

use quote::format_ident;
use syn::{Expr, ExprClosure, ExprForLoop, Pat, Stmt, visit::Visit};

use crate::ast::calls::strip_parentheses;

/// ```text
/// for x in list.iter().filter(|x| c(x)).map(|x| f(x)) { … }
///     →   for i in list.iter() { if !{ let x = &i; c(x) } { continue; } let x = { let x = i; f(x) }; … }
/// ```
pub(super) fn inlined(looped: &ExprForLoop) -> Option<Expr> {
    let mut adapters = Vec::new();
    let items = split(&looped.expr, &mut adapters)?;
    if adapters.is_empty() {
        return None;
    }
    let mut before: Vec<Stmt> = Vec::new();
    let mut head: Vec<Stmt> = Vec::new();
    let label = looped.label.as_ref().map(|label| &label.name);
    let first = format_ident!("__saga_item_0");
    let mut item = first.clone();
    for (index, (name, closure)) in adapters.iter().rev().enumerate() {
        let next = format_ident!("__saga_item_{}", index + 1);
        let called = closure
            .as_ref()
            .map(|closure| (&closure.inputs[0], &closure.body));
        match (name.as_str(), called) {
            ("filter", Some((pat, body))) => {
                head.push(syn::parse_quote!(if !{ let #pat = &#item; #body } { continue #label; }));
            }
            ("take_while", Some((pat, body))) => {
                head.push(syn::parse_quote!(if !{ let #pat = &#item; #body } { break #label; }));
            }
            ("skip_while", Some((pat, body))) => {
                let skipping = format_ident!("__saga_skipping_{index}");
                before.push(syn::parse_quote!(let mut #skipping = true;));
                head.push(syn::parse_quote!(if #skipping {
                    #skipping = { let #pat = &#item; #body };
                    if #skipping { continue #label; }
                }));
            }
            ("inspect", Some((pat, body))) => {
                head.push(syn::parse_quote!({ let #pat = &#item; #body; }));
            }
            ("map", Some((pat, body))) => {
                head.push(syn::parse_quote!(let #next = { let #pat = #item; #body };));
                item = next;
            }
            ("filter_map", Some((pat, body))) => {
                head.push(syn::parse_quote!(
                    let ::core::option::Option::Some(#next) = ({ let #pat = #item; #body })
                        else { continue #label; };
                ));
                item = next;
            }
            // One by one, as a `Clone` of one's own may do something.
            ("cloned", None) => {
                head.push(syn::parse_quote!(let #next = ::core::clone::Clone::clone(#item);));
                item = next;
            }
            ("enumerate", None) => {
                let count = format_ident!("__saga_count_{index}");
                before.push(syn::parse_quote!(let mut #count = 0usize;));
                head.push(syn::parse_quote!(let #next = (#count, #item);));
                head.push(syn::parse_quote!(#count += 1;));
                item = next;
            }
            _ => return None,
        }
    }
    let (pat, body, label) = (&looped.pat, &looped.body.stmts, &looped.label);
    Some(syn::parse_quote!({
        #(#before)*
        #label for #first in #items {
            #(#head)*
            let #pat = #item;
            #(#body)*
        }
    }))
}

/// Takes the adapters off, last one first; `enumerate` stays where none is inside of it.
fn split<'e>(
    items: &'e Expr,
    adapters: &mut Vec<(String, Option<&'e ExprClosure>)>,
) -> Option<&'e Expr> {
    let Expr::MethodCall(call) = strip_parentheses(items) else {
        return Some(items);
    };
    let name = call.method.to_string();
    match call.args.first().map(strip_parentheses) {
        Some(Expr::Closure(closure)) if call.args.len() == 1 => {
            let known = [
                "filter",
                "filter_map",
                "inspect",
                "map",
                "skip_while",
                "take_while",
            ];
            if !known.contains(&name.as_str()) {
                return Some(items);
            }
            let plain = closure.inputs.len() == 1 && closure.asyncness.is_none();
            // Taken by value it may be another variable than the one of its name.
            if !plain
                || closure.capture.is_some()
                || leaves(&closure.body)
                || !binds_simply(&closure.inputs[0])
            {
                return None;
            }
            adapters.push((name, Some(closure)));
            split(&call.receiver, adapters)
        }
        None if name == "cloned" || (name == "enumerate" && is_inlined(&call.receiver)) => {
            adapters.push((name, None));
            split(&call.receiver, adapters)
        }
        _ => Some(items),
    }
}

fn is_inlined(items: &Expr) -> bool {
    let Expr::MethodCall(call) = strip_parentheses(items) else {
        return false;
    };
    matches!(
        call.args.first().map(strip_parentheses),
        Some(Expr::Closure(_))
    ) || call.method == "cloned"
        || is_inlined(&call.receiver)
}

fn binds_simply(pat: &Pat) -> bool {
    !matches!(pat, Pat::Or(_))
}

/// Whether a closure's body has a way out of its own, or a name for what the loop would have to keep.
fn leaves(body: &Expr) -> bool {
    struct Leaves(bool);
    impl<'ast> Visit<'ast> for Leaves {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            match expr {
                Expr::Return(_) | Expr::Try(_) | Expr::Await(_) => self.0 = true,
                Expr::Closure(_) | Expr::Async(_) => {}
                other => syn::visit::visit_expr(self, other),
            }
        }

        fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
            let text = invocation.tokens.to_string();
            self.0 |= text.contains('?') || text.contains("return");
        }
    }
    let mut leaves = Leaves(false);
    leaves.visit_expr(body);
    leaves.0
}
