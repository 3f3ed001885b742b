//! Aggregates in a frame: taken apart by the patterns that their literals are, and put together by the literals.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::{
    machine::{Machine, Names, located},
    slots::slot,
};

use crate::{
    analysis::aggregates::{Aggregates, aggregates},
    cfg::{
        Flow, Terminator, VarId,
        aggregate::{Aggregate, Fields, Part, Place, Taken, is_letter},
    },
};

/// The variables of these whose type alone does not say how they come back, and what they are made of; of `passing`, which are in
/// no frame, those that have to be put together again on their way.
pub(super) fn in_parts(
    flow: &Flow,
    stored: impl Iterator<Item = VarId>,
    passing: impl Iterator<Item = VarId>,
) -> Aggregates {
    let open = |var: &VarId| {
        let hints = flow.var(*var).persistence.hints();
        hints.is_some_and(|hints| !hints.given && hints.rematerialized.is_none())
    };
    let stored = stored.filter(open).collect();
    aggregates(flow, &stored, &passing.filter(open).collect())
}

/// What is done with a value that is taken apart.
#[derive(Clone, Copy)]
enum Doing {
    /// The forms of its parts are chosen.
    Choosing,
    /// They are written.
    Saving,
}

/// One walk over the parts of a variable: each that is stored has a number of its own.
struct Walk {
    var: VarId,
    next: usize,
    /// Inside of a literal or a list, whose own number tells which places its parts are taken from.
    inside: bool,
}

impl Walk {
    fn of(var: VarId) -> Self {
        Self {
            var,
            next: 0,
            inside: false,
        }
    }

    /// What has the type of the next part.
    fn witness(&mut self, span: Span) -> Ident {
        let name = format_ident!("__saga_part_{}_{}", self.var.0, self.next);
        self.next += 1;
        Ident::new(&name.to_string(), located(span))
    }

    /// What is done with the parts of `value`.
    fn apart(&mut self, value: &Ident, part: &Part, doing: Doing) -> TokenStream {
        let number = |number: &TokenStream| match doing {
            Doing::Choosing => TokenStream::new(),
            Doing::Saving => quote!(__saga_parts.number(#number);),
        };
        let all = match part {
            Part::Whole(_) | Part::Text(_) | Part::Place(_) => {
                let witness = self.witness(part.span());
                return self.stored(value, &witness, part, doing);
            }
            // What is put in it where nobody sees that would be lost.
            Part::List(None) => {
                return match doing {
                    Doing::Choosing => TokenStream::new(),
                    Doing::Saving => quote!(__saga_parts.nothing_in(#value);),
                };
            }
            Part::List(Some(item)) => {
                let kind = part.number();
                let kind = number(&quote!(#kind));
                let count = number(&quote!(::saga_runtime::__private::parts::count(#value)));
                let name = format_ident!("{value}_0");
                self.inside = true;
                let item = self.apart(&name, item, doing);
                return quote! {
                    #kind
                    #count
                    for #name in ::saga_runtime::__private::parts::items(#value) { #item }
                };
            }
            Part::OneOf(all) => all,
        };
        self.inside = true;
        let arms: Vec<_> = all
            .iter()
            .map(|one| {
                let parts: Vec<_> = one.fields.parts().collect();
                let names = (0..parts.len()).map(|index| format_ident!("{value}_{index}"));
                let names: Vec<_> = names.collect();
                let pat = match &one.path {
                    // As a constant it is not looked for behind a reference.
                    Some(path) if is_letter(path) && names.is_empty() => quote!(&#path),
                    _ => literal(one, &names),
                };
                let apart = names.iter().zip(parts);
                let apart: Vec<_> = apart
                    .map(|(name, part)| self.apart(name, part, doing))
                    .collect();
                let hash = one.number();
                let number = number(&quote!(#hash));
                quote!(#pat => { #number #(#apart)* })
            })
            .collect();
        let proof = match doing {
            Doing::Choosing => all.iter().find_map(|one| one.path.as_ref()).map(|path| {
                let slot = slot(self.var);
                let value = Ident::new(&value.to_string(), located(path.span()));
                quote_spanned!(path.span()=> ::saga_runtime::__private::apart!(#slot, #value);)
            }),
            Doing::Saving => None,
        };
        match (doing, arms.as_slice()) {
            (Doing::Choosing, _) => quote!(#proof match #value { #(#arms)* _ => {} }),
            (Doing::Saving, [arm]) => quote!(match #value { #arm _ => __saga_parts.other() }),
            // One literal may be written in two ways (`Self { .. }`), of which the first is not all that it is then.
            (Doing::Saving, arms) => quote! {
                __saga_parts.begin();
                #(if __saga_parts.is_open() { match #value { #arms _ => __saga_parts.other() } })*
                __saga_parts.end();
            },
        }
    }

    fn stored(&self, value: &Ident, witness: &Ident, part: &Part, doing: Doing) -> TokenStream {
        let slot = slot(self.var);
        let span = witness.span();
        match (doing, part) {
            (Doing::Saving, Part::Place(Place { all, .. })) => {
                let places = self.places(all);
                quote!(__saga_parts.place(&#witness, #value, #places);)
            }
            (Doing::Saving, _) => quote!(__saga_parts.part(&#witness, #value);),
            (Doing::Choosing, Part::Place(Place { fixed: true, .. })) => quote_spanned! {span=>
                (&#witness).is(#value);
                (&#witness).chosen(::saga_runtime::__private::parts::PlacePart);
            },
            (Doing::Choosing, Part::Place(_)) => quote_spanned! {span=>
                (&#witness).is(#value);
                ::saga_runtime::__private::choose_place!(#slot, #witness);
            },
            (Doing::Choosing, Part::Text(_)) => quote_spanned! {span=>
                (&#witness).is(#value);
                (&#witness).chosen(::saga_runtime::__private::parts::TextPart);
            },
            (Doing::Choosing, _) => quote_spanned! {span=>
                (&#witness).is(#value);
                ::saga_runtime::__private::choose_part!(#slot, #witness);
            },
        }
    }

    /// The numbers of the places that are told apart, and what gives a reference from each.
    fn places(&self, all: &[Taken]) -> TokenStream {
        let numbers = match (self.inside, all) {
            (true, [_]) => [].as_slice(),
            _ => all,
        };
        let numbers = numbers.iter().map(Taken::number);
        let all = all.iter().map(|taken| match taken {
            Taken::Always(expr) => quote!(::core::option::Option::Some(#expr)),
            Taken::Sometimes(expr) => expr.into_token_stream(),
        });
        quote!(&[#(#numbers),*], &[#(#all),*])
    }

    /// The value that these parts make.
    fn together(&mut self, part: &Part) -> TokenStream {
        let all = match part {
            Part::Place(Place { all, .. }) => {
                let witness = self.witness(part.span());
                let places = self.places(all);
                return quote!(__saga_parts.place(&#witness, #places)?);
            }
            Part::Whole(_) | Part::Text(_) => {
                let witness = self.witness(part.span());
                return quote!(__saga_parts.part(&#witness)?);
            }
            Part::List(None) => return quote!(::core::default::Default::default()),
            Part::List(Some(item)) => {
                let kind = part.number();
                self.inside = true;
                let item = self.together(item);
                return quote! {
                    (0..__saga_parts.list(#kind)?)
                        .map(|_| ::core::result::Result::Ok(#item))
                        .collect::<::core::result::Result<_, ::saga_runtime::__private::Stop>>()?
                };
            }
            Part::OneOf(all) => all,
        };
        self.inside = true;
        let arms: Vec<_> = all
            .iter()
            .map(|one| {
                let parts = one.fields.parts().map(|part| self.together(part));
                let made = literal(one, &parts.collect::<Vec<_>>());
                let number = one.number();
                quote!(#number => #made,)
            })
            .collect();
        quote! {
            match __saga_parts.number()? {
                #(#arms)*
                _ => return ::core::result::Result::Err(__saga_parts.other()),
            }
        }
    }
}

/// A literal with these parts; as a pattern with these names.
fn literal(one: &Aggregate, parts: &[impl ToTokens]) -> TokenStream {
    let path = &one.path;
    match &one.fields {
        Fields::Named(fields) if fields.is_empty() && path.as_ref().is_some_and(is_letter) => {
            quote!(#path)
        }
        Fields::Named(fields) => {
            let members = fields.iter().map(|(member, _)| member);
            quote!(#path { #(#members: #parts,)* })
        }
        Fields::Unnamed(_) => quote!(#path(#(#parts,)*)),
        Fields::Items(_) => quote!([#(#parts,)*]),
    }
}

impl Machine<'_> {
    /// What has the types of the parts, without them yet.
    pub(super) fn part_witnesses(&self) -> TokenStream {
        let all = self.parts.made.iter().map(|(var, part)| {
            let mut walk = Walk::of(*var);
            let witnesses = (0..part.stored()).map(|_| walk.witness(Span::call_site()));
            let given = self.handed.contains(var).then(|| {
                let given = given_away(*var);
                quote!(let mut #given = ::core::option::Option::None;)
            });
            quote!(#(let #witnesses = ::saga_runtime::__private::PartOf::new();)* #given)
        });
        all.collect()
    }

    /// What gives a variable to a call that may be made again, and keeps what of it has to be put in the frame; `None` where
    /// a copy of the whole of it is given.
    pub(super) fn handed(&self, var: VarId, names: &Names) -> Option<TokenStream> {
        let hints = self.flow.var(var).persistence.hints();
        let keep = match self.parts.made.get(&var) {
            Some(part) => {
                let value = format_ident!("__saga_value");
                let apart = Walk::of(var).apart(&value, part, Doing::Saving);
                let (given, quiet) = (given_away(var), quiet());
                quote! {
                    #given = ::core::option::Option::Some(::saga_runtime::__private::TakenApart::of(
                        __saga_given,
                        __saga_arena,
                        |#value, __saga_parts| {
                            #quiet
                            #apart
                        },
                    ))
                }
            }
            None if hints.is_some_and(|hints| hints.given) => TokenStream::new(),
            None => return None,
        };
        let (name, slot) = (names.of(self.flow, var), self.slot(var));
        // What rustc says of its type, it says at the variable.
        let span = slot.span();
        Some(quote_spanned! {span=> {
            #[allow(unused_imports)]
            use ::saga_runtime::__private::{
                HandByClone as _, HandBySerde as _, HandBySerdeShown as _, HandPlain as _, HandShown as _, HandWhole as _, HandWritten as _,
            };
            (&&&&&&&::saga_runtime::__private::Witness::of(&#name)).saga_handed(#name, &mut #slot, |__saga_given| {
                #keep
            })
        }})
    }

    /// Chooses how each part is stored, by its type; stands behind the choice of the variable's own form.
    pub(super) fn chosen_parts(&self, var: VarId) -> TokenStream {
        let Some(part) = self.parts.made.get(&var) else {
            return TokenStream::new();
        };
        let slot = slot(var);
        let value = format_ident!("__saga_value");
        let apart = Walk::of(var).apart(&value, part, Doing::Choosing);
        let quiet = quiet();
        quote! {
            if let ::core::option::Option::Some(#value) = (&#slot).value() {
                #quiet
                #apart
            }
        }
    }

    /// Writes a variable, as a whole or in parts.
    pub(super) fn saved_in_parts(&self, var: VarId, save: TokenStream) -> TokenStream {
        let Some(part) = self.parts.made.get(&var) else {
            return save;
        };
        let slot = slot(var);
        let value = format_ident!("__saga_value");
        let apart = Walk::of(var).apart(&value, part, Doing::Saving);
        let quiet = quiet();
        let given = match self.handed.contains(&var) {
            true => given_away(var).into_token_stream(),
            false => quote!(::core::option::Option::None),
        };
        quote! {
            if ::saga_runtime::__private::is_in_parts(&#slot, __saga_arena) {
                ::saga_runtime::__private::save_parts(&#slot, #given, &mut __saga_frame, __saga_arena, |#value, __saga_parts| {
                    #quiet
                    #apart
                });
            } else {
                #save
            }
        }
    }

    /// Takes one that refers to what its block owns from there, where that is how it goes on.
    pub(super) fn rehomed_in_parts(&self, var: VarId, name: &Ident) -> Option<TokenStream> {
        let part = self.is_lending(var).then(|| self.parts.made.get(&var))??;
        let slot = slot(var);
        let value = format_ident!("__saga_value");
        let apart = Walk::of(var).apart(&value, part, Doing::Saving);
        let together = Walk::of(var).together(part);
        let (quiet, told) = (quiet(), self.flow.author_name(var));
        Some(quote! {
            ::saga_runtime::__private::rehome_parts(&mut #slot, #name, #told, &__saga, __saga_arena, |#value, __saga_parts| {
                #quiet
                #apart
            }, |__saga_parts| {
                #quiet
                let __saga_value = #together;
                ::core::result::Result::Ok(__saga_value)
            })
        })
    }

    /// Reads it.
    pub(super) fn loaded_in_parts(&self, var: VarId, load: TokenStream) -> TokenStream {
        let Some(part) = self.parts.made.get(&var) else {
            return load;
        };
        let slot = slot(var);
        let together = Walk::of(var).together(part);
        let quiet = quiet();
        quote! {
            if ::saga_runtime::__private::is_in_parts(&#slot, __saga_arena) {
                ::saga_runtime::__private::load_parts(&mut #slot, &mut __saga, __saga_arena, |__saga_parts| {
                    #quiet
                    let __saga_value = #together;
                    ::core::result::Result::Ok(__saga_value)
                });
            } else {
                #load
            }
        }
    }
}

/// What is left of a variable that was given away.
fn given_away(var: VarId) -> Ident {
    format_ident!("__saga_given_{}", var.0)
}

/// The variables that calls which may be made again are given.
pub(super) fn handed(flow: &Flow) -> BTreeSet<VarId> {
    let calls = flow
        .blocks
        .iter()
        .filter_map(|block| match &block.terminator {
            Terminator::Call { copies, .. } => Some(copies),
            _ => None,
        });
    calls.flatten().map(|(_, var)| *var).collect()
}

/// What rustc says of a literal, it has said where the author wrote it.
fn quiet() -> TokenStream {
    quote!(#[allow(unreachable_patterns, deprecated, clippy::all)])
}
