//! Evaluating once more what was evaluated before: errors and other ways out were not taken then.

use syn::{Expr, visit_mut::VisitMut};

use crate::{
    arms::{Choice, choice},
    asks::peel,
    methods::{ERROR_ONLY, UNWRAPS},
};

/// The expression for another evaluation: `E?` and `E.unwrap()` become the value or, where there is
/// none any more, the end of a stale continuation.
///
/// ```text
/// answer.map_err(log)?.ok_or(effect())?   →   present(present(answer))
/// ```
pub(crate) fn again(expr: &Expr) -> Expr {
    struct Again;
    impl VisitMut for Again {
        fn visit_expr_mut(&mut self, expr: &mut Expr) {
            if let Some(choice) = choice(expr) {
                *expr = chosen_again(&choice);
                return;
            }
            let inner = match expr {
                Expr::Try(tried) => Some(without_error(&tried.expr)),
                Expr::MethodCall(call) if UNWRAPS.contains(&call.method.to_string().as_str()) => {
                    Some(without_error(&call.receiver))
                }
                _ => None,
            };
            match inner {
                Some(inner) => {
                    let inner = again(&inner);
                    *expr = syn::parse_quote!(
                        match ::saga_runtime::__private::Present::present(#inner) {
                            ::core::option::Option::Some(__saga_value) => __saga_value,
                            ::core::option::Option::None => { __saga.gone(); break '__saga_end; }
                        }
                    );
                }
                None => syn::visit_mut::visit_expr_mut(self, expr),
            }
        }
    }
    let mut expr = expr.clone();
    Again.visit_expr_mut(&mut expr);
    expr
}

/// ```text
/// match answer { Some(form) => form, None => return … }   →   match answer { Some(form) => form, _ => gone }
/// ```
fn chosen_again(choice: &Choice<'_>) -> Expr {
    let scrutinee = again(choice.scrutinee);
    let gone: Expr = syn::parse_quote!({
        __saga.gone();
        break '__saga_end;
    });
    let arms = choice.arms.iter().map(|(pat, value)| {
        let value = value.unwrap_or(&gone);
        quote::quote!(#pat => #value,)
    });
    syn::parse_quote! {
        match #scrutinee {
            #(#arms)*
            #[allow(unreachable_patterns)]
            _ => #gone,
        }
    }
}

fn without_error(expr: &Expr) -> Expr {
    match peel(expr) {
        Expr::MethodCall(call) if ERROR_ONLY.contains(&call.method.to_string().as_str()) => {
            without_error(&call.receiver)
        }
        other => other.clone(),
    }
}
