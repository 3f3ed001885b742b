//! Copies of what stays where it is: how one is made is chosen by its type.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::{Expr, spanned::Spanned};

/// A copy of a field.
pub(crate) fn part(field: &Expr) -> Expr {
    let span = field.span().resolved_at(Span::call_site());
    chosen(
        span,
        quote_spanned!(span=> (&&&&&&::saga_runtime::__private::Looked::at(&#field)).saga_part(&#field)),
    )
}

/// A copy of one on which a method is called that takes it, if it is std's.
pub(crate) fn optional_part(field: &Expr) -> Expr {
    let span = field.span().resolved_at(Span::call_site());
    chosen(
        span,
        quote_spanned!(span=>
            (&&&&&&::saga_runtime::__private::Looked::at_optional(&#field)).saga_part(&#field)
        ),
    )
}

/// The same where a type of the author's own may only look at it: of another type than std's it is lent.
pub(crate) fn lendable_part(field: &Expr) -> Expr {
    let span = field.span().resolved_at(Span::call_site());
    chosen(
        span,
        quote_spanned!(span=> {
            use ::saga_runtime::__private::{ChangeableOfStd as _, ChangeableOther as _};
            (&&&&&&(&&::saga_runtime::__private::Looked::at(&#field)).saga_of_std()).saga_looked_at(&#field)
        }),
    )
}

/// The same of one that may be changed: of another type than std's it is lent.
pub(crate) fn changeable_part(field: &Expr) -> Expr {
    let span = field.span().resolved_at(Span::call_site());
    chosen(
        span,
        quote_spanned!(span=> {
            use ::saga_runtime::__private::{ChangeableOfStd as _, ChangeableOther as _};
            (&&&&&&(&&::saga_runtime::__private::Looked::at(&#field)).saga_of_std())
                .saga_changeable(&mut #field)
        }),
    )
}

/// With the ways to copy in scope, one of which is chosen by type.
pub(crate) fn chosen(span: Span, call: TokenStream) -> Expr {
    syn::parse_quote_spanned!(span=> {
        #[allow(unused_imports)]
        use ::saga_runtime::__private::{
            PartCopied as _, PartOther as _, PartPlain as _, PartShared as _, PartShown as _, PartWritten as _,
        };
        #call
    })
}

/// A copy of what is kept for a call. In a block of its own, so that it may be coerced where it goes.
///
/// What is no field may have a type that is known only where it goes: `ask(&cx, "a".into())`.
pub(crate) fn of_kept(kept: &Expr, is_field: bool) -> Expr {
    let span = kept.span().resolved_at(Span::call_site());
    let copied = match is_field {
        true => chosen(
            span,
            quote_spanned!(span=> (&&&&&&(&&&::saga_runtime::__private::Witness::of(&#kept)).saga_cloned()).saga_part(&#kept)),
        ),
        false => syn::parse_quote_spanned!(span=>
            (&&&::saga_runtime::__private::Witness::of(&#kept)).saga_copied(&#kept)
        ),
    };
    syn::parse_quote_spanned!(span=> {
        use ::saga_runtime::__private::{CopyByClone as _, CopyBySerde as _, CopyOther as _};
        let __saga_copy = #copied;
        __saga_copy
    })
}

/// The same of a receiver, which is lent where there is no copy of it.
pub(crate) fn of_receiver(kept: &Expr) -> Expr {
    let span = kept.span().resolved_at(Span::call_site());
    chosen(
        span,
        quote_spanned!(span=> {
            use ::saga_runtime::__private::{CopyByClone as _, CopyBySerde as _, ReceiverLent as _};
            (&&&&&&(&&&::saga_runtime::__private::Witness::of(&#kept)).saga_cloned()).saga_part(&#kept)
        }),
    )
}
