//! One port at a time.

use std::{
    collections::hash_map::DefaultHasher,
    fs,
    hash::{Hash, Hasher},
    path::PathBuf,
};

use fs4::FileExt;

use crate::{error::Error, workspace::Workspace};

/// Held from the first look at what an earlier run has left to the last file in its place: two runs at once would edit one copy, and
/// one would end what the other is still writing.
pub(super) struct Lock {
    /// Where the copy is.
    pub(super) copy: PathBuf,
    /// Stays where it is: whoever removed it would leave the next one with a lock of its own.
    _file: fs::File,
}

impl Lock {
    /// Refused where another one has it.
    pub(super) fn of(workspace: &Workspace) -> Result<Self, Error> {
        let mut hasher = DefaultHasher::new();
        workspace.root.hash(&mut hasher);
        let name = format!("port-{:016x}", hasher.finish());
        let folder = workspace.target_directory.join("cargo-saga");
        fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
        let copy = folder.join(name);
        let lock = copy.with_extension("lock");
        let file = fs::File::create(&lock).map_err(Error::file(&lock))?;
        FileExt::try_lock(&file).map_err(|_| Error::Busy { lock })?;
        Ok(Self { copy, _file: file })
    }
}
