//! A directory that is gone when the program ends.

use std::path::PathBuf;

use crate::{Result, replica::random_hex};

pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("saga-deploy-{}", random_hex::<8>()?));
        match std::fs::create_dir(&path) {
            Ok(()) => Ok(Self(path)),
            Err(error) => Err(format!("cannot create {}: {error}", path.display()).into()),
        }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The system clears its temporary directory where this program cannot.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
