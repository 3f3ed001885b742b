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

/// Complete once it is there: whoever finds it puts the files in place, or gives all of it up.
#[derive(Serialize, Deserialize)]
struct Journal {
    files: Vec<Step>,
}

#[derive(Serialize, Deserialize)]
struct Step {
    path: PathBuf,
    /// The new text, beside the file until it is put in its place.
    ready: PathBuf,
    old: String,
    new: String,
}

/// What became of what an earlier run was writing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Earlier {
    /// There was nothing.
    None,
    Finished,
    /// A file was changed, or taken back, since then.
    GivenUp {
        changed: PathBuf,
        /// What that run had put in place, and is still there.
        written: Vec<PathBuf>,
    },
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
    write(workspace, changes)
}

fn write(workspace: &Workspace, changes: &[Change]) -> Result<(), Error> {
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
            new: change.new.clone(),
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
    match put(&journal, &path)? {
        Some(path) => Err(Error::ChangedMeanwhile { path }),
        None => Ok(()),
    }
}

/// Ends what a process began that was killed while it put files in place.
pub(super) fn finish(workspace: &Workspace) -> Result<Earlier, Error> {
    let path = journal_path(workspace);
    let text = match fs::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Earlier::None),
        known => known.map_err(Error::file(&path))?,
    };
    let journal: Journal = serde_json::from_slice(&text).map_err(|source| Error::Journal {
        path: path.clone(),
        source,
    })?;
    let Some(changed) = put(&journal, &path)? else {
        return Ok(Earlier::Finished);
    };
    let steps = journal.files.into_iter();
    let written = steps.filter(|step| step.state() == State::Written);
    Ok(Earlier::GivenUp {
        changed,
        written: written.map(|step| step.path).collect(),
    })
}

/// How far a step has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ready,
    Written,
    /// Somebody else has written the file since then.
    Changed,
}

impl Step {
    fn state(&self) -> State {
        match fs::read_to_string(&self.path) {
            Ok(known) if known == self.new => State::Written,
            // What was in its place already was taken back: it is not meant any more.
            Ok(known) if known == self.old && self.is_beside() => State::Ready,
            _ => State::Changed,
        }
    }

    /// Whether the new text is there, as `beside` has named it: whatever else a journal names is left alone.
    fn is_beside(&self) -> bool {
        let name = self.ready.file_name().unwrap_or_default();
        self.ready.parent() == self.path.parent()
            && name.to_string_lossy().starts_with(PREFIX)
            && self.ready.is_file()
    }
}

/// Puts the files in place, or none of those that are left; with the file because of which it is none.
fn put(journal: &Journal, path: &Path) -> Result<Option<PathBuf>, Error> {
    // All of them before the first one: half of a port is worse than none.
    let mut steps = journal.files.iter();
    let changed = steps.find(|step| step.state() == State::Changed);
    let changed = changed.map(|step| step.path.clone());
    if changed.is_none() {
        let steps = journal.files.iter();
        for step in steps.filter(|step| step.state() == State::Ready) {
            fs::rename(&step.ready, &step.path).map_err(Error::file(&step.path))?;
        }
    }
    // What is in its place is there no more.
    let steps = journal.files.iter();
    for step in steps.filter(|step| step.is_beside()) {
        fs::remove_file(&step.ready).map_err(Error::file(&step.ready))?;
    }
    fs::remove_file(path).map_err(Error::file(path))?;
    Ok(changed)
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
        let refused = write(&workspace, &[change(a, "a"), change(b, "b")]);
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

    /// A run that was killed when these were its files, `a` and `b` with new texts where they have one.
    fn cut_short(given: &[(&str, &str)]) -> (tempfile::TempDir, Workspace) {
        let root = tempfile::tempdir().expect("a directory");
        let path = |name: &str| root.path().join(name);
        for (name, text) in given {
            fs::write(path(name), text).expect("a file");
        }
        let step = |name: &str| Step {
            path: path(name),
            ready: path(&format!("{PREFIX}{name}")),
            old: name.to_owned(),
            new: format!("new {name}"),
        };
        let journal = Journal {
            files: vec![step("a"), step("b")],
        };
        let text = serde_json::to_vec(&journal).expect("JSON");
        let workspace = workspace(root.path());
        fs::write(journal_path(&workspace), text).expect("a file");
        (root, workspace)
    }

    #[test]
    fn what_was_cut_short_is_ended_by_the_next_run() {
        for given in [
            &[("a", "new a"), ("b", "b"), (".saga-port-b", "new b")][..],
            &[("a", "new a"), ("b", "new b")],
            &[
                ("a", "a"),
                ("b", "b"),
                (".saga-port-a", "new a"),
                (".saga-port-b", "new b"),
            ],
        ] {
            let (root, workspace) = cut_short(given);
            assert_eq!(finish(&workspace).expect("it ends"), Earlier::Finished);
            let expected = [("a", "new a"), ("b", "new b")];
            assert_eq!(
                files(root.path()),
                expected.map(|(name, text)| (name.to_owned(), text.to_owned()))
            );
            assert_eq!(finish(&workspace).expect("nothing"), Earlier::None);
        }
    }

    #[test]
    fn what_was_cut_short_and_changed_since_is_given_up_and_blocks_nothing() {
        for (given, changed, written) in [
            // `git checkout .`
            (
                &[("a", "a"), ("b", "b"), (".saga-port-b", "new b")][..],
                "a",
                &[][..],
            ),
            (
                &[("a", "new a"), ("b", "edited"), (".saga-port-b", "new b")],
                "b",
                &["a"],
            ),
            (&[("a", "new a"), (".saga-port-b", "new b")], "b", &["a"]),
        ] {
            let (root, workspace) = cut_short(given);
            let path = |name: &&str| root.path().join(name);
            let expected = Earlier::GivenUp {
                changed: path(&changed),
                written: written.iter().map(path).collect(),
            };
            assert_eq!(finish(&workspace).expect("it ends"), expected);
            let kept = given.iter().filter(|(name, _)| !name.starts_with(PREFIX));
            let kept: Vec<_> = kept
                .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
                .collect();
            assert_eq!(files(root.path()), kept);
            assert_eq!(finish(&workspace).expect("nothing"), Earlier::None);
        }
    }

    #[test]
    fn what_is_no_journal_is_told_with_its_name() {
        let root = tempfile::tempdir().expect("a directory");
        let workspace = workspace(root.path());
        fs::write(journal_path(&workspace), "{\"files\": [").expect("a file");
        let refused = finish(&workspace)
            .expect_err("it does not read")
            .to_string();
        assert!(refused.contains(".saga-port.journal"), "{refused}");
    }

    #[test]
    fn what_is_written_leaves_nothing_beside_it() {
        let root = tempfile::tempdir().expect("a directory");
        let a = root.path().join("a");
        fs::write(&a, "a").expect("a file");
        write(&workspace(root.path()), &[change(a, "a")]).expect("it is written");
        let expected = [("a".to_owned(), "new a".to_owned())];
        assert_eq!(files(root.path()), expected);
    }
}
