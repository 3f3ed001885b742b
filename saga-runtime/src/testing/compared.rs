//! The runs that were compared, one by one.

use std::fmt;

use serde::{Serialize, Serializer};

use super::{Ran, Reply, Script};

/// One of the runs that [`resumed_everywhere`](super::Scripted::resumed_everywhere) compared: where it was torn down, and what it was
/// answered.
///
/// Its `Display`, `Debug` and `Serialize` are one line without anything random, for a snapshot.
#[derive(Clone, PartialEq)]
pub struct ComparedRun {
    live: bool,
    torn: Vec<Torn>,
    answers: Vec<(String, Reply)>,
}

/// A point at which a run was torn down.
#[derive(Clone, PartialEq)]
pub(super) struct Torn {
    pub(super) name: String,
    /// The function, and the number that the point has there.
    pub(super) at: Option<(&'static str, u32)>,
}

impl ComparedRun {
    /// The run over the live wire.
    pub(super) fn live<W>(ran: &Ran<W>, script: &Script) -> Self {
        Self {
            live: true,
            ..Self::torn(Vec::new(), ran, script)
        }
    }

    /// One that was torn down at these points.
    pub(super) fn torn<W>(torn: Vec<Torn>, ran: &Ran<W>, script: &Script) -> Self {
        let mut asked: Vec<_> = ran.asked.iter().collect();
        asked.sort_by_key(|question| question.turn());
        let answered = asked.into_iter().filter_map(|question| {
            let reply = script.reply(question)?;
            Some((question.key().to_owned(), reply))
        });
        Self {
            live: false,
            torn,
            answers: answered.collect(),
        }
    }

    /// Whether it was over the live wire.
    pub fn was_live(&self) -> bool {
        self.live
    }

    /// The points at which it was torn down: a question by its key (`copy`; where a call asks it again, `copy-2`), a pause by its kind
    /// and number (`sleep 1`, `checkpoint 2`).
    pub fn torn_at(&self) -> impl Iterator<Item = &str> {
        self.torn.iter().map(|point| point.name.as_str())
    }

    /// The answers, each with the key of its question.
    pub fn answers(&self) -> impl Iterator<Item = (&str, &Reply)> {
        let answers = self.answers.iter();
        answers.map(|(key, reply)| (key.as_str(), reply))
    }

    /// How it went, without the answers.
    pub(super) fn way(&self) -> String {
        match (self.live, self.torn.as_slice()) {
            (true, _) => "over the live wire".to_owned(),
            (false, []) => "torn down nowhere".to_owned(),
            (false, torn) => {
                let torn: Vec<_> = torn.iter().map(ToString::to_string).collect();
                format!("torn down at {}", torn.join(", "))
            }
        }
    }
}

impl fmt::Display for Torn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.name)?;
        match self.at {
            Some((function, number)) => write!(f, " (point {number} of `{function}`)"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ComparedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.way())?;
        for (place, (key, reply)) in self.answers.iter().enumerate() {
            let before = if place == 0 { "; answers: " } else { ", " };
            write!(f, "{before}`{key}` {reply}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ComparedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for ComparedRun {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
