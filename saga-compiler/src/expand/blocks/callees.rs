//! What is awaited at a suspension point that is no ask of its own.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Expr, Stmt, spanned::Spanned};

use super::{Handed, called_at, receiver_unchanged, whole};
use crate::{
    analysis::fingerprint,
    ast::{
        calls::{call_operands, callee_mut, is_literal, is_nested, strip_parentheses},
        uses::Uses,
    },
    cfg::{Arm, CallLimit, Callee, Facts, VarId, copies},
    expand::{
        machine::{Machine, Names, located},
        question::{handle, question},
    },
};

impl Machine<'_> {
    pub(super) fn awaited(
        &self,
        (point, limit): (u32, Option<&CallLimit>),
        callee: &Callee,
        (handed, held): (&[Handed], Option<VarId>),
        facts: &Facts,
        names: &Names,
    ) -> (TokenStream, TokenStream) {
        let mut is_variable = |name: &Ident| {
            let mut reads = facts.reads.iter();
            name == "self" || reads.any(|var| self.flow.goes_by(*var, name.to_string()))
        };
        let mut functions = TokenStream::new();
        // Those of a `join_all` are as many as there are items.
        let of_each = matches!(callee, Callee::Each { .. });
        let mut arm = |index: usize, arm: &Arm, kind: &TokenStream| {
            let kind = quote!(::saga_runtime::__private::#kind);
            let mut arm = arm.clone();
            let named = match &mut arm {
                Arm::Other(call) | Arm::Plain(call) => {
                    // A name of the pattern there may hide the variable's.
                    if !of_each {
                        self.copied_later(call, names);
                    }
                    let (function, named) = named(index, call, &mut is_variable);
                    functions.extend(function);
                    named
                }
                Arm::Ask(..) => quote!(::saga_runtime::__private::Named::Other),
            };
            let future = self.arm_future(index, &arm);
            let is_made_once = match &mut arm {
                Arm::Ask(..) => false,
                Arm::Plain(_) => true,
                // A temporary that it is lent has to be there as long as the arms are.
                Arm::Other(call) => {
                    !of_each && call_operands(call).iter().all(|given| is_lasting(given))
                }
            };
            match is_made_once {
                // It may have done something before it gave its future.
                true => quote! {
                    match (&__saga).is_over(#index) {
                        true => #kind::over(),
                        false => #kind::new(#named, #future),
                    }
                },
                false => quote!(#kind::new(#named, #future)),
            }
        };
        let mut receiver = TokenStream::new();
        let awaited = match callee {
            Callee::One(callee) => {
                let at = located(called_at(callee));
                let mut callee = self.rewritten(callee, facts, names);
                if let Stmt::Expr(callee, _) = &mut callee {
                    let received = held.and_then(|var| self.received(callee, var, handed));
                    let mut operands = call_operands(callee);
                    for (index, var, given) in handed {
                        let given = Expr::Verbatim(given.clone());
                        if let Some(operand) = operands.get_mut(*index)
                            && let Some(given) =
                                copies::give_in(operand, &names.of(self.flow, *var), given)
                        {
                            **operand = given;
                        }
                    }
                    self.copied_later(callee, names);
                    if let (Some(received), Expr::MethodCall(call)) = (received, callee_mut(callee))
                    {
                        receiver = received.before;
                        *call.receiver = received.receiver;
                    }
                }
                let unchanged = match &callee {
                    Stmt::Expr(callee, _) if held.is_none() => {
                        receiver_unchanged(callee, &mut is_variable)
                    }
                    _ => TokenStream::new(),
                };
                let (function, named) = match &mut callee {
                    Stmt::Expr(callee, _) => named(0, callee, is_variable),
                    _ => (None, quote!(::saga_runtime::__private::Named::Other)),
                };
                let callee = whole(callee);
                // A call of the function itself is told of at its `.await`.
                let how = match limit {
                    None => quote_spanned!(at=> call(#point, #named, __saga_callee)),
                    Some(CallLimit::Within(when)) => {
                        let when = names.of(self.flow, *when);
                        quote_spanned!(at=> call_within(#point, #named, #when, __saga_callee))
                    }
                    Some(CallLimit::Beside(when, first)) => {
                        let when = names.of(self.flow, *when);
                        quote_spanned!(at=> call_or_sleep(#point, #named, (#when, #first), __saga_callee))
                    }
                    Some(CallLimit::Unless(other, first)) => {
                        let other = self.tokens(&mut (**other).clone());
                        quote_spanned!(at=> call_unless(#point, #named, (#other, #first), __saga_callee))
                    }
                };
                let called = quote_spanned! {at=>
                    match ::core::pin::pin!(#callee) {
                        __saga_callee => (&mut __saga).#how.await,
                    }
                };
                match (unchanged.is_empty(), &function) {
                    (true, None) => called,
                    _ => quote!({ #unchanged #function #called }),
                }
            }
            Callee::Join { arms, tries } => {
                let kind = kind_of_arm(*tries);
                let at = arms
                    .first()
                    .map_or_else(Span::call_site, |first| match first {
                        Arm::Other(call) | Arm::Plain(call) => located(called_at(call)),
                        Arm::Ask(ask, _) => located(ask.handle.span()),
                    });
                let names: Vec<Ident> = (0..arms.len())
                    .map(|index| format_ident!("__saga_arm_{index}"))
                    .collect();
                let values = arms.iter().zip(&names);
                let checked: TokenStream = values.map(|(arm, name)| checked(arm, name)).collect();
                let arms = arms.iter().enumerate();
                let arms: Vec<_> = arms.map(|(index, one)| arm(index, one, &kind)).collect();
                // Made before the activation is borrowed: a question may ask it about the client.
                quote_spanned! {at=> {
                    #functions
                    match (#(#arms,)*) {
                        #[allow(unused_mut)]
                        (#(mut #names,)*) => {
                            #checked
                            (&mut __saga).join(#point, (#(#names,)*)).await
                        }
                    }
                }}
            }
            Callee::Each {
                items,
                pat,
                arm: one,
                tries,
            } => {
                let mut items = items.clone();
                self.copied_later(&mut items, names);
                let items = self.tokens(&mut items);
                let name = format_ident!("__saga_arm");
                let checked = checked(one, &name);
                let arm = arm(0, one, &kind_of_arm(*tries));
                // Made before the activation is borrowed: a question may ask it about the client.
                quote! {{
                    #functions
                    let __saga_arms: ::std::vec::Vec<_> = ::core::iter::Iterator::collect(
                        ::core::iter::Iterator::map(#items, |#pat| {
                            #[allow(unused_mut)]
                            let mut #name = #arm;
                            #checked
                            #name
                        })
                    );
                    (&mut __saga).join(#point, __saga_arms).await
                }}
            }
        };
        (receiver, awaited)
    }

    fn arm_future(&self, index: usize, arm: &Arm) -> TokenStream {
        match arm {
            Arm::Other(call) | Arm::Plain(call) => self.tokens(&mut call.clone()),
            Arm::Ask(ask, key) => {
                let question = question(ask, |expr| self.tokens(&mut expr.clone()));
                let receiver = self.tokens(&mut ask.handle.clone());
                let handle = handle(ask);
                let name = self.input.item.sig.ident.to_string();
                let fingerprint = fingerprint::arm(&name, index, key);
                quote! {{
                    static __SAGA_ARM: ::saga_runtime::__private::Function =
                        ::saga_runtime::__private::Function {
                            name: #name,
                            fingerprint: #fingerprint,
                            points: &[::saga_runtime::__private::Point {
                                key: #key,
                                awaits: "",
                                stored: &[],
                                next: &[0],
                                fingerprint: #fingerprint,
                                accepts: &[],
                            }],
                            first: &[1],
                        };
                    ::saga_runtime::__private::ask_arm(&__SAGA_ARM, #handle(&(#receiver)), #question)
                }}
            }
        }
    }
}

/// An arm whose error ends the others, or one that is awaited whatever they give.
fn kind_of_arm(tries: bool) -> TokenStream {
    match tries {
        true => quote!(TryArm),
        false => quote!(Arm),
    }
}

/// What is asked of the type of an arm's value.
fn checked(arm: &Arm, name: &Ident) -> TokenStream {
    let at = match arm {
        Arm::Ask(..) => return TokenStream::new(),
        Arm::Other(call) | Arm::Plain(call) => located(call.span()),
    };
    let value = quote_spanned!(at=> (&&&&&&::saga_runtime::__private::ValueOf::arm(&#name)).saga_arm(&mut #name););
    quote! {{
        #[allow(unused_imports)]
        use ::saga_runtime::__private::{
            DroppedArm as _, LossyArm as _, MemoryArm as _, OtherArm as _, SharedArm as _, ShownArm as _,
        };
        #value
    }}
}

/// What a call names, and what has to be there for it: a function that is named by its path is taken out of the call.
fn named(
    index: usize,
    call: &mut Expr,
    mut is_variable: impl FnMut(&Ident) -> bool,
) -> (Option<TokenStream>, TokenStream) {
    let private = quote!(::saga_runtime::__private::Named);
    if is_nested(call) {
        return (None, quote!(#private::Other));
    }
    match callee_mut(call) {
        Expr::MethodCall(call) => {
            let name = call.method.to_string();
            (None, quote!(#private::Method(#name)))
        }
        Expr::Call(call) => match strip_parentheses(&call.func) {
            Expr::Path(path)
                if !path.path.get_ident().is_some_and(&mut is_variable)
                    && names_function(&path.path) =>
            {
                let at = located(path.path.span());
                let function = format_ident!("__saga_function_{index}", span = at);
                let taken = quote_spanned!(at=> let #function = #path;);
                call.func = syn::parse_quote_spanned!(at=> #function);
                (Some(taken), quote!(#private::function(&#function)))
            }
            _ => (None, quote!(#private::Other)),
        },
        _ => (None, quote!(#private::Other)),
    }
}

/// Whether a path is that of a function, as it is written: a static cannot be taken out of its place.
fn names_function(path: &syn::Path) -> bool {
    let last = path.segments.last();
    last.is_some_and(|last| last.ident.to_string().contains(char::is_lowercase))
}

/// Whether nothing is made for an operand that lives for its statement alone.
fn is_lasting(operand: &Expr) -> bool {
    match strip_parentheses(operand) {
        // A block gives a copy that is made in it.
        Expr::Path(_) | Expr::Lit(_) | Expr::Block(_) | Expr::Verbatim(_) => true,
        // What is given away is not gone, nor is what it is made of.
        Expr::Closure(_) => true,
        Expr::Array(list) => list.elems.iter().all(is_lasting),
        Expr::Tuple(tuple) => tuple.elems.iter().all(is_lasting),
        Expr::Call(call) => call.args.iter().all(is_lasting),
        Expr::Struct(literal) => literal.fields.iter().all(|field| is_lasting(&field.expr)),
        Expr::Cast(cast) => is_lasting(&cast.expr),
        Expr::Binary(binary) => is_lasting(&binary.left) && is_lasting(&binary.right),
        Expr::MethodCall(call) => is_kept(&call.receiver) && call.args.iter().all(is_lasting),
        Expr::Field(field) => is_kept(&field.base),
        Expr::Index(index) => is_kept(&index.expr) && is_lasting(&index.index),
        Expr::Reference(lent) => is_kept(&lent.expr),
        Expr::Unary(unary) => is_lasting(&unary.expr),
        Expr::Range(range) => {
            let mut ends = range.start.iter().chain(&range.end);
            ends.all(|end| is_lasting(end))
        }
        // One of several places.
        Expr::If(chosen) => {
            let otherwise = chosen.else_branch.as_ref();
            ends_with_lasting(&chosen.then_branch)
                && otherwise.is_none_or(|(_, otherwise)| is_lasting(otherwise))
        }
        Expr::Match(chosen) => chosen.arms.iter().all(|arm| is_lasting(&arm.body)),
        _ => false,
    }
}

fn ends_with_lasting(block: &syn::Block) -> bool {
    match block.stmts.last() {
        Some(Stmt::Expr(last, None)) => is_lasting(last),
        _ => true,
    }
}

/// Whether what is lent is no temporary: a place, or literals, which are there for good.
fn is_kept(place: &Expr) -> bool {
    match strip_parentheses(place) {
        Expr::Path(_) | Expr::Lit(_) | Expr::Block(_) | Expr::Verbatim(_) => true,
        Expr::Field(field) => is_kept(&field.base),
        Expr::Index(index) => is_kept(&index.expr) && is_lasting(&index.index),
        Expr::Unary(unary) => is_kept(&unary.expr),
        Expr::Reference(lent) => is_kept(&lent.expr),
        // One that captures nothing is there for good.
        closure @ Expr::Closure(_) => captures_nothing(closure),
        list => is_literal(list),
    }
}

fn captures_nothing(closure: &Expr) -> bool {
    struct Callees(Vec<String>);
    impl<'ast> syn::visit::Visit<'ast> for Callees {
        fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
            if let Expr::Path(path) = &*call.func {
                self.0
                    .extend(path.path.get_ident().map(ToString::to_string));
            }
            syn::visit::visit_expr_call(self, call);
        }
    }
    let mut callees = Callees(Vec::new());
    syn::visit::Visit::visit_expr(&mut callees, closure);
    let is_variable = |name: &String| {
        !callees.0.contains(name)
            && name.starts_with(|first: char| first.is_lowercase() || first == '_')
    };
    !Uses::of_expr(closure).reads.keys().any(is_variable)
}
