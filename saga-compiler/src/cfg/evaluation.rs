//! What a value is evaluated again by: the author's expression without what only says which error there would have been,
//! and with proofs that the rest of it is std's. Names alone prove nothing: an `output()` of the author's runs a program.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, ExprMethodCall, Pat, spanned::Spanned, visit_mut::VisitMut};

use crate::{
    ast::{
        calls::strip_parentheses,
        picks::{Choice, choice},
        uses::root_name,
    },
    cfg::persistence::Evaluation,
};

/// Methods that only take a value out of an `Option` or a `Result`.
const UNWRAPS: &[&str] = &["unwrap", "expect"];

/// Methods that change only the error. Where the value was taken out, there was none, and they are left out.
const ERROR_ONLY: &[&str] = &["map_err", "ok_or", "ok_or_else", "context", "with_context"];

/// Methods of `Option` and `Result` between an answer and its value.
const BETWEEN: &[&str] = &["ok", "flatten"];

/// Methods of std's collections that look something up, each with how many arguments it takes.
const LOOKUPS: &[(&str, usize)] = &[
    ("as_deref", 0),
    ("as_ref", 0),
    ("first", 0),
    ("get", 1),
    ("last", 0),
];

/// Methods of texts that give pieces of them, and that by which there is always one.
const PIECES: &[(&str, usize)] = &[
    ("as_str", 0),
    ("rsplit_once", 1),
    ("split_at", 1),
    ("split_once", 1),
    ("strip_prefix", 1),
    ("strip_suffix", 1),
    ("trim", 0),
    ("trim_end", 0),
    ("trim_end_matches", 1),
    ("trim_matches", 1),
    ("trim_start", 0),
    ("trim_start_matches", 1),
    ("unwrap_or", 1),
];

/// Methods that give them one by one.
const STEPS: &[(&str, usize)] = &[
    ("lines", 0),
    ("rsplit", 1),
    ("rsplitn", 2),
    ("split", 1),
    ("split_ascii_whitespace", 0),
    ("split_whitespace", 0),
    ("splitn", 2),
];

pub(super) fn is_lookup(call: &ExprMethodCall) -> bool {
    is_one_of(call, LOOKUPS)
}

pub(super) fn is_piece(call: &ExprMethodCall) -> bool {
    is_one_of(call, PIECES)
}

/// The call that gives the pieces, where a call gives the first of them.
pub(super) fn first_piece(call: &ExprMethodCall) -> Option<&ExprMethodCall> {
    let Expr::MethodCall(steps) = strip_parentheses(&call.receiver) else {
        return None;
    };
    let is_first = call.method == "next" && call.args.is_empty();
    (is_first && is_one_of(steps, STEPS)).then_some(steps)
}

fn is_one_of(call: &ExprMethodCall, methods: &[(&str, usize)]) -> bool {
    methods.contains(&(call.method.to_string().as_str(), call.args.len()))
}

pub(super) fn is_between(call: &ExprMethodCall) -> bool {
    call.args.is_empty() && is_named(call, BETWEEN)
}

pub(super) fn is_clone(call: &ExprMethodCall) -> bool {
    call.args.is_empty() && call.method == "clone"
}

fn is_named(call: &ExprMethodCall, names: &[&str]) -> bool {
    names.contains(&call.method.to_string().as_str())
}

/// Whether a method only takes a value out of an `Option` or a `Result`, or says which error there is else.
pub(crate) fn takes_value_out(call: &ExprMethodCall) -> bool {
    is_named(call, UNWRAPS) || is_named(call, ERROR_ONLY)
}

pub(super) fn changes_error(call: &ExprMethodCall) -> bool {
    is_named(call, ERROR_ONLY)
}

/// What `E?` and `E.unwrap()` take the value out of.
pub(super) fn unwrapped(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Try(tried) => Some(&tried.expr),
        Expr::MethodCall(call) if is_named(call, UNWRAPS) => Some(&call.receiver),
        _ => None,
    }
}

pub(super) fn without_error(expr: &Expr) -> Expr {
    match strip_parentheses(expr) {
        Expr::MethodCall(call) if is_named(call, ERROR_ONLY) => without_error(&call.receiver),
        other => other.clone(),
    }
}

impl Evaluation {
    /// The expression for another evaluation.
    pub(crate) fn again(&self) -> Expr {
        let proof = match self.of_answer {
            true => Proof::OfAnswer,
            false => Proof::ByTypes,
        };
        let init = proof.evaluated(&self.init);
        match &self.bound {
            None => init,
            Some((Pat::Ident(ident), _)) if ident.subpat.is_none() => init,
            Some((pat @ Pat::Type(_), name)) => syn::parse_quote!({ let #pat = #init; #name }),
            Some((pat, name)) => {
                let gone = gone();
                syn::parse_quote! {
                    match #init {
                        #[allow(unused_variables)]
                        #pat => #name,
                        #[allow(unreachable_patterns)]
                        _ => #gone,
                    }
                }
            }
        }
    }
}

/// The expression for another evaluation: `E?` and `E.unwrap()` become the value or, where there is
/// none any more, the end of a stale continuation.
///
/// ```text
/// answer.map_err(log)?.ok_or(effect())?   →   present(present(answer))
/// ```
pub(super) fn again(expr: &Expr) -> Expr {
    Proof::ByCaller.evaluated(expr)
}

/// Who says that what is evaluated again is std's.
#[derive(Clone, Copy, PartialEq)]
enum Proof {
    /// Who calls this.
    ByCaller,
    /// The type of an answer, as far as values are taken out of it, and types of the rest.
    OfAnswer,
    /// Types, where the value's own has it evaluated again: `__saga_again` says that.
    ByTypes,
}

impl Proof {
    fn evaluated(self, expr: &Expr) -> Expr {
        let mut expr = expr.clone();
        Again { proof: self }.visit_expr_mut(&mut expr);
        expr
    }

    /// The value, or the end of a stale continuation.
    fn present(self, of: &Expr) -> Expr {
        let (of, gone) = (self.evaluated(&without_error(of)), gone());
        let present = match self {
            Self::ByCaller | Self::OfAnswer => {
                quote!(::saga_runtime::__private::Present::present(#of))
            }
            Self::ByTypes => {
                let span = said_at(&of);
                quote_spanned!(span=> {
                    use ::saga_runtime::__private::{PresentAsIs as _, PresentByProof as _};
                    ::saga_runtime::__private::Maybe::of(&__saga_again, #of).saga_present()
                })
            }
        };
        syn::parse_quote!(
            match #present {
                ::core::option::Option::Some(__saga_value) => __saga_value,
                ::core::option::Option::None => #gone,
            }
        )
    }

    /// ```text
    /// match answer { Some(form) => form, None => return … }   →   match answer { Some(form) => form, _ => gone }
    /// ```
    fn chosen(self, choice: &Choice<'_>) -> Expr {
        let scrutinee = self.evaluated(choice.scrutinee);
        let gone = gone();
        let arms = choice.arms.iter().map(|(pat, value)| {
            let value = value.unwrap_or(&gone);
            quote!(#[allow(unused_variables)] #pat => #value,)
        });
        syn::parse_quote! {
            match #scrutinee {
                #(#arms)*
                #[allow(unreachable_patterns)]
                _ => #gone,
            }
        }
    }
}

struct Again {
    proof: Proof,
}

impl VisitMut for Again {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        // A function without a name, which is not called here.
        if let Expr::Closure(_) = expr {
            return;
        }
        if let Some(choice) = choice(expr) {
            *expr = self.proof.chosen(&choice);
            return;
        }
        if let Some(of) = unwrapped(expr) {
            *expr = self.proof.present(of);
            return;
        }
        let of_place = receiver(expr).is_some_and(|of| root_name(of).is_some());
        syn::visit_mut::visit_expr_mut(self, expr);
        if self.proof != Proof::ByCaller {
            prove(expr, of_place);
        }
    }
}

fn receiver(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::MethodCall(call) => Some(&call.receiver),
        _ => None,
    }
}

/// Has rustc look at the type that a step of the expression is done with.
fn prove(expr: &mut Expr, of_place: bool) {
    let private = quote!(::saga_runtime::__private);
    match expr {
        Expr::MethodCall(call) if call.method == "as_ref" => {
            let (of, span) = (&call.receiver, said_at(&call.receiver));
            // What is behind a pointer is not looked into.
            call.receiver =
                syn::parse_quote_spanned!(span=> #private::referred(&__saga_again, &#of));
        }
        Expr::MethodCall(call) if is_lookup(call) || is_piece(call) || is_one_of(call, STEPS) => {
            call.receiver = looked_up(&call.receiver);
        }
        Expr::Index(index) => index.expr = looked_up(&index.expr),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => {
            let of = &unary.expr;
            let span = said_at(of);
            *expr = syn::parse_quote_spanned!(span=> **#private::behind(&__saga_again, &#of));
        }
        Expr::MethodCall(call) if is_clone(call) => {
            let span = said_at(call);
            *expr = of_each(&call.receiver, of_place, |of| {
                quote_spanned! {span=> {
                    use #private::ClonedBy as _;
                    #private::Cloned::new(#of.clone(), #of.__saga_cloned()).proven(&__saga_again)
                }}
            });
        }
        Expr::MethodCall(call) if is_between(call) => {
            let (span, method) = (said_at(call), &call.method);
            *expr = of_each(&call.receiver, of_place, |of| {
                quote_spanned! {span=> {
                    #private::optional(&__saga_again, &#of);
                    #of.#method()
                }}
            });
        }
        Expr::Call(call) => {
            if let (Expr::Path(path), Some(of @ Expr::Reference(_))) =
                (&*call.func, call.args.first())
                && path
                    .path
                    .segments
                    .last()
                    .is_some_and(|last| last.ident == "clone")
            {
                let span = said_at(path);
                *expr = syn::parse_quote_spanned!(span=> #private::by_clone(&__saga_again, #path).of(#of));
            }
        }
        _ => {}
    }
}

/// What rustc says of it is said where it stands.
fn said_at(code: &impl Spanned) -> Span {
    code.span().resolved_at(Span::call_site())
}

fn looked_up(of: &Expr) -> Box<Expr> {
    let span = said_at(of);
    let looked_up = quote::format_ident!("looked_up", span = span);
    syn::parse_quote_spanned!(span=> ::saga_runtime::__private::#looked_up(&__saga_again, &#of))
}

/// Mentions a value more than once, which is evaluated once.
fn of_each(of: &Expr, is_place: bool, then: impl FnOnce(&TokenStream) -> TokenStream) -> Expr {
    match is_place {
        true => {
            let then = then(&quote!(#of));
            syn::parse_quote!(#then)
        }
        false => {
            let then = then(&quote!(__saga_of));
            syn::parse_quote!(match #of { __saga_of => #then })
        }
    }
}

/// The end of a stale continuation.
pub(super) fn gone() -> Expr {
    syn::parse_quote!({
        (&__saga).gone();
        break '__saga_end;
    })
}
