//! Methods of std's that hand values on: what is in one variable is then in another.

/// Methods of std's that give what is in their receiver, or what they are given.
pub(crate) const GIVES: &[&str] = &[
    "clone",
    "cloned",
    "copied",
    "filter",
    "find",
    "first",
    "get",
    "into_iter",
    "iter",
    "last",
    "max_by_key",
    "min_by_key",
    "next",
    "nth",
    "or",
    "or_else",
    "pop",
    "pop_front",
    "remove",
    "to_vec",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
];

/// Methods of std's collections that take what they are given.
pub(crate) const PUTS: &[&str] = &[
    "entry",
    "extend",
    "insert",
    "push",
    "push_back",
    "push_front",
];
