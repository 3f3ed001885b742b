//! An ask as the runtime takes it.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{Expr, spanned::Spanned};

use super::machine::located;

use crate::{
    ast::vocabulary::Method,
    cfg::{AskCall, AskLimit},
    syntax::asks::sleeps,
};

/// The handle of an ask: its type must be one.
pub(super) fn handle(ask: &AskCall) -> TokenStream {
    let span = located(ask.handle.span());
    match ask.method {
        Method::Question => quote_spanned!(span=> ::saga_runtime::__private::cx),
        _ => quote_spanned!(span=> ::saga_runtime::__private::handle),
    }
}

/// The runtime's form of an ask.
pub(super) fn question(ask: &AskCall, tokens: impl Fn(&Expr) -> TokenStream) -> TokenStream {
    let arguments = ask.arguments.iter().map(&tokens);
    let (kind, constructor) = match ask.method {
        Method::Question => return limited(ask, quote!(#(#arguments)*), &tokens),
        Method::Elicit => ("Elicit", "new"),
        Method::ElicitWithTimeout => ("Elicit", "with_timeout"),
        Method::ElicitUrl => ("ElicitUrl", "new"),
        Method::ElicitUrlWithTimeout => ("ElicitUrl", "with_timeout"),
        Method::CreateElicitation => ("CreateElicitation", "new"),
        Method::CreateElicitationWithTimeout => ("CreateElicitation", "with_timeout"),
        Method::CreateMessage => ("CreateMessage", "new"),
        Method::ListRoots => ("ListRoots", "new"),
        Method::Sleep => ("Sleep", "new"),
        Method::TrySleep => ("TrySleep", "new"),
    };
    let (kind, constructor) = (format_ident!("{kind}"), format_ident!("{constructor}"));
    let answer = match (&ask.turbofish, ask.method) {
        (Some(turbofish), _) => {
            let arguments = &turbofish.args;
            quote!(::<#arguments>)
        }
        (None, Method::Elicit | Method::ElicitWithTimeout) => quote!(::<_>),
        _ => TokenStream::new(),
    };
    let question = quote!(::saga_runtime::__private::#kind #answer ::#constructor(#(#arguments),*));
    limited(ask, question, &tokens)
}

/// The question with what may end it before its answer.
fn limited(
    ask: &AskCall,
    question: TokenStream,
    tokens: impl Fn(&Expr) -> TokenStream,
) -> TokenStream {
    match &ask.limit {
        None => question,
        Some(limit @ (AskLimit::Timeout(time) | AskLimit::TimeoutAt(time))) => {
            let time = tokens(time);
            let time = match limit {
                AskLimit::TimeoutAt(_) => quote!(::saga_runtime::__private::time_left(#time)),
                _ => time,
            };
            // The time is evaluated before what is asked.
            quote! {
                match #time {
                    __saga_time => ::saga_runtime::__private::Limited::new(__saga_time, #question),
                }
            }
        }
        Some(AskLimit::Race(other)) => match sleeps(other) {
            Some(sleep) => {
                let length = tokens(sleep.args.first().unwrap_or(other));
                quote! {
                    match ::saga_runtime::__private::Sleep::new(#length) {
                        __saga_sleep => ::saga_runtime::__private::Raced::beside(__saga_sleep, #question),
                    }
                }
            }
            // What is beside it says by its type whether it is a time limit.
            None => question,
        },
    }
}
