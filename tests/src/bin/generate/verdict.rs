//! What became of a program.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    time::Duration,
};

pub(crate) use tests::batch::Counts;
use tests::batch::Line;

use crate::project::Result;

/// How long a batch may be silent.
const SILENCE: Duration = Duration::from_secs(180);

#[derive(Debug, Clone)]
pub(crate) enum Verdict {
    Agreed(Counts),
    /// The runs differ.
    Differs(String),
    /// A code, and the compiler's text, of an error that only the half with `#[saga]` has.
    SagaError(String, String),
    /// The macro's message, and all of it.
    Refused(String, String),
    /// It does not compile or run without `#[saga]`: the generator is wrong.
    Broken(String),
}

impl Verdict {
    /// Whether the other is the same failure, perhaps of a smaller program.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Differs(_), Self::Differs(_)) => true,
            (Self::SagaError(one, _), Self::SagaError(other, _))
            | (Self::Refused(one, _), Self::Refused(other, _)) => one == other,
            _ => false,
        }
    }

    /// What failures of one cause mostly have in common.
    pub(crate) fn cause(&self) -> &str {
        match self {
            Self::SagaError(code, _) => code,
            Self::Refused(message, _) => message,
            Self::Agreed(_) | Self::Differs(_) | Self::Broken(_) => "",
        }
    }

    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Agreed(_) => "it agrees",
            Self::Differs(text)
            | Self::SagaError(_, text)
            | Self::Refused(_, text)
            | Self::Broken(text) => text,
        }
    }
}

/// Runs the named programs of a batch.
pub(crate) fn run(binary: &Path, names: &[String]) -> Result<Vec<Verdict>> {
    let mut verdicts = Vec::new();
    while verdicts.len() < names.len() {
        let before = verdicts.len();
        run_on(binary, &names[before..], &mut verdicts)?;
        if verdicts.len() == before {
            verdicts.push(Verdict::Differs(
                "it takes too long, or ends the process".to_owned(),
            ));
        }
    }
    Ok(verdicts)
}

/// Runs until the end, or until a program is silent for too long.
fn run_on(binary: &Path, names: &[String], verdicts: &mut Vec<Verdict>) -> Result<()> {
    let mut child = Command::new(binary)
        .args(names)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", binary.display()))?;
    let output = child.stdout.take().ok_or("the batch has no output")?;
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output)
            .lines()
            .map_while(std::result::Result::ok)
        {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    while let Ok(line) = lines.recv_timeout(SILENCE) {
        match serde_json::from_str(&line)? {
            Line::Started(_) => {}
            Line::Agreed(counts) => verdicts.push(Verdict::Agreed(counts)),
            Line::Broken(text) => verdicts.push(Verdict::Broken(text)),
            Line::Differs(text) => verdicts.push(Verdict::Differs(text)),
        }
    }
    // It has ended, or hangs.
    let _ = child.kill();
    child.wait()?;
    Ok(())
}
