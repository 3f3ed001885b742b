//! Proves `#[saga]` right on programs that nobody thought of.
//!
//! ```text
//! cargo run -p tests --bin generate -- --programs 200 --seed 1
//! ```
//!
//! makes random programs, compiles each with and without `#[saga]`, and runs both under all scripts
//! of answers, torn down at every choice of asks ([`tests::check`]). The same seed gives the same
//! programs. A program that fails is made small and printed, and the exit code is 1.
//!
//! | option | |
//! |---|---|
//! | `--programs N` | how many (100) |
//! | `--seed S` | which (1) |
//! | `--first I` | the number of the first (0): `--first 17 --programs 1` is program 17 alone |
//! | `--batch B` | programs to a binary (50) |
//! | `--keep-going` | report all failures, not only the first |
//! | `--refusals` | what `#[saga]` refuses is a failure too |
//! | `--edits E` | so many edits of each (0): calls under way go on in the edited program as before, or are refused |
//! | `--print` | only print the programs |
//!
//! The project that it builds is in `target/generated`, the failing program's text too.

mod diagnostics;
mod edits;
mod print;
mod program;
mod project;
mod random;
mod report;
mod shrink;
mod verdict;

use std::process::ExitCode;

use lexopt::{Arg, ValueExt as _};

use crate::{
    project::{Project, Result},
    report::Report,
};

struct Options {
    programs: usize,
    seed: u64,
    first: usize,
    batch: usize,
    keep_going: bool,
    refusals: bool,
    edits: usize,
    print: bool,
}

const USAGE: &str = "usage: cargo run -p tests --bin generate -- [--programs N] [--seed S] \
[--first I] [--batch B] [--edits E] [--keep-going] [--refusals] [--print]";

fn main() -> ExitCode {
    let options = match options() {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("error: {error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match generate(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// `None` where only the usage is asked for.
fn options() -> std::result::Result<Option<Options>, lexopt::Error> {
    let mut options = Options {
        programs: 100,
        seed: 1,
        first: 0,
        batch: 50,
        keep_going: false,
        refusals: false,
        edits: 0,
        print: false,
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("programs") => options.programs = parser.value()?.parse()?,
            Arg::Long("seed") => options.seed = parser.value()?.parse()?,
            Arg::Long("first") => options.first = parser.value()?.parse()?,
            Arg::Long("batch") => options.batch = parser.value()?.parse()?,
            Arg::Long("edits") => options.edits = parser.value()?.parse()?,
            Arg::Long("keep-going") => options.keep_going = true,
            Arg::Long("refusals") => options.refusals = true,
            Arg::Long("print") => options.print = true,
            Arg::Long("help") | Arg::Short('h') => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    if options.batch == 0 || options.programs == 0 {
        return Err("`--batch` and `--programs` take a number above 0".into());
    }
    Ok(Some(options))
}

/// Whether all programs agree.
fn generate(options: &Options) -> Result<bool> {
    let programs: Vec<_> = (0..options.programs)
        .map(|at| {
            let mut program = random::program(options.seed, options.first + at);
            program.edits = edits::of(&program, options.seed, options.edits);
            program
        })
        .collect();
    if options.print {
        for program in &programs {
            println!(
                "// {}\n{}",
                print::name(program),
                print::functions(program, "")
            );
        }
        return Ok(true);
    }
    let project = Project::create(options.programs)?;
    let mut report = Report::new(options.seed, options.refusals);
    // A few batches at a time, so that a long run says how it goes.
    for programs in programs.chunks(options.batch * 10) {
        let verdicts = project.judge(programs, options.batch)?;
        report.add(programs, verdicts);
        report.progress(options.programs);
        if report.has_failed() && !options.keep_going {
            break;
        }
    }
    report.finish(&project, options.keep_going)
}
