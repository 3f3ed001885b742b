//! How a variable crosses a suspension.

use std::collections::BTreeSet;

use proc_macro2::Ident;
use syn::{Expr, Pat};

use crate::cfg::{ImportId, ParamId, VarId, doubtful::Doubtful};

/// A borrow that is taken again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ReborrowId(pub(crate) usize);

/// Where a variable's value comes from after a suspension.
#[derive(Clone)]
pub(crate) enum Persistence {
    /// From the frame, in this form.
    Spilled(Form),
    /// From a place, which is borrowed again in each block that uses the variable.
    Reborrowed(ReborrowId),
    /// It comes with every request.
    Param(ParamId),
}

/// What a spilled variable is in a frame.
#[derive(Clone)]
pub(crate) enum Form {
    /// What its type chooses, behind the blocks.
    ByType(Hints),
    /// The record of answers, which never changes.
    Record,
    /// Where something was found.
    Spot,
    /// A number of the macro's own.
    Number,
    /// Its own `Serialize`, whatever its type: a range of the macro's own, which nobody steps through.
    Untouched,
    /// Its own `Serialize`, with references to what is there for good: its type says `'static`.
    Static,
    /// By the functions of a module.
    With(syn::Path),
    /// Nothing: its `Default` comes back.
    Skip,
    /// Nothing: it is evaluated again, by the author's word.
    Reevaluated(Box<Expr>),
}

impl Form {
    /// Whether it comes back whatever it was.
    pub(crate) fn is_made_anew(&self) -> bool {
        matches!(self, Self::Skip | Self::Reevaluated(_))
    }
}

/// What the text shows of a variable whose type is known to rustc alone.
#[derive(Clone, Default)]
pub(crate) struct Hints {
    /// How it is evaluated again where a frame is read, if its type cannot be stored.
    pub(crate) rematerialized: Option<Rematerialization>,
    /// It is a struct with references in it.
    pub(crate) borrows: bool,
    /// It is an argument, which nothing changes: a call that is made again is given it again.
    pub(crate) given: bool,
}

/// `let PAT = INIT;` in each block that uses what it binds.
#[derive(Clone)]
pub(crate) struct Reborrow {
    pub(crate) pat: Pat,
    pub(crate) init: Expr,
    pub(crate) vars: Vec<VarId>,
    pub(crate) deps: Vec<VarId>,
    /// What is imported where it stands: names in it mean that.
    pub(crate) imports: Vec<ImportId>,
    /// Ways on which there may be a reference that has another value by then: their types say.
    pub(crate) doubtful: Vec<Doubtful>,
}

/// How a value is evaluated again, of what comes with every request.
#[derive(Clone)]
pub(crate) struct Rematerialization {
    /// In order; the last one is the variable itself.
    pub(crate) lets: Vec<(VarId, Evaluation)>,
    /// What it is made of that is in the frame for this: records of answers that it is picked out of, and where it was found.
    pub(crate) records: BTreeSet<VarId>,
    pub(crate) params: BTreeSet<ParamId>,
    /// It refers to that, if it is what it looks like.
    pub(crate) lent: bool,
    /// Only types can say that the same comes of it.
    pub(crate) judged: bool,
    /// It is a new value of a struct: with a `Drop` of its own, it would be dropped twice.
    pub(crate) makes: bool,
}

/// What a variable's value is picked out of. It is made into an expression where that is needed: most values are
/// gone before an ask.
#[derive(Clone)]
pub(crate) struct Evaluation {
    /// The pattern that binds it, in which it goes by this name.
    pub(crate) bound: Option<(Pat, Ident)>,
    pub(crate) init: Expr,
    /// It is picked out of nothing but an answer, whose type is known as far as its value.
    pub(crate) of_answer: bool,
    /// The youngest variable of which it is made, or its own: names are in scope in this order.
    pub(crate) last: VarId,
}

impl Persistence {
    /// In the form that its type chooses.
    pub(crate) fn by_type() -> Self {
        Self::Spilled(Form::by_type())
    }

    pub(crate) fn is_spilled(&self) -> bool {
        matches!(self, Self::Spilled(_))
    }

    /// The form of a spilled variable.
    pub(crate) fn form(&self) -> Option<&Form> {
        match self {
            Self::Spilled(form) => Some(form),
            Self::Reborrowed(_) | Self::Param(_) => None,
        }
    }

    pub(crate) fn is_record(&self) -> bool {
        matches!(self, Self::Spilled(Form::Record))
    }

    /// Whether it is in a frame only where another variable is made of it once more.
    pub(crate) fn is_for_others(&self) -> bool {
        matches!(self, Self::Spilled(Form::Record | Form::Spot))
    }

    /// What the text shows, where the type chooses.
    pub(crate) fn hints(&self) -> Option<&Hints> {
        match self {
            Self::Spilled(Form::ByType(hints)) => Some(hints),
            _ => None,
        }
    }

    pub(crate) fn rematerialized(&self) -> Option<&Rematerialization> {
        self.hints()?.rematerialized.as_ref()
    }

    /// Notes what the text shows, where the type chooses.
    pub(crate) fn hint(&mut self, hints: Hints) {
        if let Self::Spilled(Form::ByType(known)) = self {
            *known = hints;
        }
    }
}

impl Form {
    pub(crate) fn by_type() -> Self {
        Self::ByType(Hints::default())
    }
}
