//! Copies of what stays where it is: how one is made is chosen by its type.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::{
    Expr, Pat, Stmt,
    spanned::Spanned,
    visit_mut::{self, VisitMut},
};

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

/// Whether this is what [`part`] makes.
pub(crate) fn is_part(expr: &Expr) -> bool {
    let last = match expr {
        Expr::Block(block) => block.block.stmts.last(),
        _ => None,
    };
    matches!(last, Some(Stmt::Expr(Expr::MethodCall(call), None)) if call.method == "saga_part")
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
            quote_spanned!(span=> (&&&&&&(&&&&::saga_runtime::__private::Witness::of(&#kept)).saga_cloned()).saga_part(&#kept)),
        ),
        false => syn::parse_quote_spanned!(span=>
            (&&&&::saga_runtime::__private::Witness::of(&#kept)).saga_copied(&#kept)
        ),
    };
    syn::parse_quote_spanned!(span=> {
        use ::saga_runtime::__private::{CopyByClone as _, CopyBySerde as _, CopyBySerdeShown as _, CopyOther as _};
        let __saga_copy = #copied;
        __saga_copy
    })
}

/// A key of its own, by which something is looked up again: [`by_key`].
pub(crate) fn of_key(key: &Expr) -> Expr {
    let span = key.span().resolved_at(Span::call_site());
    syn::parse_quote_spanned!(span=> {
        #[allow(unused_imports)]
        use ::saga_runtime::__private::{KeyLent as _, KeyOther as _};
        let __saga_key = #key;
        (&&::saga_runtime::__private::Witness::of(&__saga_key)).saga_kept(__saga_key)
    })
}

/// What is looked up by it.
pub(crate) fn by_key(kept: &Expr) -> Expr {
    let span = kept.span().resolved_at(Span::call_site());
    syn::parse_quote_spanned!(span=> {
        #[allow(unused_imports)]
        use ::saga_runtime::__private::{ByOtherKey as _, ByOwnedKey as _};
        (&&::saga_runtime::__private::Witness::of(&#kept)).saga_by(&#kept)
    })
}

/// The variable in what [`by_key`] makes.
pub(crate) fn kept_key(by: &Expr) -> Option<&Expr> {
    let last = match by {
        Expr::Block(block) => block.block.stmts.last(),
        _ => None,
    };
    match last {
        Some(Stmt::Expr(Expr::MethodCall(call), None)) if call.method == "saga_by" => {
            match call.args.first() {
                Some(Expr::Reference(kept)) => Some(&kept.expr),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Puts `given` in the place of the copy of a variable in an operand; gives it back where there is none.
pub(crate) fn give_in(operand: &mut Expr, of: &Ident, given: Expr) -> Option<Expr> {
    let mut given = Some(given);
    copy_by(operand, &mut |name| match name == of {
        true => given.take(),
        false => None,
    });
    given
}

/// Has the copies of variables made as `way` says, where it knows them.
pub(crate) fn copy_by(operand: &mut Expr, way: &mut impl FnMut(&Ident) -> Option<Expr>) {
    struct By<'w, W>(&'w mut W);
    impl<W: FnMut(&Ident) -> Option<Expr>> VisitMut for By<'_, W> {
        fn visit_expr_mut(&mut self, expr: &mut Expr) {
            match copied_variable(expr).and_then(&mut *self.0) {
                Some(copied) => *expr = copied,
                None => visit_mut::visit_expr_mut(self, expr),
            }
        }
    }
    By(way).visit_expr_mut(operand);
}

/// The variable of which [`of_kept`] makes a copy.
fn copied_variable(expr: &Expr) -> Option<&Ident> {
    let Expr::Block(block) = expr else {
        return None;
    };
    let [_, Stmt::Local(copy), Stmt::Expr(..)] = block.block.stmts.as_slice() else {
        return None;
    };
    if !matches!(&copy.pat, Pat::Ident(name) if name.ident == "__saga_copy") {
        return None;
    }
    // That of a field is chosen in a block of its own.
    let call = match copy.init.as_ref().map(|init| &*init.expr) {
        Some(Expr::Block(chosen)) => match chosen.block.stmts.last() {
            Some(Stmt::Expr(call, None)) => call,
            _ => return None,
        },
        Some(call) => call,
        None => return None,
    };
    match call {
        Expr::MethodCall(call) => match call.args.first() {
            Some(Expr::Reference(kept)) => match &*kept.expr {
                Expr::Path(path) => path.path.get_ident(),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The same of a receiver, which is lent where there is no copy of it.
pub(crate) fn of_receiver(kept: &Expr) -> Expr {
    let span = kept.span().resolved_at(Span::call_site());
    chosen(
        span,
        quote_spanned!(span=> {
            use ::saga_runtime::__private::{CopyByClone as _, CopyBySerde as _, CopyBySerdeShown as _, ReceiverLent as _};
            (&&&&&&(&&&&::saga_runtime::__private::Witness::of(&#kept)).saga_cloned()).saga_part(&#kept)
        }),
    )
}
