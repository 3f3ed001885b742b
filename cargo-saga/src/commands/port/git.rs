//! Whether what is edited could be had back.

use std::{path::Path, process::Command};

use crate::error::Error;

/// Refuses a tree whose changes are not committed, and one that is under no version control.
pub(super) fn refuse_dirty(
    root: &Path,
    allow_dirty: bool,
    allow_no_vcs: bool,
) -> Result<(), Error> {
    let status = Command::new("git")
        .args(["status", "--porcelain", "--", "."])
        .current_dir(root)
        .output();
    let changed = match status {
        Ok(status) if status.status.success() => status.stdout,
        _ if allow_no_vcs => return Ok(()),
        _ => return Err(Error::NoVersionControl),
    };
    let changed: Vec<_> = String::from_utf8_lossy(&changed)
        .lines()
        .map(str::to_owned)
        .collect();
    match changed.is_empty() || allow_dirty {
        true => Ok(()),
        false => Err(Error::Dirty { changed }),
    }
}
