//! Aggregates: values that the function puts together itself.
//!
//! ```text
//! let plan = if fast { Plan::Quick } else { Plan::Full { steps } };
//! ```
//!
//! A type without serde has no form in a frame, but each of its parts may have one; the same text that made the value is the
//! pattern that takes it apart, and that it is a constructor, rustc proves by taking it for one.

use std::collections::BTreeSet;

use proc_macro2::Span;
use quote::ToTokens;
use syn::Expr;

use crate::ast::{
    hash::Hash,
    touched::{ChangedFields, Seen},
};

/// A part of a value, or all of it.
#[derive(Clone)]
pub(crate) enum Part {
    /// It is stored as its type says.
    Whole(Span),
    /// It is a text that is there for good.
    Text(Span),
    /// It is a reference to something that comes with every request.
    Place(Place),
    /// It is one of these.
    OneOf(Vec<Aggregate>),
    /// It is a list of these; of one that nothing is put in, nothing is known.
    List(Option<Box<Part>>),
}

/// Where a reference is taken from.
#[derive(Clone)]
pub(crate) struct Place {
    /// From one of these.
    pub(crate) all: Vec<Taken>,
    /// Nothing that is not seen may have put another one there.
    pub(crate) fixed: bool,
    pub(crate) span: Span,
}

/// What gives a reference again.
#[derive(Clone)]
pub(crate) enum Taken {
    /// It is there wherever it is looked at: `&self.db`.
    Always(Expr),
    /// `Some` of it, where it is there: what a pattern binds.
    Sometimes(Expr),
}

impl Taken {
    pub(crate) fn expr(&self) -> &Expr {
        match self {
            Self::Always(expr) | Self::Sometimes(expr) => expr,
        }
    }

    /// What it is known by in a frame, whatever others an edit puts beside it.
    pub(crate) fn number(&self) -> u32 {
        let mut hash = Hash::new();
        hash.verbatim(self.expr().to_token_stream());
        folded(&hash)
    }
}

impl Place {
    fn or(mut self, other: Self) -> Self {
        self.fixed &= other.fixed;
        let text = |taken: &Taken| taken.expr().to_token_stream().to_string();
        for taken in other.all {
            if self.all.iter().all(|known| text(known) != text(&taken)) {
                self.all.push(taken);
            }
        }
        self
    }
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
                        .find(|known| known.literal() == other.literal())
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
            (Self::Place(place), Self::Place(other)) => Self::Place(place.or(other)),
            (part, _) => Self::Whole(part.span()),
        }
    }

    /// Where the compiler points to.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Whole(span) | Self::Text(span) => *span,
            Self::Place(place) => place.span,
            Self::OneOf(_) | Self::List(_) => Span::call_site(),
        }
    }

    /// Whether a type of the author's is among what it is made of: those of std have serde if what they hold has it.
    pub(crate) fn is_own(&self) -> bool {
        match self {
            Self::Whole(_) | Self::Text(_) => false,
            // What it refers to need not have serde.
            Self::Place(_) => true,
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

    /// The same, where its fields are given something else later on, as far as that is seen.
    pub(crate) fn with_given(self, given: impl Fn(&str) -> Option<Self>) -> Self {
        let Self::OneOf(all) = self else { return self };
        let all = all.into_iter().map(|one| {
            let names = one.fields.names();
            let mut names = names.iter();
            let fields = one.fields.map(|part| {
                let more = names.next().and_then(|name| given(name));
                match more {
                    Some(more) => part.or(more),
                    None => part,
                }
            });
            Aggregate { fields, ..one }
        });
        Self::OneOf(all.collect())
    }

    /// The same, where something else may be in these fields by then.
    pub(crate) fn with_changed(self, fields: &ChangedFields, span: Span) -> Self {
        match self {
            Self::OneOf(all) => {
                let all = all.into_iter();
                Self::OneOf(all.map(|one| one.with_changed(fields, span)).collect())
            }
            // No other value has fields that can be assigned.
            other => Self::Whole(other.span()),
        }
    }

    /// `None`.
    pub(crate) fn none() -> Self {
        Self::OneOf(vec![Aggregate {
            path: Some(syn::parse_quote!(None)),
            fields: Fields::Named(Vec::new()),
        }])
    }

    /// Whether it is an `Option`.
    pub(crate) fn is_option(&self) -> bool {
        let of_option = |one: &Aggregate| {
            let path = one.path.as_ref();
            path.is_some_and(|path| path.is_ident("None") || path.is_ident("Some"))
        };
        matches!(self, Self::OneOf(all) if all.iter().all(of_option))
    }

    /// What it is where its parts may have been changed: the same struct, with whatever is in it.
    pub(crate) fn into_struct(self, span: Span) -> Option<Self> {
        // Of one of its parts the same can be said, or nothing.
        let part = |part: Self| part.into_struct(span).unwrap_or(Self::Whole(span));
        if self.is_option() && !self.is_none() {
            // It is no other variant.
            let Self::OneOf(all) = self.or(Self::none()) else {
                return None;
            };
            let all = all.into_iter().map(|one| Aggregate {
                fields: one.fields.map(part),
                ..one
            });
            return Some(Self::OneOf(all.collect()));
        }
        let mut all = match self {
            Self::Place(place) => {
                return Some(Self::Place(Place {
                    fixed: false,
                    ..place
                }));
            }
            Self::List(Some(item)) => return Some(Self::List(Some(Box::new(part(*item))))),
            Self::OneOf(all) => all,
            Self::List(None) | Self::Text(_) | Self::Whole(_) => return None,
        };
        let made = all.pop().filter(|_| all.is_empty())?;
        if !made.path.as_ref().is_none_or(is_struct) {
            return None;
        }
        Some(Self::OneOf(vec![Aggregate {
            path: made.path,
            fields: made.fields.map(part),
        }]))
    }

    /// What it is, where it is nothing else.
    fn alone(self) -> Option<Aggregate> {
        let Self::OneOf(all) = self else { return None };
        let [one] = <[Aggregate; 1]>::try_from(all).ok()?;
        Some(one)
    }

    /// A field of it, where it is one struct alone.
    pub(crate) fn field(self, wanted: &syn::Member) -> Option<Self> {
        let one = self.alone()?;
        let wanted = wanted.to_token_stream().to_string();
        let at = one.fields.names().iter().position(|name| *name == wanted)?;
        one.fields.parts().nth(at).cloned()
    }

    /// Its fields, where it is this struct alone: what `..value` gives.
    pub(crate) fn into_fields_of(self, path: &syn::Path) -> Option<Vec<(syn::Member, Self)>> {
        let one = self.alone()?;
        let same = one.path.is_some_and(|of| {
            of.to_token_stream().to_string() == path.to_token_stream().to_string()
        });
        match one.fields {
            Fields::Named(fields) if same => Some(fields),
            _ => None,
        }
    }

    /// What is in it, where it is a list or an array.
    pub(crate) fn item(self) -> Option<Self> {
        match self {
            Self::List(item) => item.map(|item| *item),
            Self::OneOf(all) => {
                let items = all.into_iter().map(|one| match (one.path, one.fields) {
                    (None, Fields::Items(items)) => items.into_iter().reduce(Self::or),
                    _ => None,
                });
                let items: Option<Vec<_>> = items.collect();
                items?.into_iter().reduce(Self::or)
            }
            Self::Whole(_) | Self::Text(_) | Self::Place(_) => None,
        }
    }

    /// What a frame shows of it without its type.
    fn kind(&self, hash: &mut Hash) {
        match self {
            Self::Whole(_) | Self::Text(_) => hash.text("whole"),
            Self::Place(place) => {
                hash.text("place");
                for taken in &place.all {
                    hash.verbatim(taken.expr().to_token_stream());
                }
            }
            Self::OneOf(_) => hash.text("made"),
            Self::List(item) => {
                hash.text("list");
                item.iter().for_each(|item| item.kind(hash));
            }
        }
    }

    /// What a list is known by in a frame.
    pub(crate) fn number(&self) -> u32 {
        let mut hash = Hash::new();
        self.kind(&mut hash);
        folded(&hash)
    }

    /// The names of the fields of all that is in it.
    pub(crate) fn field_names(&self) -> BTreeSet<String> {
        match self {
            Self::Whole(_) | Self::Text(_) | Self::Place(_) => BTreeSet::new(),
            Self::List(item) => item.iter().flat_map(|item| item.field_names()).collect(),
            Self::OneOf(all) => {
                let all = all.iter().map(|one| &one.fields);
                all.flat_map(|fields| {
                    let inside = fields.parts().flat_map(Self::field_names);
                    fields.names().into_iter().chain(inside)
                })
                .collect()
            }
        }
    }

    /// How many parts of it are stored.
    pub(crate) fn stored(&self) -> usize {
        match self {
            Self::Whole(_) | Self::Text(_) | Self::Place(_) => 1,
            Self::List(item) => item.as_ref().map_or(0, |item| item.stored()),
            Self::OneOf(all) => {
                let parts = all.iter().flat_map(|one| one.fields.parts());
                parts.map(Self::stored).sum()
            }
        }
    }
}

impl Aggregate {
    fn with_changed(self, changed: &ChangedFields, span: Span) -> Self {
        let names = self.fields.names();
        // A field of what it dereferences to may be in any of its own.
        let all = changed.keys().any(|field| !names.contains(field));
        let mut names = names.into_iter();
        let fields = self.fields.map(|part| {
            let seen = names.next().and_then(|name| changed.get(&name));
            match (seen, part) {
                (None | Some(Seen::Assigned), part) if !all => part,
                (Some(Seen::Std), list @ Part::List(_)) if !all => list,
                (Some(Seen::Std), option) if !all && option.is_option() => option.or(Part::none()),
                (_, part) => part.into_struct(span).unwrap_or(Part::Whole(span)),
            }
        });
        Self { fields, ..self }
    }

    /// What it is known by in a frame, whatever else an edit changes: which literal it is, and how its parts are stored.
    pub(crate) fn number(&self) -> u32 {
        let mut hash = Hash::of(self.literal());
        self.fields.parts().for_each(|part| part.kind(&mut hash));
        folded(&hash)
    }

    /// Which literal it is.
    fn literal(&self) -> u64 {
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
        hash.finish()
    }
}

/// A hash of half the length.
fn folded(hash: &Hash) -> u32 {
    let hash = hash.finish();
    #[allow(clippy::cast_possible_truncation, reason = "both halves are in it")]
    let number = (hash ^ (hash >> 32)) as u32;
    number
}

impl Fields {
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Part> {
        let (named, unnamed) = match self {
            Self::Named(fields) => (fields.as_slice(), [].as_slice()),
            Self::Unnamed(parts) | Self::Items(parts) => ([].as_slice(), parts.as_slice()),
        };
        named.iter().map(|(_, part)| part).chain(unnamed)
    }

    /// As an assignment names them.
    fn names(&self) -> Vec<String> {
        match self {
            Self::Named(fields) => {
                let members = fields.iter();
                members
                    .map(|(member, _)| member.to_token_stream().to_string())
                    .collect()
            }
            Self::Unnamed(parts) => (0..parts.len()).map(|index| index.to_string()).collect(),
            Self::Items(_) => Vec::new(),
        }
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

/// Whether a path is that of a variant of one letter, or of such a constant of a type: `Size::M`. Either is written in the same way
/// as a value and as a pattern.
pub(crate) fn is_letter(path: &syn::Path) -> bool {
    let mut names = path.segments.iter().rev().map(|segment| &segment.ident);
    let letter = names.next().is_some_and(|last| {
        let last = last.to_string();
        last.len() == 1 && last.starts_with(char::is_uppercase)
    });
    // Of `Self` it may be one that depends on a parameter, which is no pattern.
    letter
        && names.next().is_some_and(|owner| {
            owner != "Self" && owner.to_string().starts_with(char::is_uppercase)
        })
}

fn is_of_std(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|last| &last.ident);
    last.is_some_and(|last| {
        ["Some", "None", "Ok", "Err"]
            .iter()
            .any(|name| last == name)
    })
}

/// Whether a path is that of a struct, and not of a variant, as far as its text shows.
fn is_struct(path: &syn::Path) -> bool {
    let mut names = path.segments.iter().rev();
    let last = names.next().map(|last| last.ident.to_string());
    let of_std = last.is_some_and(|last| ["Some", "None", "Ok", "Err"].contains(&last.as_str()));
    let owner = names.next().map(|owner| owner.ident.to_string());
    !of_std && owner.is_none_or(|owner| owner.starts_with(char::is_lowercase))
}
