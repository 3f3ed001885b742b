//! A directory that is gone when the program ends, and random names.

use std::path::{Path, PathBuf};

use aws_lc_rs::rand;

use crate::Result;

/// A directory of its own in that of the system.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new one, empty.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("saga-example-{}", random_hex::<8>()?));
        match std::fs::create_dir(&path) {
            Ok(()) => Ok(Self(path)),
            Err(error) => Err(format!("cannot create {}: {error}", path.display()).into()),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The system clears its temporary directory where this program cannot.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// So many random bytes, as hex digits.
///
/// # Errors
/// Where the system has none.
pub fn random_hex<const BYTES: usize>() -> Result<String> {
    let mut bytes = [0; BYTES];
    rand::fill(&mut bytes).map_err(|_| "the system's random number generator failed")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
