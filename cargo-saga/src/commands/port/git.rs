//! Whether what is edited could be had back.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

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

/// Refuses files that git ignores: of those it says neither that they are changed nor that they are not.
pub(super) fn refuse_ignored<'f>(
    files: impl IntoIterator<Item = &'f Path>,
    allow_no_vcs: bool,
) -> Result<(), Error> {
    if allow_no_vcs {
        return Ok(());
    }
    let mut ignored: Vec<PathBuf> = Vec::new();
    for file in files {
        let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
            continue;
        };
        // In the file's own folder, which may be in a submodule.
        let asked = Command::new("git")
            .args(["check-ignore", "--quiet", "--"])
            .arg(name)
            .current_dir(folder)
            .status();
        match asked.ok().and_then(|status| status.code()) {
            Some(0) => ignored.push(file.to_owned()),
            Some(1) => {}
            _ => return Err(Error::NoVersionControl),
        }
    }
    match ignored.is_empty() {
        true => Ok(()),
        false => Err(Error::Ignored { files: ignored }),
    }
}
