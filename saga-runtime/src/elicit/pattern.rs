//! Regular expressions of text fields.

use regex_lite::Regex;

/// A regular expression that is found in a text.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: &'static str,
    /// Nothing where it is none, which the derive refuses.
    regex: Option<Regex>,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Pattern {
    pub(super) fn new(text: &'static str) -> Self {
        let regex = Regex::new(text).ok();
        Self { text, regex }
    }

    /// As it was written.
    pub fn as_str(&self) -> &'static str {
        self.text
    }

    /// What is wrong with a text, for the user.
    pub(super) fn problem(&self, text: &str) -> Option<String> {
        match &self.regex {
            Some(regex) if regex.is_match(text) => None,
            Some(_) => Some(format!("must have the form `{}`", self.text)),
            None => Some("has a pattern that is no regular expression".to_owned()),
        }
    }
}
