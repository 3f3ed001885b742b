//! The methods of `Cx` that ask, by name.

use syn::Ident;

use super::asks::{SLEEP, TRY_SLEEP};

const QUESTIONS: &[&str] = &[
    "choose",
    "choose_by",
    "choose_many",
    "choose_many_by",
    "elicit",
    "elicit_url",
    "sample",
    "roots",
    "checkpoint",
    "partial",
    "background",
];

/// Those of them that ask nobody.
const PAUSES: &[&str] = &["checkpoint", "partial", "background", SLEEP, TRY_SLEEP];

/// Whether a method of `Cx` asks.
pub(crate) fn is_question(method: &Ident) -> bool {
    QUESTIONS.iter().any(|question| method == question)
}

/// Whether a method asks nobody.
pub(crate) fn is_pause(method: &Ident) -> bool {
    PAUSES.iter().any(|pause| method == pause)
}
