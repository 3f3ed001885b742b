//! Runs a batch of generated cases in a process of its own, and says line by line how each went.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use crate::{
    answers::{SCRIPTS, UNORDERED},
    deploys::{Deployed, Edit, check_edit, ends},
    difference::{Case, check, check_unordered},
    live::Connection,
    stored::check_stored,
    trace::Trace,
};

/// How long one case may take.
const LIMIT: Duration = Duration::from_secs(120);

/// What is compared of a case's asks and effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// All, in their order.
    Kept,
    /// Not their order: several asks are put at once.
    Free,
}

/// How much was compared.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Runs that were compared.
    pub runs: usize,
    /// Asks of the plain runs.
    pub asks: usize,
    /// Calls under way that went on in an edited program.
    pub on: usize,
    /// Those that were refused there.
    pub stranded: usize,
}

impl Counts {
    /// Both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            runs: self.runs + other.runs,
            asks: self.asks + other.asks,
            on: self.on + other.on,
            stranded: self.stranded + other.stranded,
        }
    }
}

/// A line of the batch's output.
#[derive(Debug, Serialize, Deserialize)]
pub enum Line {
    /// The case of this name comes next.
    Started(String),
    /// All runs of it agree.
    Agreed(Counts),
    /// The plain run fails by itself: not a case.
    Broken(String),
    /// The runs differ, or one of them panicked.
    Differs(String),
}

/// Runs those of `cases` that are named in the process's arguments.
pub fn run(cases: &[(Case, &[Edit], Order)]) {
    let panicked = Arc::new(Mutex::new(String::new()));
    let message = Arc::clone(&panicked);
    std::panic::set_hook(Box::new(move |info| {
        *message.lock().unwrap() = info.to_string();
    }));
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    for (case, edits, order) in cases
        .iter()
        .filter(|(case, ..)| wanted.iter().any(|name| name == case.name))
    {
        print(&Line::Started(case.name.to_owned()));
        print(&outcome(case, edits, *order, &panicked));
    }
}

fn print(line: &Line) {
    println!("{}", serde_json::to_string(line).unwrap());
}

fn outcome(case: &Case, edits: &[Edit], order: Order, panicked: &Mutex<String>) -> Line {
    let asks = match limited(plain_asks(case, order)) {
        Some(asks) => asks,
        None => return Line::Broken(panicked.lock().unwrap().clone()),
    };
    let checked = match order {
        Order::Kept => limited(check(case)),
        Order::Free => limited(check_unordered(case)),
    };
    // As a task under one of the scripts, another one for each program.
    let number: usize = case.name.bytes().map(usize::from).sum();
    let script = first(order) + number % SCRIPTS;
    let stored = checked.and_then(|runs| Some(runs + limited(check_stored(case, script))?));
    let mut edits = edits
        .iter()
        .filter(|edit| limited(ends(edit, script)) == Some(true));
    let deployed = edits.try_fold(Deployed::default(), |all, edit| {
        Some(all.and(limited(check_edit(edit, script..script + 1))?))
    });
    match (stored, deployed) {
        (Some(runs), Some(Deployed { on, stranded })) => Line::Agreed(Counts {
            runs,
            asks,
            on,
            stranded,
        }),
        _ => Line::Differs(panicked.lock().unwrap().clone()),
    }
}

/// The first script for it.
fn first(order: Order) -> usize {
    match order {
        Order::Kept => 0,
        Order::Free => UNORDERED,
    }
}

async fn plain_asks(case: &Case, order: Order) -> usize {
    let mut asks = 0;
    for script in first(order)..first(order) + SCRIPTS {
        let connection = Connection::open(script).await;
        let _ = (case.plain)(connection.context(), &Trace::default()).await;
        asks += connection.asked().len();
    }
    asks
}

/// `None` where it panics, or takes too long.
fn limited<T>(future: impl Future<Output = T>) -> Option<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let within = async {
        tokio::time::timeout(LIMIT, future)
            .await
            .expect("it ends in time")
    };
    catch_unwind(AssertUnwindSafe(|| runtime.block_on(within))).ok()
}
