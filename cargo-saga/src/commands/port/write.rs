//! All files or none: what is to be written is first beside the files, then in a journal, and only then in their place.

use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use crate::{error::Error, workspace::Workspace};

/// A file and its new text.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) path: PathBuf,
    pub(super) old: String,
    pub(super) new: String,
}

/// Complete once it is there: whoever finds it puts the files in place.
#[derive(Serialize, Deserialize)]
struct Journal {
    files: Vec<Step>,
}

#[derive(Serialize, Deserialize)]
struct Step {
    path: PathBuf,
    ready: PathBuf,
    old: String,
}

/// Writes them, unless one is no longer what it was when it was read.
pub(super) fn all(workspace: &Workspace, changes: &[Change]) -> Result<(), Error> {
    if changes.is_empty() {
        return Ok(());
    }
    // From the first file in place to the last one Ctrl-C waits. Without a handler it ends the process as ever.
    let handled = ctrlc::set_handler(|| {});
    if let Err(error) = handled {
        return Err(Error::Output(std::io::Error::other(error)));
    }
    let directories: BTreeSet<_> = changes
        .iter()
        .map(|change| directory_of(&change.path))
        .collect();
    directories.into_iter().for_each(sweep);
    let mut ready = Vec::new();
    for change in changes {
        let known = fs::read_to_string(&change.path).map_err(Error::file(&change.path))?;
        if known != change.old {
            return Err(Error::ChangedMeanwhile {
                path: change.path.clone(),
            });
        }
        ready.push((change, beside(&change.path, change.new.as_bytes())?));
    }
    let mut steps = Vec::new();
    for (change, file) in ready {
        let (_, kept) = file.keep().map_err(|error| Error::File {
            path: change.path.clone(),
            source: error.error,
        })?;
        steps.push(Step {
            path: change.path.clone(),
            ready: kept,
            old: change.old.clone(),
        });
    }
    let journal = Journal { files: steps };
    let path = journal_path(workspace);
    let text = serde_json::to_vec(&journal).map_err(std::io::Error::from)?;
    let written = beside(&path, &text)?;
    written.persist(&path).map_err(|error| Error::File {
        path: path.clone(),
        source: error.error,
    })?;
    put(&journal, &path)
}

/// Ends what a process began that was killed while it put files in place.
pub(super) fn finish(workspace: &Workspace) -> Result<bool, Error> {
    let path = journal_path(workspace);
    let Ok(text) = fs::read(&path) else {
        return Ok(false);
    };
    let journal: Journal = serde_json::from_slice(&text).map_err(std::io::Error::from)?;
    put(&journal, &path)?;
    Ok(true)
}

fn put(journal: &Journal, path: &Path) -> Result<(), Error> {
    for step in &journal.files {
        // Where it is no longer there it is in its place already.
        if !step.ready.exists() {
            continue;
        }
        let known = fs::read_to_string(&step.path).map_err(Error::file(&step.path))?;
        if known != step.old {
            return Err(Error::ChangedMeanwhile {
                path: step.path.clone(),
            });
        }
        fs::rename(&step.ready, &step.path).map_err(Error::file(&step.path))?;
    }
    fs::remove_file(path).map_err(Error::file(path))
}

/// Removes what a process left that was killed before it had a journal. What is young may be another's that still runs.
fn sweep(directory: &Path) {
    let old = |path: &Path| {
        let modified = fs::metadata(path).and_then(|known| known.modified());
        let age = modified.ok().and_then(|modified| modified.elapsed().ok());
        age.is_some_and(|age| age > LEFT_AFTER)
    };
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && old(&entry.path()) {
            // It is in nobody's way.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Of files that are ready to be put in place.
const PREFIX: &str = ".saga-port-";

/// No process takes as long from the first of them to the journal.
const LEFT_AFTER: Duration = Duration::from_secs(3600);

fn directory_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

/// A file in the directory of `path`, with its permissions.
fn beside(path: &Path, text: &[u8]) -> Result<tempfile::NamedTempFile, Error> {
    let mut file = tempfile::Builder::new()
        .prefix(PREFIX)
        .tempfile_in(directory_of(path))
        .map_err(Error::file(path))?;
    file.write_all(text).map_err(Error::file(path))?;
    if let Ok(known) = fs::metadata(path) {
        fs::set_permissions(file.path(), known.permissions()).map_err(Error::file(path))?;
    }
    file.as_file().sync_all().map_err(Error::file(path))?;
    Ok(file)
}

fn journal_path(workspace: &Workspace) -> PathBuf {
    workspace.root.join(".saga-port.journal")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(root: &Path) -> Workspace {
        Workspace {
            root: root.to_owned(),
            target_directory: root.join("target"),
            selected: Vec::new(),
            members: Vec::new(),
        }
    }

    fn change(path: PathBuf, old: &str) -> Change {
        Change {
            path,
            old: old.to_owned(),
            new: format!("new {old}"),
        }
    }

    fn files(root: &Path) -> Vec<(String, String)> {
        let entries = fs::read_dir(root).expect("a directory");
        let mut files: Vec<_> = entries
            .map(|entry| {
                let path = entry.expect("an entry").path();
                let name = path
                    .file_name()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned();
                (name, fs::read_to_string(path).expect("a file"))
            })
            .collect();
        files.sort();
        files
    }

    #[test]
    fn none_is_written_where_one_has_changed() {
        let root = tempfile::tempdir().expect("a directory");
        let (a, b) = (root.path().join("a"), root.path().join("b"));
        fs::write(&a, "a").expect("a file");
        fs::write(&b, "edited meanwhile").expect("a file");
        let workspace = workspace(root.path());
        let refused = all(&workspace, &[change(a, "a"), change(b, "b")]);
        assert!(matches!(refused, Err(Error::ChangedMeanwhile { .. })));
        let expected = [("a", "a"), ("b", "edited meanwhile")];
        assert_eq!(
            files(root.path()),
            expected.map(|(name, text)| (name.to_owned(), text.to_owned()))
        );
    }

    #[test]
    fn what_was_left_long_ago_is_removed_and_what_is_young_is_not() {
        let root = tempfile::tempdir().expect("a directory");
        let path = |name: &str| root.path().join(name);
        for name in ["a", ".saga-port-old", ".saga-port-young"] {
            fs::write(path(name), "a").expect("a file");
        }
        let long_ago = std::time::SystemTime::now() - 2 * LEFT_AFTER;
        let old = fs::File::options().write(true).open(path(".saga-port-old"));
        let aged = old.and_then(|old| old.set_modified(long_ago));
        aged.expect("another time");
        sweep(directory_of(&path("a")));
        let expected = [(".saga-port-young", "a"), ("a", "a")];
        assert_eq!(
            files(root.path()),
            expected.map(|(name, text)| (name.to_owned(), text.to_owned()))
        );
    }

    #[test]
    fn what_was_cut_short_is_ended_by_the_next_run() {
        let root = tempfile::tempdir().expect("a directory");
        let path = |name: &str| root.path().join(name);
        for (name, text) in [("a", "new a"), ("b", "b"), ("ready-b", "new b")] {
            fs::write(path(name), text).expect("a file");
        }
        let step = |name: &str| Step {
            path: path(name),
            ready: path(&format!("ready-{name}")),
            old: name.to_owned(),
        };
        let journal = Journal {
            files: vec![step("a"), step("b")],
        };
        let text = serde_json::to_vec(&journal).expect("JSON");
        let workspace = workspace(root.path());
        fs::write(journal_path(&workspace), text).expect("a file");
        assert!(matches!(finish(&workspace), Ok(true)));
        let expected = [("a", "new a"), ("b", "new b")];
        assert_eq!(
            files(root.path()),
            expected.map(|(name, text)| (name.to_owned(), text.to_owned()))
        );
        assert!(matches!(finish(&workspace), Ok(false)));
    }
}
