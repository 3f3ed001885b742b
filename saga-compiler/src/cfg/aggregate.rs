//! Aggregates: values that the function puts together itself.
//!
//! ```text
//! let plan = if fast { Plan::Quick } else { Plan::Full { steps } };
//! ```
//!
//! A type without serde has no form in a frame, but each of its parts may have one; the same text that made the value is the
//! pattern that takes it apart, and that it is a constructor, rustc proves by taking it for one.

use proc_macro2::Span;
use quote::ToTokens;

use crate::ast::hash::Hash;

/// A part of a value, or all of it.
#[derive(Clone)]
pub(crate) enum Part {
    /// It is stored as its type says.
    Whole(Span),
    /// It is a text that is there for good.
    Text(Span),
    /// It is one of these.
    OneOf(Vec<Aggregate>),
    /// It is a list of these; of one that nothing is put in, nothing is known.
    List(Option<Box<Part>>),
}

/// What one literal makes.
#[derive(Clone)]
pub(crate) struct Aggregate {
    /// The struct or the variant; a tuple and an array have none.
    pub(crate) path: Option<syn::Path>,
    pub(crate) fields: Fields,
}

/// The parts of an aggregate.
#[derive(Clone)]
pub(crate) enum Fields {
    Named(Vec<(syn::Member, Part)>),
    Unnamed(Vec<Part>),
    /// Those of an array.
    Items(Vec<Part>),
}

impl Part {
    /// One of both.
    pub(crate) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::OneOf(mut all), Self::OneOf(others)) => {
                for other in others {
                    match all
                        .iter_mut()
                        .find(|known| known.number() == other.number())
                    {
                        Some(known) => known.fields.join(other.fields),
                        None => all.push(other),
                    }
                }
                Self::OneOf(all)
            }
            (Self::List(item), Self::List(other)) => Self::List(match (item, other) {
                (Some(item), Some(other)) => Some(Box::new(item.or(*other))),
                (item, other) => item.or(other),
            }),
            (text @ Self::Text(_), Self::Text(_)) => text,
            (part, _) => Self::Whole(part.span()),
        }
    }

    /// Where the compiler points to.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Whole(span) | Self::Text(span) => *span,
            Self::OneOf(_) | Self::List(_) => Span::call_site(),
        }
    }

    /// Whether a type of the author's is among what it is made of: those of std have serde if what they hold has it.
    pub(crate) fn is_own(&self) -> bool {
        match self {
            Self::Whole(_) | Self::Text(_) => false,
            Self::List(item) => item.as_ref().is_some_and(|item| item.is_own()),
            Self::OneOf(all) => all.iter().any(|one| {
                let of_std = one.path.as_ref().is_none_or(is_of_std);
                !of_std || one.fields.parts().any(Self::is_own)
            }),
        }
    }

    /// Whether it is nothing but `None`, which has a type of its own for each that there is none of.
    pub(crate) fn is_none(&self) -> bool {
        let of_none = |one: &Aggregate| one.path.as_ref().is_some_and(|path| path.is_ident("None"));
        matches!(self, Self::OneOf(all) if all.iter().all(of_none))
    }

    /// How many parts of it are stored.
    pub(crate) fn stored(&self) -> usize {
        match self {
            Self::Whole(_) | Self::Text(_) => 1,
            Self::List(item) => item.as_ref().map_or(0, |item| item.stored()),
            Self::OneOf(all) => {
                let parts = all.iter().flat_map(|one| one.fields.parts());
                parts.map(Self::stored).sum()
            }
        }
    }
}

impl Aggregate {
    /// What it is known by in a frame, whatever else an edit changes.
    pub(crate) fn number(&self) -> u32 {
        let mut hash = Hash::new();
        hash.verbatim(self.path.to_token_stream());
        match &self.fields {
            Fields::Named(fields) => {
                for (member, _) in fields {
                    hash.verbatim(member.to_token_stream());
                }
            }
            Fields::Unnamed(parts) => hash.number(parts.len()),
            Fields::Items(items) => {
                hash.text("[");
                hash.number(items.len());
            }
        }
        let hash = hash.finish();
        #[allow(clippy::cast_possible_truncation, reason = "both halves are in it")]
        let number = (hash ^ (hash >> 32)) as u32;
        number
    }
}

impl Fields {
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Part> {
        let (named, unnamed) = match self {
            Self::Named(fields) => (fields.as_slice(), [].as_slice()),
            Self::Unnamed(parts) | Self::Items(parts) => ([].as_slice(), parts.as_slice()),
        };
        named.iter().map(|(_, part)| part).chain(unnamed)
    }

    /// The same with other parts.
    pub(crate) fn map(self, mut other: impl FnMut(Part) -> Part) -> Self {
        match self {
            Self::Named(fields) => {
                let fields = fields.into_iter();
                Self::Named(fields.map(|(member, part)| (member, other(part))).collect())
            }
            Self::Unnamed(parts) => Self::Unnamed(parts.into_iter().map(other).collect()),
            Self::Items(items) => Self::Items(items.into_iter().map(other).collect()),
        }
    }

    fn join(&mut self, others: Self) {
        let mut parts: Vec<_> = others.parts().cloned().collect();
        let mut parts = parts.drain(..);
        let known = std::mem::replace(self, Self::Unnamed(Vec::new()));
        *self = known.map(|part| match parts.next() {
            Some(other) => part.or(other),
            None => part,
        });
    }
}

fn is_of_std(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|last| &last.ident);
    last.is_some_and(|last| {
        ["Some", "None", "Ok", "Err"]
            .iter()
            .any(|name| last == name)
    })
}
