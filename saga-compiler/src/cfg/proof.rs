//! Proofs: what is evaluated again is of std, so that it does nothing; rustc says so of types that are not.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, ExprMethodCall, spanned::Spanned, visit::Visit};

use crate::ast::calls::{is_literal, is_of_runtime, strip_parentheses};

/// ```text
/// &mut list[0]   →   &mut list.__saga_indexed_mut()[0]
/// ```
pub(super) fn prove_indexed(init: &mut Expr) {
    match init {
        Expr::Paren(paren) => prove_indexed(&mut paren.expr),
        Expr::Group(group) => prove_indexed(&mut group.expr),
        Expr::Tuple(tuple) => tuple.elems.iter_mut().for_each(prove_indexed),
        Expr::Struct(literal) => {
            let fields = literal.fields.iter_mut();
            fields.for_each(|field| prove_indexed(&mut field.expr));
            *init = made_of_parts(init);
        }
        Expr::If(chosen) => {
            let otherwise = chosen.else_branch.iter_mut();
            let otherwise = otherwise.filter_map(|(_, branch)| match &mut **branch {
                Expr::Block(block) => Some(&mut block.block),
                _ => None,
            });
            for block in otherwise.chain([&mut chosen.then_branch]) {
                if let Some(syn::Stmt::Expr(place, None)) = block.stmts.last_mut() {
                    prove_indexed(place);
                }
            }
        }
        Expr::Match(chosen) => {
            for arm in &mut chosen.arms {
                prove_indexed(&mut arm.body);
            }
        }
        Expr::Reference(reference) => {
            if let Expr::Unary(unary) = strip_parentheses(&reference.expr) {
                let of = &unary.expr;
                let span = of.span().resolved_at(Span::call_site());
                *init = syn::parse_quote_spanned!(span=> {
                    let _ = ::saga_runtime::__private::std_behind(&#of);
                    #reference
                });
                return;
            }
            prove_place(&mut reference.expr, reference.mutability.is_some());
        }
        _ => {}
    }
}

/// A literal of a struct, whose type has to prove that it is as good as its parts.
pub(crate) fn made_of_parts(literal: &Expr) -> Expr {
    let span = literal.span().resolved_at(Span::call_site());
    syn::parse_quote_spanned!(span=> {
        use ::saga_runtime::__private::{MadeOfParts as _, MadeWithDrop as _};
        let __saga_literal = #literal;
        (&&::saga_runtime::__private::Witness::of(&__saga_literal)).saga_literal();
        __saga_literal
    })
}

/// Whether there is one in it.
pub(super) fn has_struct(init: &Expr) -> bool {
    struct Structs(bool);
    impl<'ast> Visit<'ast> for Structs {
        fn visit_expr_struct(&mut self, _: &'ast syn::ExprStruct) {
            self.0 = true;
        }

        // It makes one for each call.
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    }
    let mut structs = Structs(false);
    structs.visit_expr(init);
    structs.0
}

/// Every collection on the way to a place.
pub(super) fn prove_place(place: &mut Expr, mutable: bool) {
    match place {
        Expr::Paren(paren) => prove_place(&mut paren.expr, mutable),
        Expr::Group(group) => prove_place(&mut group.expr, mutable),
        Expr::Field(field) => prove_place(&mut field.base, mutable),
        Expr::Index(index) => {
            prove_place(&mut index.expr, mutable);
            let base = &index.expr;
            // What rustc says of it is said there.
            let span = base.span().resolved_at(Span::call_site());
            if !is_literal(&index.index) {
                let by = &index.index;
                let span = by.span().resolved_at(Span::call_site());
                index.index =
                    syn::parse_quote_spanned!(span=> ::saga_runtime::__private::std_key(#by));
            }
            index.expr = match mutable {
                true => syn::parse_quote_spanned!(span=> #base.__saga_indexed_mut()),
                false => syn::parse_quote_spanned!(span=>
                    ::saga_runtime::__private::std_indexed(&#base)
                ),
            };
        }
        _ => {}
    }
}

/// Whether a call has nothing but that proof of what a loop goes over.
pub(crate) fn is_source(call: &syn::ExprCall) -> bool {
    is_of_runtime(&call.func, &["std_collection", "std_items"])
}

pub(super) fn collection_of_std(items: &Expr) -> Expr {
    syn::parse_quote!(::saga_runtime::__private::std_collection(#items))
}

/// Has rustc look whether these are methods of std's: one of a trait of the author's may go by the same name, and comes
/// first where it is closer to the collection. Nothing of this runs.
pub(crate) fn of_std<'c>(calls: impl IntoIterator<Item = &'c ExprMethodCall>) -> TokenStream {
    let calls = calls.into_iter();
    let calls = calls.map(|call| {
        let (of, arguments) = (&call.receiver, &call.args);
        let (name, turbofish) = (&call.method, &call.turbofish);
        let method = quote!(#name #turbofish);
        // Where rustc would write the call otherwise, it is of the author's receiver.
        let span = of.span().resolved_at(Span::call_site());
        // `AsMut` is everybody's, so that another one of a pointer is one too many already.
        let of_pointers = match name == "as_mut" {
            true => &[][..],
            false => &["saga_itself", "saga_next"],
        };
        let steps = of_pointers.iter().chain(&["saga_collection"]);
        let steps = steps.map(|step| {
            let step = quote::format_ident!("{step}", span = span);
            quote_spanned! {span=>
                let _ = (&__saga_receiver).#step().#method(#arguments);
                let _ = (*(&__saga_receiver).#step()).#method(#arguments);
                let _ = (&*(&__saga_receiver).#step()).#method(#arguments);
            }
        });
        quote_spanned! {span=>
            let __saga_receiver = ::saga_runtime::__private::Receiver::of(&#of);
            #(#steps)*
            let _ = #of.#method(#arguments);
        }
    });
    let calls: TokenStream = calls.collect();
    if calls.is_empty() {
        return calls;
    }
    quote! {
        '__saga_std: {
            break '__saga_std;
            #[allow(unreachable_code)]
            {
                use ::saga_runtime::__private::{
                    OfCollection as _, OfOther as _, OnlyMethodsOfStdAreCalledAgain as _,
                };
                #calls
            };
        }
    }
}
