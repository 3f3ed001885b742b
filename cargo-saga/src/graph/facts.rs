//! What the body of a function does that bears on asking.

use std::ops::Range;

use super::names::FunctionId;

/// Where in a function something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Where `#[saga]` follows it.
    Body,
    Closure,
    /// An async block that is not awaited where it stands.
    Spawned,
    /// A function as a value: who calls it is not known.
    Value,
    /// The arguments of a macro that could not be read as expressions.
    Macro,
}

/// An ask.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) place: Place,
    /// From the handle to the end of the call.
    pub(crate) range: Range<usize>,
    /// `.key("..")` of a question of `Cx`.
    pub(crate) key: Option<(String, Range<usize>)>,
    /// Whether it is a question of `Cx`, or a sleep: without `#[saga]` they compile only where that is meant.
    pub(crate) is_question: bool,
    /// The branches of `if` and `match` that it is in.
    pub(super) branches: Vec<Branch>,
}

/// A branch of an `if`, a `match` or a `let … else`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) of: usize,
    pub(super) arm: usize,
    /// Whether nothing behind it runs after it.
    pub(super) returns: bool,
}

impl Ask {
    /// Whether no run comes to both but in a loop; `other` stands behind it.
    pub(crate) fn excludes(&self, other: &Self) -> bool {
        let shared = self.branches.iter().zip(&other.branches);
        let shared = shared.take_while(|(own, other)| own == other).count();
        let own = self.branches.get(shared..).unwrap_or_default();
        let next = (own.first(), other.branches.get(shared));
        let in_arms = matches!(next, (Some(own), Some(other)) if own.of == other.of);
        in_arms || own.iter().any(|branch| branch.returns)
    }
}

/// A call of something that may be in the workspace.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) range: Range<usize>,
    /// What it may reach; by name alone where `is_certain` is not set.
    pub(crate) targets: Vec<FunctionId>,
    pub(crate) is_certain: bool,
    pub(crate) gives_handle: bool,
    /// Whether it is the whole of what is awaited.
    pub(crate) is_awaited: bool,
}

/// What a function does.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) asks: Vec<Ask>,
    pub(crate) calls: Vec<Call>,
    /// Calls with the name of an ask, of something whose type is not known.
    pub(crate) perhaps: Vec<(String, Range<usize>)>,
    /// Whether the handle goes where it is not followed.
    pub(crate) handle_escapes: bool,
}
