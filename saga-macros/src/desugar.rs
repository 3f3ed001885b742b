//! Constructs that are another way to write what the lowering knows.

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Expr, Lifetime,
    parse::ParseStream,
    visit_mut::{self, VisitMut},
};

use crate::{asks::Handles, errors::Errors, jumps::leave_by};

/// Rewrites the body.
pub(crate) fn desugar(body: &mut syn::Block, handles: &Handles, errors: &mut Errors) {
    let mut desugar = Desugar {
        handles,
        errors,
        blocks: 0,
    };
    desugar.visit_block_mut(body);
}

struct Desugar<'a> {
    handles: &'a Handles,
    errors: &'a mut Errors,
    /// Async blocks so far, for their labels.
    blocks: usize,
}

impl VisitMut for Desugar<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        let rewritten = match expr {
            Expr::Macro(invocation) if invocation.mac.path.is_ident("matches") => {
                self.matches(&invocation.mac)
            }
            Expr::Await(awaited) => match crate::asks::peel(&awaited.base) {
                Expr::Async(block) => self.async_block(block),
                _ => None,
            },
            _ => None,
        };
        if let Some(rewritten) = rewritten {
            *expr = rewritten;
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

impl Desugar<'_> {
    /// ```text
    /// matches!(ask, PAT)   →   match ask { PAT => true, _ => false }
    /// ```
    fn matches(&self, invocation: &syn::Macro) -> Option<Expr> {
        let (scrutinee, pat) = invocation.parse_body_with(scrutinee_and_pattern).ok()?;
        self.handles
            .contains_suspension(&scrutinee)
            .then(|| syn::parse_quote!(match #scrutinee { #pat => true, _ => false }))
    }

    /// ```text
    /// async { a?; return b; c }.await   →   'block: { a?; break 'block b; c }   where `?` leaves the block
    /// ```
    fn async_block(&mut self, block: &syn::ExprAsync) -> Option<Expr> {
        let body = Expr::Block(syn::ExprBlock {
            attrs: Vec::new(),
            label: None,
            block: block.block.clone(),
        });
        if !self.handles.contains_suspension(&body) {
            return None;
        }
        let label = format!("'__saga_async_{}", self.blocks);
        let label = Lifetime::new(&label, block.async_token.span);
        self.blocks += 1;
        let mut body = block.block.clone();
        let mut leave = Leave {
            label: &label,
            in_macro: None,
        };
        leave.visit_block_mut(&mut body);
        if let Some(invocation) = leave.in_macro {
            self.errors.refuse(
                &invocation,
                "`?` or `return` inside a macro's arguments in an async block that asks",
                "it leaves the block, and inside the macro it cannot be seen",
                "`let value = …?;` before the macro, and `value` in it",
            );
        }
        Some(syn::parse_quote!(#label: #body))
    }
}

/// `return` and `?` leave an async block, not the function around it.
struct Leave<'a> {
    label: &'a Lifetime,
    in_macro: Option<syn::Macro>,
}

impl VisitMut for Leave<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Closure(_) | Expr::Async(_) => return,
            _ => visit_mut::visit_expr_mut(self, expr),
        }
        let label = self.label;
        match expr {
            Expr::Return(returned) => {
                let value = &returned.expr;
                *expr = syn::parse_quote!(break #label #value);
            }
            Expr::Try(tried) => leave_by(tried, label),
            _ => {}
        }
    }

    fn visit_macro_mut(&mut self, invocation: &mut syn::Macro) {
        if leaves(invocation.tokens.clone()) {
            self.in_macro.get_or_insert(invocation.clone());
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

fn leaves(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Punct(punct) => punct.as_char() == '?',
        TokenTree::Ident(ident) => ident == "return",
        TokenTree::Group(group) => leaves(group.stream()),
        TokenTree::Literal(_) => false,
    })
}

fn scrutinee_and_pattern(input: ParseStream<'_>) -> syn::Result<(Expr, TokenStream)> {
    let scrutinee = input.parse()?;
    input.parse::<syn::Token![,]>()?;
    let pat: TokenStream = input.parse()?;
    let mut tokens: Vec<_> = pat.into_iter().collect();
    if matches!(tokens.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == ',') {
        tokens.pop();
    }
    Ok((scrutinee, tokens.into_iter().collect()))
}
