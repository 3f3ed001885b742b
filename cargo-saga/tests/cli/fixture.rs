//! Crates in directories of their own, compiled with what the workspace has compiled.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A crate that uses `saga-runtime`. Each has a name of its own: cargo takes two of one name for the same crate.
pub(crate) struct Fixture {
    directory: tempfile::TempDir,
}

/// How a command ended.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Fixture {
    pub(crate) fn new(name: &str) -> Self {
        let fixture = Self::empty();
        fs::copy(workspace().join("Cargo.lock"), fixture.path("Cargo.lock")).expect("a lock file");
        let dependency = format!(
            "saga-runtime = {{ path = {:?} }}\n",
            workspace().join("saga-runtime")
        );
        fixture.file("Cargo.toml", manifest(name, &dependency))
    }

    /// A directory without a crate.
    pub(crate) fn empty() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        Self { directory }
    }

    /// Writes a file into it.
    pub(crate) fn file(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("it is in the directory")).expect("a directory");
        fs::write(path, text).expect("a file");
        self
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).expect("a file")
    }

    /// Runs `cargo-saga` in it.
    pub(crate) fn saga(&self, arguments: &[&str]) -> Run {
        self.saga_with(arguments, &[])
    }

    /// The same with variables in its environment.
    pub(crate) fn saga_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-saga"));
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env("CARGO_TARGET_DIR", target())
            .env("CARGO_TERM_COLOR", "never")
            .envs(variables.iter().copied());
        let output = command.output().expect("it runs");
        Run {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A manifest with what every server needs, and `dependencies`; features are those of the workspace, so that
/// nothing is compiled again.
pub(crate) fn manifest(name: &str, dependencies: &str) -> String {
    format!(
        "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\n\
         rmcp = {{ version = \"3.9\", default-features = false, features = [\"server\", \"macros\", \"elicitation\"] }}\n\
         schemars = \"1\"\nserde = {{ version = \"1\", features = [\"derive\"] }}\n\
         tokio = {{ version = \"1\", default-features = false, features = [\"rt\", \"sync\", \"time\"] }}\n\
         tracing = {{ version = \"0.1\", default-features = false, features = [\"std\"] }}\n\
         {dependencies}\n[profile.dev]\ndebug = \"line-tables-only\"\n"
    )
}

pub(crate) fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate is in a workspace")
}

/// The target directory that these tests were compiled to.
pub(crate) fn target() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .expect("it is in the target directory")
}
