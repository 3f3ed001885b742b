//! How far a call is: a bar that stays in its line on a terminal, a line each time elsewhere.

use std::{
    io::{self, IsTerminal, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use saga_client::terminal::{Style, plain};

use crate::say;

/// How many characters a whole bar has.
const WIDTH: usize = 24;

/// Whether the line of a bar is not ended yet.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Ends the line of a bar, before something else is shown.
pub(crate) fn end_line() {
    if OPEN.swap(false, Ordering::Relaxed) {
        let _ = writeln!(io::stdout());
    }
}

/// Shows the status of a task, which may end with how far it is: `rendering (3/10)`.
pub(crate) fn said(status: &str) {
    let amount = status.strip_suffix(')').and_then(|rest| {
        let (text, amount) = rest.rsplit_once(" (")?;
        let (done, total) = amount.split_once('/')?;
        Some((done.parse().ok()?, total.parse().ok()?, text))
    });
    match amount {
        Some((done, total, text)) => show(done, Some(total), text),
        None => line(status),
    }
}

/// Shows how far it is.
pub(crate) fn show(done: f64, total: Option<f64>, text: &str) {
    let bar = total.filter(|total| *total > 0.0 && io::stdout().is_terminal());
    let total = total
        .map(|total| format!(" of {total}"))
        .unwrap_or_default();
    let text = match text.is_empty() {
        true => String::new(),
        false => format!(": {text}"),
    };
    match bar {
        Some(whole) => line(&format!("{} {done}{total}{text}", self::bar(done / whole))),
        None => line(&format!("progress {done}{total}{text}")),
    }
}

fn bar(part: f64) -> String {
    let reached = |cell: usize| (cell as f64 + 0.5) / WIDTH as f64 <= part;
    let cells = (0..WIDTH).map(|cell| {
        if reached(cell) {
            '\u{2588}'
        } else {
            '\u{2591}'
        }
    });
    cells.collect()
}

fn line(text: &str) {
    let line = Style::of_stdout().dim(plain(text).trim_end());
    if !io::stdout().is_terminal() {
        // What cannot be shown is no reason to end the call.
        let _ = say(&line);
        return;
    }
    let mut out = io::stdout();
    let shown = write!(out, "\r\x1b[2K{line}").and_then(|()| out.flush());
    OPEN.store(shown.is_ok(), Ordering::Relaxed);
}
