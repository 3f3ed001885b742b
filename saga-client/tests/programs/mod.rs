//! The programs that a test runs.

use std::{path::PathBuf, process::Command};

/// The client itself.
pub(crate) fn client() -> Command {
    Command::new(env!("CARGO_BIN_EXE_saga-client"))
}

/// An example server, which `cargo test` in the workspace builds beside the tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    let path = path
        .join("examples")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.exists(),
        "`cargo build -p examples --examples` builds {path:?}"
    );
    path
}
