//! What a client answered, by key.

use std::collections::BTreeMap;

use crate::ask::answer::Answer;

/// Answers by key, as a wire received them.
///
/// ```
/// use saga_runtime::{Answer, Answers};
///
/// let answer = Answer::Result(serde_json::json!({"action": "decline"}));
/// let answers = Answers::from([("target".to_owned(), answer)]);
/// assert!(answers.get("target").is_some());
/// ```
// In order of their keys. A map of the standard library takes memory for eleven at once, and nearly always there is one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers(Vec<(String, Option<Answer>)>);

impl Answers {
    /// None.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The answer to the ask with this key.
    pub fn get(&self, key: &str) -> Option<&Answer> {
        let place = self.place(key)?;
        self.0.get(place).and_then(|(_, answer)| answer.as_ref())
    }

    /// Takes the answer to the ask with this key.
    pub fn remove(&mut self, key: &str) -> Option<Answer> {
        let place = self.place(key)?;
        self.0.get_mut(place).and_then(|(_, answer)| answer.take())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|(_, answer)| answer.is_none())
    }

    fn place(&self, key: &str) -> Option<usize> {
        self.0
            .binary_search_by(|(known, _)| known.as_str().cmp(key))
            .ok()
    }
}

/// Of several with one key the last counts.
impl FromIterator<(String, Answer)> for Answers {
    fn from_iter<I: IntoIterator<Item = (String, Answer)>>(answers: I) -> Self {
        let answers = answers.into_iter();
        let mut answers: Vec<_> = answers.map(|(key, answer)| (key, Some(answer))).collect();
        answers.reverse();
        answers.sort_by(|(one, _), (other, _)| one.cmp(other));
        answers.dedup_by(|(one, _), (other, _)| one == other);
        Self(answers)
    }
}

impl<const N: usize> From<[(String, Answer); N]> for Answers {
    fn from(answers: [(String, Answer); N]) -> Self {
        answers.into_iter().collect()
    }
}

impl From<BTreeMap<String, Answer>> for Answers {
    fn from(answers: BTreeMap<String, Answer>) -> Self {
        answers.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_found_by_its_key_and_taken_once() {
        let answers = ["b", "a", "c", "a"].into_iter().zip(1_u64..);
        let answers = answers.map(|(key, time)| (key.to_owned(), Answer::Timeout(time)));
        let mut answers: Answers = answers.collect();
        assert_eq!(answers.get("a"), Some(&Answer::Timeout(4)));
        assert_eq!(answers.remove("b"), Some(Answer::Timeout(1)));
        assert_eq!((answers.remove("b"), answers.get("b")), (None, None));
        assert_eq!(answers.get("d"), None);
        assert!(!answers.is_empty());
        let rest = ["a", "c"].map(|key| answers.remove(key));
        assert_eq!(rest, [Some(Answer::Timeout(4)), Some(Answer::Timeout(3))]);
        assert!(answers.is_empty());
    }
}
