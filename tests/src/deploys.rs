//! Calls under way when the code changes: begun in one text of a function, and presented to another one.
//!
//! Where the other one takes it, what comes out is what the first would have given: nothing that can still run was changed.
//! Else it is refused as stale, and nothing has run.

use std::{ops::Range, sync::Arc};

use crate::{
    answers,
    driver::{At, Call, Ended, Function, Seen, Stops},
    live::Connection,
};

/// Two texts of a function.
pub struct Edit {
    /// Its name.
    pub name: &'static str,
    /// Before a deploy.
    pub before: Function,
    /// After it.
    pub after: Function,
}

/// What became of the calls under way.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Deployed {
    /// So many went on, and gave what the code before would have given.
    pub on: usize,
    /// So many were refused before a line ran.
    pub stranded: usize,
}

impl Deployed {
    /// Both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            on: self.on + other.on,
            stranded: self.stranded + other.stranded,
        }
    }
}

/// More asks than a case has: one that puts them does not end.
const MOST: usize = 500;

/// Where a call is put aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Nowhere,
    At(At),
    /// Everywhere from the deploy on.
    Everywhere,
}

impl Stop {
    fn stops(self) -> Stops {
        Arc::new(move |at| match self {
            _ if matches!(at, At::Ask(ask) if ask > MOST) => true,
            Self::Nowhere => false,
            Self::At(stop) => at == stop,
            Self::Everywhere => true,
        })
    }
}

/// Whether both texts end by themselves, as not every edit leaves it.
pub async fn ends(edit: &Edit, script: usize) -> bool {
    for function in [edit.before, edit.after] {
        let (call, connection) = (Call::new(script), Connection::open(script).await);
        let nowhere = Stop::Nowhere.stops();
        let ended = call.start(function, &connection, &nowhere).await;
        if !matches!(ended, Ended::Done(_)) {
            return false;
        }
    }
    true
}

/// Puts a call aside at each of its asks and pauses, in each script, and goes on in the other text.
///
/// # Panics
/// Where it goes on to another result, or with other effects or questions.
pub async fn check_edit(edit: &Edit, scripts: Range<usize>) -> Deployed {
    let mut all = Deployed::default();
    for script in scripts {
        let comparable = |seen: Seen| match script {
            answers::UNORDERED.. => seen.sorted(),
            _ => seen,
        };
        let connection = Connection::open(script).await;
        let whole = Call::new(script);
        let nowhere = Stop::Nowhere.stops();
        let Ended::Done(plain) = whole.start(edit.before, &connection, &nowhere).await else {
            panic!(
                "`{}`, script {script}: it does not end by itself",
                edit.name
            );
        };
        let (asks, pauses) = (plain.asked.len(), whole.pauses());
        let expected = comparable(plain);
        let stops = (0..asks).map(At::Ask).chain((0..pauses).map(At::Pause));
        for (stop, later) in stops.flat_map(|at| [(at, Stop::Nowhere), (at, Stop::Everywhere)]) {
            let call = Call::new(script);
            let stops = Stop::At(stop).stops();
            let begun = call.start(edit.before, &connection, &stops).await;
            // Where asks are put at once, another of them may have come first.
            let Ended::Stopped(waiting) = begun else {
                continue;
            };
            let effects = call.effects();
            let mut gone_on = Ended::Stopped(waiting);
            while let Ended::Stopped(waiting) = gone_on {
                let stops = later.stops();
                gone_on = call.resume(edit.after, &connection, waiting, &stops).await;
            }
            match gone_on {
                Ended::Done(seen) => {
                    let seen = comparable(seen);
                    let at = format!("`{}`, script {script}, deployed at {stop:?}", edit.name);
                    assert_eq!(expected, seen, "{at}, then {later:?}");
                    all.on += 1;
                }
                Ended::Stale => {
                    assert_eq!(effects, call.effects(), "`{}`: it ran", edit.name);
                    all.stranded += 1;
                }
                Ended::Stopped(_) => unreachable!("it is driven to its end"),
            }
        }
    }
    all
}
