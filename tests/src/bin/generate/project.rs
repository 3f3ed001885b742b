//! The scratch project: batches of programs as binaries, built by cargo and run.

use std::{
    error::Error,
    fmt::Write as _,
    fs,
    num::NonZero,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::{
    diagnostics::{self, Complaint},
    print::{self, PRELUDE},
    program::Program,
    verdict::{Counts, Verdict, run},
};

pub(crate) type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

/// A cargo project under the target directory.
pub(crate) struct Project {
    folder: PathBuf,
    target: PathBuf,
    profile: Profile,
}

/// How what the programs depend on is compiled.
#[derive(Clone, Copy)]
enum Profile {
    /// As for the workspace, so that it is not compiled again.
    Shared,
    /// Optimised: that takes minutes, and runs are several times as fast.
    Optimised,
}

/// Batches that are run on a core at once.
const AT_A_TIME: usize = 4;

/// From so many programs on it is worth it to optimise.
const MANY: usize = 1000;

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Self::Shared => "dev",
            Self::Optimised => "many",
        }
    }

    fn folder(self) -> &'static str {
        match self {
            Self::Shared => "debug",
            Self::Optimised => "many",
        }
    }
}

/// How far a program came in the build.
enum Stage {
    /// Both halves, and those of its edits that compile.
    Both(Vec<bool>),
    /// The half with `#[saga]` failed; whether the other is right shows in the next build.
    PlainOnly(Verdict),
    Settled(Verdict),
}

impl Project {
    /// Makes the project for so many programs next to what cargo built this binary into.
    pub(crate) fn create(programs: usize) -> Result<Self> {
        let binary = std::env::current_exe()?;
        let target = binary
            .ancestors()
            .find(|folder| folder.join("CACHEDIR.TAG").exists())
            .ok_or("run it by `cargo run`: there is no target directory around it")?
            .to_owned();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .ok_or("the crate is not in a workspace")?;
        let folder = target.join("generated");
        fs::create_dir_all(&folder)?;
        // Dependencies as the workspace builds them, so that they are not compiled again.
        let manifest = format!(
            "[package]\nname = \"generated\"\nedition = \"2024\"\n\n[workspace]\nresolver = \"3\"\n\n\
             [dependencies]\ntests = {{ path = {tests:?} }}\nsaga-runtime = {{ path = {runtime:?} }}\n\
             rmcp = \"3\"\nserde = \"1\"\ntokio = {{ version = \"1\", features = [\"macros\", \"time\"] }}\n\
             futures = {{ version = \"0.3\", default-features = false, features = [\"alloc\"] }}\n\n\
             [profile.dev]\ndebug = \"line-tables-only\"\n\n\
             [profile.dev.package.generated]\ndebug = false\nincremental = false\n\n\
             [profile.many]\ninherits = \"dev\"\n\n\
             [profile.many.package.\"*\"]\nopt-level = 2\ndebug = false\n\n\
             [profile.many.build-override]\nopt-level = 2\n",
            tests = root.join("tests"),
            runtime = root.join("saga-runtime"),
        );
        fs::write(folder.join("Cargo.toml"), manifest)?;
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
        let profile = if programs < MANY {
            Profile::Shared
        } else {
            Profile::Optimised
        };
        Ok(Self {
            folder,
            target,
            profile,
        })
    }

    /// Only compiles the programs, in one crate: those that compile agree.
    pub(crate) fn check(&self, programs: &[Program]) -> Result<Vec<Verdict>> {
        let mut stages: Vec<Stage> = programs.iter().map(both).collect();
        self.build_all(programs, programs.len(), &mut stages, true)?;
        let verdict = |stage| match stage {
            Stage::Both(_) => Verdict::Agreed(Counts::default()),
            Stage::PlainOnly(verdict) | Stage::Settled(verdict) => verdict,
        };
        Ok(stages.into_iter().map(verdict).collect())
    }

    /// Builds and runs the programs, `batch` to a binary.
    pub(crate) fn judge(&self, programs: &[Program], batch: usize) -> Result<Vec<Verdict>> {
        let mut stages: Vec<Stage> = programs.iter().map(both).collect();
        self.build_all(programs, batch, &mut stages, false)?;
        let names: Vec<Vec<String>> = programs
            .chunks(batch)
            .zip(stages.chunks(batch))
            .map(|(programs, stages)| {
                let both = programs
                    .iter()
                    .zip(stages)
                    .filter(|(_, stage)| matches!(stage, Stage::Both(_)));
                both.map(|(program, _)| print::name(program)).collect()
            })
            .collect();
        let ran = self.run_all(&names)?.into_iter();
        let mut ran: Vec<_> = ran.map(Vec::into_iter).collect();
        let mut verdicts = Vec::new();
        for (at, stage) in stages.into_iter().enumerate() {
            let ran = ran.get_mut(at / batch);
            verdicts.push(match stage {
                Stage::Both(_) => ran
                    .and_then(Iterator::next)
                    .ok_or("a batch said too little")?,
                Stage::PlainOnly(verdict) | Stage::Settled(verdict) => verdict,
            });
        }
        Ok(verdicts)
    }

    /// Runs the batches, several at a time on each core: they mostly wait for timers.
    fn run_all(&self, names: &[Vec<String>]) -> Result<Vec<Vec<Verdict>>> {
        let next = AtomicUsize::new(0);
        let ran: Vec<OnceLock<Result<Vec<Verdict>, String>>> =
            names.iter().map(|_| OnceLock::new()).collect();
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let (Some(names), Some(ran)) = (names.get(number), ran.get(number)) else {
                    return;
                };
                let verdicts = run(&self.binary(number), names);
                let _ = ran.set(verdicts.map_err(|error| error.to_string()));
            }
        };
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        std::thread::scope(|scope| {
            for _ in 0..names.len().min(cores * AT_A_TIME) {
                scope.spawn(work);
            }
        });
        ran.into_iter()
            .map(|ran| {
                let ran = ran.into_inner().ok_or("a batch did not run")?;
                Ok(ran?)
            })
            .collect()
    }

    fn binary(&self, number: usize) -> PathBuf {
        self.target
            .join(self.profile.folder())
            .join(bin(number))
            .with_extension(std::env::consts::EXE_EXTENSION)
    }

    /// Builds until every program compiles or is judged.
    fn build_all(
        &self,
        programs: &[Program],
        batch: usize,
        stages: &mut [Stage],
        only_check: bool,
    ) -> Result<()> {
        let bins = self.folder.join("src/bin");
        if bins.exists() {
            fs::remove_dir_all(&bins)?;
        }
        let count = programs.len().div_ceil(batch);
        let mut lines = vec![Vec::new(); programs.len()];
        let mut stale: Vec<usize> = (0..count).collect();
        while !stale.is_empty() {
            for number in &stale {
                // Where its build ends without a word, there must be none of other programs.
                let _ = fs::remove_file(self.binary(*number));
                let from = number * batch;
                let to = programs.len().min(from + batch);
                let (programs, stages) = (&programs[from..to], &stages[from..to]);
                write_batch(
                    &bins.join(bin(*number)),
                    programs,
                    stages,
                    &mut lines[from..to],
                )?;
            }
            if only_check {
                for number in &stale {
                    let main = bins.join(bin(*number)).join("main.rs");
                    let text = fs::read_to_string(&main)?;
                    fs::write(main, text + NO_CODE)?;
                }
            }
            let complaints = self.build(only_check)?;
            stale.clear();
            for complaint in complaints {
                let at = programs
                    .iter()
                    .position(|program| print::name(program) == complaint.program)
                    .ok_or_else(|| format!("an error in no program: {}", complaint.text))?;
                stale.push(at / batch);
                settle(&mut stages[at], complaint, &lines[at]);
            }
            stale.sort_unstable();
            stale.dedup();
        }
        Ok(())
    }

    fn build(&self, only_check: bool) -> Result<Vec<Complaint>> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["build", "--bins", "--offline", "--keep-going", "--quiet"])
            .args(["--message-format=json", "--profile", self.profile.name()])
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target)
            .stdin(Stdio::null())
            .output()?;
        let complaints = diagnostics::read(&String::from_utf8_lossy(&output.stdout))?;
        if !output.status.success() && complaints.is_empty() && !only_check {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        Ok(complaints)
    }
}

/// Fails the build by a lint, which comes after all other errors and before code is made.
const NO_CODE: &str = "\n#[deny(dead_code)]\nfn no_code() {}\n";

fn bin(number: usize) -> String {
    format!("batch_{number:03}")
}

fn both(program: &Program) -> Stage {
    Stage::Both(vec![true; program.edits.len()])
}

fn settle(stage: &mut Stage, complaint: Complaint, from: &[usize]) {
    let part = from.iter().filter(|from| complaint.line >= **from).count();
    match (stage, part) {
        (stage, 0) => *stage = Stage::Settled(Verdict::Broken(complaint.text)),
        (stage @ Stage::Both(_), 1) => *stage = Stage::PlainOnly(complaint.verdict()),
        (Stage::Both(edits), edit) => {
            // An edit that the compiler or the macro refuses is not deployed.
            if let Some(compiles) = edits.get_mut(edit - 2) {
                *compiles = false;
            }
        }
        _ => {}
    }
}

fn write_batch(
    folder: &Path,
    programs: &[Program],
    stages: &[Stage],
    lines: &mut [Vec<usize>],
) -> Result<()> {
    fs::create_dir_all(folder)?;
    let (mut modules, mut cases) = (String::new(), String::new());
    for ((program, stage), line) in programs.iter().zip(stages).zip(lines) {
        let (with_saga, edits) = match stage {
            Stage::Both(edits) => (true, edits.as_slice()),
            Stage::PlainOnly(_) => (false, &[][..]),
            Stage::Settled(_) => continue,
        };
        let name = print::name(program);
        let text;
        (text, *line) = print::module(program, with_saga, edits);
        fs::write(folder.join(format!("{name}.rs")), text)?;
        let _ = writeln!(modules, "#[allow(warnings, clippy::all)]\nmod {name};");
        let order = if print::is_unordered(program) {
            "Free"
        } else {
            "Kept"
        };
        let _ = write!(
            cases,
            "({name}::CASE, {name}::EDITS, tests::batch::Order::{order}), "
        );
    }
    fs::write(folder.join("prelude.rs"), PRELUDE)?;
    let main = format!(
        "#[allow(warnings)]\nmod prelude;\n{modules}\n\
         fn main() {{ tests::batch::run(&[{cases}]); }}\n"
    );
    Ok(fs::write(folder.join("main.rs"), main)?)
}
